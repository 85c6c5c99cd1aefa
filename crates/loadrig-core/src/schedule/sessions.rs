//! Time that a session stays.

use crate::rng::Rng;

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

#[cfg(test)]
mod tests {
    use super::Stay;
    use crate::rng::{Purpose, Rng};

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
