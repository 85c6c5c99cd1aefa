//! Seconds, as people and configs write them, and nanoseconds, as everything here counts them.

/// Nanoseconds in a second.
pub const NS_PER_S: u64 = 1_000_000_000;

/// Seconds in nanoseconds, rounded to the nearest; what is negative or no number is 0, and what
/// is too large is the largest number (584 years).
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast from float to integer saturates, which is what is promised"
)]
pub fn ns_from_s(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// Nanoseconds in seconds.
#[must_use]
pub fn s_from_ns(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::{ns_from_s, s_from_ns};
    use proptest::prelude::*;

    #[test]
    fn what_is_no_time_is_the_nearest_time() {
        assert_eq!(ns_from_s(-1.0), 0);
        assert_eq!(ns_from_s(f64::NAN), 0);
        assert_eq!(ns_from_s(f64::INFINITY), u64::MAX);
    }

    proptest! {
        #[test]
        fn there_and_back_is_the_same(ns in 0_u64..1 << 50) {
            // 2^50 ns are 13 days; up to there both roundings together are below half a ns.
            prop_assert_eq!(ns_from_s(s_from_ns(ns)), ns);
        }
    }
}
