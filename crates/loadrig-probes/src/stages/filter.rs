//! A filter that spares the kernel sockets of which nothing is wanted: the clients' ends of a loaded port.
//!
//! Where the load comes from this machine, half of all sockets are its own. The kernel then walks over them
//! and does not read them. The bytecode is that of `inet_diag_bc_run` in `net/ipv4/inet_diag.c`.

/// Operations: 4 bytes each, of a code, where to go on if it is true, and (16 bits) where if not. A
/// comparison is followed by one that holds its port in those 16 bits.
const JUMP: u8 = 1;
const REMOTE_AT_LEAST: u8 = 4;
const REMOTE_AT_MOST: u8 = 5;

/// Bytes for each port: two comparisons with their ports, and a jump between them.
const BLOCK: u16 = 20;

/// The bytecode that lets sockets pass whose remote port is none of these. Ports 0 and 65535 cannot be
/// filtered, and are left out.
#[must_use]
pub fn without_remote_ports(ports: &[u16]) -> Vec<u8> {
    let ports: Vec<u16> = ports.iter().copied().filter(|port| (1..u16::MAX).contains(port)).collect();
    let mut code = Vec::new();
    let mut operation = |code_number: u8, yes: u8, no: u16| {
        code.extend([code_number, yes]);
        code.extend(no.to_ne_bytes());
    };
    for (n, port) in ports.iter().enumerate() {
        // All that is left, from the second comparison on; the kernel takes 4 more for "let it not pass".
        let blocks = u16::try_from(ports.len() - n).unwrap_or(u16::MAX);
        let left = blocks.saturating_mul(BLOCK) - 12;
        operation(REMOTE_AT_LEAST, 8, 12);
        operation(0, 0, port + 1);
        operation(JUMP, 4, BLOCK - 8);
        operation(REMOTE_AT_MOST, 8, left + 4);
        operation(0, 0, port - 1);
    }
    code
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // in a test it says where it went wrong
mod tests {
    use super::*;
    use crate::namespace::Namespace;
    use crate::netlink::Netlink;
    use crate::stages::stage::STATES;
    use crate::wire;
    use std::collections::BTreeSet;
    use std::net::{TcpListener, TcpStream};

    /// Sockets at these ports that the real kernel lets pass: (local, remote), with 0 for other ports.
    fn passed(filtered: &[u16], ports: &[u16]) -> BTreeSet<(u16, u16)> {
        let mut netlink = Netlink::open(&Namespace::default()).unwrap();
        let request = wire::request_filtered(netlink.next(), STATES, false, &without_remote_ports(filtered));
        let mut sockets = Vec::new();
        netlink.dump(&request, |payload| sockets.extend(wire::socket(payload))).unwrap();
        let known = |port| if ports.contains(&port) { port } else { 0 };
        let ends = sockets.iter().map(|socket| (known(socket.local.port), known(socket.remote.port)));
        ends.filter(|ends| *ends != (0, 0)).collect()
    }

    #[test]
    fn the_kernel_leaves_out_the_clients_of_these_ports_and_nothing_else() {
        let servers: Vec<_> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let ports: Vec<u16> = servers.iter().map(|server| server.local_addr().unwrap().port()).collect();
        let clients: Vec<_> =
            ports.iter().map(|port| TcpStream::connect(("127.0.0.1", *port)).unwrap()).collect();
        let served: BTreeSet<_> = ports.iter().map(|port| (*port, 0)).collect();
        for count in 0..=3 {
            let called = ports[count..].iter().map(|port| (0, *port));
            let expected: BTreeSet<_> = served.iter().copied().chain(called).collect();
            assert_eq!(passed(&ports[..count], &ports), expected, "{count} of {ports:?}");
        }
        drop(clients);
    }

    #[test]
    fn ports_at_the_ends_of_the_range_are_not_filtered() {
        assert!(without_remote_ports(&[0, u16::MAX]).is_empty());
        assert_eq!(without_remote_ports(&[0, 80, 81]).len(), 40);
    }
}
