//! Addresses that are dialled: the server's addresses in turn, from the local addresses in turn.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::PathBuf;

use rustix::io::Errno;

use super::tls::{self, Trusts};
use super::{Fault, Transport, tcp, unix};
use crate::config::{EngineConfig, Protocol, Refusal, Server};
use crate::testimony::ClosedPorts;

/// Makes connections to one server of a config. One for each server and thread.
#[derive(Debug)]
pub(crate) struct Dialler {
    unix: Option<PathBuf>,
    addresses: Vec<SocketAddr>,
    sources: Vec<IpAddr>,
    trust: Option<Trusts>,
    /// A connection carries one request and no more.
    is_for_one: bool,
    dialled: usize,
    closed: ClosedPorts,
}

/// Result of dialling.
#[derive(Debug)]
pub(crate) enum Dialled {
    /// A connection, made or being made.
    Begun(Transport),
    /// The server's backlog is full: try again soon.
    Busy,
}

/// Checks that the local addresses of a config are this machine's.
///
/// Refuses, with code `engine.source-address`, the first that is not.
pub(crate) fn check_sources(config: &EngineConfig) -> Result<(), Refusal> {
    for (n, address) in config.source_addresses.iter().enumerate() {
        if let Err(error) = UdpSocket::bind((*address, 0)) {
            return Err(Refusal::new(
                "engine.source-address",
                format!("connections cannot come from {address}: {error}"),
                format!("source_addresses[{n}]"),
                "give an address that this machine has (`ip address` shows them)",
            )
            .worded("no_own_address", [("address", address.to_string()), ("reason", error.to_string())]));
        }
    }
    Ok(())
}

impl Dialler {
    /// `first`: where in the lists of addresses to begin, so that threads do not all begin alike.
    pub(crate) fn new(config: &EngineConfig, server: &Server, trust: Option<Trusts>, first: usize) -> Self {
        Self {
            unix: server.unix.clone(),
            addresses: server.addresses.clone(),
            sources: config.source_addresses.clone(),
            trust,
            is_for_one: !config.connections.keep_alive && config.connections.protocol == Protocol::Http1,
            dialled: first,
            closed: ClosedPorts::default(),
        }
    }

    /// A connection was closed by us before the server closed it.
    pub(crate) fn closed(&mut self, now_ns: u64) {
        if self.unix.is_none() {
            self.closed.closed(now_ns);
        }
    }

    /// Local ports that are in use. `open`: connections that are open.
    pub(crate) fn ports(&mut self, open: u64, now_ns: u64) -> u64 {
        if self.unix.is_none() { open + self.closed.held(now_ns) } else { 0 }
    }

    /// Begins a connection on which this is to be spoken.
    pub(crate) fn dial(&mut self, protocol: Protocol) -> Result<Dialled, Fault> {
        let turn = self.dialled;
        self.dialled = turn.wrapping_add(1);
        let socket = if let Some(path) = &self.unix {
            unix::dial(path)
        } else {
            let to = self.addresses[turn % self.addresses.len()];
            tcp::dial(to, self.source(turn, to), self.is_for_one && self.trust.is_none())
        };
        let socket = match socket {
            Ok(socket) => socket,
            Err(Errno::AGAIN) if self.unix.is_some() => return Ok(Dialled::Busy),
            Err(errno) => return Err(Fault::Errno(errno)),
        };
        match &self.trust {
            None => Ok(Dialled::Begun(Transport::Plain(socket))),
            Some(trusts) => {
                let stream = tls::Stream::new(socket, trusts.of(protocol))?;
                Ok(Dialled::Begun(Transport::Tls(Box::new(stream))))
            }
        }
    }

    /// The local address whose turn it is, of the same family as the server's.
    fn source(&self, turn: usize, to: SocketAddr) -> Option<IpAddr> {
        let fits = |source: &&IpAddr| source.is_ipv4() == to.is_ipv4();
        let count = self.sources.iter().filter(fits).count();
        // Each address of the server in turn with the same local address, then the next local
        // one: else two servers and two local addresses would always meet in the same pairs.
        let place = (turn / self.addresses.len()).checked_rem(count)?;
        self.sources.iter().filter(fits).nth(place).copied()
    }
}
