//! The socket on which the kernel is asked for sockets.

use crate::namespace::Namespace;
use crate::wire::{Message, messages};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::netlink::SOCK_DIAG;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};
use std::io;
use std::time::Duration;

/// The kernel fills datagrams of up to 32 KiB for whoever reads into that much.
const ROOM_BYTES: usize = 1 << 16;

/// The kernel answers at once or not at all; nobody waits longer for it.
const LONGEST: Duration = Duration::from_secs(2);

/// An open socket to the kernel's `sock_diag`, in the network namespace in which it was opened.
pub(crate) struct Netlink {
    socket: OwnedFd,
    sequence: u32,
    room: Vec<u8>,
}

impl Netlink {
    pub(crate) fn open(namespace: &Namespace) -> io::Result<Self> {
        let socket = namespace.within(|| {
            let socket =
                socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, Some(SOCK_DIAG))?;
            set_socket_timeout(&socket, Timeout::Recv, Some(LONGEST))?;
            Ok(socket)
        })?;
        Ok(Self { socket, sequence: 0, room: vec![0; ROOM_BYTES] })
    }

    /// The number for the next request, by which answers that nobody waits for any more are told apart.
    pub(crate) fn next(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// Sends the request that bears the last number, and hands over what each message of the answer
    /// carries.
    pub(crate) fn dump(&mut self, request: &[u8], mut each: impl FnMut(&[u8])) -> io::Result<()> {
        send(&self.socket, request, SendFlags::empty())?;
        loop {
            let length = match recv(&self.socket, &mut self.room[..], RecvFlags::empty()) {
                Ok((length, _)) => length,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let datagram = self.room.get(..length).unwrap_or_default();
            for message in messages(datagram, self.sequence) {
                match message {
                    Message::Payload(payload) => each(payload),
                    Message::Done(0) => return Ok(()),
                    Message::Done(number) => return Err(io::Error::from_raw_os_error(number)),
                }
            }
        }
    }
}
