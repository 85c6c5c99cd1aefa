//! Sides of connections on which sockets are.
//!
//! A connection whose local port is listened on is the server's end, any other one is outgoing. On one
//! machine a connection has a socket in each role.

use crate::wire::{End, Socket};
use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

/// State LISTEN.
pub const LISTEN: u8 = 10;

/// A port of a client can be in use for a few destinations at once. One that is in use for more is that
/// of a server which has stopped, whose connections in `TIME_WAIT` stay for a minute with no listener.
const FEW: u32 = 8;

/// Role of a socket in its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The server's end of connections to a port. They use up no port.
    In(u16),
    /// The near end of outgoing connections to a destination: each has a local port of its own.
    Out(End),
    /// The server's ends of connections to ports that are not told apart.
    InOthers,
    /// Outgoing connections to destinations that are not told apart.
    OutOthers,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(port) => write!(f, "in:{port}"),
            Self::Out(end) => write!(f, "out:{end}"),
            Self::InOthers => f.write_str("in:others"),
            Self::OutOthers => f.write_str("out:others"),
        }
    }
}

/// A text is not the name of a port's or a destination's role.
#[derive(Debug)]
pub struct NoRole;

impl FromStr for Role {
    type Err = NoRole;

    /// Reads "in:PORT" and "out:ADDRESS:PORT" as they are displayed.
    fn from_str(name: &str) -> Result<Self, NoRole> {
        if let Some(port) = name.strip_prefix("in:") {
            return port.parse().map(Self::In).map_err(|_| NoRole);
        }
        let end = name.strip_prefix("out:").and_then(|end| end.parse::<SocketAddr>().ok()).ok_or(NoRole)?;
        Ok(Self::Out(End { address: end.ip().to_canonical(), port: end.port() }))
    }
}

impl Role {
    /// The role of the other end of a socket's connection, if that end is on this machine too.
    #[must_use]
    pub fn of_other_end(self, socket: &Socket) -> Option<Self> {
        is_here(socket).then_some(match self {
            Self::In(_) | Self::InOthers => Self::Out(socket.local),
            Self::Out(_) | Self::OutOthers => Self::In(socket.remote.port),
        })
    }
}

/// A set of ports.
#[derive(Clone)]
struct Ports(Box<[u64; 1024]>);

impl Ports {
    fn new() -> Self {
        Self(Box::new([0; 1024]))
    }

    fn add(&mut self, port: u16) {
        self.0[usize::from(port >> 6)] |= 1 << (port & 63);
    }

    fn has(&self, port: u16) -> bool {
        self.0[usize::from(port >> 6)] >> (port & 63) & 1 == 1
    }
}

/// Tells the roles of all sockets of a look.
pub struct Roles {
    /// Ports that were served when last seen in use, though nobody may listen on them now.
    served: Ports,
}

impl Default for Roles {
    fn default() -> Self {
        Self { served: Ports::new() }
    }
}

impl Roles {
    /// The role of each socket, in their order; None for a listener.
    pub fn tell(&mut self, sockets: &[Socket]) -> Vec<Option<Role>> {
        let mut served = Ports::new();
        for listener in sockets.iter().filter(|one| one.state == LISTEN) {
            served.add(listener.local.port);
        }
        // A server that stopped while we watched: its port is its own as long as its connections last.
        for one in sockets.iter().filter(|one| self.served.has(one.local.port)) {
            served.add(one.local.port);
        }
        let role = |one: &Socket| match one.state {
            LISTEN => None,
            _ if served.has(one.local.port) => Some(Role::In(one.local.port)),
            _ => Some(Role::Out(one.remote)),
        };
        let mut roles: Vec<_> = sockets.iter().map(role).collect();
        let listened = served.clone();
        for (one, role) in ends_of_stopped(sockets, &mut roles, &listened) {
            *role = Some(Role::In(one.local.port));
            served.add(one.local.port);
        }
        self.served = served;
        roles
    }
}

/// Outgoing connections that are the ends of a server that stopped before the first look:
/// their local port occurs often, and more often than the other end's.
fn ends_of_stopped<'a>(
    sockets: &'a [Socket],
    roles: &'a mut [Option<Role>],
    served: &Ports,
) -> Vec<(&'a Socket, &'a mut Option<Role>)> {
    let outgoing: Vec<_> =
        sockets.iter().zip(roles).filter(|(_, role)| matches!(role, Some(Role::Out(_)))).collect();
    let (mut local, mut far) = (vec![0_u32; 1 << 16], vec![0_u32; 1 << 16]);
    for (one, _) in &outgoing {
        local[usize::from(one.local.port)] += 1;
        far[usize::from(one.remote.port)] += 1;
    }
    let is_near = |one: &Socket| {
        let (here, there) = (local[usize::from(one.local.port)], far[usize::from(one.remote.port)]);
        // Whoever is connected to a server of this machine is its client, however busy its port.
        here > there.max(FEW) && !(served.has(one.remote.port) && is_here(one))
    };
    outgoing.into_iter().filter(|(one, _)| is_near(one)).collect()
}

/// Whether the other end is on this machine as well. Its addresses are not read; these two cases are
/// those of servers and their databases on one machine.
fn is_here(socket: &Socket) -> bool {
    socket.remote.address.is_loopback() || socket.remote.address == socket.local.address
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    const TIME_WAIT: u8 = 6;

    fn socket(local: u16, remote: u16, host: u8, state: u8) -> Socket {
        Socket {
            local: End { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port: local },
            remote: End { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port: remote },
            state,
            cookie: 0,
            receive_queue: 0,
            send_queue: 0,
            inode: 0,
            uid: 0,
            info: None,
        }
    }

    fn told(roles: &mut Roles, sockets: &[Socket]) -> Vec<String> {
        let mut names: Vec<_> = roles.tell(sockets).iter().flatten().map(Role::to_string).collect();
        names.sort();
        names.dedup();
        names
    }

    #[test]
    fn the_ends_of_a_server_that_stopped_before_are_not_many_destinations() {
        let mut all: Vec<_> = (0..20).map(|n| socket(8000, 40000 + n, 1, TIME_WAIT)).collect();
        all.push(socket(50000, 443, 2, TIME_WAIT));
        assert_eq!(told(&mut Roles::default(), &all), ["in:8000", "out:10.0.0.2:443"]);
    }

    #[test]
    fn a_client_whose_port_is_in_use_for_other_destinations_too_is_a_client() {
        let busy = (0..20).map(|n| socket(50000, 9000 + n, 1, TIME_WAIT));
        let mut of_server = socket(50000, 8000, 0, TIME_WAIT);
        of_server.remote.address = of_server.local.address;
        let all: Vec<_> = busy.chain([of_server, socket(8000, 0, 0, LISTEN)]).collect();
        assert_eq!(Roles::default().tell(&all)[20], Some(Role::Out(of_server.remote)));
    }

    #[test]
    fn a_role_is_read_back_from_its_name_and_nothing_else_is() {
        for name in ["in:8000", "out:10.0.0.2:443", "out:[::1]:6379"] {
            assert_eq!(name.parse::<Role>().map(|role| role.to_string()).ok().as_deref(), Some(name));
        }
        for name in ["in:others", "out:others", "in:/run/app.sock", "out:db.example:5432", "8000", ""] {
            assert!(name.parse::<Role>().is_err(), "{name}");
        }
    }

    #[test]
    fn many_connections_to_one_destination_are_outgoing() {
        let all: Vec<_> =
            (0..20).map(|n| socket(40000 + n, 443, u8::try_from(n).unwrap_or(0), TIME_WAIT)).collect();
        assert!(told(&mut Roles::default(), &all).iter().all(|name| name.starts_with("out:")));
    }

    #[test]
    fn the_ends_of_a_server_that_stops_stay_its_own_until_they_are_gone() {
        let mut roles = Roles::default();
        let ends: Vec<_> = (0..3).map(|n| socket(8000, 40000 + n, 1, TIME_WAIT)).collect();
        let listener = socket(8000, 0, 0, LISTEN);
        assert_eq!(told(&mut roles, &[&ends[..], &[listener]].concat()), ["in:8000"]);
        assert_eq!(told(&mut roles, &ends), ["in:8000"]);
        assert_eq!(told(&mut roles, &ends[..1]), ["in:8000"]);
        assert!(told(&mut roles, &[]).is_empty());
        // Now somebody else has been given the port.
        assert_eq!(told(&mut roles, &[socket(8000, 443, 1, 1)]), ["out:10.0.0.1:443"]);
    }
}
