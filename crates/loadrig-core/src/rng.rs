//! Random numbers that one seed decides, whoever draws them and in whatever order.
//!
//! Every stream of numbers has its own generator, split from the seed by what it is for and
//! whose it is. So a change of one (another think time, a thread more) leaves the others alone.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// Purpose of a stream of random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The gaps between arrivals.
    Arrivals,
    /// Time that sessions stay.
    Stays,
    /// Choice of the scenario.
    Scenarios,
    /// Think times.
    Think,
    /// The order and the values of feeds.
    Feeds,
    /// Time before their ends at which tokens are renewed.
    Renewals,
    /// Loss of chunks in a proxy.
    Loss,
    /// The gaps between looks at sockets.
    SocketLooks,
    /// The gaps between looks at threads.
    ThreadLooks,
}

/// A stream of random numbers. Not for secrets.
///
/// Source: xoshiro256++, Blackman and Vigna 2021, ACM Trans. Math. Softw. 47, 36.
#[derive(Debug, Clone)]
pub struct Rng {
    inner: Xoshiro256PlusPlus,
}

impl Rng {
    /// The stream of a seed for a purpose; `whose` tells apart shards, users, feeds.
    #[must_use]
    pub fn stream(seed: u64, purpose: Purpose, whose: u64) -> Self {
        let mixed = mix(mix(mix(seed) ^ (purpose as u64 + 1)) ^ whose);
        Self { inner: Xoshiro256PlusPlus::seed_from_u64(mixed) }
    }

    /// Any 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.inner.next_u64()
    }

    /// A number in [0, 1), all equally likely.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        // 53 bits, as many as a float's fraction has: every value is hit with the same chance.
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number with an exponential distribution of mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        // 1 - unit is in (0, 1], so the logarithm is finite.
        -(1.0 - self.unit()).ln()
    }

    /// A whole number below `end`, all equally likely; 0 if `end` is 0.
    ///
    /// Source: Lemire 2019, ACM Trans. Model. Comput. Simul. 29, 3, without the rejection step:
    /// the bias is below `end` / 2^64.
    #[inline]
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// True with this probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}

/// The finishing step of `SplitMix64`: neighbouring inputs give outputs that have nothing in common.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::{Purpose, Rng};
    use proptest::prelude::*;

    fn first(seed: u64, purpose: Purpose, whose: u64) -> u64 {
        Rng::stream(seed, purpose, whose).bits()
    }

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        assert_eq!(first(7, Purpose::Think, 3), first(7, Purpose::Think, 3));
    }

    #[test]
    fn seed_purpose_and_owner_each_make_another_stream() {
        let base = first(7, Purpose::Think, 3);
        assert_ne!(base, first(8, Purpose::Think, 3));
        assert_ne!(base, first(7, Purpose::Feeds, 3));
        assert_ne!(base, first(7, Purpose::Think, 4));
    }

    #[test]
    fn exponential_numbers_have_mean_and_spread_one() {
        let mut rng = Rng::stream(1, Purpose::Arrivals, 0);
        let n = 100_000;
        let drawn: Vec<f64> = (0..n).map(|_| rng.exponential()).collect();
        let mean = drawn.iter().sum::<f64>() / f64::from(n);
        let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        // Five standard errors: 1 / sqrt(n) for the mean, sqrt(8 / n) for the variance.
        assert!((mean - 1.0).abs() < 0.016, "{mean}");
        assert!((variance - 1.0).abs() < 0.045, "{variance}");
    }

    proptest! {
        #[test]
        fn a_number_below_is_below(seed: u64, end in 1_u64..) {
            prop_assert!(Rng::stream(seed, Purpose::Feeds, 0).below(end) < end);
        }

        #[test]
        fn a_unit_is_in_its_interval(seed: u64) {
            let unit = Rng::stream(seed, Purpose::Feeds, 0).unit();
            prop_assert!((0.0..1.0).contains(&unit));
        }
    }
}
