//! The bell of a worker: rung by another thread while the worker waits for sockets.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
use counter::Clapper;
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
use pair::Clapper;

/// Wakes a worker that waits for sockets. Shared by who rings and who is rung for.
#[derive(Debug, Clone)]
pub(crate) struct Bell {
    clapper: Arc<Clapper>,
}

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { clapper: Arc::new(Clapper::new()?) })
    }

    /// Wakes the worker. It is woken also if it begins to wait only later.
    pub(crate) fn ring(&self) {
        self.clapper.ring();
    }

    /// Ends the ringing.
    pub(crate) fn hush(&self) {
        self.clapper.hush();
    }

    /// Events to wait for.
    pub(crate) fn fd(&self) -> impl AsFd + '_ {
        self.clapper.fd()
    }
}

/// By a counter of the kernel, which Linux has.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod counter {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

    use rustix::event::{EventfdFlags, eventfd};

    #[derive(Debug)]
    pub(super) struct Clapper(OwnedFd);

    impl Clapper {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
        }

        pub(super) fn ring(&self) {
            // The only failure is a counter at its maximum, and then the bell rings already.
            let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
        }

        pub(super) fn hush(&self) {
            let _ = rustix::io::read(&self.0, &mut [0_u8; 8]);
        }

        pub(super) fn fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }
}

/// By a pair of sockets, which every system has.
#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod pair {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::net::UnixStream;

    #[derive(Debug)]
    pub(super) struct Clapper {
        here: UnixStream,
        there: UnixStream,
    }

    impl Clapper {
        pub(super) fn new() -> io::Result<Self> {
            let (here, there) = UnixStream::pair()?;
            here.set_nonblocking(true)?;
            there.set_nonblocking(true)?;
            Ok(Self { here, there })
        }

        pub(super) fn ring(&self) {
            // It fails only where as many rings wait as the socket holds, and then the bell rings already.
            let _ = rustix::io::write(&self.there, &[1]);
        }

        pub(super) fn hush(&self) {
            let mut rings = [0_u8; 64];
            while matches!(rustix::io::read(&self.here, &mut rings), Ok(count) if count == rings.len()) {}
        }

        pub(super) fn fd(&self) -> BorrowedFd<'_> {
            self.here.as_fd()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bell;
    use crate::poll::Poll;
    use std::os::fd::AsFd as _;

    #[test]
    fn a_bell_rings_until_it_is_hushed() {
        let bell = Bell::new().expect("a bell is there");
        let mut poll = Poll::new().expect("a poll is there");
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
