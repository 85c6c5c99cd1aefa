//! Other end of a descriptor: a connection, named as its role, or what it is else.

use super::files::Files;
use super::state::State;
use crate::namespace::Namespace;
use crate::netlink::Netlink;
use crate::roles::Roles;
use crate::speed::thread_cpu_ns;
use crate::wire::{self, ALL_STATES, FAMILIES, Socket, number_at, serialized, unix_name};
use netlink_packet_core::NlasIterator;
use netlink_packet_core::Parseable as _;
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{IPPROTO_UDP, UNIX_DIAG_NAME, UNIX_DIAG_PEER};
use netlink_packet_sock_diag::inet::{ExtensionFlags, InetRequest, SocketId, StateFlags};
use netlink_packet_sock_diag::unix::{ShowFlags, StateFlags as UnixStates, UnixRequest, UnixResponseHeader};
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::fs::FileType;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sockets that nobody holds any more are nobody's peer.
const TIME_WAIT: u32 = 1 << 6;

/// Asking the kernel for its sockets takes at most a twentieth of a core while threads are looked at.
const APART: u64 = 20;

/// Network namespaces of one program that are told apart.
const SPACES_MOST: usize = 8;

/// Bytes of `struct unix_diag_msg`; behind it come the attributes.
const UNIX_DIAG_MSG_BYTES: usize = 16;

/// Target of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Peer {
    /// Nothing is known of it, or nothing is to be told.
    Nobody,
    /// Not a connection, but this.
    Kind(&'static str),
    /// A socket: the inode of its network namespace, and its own.
    Socket(u64, u64),
}

/// Target of a descriptor of a process, and the state of who reads from it or writes to it: who waits
/// for a file waits for a disk.
pub(crate) fn of_descriptor(files: &Files, pid: i32, space: u64, state: State, number: i32) -> (State, Peer) {
    let path = format!("{pid}/fd/{number}");
    let Ok(link) = files.link(&path) else { return (state, Peer::Nobody) };
    let inode = |kind: &str| link.strip_prefix(kind)?.strip_suffix(']')?.parse().ok();
    if let Some(inode) = inode("socket:[") {
        return (state, Peer::Socket(space, inode));
    }
    if link.starts_with("pipe:[") {
        return (state, Peer::Kind("pipe"));
    }
    if let Some(name) = link.strip_prefix("anon_inode:") {
        let known = ["eventfd", "timerfd", "signalfd", "inotify", "eventpoll", "io_uring", "userfaultfd"];
        let kind = known.iter().find(|kind| name.contains(*kind));
        return (state, Peer::Kind(kind.copied().unwrap_or("anonymous")));
    }
    match files.kind(&path) {
        Ok(FileType::Fifo) => (state, Peer::Kind("pipe")),
        Ok(FileType::CharacterDevice) if link.starts_with("/dev/pts/") || link.starts_with("/dev/tty") => {
            (state, Peer::Kind("tty"))
        }
        Ok(FileType::CharacterDevice) => (state, Peer::Kind("device")),
        Ok(FileType::RegularFile | FileType::Directory | FileType::BlockDevice) => {
            (State::Disk, Peer::Kind("file"))
        }
        _ => (state, Peer::Nobody),
    }
}

/// Name of a Unix socket, and inode of its other end; a connection that is not yet accepted has none.
type UnixEnd = (Option<String>, Option<u64>);

/// A network namespace.
struct Space {
    netlink: Option<Netlink>,
    roles: Roles,
    /// Names of the sockets that were asked for.
    known: FxHashMap<u64, Arc<str>>,
    wanted: FxHashSet<u64>,
    due_ns: u64,
}

/// Names of the connections of sockets.
pub(crate) struct Peers {
    proc: PathBuf,
    own: Option<u64>,
    spaces: FxHashMap<u64, Space>,
    /// Set where a namespace may not be entered, or the kernel does not tell of its sockets.
    pub(crate) is_refused: bool,
}

impl Peers {
    pub(crate) fn new(proc: &Path, files: &Files) -> Self {
        let own = files.inode("self/ns/net").ok();
        Self { proc: proc.to_path_buf(), own, spaces: FxHashMap::default(), is_refused: false }
    }

    /// Asks for the name of a socket. pid: a process that lives in its namespace.
    pub(crate) fn want(&mut self, pid: i32, space: u64, inode: u64) {
        let is_full = self.spaces.len() >= SPACES_MOST;
        if !self.spaces.contains_key(&space) && !is_full {
            let path = (Some(space) != self.own).then(|| self.proc.join(format!("{pid}/ns/net")));
            let netlink = Namespace::open(path.as_deref()).and_then(|found| Netlink::open(&found));
            self.is_refused |= netlink.is_err();
            let space_of = Space {
                netlink: netlink.ok(),
                roles: Roles::default(),
                known: FxHashMap::default(),
                wanted: FxHashSet::default(),
                due_ns: 0,
            };
            self.spaces.insert(space, space_of);
        }
        if let Some(found) = self.spaces.get_mut(&space) {
            if !found.known.contains_key(&inode) {
                found.wanted.insert(inode);
            }
        }
    }

    /// Finds the names that were asked for, where it is time. now: ns of a clock that goes on until `forget`.
    pub(crate) fn find(&mut self, now_ns: u64) {
        for space in self.spaces.values_mut() {
            if space.wanted.is_empty() || now_ns < space.due_ns {
                continue;
            }
            let before_ns = thread_cpu_ns();
            self.is_refused |= space.find().is_err();
            let took_ns = u64::try_from(thread_cpu_ns() - before_ns).unwrap_or(0);
            space.due_ns = now_ns + APART * took_ns;
        }
    }

    /// The name of what a descriptor leads to; "" for what is not known.
    pub(crate) fn name(&self, peer: Peer) -> Arc<str> {
        match peer {
            Peer::Nobody => "".into(),
            Peer::Kind(kind) => kind.into(),
            Peer::Socket(space, inode) => {
                let known = self.spaces.get(&space).and_then(|space| space.known.get(&inode));
                known.cloned().unwrap_or_else(|| "socket".into())
            }
        }
    }

    /// Forgets all names, and when the kernel may be asked again: each burst has a clock of its own. A socket
    /// that lasts is asked for again.
    pub(crate) fn forget(&mut self) {
        for space in self.spaces.values_mut() {
            space.known.clear();
            space.wanted.clear();
            space.due_ns = 0;
        }
    }
}

impl Space {
    /// Asks the kernel for all sockets until the wanted ones are known. Those that are gone stay unknown.
    fn find(&mut self) -> io::Result<()> {
        let Some(netlink) = &mut self.netlink else {
            self.wanted.clear();
            return Ok(());
        };
        let mut sockets = Vec::new();
        for family in FAMILIES {
            let request = wire::request_family(netlink.next(), family, ALL_STATES & !TIME_WAIT, false);
            let answer = netlink.dump(&request, |payload| sockets.extend(wire::socket(payload)));
            if family == FAMILIES[0] {
                answer?; // a kernel without IPv6 refuses the other one
            }
        }
        let roles = self.roles.tell(&sockets);
        for (socket, role) in sockets.iter().zip(roles) {
            let inode = u64::from(socket.inode);
            if self.wanted.remove(&inode) {
                let name = role.map_or_else(|| format!("in:{}", socket.local.port), |role| role.to_string());
                self.known.insert(inode, name.into());
            }
        }
        if !self.wanted.is_empty() {
            self.find_unix();
        }
        if !self.wanted.is_empty() {
            self.find_udp();
        }
        self.wanted.clear();
        Ok(())
    }

    /// Unix sockets, as far as the kernel was built to tell of them.
    fn find_unix(&mut self) {
        let Some(netlink) = &mut self.netlink else { return };
        let request = UnixRequest {
            state_flags: UnixStates::all(),
            inode: 0,
            show_flags: ShowFlags::NAME | ShowFlags::PEER,
            cookie: [0xff; 8],
        };
        let request = serialized(netlink.next(), SockDiagMessage::UnixRequest(request));
        let mut found: FxHashMap<u64, UnixEnd> = FxHashMap::default();
        let _ = netlink.dump(&request, |payload| found.extend(unix_socket(payload)));
        let named = |inode: &u64| found.get(inode).and_then(|(name, _)| name.clone());
        let (known, wanted) = (&mut self.known, &mut self.wanted);
        wanted.retain(|inode| {
            let Some((own, peer)) = found.get(inode) else { return true };
            // What a listener has accepted bears the listener's name.
            let name = match (own, peer.as_ref().and_then(named)) {
                (Some(own), _) => format!("in:{own}"),
                (None, Some(peer)) => format!("out:{peer}"),
                (None, None) => "unix".to_owned(),
            };
            known.insert(*inode, name.into());
            false
        });
    }

    fn find_udp(&mut self) {
        let Some(netlink) = &mut self.netlink else { return };
        let mut sockets: Vec<Socket> = Vec::new();
        for family in FAMILIES {
            let request = InetRequest {
                family,
                protocol: IPPROTO_UDP,
                extensions: ExtensionFlags::empty(),
                states: StateFlags::from_bits_retain(u32::MAX),
                socket_id: SocketId::new_v6(),
            };
            let request = serialized(netlink.next(), SockDiagMessage::InetRequest(request));
            let _ = netlink.dump(&request, |payload| sockets.extend(wire::socket(payload)));
        }
        for socket in sockets {
            let inode = u64::from(socket.inode);
            if self.wanted.remove(&inode) {
                let is_bound = socket.remote.port != 0;
                let name = if is_bound { format!("udp:{}", socket.remote) } else { "udp".to_owned() };
                self.known.insert(inode, name.into());
            }
        }
    }
}

/// Inode, name and inode of the other end of the Unix socket of one message.
fn unix_socket(payload: &[u8]) -> Option<(u64, UnixEnd)> {
    let inode = UnixResponseHeader::parse(payload).ok()?.inode;
    let (mut name, mut peer) = (None, None);
    for one in NlasIterator::new(payload.get(UNIX_DIAG_MSG_BYTES..)?).map_while(Result::ok) {
        match one.kind() {
            UNIX_DIAG_NAME => name = Some(unix_name(one.value())).filter(|name| !name.is_empty()),
            UNIX_DIAG_PEER => peer = number_at(one.value(), 0).map(u64::from),
            _ => {}
        }
    }
    Some((u64::from(inode), (name, peer)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::fs::MetadataExt as _;

    #[test]
    fn a_burst_asks_for_its_sockets_whenever_the_one_before_has_last_asked() {
        let proc = Path::new("/proc");
        let mut peers = Peers::new(proc, &Files::open(proc).unwrap());
        let space = peers.own.unwrap();
        let pid = i32::try_from(std::process::id()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        // Each burst has a clock of its own: the first one asks at its end, the second one at its beginning.
        for now_ns in [u64::MAX / 2, 0] {
            let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
            let inode = std::fs::metadata(format!("/proc/self/fd/{}", fd_of(&client))).unwrap().ino();
            peers.want(pid, space, inode);
            peers.find(now_ns);
            assert_eq!(&*peers.name(Peer::Socket(space, inode)), format!("out:127.0.0.1:{port}"));
            peers.forget();
        }
    }

    fn fd_of(socket: &TcpStream) -> i32 {
        use std::os::fd::AsRawFd as _;
        socket.as_raw_fd()
    }
}
