//! A direction of a connection: chunks that were read and may not be handed on yet, in their order.

use std::collections::VecDeque;

use crate::rate::Rate;

/// Bytes that one direction of a connection holds at most, but for the last chunk; then nobody reads
/// for it until some have left. With a delay of d seconds, a connection carries this much in d.
pub const HELD_MOST: usize = 1 << 20;

/// End of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The sender has said all that it had to say.
    Finished,
    /// Its connection broke.
    Broken,
}

/// Chunk that was read at once. Held until it is due, then handed on as the receiver takes it.
#[derive(Debug)]
struct Chunk {
    bytes: Vec<u8>,
    came_ns: u64,
    due_ns: u64,
    /// Its delay is measured: it was held for that alone.
    is_timed: bool,
    /// Bytes that have been handed on.
    gone: usize,
    /// Bytes beyond those for which the line was taken, and when they are through.
    taken: usize,
    through_ns: u64,
}

/// The chunks of one direction, and how it ends.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    chunks: VecDeque<Chunk>,
    held: usize,
    last_due_ns: u64,
    /// End of the sender, if it has ended.
    pub end: Option<End>,
    /// The receiver was told of the end, or is not there to be told.
    pub is_over: bool,
}

impl Lane {
    /// Whether more may be read.
    pub(crate) fn has_room(&self) -> bool {
        self.held < HELD_MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Instant at which a chunk that has come may be handed on: not before those ahead of it.
    pub(crate) fn due_ns(&self, came_ns: u64, hold_ns: u64) -> u64 {
        came_ns.saturating_add(hold_ns).max(self.last_due_ns)
    }

    /// Holds a chunk until then.
    pub(crate) fn push(&mut self, bytes: &[u8], came_ns: u64, due_ns: u64, is_timed: bool) {
        self.last_due_ns = due_ns.max(self.last_due_ns);
        self.held += bytes.len();
        self.chunks.push_back(Chunk {
            bytes: bytes.to_vec(),
            came_ns,
            due_ns: self.last_due_ns,
            is_timed,
            gone: 0,
            taken: 0,
            through_ns: 0,
        });
    }

    /// Instant at which something may be handed on, if anything is held.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        let first = self.chunks.front()?;
        Some(if first.taken > 0 { first.through_ns } else { first.due_ns })
    }

    /// Bytes that may be handed on now; the line is taken for them.
    pub(crate) fn ready(&mut self, now_ns: u64, rate: &mut Rate) -> Option<&[u8]> {
        let first = self.chunks.front_mut()?;
        if first.due_ns > now_ns {
            return None;
        }
        if !rate.is_limited() {
            return Some(&first.bytes[first.gone..]);
        }
        if first.taken == 0 {
            (first.taken, first.through_ns) = rate.take(now_ns, first.bytes.len() - first.gone);
        }
        (first.through_ns <= now_ns).then(|| &first.bytes[first.gone..first.gone + first.taken])
    }

    /// So many bytes of what was ready were handed on. Of a chunk whose delay is measured and whose
    /// last byte is gone, returns when it came.
    pub(crate) fn handed_on(&mut self, count: usize) -> Option<u64> {
        let first = self.chunks.front_mut()?;
        self.held -= count;
        first.gone += count;
        first.taken = first.taken.saturating_sub(count);
        if first.gone < first.bytes.len() {
            return None;
        }
        let gone = self.chunks.pop_front()?;
        gone.is_timed.then_some(gone.came_ns)
    }

    /// The line is another one now: what was taken of the old one counts no more.
    pub(crate) fn line_changed(&mut self) {
        if let Some(first) = self.chunks.front_mut() {
            first.taken = 0;
        }
    }

    /// Nobody is there any more to hand anything on to.
    pub(crate) fn give_up(&mut self) {
        self.chunks.clear();
        self.held = 0;
        self.end.get_or_insert(End::Finished);
        self.is_over = true;
    }
}

#[cfg(test)]
mod tests {
    use super::{HELD_MOST, Lane};
    use crate::rate::Rate;
    use proptest::prelude::*;

    #[test]
    fn a_lane_that_holds_much_has_no_room_until_some_is_gone() {
        let (mut lane, mut rate) = (Lane::default(), Rate::default());
        lane.push(&vec![0; HELD_MOST], 0, 0, false);
        assert!(!lane.has_room());
        let ready = lane.ready(0, &mut rate).expect("it is due").len();
        lane.handed_on(ready);
        assert!(lane.has_room() && lane.is_empty());
    }

    proptest! {
        #[test]
        fn bytes_leave_in_their_order_and_none_before_it_is_due(
            chunks in prop::collection::vec((1..2000_usize, 0..1000_u64, 0..3000_u64), 1..40),
            bytes_per_s in prop::option::of(1e6..1e10_f64),
            accepts in 1..1500_usize,
        ) {
            let (mut lane, mut rate, mut now_ns) = (Lane::default(), Rate::default(), 1_000_000);
            rate.set(bytes_per_s, now_ns);
            let (mut put, mut due) = (Vec::new(), Vec::new());
            for (number, (size, pause_ns, hold_ns)) in chunks.into_iter().enumerate() {
                now_ns += pause_ns;
                let bytes = vec![u8::try_from(number).expect("there are few"); size];
                let due_ns = lane.due_ns(now_ns, hold_ns);
                lane.push(&bytes, now_ns, due_ns, true);
                put.extend_from_slice(&bytes);
                due.extend(std::iter::repeat_n(now_ns + hold_ns, size));
            }
            let mut got = Vec::new();
            while let Some(next_ns) = lane.next_ns() {
                now_ns = now_ns.max(next_ns);
                let Some(ready) = lane.ready(now_ns, &mut rate) else { continue };
                let count = ready.len().min(accepts);
                got.extend_from_slice(&ready[..count]);
                prop_assert!(due[got.len() - count..got.len()].iter().all(|due_ns| *due_ns <= now_ns));
                lane.handed_on(count);
            }
            prop_assert_eq!(got, put);
            prop_assert_eq!(lane.held, 0);
        }
    }
}
