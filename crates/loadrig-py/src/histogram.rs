//! `Histogram` for Python: the same buckets as the engine's, so that merging loses nothing.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use loadrig_core::histogram::{DIGITS, HIGHEST_NS, LOWEST_NS};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// Counts of times in ns, from 1 ns to one hour, to three significant digits.
#[pyclass(name = "Histogram", module = "loadrig._native", eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct Histogram {
    counts: Hdr<u64>,
}

impl Histogram {
    fn empty() -> Self {
        let counts = Hdr::new_with_bounds(LOWEST_NS, HIGHEST_NS, DIGITS);
        Self { counts: counts.expect("the bounds are constants that HdrHistogram allows") }
    }
}

#[pymethods]
impl Histogram {
    #[new]
    fn new() -> Self {
        Self::empty()
    }

    #[staticmethod]
    fn decode(text: &str) -> PyResult<Self> {
        let wrong = |reason: String| PyValueError::new_err(format!("not a histogram: {reason}"));
        let bytes = BASE64.decode(text.trim()).map_err(|error| wrong(error.to_string()))?;
        let counts: Hdr<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| wrong(format!("{error:?}")))?;
        let same_buckets =
            counts.low() == LOWEST_NS && counts.high() == HIGHEST_NS && counts.sigfig() == DIGITS;
        if same_buckets {
            return Ok(Self { counts });
        }
        let mut ours = Self::empty();
        for step in counts.iter_recorded() {
            let value = counts.median_equivalent(step.value_iterated_to());
            ours.counts.saturating_record_n(value, step.count_at_value());
        }
        Ok(ours)
    }

    fn encode(&self) -> PyResult<String> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.counts, &mut bytes)
            .map_err(|error| PyValueError::new_err(format!("{error:?}")))?;
        Ok(BASE64.encode(bytes))
    }

    fn add(&mut self, other: &Self) -> PyResult<()> {
        self.counts.add(&other.counts).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn copy(&self) -> Self {
        self.clone()
    }

    #[pyo3(signature = (value_ns, count = 1))]
    fn record(&mut self, value_ns: u64, count: u64) {
        self.counts.saturating_record_n(value_ns, count);
    }

    #[getter]
    fn count(&self) -> u64 {
        self.counts.len()
    }

    #[getter]
    fn min_ns(&self) -> u64 {
        self.counts.min()
    }

    #[getter]
    fn max_ns(&self) -> u64 {
        self.counts.max()
    }

    #[getter]
    fn mean_ns(&self) -> f64 {
        self.counts.mean()
    }

    #[getter]
    fn stdev_ns(&self) -> f64 {
        self.counts.stdev()
    }

    fn quantile_ns(&self, q: f64) -> PyResult<u64> {
        if !(0.0..=1.0).contains(&q) {
            return Err(PyValueError::new_err(format!("{q} is not between 0 and 1")));
        }
        Ok(self.counts.value_at_quantile(q))
    }

    fn count_between(&self, low_ns: u64, high_ns: u64) -> u64 {
        if low_ns > high_ns {
            return 0;
        }
        self.counts.count_between(low_ns, high_ns)
    }

    fn buckets(&self, per_decade: u32) -> PyResult<Vec<(f64, f64, u64)>> {
        if per_decade == 0 {
            return Err(PyValueError::new_err("per_decade must be at least 1"));
        }
        let per_decade = f64::from(per_decade);
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for step in self.counts.iter_recorded() {
            // 0 ns has no logarithm; it belongs with the fastest.
            let value = self.counts.median_equivalent(step.value_iterated_to()).max(1);
            // At most 13 decades times per_decade: it fits, and log10 of 1 or more is not negative.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let bucket = ((value as f64).log10() * per_decade) as u32;
            *counts.entry(bucket).or_default() += step.count_at_value();
        }
        let edge = |bucket: u32| 10f64.powf(f64::from(bucket) / per_decade);
        let rows = counts.into_iter();
        Ok(rows.map(|(bucket, count)| (edge(bucket), edge(bucket + 1), count)).collect())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Self>().getattr("decode")?, (self.encode()?,)))
    }

    fn __repr__(&self) -> String {
        if self.counts.is_empty() {
            return "Histogram()".to_owned();
        }
        format!(
            "<Histogram of {} values, {} to {} ns>",
            self.counts.len(),
            self.counts.min(),
            self.counts.max()
        )
    }
}
