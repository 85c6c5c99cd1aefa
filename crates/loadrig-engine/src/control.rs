//! How the other threads are told what to do: a word that all can read, and a bell for each.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// What the workers are to do.
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

/// The order that all workers share. Orders only get sterner.
#[derive(Debug, Clone, Default)]
pub(crate) struct Control {
    order: Arc<AtomicU8>,
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
}

/// Wakes a worker that waits for sockets. Shared by who rings and who is rung for.
#[derive(Debug, Clone)]
pub(crate) struct Bell {
    event: Arc<OwnedFd>,
}

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Self { event: Arc::new(eventfd(0, flags)?) })
    }

    /// Wakes the worker. It is woken also if it begins to wait only later.
    pub(crate) fn ring(&self) {
        // The only failure is a counter at its maximum, and then the bell rings already.
        let _ = rustix::io::write(self.event.as_fd(), &1_u64.to_ne_bytes());
    }

    /// Ends the ringing.
    pub(crate) fn hush(&self) {
        let _ = rustix::io::read(self.event.as_fd(), &mut [0_u8; 8]);
    }

    /// What to wait for.
    pub(crate) fn fd(&self) -> impl AsFd + '_ {
        self.event.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::{Bell, Control, Order};
    use crate::poll::Poll;
    use std::os::fd::AsFd as _;

    #[test]
    fn orders_only_get_sterner() {
        let control = Control::default();
        assert_eq!(control.order(), Order::Run);
        control.give(Order::Abort);
        control.clone().give(Order::Stop);
        assert_eq!(control.order(), Order::Abort);
    }

    #[test]
    fn a_bell_rings_until_it_is_hushed() {
        let bell = Bell::new().expect("eventfd is there");
        let mut poll = Poll::new().expect("epoll is there");
        poll.watch_level(bell.fd().as_fd(), 5).expect("it can be watched");
        let heard = |poll: &mut Poll| {
            let mut events = Vec::new();
            poll.wait(0, &mut events).expect("waiting works");
            events.len()
        };
        assert_eq!(heard(&mut poll), 0);
        bell.ring();
        bell.ring();
        assert_eq!((heard(&mut poll), heard(&mut poll)), (1, 1));
        bell.hush();
        assert_eq!(heard(&mut poll), 0);
    }
}
