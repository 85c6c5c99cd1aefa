//! Waiting as it is everywhere: by mio, which takes kqueue on macOS and the BSDs.
//!
//! kqueue waits to the nanosecond. On Linux mio calls `epoll_wait`, which takes milliseconds: enough for tests,
//! and rounded up, so that nothing is woken too early.

use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, RawFd};
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Events, Token};

use super::{EVENTS_MOST, Interest};

/// Event of a watched descriptor.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// As given when the watching began.
    pub token: u64,
    is_readable: bool,
    is_writable: bool,
    is_ended: bool,
}

impl Event {
    /// The descriptor may be written to.
    #[must_use]
    pub fn is_writable(self) -> bool {
        self.is_writable
    }

    /// There is something to read: bytes, the end, or an error.
    #[must_use]
    pub fn is_readable(self) -> bool {
        self.is_readable
    }

    /// The other side will send nothing more.
    #[must_use]
    pub fn is_ended(self) -> bool {
        self.is_ended
    }
}

/// What waits for the sockets of one thread. They are watched edge-triggered, as mio watches all.
#[derive(Debug)]
pub struct Poll {
    waiter: mio::Poll,
    events: Events,
    /// What is to be told of as long as it is readable.
    levels: Vec<Level>,
}

/// Descriptor that is told of as long as it is readable: mio knows edges alone.
#[derive(Debug)]
struct Level {
    fd: RawFd,
    token: u64,
    /// It may be readable still: it is watched anew before the next waiting, which tells of it again if so.
    was_told: bool,
}

impl Poll {
    /// An instance that watches nothing yet.
    pub fn new() -> io::Result<Self> {
        Ok(Self { waiter: mio::Poll::new()?, events: Events::with_capacity(EVENTS_MOST), levels: Vec::new() })
    }

    /// Every way in which this system waits.
    #[cfg(test)]
    pub(crate) fn every_way() -> Vec<Self> {
        vec![Self::new().expect("a poll is there")]
    }

    /// Begins to watch a socket; ends when the socket is closed.
    pub fn watch(&self, socket: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        let fd = socket.as_fd().as_raw_fd();
        self.waiter.registry().register(&mut SourceFd(&fd), named(token), edges(interest))
    }

    /// Changes what is told of a socket; what is the case already is told once more.
    pub fn watch_again(&self, socket: impl AsFd, token: u64, interest: Interest) -> io::Result<()> {
        self.anew(socket.as_fd().as_raw_fd(), token, interest)
    }

    fn anew(&self, fd: RawFd, token: u64, interest: Interest) -> io::Result<()> {
        self.waiter.registry().reregister(&mut SourceFd(&fd), named(token), edges(interest))
    }

    /// Watches something that is told of as long as it is readable.
    pub fn watch_level(&mut self, what: BorrowedFd<'_>, token: u64) -> io::Result<()> {
        self.watch(what, token, Interest::Reading)?;
        self.levels.push(Level { fd: what.as_raw_fd(), token, was_told: false });
        Ok(())
    }

    /// Waits until something happens, or `at_most_ns` have passed. What happened is appended.
    pub fn wait(&mut self, at_most_ns: u64, events: &mut Vec<Event>) -> io::Result<()> {
        for index in 0..self.levels.len() {
            let Level { fd, token, was_told } = self.levels[index];
            if was_told {
                // One that was closed since is watched no more, by the kernel either.
                let _ = self.anew(fd, token, Interest::Reading);
                self.levels[index].was_told = false;
            }
        }
        match self.waiter.poll(&mut self.events, Some(Duration::from_nanos(at_most_ns))) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            other => other?,
        }
        for event in &self.events {
            let token = event.token().0 as u64;
            if let Some(level) = self.levels.iter_mut().find(|level| level.token == token) {
                level.was_told = true;
            }
            // That nothing can be written any more is no word on what the other side may still send.
            let is_ended = event.is_read_closed() || event.is_error();
            events.push(Event {
                token,
                is_readable: event.is_readable() || is_ended,
                is_writable: event.is_writable() || event.is_write_closed() || event.is_error(),
                is_ended,
            });
        }
        Ok(())
    }
}

fn named(token: u64) -> Token {
    // The systems that it runs on have 64 bits.
    Token(usize::try_from(token).expect("a token fits into a word of the system"))
}

fn edges(interest: Interest) -> mio::Interest {
    match interest {
        Interest::Reading => mio::Interest::READABLE,
        Interest::Both => mio::Interest::READABLE | mio::Interest::WRITABLE,
    }
}
