//! Counts of times: `HdrHistogram` with the one set of bounds that the whole project uses, so that
//! any two of them can be added without loss.

mod plain;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};

/// Lowest value that is told apart from 0, in ns.
pub const LOWEST_NS: u64 = 1;
/// Highest value, in ns: an hour. What is longer counts as an hour.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Significant digits: the relative error of a value is at most 0.1 %.
pub const DIGITS: u8 = 3;

/// Counts of times in ns.
///
/// A bucket holds up to 2^32 - 1, about four billion: ample for one interval of one thread, for
/// which it is meant, and half the memory (130 kB) of wider counts.
#[derive(Clone, PartialEq)]
pub struct Histogram {
    counts: hdrhistogram::Histogram<u32>,
}

/// Reason why a text is no histogram of ours.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Not base64.
    #[error("not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// Not a V2 histogram, deflated or not.
    #[error("not an HdrHistogram: {0}")]
    Format(#[from] hdrhistogram::serialization::DeserializeError),
    /// Not what its own head announces.
    #[error("not an HdrHistogram: {0}")]
    Damaged(&'static str),
    /// Another project's bounds: adding it to ours could lose digits.
    #[error("its bounds are {lowest} to {highest} ns with {digits} digits")]
    Bounds {
        /// Lowest value that it can tell from 0.
        lowest: u64,
        /// Highest value.
        highest: u64,
        /// Significant digits.
        digits: u8,
    },
}

impl Histogram {
    /// An empty one.
    ///
    /// # Panics
    /// Never: the bounds are constants that `HdrHistogram` allows.
    #[must_use]
    pub fn new() -> Self {
        let counts = hdrhistogram::Histogram::new_with_bounds(LOWEST_NS, HIGHEST_NS, DIGITS);
        Self { counts: counts.expect("the bounds are constants that HdrHistogram allows") }
    }

    /// Counts one value. A value beyond the highest counts as the highest.
    #[inline]
    pub fn record(&mut self, value_ns: u64) {
        self.counts.saturating_record(value_ns);
    }

    /// Adds all counts of another.
    ///
    /// # Panics
    /// Never: both have the same bounds.
    pub fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts).expect("both have the same bounds");
    }

    /// Forgets all counts and keeps the memory.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.counts.reset();
        }
    }

    /// Number of values that were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.len()
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The value below or at which this share of all values lies; 0 if there are none.
    /// `q`: 0 to 1.
    #[must_use]
    pub fn quantile_ns(&self, q: f64) -> u64 {
        self.counts.value_at_quantile(q)
    }

    /// The highest value, to three digits; 0 if there are none.
    #[must_use]
    pub fn max_ns(&self) -> u64 {
        self.counts.max()
    }

    /// The mean, to three digits; 0 if there are none.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        self.counts.mean()
    }

    /// The text that a line of an `.hlog` file carries: V2, deflated, base64.
    ///
    /// # Panics
    /// Never: writing to memory does not fail, and a histogram of these bounds has at most
    /// 34,000 buckets, which the format allows.
    #[must_use]
    pub fn encode(&self, encoder: &mut Encoder) -> String {
        encoder.bytes.clear();
        encoder
            .serializer
            .serialize(&self.counts, &mut encoder.bytes)
            .expect("memory takes every byte, and the format every histogram of these bounds");
        BASE64.encode(&encoder.bytes)
    }

    /// Reads what [`Histogram::encode`], or any other writer of the V2 format, has written.
    pub fn decode(text: &str) -> Result<Self, DecodeError> {
        let bytes = BASE64.decode(text.trim())?;
        let plain = plain::of(&bytes)?;
        let counts: hdrhistogram::Histogram<u32> = Deserializer::new().deserialize(&mut plain.as_ref())?;
        Ok(Self { counts })
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Histogram")
            .field("count", &self.count())
            .field("p50_ns", &self.quantile_ns(0.5))
            .field("max_ns", &self.max_ns())
            .finish()
    }
}

/// Memory that encoding needs, to be used again for the next histogram.
#[derive(Default)]
pub struct Encoder {
    serializer: V2DeflateSerializer,
    bytes: Vec<u8>,
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{DecodeError, Encoder, HIGHEST_NS, Histogram};
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for value in values {
            histogram.record(*value);
        }
        histogram
    }

    fn times() -> impl Strategy<Value = Vec<u64>> {
        // Powers, so that nanoseconds and minutes are equally likely.
        prop::collection::vec((0_u32..42).prop_flat_map(|bits| 0..=1_u64 << bits), 0..200)
    }

    #[test]
    fn a_time_beyond_the_bounds_counts_as_the_longest() {
        let histogram = of(&[u64::MAX]);
        assert_eq!(histogram.count(), 1);
        assert!(histogram.max_ns() >= HIGHEST_NS);
    }

    #[test]
    fn a_histogram_with_other_bounds_is_refused() {
        use base64::Engine as _;
        use hdrhistogram::serialization::{Serializer as _, V2Serializer};
        let other = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1000, 2).expect("bounds are right");
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&other, &mut bytes).expect("memory takes all");
        let text = super::BASE64.encode(bytes);
        assert!(matches!(Histogram::decode(&text), Err(DecodeError::Bounds { .. })));
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        assert!(matches!(Histogram::decode("%%%"), Err(DecodeError::Base64(_))));
        assert!(matches!(Histogram::decode("AAAA"), Err(DecodeError::Damaged(_))));
    }

    proptest! {
        #[test]
        fn merging_loses_nothing(left in times(), right in times()) {
            let mut merged = of(&left);
            merged.add(&of(&right));
            let both: Vec<u64> = left.iter().chain(&right).copied().collect();
            prop_assert_eq!(merged.count(), both.len() as u64);
            prop_assert!(merged == of(&both));
        }

        #[test]
        fn encoding_loses_nothing(values in times()) {
            let histogram = of(&values);
            let text = histogram.encode(&mut Encoder::default());
            let back = Histogram::decode(&text).expect("our own text is right");
            prop_assert!(back == histogram);
        }

        #[test]
        fn values_keep_three_digits(value in 0..=HIGHEST_NS) {
            let kept = of(&[value]).quantile_ns(0.5);
            prop_assert!(kept.abs_diff(value) as f64 <= value as f64 * 1e-3);
        }

        #[test]
        fn a_cleared_histogram_is_a_new_one(values in times()) {
            let mut histogram = of(&values);
            histogram.clear();
            prop_assert!(histogram == Histogram::new());
        }
    }
}
