//! The engine for Python: one shot on stdin and stdout, and what can be asked of a config
//! without sending anything.

use loadrig_core::schedule::Shard;
use loadrig_engine::config::{EngineConfig, Refusal};
use loadrig_engine::due::arrivals;
use loadrig_engine::request::{self, Book};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

#[pyfunction]
pub(crate) fn serve(py: Python<'_>) -> i32 {
    py.detach(loadrig_engine::run::serve_process)
}

#[pyfunction]
pub(crate) fn serve_null(py: Python<'_>) -> PyResult<()> {
    let told = |port| println!("{{\"port\": {port}}}");
    py.detach(|| loadrig_engine::null_server::serve(std::io::stdin(), told)).map_err(Into::into)
}

/// The book of a config as its only shard would compile it.
fn book(json: &str) -> Result<Book, Refusal> {
    Book::compile(&EngineConfig::parse(json)?, Shard::whole())
}

fn as_json(refusal: &Refusal) -> String {
    serde_json::to_string(refusal).expect("four texts are always JSON")
}

#[pyfunction]
pub(crate) fn check_config(json: &str) -> Option<String> {
    book(json).err().as_ref().map(as_json)
}

#[pyfunction]
pub(crate) fn check_expression(kind: &str, text: &str) -> Option<String> {
    request::check_expression(kind, text).err().as_ref().map(as_json)
}

#[pyfunction]
pub(crate) fn render_requests<'py>(
    py: Python<'py>,
    json: &str,
) -> PyResult<Vec<(String, Bound<'py, PyBytes>)>> {
    let mut book = book(json).map_err(|refusal| PyValueError::new_err(as_json(&refusal)))?;
    let requests = book.sample().into_iter();
    Ok(requests.map(|(route, bytes)| (route, PyBytes::new(py, &bytes))).collect())
}

#[pyfunction]
pub(crate) fn due_arrivals(py: Python<'_>, json: &str, most: usize) -> PyResult<Vec<(u64, u64)>> {
    let config = EngineConfig::parse(json).map_err(|refusal| PyValueError::new_err(as_json(&refusal)))?;
    let due = py.detach(|| arrivals(&config, most));
    Ok(due.into_iter().map(|arrival| (arrival.n, arrival.due_ns)).collect())
}
