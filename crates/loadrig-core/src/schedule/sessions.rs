//! Time that a session stays.

use super::Shard;
use crate::rng::{Purpose, Rng};

/// Number of loops that a session makes through its scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stay {
    /// As many, always.
    Loops(u64),
    /// After each loop another one with this probability, below 1: a geometric number.
    Chance(f64),
}

impl Stay {
    /// Draws the number of loops of a session, at least 1.
    pub fn draw(self, rng: &mut Rng) -> u64 {
        match self {
            Self::Loops(loops) => loops.max(1),
            Self::Chance(probability) => {
                let mut loops = 1;
                while rng.chance(probability) {
                    loops += 1;
                }
                loops
            }
        }
    }
}

/// The stays of the sessions of one shard, in the order of their arrivals.
#[derive(Debug, Clone)]
pub struct Stays {
    stay: Stay,
    rng: Rng,
    shard: Shard,
}

impl Stays {
    /// The stays of `shard`. Those that take turns at one stream of arrivals take the same turns at its stays.
    #[must_use]
    pub fn new(stay: Stay, seed: u64, shard: Shard) -> Self {
        let rng = Rng::stream(seed, Purpose::Stays, shard.stream());
        let mut stays = Self { stay, rng, shard };
        stays.skip(shard.turn());
        stays
    }

    /// Draws the number of loops of the next session, at least 1.
    pub fn draw(&mut self) -> u64 {
        let loops = self.stay.draw(&mut self.rng);
        self.skip(self.shard.turns() - 1);
        loops
    }

    fn skip(&mut self, stays: u64) {
        for _ in 0..stays {
            self.stay.draw(&mut self.rng);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Stay, Stays};
    use crate::rng::{Purpose, Rng};
    use crate::schedule::{Part, Shard};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_session_stays_as_long_whichever_generator_it_comes_to(
            seed: u64, chance in 0.0..0.95_f64, threads in 1_u32..4, of in 1_u32..6,
        ) {
            // 30 sessions of each stream, numbered as their arrivals are.
            let merged = |of: u32| {
                let mut all = Vec::new();
                for (index, thread) in (0..of).flat_map(|index| (0..threads).map(move |thread| (index, thread))) {
                    let shard = Shard::in_part(Part { index, of }, thread, threads);
                    let mut stays = Stays::new(Stay::Chance(chance), seed, shard);
                    let own = Shard::new(index, of).share(30);
                    all.extend((0..own).map(|own| (shard.number(own), stays.draw())));
                }
                all.sort_unstable();
                all
            };
            prop_assert_eq!(merged(of), merged(1));
        }
    }

    #[test]
    fn a_geometric_stay_has_its_mean() {
        let mut rng = Rng::stream(1, Purpose::Stays, 0);
        let n = 20_000;
        let total: u64 = (0..n).map(|_| Stay::Chance(0.8).draw(&mut rng)).sum();
        // Mean 1 / (1 - 0.8) = 5, deviation sqrt(0.8) / 0.2 = 4.5; five standard errors are 0.16.
        let mean = total as f64 / f64::from(n);
        assert!((mean - 5.0).abs() < 0.16, "{mean}");
    }

    #[test]
    fn a_session_that_never_stays_makes_one_loop() {
        let mut rng = Rng::stream(1, Purpose::Stays, 0);
        assert!((0..100).all(|_| Stay::Chance(0.0).draw(&mut rng) == 1));
        assert_eq!(Stay::Loops(7).draw(&mut rng), 7);
    }
}
