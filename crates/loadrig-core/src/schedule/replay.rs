//! Arrivals at the times of a list.

use std::sync::Arc;

use super::{Arrival, Shard};
use crate::units::ns_from_s;

/// The arrivals of one shard from a list of times. Arrival n belongs to shard n mod all.
#[derive(Debug, Clone)]
pub struct Listed {
    times_s: Arc<[f64]>,
    shard: Shard,
    own: u64,
}

impl Listed {
    /// `times_s`: the whole load's times, in seconds from the start, not decreasing.
    #[must_use]
    pub fn new(times_s: Arc<[f64]>, shard: Shard) -> Self {
        Self { times_s, shard, own: 0 }
    }
}

impl Listed {
    /// The next arrival, which stays the next; none at the end of the list.
    #[must_use]
    pub fn due(&self) -> Option<Arrival> {
        let n = self.shard.number(self.own);
        let due_s = self.times_s.get(usize::try_from(n).ok()?)?;
        Some(Arrival { n, due_ns: ns_from_s(*due_s) })
    }
}

impl Iterator for Listed {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        let arrival = self.due()?;
        self.own += 1;
        Some(arrival)
    }
}

#[cfg(test)]
mod tests {
    use super::Listed;
    use crate::schedule::{Arrival, Part, Shard};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_shards_together_replay_the_whole_list(
            gaps in prop::collection::vec(0.0..2.0_f64, 0..100), threads in 1_u32..4, of in 1_u32..5,
        ) {
            let mut now = 0.0;
            let times: Vec<f64> = gaps.iter().map(|gap| { now += gap; now }).collect();
            let mut all: Vec<Arrival> = (0..of)
                .flat_map(|index| (0..threads).map(move |thread| Shard::in_part(Part { index, of }, thread, threads)))
                .flat_map(|shard| Listed::new(times.clone().into(), shard))
                .collect();
            all.sort_by_key(|arrival| arrival.n);
            prop_assert_eq!(all.len(), times.len());
            prop_assert!(all.iter().map(|arrival| arrival.due_ns).is_sorted());
        }
    }
}
