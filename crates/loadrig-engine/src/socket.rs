//! Sockets as each system makes them: without blocking, closed in programs that are started, silent when broken.

#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{AddressFamily, Protocol, SendFlags, SocketFlags, SocketType};

/// Asks that a connection that is gone be an error and no signal. macOS is asked when the socket is made.
#[cfg(not(target_vendor = "apple"))]
pub const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;
/// Nothing is asked here: the socket was asked when it was made.
#[cfg(target_vendor = "apple")]
pub const NO_SIGNAL: SendFlags = SendFlags::empty();

/// What a socket says to who sends before its connection is made: Linux "again", the BSDs "not connected".
#[must_use]
pub fn is_not_yet(errno: Errno) -> bool {
    errno == Errno::AGAIN || (cfg!(not(target_os = "linux")) && errno == Errno::NOTCONN)
}

/// Makes a socket for a stream of bytes.
#[cfg(not(target_vendor = "apple"))]
pub fn stream(family: AddressFamily, protocol: Option<Protocol>) -> Result<OwnedFd, Errno> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    rustix::net::socket_with(family, SocketType::STREAM, flags, protocol)
}

/// Makes a socket for a stream of bytes. Here that takes a call for each thing that is asked for.
#[cfg(target_vendor = "apple")]
pub fn stream(family: AddressFamily, protocol: Option<Protocol>) -> Result<OwnedFd, Errno> {
    let socket = rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::empty(), protocol)?;
    prepared(socket)
}

#[cfg(target_vendor = "apple")]
fn prepared(socket: OwnedFd) -> Result<OwnedFd, Errno> {
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&socket, true)?;
    rustix::net::sockopt::set_socket_nosigpipe(&socket, true)?;
    Ok(socket)
}

/// Accepts a connection as [`stream`] makes one.
#[cfg(not(target_vendor = "apple"))]
pub fn accept(listener: impl AsFd) -> Result<OwnedFd, Errno> {
    rustix::net::accept_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC)
}

/// Accepts a connection as [`stream`] makes one.
#[cfg(target_vendor = "apple")]
pub fn accept(listener: impl AsFd) -> Result<OwnedFd, Errno> {
    prepared(rustix::net::accept(listener)?)
}

/// Lets the kernel choose the local port when connecting instead of when binding. At bind it must
/// assume the worst and give every port to one connection only; at connect it may give the same
/// one to connections to different servers.
#[cfg(target_os = "linux")]
pub fn choose_port_late(socket: &OwnedFd) -> Result<(), Errno> {
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

/// Elsewhere there is no such wish, and each local port serves one connection.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "the same as on Linux")]
pub fn choose_port_late(_: &OwnedFd) -> Result<(), Errno> {
    Ok(())
}
