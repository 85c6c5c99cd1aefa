//! Choice of the scenario of a loop, and the time that a user thinks.

use super::RouteId;
use crate::config::{self, Think};
use loadrig_core::rng::Rng;
use loadrig_core::units::ns_from_s;

/// All scenarios with their weights.
#[derive(Debug)]
pub(super) struct Scenarios {
    steps: Vec<Vec<RouteId>>,
    /// Places of the steps that are sent at once with the one before.
    beside: Vec<Vec<usize>>,
    /// Sums of the weights up to and with each scenario.
    up_to: Vec<f64>,
}

impl Scenarios {
    pub(super) fn compile(scenarios: &[config::Scenario]) -> Self {
        let mut sum = 0.0;
        let up_to = scenarios.iter().map(|scenario| {
            sum += scenario.weight;
            sum
        });
        let up_to = up_to.collect();
        let steps = scenarios.iter().map(|scenario| scenario.steps.iter().map(|n| RouteId::of(*n)).collect());
        let beside = scenarios.iter().map(|scenario| scenario.beside.clone());
        Self { steps: steps.collect(), beside: beside.collect(), up_to }
    }

    /// A scenario, each as often as its weight says. One of weight 0 never comes.
    pub(super) fn pick(&self, rng: &mut Rng) -> usize {
        if self.steps.len() == 1 {
            return 0;
        }
        let sum = self.up_to.last().copied().unwrap_or_default();
        let point = rng.unit() * sum;
        // The last one is taken only should rounding have put the point on the sum itself.
        self.up_to.partition_point(|up_to| *up_to <= point).min(self.steps.len() - 1)
    }

    /// Whether a step is sent at once with the one before it.
    pub(super) fn is_beside(&self, scenario: usize, step: usize) -> bool {
        self.beside[scenario].binary_search(&step).is_ok()
    }

    /// The routes of a scenario.
    pub(super) fn steps(&self, scenario: usize) -> &[RouteId] {
        &self.steps[scenario]
    }
}

/// A pause between an answer and the next request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pause {
    /// Always so many ns.
    Constant(u64),
    /// From the first number of ns, and up to the second longer.
    Uniform(u64, u64),
    /// Exponential with this mean in seconds.
    Exponential(f64),
}

impl Pause {
    pub(super) fn of(think: Think) -> Self {
        match think {
            Think::Constant(seconds) => Self::Constant(ns_from_s(seconds)),
            Think::Uniform(low, high) => Self::Uniform(ns_from_s(low), ns_from_s(high) - ns_from_s(low)),
            Think::Exponential(mean) => Self::Exponential(mean),
        }
    }

    pub(super) fn length_ns(self, rng: &mut Rng) -> u64 {
        match self {
            Self::Constant(length) => length,
            Self::Uniform(low, above) => low + rng.below(above.saturating_add(1)),
            Self::Exponential(mean_s) => ns_from_s(rng.exponential() * mean_s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pause, Scenarios};
    use crate::config::{Scenario, Think};
    use loadrig_core::rng::{Purpose, Rng};

    fn scenarios(weights: &[f64]) -> Scenarios {
        let named = |(n, weight): (usize, &f64)| Scenario {
            name: n.to_string(),
            weight: *weight,
            steps: vec![n],
            beside: Vec::new(),
            passages: Vec::new(),
        };
        Scenarios::compile(&weights.iter().enumerate().map(named).collect::<Vec<_>>())
    }

    #[test]
    fn scenarios_come_as_often_as_their_weights_say() {
        let scenarios = scenarios(&[3.0, 0.0, 1.0]);
        let mut rng = Rng::stream(1, Purpose::Think, 0);
        let mut counts = [0u32; 3];
        for _ in 0..40_000 {
            counts[scenarios.pick(&mut rng)] += 1;
        }
        assert_eq!(counts[1], 0);
        // Binomial with n = 40,000 and p = 0.75: the standard deviation is 87; the seed is fixed.
        assert!(counts[0].abs_diff(30_000) < 4 * 87, "{counts:?}");
    }

    #[test]
    fn a_last_scenario_of_weight_0_never_comes() {
        let scenarios = scenarios(&[1.0, 0.0]);
        let mut rng = Rng::stream(1, Purpose::Think, 0);
        assert!((0..1_000).all(|_| scenarios.pick(&mut rng) == 0));
    }

    #[test]
    fn pauses_have_their_bounds_and_means() {
        let mut rng = Rng::stream(1, Purpose::Think, 0);
        let mean = |think: Think, rng: &mut Rng| {
            let lengths: Vec<f64> = (0..20_000).map(|_| Pause::of(think).length_ns(rng) as f64).collect();
            let low = lengths.iter().copied().fold(f64::INFINITY, f64::min);
            let high = lengths.iter().copied().fold(0.0, f64::max);
            (lengths.iter().sum::<f64>() / 20_000.0, low, high)
        };
        assert_eq!(mean(Think::Constant(0.25), &mut rng), (0.25e9, 0.25e9, 0.25e9));
        let (uniform, low, high) = mean(Think::Uniform(1.0, 2.0), &mut rng);
        assert!((1.0e9..=2.0e9).contains(&low) && (1.0e9..=2.0e9).contains(&high));
        // Standard error 0.29 s / sqrt(20,000) = 2 ms; five of them.
        assert!((uniform - 1.5e9).abs() < 10e6, "{uniform}");
        let (exponential, _, _) = mean(Think::Exponential(1.0), &mut rng);
        // Standard error 1 s / sqrt(20,000) = 7 ms; five of them.
        assert!((exponential - 1.0e9).abs() < 35e6, "{exponential}");
    }
}
