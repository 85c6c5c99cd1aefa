//! Transport of bytes to the server and back: non-blocking, over TCP, a Unix socket, or TLS on either.

mod dial;
mod fault;
mod tcp;
mod tls;
mod unix;
mod wire;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;

use crate::socket;

pub(crate) use dial::{Dialled, Dialler, check_sources};
pub(crate) use fault::{Fault, Phase};
pub(crate) use tls::Trusts;
pub(crate) use wire::Wire;

/// A connection to the server, made or being made. Closed when dropped.
#[derive(Debug)]
pub(crate) enum Transport {
    /// TCP or a Unix socket.
    Plain(OwnedFd),
    /// TLS.
    Tls(Box<tls::Stream>),
}

/// Result of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Received {
    /// So many bytes, at least one. `is_all`: nothing more was there.
    Bytes {
        /// Number of bytes.
        count: usize,
        /// Whether nothing more was there to read at that moment.
        is_all: bool,
    },
    /// Nothing is there now.
    Nothing,
    /// The server has closed its side.
    End,
}

impl Transport {
    /// Writes as much as the socket takes now, possibly nothing.
    ///
    /// On TCP this also tells whether the connection is made: until then nothing is taken, and if
    /// it cannot be made the reason is the error.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        match self {
            Self::Plain(fd) => match rustix::net::send(fd, bytes, socket::NO_SIGNAL) {
                Ok(sent) => Ok(sent),
                Err(errno) if errno == Errno::INTR || socket::is_not_yet(errno) => Ok(0),
                Err(errno) => Err(Fault::Errno(errno)),
            },
            Self::Tls(stream) => stream.send(bytes),
        }
    }

    /// Reads what is there, as much as there is room for.
    pub(crate) fn receive(&mut self, room: &mut [u8]) -> Result<Received, Fault> {
        match self {
            Self::Plain(fd) => match rustix::io::read(fd, &mut *room) {
                Ok(0) => Ok(Received::End),
                Ok(count) => Ok(Received::Bytes { count, is_all: count < room.len() }),
                Err(Errno::AGAIN | Errno::INTR) => Ok(Received::Nothing),
                Err(errno) => Err(Fault::Errno(errno)),
            },
            Self::Tls(stream) => stream.receive(room),
        }
    }

    /// Goes on with the TLS handshake; true when there is nothing to wait for, as always on plain
    /// sockets, which say with the first [`Transport::send`] whether they are connected.
    pub(crate) fn shake(&mut self) -> Result<bool, Fault> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Tls(stream) => stream.shake(),
        }
    }

    /// Writes what an earlier [`Transport::send`] took but could not pass on; true when all is.
    pub(crate) fn flush(&mut self) -> Result<bool, Fault> {
        match self {
            Self::Plain(_) => Ok(true),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

impl AsFd for Transport {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Plain(fd) => fd.as_fd(),
            Self::Tls(stream) => stream.as_fd(),
        }
    }
}
