//! Socket stages for Python: means of loadrig-probes, as plain objects.

use crate::failure::os_error;
use loadrig_probes::stages::stage::NAMES;
use loadrig_probes::stages::sums::{Mean, Most};
use loadrig_probes::stages::watcher::{Settings, Sight, Watcher};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Looks at the sockets of components at random instants, in a thread of its own.
#[pyclass(name = "SocketStages", module = "loadrig._native", frozen)]
pub(crate) struct SocketStages(Mutex<Option<Watcher>>);

/// Observations of a component since it was last asked for.
#[pyclass(name = "StageSight", module = "loadrig._native", frozen, get_all)]
pub(crate) struct StageSight {
    looks: u32,
    groups: Vec<Py<StageMeans>>,
    cpu_s: f64,
    is_refused: bool,
    is_gone: bool,
    left_out: usize,
    failure: Option<String>,
}

/// A group of sockets, over the looks of an interval.
#[pyclass(name = "StageMeans", module = "loadrig._native", frozen, get_all)]
pub(crate) struct StageMeans {
    group: String,
    stages: BTreeMap<&'static str, (f64, f64)>,
    sockets: f64,
    tied: f64,
    silent: f64,
    busy_s: f64,
    client_limited_s: f64,
    buffer_limited_s: f64,
    segments: u64,
}

impl SocketStages {
    /// Works without the interpreter's lock: whoever is looking just now may take tens of milliseconds.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Watcher) -> T + Send) -> PyResult<T> {
        let outcome = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(work));
        outcome.ok_or_else(|| PyValueError::new_err("it is closed"))
    }
}

#[pymethods]
impl SocketStages {
    #[new]
    fn new(
        py: Python<'_>,
        looks_per_s: f64,
        cpu_share: f64,
        destinations: usize,
        ports: usize,
        seed: u64,
    ) -> PyResult<Self> {
        if !(looks_per_s > 0.0 && cpu_share > 0.0) {
            return Err(PyValueError::new_err("looks_per_s and cpu_share must be above 0"));
        }
        let settings = Settings { looks_per_s, cpu_share, most: Most { destinations, ports }, seed };
        let watcher = py.detach(|| Watcher::start(settings)).map_err(os_error)?;
        Ok(Self(Mutex::new(Some(watcher))))
    }

    fn watch(&self, py: Python<'_>, pid: i32, start: Option<u64>, ports: Vec<u16>) -> PyResult<u32> {
        self.with(py, |watcher| watcher.watch(pid, start, ports))?.map_err(os_error)
    }

    fn take(&self, py: Python<'_>, number: u32) -> PyResult<StageSight> {
        let sight = self.with(py, |watcher| watcher.take(number))?;
        let sight = sight.ok_or_else(|| PyValueError::new_err(format!("nothing is watched as {number}")))?;
        converted(py, sight)
    }

    fn allow(&self, py: Python<'_>, cpu_share: f64) -> PyResult<()> {
        if cpu_share.is_nan() || cpu_share <= 0.0 {
            return Err(PyValueError::new_err("cpu_share must be above 0"));
        }
        self.with(py, |watcher| watcher.allow(cpu_share))
    }

    fn forget(&self, py: Python<'_>, number: u32) -> PyResult<()> {
        self.with(py, |watcher| watcher.forget(number))
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }
}

fn converted(py: Python<'_>, sight: Sight) -> PyResult<StageSight> {
    let groups = sight.groups.into_iter().map(|mean| Py::new(py, StageMeans::from(mean)));
    Ok(StageSight {
        looks: sight.looks,
        groups: groups.collect::<PyResult<_>>()?,
        cpu_s: sight.cpu_s,
        is_refused: sight.is_refused,
        is_gone: sight.is_gone,
        left_out: sight.left_out,
        failure: sight.failure,
    })
}

impl From<Mean> for StageMeans {
    fn from(mean: Mean) -> Self {
        let seconds = |us: u64| us as f64 / 1e6;
        Self {
            stages: NAMES.iter().map(|(_, name)| *name).zip(mean.stages).collect(),
            sockets: mean.sockets(),
            tied: mean.tied,
            silent: mean.silent,
            busy_s: seconds(mean.limits.busy_us),
            client_limited_s: seconds(mean.limits.client_us),
            buffer_limited_s: seconds(mean.limits.buffer_us),
            segments: mean.segments,
            group: mean.group,
        }
    }
}
