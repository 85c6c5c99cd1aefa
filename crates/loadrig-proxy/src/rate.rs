//! A line that carries so many bytes a second, whoever they belong to.

use loadrig_core::units::{NS_PER_S, ns_from_s};

/// Time for which the line may have been idle and still make up for it: the depth of the bucket, in time.
const DEPTH_NS: u64 = 5_000_000;

/// The least piece that is let through at once, about a segment of TCP.
const PIECE_LEAST: f64 = 1500.0;

/// A token bucket, kept as the instant until which the line is taken.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    bytes_per_s: Option<f64>,
    taken_until_ns: u64,
}

impl Rate {
    /// A line of this width from now on; None has none. What was taken of the line before is forgotten.
    pub(crate) fn set(&mut self, bytes_per_s: Option<f64>, now_ns: u64) {
        *self = Self { bytes_per_s, taken_until_ns: now_ns };
    }

    /// Whether there is a limit at all.
    pub(crate) fn is_limited(&self) -> bool {
        self.bytes_per_s.is_some()
    }

    /// Takes the line for a piece of at most `bytes`; returns how many, and when the last is through.
    ///
    /// Pieces are short, so that connections take turns and nobody waits long for another's.
    pub(crate) fn take(&mut self, now_ns: u64, bytes: usize) -> (usize, u64) {
        let Some(rate) = self.bytes_per_s else { return (bytes, now_ns) };
        let most = (rate * DEPTH_NS as f64 / NS_PER_S as f64).max(PIECE_LEAST);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast from float to integer saturates, and it is the upper bound of a minimum"
        )]
        let piece = bytes.min(most as usize);
        let begins_ns = self.taken_until_ns.max(now_ns.saturating_sub(DEPTH_NS));
        self.taken_until_ns = begins_ns.saturating_add(ns_from_s(piece as f64 / rate));
        (piece, self.taken_until_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::{DEPTH_NS, Rate};
    use proptest::prelude::*;

    #[test]
    fn without_a_limit_all_goes_at_once() {
        let mut rate = Rate::default();
        assert!(!rate.is_limited());
        assert_eq!(rate.take(7, 1 << 20), (1 << 20, 7));
    }

    proptest! {
        #[test]
        fn no_more_passes_than_the_line_carries(
            bytes_per_s in 10.0..1e9_f64,
            wanted in prop::collection::vec((1..200_000_usize, 0..20_000_000_u64), 1..100),
        ) {
            let mut rate = Rate::default();
            let (began_ns, mut now_ns) = (1_000_000_000, 1_000_000_000);
            rate.set(Some(bytes_per_s), began_ns);
            let mut passed = 0;
            for (bytes, pause_ns) in wanted {
                let (piece, through_ns) = rate.take(now_ns, bytes);
                prop_assert!((1..=bytes).contains(&piece));
                passed += piece;
                now_ns = now_ns.max(through_ns);
                let could = bytes_per_s * (now_ns - began_ns + DEPTH_NS) as f64 / 1e9;
                prop_assert!(passed as f64 <= could * 1.001 + 1.0, "{passed} of {could}");
                now_ns += pause_ns;
            }
        }

        #[test]
        fn a_line_that_is_always_wanted_is_never_idle(bytes_per_s in 1e4..1e9_f64, late_ns in 0..DEPTH_NS) {
            let mut rate = Rate::default();
            let (began_ns, mut now_ns, mut passed) = (1_000_000_000, 1_000_000_000, 0);
            rate.set(Some(bytes_per_s), began_ns);
            for _ in 0..200 {
                let (piece, through_ns) = rate.take(now_ns, 1 << 30);
                passed += piece;
                // Whoever waits for it wakes a little late, and takes the next piece only then.
                now_ns = now_ns.max(through_ns) + late_ns;
            }
            let carried = bytes_per_s * (now_ns - late_ns - began_ns) as f64 / 1e9;
            prop_assert!(passed as f64 >= carried * 0.999 - bytes_per_s * DEPTH_NS as f64 / 1e9 - 1500.0);
        }
    }
}
