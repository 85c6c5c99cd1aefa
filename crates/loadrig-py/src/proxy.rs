//! The proxy for Python: one on stdin and stdout.

use pyo3::prelude::*;

#[pyfunction]
pub(crate) fn serve_proxy(py: Python<'_>) -> i32 {
    py.detach(loadrig_proxy::serve_process)
}
