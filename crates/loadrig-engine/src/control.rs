//! Orders to the other threads: a word that all can read. The bell that wakes each stands in `bell`.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Order to the workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Order {
    /// Go on.
    Run,
    /// Send nothing new, wait for what is under way.
    Stop,
    /// End now: nobody is there any more to tell of it.
    Abort,
}

/// Another level of the load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Turn {
    /// From which instant on, of the monotonic clock.
    pub at_ns: u64,
    /// Users, or arrivals a second, of the whole load.
    pub to: f64,
}

/// Orders to all workers. Orders only get sterner; turns are taken one after the other, all of them
/// by each worker, so that their shards stay parts of one load.
#[derive(Debug, Clone, Default)]
pub(crate) struct Control {
    order: Arc<AtomicU8>,
    turns: Arc<Turns>,
    renewals: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct Turns {
    count: AtomicUsize,
    all: Mutex<Vec<Turn>>,
}

impl Control {
    /// The order now.
    #[inline]
    pub(crate) fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::Run,
            1 => Order::Stop,
            _ => Order::Abort,
        }
    }

    /// Gives an order; a milder one than the present one changes nothing.
    pub(crate) fn give(&self, order: Order) {
        self.order.fetch_max(order as u8, Ordering::AcqRel);
    }

    /// Tells all workers of a turn.
    pub(crate) fn turn(&self, turn: Turn) {
        let mut all = self.turns.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(turn);
        self.turns.count.store(all.len(), Ordering::Release);
    }

    /// Tells all workers to go on over new connections.
    pub(crate) fn renew(&self) {
        self.renewals.fetch_add(1, Ordering::AcqRel);
    }
}

/// How far one worker has followed what all are told.
#[derive(Debug)]
pub(crate) struct Listener {
    control: Control,
    /// Turns that were taken.
    turns: usize,
    renewals: usize,
}

impl Listener {
    pub(crate) fn new(control: Control) -> Self {
        Self { control, turns: 0, renewals: 0 }
    }

    /// The order now.
    #[inline]
    pub(crate) fn order(&self) -> Order {
        self.control.order()
    }

    /// Takes the next turn, if it was told already.
    #[inline]
    pub(crate) fn next_turn(&mut self) -> Option<Turn> {
        let Turns { count, all } = &*self.control.turns;
        if self.turns >= count.load(Ordering::Acquire) {
            return None;
        }
        let turn = *all.lock().unwrap_or_else(PoisonError::into_inner).get(self.turns)?;
        self.turns += 1;
        Some(turn)
    }

    /// Whether connections were to be renewed since the last look.
    #[inline]
    pub(crate) fn is_to_renew(&mut self) -> bool {
        let renewals = self.control.renewals.load(Ordering::Acquire);
        std::mem::replace(&mut self.renewals, renewals) != renewals
    }
}

#[cfg(test)]
mod tests {
    use super::{Control, Listener, Order, Turn};

    #[test]
    fn orders_only_get_sterner() {
        let control = Control::default();
        assert_eq!(control.order(), Order::Run);
        control.give(Order::Abort);
        control.clone().give(Order::Stop);
        assert_eq!(control.order(), Order::Abort);
    }

    #[test]
    fn no_turn_is_missed() {
        let control = Control::default();
        let mut listener = Listener::new(control.clone());
        let told = [Turn { at_ns: 5, to: 10.0 }, Turn { at_ns: 7, to: 0.0 }];
        assert_eq!(listener.next_turn(), None);
        for turn in told {
            control.clone().turn(turn);
        }
        assert_eq!([listener.next_turn(), listener.next_turn()], told.map(Some));
        assert_eq!(listener.next_turn(), None);
    }

    #[test]
    fn a_renewal_is_heard_once() {
        let control = Control::default();
        let mut listener = Listener::new(control.clone());
        assert!(!listener.is_to_renew());
        control.renew();
        control.renew();
        assert!(listener.is_to_renew());
        assert!(!listener.is_to_renew());
    }
}
