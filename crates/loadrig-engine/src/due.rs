//! Arrivals that a config makes, without a clock or a socket: what is sent when, and by whom of a fleet.

use loadrig_core::schedule::Arrival;

use crate::config::EngineConfig;
use crate::worker;

/// The first arrivals of this generator, in order of time, until its time is over; `most` of each thread at most.
///
/// A limit of requests is not looked at, as not every session makes as many. None of a closed load: there a
/// request is due when the answer before it has come.
#[must_use]
pub fn arrivals(config: &EngineConfig, most: usize) -> Vec<Arrival> {
    worker::due(config, most)
}

#[cfg(test)]
mod tests {
    use super::arrivals;
    use crate::config::EngineConfig;
    use crate::config::tests::small;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn loads() -> impl Strategy<Value = Value> {
        let line = prop::collection::vec((0.0..1.0_f64, 0.0..200.0_f64), 1..5).prop_map(|mut points| {
            points.sort_by(|left, right| left.0.total_cmp(&right.0));
            json!(points)
        });
        let spacing = prop_oneof![Just("poisson"), Just("constant")];
        prop_oneof![
            (line.clone(), spacing.clone(), 1_u64..9).prop_map(|(line, spacing, identities)| {
                json!({"rate": {"line": line, "spacing": spacing, "identities": identities}})
            }),
            (line, spacing).prop_map(|(line, spacing)| {
                json!({"sessions": {"line": line, "spacing": spacing, "loops": null, "stay": 0.5}})
            }),
            prop::collection::vec(0.0..1.0_f64, 0..50).prop_map(|mut times| {
                times.sort_by(f64::total_cmp);
                json!({"replay": {"times_s": times}})
            }),
        ]
    }

    proptest! {
        #[test]
        fn a_fleet_is_due_when_one_generator_is(load in loads(), seed: u64, threads in 1_u32..4, of in 1_u32..6) {
            let merged = |of: u32| {
                let part = |index| {
                    let mut config = small();
                    config["seed"] = json!(seed);
                    config["threads"] = json!(threads);
                    config["connections"]["most"] = json!(64);
                    config["arrivals"] = load.clone();
                    config["part"] = json!({"index": index, "of": of});
                    EngineConfig::parse(&config.to_string()).expect("the config is right")
                };
                let mut all: Vec<_> = (0..of).flat_map(|index| arrivals(&part(index), 1_000)).collect();
                all.sort_by_key(|arrival| (arrival.due_ns, arrival.n));
                all
            };
            prop_assert_eq!(merged(of), merged(1));
        }
    }
}
