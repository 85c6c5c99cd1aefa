//! Sockets and processes for Python: the counts of loadrig-probes, as plain objects.

use crate::failure::os_error;
use loadrig_probes::processes::{self, Memory};
use loadrig_probes::roles::Role;
use loadrig_probes::sockets::{self, Most, STATES};
use loadrig_probes::wire::Socket;
use loadrig_probes::{holders, speed, tasks};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Watches the TCP sockets of a network namespace by netlink.
#[pyclass(name = "Sockets", module = "loadrig._native", frozen)]
pub(crate) struct Sockets(Mutex<sockets::Sockets>);

/// Observations of one look.
#[pyclass(name = "Look", module = "loadrig._native", frozen, get_all)]
pub(crate) struct Look {
    roles: BTreeMap<String, Py<Connections>>,
    listeners: Vec<Py<Listener>>,
    sockets: usize,
}

/// The connections in one role.
#[pyclass(name = "Connections", module = "loadrig._native", frozen, get_all)]
pub(crate) struct Connections {
    states: BTreeMap<&'static str, u32>,
    opened: u64,
    closed_first: u64,
    receive_bytes: u64,
    send_bytes: u64,
    retransmits: u64,
    rtt_s: Option<(f64, f64)>,
}

/// A listening socket.
#[pyclass(name = "Listener", module = "loadrig._native", frozen, get_all)]
pub(crate) struct Listener {
    address: String,
    port: u16,
    queue: u32,
    backlog: u32,
    inode: u32,
    uid: Option<u32>,
}

/// Address and port, inode, uid.
type Listening = (String, u16, u32, u32);

/// Local address and port, remote address and port, inode, uid.
type Established = (String, u16, String, u16, u32, u32);

impl Sockets {
    /// Works without the interpreter's lock: the kernel may take tens of milliseconds.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut sockets::Sockets) -> T + Send) -> T {
        // A panic in the middle of a look leaves counts that are off, and nothing that is unsafe.
        py.detach(|| work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Sockets {
    #[new]
    #[pyo3(signature = (netns = None, destinations = 20, ports = 20))]
    #[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
    fn new(py: Python<'_>, netns: Option<PathBuf>, destinations: usize, ports: usize) -> PyResult<Self> {
        let most = Most { destinations, ports };
        let opened = py.detach(|| sockets::Sockets::open(netns.as_deref(), most)).map_err(os_error)?;
        Ok(Self(Mutex::new(opened)))
    }

    #[pyo3(signature = (with_info = false, watched = Vec::new()))]
    #[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
    fn look(&self, py: Python<'_>, with_info: bool, watched: Vec<String>) -> PyResult<Look> {
        // A destination that is known by a host's name only is not among the sockets.
        let watched: Vec<Role> = watched.iter().filter_map(|name| name.parse().ok()).collect();
        let look = self.with(py, |sockets| sockets.look(with_info, &watched)).map_err(os_error)?;
        let mut listeners = Vec::with_capacity(look.listeners.len() + look.unix_listeners.len());
        for one in look.listeners {
            let listener = Listener {
                address: one.local.address.to_string(),
                port: one.local.port,
                queue: one.receive_queue,
                backlog: one.send_queue,
                inode: one.inode,
                uid: Some(one.uid),
            };
            listeners.push(Py::new(py, listener)?);
        }
        for one in look.unix_listeners {
            let listener = Listener {
                address: one.name,
                port: 0,
                queue: one.queue,
                backlog: one.backlog,
                inode: one.inode,
                uid: None,
            };
            listeners.push(Py::new(py, listener)?);
        }
        let roles = look.roles.iter().map(|(role, found)| Ok((role.to_string(), connections(py, found)?)));
        Ok(Look { roles: roles.collect::<PyResult<_>>()?, listeners, sockets: look.sockets })
    }

    fn connections(&self, py: Python<'_>) -> PyResult<Vec<Established>> {
        let found = self.with(py, sockets::Sockets::connections).map_err(os_error)?;
        let established = found.into_iter().map(|one| {
            let (local, remote) = (one.local, one.remote);
            let far = remote.address.to_string();
            (local.address.to_string(), local.port, far, remote.port, one.inode, one.uid)
        });
        Ok(established.collect())
    }

    fn listeners(&self, py: Python<'_>) -> PyResult<Vec<Listening>> {
        let found = self.with(py, sockets::Sockets::listeners).map_err(os_error)?;
        let told = |one: Socket| (one.local.address.to_string(), one.local.port, one.inode, one.uid);
        Ok(found.into_iter().map(told).collect())
    }

    #[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
    fn settings(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Vec<Option<String>>> {
        self.with(py, |sockets| sockets.settings(&names)).map_err(os_error)
    }
}

fn connections(py: Python<'_>, found: &sockets::Connections) -> PyResult<Py<Connections>> {
    let mut states = BTreeMap::new();
    for (name, n) in STATES.iter().zip(found.states).filter(|(_, n)| *n > 0) {
        *states.entry(*name).or_default() += n;
    }
    let seconds = |us: u32| f64::from(us) / 1e6;
    Py::new(
        py,
        Connections {
            states,
            opened: found.opened,
            closed_first: found.closed_first,
            receive_bytes: found.receive_bytes,
            send_bytes: found.send_bytes,
            retransmits: found.retransmits,
            rtt_s: found.rtt_us.map(|(median, most)| (seconds(median), seconds(most))),
        },
    )
}

/// A process: the fields of `loadrig.base.processes.Stat`, and what else was read of it.
#[pyclass(name = "ProcessFacts", module = "loadrig._native", frozen, get_all)]
pub(crate) struct ProcessFacts {
    pid: i32,
    name: String,
    state: char,
    parent: i32,
    group: i32,
    session: i32,
    faults: u64,
    user: u64,
    system: u64,
    dead_user: u64,
    dead_system: u64,
    thread_count: u64,
    start: u64,
    rss_pages: u64,
    fds: Option<u64>,
    fd_limit: Option<u64>,
    memory_bytes: Option<(u64, u64)>,
    memory_refused: bool,
    io_bytes: Option<(u64, u64)>,
    threads: Option<Vec<Thread>>,
}

/// Number, state, voluntary and involuntary switches, time in the run queue and time run in ns.
type Thread = (i32, char, u64, u64, Option<u64>, Option<u64>);

#[pyfunction]
#[pyo3(signature = (pids, threads_most, with_memory, proc_root))]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
pub(crate) fn read_processes(
    py: Python<'_>,
    pids: Vec<i32>,
    threads_most: u64,
    with_memory: bool,
    proc_root: PathBuf,
) -> PyResult<Vec<ProcessFacts>> {
    let found = py
        .detach(|| processes::read_processes(&pids, threads_most, with_memory, &proc_root))
        .map_err(os_error)?;
    Ok(found.into_iter().map(ProcessFacts::from).collect())
}

#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
pub(crate) fn process_tree(
    py: Python<'_>,
    root: i32,
    known: Vec<i32>,
    proc_root: PathBuf,
) -> PyResult<Vec<i32>> {
    py.detach(|| processes::process_tree(root, &known, &proc_root)).map_err(os_error)
}

#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
pub(crate) fn process_table(py: Python<'_>, proc_root: PathBuf) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    let found = py.detach(|| processes::process_table(&proc_root)).map_err(os_error)?;
    found.into_iter().map(|one| stat_fields(py, one)).collect()
}

/// The fields of `loadrig.base.processes.Stat`, in their order: more than a tuple of Rust can have.
fn stat_fields(py: Python<'_>, stat: processes::Stat) -> PyResult<Bound<'_, PyTuple>> {
    let words = (stat.pid, stat.name, stat.state, stat.parent, stat.group, stat.session).into_pyobject(py)?;
    let counts = [
        stat.faults,
        stat.user,
        stat.system,
        stat.dead_user,
        stat.dead_system,
        stat.threads,
        stat.start,
        stat.rss_pages,
    ];
    words.add(PyTuple::new(py, counts)?)?.cast_into().map_err(PyErr::from)
}

#[pyfunction]
#[pyo3(signature = (inodes, pids, proc_root))]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
pub(crate) fn socket_holders(
    py: Python<'_>,
    inodes: HashSet<u64>,
    pids: Option<Vec<i32>>,
    proc_root: PathBuf,
) -> PyResult<HashMap<i32, HashSet<u64>>> {
    let found =
        py.detach(|| holders::socket_holders(&inodes, pids.as_deref(), &proc_root)).map_err(os_error)?;
    Ok(found.into_iter().map(|(pid, held)| (pid, held.into_iter().collect())).collect())
}

/// Number, process, name, ns run, last core, cores on which it may run.
type Task = (i32, i32, String, u64, u32, Vec<usize>);

#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
pub(crate) fn read_tasks(
    py: Python<'_>,
    pids: Vec<i32>,
    most: usize,
    proc_root: PathBuf,
) -> PyResult<Vec<Task>> {
    let found = py.detach(|| tasks::read_tasks(&pids, most, &proc_root)).map_err(os_error)?;
    let told = |one: tasks::Task| (one.tid, one.pid, one.name, one.ran_ns, one.core, one.cores);
    Ok(found.into_iter().map(told).collect())
}

#[pyfunction]
pub(crate) fn core_work(py: Python<'_>, core: usize) -> PyResult<f64> {
    py.detach(|| speed::work_ns(core)).map(|ns| ns / 1e9).map_err(os_error)
}

impl From<processes::Facts> for ProcessFacts {
    fn from(facts: processes::Facts) -> Self {
        let stat = facts.stat;
        let thread = |one: processes::Thread| {
            (one.tid, one.state, one.voluntary, one.involuntary, one.delay_ns, one.ran_ns)
        };
        Self {
            pid: stat.pid,
            name: stat.name,
            state: stat.state,
            parent: stat.parent,
            group: stat.group,
            session: stat.session,
            faults: stat.faults,
            user: stat.user,
            system: stat.system,
            dead_user: stat.dead_user,
            dead_system: stat.dead_system,
            thread_count: stat.threads,
            start: stat.start,
            rss_pages: stat.rss_pages,
            fds: facts.descriptors,
            fd_limit: facts.descriptor_limit,
            memory_bytes: match facts.memory {
                Memory::Read { pss, uss } => Some((pss, uss)),
                Memory::Unread | Memory::Refused => None,
            },
            memory_refused: facts.memory == Memory::Refused,
            io_bytes: facts.io_bytes,
            threads: facts.threads.map(|all| all.into_iter().map(thread).collect()),
        }
    }
}
