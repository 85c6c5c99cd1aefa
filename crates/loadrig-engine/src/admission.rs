//! Assignment of connections: idle ones are used again, the latest first; new ones are opened up
//! to a cap; beyond it requests queue, first come, first served.

use std::collections::VecDeque;

use crate::slab::NONE;

/// The answer to who needs a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// This connection, which was idle.
    Idle(u32),
    /// A new one may be opened; it counts already.
    Open,
    /// None is free, and as many are open as may be.
    Full,
}

/// The connections of one thread, by number, and who waits for one.
///
/// The latest idle connection comes first: then no more stay in use than the load needs, and the
/// others show by their idleness that they are not needed.
#[derive(Debug)]
pub(crate) struct Admission {
    most: usize,
    open: usize,
    idle: Stack,
    queue: VecDeque<Waiting>,
    queued: usize,
}

/// A place in the queue. It is stale if its owner has left the queue since, which shows by the
/// ticket: the owner's latest one is another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Number of who waits.
    pub id: u32,
    /// Number of this wait among its owner's.
    pub ticket: u64,
    /// Since when.
    pub since_ns: u64,
}

impl Admission {
    /// `most`: connections at most.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: 0, idle: Stack::default(), queue: VecDeque::new(), queued: 0 }
    }

    /// Asks for a connection.
    pub(crate) fn admit(&mut self) -> Admitted {
        if let Some(connection) = self.idle.pop() {
            return Admitted::Idle(connection);
        }
        if self.open < self.most {
            self.open += 1;
            return Admitted::Open;
        }
        Admitted::Full
    }

    /// Whether [`Admission::admit`] would give one.
    pub(crate) fn has_room(&self) -> bool {
        !self.idle.is_empty() || self.open < self.most
    }

    /// A connection is free again, or has room for another request. One that was so already stays
    /// where it is in the order.
    pub(crate) fn release(&mut self, connection: u32) {
        self.idle.push(connection);
    }

    /// A connection is closed, or was never made. It may have been idle.
    pub(crate) fn closed(&mut self, connection: Option<u32>) {
        self.open -= 1;
        if let Some(connection) = connection {
            self.idle.remove(connection);
        }
    }

    /// Puts someone at the end of the queue.
    pub(crate) fn wait(&mut self, waiting: Waiting) {
        self.queue.push_back(waiting);
        self.queued += 1;
    }

    /// Someone has left the queue; the place is still in it, stale. `is_stale` tells such places.
    pub(crate) fn left(&mut self, is_stale: impl Fn(Waiting) -> bool) {
        self.queued -= 1;
        // Time-outs come in the order of the queue, so that this keeps it as short as it seems.
        while self.queue.front().is_some_and(|waiting| is_stale(*waiting)) {
            self.queue.pop_front();
        }
    }

    /// Since when whoever is first in the queue has waited.
    pub(crate) fn first_since(&mut self, is_stale: impl Fn(Waiting) -> bool) -> Option<u64> {
        while self.queue.front().is_some_and(|waiting| is_stale(*waiting)) {
            self.queue.pop_front();
        }
        Some(self.queue.front()?.since_ns)
    }

    /// Takes whoever is first in the queue.
    pub(crate) fn first(&mut self, is_stale: impl Fn(Waiting) -> bool) -> Option<u32> {
        while let Some(waiting) = self.queue.pop_front() {
            if !is_stale(waiting) {
                self.queued -= 1;
                return Some(waiting.id);
            }
        }
        None
    }

    /// Number of those who wait.
    pub(crate) fn queued(&self) -> usize {
        self.queued
    }

    /// Number of connections that are open or being opened.
    pub(crate) fn open(&self) -> usize {
        self.open
    }
}

/// A stack of numbers from which any can be taken out: each knows its neighbours.
#[derive(Debug, Default)]
struct Stack {
    links: Vec<Link>,
    top: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    above: u32,
    below: u32,
    is_in: bool,
}

impl Stack {
    fn is_empty(&self) -> bool {
        self.top.is_none()
    }

    fn push(&mut self, id: u32) {
        let place = id as usize;
        if place >= self.links.len() {
            self.links.resize(place + 1, Link { above: NONE, below: NONE, is_in: false });
        }
        if self.links[place].is_in {
            return;
        }
        let below = self.top.unwrap_or(NONE);
        self.links[place] = Link { above: NONE, below, is_in: true };
        if below != NONE {
            self.links[below as usize].above = id;
        }
        self.top = Some(id);
    }

    fn pop(&mut self) -> Option<u32> {
        let top = self.top?;
        self.remove(top);
        Some(top)
    }

    fn remove(&mut self, id: u32) {
        let Some(link) = self.links.get_mut(id as usize).filter(|link| link.is_in) else {
            return;
        };
        link.is_in = false;
        let Link { above, below, .. } = *link;
        if below != NONE {
            self.links[below as usize].above = above;
        }
        if above == NONE {
            self.top = (below != NONE).then_some(below);
        } else {
            self.links[above as usize].below = below;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Admission, Admitted, Stack, Waiting};
    use proptest::prelude::*;

    #[test]
    fn the_latest_idle_connection_is_used_first() {
        let mut admission = Admission::new(2);
        assert_eq!((admission.admit(), admission.admit()), (Admitted::Open, Admitted::Open));
        assert_eq!(admission.admit(), Admitted::Full);
        admission.release(0);
        admission.release(1);
        assert_eq!(admission.admit(), Admitted::Idle(1));
        assert_eq!(admission.admit(), Admitted::Idle(0));
    }

    #[test]
    fn a_connection_that_is_closed_while_idle_is_not_given_out() {
        let mut admission = Admission::new(1);
        assert_eq!(admission.admit(), Admitted::Open);
        admission.release(5);
        admission.closed(Some(5));
        assert_eq!(admission.open(), 0);
        assert_eq!(admission.admit(), Admitted::Open);
    }

    #[test]
    fn the_queue_keeps_its_order_and_forgets_who_has_left() {
        let mut admission = Admission::new(0);
        for id in 0..4 {
            admission.wait(Waiting { id, ticket: 1, since_ns: u64::from(id) });
        }
        let gone = |waiting: Waiting| waiting.id == 0 || waiting.id == 2;
        admission.left(gone);
        admission.left(gone);
        assert_eq!(admission.queued(), 2);
        assert_eq!(admission.first(gone), Some(1));
        assert_eq!(admission.first(gone), Some(3));
        assert_eq!(admission.first(gone), None);
        assert_eq!(admission.queued(), 0);
    }

    proptest! {
        #[test]
        fn the_stack_gives_back_what_was_not_taken_out(acts in prop::collection::vec((0..3_u8, 0..8_u32), 0..100)) {
            let mut stack = Stack::default();
            let mut model: Vec<u32> = Vec::new();
            for (act, id) in acts {
                match act {
                    0 => {
                        stack.push(id);
                        if !model.contains(&id) {
                            model.push(id);
                        }
                    }
                    1 => prop_assert_eq!(stack.pop(), model.pop()),
                    _ => {
                        stack.remove(id);
                        model.retain(|other| *other != id);
                    }
                }
                prop_assert_eq!(stack.is_empty(), model.is_empty());
            }
            while let Some(id) = model.pop() {
                prop_assert_eq!(stack.pop(), Some(id));
            }
        }
    }
}
