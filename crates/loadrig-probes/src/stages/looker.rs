//! A look: all sockets of some network namespaces, each counted in its stage for the component whose it is.

use crate::netlink::Netlink;
use crate::stages::filter::without_remote_ports;
use crate::stages::flow::{Flow, Limits};
use crate::stages::owners::{Id, Owners, Root};
use crate::stages::rhythm::Habit;
use crate::stages::stage::{STATES, Seen, Side, Stage, Verdict};
use crate::stages::sums::{Counts, Group};
use crate::stages::turn::Past;
use crate::wire::{self, End, Socket, UnixStream};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// State LISTEN.
const LISTEN: u8 = 10;

/// Sockets of one namespace that are kept of a look, some 30 MB: those beyond are left out and counted.
const MOST_SOCKETS: usize = 200_000;

/// Ends of clients of a watched port, none of them of a component, from which on the kernel is not asked
/// for them: reading so many costs as much as its walk through a small table.
const MANY_CLIENTS: usize = 50;

/// Time for which the kernel is not asked for them, before all are looked at again: one may be a component's.
const ALL: Duration = Duration::from_secs(2);

/// Ports in a filter: the kernel goes through all of them for each socket.
const MOST_FILTERED: usize = 8;

/// A component that is watched.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its process.
    pub root: Root,
    /// Ports that it is known to listen on, for where its descriptors may not be read.
    pub ports: Vec<u16>,
    /// The namespace that its sockets are in, by its inode.
    pub space: u64,
}

/// Observations of one look at a component.
#[derive(Clone, Debug, Default)]
pub struct Glance {
    /// Its sockets, by group and stage.
    pub counts: Counts,
    /// Some of its processes may not be read by this user: its own connections are not all seen.
    pub is_refused: bool,
    /// Its process has ended.
    pub is_gone: bool,
    /// Number of sockets of its namespace that were not looked at, as there were too many.
    pub left_out: usize,
}

/// Looks at the sockets of components.
pub struct Looker {
    owners: Owners,
    components: Vec<Component>,
    spaces: BTreeMap<u64, Space>,
}

impl Looker {
    /// proc: /proc, but in tests.
    #[must_use]
    pub fn new(proc: PathBuf) -> Self {
        Self { owners: Owners::new(proc), components: Vec::new(), spaces: BTreeMap::new() }
    }

    /// Takes the components that are looked at from now on, and sockets to the kernel in namespaces that are
    /// new. Those in which no component is any more are closed.
    pub(crate) fn watch(&mut self, components: Vec<Component>, opened: Vec<(u64, Netlink)>) {
        self.owners.watch(components.iter().map(|component| component.root).collect());
        for (space, netlink) in opened {
            self.spaces.entry(space).or_insert_with(|| Space::new(netlink));
        }
        self.spaces.retain(|space, _| components.iter().any(|component| component.space == *space));
        // What was another component's, or nobody's, may be that of one that is new.
        self.spaces.values_mut().for_each(|space| space.holders.clear());
        self.components = components;
    }

    /// Looks once. By component; all of them are there.
    pub fn look(&mut self) -> io::Result<BTreeMap<Id, Glance>> {
        let now = Instant::now();
        let mut glances: BTreeMap<Id, Glance> =
            self.components.iter().map(|component| (component.root.id, Glance::default())).collect();
        // Before all else: the instant is a random one only as long as we have kept nobody from a core.
        for space in self.spaces.values_mut() {
            space.ask(now)?;
        }
        if self.owners.refresh(now)? {
            // A socket that nobody held may be that of a process which is new.
            self.spaces.values_mut().for_each(|space| space.holders.retain(|_, held| held.id.is_some()));
        }
        for space in self.spaces.values_mut() {
            space.find_holders(&mut self.owners, now)?;
        }
        for (number, space) in &mut self.spaces {
            let inside = || self.components.iter().filter(|component| component.space == *number);
            space.count(&mut glances, |port| fallback(inside(), &self.owners, port));
            for component in inside() {
                glances.entry(component.root.id).or_default().left_out = space.left_out;
            }
        }
        for (id, glance) in &mut glances {
            glance.is_refused = self.owners.refused().contains(id);
            glance.is_gone = self.owners.gone().contains(id);
        }
        Ok(glances)
    }
}

/// The component that is known to listen on a port, and whose descriptors may not be read.
fn fallback<'a>(mut inside: impl Iterator<Item = &'a Component>, owners: &Owners, port: u16) -> Option<Id> {
    let is_it = |component: &&Component| {
        component.ports.contains(&port) && owners.refused().contains(&component.root.id)
    };
    inside.find(is_it).map(|component| component.root.id)
}

/// A TCP socket with its traffic.
struct Tcp {
    socket: Socket,
    flow: Option<Flow>,
}

/// Holder of a socket, None for nobody who is watched, and the look that met it last.
#[derive(Clone, Copy)]
struct Held {
    id: Option<Id>,
    look: u32,
}

/// An end of a connection that was looked at, with its verdict.
struct Judged<'a> {
    socket: &'a Socket,
    id: Id,
    side: Side,
    group: Group,
    verdict: Verdict,
    sent: Sent,
}

/// Sending of a connection since the last look at it.
#[derive(Clone, Copy, Default)]
struct Sent {
    limits: Limits,
    /// Segments with data.
    segments: u32,
}

/// A connection at the last look at it.
#[derive(Clone, Copy)]
struct Memory {
    past: Option<Past>,
    limits: Option<Limits>,
    look: u32,
}

/// Habit of the connections of a group, and the look that met one last.
#[derive(Clone, Copy, Default)]
struct Common {
    habit: Habit,
    look: u32,
}

/// A port that is listened on, or was when its connections were made: its address, None for all.
type Place = (Option<IpAddr>, u16);

/// A network namespace.
struct Space {
    netlink: Netlink,
    by_family: bool,
    has_unix: bool,
    look: u32,
    /// The last look at all sockets, and when it was.
    whole: (u32, Option<Instant>),
    /// Lets all sockets pass but clients' ends that are of no component.
    filter: Vec<u8>,
    tcp: Vec<Tcp>,
    unix: Vec<UnixStream>,
    left_out: usize,
    /// By cookie.
    holders: FxHashMap<u64, Held>,
    served: FxHashMap<Place, Held>,
    memories: FxHashMap<u64, Memory>,
    habits: FxHashMap<(Id, Group), Common>,
}

impl Space {
    fn new(netlink: Netlink) -> Self {
        Self {
            netlink,
            by_family: false,
            has_unix: true,
            look: 0,
            whole: (0, None),
            filter: Vec::new(),
            tcp: Vec::new(),
            unix: Vec::new(),
            left_out: 0,
            holders: FxHashMap::default(),
            served: FxHashMap::default(),
            memories: FxHashMap::default(),
            habits: FxHashMap::default(),
        }
    }

    /// Reads the sockets.
    fn ask(&mut self, now: Instant) -> io::Result<()> {
        self.look = self.look.wrapping_add(1);
        if self.whole.1.is_none_or(|whole| now.duration_since(whole) >= ALL) {
            self.whole = (self.look, Some(now));
            self.filter.clear();
        }
        self.ask_tcp()?;
        self.unix.clear();
        if self.has_unix {
            let (room, request) = (&mut self.unix, wire::request_unix_streams(self.netlink.next()));
            // A kernel without unix_diag refuses it each time.
            self.has_unix =
                self.netlink.dump(&request, |payload| room.extend(wire::unix_stream(payload))).is_ok();
        }
        Ok(())
    }

    fn ask_tcp(&mut self) -> io::Result<()> {
        if !self.by_family {
            let request = wire::request_filtered(self.netlink.next(), STATES, true, &self.filter);
            self.clear();
            if self.dump(&request).is_ok() {
                return Ok(());
            }
            self.by_family = true;
        }
        self.clear();
        let [ipv4, ipv6] = wire::FAMILIES;
        let request = wire::request_family(self.netlink.next(), ipv4, STATES, true);
        self.dump(&request)?;
        let request = wire::request_family(self.netlink.next(), ipv6, STATES, true);
        let _ = self.dump(&request); // a kernel without IPv6 refuses it
        Ok(())
    }

    fn clear(&mut self) {
        self.tcp.clear();
        self.left_out = 0;
    }

    fn dump(&mut self, request: &[u8]) -> io::Result<()> {
        let (room, left_out) = (&mut self.tcp, &mut self.left_out);
        self.netlink.dump(request, |payload| {
            if room.len() >= MOST_SOCKETS {
                *left_out += 1;
            } else if let Some(socket) = wire::socket(payload) {
                room.push(Tcp { socket, flow: wire::tcp_info(payload).and_then(Flow::parse) });
            }
        })
    }

    /// Finds out who holds the sockets that are new: listeners, and ends of clients.
    fn find_holders(&mut self, owners: &mut Owners, now: Instant) -> io::Result<()> {
        let listening: FxHashSet<End> =
            self.tcp.iter().filter(|tcp| tcp.socket.state == LISTEN).map(|tcp| tcp.socket.local).collect();
        let is_served = |end: End| {
            let wildcards = [IpAddr::from([0; 4]), IpAddr::from([0_u16; 8])];
            listening.contains(&end)
                || wildcards.iter().any(|ip| listening.contains(&End { address: *ip, ..end }))
        };
        let of_tcp = self
            .tcp
            .iter()
            .map(|tcp| tcp.socket)
            .filter(|socket| socket.inode != 0 && (socket.state == LISTEN || !is_served(socket.local)));
        let of_unix = self.unix.iter().filter(|socket| socket.is_listening || socket.name.is_none());
        let asked = of_tcp
            .map(|socket| (socket.cookie, socket.inode))
            .chain(of_unix.map(|socket| (socket.cookie, socket.inode)));
        let (look, holders) = (self.look, &mut self.holders);
        let mut strangers = Vec::new();
        for (cookie, inode) in asked {
            match holders.get_mut(&cookie) {
                Some(held) => held.look = look,
                None => strangers.push((cookie, inode)),
            }
        }
        if !strangers.is_empty() {
            owners.scan(&self.existing(), now)?;
            for (cookie, inode) in strangers {
                self.holders.insert(cookie, Held { id: owners.holder(inode), look });
            }
        }
        // What lost its inode as its process closed it is still that component's.
        for tcp in self.tcp.iter().filter(|tcp| tcp.socket.inode == 0) {
            if let Some(held) = self.holders.get_mut(&tcp.socket.cookie) {
                held.look = look;
            }
        }
        // What a filter has left out is remembered until all sockets are read again.
        let whole = self.whole.0;
        self.holders.retain(|_, held| held.look >= whole);
        Ok(())
    }

    /// Tells which clients' ends the next looks can do without: of ports that components listen on, if there
    /// are many and none is a component's.
    fn filter_clients(&mut self) {
        let mut clients: FxHashMap<u16, Option<usize>> = FxHashMap::default();
        let watched: FxHashSet<u16> =
            self.served.iter().filter(|(_, held)| held.id.is_some()).map(|((_, port), _)| *port).collect();
        for Tcp { socket, .. } in self.tcp.iter().filter(|tcp| watched.contains(&tcp.socket.remote.port)) {
            let count = clients.entry(socket.remote.port).or_insert(Some(0));
            let is_own = self.holders.get(&socket.cookie).is_some_and(|held| held.id.is_some());
            *count = count.filter(|_| !is_own).map(|n| n + 1);
        }
        let is_many = |count: Option<usize>| count.is_some_and(|n| n >= MANY_CLIENTS);
        let mut ports: Vec<u16> =
            clients.into_iter().filter(|(_, count)| is_many(*count)).map(|(port, _)| port).collect();
        ports.sort_unstable();
        ports.truncate(MOST_FILTERED);
        self.filter = without_remote_ports(&ports);
    }

    fn existing(&self) -> FxHashSet<u32> {
        let of_tcp = self.tcp.iter().map(|tcp| tcp.socket.inode);
        of_tcp.chain(self.unix.iter().map(|socket| socket.inode)).filter(|inode| *inode != 0).collect()
    }

    fn held_by(&self, cookie: u64) -> Option<Id> {
        self.holders.get(&cookie).and_then(|held| held.id)
    }

    /// Counts each socket for its component. fallback: who is known to listen on a port.
    fn count(&mut self, glances: &mut BTreeMap<Id, Glance>, fallback: impl Fn(u16) -> Option<Id>) {
        self.note_listeners(fallback);
        let sockets = std::mem::take(&mut self.tcp);
        let mut judged = Vec::new();
        for tcp in &sockets {
            let Some((id, side, group)) = self.whose(&tcp.socket) else { continue };
            if glances.contains_key(&id) {
                let (verdict, sent) = self.judge(tcp, side, (id, group.clone()));
                judged.push(Judged { socket: &tcp.socket, id, side, group, verdict, sent });
            }
        }
        self.decide_ties(&mut judged);
        for Judged { socket, id, group, verdict, sent, .. } in judged {
            let Some(glance) = glances.get_mut(&id) else { continue };
            let count = glance.counts.entry(group).or_default();
            count.add(verdict);
            count.limits.busy_us += sent.limits.busy_us;
            count.limits.client_us += sent.limits.client_us;
            count.limits.buffer_us += sent.limits.buffer_us;
            count.segments += u64::from(sent.segments);
            if verdict.stage == Stage::NotAccepted && socket.receive_queue == 0 {
                count.silent += 1.0;
            }
        }
        self.tcp = sockets; // its room serves the next look
        self.count_unix(glances);
        if self.look == self.whole.0 {
            self.filter_clients();
        }
        let look = self.look;
        self.memories.retain(|_, memory| memory.look == look);
        self.habits.retain(|_, common| common.look == look);
        self.served.retain(|_, held| held.look == look);
    }

    /// Decides ties by the other end of the connection, where that is a component's too and no tie itself.
    /// Else a pool of idle connections, each of which may have ended in a tie, would look half in use.
    fn decide_ties(&mut self, judged: &mut [Judged<'_>]) {
        let others: FxHashSet<(End, End)> = judged
            .iter()
            .filter(|end| end.verdict.is_tied)
            .map(|end| (end.socket.remote, end.socket.local))
            .collect();
        if others.is_empty() {
            return;
        }
        let stages: FxHashMap<(End, End), Stage> = judged
            .iter()
            .filter(|end| !end.verdict.is_tied && others.contains(&(end.socket.local, end.socket.remote)))
            .map(|end| ((end.socket.local, end.socket.remote), end.verdict.stage))
            .collect();
        for end in judged {
            let Some(other) = stages.get(&(end.socket.remote, end.socket.local)) else { continue };
            end.verdict = end.verdict.given(end.side, *other);
            let memory = self.memories.get_mut(&end.socket.cookie);
            if let Some(past) = memory.and_then(|memory| memory.past.as_mut()) {
                past.turn = end.verdict.turn;
            }
        }
    }

    fn note_listeners(&mut self, fallback: impl Fn(u16) -> Option<Id>) {
        for Socket { local, cookie, .. } in
            self.tcp.iter().map(|tcp| tcp.socket).filter(|one| one.state == LISTEN)
        {
            let place = ((!local.address.is_unspecified()).then_some(local.address), local.port);
            let id = self.holders.get(&cookie).and_then(|held| held.id).or_else(|| fallback(local.port));
            // Of several that share a port, as one a worker, one that is known speaks for all.
            let id = id.or_else(|| self.served.get(&place).filter(|held| held.look == self.look)?.id);
            self.served.insert(place, Held { id, look: self.look });
        }
    }

    /// The component whose socket it is, which end it is, and what it is grouped by.
    fn whose(&mut self, socket: &Socket) -> Option<(Id, Side, Group)> {
        if socket.state == LISTEN {
            return None;
        }
        let End { address, port } = socket.local;
        for place in [(Some(address), port), (None, port)] {
            if let Some(held) = self.served.get_mut(&place) {
                // A server that stops listening keeps its connections until the last is gone.
                held.look = self.look;
                return Some((held.id?, Side::Server, Group::In(port)));
            }
        }
        Some((self.held_by(socket.cookie)?, Side::Client, Group::Out(socket.remote)))
    }

    /// The stage of a socket, and its sending since the last look. whose: its group.
    fn judge(&mut self, tcp: &Tcp, side: Side, whose: (Id, Group)) -> (Verdict, Sent) {
        let Tcp { socket, flow } = tcp;
        let memory = self.memories.get(&socket.cookie).copied();
        let seen = Seen {
            state: socket.state,
            is_held: socket.inode != 0,
            receive_queue: socket.receive_queue,
            send_queue: socket.send_queue,
            flow: flow.as_ref(),
        };
        let common = self.habits.entry(whose).or_default();
        common.look = self.look;
        let verdict = side.stage(&seen, memory.and_then(|memory| memory.past), &mut common.habit);
        let limits = flow.and_then(|flow| flow.limits);
        let before = memory.and_then(|memory| memory.limits);
        let waited = limits.zip(before).map(|(now, before)| now.since(before)).unwrap_or_default();
        let Verdict { turn, rhythm, .. } = verdict;
        let counts = flow.and_then(|flow| flow.counts);
        let counted = memory.and_then(|memory| memory.past).map(|past| past.counts);
        let segments = counts.zip(counted).map_or(0, |(now, before)| now.since(before).data_out);
        let past = counts.map(|counts| Past { counts, turn, rhythm });
        self.memories.insert(socket.cookie, Memory { past, limits, look: self.look });
        (verdict, Sent { limits: waited, segments })
    }

    fn count_unix(&mut self, glances: &mut BTreeMap<Id, Glance>) {
        let mut served: FxHashMap<&str, Id> = FxHashMap::default();
        let mut waiting: FxHashMap<u32, &str> = FxHashMap::default();
        let named: FxHashMap<u32, &str> =
            self.unix.iter().filter_map(|socket| Some((socket.inode, socket.name.as_deref()?))).collect();
        for socket in self.unix.iter().filter(|socket| socket.is_listening) {
            let Some(name) = socket.name.as_deref() else { continue };
            waiting.extend(socket.waiting.iter().map(|inode| (*inode, name)));
            let Some(id) = self.held_by(socket.cookie) else { continue };
            served.insert(name, id);
            let Some(glance) = glances.get_mut(&id).filter(|_| socket.receive_queue > 0) else { continue };
            // The kernel does not list the server's ends of those that wait, it only counts them.
            let count = glance.counts.entry(Group::InUnix(Arc::from(name))).or_default();
            count.stages[Stage::NotAccepted as usize] += f64::from(socket.receive_queue);
        }
        for socket in self.unix.iter().filter(|socket| !socket.is_listening) {
            let (id, name, stage, is_server) = if let Some(name) = socket.name.as_deref() {
                (served.get(name).copied(), name, Side::Server.unix_stage(socket), true)
            } else if let Some(name) = socket.peer.and_then(|peer| named.get(&peer)) {
                (self.held_by(socket.cookie), *name, Side::Client.unix_stage(socket), false)
            } else if let Some(name) = waiting.get(&socket.inode) {
                (self.held_by(socket.cookie), *name, Stage::Connecting, false)
            } else {
                continue;
            };
            let Some(glance) = id.and_then(|id| glances.get_mut(&id)) else { continue };
            let name = Arc::from(name);
            let group = if is_server { Group::InUnix(name) } else { Group::OutUnix(name) };
            glance.counts.entry(group).or_default().stages[stage as usize] += 1.0;
        }
    }
}
