//! Connections over a Unix socket.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix};

use crate::socket;

/// Connects. There is nothing to wait for: it works at once or not at all. `EAGAIN` means that
/// the server's backlog is full, and that trying again soon is right.
pub(super) fn dial(to: &Path) -> Result<OwnedFd, Errno> {
    let socket = socket::stream(AddressFamily::UNIX, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(to)?)?;
    Ok(socket)
}
