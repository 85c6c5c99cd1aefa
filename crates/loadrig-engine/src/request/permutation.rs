//! A random order of 0..n that needs no memory: the k-th number of it can be asked for by itself.
//!
//! Shuffling a list of a million values takes milliseconds, in which requests would be late, and
//! all shards must agree on one order of which each takes its part. A Feistel network is a
//! permutation whatever its round function, and numbers that fall outside 0..n are sent through
//! again until they fall inside (cycle walking; Black and Rogaway 2002, "Ciphers with Arbitrary
//! Finite Domains").

/// A random order of the numbers below `n`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Permutation {
    n: u64,
    half_bits: u32,
    key: u64,
}

/// Four rounds make an order that looks random (Luby and Rackoff 1988), but on a handful of numbers
/// some orders then come much more often than others; with eight all come equally often, as the
/// test below counts. The order need not withstand an adversary.
const ROUNDS: u64 = 8;

impl Permutation {
    /// The order that belongs to this key. `n` is at least 1 and at most 2^62.
    pub(super) fn new(n: u64, key: u64) -> Self {
        let bits = u64::BITS - (n - 1).leading_zeros();
        Self { n, half_bits: bits.div_ceil(2).max(1), key }
    }

    /// The number at place `k` of the order, for `k` below `n`.
    pub(super) fn at(self, k: u64) -> u64 {
        let mut number = k;
        loop {
            number = self.through(number);
            // The domain is less than 4 n, so this ends after a few turns; it ends at all, since
            // the cycle that `k` is on leads back to `k`, which lies inside.
            if number < self.n {
                return number;
            }
        }
    }

    fn through(self, number: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for round in 0..ROUNDS {
            // The halves have at most 31 bits: above them is room for the round.
            let mixed = mix(self.key.wrapping_add(mix(right | ((round + 1) << 40))));
            (left, right) = (right, left ^ (mixed & mask));
        }
        (left << self.half_bits) | right
    }
}

/// The finaliser of `SplitMix64`: every input bit changes about half of the output bits.
/// Source: Steele, Lea, Flood 2014, "Fast Splittable Pseudorandom Number Generators".
pub(super) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::Permutation;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_exactly_once(n in 1u64..3_000, key: u64) {
            let order = Permutation::new(n, key);
            let mut seen: Vec<u64> = (0..n).map(|k| order.at(k)).collect();
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..n));
        }

        #[test]
        fn large_orders_stay_inside(n in 1u64..(1 << 62), key: u64, k: u64) {
            prop_assert!(Permutation::new(n, key).at(k % n) < n);
        }
    }

    #[test]
    fn another_key_is_another_order() {
        let order = |key| (0..100).map(|k| Permutation::new(100, key).at(k)).collect::<Vec<_>>();
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn all_orders_come_about_equally_often() {
        // 4 numbers have 24 orders. 6,000 keys: chi-square with 23 degrees of freedom stays below
        // 49.7 in 999 of 1,000 cases; the keys are fixed, so this is one case, not a lottery.
        let mut counts = std::collections::BTreeMap::new();
        for key in 1..=6_000 {
            let order = Permutation::new(4, super::mix(key));
            *counts.entry([0, 1, 2, 3].map(|k| order.at(k))).or_insert(0.0) += 1.0;
        }
        assert_eq!(counts.len(), 24);
        let chi_square: f64 = counts.values().map(|count: &f64| (count - 250.0).powi(2) / 250.0).sum();
        assert!(chi_square < 49.7, "{chi_square}");
    }
}
