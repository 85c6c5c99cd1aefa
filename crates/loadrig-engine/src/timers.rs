//! A deadline for each of many things, most of which are moved before they come.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No deadline.
pub(crate) const NEVER: u64 = u64::MAX;

/// Deadlines by number.
///
/// A time-out is set for every request and hardly ever comes: the next request of the same
/// number sets a later one. So a deadline that is moved later leaves its entry in the heap as it
/// is; only when that entry comes up is it put back for the later time. The heap holds about one
/// entry for each number, not one for each request.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    deadline_ns: u64,
    /// The time of the entry in the heap that will see to this deadline; others are stale.
    armed_ns: u64,
}

impl Timers {
    /// Sets the deadline of a number, instead of the one it had.
    #[inline]
    pub(crate) fn set(&mut self, id: u32, deadline_ns: u64) {
        let place = id as usize;
        if place >= self.entries.len() {
            self.entries.resize(place + 1, Entry { deadline_ns: NEVER, armed_ns: NEVER });
        }
        let entry = &mut self.entries[place];
        entry.deadline_ns = deadline_ns;
        if deadline_ns < entry.armed_ns {
            entry.armed_ns = deadline_ns;
            self.heap.push(Reverse((deadline_ns, id)));
        }
    }

    /// Takes the deadline of a number away.
    #[inline]
    pub(crate) fn clear(&mut self, id: u32) {
        if let Some(entry) = self.entries.get_mut(id as usize) {
            entry.deadline_ns = NEVER;
        }
    }

    /// The deadline of a number.
    pub(crate) fn deadline_ns(&self, id: u32) -> u64 {
        self.entries.get(id as usize).map_or(NEVER, |entry| entry.deadline_ns)
    }

    /// A number whose deadline has come, with the deadline, which is taken away. Earlier ones come
    /// first, but for those that were moved.
    pub(crate) fn pop(&mut self, now_ns: u64) -> Option<(u32, u64)> {
        while let Some(&Reverse((at_ns, id))) = self.heap.peek() {
            if at_ns > now_ns {
                return None;
            }
            self.heap.pop();
            let entry = &mut self.entries[id as usize];
            if entry.armed_ns != at_ns {
                continue;
            }
            entry.armed_ns = NEVER;
            let deadline_ns = entry.deadline_ns;
            if deadline_ns <= now_ns {
                entry.deadline_ns = NEVER;
                return Some((id, deadline_ns));
            }
            if deadline_ns != NEVER {
                self.set(id, deadline_ns);
            }
        }
        None
    }

    /// Instant at which to look again: no deadline comes before it.
    #[inline]
    pub(crate) fn next_ns(&self) -> u64 {
        self.heap.peek().map_or(NEVER, |Reverse((at_ns, _))| *at_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::{NEVER, Timers};
    use proptest::prelude::*;

    #[test]
    fn a_time_out_that_is_moved_all_the_time_costs_one_entry() {
        let mut timers = Timers::default();
        for now in 0..100_000 {
            timers.set(0, now + 30_000);
            assert_eq!(timers.pop(now), None);
        }
        assert!(timers.heap.len() <= 2, "{}", timers.heap.len());
    }

    #[derive(Debug, Clone)]
    enum Act {
        Set(u32, u64),
        Clear(u32),
        Pass(u64),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = prop_oneof![
            (0..5_u32, 0..60_u64).prop_map(|(id, after)| Act::Set(id, after)),
            (0..5_u32).prop_map(Act::Clear),
            (0..40_u64).prop_map(Act::Pass),
        ];
        prop::collection::vec(act, 0..120)
    }

    proptest! {
        #[test]
        fn every_deadline_comes_once_and_none_comes_early(acts in acts()) {
            let mut timers = Timers::default();
            let mut model = [NEVER; 5];
            let mut now = 0;
            for act in acts {
                match act {
                    Act::Set(id, after) => {
                        timers.set(id, now + after);
                        model[id as usize] = now + after;
                    }
                    Act::Clear(id) => {
                        timers.clear(id);
                        model[id as usize] = NEVER;
                    }
                    Act::Pass(by) => now += by,
                }
                prop_assert!(model.iter().all(|deadline| timers.next_ns() <= *deadline));
                let mut popped: Vec<(u32, u64)> = std::iter::from_fn(|| timers.pop(now)).collect();
                popped.sort_unstable();
                let mut expected = Vec::new();
                for (id, deadline) in model.iter_mut().enumerate() {
                    if *deadline <= now {
                        expected.push((u32::try_from(id).unwrap_or(0), *deadline));
                        *deadline = NEVER;
                    }
                }
                prop_assert_eq!(popped, expected);
            }
        }
    }
}
