//! Failures of the system as Python knows them.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::io;

/// An `OSError` with its number, so that Python makes it a `PermissionError` where it is one.
pub(crate) fn os_error(error: io::Error) -> PyErr {
    let Some(number) = error.raw_os_error() else { return error.into() };
    let text = error.to_string();
    let words = text.split_once(" (os error").map_or(text.as_str(), |(words, _)| words);
    PyOSError::new_err((number, words.to_owned()))
}
