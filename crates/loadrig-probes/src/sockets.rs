//! All TCP sockets of a network namespace, counted by role.

use crate::namespace::Namespace;
use crate::netlink::Netlink;
use crate::roles::{LISTEN, Role, Roles};
use crate::seen::Seen;
use crate::wire::{self, ALL_STATES, ESTABLISHED_ONLY, LISTENING_ONLY, Socket, UnixListener};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::{fs, io};

/// States by their number in `include/net/tcp_states.h`; "" for what is none of a connection.
pub const STATES: [&str; 13] = [
    "",
    "established",
    "syn_sent",
    "syn_recv",
    "fin_wait1",
    "fin_wait2",
    "time_wait",
    "close",
    "close_wait",
    "last_ack",
    "",
    "closing",
    "syn_recv",
];

/// The connections in one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Number of sockets in each state, as in `STATES`.
    pub states: [u32; 13],
    /// Number of connections opened since the first look. One that came and went between two looks is among
    /// them if its `TIME_WAIT` is on this machine.
    pub opened: u64,
    /// Number of this side that entered `TIME_WAIT` since the first look: it closed first.
    pub closed_first: u64,
    /// Bytes that have come and were not yet read.
    pub receive_bytes: u64,
    /// Bytes that were sent and not yet acknowledged, or wait to be sent.
    pub send_bytes: u64,
    /// Segments sent again since the first look at `tcp_info`.
    pub retransmits: u64,
    /// Median and highest smoothed round trip in microseconds; None where `tcp_info` was not asked for.
    pub rtt_us: Option<(u32, u32)>,
}

/// Observations of one look.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// By role, also those that have no connection any more.
    pub roles: BTreeMap<Role, Connections>,
    /// Listening TCP sockets, as the kernel lists them.
    pub listeners: Vec<Socket>,
    /// Listening Unix sockets that have a name.
    pub unix_listeners: Vec<UnixListener>,
    /// Number of TCP sockets in all.
    pub sockets: usize,
}

/// Number of roles of each kind that are told apart. The first that are seen keep their names, all others are
/// counted as one: a machine that serves a thousand ports has not a thousand series for them.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Destinations of outgoing connections; the rest is `Role::OutOthers`.
    pub destinations: usize,
    /// Ports that are listened on; the rest is `Role::InOthers`.
    pub ports: usize,
}

/// Watches the sockets of one network namespace.
pub struct Sockets {
    namespace: Namespace,
    netlink: Netlink,
    /// The kernel refused the request that is answered with both families at once.
    by_family: bool,
    read: Vec<Socket>,
    roles: Roles,
    seen: Seen,
    /// Roles that are told apart, and how many may be.
    named: HashSet<Role>,
    most: Most,
    totals: BTreeMap<Role, Totals>,
    /// Retransmits by cookie, at the last look at `tcp_info`.
    resent: Option<FxHashMap<u64, u32>>,
}

/// Counts that only grow.
#[derive(Clone, Copy, Default)]
struct Totals {
    opened: u64,
    closed_first: u64,
    retransmits: u64,
}

impl Sockets {
    /// Opens a socket to the kernel, in the namespace that `namespace` leads to if it is given.
    pub fn open(namespace: Option<&Path>, most: Most) -> io::Result<Self> {
        let namespace = Namespace::open(namespace)?;
        let netlink = Netlink::open(&namespace)?;
        Ok(Self {
            namespace,
            netlink,
            by_family: false,
            read: Vec::new(),
            roles: Roles::default(),
            seen: Seen::default(),
            named: HashSet::new(),
            most,
            totals: BTreeMap::new(),
            resent: None,
        })
    }

    /// Reads all sockets and counts them.
    ///
    /// `with_info`: also `tcp_info`, which costs a third more. watched: roles that are told apart however
    /// many others there are.
    pub fn look(&mut self, with_info: bool, watched: &[Role]) -> io::Result<Look> {
        let mut sockets = std::mem::take(&mut self.read);
        let outcome = self.ask(ALL_STATES, with_info, &mut sockets);
        let look = outcome.map(|()| self.counted(&sockets, with_info, watched));
        self.read = sockets; // its room serves the next look
        let mut look = look?;
        look.unix_listeners = self.unix_listeners();
        Ok(look)
    }

    /// Connections that are established.
    pub fn connections(&mut self) -> io::Result<Vec<Socket>> {
        let mut sockets = Vec::new();
        self.ask(ESTABLISHED_ONLY, false, &mut sockets)?;
        Ok(sockets)
    }

    /// TCP sockets that listen.
    pub fn listeners(&mut self) -> io::Result<Vec<Socket>> {
        let mut sockets = Vec::new();
        self.ask(LISTENING_ONLY, false, &mut sockets)?;
        Ok(sockets)
    }

    /// The texts of settings below /proc/sys/net, as this namespace has them; None for one that is not there.
    pub fn settings(&self, names: &[String]) -> io::Result<Vec<Option<String>>> {
        let read = |name: &String| fs::read_to_string(Path::new("/proc/sys/net").join(name)).ok();
        self.namespace.within(|| Ok(names.iter().map(read).collect()))
    }

    /// Fills `found` with the sockets in these states.
    fn ask(&mut self, states: u32, with_info: bool, found: &mut Vec<Socket>) -> io::Result<()> {
        if !self.by_family {
            found.clear();
            let request = wire::request_all(self.netlink.next(), states, with_info);
            if self.netlink.dump(&request, |payload| found.extend(wire::socket(payload))).is_ok() {
                return Ok(());
            }
            self.by_family = true;
        }
        found.clear();
        let [ipv4, ipv6] = wire::FAMILIES;
        let request = wire::request_family(self.netlink.next(), ipv4, states, with_info);
        self.netlink.dump(&request, |payload| found.extend(wire::socket(payload)))?;
        let request = wire::request_family(self.netlink.next(), ipv6, states, with_info);
        // A kernel without IPv6 refuses this one.
        let _ = self.netlink.dump(&request, |payload| found.extend(wire::socket(payload)));
        Ok(())
    }

    /// None of them where the kernel was built without `unix_diag`.
    fn unix_listeners(&mut self) -> Vec<UnixListener> {
        let mut found = Vec::new();
        let request = wire::request_unix_listeners(self.netlink.next());
        let answered = self.netlink.dump(&request, |payload| found.extend(wire::unix_listener(payload)));
        answered.map_or_else(|_| Vec::new(), |()| found)
    }

    fn counted(&mut self, sockets: &[Socket], with_info: bool, watched: &[Role]) -> Look {
        let roles = self.roles.tell(sockets);
        let mut counts: FxHashMap<Role, Connections> = FxHashMap::default();
        let mut rtts: FxHashMap<Role, Vec<u32>> = FxHashMap::default();
        let resent_before = if with_info { self.resent.take() } else { None };
        let mut resent = FxHashMap::default();
        self.seen.begin();
        for (one, role) in sockets.iter().zip(roles) {
            let Some(role) = role else { continue };
            let change = self.seen.note(one);
            if change.opened {
                // Both ends being here, the other one may have gone without a trace.
                for role in [Some(role), role.of_other_end(one)].into_iter().flatten() {
                    counts.entry(role).or_default().opened += 1;
                }
            }
            let here = counts.entry(role).or_default();
            if let Some(n) = here.states.get_mut(usize::from(one.state)) {
                *n += 1;
            }
            here.closed_first += u64::from(change.closed_first);
            here.receive_bytes += u64::from(one.receive_queue);
            here.send_bytes += u64::from(one.send_queue);
            if let Some(info) = one.info {
                rtts.entry(role).or_default().push(info.rtt_us);
                resent.insert(one.cookie, info.retransmits);
                if let Some(before) = &resent_before {
                    let last = before.get(&one.cookie).copied().unwrap_or(0);
                    here.retransmits += u64::from(info.retransmits.saturating_sub(last));
                }
            }
        }
        self.seen.end();
        if with_info {
            self.resent = Some(resent);
        }
        self.name_more(&counts, watched);
        Look {
            roles: self.folded(counts, rtts),
            listeners: sockets.iter().filter(|one| one.state == LISTEN).copied().collect(),
            unix_listeners: Vec::new(),
            sockets: sockets.len(),
        }
    }

    /// Roles without a name as one of each kind, and the counts of this look added to the totals.
    fn folded(
        &mut self,
        counts: FxHashMap<Role, Connections>,
        mut rtts: FxHashMap<Role, Vec<u32>>,
    ) -> BTreeMap<Role, Connections> {
        let mut folded: BTreeMap<Role, Connections> = BTreeMap::new();
        let mut round_trips: BTreeMap<Role, Vec<u32>> = BTreeMap::new();
        for (role, found) in counts {
            let name = match role {
                Role::In(_) if !self.named.contains(&role) => Role::InOthers,
                Role::Out(_) if !self.named.contains(&role) => Role::OutOthers,
                _ => role,
            };
            folded.entry(name).or_default().add(&found);
            round_trips.entry(name).or_default().extend(rtts.remove(&role).unwrap_or_default());
        }
        for (role, found) in &folded {
            let total = self.totals.entry(*role).or_default();
            total.opened += found.opened;
            total.closed_first += found.closed_first;
            total.retransmits += found.retransmits;
        }
        for (role, total) in &self.totals {
            let found = folded.entry(*role).or_default();
            found.opened = total.opened;
            found.closed_first = total.closed_first;
            found.retransmits = total.retransmits;
            found.rtt_us = round_trips.remove(role).and_then(median_and_most);
        }
        folded
    }

    /// Gives names to those with the most connections, as long as there is room, and to what is watched.
    fn name_more(&mut self, counts: &FxHashMap<Role, Connections>, watched: &[Role]) {
        self.named.extend(watched.iter().filter(|role| counts.contains_key(role)));
        self.name_of_kind(counts, self.most.ports, |role| matches!(role, Role::In(_)));
        self.name_of_kind(counts, self.most.destinations, |role| matches!(role, Role::Out(_)));
    }

    fn name_of_kind(
        &mut self,
        counts: &FxHashMap<Role, Connections>,
        most: usize,
        is_of_kind: impl Fn(&Role) -> bool,
    ) {
        let room = most.saturating_sub(self.named.iter().filter(|role| is_of_kind(role)).count());
        if room == 0 {
            return;
        }
        let unnamed = counts.iter().filter(|(role, _)| is_of_kind(role) && !self.named.contains(role));
        let mut unnamed: Vec<_> = unnamed.map(|(role, found)| (Reverse(found.size()), *role)).collect();
        unnamed.sort_unstable();
        self.named.extend(unnamed.into_iter().take(room).map(|(_, role)| role));
    }
}

impl Connections {
    /// Weight of a role: how much there is to tell of it.
    fn size(&self) -> u64 {
        self.states.iter().map(|n| u64::from(*n)).sum::<u64>() + self.opened
    }

    fn add(&mut self, other: &Self) {
        for (n, more) in self.states.iter_mut().zip(other.states) {
            *n += more;
        }
        self.opened += other.opened;
        self.closed_first += other.closed_first;
        self.receive_bytes += other.receive_bytes;
        self.send_bytes += other.send_bytes;
        self.retransmits += other.retransmits;
    }
}

fn median_and_most(mut values: Vec<u32>) -> Option<(u32, u32)> {
    values.sort_unstable();
    Some((*values.get(values.len() / 2)?, *values.last()?))
}
