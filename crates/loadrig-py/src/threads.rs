//! Threads of a program for Python: the counts and means of loadrig-probes, as plain objects.

use crate::failure::os_error;
use loadrig_probes::threads::{self, Census, Gap, Names, Pace, Root, Sampler, Stop};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Counts the threads of a program, and looks at what they wait for.
#[pyclass(name = "Threads", module = "loadrig._native", frozen)]
pub(crate) struct Threads {
    census: Mutex<Option<Census>>,
    sampler: Mutex<Option<Sampler>>,
    stop: Stop,
}

/// Times that threads have used.
#[pyclass(name = "ThreadCounts", module = "loadrig._native", frozen, get_all)]
pub(crate) struct ThreadCounts {
    groups: BTreeMap<String, (u64, f64, f64)>,
    busiest: Vec<Spent>,
    most_share: f64,
    left_out: usize,
    is_exact: bool,
}

/// Process, thread, name, seconds run, seconds waited for a core.
type Spent = (i32, i32, String, f64, f64);

/// Observations of a burst of looks.
#[pyclass(name = "ThreadBurst", module = "loadrig._native", frozen, get_all)]
pub(crate) struct ThreadBurst {
    looks: u64,
    seconds: f64,
    cpu_s: f64,
    states: BTreeMap<&'static str, f64>,
    peers: BTreeMap<(&'static str, String), f64>,
    groups: BTreeMap<(&'static str, String), f64>,
    busy: Vec<Busy>,
    gaps: Vec<(&'static str, i32)>,
    left_out: usize,
}

/// Process, thread, name, shares by state.
type Busy = (i32, i32, String, BTreeMap<&'static str, f64>);

#[pymethods]
impl Threads {
    #[new]
    #[pyo3(signature = (pid, start, group, proc_root, groups = 16, peers = 32, busiest = 10, most = 20_000))]
    #[allow(clippy::too_many_arguments, reason = "named in Python")]
    fn new(
        py: Python<'_>,
        pid: i32,
        start: Option<u64>,
        group: Option<PathBuf>,
        proc_root: PathBuf,
        groups: usize,
        peers: usize,
        busiest: usize,
        most: usize,
    ) -> PyResult<Self> {
        let root = Root::new(pid, start, group, proc_root);
        let opened = py.detach(|| {
            let names = Names::shared(groups);
            let census = Census::open(root.clone(), names.clone(), most, busiest)?;
            Ok((census, Sampler::open(root, names, peers, most)?))
        });
        let (census, sampler) = opened.map_err(os_error)?;
        let (census, sampler) = (Mutex::new(Some(census)), Mutex::new(Some(sampler)));
        Ok(Self { census, sampler, stop: Stop::default() })
    }

    fn count(&self, py: Python<'_>, now_ns: u64) -> PyResult<ThreadCounts> {
        let counted = within(py, &self.census, |census| census.read(now_ns))?;
        let spent = |one: threads::Spent| {
            (one.pid, one.tid, one.name, seconds(one.times.ran_ns), seconds(one.times.delay_ns))
        };
        let group = |(name, counts): (String, threads::Counts)| {
            (name, (counts.threads, seconds(counts.ran_ns), seconds(counts.delay_ns)))
        };
        Ok(ThreadCounts {
            groups: counted.groups.into_iter().map(group).collect(),
            busiest: counted.busiest.into_iter().map(spent).collect(),
            most_share: counted.most_share,
            left_out: counted.left_out,
            is_exact: counted.is_exact,
        })
    }

    fn burst(
        &self,
        py: Python<'_>,
        looks_per_s: f64,
        seconds: f64,
        cpu_s: f64,
        seed: u64,
    ) -> PyResult<ThreadBurst> {
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let length = Duration::try_from_secs_f64(seconds).map_err(|_| PyValueError::new_err("seconds"))?;
        if !is_positive(looks_per_s) || !is_positive(cpu_s) {
            return Err(PyValueError::new_err("looks_per_s and cpu_s must be greater than zero"));
        }
        let pace = Pace { looks_per_s, length, cpu_s, seed };
        within(py, &self.sampler, |sampler| sampler.burst(pace, &self.stop)).map(ThreadBurst::from)
    }

    #[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
    fn turn_to(&self, py: Python<'_>, proc_root: PathBuf) -> PyResult<()> {
        within(py, &self.census, |census| census.turn_to(&proc_root))
    }

    fn stop(&self) {
        self.stop.stop();
    }

    fn close(&self, py: Python<'_>) {
        self.stop.stop();
        py.detach(|| {
            self.census.lock().unwrap_or_else(PoisonError::into_inner).take();
            self.sampler.lock().unwrap_or_else(PoisonError::into_inner).take();
        });
    }
}

/// Works with what is open, without the interpreter's lock.
fn within<T: Send, R: Send>(
    py: Python<'_>,
    open: &Mutex<Option<T>>,
    work: impl FnOnce(&mut T) -> io::Result<R> + Send,
) -> PyResult<R> {
    // A panic in the middle of a look leaves counts that are off, and nothing that is unsafe.
    let done = py.detach(|| open.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(work));
    done.ok_or_else(|| PyValueError::new_err("it is closed"))?.map_err(os_error)
}

impl From<threads::Burst> for ThreadBurst {
    fn from(burst: threads::Burst) -> Self {
        let named = |((state, name), mean): ((threads::State, String), f64)| ((state.name(), name), mean);
        let share = |(state, share): (threads::State, f64)| (state.name(), share);
        let gap = |gap: Gap| match gap {
            Gap::Calls(pid) => ("calls", pid),
            Gap::Places(pid) => ("places", pid),
            Gap::Foreign(pid) => ("foreign", pid),
            Gap::Sockets(pid) => ("sockets", pid),
            Gap::Delay(pid) => ("delay", pid),
        };
        let busy =
            |one: threads::Busy| (one.pid, one.tid, one.name, one.states.into_iter().map(share).collect());
        Self {
            looks: burst.looks,
            seconds: burst.seconds,
            cpu_s: burst.cpu_s,
            states: burst.states.into_iter().map(share).collect(),
            peers: burst.peers.into_iter().map(named).collect(),
            groups: burst.groups.into_iter().map(named).collect(),
            busy: burst.busy.into_iter().map(busy).collect(),
            gaps: burst.gaps.into_iter().map(gap).collect(),
            left_out: burst.left_out,
        }
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
