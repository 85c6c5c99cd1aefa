//! Questions to the kernel's `sock_diag`, and its answers, as bytes.
//!
//! Formats: `sock_diag(7)`, `include/uapi/linux/inet_diag.h`, `unix_diag.h` and `tcp.h`. Numbers are in
//! the machine's byte order, addresses and ports in the network's. Bytes that make no sense are left
//! out: a look at sockets is a count, and one message less is better than none.

use netlink_packet_core::{
    Emitable, NLM_F_DUMP, NLM_F_REQUEST, NLMSG_DONE, NLMSG_ERROR, NetlinkBuffer, NetlinkHeader,
    NetlinkMessage, NlasIterator, Parseable,
};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, InetResponseHeader, SocketId, StateFlags};
use netlink_packet_sock_diag::unix::{ShowFlags, StateFlags as UnixStates, UnixRequest, UnixResponseHeader};
use std::fmt;
use std::net::IpAddr;

/// `TCPDIAG_GETSOCK`, the request of before Linux 3.3. It knows no families: one walk through the
/// kernel's table of connections, which has hundreds of thousands of slots, gives IPv4 and IPv6.
const TCPDIAG_GETSOCK: u16 = 18;

/// `INET_DIAG_INFO`: the attribute that holds a `struct tcp_info`.
const INET_DIAG_INFO: u16 = 2;

/// The attribute of a request that holds a filter.
const INET_DIAG_REQ_BYTECODE: u16 = 1;

/// All states of a connection and LISTEN (`include/net/tcp_states.h`, 1 to 12), without the sockets
/// that are bound and do nothing (13).
pub const ALL_STATES: u32 = 0x1ffe;

/// State ESTABLISHED alone.
pub const ESTABLISHED_ONLY: u32 = 1 << 1;

/// State LISTEN alone: the kernel does not walk through its table of connections for it.
pub const LISTENING_ONLY: u32 = 1 << 10;

/// Bytes of `struct inet_diag_msg`; behind it come the attributes.
const INET_DIAG_MSG_BYTES: usize = 72;

/// Places in `struct tcp_info`, which has only ever grown at its end.
const TCPI_RTT: usize = 68;
const TCPI_TOTAL_RETRANS: usize = 100;

/// Bytes of `struct unix_diag_msg`, and the attributes behind it that we ask for.
const UNIX_DIAG_MSG_BYTES: usize = 16;
const UNIX_DIAG_NAME: u16 = 0;
const UNIX_DIAG_PEER: u16 = 2;
const UNIX_DIAG_ICONS: u16 = 3;
const UNIX_DIAG_RQLEN: u16 = 4;

/// `SOCK_STREAM`, and the state of a socket that listens.
const SOCK_STREAM: u8 = 1;
const LISTENING: u8 = 10;

/// An end of a connection. IPv4 inside IPv6 is IPv4: a server on "::" sees the client of 127.0.0.1 so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    /// IP address.
    pub address: IpAddr,
    /// TCP port.
    pub port: u16,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            IpAddr::V4(address) => write!(f, "{address}:{}", self.port),
            IpAddr::V6(address) => write!(f, "[{address}]:{}", self.port),
        }
    }
}

/// Facts from `tcp_info` on a connection that we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// Segments sent again in the connection's life.
    pub retransmits: u32,
    /// The smoothed round trip, in microseconds.
    pub rtt_us: u32,
}

/// A TCP socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket {
    /// Its own end.
    pub local: End,
    /// The other end; all zero for a listener.
    pub remote: End,
    /// As in `include/net/tcp_states.h`: 1 ESTABLISHED … 6 `TIME_WAIT` … 10 LISTEN.
    pub state: u8,
    /// A number that no other socket has while the machine runs. A connection gets a new one when it
    /// enters `TIME_WAIT`.
    pub cookie: u64,
    /// Bytes not yet read by the program; for a listener, connections not yet accepted.
    pub receive_queue: u32,
    /// Bytes not yet acknowledged by the other end; for a listener, how many may wait.
    pub send_queue: u32,
    /// Number of the socket in its file system; 0 when no program holds it.
    pub inode: u32,
    /// Its owner.
    pub uid: u32,
    /// Only if it was asked for, and never in `TIME_WAIT`.
    pub info: Option<Info>,
}

/// A listening Unix socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnixListener {
    /// Its path; an abstract name begins with "@".
    pub name: String,
    /// Connections not yet accepted.
    pub queue: u32,
    /// Largest number that may wait.
    pub backlog: u32,
    /// Number of the socket in its file system.
    pub inode: u32,
}

/// A Unix stream socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnixStream {
    /// Its path or abstract name; a connection has that of the listener at the server's end, and mostly
    /// none at the client's.
    pub name: Option<String>,
    /// Inode of the other end; None for a listener.
    pub peer: Option<u32>,
    /// Whether it listens.
    pub is_listening: bool,
    /// Inodes of the clients whose connections a listener has not yet accepted.
    pub waiting: Vec<u32>,
    /// A number that no other socket has while the machine runs.
    pub cookie: u64,
    /// Bytes not yet read by the program; for a listener, connections not yet accepted.
    pub receive_queue: u32,
    /// Memory of what was sent and not yet read by the other end; for a listener, how many may wait.
    pub send_queue: u32,
    /// Number of the socket in its file system.
    pub inode: u32,
}

/// A message of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Content of the message.
    Payload(&'a [u8]),
    /// The dump is complete, or was broken off with this number of an error.
    Done(i32),
}

/// The request for all TCP sockets in `states`, of both families.
#[must_use]
pub fn request_all(sequence: u32, states: u32, with_info: bool) -> Vec<u8> {
    request_filtered(sequence, states, with_info, &[])
}

/// The same, of the sockets that pass a filter: bytecode of `struct inet_diag_bc_op`, all of them if empty.
#[must_use]
pub fn request_filtered(sequence: u32, states: u32, with_info: bool, filter: &[u8]) -> Vec<u8> {
    // struct inet_diag_req: family, two lengths of prefixes, extensions, 48 bytes that name a socket,
    // states, tables.
    let mut request = vec![0; 60];
    request[3] = extensions(with_info).bits();
    request[52..56].copy_from_slice(&states.to_ne_bytes());
    if let (false, Ok(length)) = (filter.is_empty(), u16::try_from(filter.len() + 4)) {
        request.extend(length.to_ne_bytes());
        request.extend(INET_DIAG_REQ_BYTECODE.to_ne_bytes());
        request.extend(filter);
    }
    let mut header = header(sequence);
    header.message_type = TCPDIAG_GETSOCK;
    header.length = u32::try_from(16 + request.len()).unwrap_or(u32::MAX); // some hundreds of bytes
    let mut bytes = vec![0; 16];
    header.emit(&mut bytes);
    bytes.extend(request);
    bytes
}

/// IPv4 and IPv6.
pub const FAMILIES: [u8; 2] = [AF_INET, AF_INET6];

/// The request for the TCP sockets of one family in `states`: for a kernel that refuses the other one.
#[must_use]
pub fn request_family(sequence: u32, family: u8, states: u32, with_info: bool) -> Vec<u8> {
    let request = InetRequest {
        family,
        protocol: IPPROTO_TCP,
        extensions: extensions(with_info),
        states: StateFlags::from_bits_retain(states),
        socket_id: SocketId::new_v6(),
    };
    serialized(sequence, SockDiagMessage::InetRequest(request))
}

/// The request for all listening Unix sockets.
#[must_use]
pub fn request_unix_listeners(sequence: u32) -> Vec<u8> {
    request_unix(sequence, UnixStates::LISTEN, ShowFlags::NAME | ShowFlags::RQLEN)
}

/// The request for all Unix sockets that listen or are connected, with their peers.
#[must_use]
pub fn request_unix_streams(sequence: u32) -> Vec<u8> {
    let states = UnixStates::LISTEN | UnixStates::ESTABLISHED;
    request_unix(sequence, states, ShowFlags::NAME | ShowFlags::PEER | ShowFlags::ICONS | ShowFlags::RQLEN)
}

fn request_unix(sequence: u32, state_flags: UnixStates, show_flags: ShowFlags) -> Vec<u8> {
    let request = UnixRequest { state_flags, inode: 0, show_flags, cookie: [0xff; 8] };
    serialized(sequence, SockDiagMessage::UnixRequest(request))
}

fn extensions(with_info: bool) -> ExtensionFlags {
    if with_info { ExtensionFlags::INFO } else { ExtensionFlags::empty() }
}

fn header(sequence: u32) -> NetlinkHeader {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    header.sequence_number = sequence;
    header
}

pub(crate) fn serialized(sequence: u32, message: SockDiagMessage) -> Vec<u8> {
    let mut message = NetlinkMessage::new(header(sequence), message.into());
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

/// The messages of one datagram that answer request `sequence`. Ends early where bytes are damaged.
pub fn messages(datagram: &[u8], sequence: u32) -> impl Iterator<Item = Message<'_>> {
    let mut rest = datagram;
    std::iter::from_fn(move || {
        let (message, length) = {
            let buffer = NetlinkBuffer::new_checked(rest).ok()?;
            let length = buffer.length() as usize;
            let payload = rest.get(16..length)?;
            let ours = buffer.sequence_number() == sequence;
            (ours.then(|| classified(buffer.message_type(), payload)), length)
        };
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(message)
    })
    .flatten()
}

fn classified(kind: u16, payload: &[u8]) -> Message<'_> {
    // Both begin with the number of an error, negated, or zero.
    let number = || payload.first_chunk().map_or(0, |bytes| -i32::from_ne_bytes(*bytes));
    if kind == NLMSG_DONE || kind == NLMSG_ERROR {
        Message::Done(number())
    } else {
        Message::Payload(payload)
    }
}

/// The socket of one message; None if it is none.
#[must_use]
pub fn socket(payload: &[u8]) -> Option<Socket> {
    let found = InetResponseHeader::parse(payload).ok()?;
    let id = found.socket_id;
    Some(Socket {
        local: End { address: id.source_address.to_canonical(), port: id.source_port },
        remote: End { address: id.destination_address.to_canonical(), port: id.destination_port },
        state: found.state,
        cookie: u64::from_ne_bytes(id.cookie),
        receive_queue: found.recv_queue,
        send_queue: found.send_queue,
        inode: found.inode,
        uid: found.uid,
        info: tcp_info(payload).and_then(info),
    })
}

/// Facts from the bytes of `struct tcp_info`.
fn info(bytes: &[u8]) -> Option<Info> {
    Some(Info { retransmits: number_at(bytes, TCPI_TOTAL_RETRANS)?, rtt_us: number_at(bytes, TCPI_RTT)? })
}

/// The bytes of `struct tcp_info` in the message of a TCP socket; None where it was not asked for. An older
/// kernel gives fewer of them.
#[must_use]
pub fn tcp_info(payload: &[u8]) -> Option<&[u8]> {
    attribute(payload.get(INET_DIAG_MSG_BYTES..)?, INET_DIAG_INFO)
}

fn attribute(attributes: &[u8], kind: u16) -> Option<&[u8]> {
    let bytes = |length: &[u8]| length.first_chunk().map(|chunk| usize::from(u16::from_ne_bytes(*chunk)));
    let mut rest = attributes;
    // Not by the library's iterator, whose items cannot be kept beyond it.
    while let Some(length) = bytes(rest).filter(|length| *length >= 4) {
        let value = rest.get(4..length)?;
        if rest.get(2..).and_then(bytes) == Some(usize::from(kind)) {
            return Some(value);
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
    None
}

/// The listening Unix socket of one message; None if it is none, or has no name.
#[must_use]
pub fn unix_listener(payload: &[u8]) -> Option<UnixListener> {
    let inode = UnixResponseHeader::parse(payload).ok()?.inode;
    let (mut name, mut lengths) = (None, None);
    for one in NlasIterator::new(payload.get(UNIX_DIAG_MSG_BYTES..)?).map_while(Result::ok) {
        match one.kind() {
            UNIX_DIAG_NAME => name = Some(unix_name(one.value())),
            UNIX_DIAG_RQLEN => lengths = Some((number_at(one.value(), 0)?, number_at(one.value(), 4)?)),
            _ => {}
        }
    }
    let (queue, backlog) = lengths?;
    Some(UnixListener { name: name?, queue, backlog, inode })
}

/// The stream socket of one message, listening or connected; None if it is none.
#[must_use]
pub fn unix_stream(payload: &[u8]) -> Option<UnixStream> {
    let header = UnixResponseHeader::parse(payload).ok()?;
    let attributes = payload.get(UNIX_DIAG_MSG_BYTES..)?;
    let lengths = attribute(attributes, UNIX_DIAG_RQLEN)?;
    (header.kind == SOCK_STREAM).then_some(UnixStream {
        name: attribute(attributes, UNIX_DIAG_NAME).map(unix_name),
        peer: attribute(attributes, UNIX_DIAG_PEER).and_then(|value| number_at(value, 0)),
        is_listening: header.state == LISTENING,
        waiting: attribute(attributes, UNIX_DIAG_ICONS).map(numbers).unwrap_or_default(),
        cookie: u64::from_ne_bytes(header.cookie),
        receive_queue: number_at(lengths, 0)?,
        send_queue: number_at(lengths, 4)?,
        inode: header.inode,
    })
}

pub(crate) fn unix_name(bytes: &[u8]) -> String {
    match bytes.split_first() {
        Some((0, rest)) => format!("@{}", String::from_utf8_lossy(rest)),
        _ => String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned(),
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).filter_map(|chunk| number_at(chunk, 0)).collect()
}

/// The number at a place of a struct of the kernel's; None where the struct is shorter.
#[must_use]
pub fn number_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|chunk| u32::from_ne_bytes(*chunk))
}
