//! TCP connections, from given local addresses if so asked.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, ipproto};

use crate::socket;

/// Begins to connect; whether it worked shows when something is sent.
///
/// `has_delay`: leave Nagle's algorithm on. It does nothing to the first request of a connection,
/// so that switching it off would be a system call for nothing where there is only one.
pub(super) fn dial(to: SocketAddr, from: Option<IpAddr>, has_delay: bool) -> Result<OwnedFd, Errno> {
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket::stream(family, Some(ipproto::TCP))?;
    if !has_delay {
        rustix::net::sockopt::set_tcp_nodelay(&socket, true)?;
    }
    if let Some(from) = from {
        socket::choose_port_late(&socket)?;
        rustix::net::bind(&socket, &SocketAddr::new(from, 0))?;
    }
    match rustix::net::connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(socket),
        Err(errno) => Err(errno),
    }
}
