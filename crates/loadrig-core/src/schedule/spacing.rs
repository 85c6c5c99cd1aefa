//! Arrivals along a line: evenly, or as a Poisson process.

use super::{Arrival, Line, Shard};
use crate::rng::{Purpose, Rng};
use crate::units::ns_from_s;

/// Spacing of arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gaps {
    /// Evenly: number n is due when the line's integral is n.
    Constant,
    /// As if nobody knew of anybody else: exponential gaps at a constant rate.
    Poisson,
}

/// The arrivals of one shard along a line of arrivals a second.
///
/// A Poisson process whose rate changes is one of rate 1 whose clock is the line's integral.
/// Source: Çinlar 1975, Introduction to Stochastic Processes, section 4.7 (time rescaling).
#[derive(Debug, Clone)]
pub struct Spaced {
    line: Line,
    shard: Shard,
    poisson: Option<Rng>,
    own: u64,
    area: f64,
    last_ns: u64,
}

impl Spaced {
    /// The arrivals of `shard`. `line` is the whole load's. The shards of even arrivals take
    /// turns; those of Poisson arrivals draw from independent processes of a part of the rate
    /// each, which together are one of the whole rate, and take turns at each process.
    #[must_use]
    pub fn new(line: Line, gaps: Gaps, seed: u64, shard: Shard) -> Self {
        let mut poisson = match gaps {
            Gaps::Constant => None,
            Gaps::Poisson => Some(Rng::stream(seed, Purpose::Arrivals, shard.stream())),
        };
        let area =
            poisson.as_mut().map_or(shard.index() as f64, |rng| past_gaps(0.0, shard.turn() + 1, rng, shard));
        Self { line, shard, poisson, own: 0, area, last_ns: 0 }
    }
}

impl Spaced {
    /// The next arrival, which stays the next; none where none is due as things stand.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Option<Arrival> {
        let at_s = self.line.inverse(self.area)?;
        // Where the line bends, rounding could put an arrival a hair before the one ahead.
        Some(Arrival { n: self.shard.number(self.own), due_ns: ns_from_s(at_s).max(self.last_ns) })
    }

    /// From this time on the arrivals come at this rate; those that are due before it stay as they are.
    ///
    /// The process goes on where it is: its clock is the integral of the line, whatever the line becomes.
    pub fn turn(&mut self, t_s: f64, level: f64) {
        self.line = self.line.turned(t_s, level);
    }
}

/// Where the shard's Poisson process is after so many more gaps, measured in the integral of the whole line.
///
/// Gap by gap, though their sum could be drawn at once: so all that take turns at the process have
/// the same arrivals to the last bit.
#[inline]
fn past_gaps(area: f64, gaps: u64, rng: &mut Rng, shard: Shard) -> f64 {
    (0..gaps).fold(area, |area, _| area + rng.exponential() * shard.streams() as f64)
}

impl Iterator for Spaced {
    type Item = Arrival;

    #[inline]
    fn next(&mut self) -> Option<Arrival> {
        let arrival = self.due()?;
        self.own += 1;
        self.last_ns = arrival.due_ns;
        self.area = match &mut self.poisson {
            None => self.shard.number(self.own) as f64,
            Some(rng) => past_gaps(self.area, self.shard.turns(), rng, self.shard),
        };
        Some(arrival)
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::tests::lines;
    use super::{Gaps, Spaced};
    use crate::schedule::{Arrival, Line, Part, Shard};
    use proptest::prelude::*;

    fn until(spaced: Spaced, end_ns: u64) -> Vec<Arrival> {
        spaced.take(20_000).take_while(|arrival| arrival.due_ns < end_ns).collect()
    }

    fn gaps() -> impl Strategy<Value = Gaps> {
        prop_oneof![Just(Gaps::Constant), Just(Gaps::Poisson)]
    }

    #[test]
    fn even_arrivals_start_at_once_and_keep_their_distance() {
        let due: Vec<u64> = Spaced::new(Line::level(4.0), Gaps::Constant, 1, Shard::whole())
            .take(4)
            .map(|arrival| arrival.due_ns)
            .collect();
        assert_eq!(due, [0, 250_000_000, 500_000_000, 750_000_000]);
    }

    #[test]
    fn poisson_arrivals_come_at_the_asked_rate_whatever_the_shards() {
        for of in [1, 2, 5] {
            let end_ns = 20_000_000_000;
            let all: usize = (0..of)
                .map(|index| Spaced::new(Line::level(500.0), Gaps::Poisson, 3, Shard::new(index, of)))
                .map(|spaced| until(spaced, end_ns).len())
                .sum();
            // 10,000 expected; five standard deviations are 500.
            assert!((9_500..10_500).contains(&all), "{all} with {of} shards");
        }
    }

    #[test]
    fn poisson_gaps_spread_as_much_as_they_last() {
        let arrivals =
            until(Spaced::new(Line::level(500.0), Gaps::Poisson, 5, Shard::whole()), 20_000_000_000);
        let gaps: Vec<f64> =
            arrivals.windows(2).map(|pair| (pair[1].due_ns - pair[0].due_ns) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64).sqrt();
        // Five standard errors of the coefficient of variation at n = 10,000.
        assert!((deviation / mean - 1.0).abs() < 0.07, "{}", deviation / mean);
    }

    proptest! {
        #[test]
        fn no_request_is_due_before_the_one_ahead(line in lines(500.0), gaps in gaps(), seed: u64, of in 1_u32..4) {
            let spaced = Spaced::new(line, gaps, seed, Shard::new(of - 1, of));
            let due: Vec<u64> = spaced.take(2_000).map(|arrival| arrival.due_ns).collect();
            prop_assert!(due.is_sorted());
        }

        #[test]
        fn even_shards_together_are_the_whole(line in lines(100.0), of in 1_u32..5) {
            let end_ns = 30_000_000_000;
            let whole = until(Spaced::new(line.clone(), Gaps::Constant, 1, Shard::whole()), end_ns);
            let mut parts: Vec<Arrival> = (0..of)
                .flat_map(|index| until(Spaced::new(line.clone(), Gaps::Constant, 1, Shard::new(index, of)), end_ns))
                .collect();
            parts.sort_by_key(|arrival| arrival.n);
            prop_assert_eq!(parts, whole);
        }

        #[test]
        fn the_generators_of_a_fleet_together_are_due_when_one_is(
            line in lines(100.0), gaps in gaps(), seed: u64, threads in 1_u32..4, of in 1_u32..6,
        ) {
            let end_ns = 30_000_000_000;
            let merged = |of: u32| {
                let mut all: Vec<Arrival> = (0..of)
                    .flat_map(|index| (0..threads).map(move |thread| Shard::in_part(Part { index, of }, thread, threads)))
                    .flat_map(|shard| until(Spaced::new(line.clone(), gaps, seed, shard), end_ns))
                    .collect();
                all.sort_by_key(|arrival| (arrival.due_ns, arrival.n));
                all
            };
            prop_assert_eq!(merged(of), merged(1));
        }

        #[test]
        fn even_arrivals_are_as_many_as_the_integral_says(line in lines(100.0), t_s in 0.1..60.0_f64) {
            let count = until(Spaced::new(line.clone(), Gaps::Constant, 1, Shard::whole()), crate::units::ns_from_s(t_s)).len();
            let area = line.integral(t_s);
            prop_assert!((count as f64 - area).abs() <= 1.0 + 1e-6 * area, "{count} for {area}");
        }

        #[test]
        fn after_a_turn_arrivals_are_those_of_the_line_that_was_turned_from_the_beginning(
            line in lines(100.0), gaps in gaps(), seed: u64, t_s in 0.0..30.0_f64, level in 0.0..200.0_f64,
        ) {
            let turned = line.turned(t_s, level);
            let mut spaced = Spaced::new(line, gaps, seed, Shard::whole());
            let mut due = Vec::new();
            let at_ns = crate::units::ns_from_s(t_s);
            while due.len() < 4_000 && let Some(arrival) = spaced.due().filter(|arrival| arrival.due_ns < at_ns) {
                due.push(arrival);
                spaced.next();
            }
            if due.len() < 4_000 {
                spaced.turn(t_s, level);
                due.extend(spaced.take(200));
            }
            let expected = Spaced::new(turned, gaps, seed, Shard::whole()).take(due.len());
            for (one, other) in due.iter().zip(expected) {
                prop_assert_eq!(one.n, other.n);
                prop_assert!(one.due_ns.abs_diff(other.due_ns) < 1_000, "{one:?} {other:?}");
            }
        }

        #[test]
        fn the_same_seed_gives_the_same_arrivals(line in lines(100.0), seed: u64) {
            let draw = || Spaced::new(line.clone(), Gaps::Poisson, seed, Shard::whole()).take(100).collect::<Vec<_>>();
            prop_assert_eq!(draw(), draw());
        }
    }
}
