//! `.proto` files for Python: compiled, and asked for methods.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;

#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
pub(crate) fn compile_protos(
    py: Python<'_>,
    files: Vec<PathBuf>,
    includes: Vec<PathBuf>,
) -> PyResult<Bound<'_, PyBytes>> {
    let set = loadrig_protos::compile(&files, &includes);
    let set = set.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &set))
}

#[pyfunction]
pub(crate) fn grpc_method(descriptor_set: &[u8], path: &str) -> PyResult<(String, String)> {
    let method = loadrig_protos::method(descriptor_set, path);
    let method = method.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((method.input, method.output))
}
