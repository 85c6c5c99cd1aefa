//! Series of the probes for Python: files of loadrig-series, read and packed.

use crate::failure::os_error;
use loadrig_series::{Packed, Rows, SeriesError, Stream, Words, pack};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

type Parts = Box<dyn Iterator<Item = Result<Rows, SeriesError>> + Send>;

/// The rows of a file of series, in parts.
#[pyclass(name = "SeriesParts", module = "loadrig._native", frozen)]
pub(crate) struct SeriesParts {
    parts: Mutex<Parts>,
    rows: u64,
}

/// Rows of a file of series, by column.
#[pyclass(name = "SeriesPart", module = "loadrig._native", frozen)]
pub(crate) struct SeriesPart(Rows);

fn python_error(error: SeriesError) -> PyErr {
    match error {
        SeriesError::Io(error) => os_error(error),
        SeriesError::Damaged(why) => PyValueError::new_err(why),
    }
}

#[pymethods]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
impl SeriesParts {
    #[staticmethod]
    fn of_stream(path: PathBuf, rows_a_part: usize) -> PyResult<Self> {
        let stream = Stream::open(&path, rows_a_part).map_err(python_error)?;
        Ok(Self { parts: Mutex::new(Box::new(stream)), rows: 0 })
    }

    #[staticmethod]
    fn of_parquet(path: PathBuf, rows_a_part: usize) -> PyResult<Self> {
        let packed = Packed::open(&path, rows_a_part).map_err(python_error)?;
        let rows = packed.rows();
        Ok(Self { parts: Mutex::new(Box::new(packed)), rows })
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.rows
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<SeriesPart>> {
        let part = py.detach(|| self.parts.lock().unwrap_or_else(PoisonError::into_inner).next());
        part.transpose().map(|rows| rows.map(SeriesPart)).map_err(python_error)
    }
}

#[pymethods]
impl SeriesPart {
    #[getter]
    fn t_ns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, &self.0.t_ns, i64::to_ne_bytes)
    }

    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        bytes_of(py, &self.0.value, f64::to_ne_bytes)
    }

    #[getter]
    fn words(&self) -> Vec<&[String]> {
        self.0.words.iter().map(Words::different).collect()
    }

    #[getter]
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        self.0.words.iter().map(|words| bytes_of(py, words.places(), u32::to_ne_bytes)).collect()
    }
}

fn bytes_of<'py, T: Copy, const SIZE: usize>(
    py: Python<'py>,
    numbers: &[T],
    bytes: impl Fn(T) -> [u8; SIZE],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, size_of_val(numbers), |target| {
        let targets = target.chunks_exact_mut(SIZE);
        targets.zip(numbers).for_each(|(target, number)| target.copy_from_slice(&bytes(*number)));
        Ok(())
    })
}

#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "what PyO3 converts is ours, not borrowed")]
pub(crate) fn pack_series(
    py: Python<'_>,
    stream: PathBuf,
    parquet: PathBuf,
    rows_a_group: usize,
) -> PyResult<()> {
    py.detach(|| pack(Stream::open(&stream, rows_a_group)?, &parquet)).map_err(python_error)
}
