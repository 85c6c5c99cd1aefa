//! TCP connections, from given local addresses if so asked.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto};

/// Begins to connect; whether it worked shows when something is sent.
///
/// `has_delay`: leave Nagle's algorithm on. It does nothing to the first request of a connection,
/// so that switching it off would be a system call for nothing where there is only one.
pub(super) fn dial(to: SocketAddr, from: Option<IpAddr>, has_delay: bool) -> Result<OwnedFd, Errno> {
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    if !has_delay {
        rustix::net::sockopt::set_tcp_nodelay(&socket, true)?;
    }
    if let Some(from) = from {
        choose_port_late(&socket)?;
        rustix::net::bind(&socket, &SocketAddr::new(from, 0))?;
    }
    match rustix::net::connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(socket),
        Err(errno) => Err(errno),
    }
}

/// Lets the kernel choose the local port when connecting instead of when binding. At bind it must
/// assume the worst and give every port to one connection only; at connect it may give the same
/// one to connections to different servers.
fn choose_port_late(socket: &OwnedFd) -> Result<(), Errno> {
    let on: libc::c_int = 1;
    let size = libc::socklen_t::try_from(size_of_val(&on)).unwrap_or(4);
    // SAFETY: the pointer is to a live int and the size is that int's; the kernel only reads it.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const on).cast(),
            size,
        )
    };
    if result == 0 {
        return Ok(());
    }
    let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
    Err(Errno::from_raw_os_error(errno))
}
