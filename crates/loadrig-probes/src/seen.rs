//! Connections that are new since the last look, and those that this machine closed first.
//!
//! A connection is known by its two ends, a socket by its cookie; the socket in `TIME_WAIT` is another
//! one than that which was closed. Both ends may be here: they are one connection, opened once.

use crate::wire::{End, Socket};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Change of a connection since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// New. Said for one of its ends only.
    pub(crate) opened: bool,
    /// This socket entered `TIME_WAIT`: its side closed first.
    pub(crate) closed_first: bool,
}

/// Stage of a socket on its way; a connection never goes back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Alive,
    /// `FIN_WAIT2`: first the program's socket, later a small one of the kernel's, with a cookie of its own.
    HalfClosed,
    TimeWait,
}

/// A socket at one end of a connection.
#[derive(Clone, Copy)]
struct Half {
    cookie: u64,
    phase: Phase,
    /// State at the look before the one that saw it last; None if it was not there.
    before: Option<Phase>,
    look: u32,
}

#[derive(Clone, Copy)]
struct Connection {
    halves: [Option<Half>; 2],
    /// The look that found it to be new.
    opened: u32,
    look: u32,
}

/// The connections of the last look.
#[derive(Default)]
pub(crate) struct Seen {
    connections: FxHashMap<(End, End), Connection>,
    look: u32,
}

impl Seen {
    /// Begins a look.
    pub(crate) fn begin(&mut self) {
        self.look += 1;
    }

    /// Takes a socket. In the first look nothing is new: it is what was there before.
    pub(crate) fn note(&mut self, socket: &Socket) -> Change {
        let Some(phase) = phase(socket.state) else { return Change::default() };
        let (local, remote) = (socket.local, socket.remote);
        let (ends, side) = if local <= remote { ((local, remote), 0) } else { ((remote, local), 1) };
        let look = self.look;
        let half = Half { cookie: socket.cookie, phase, before: None, look };
        let connection = match self.connections.entry(ends) {
            Entry::Vacant(place) => {
                let mut halves = [None; 2];
                halves[side] = Some(half);
                place.insert(Connection { halves, opened: look, look });
                return Change { opened: true, closed_first: phase == Phase::TimeWait }.after_first(look);
            }
            Entry::Occupied(place) => place.into_mut(),
        };
        // What was not there at the last look is no predecessor.
        let last = connection.halves[side].filter(|one| one.look + 1 == look);
        let is_new = match last {
            Some(last) => is_another(last, half),
            None => connection.halves[1 - side]
                .is_some_and(|other| phase_before(other, look) == Some(Phase::TimeWait)),
        };
        let opened = is_new && connection.opened != look;
        if opened {
            connection.opened = look;
        }
        connection.halves[side] = Some(Half { before: last.map(|one| one.phase), ..half });
        connection.look = look;
        let entered = is_new || last.is_none_or(|last| last.phase != Phase::TimeWait);
        Change { opened, closed_first: phase == Phase::TimeWait && entered }.after_first(look)
    }

    /// Ends a look: connections that it did not see are gone.
    pub(crate) fn end(&mut self) {
        let look = self.look;
        self.connections.retain(|_, connection| connection.look == look);
    }
}

impl Change {
    fn after_first(self, look: u32) -> Self {
        if look == 1 { Self::default() } else { self }
    }
}

/// The phase of a state; None for sockets that are no connection yet, or none any more.
fn phase(state: u8) -> Option<Phase> {
    match state {
        1 | 4 | 8 | 9 | 11 => Some(Phase::Alive),
        5 => Some(Phase::HalfClosed),
        6 => Some(Phase::TimeWait),
        _ => None,
    }
}

/// Whether a socket is of another connection than the one that was in its place.
fn is_another(last: Half, now: Half) -> bool {
    let goes_on = now.phase > last.phase || (now.phase, last.phase) == (Phase::HalfClosed, Phase::HalfClosed);
    last.cookie != now.cookie && !goes_on
}

fn phase_before(half: Half, look: u32) -> Option<Phase> {
    if half.look == look { half.before } else { Some(half.phase) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    const ALIVE: u8 = 1;
    const SYN_SENT: u8 = 2;
    const HALF_CLOSED: u8 = 5;
    const TIME_WAIT: u8 = 6;
    const CLOSE_WAIT: u8 = 8;

    fn end(port: u16) -> End {
        End { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port }
    }

    /// A socket of the connection from port 40000 to port 80, at the end of port `local`.
    fn at(local: u16, state: u8, cookie: u64) -> Socket {
        let remote = if local == 80 { 40000 } else { 80 };
        Socket {
            local: end(local),
            remote: end(remote),
            state,
            cookie,
            receive_queue: 0,
            send_queue: 0,
            inode: 0,
            uid: 0,
            info: None,
        }
    }

    /// Number of those opened, and closed first at port 40000 and at port 80, in each look but the first.
    fn changes(looks: &[&[Socket]]) -> Vec<(usize, usize, usize)> {
        let mut seen = Seen::default();
        let mut found = Vec::new();
        for look in [&[][..]].iter().chain(looks) {
            seen.begin();
            let told: Vec<_> = look.iter().map(|one| (one.local.port, seen.note(one))).collect();
            seen.end();
            let closed = |port| told.iter().filter(|(at, change)| *at == port && change.closed_first).count();
            found.push((told.iter().filter(|(_, change)| change.opened).count(), closed(40000), closed(80)));
        }
        found.split_off(1)
    }

    #[test]
    fn a_connection_with_both_ends_here_is_opened_once_and_closed_first_at_one_end() {
        let looks: [&[Socket]; 3] = [
            &[at(40000, ALIVE, 1), at(80, ALIVE, 2)],
            &[at(80, CLOSE_WAIT, 2), at(40000, HALF_CLOSED, 1)],
            &[at(40000, TIME_WAIT, 3)],
        ];
        assert_eq!(changes(&looks), [(1, 0, 0), (0, 0, 0), (0, 1, 0)]);
    }

    #[test]
    fn one_that_came_and_went_between_two_looks_is_opened_and_closed() {
        assert_eq!(changes(&[&[at(80, TIME_WAIT, 1)]]), [(1, 0, 1)]);
    }

    #[test]
    fn what_stays_is_not_told_again() {
        let looks: [&[Socket]; 4] = [
            &[at(40000, ALIVE, 1)],
            &[at(40000, ALIVE, 1)],
            &[at(40000, TIME_WAIT, 2)],
            &[at(40000, TIME_WAIT, 2)],
        ];
        assert_eq!(changes(&looks), [(1, 0, 0), (0, 0, 0), (0, 1, 0), (0, 0, 0)]);
    }

    #[test]
    fn the_small_socket_of_a_half_closed_connection_is_no_other_connection() {
        let looks: [&[Socket]; 3] =
            [&[at(40000, HALF_CLOSED, 1)], &[at(40000, HALF_CLOSED, 2)], &[at(40000, TIME_WAIT, 2)]];
        assert_eq!(changes(&looks), [(1, 0, 0), (0, 0, 0), (0, 1, 0)]);
    }

    #[test]
    fn ports_that_are_used_again_make_another_connection() {
        let out_of_time_wait: [&[Socket]; 2] =
            [&[at(40000, TIME_WAIT, 1)], &[at(40000, ALIVE, 2), at(80, ALIVE, 3)]];
        assert_eq!(changes(&out_of_time_wait), [(1, 1, 0), (1, 0, 0)]);
        let within_one_look: [&[Socket]; 2] = [&[at(40000, TIME_WAIT, 1)], &[at(40000, TIME_WAIT, 2)]];
        assert_eq!(changes(&within_one_look), [(1, 1, 0), (1, 1, 0)]);
        let while_alive: [&[Socket]; 2] = [&[at(40000, ALIVE, 1)], &[at(40000, ALIVE, 2)]];
        assert_eq!(changes(&while_alive), [(1, 0, 0), (1, 0, 0)]);
        let closed_from_the_other_end: [&[Socket]; 2] = [&[at(40000, TIME_WAIT, 1)], &[at(80, TIME_WAIT, 2)]];
        assert_eq!(changes(&closed_from_the_other_end), [(1, 1, 0), (1, 0, 1)]);
    }

    #[test]
    fn the_other_end_that_is_seen_later_is_no_other_connection() {
        let looks: [&[Socket]; 2] = [&[at(40000, ALIVE, 1)], &[at(80, ALIVE, 2), at(40000, ALIVE, 1)]];
        assert_eq!(changes(&looks), [(1, 0, 0), (0, 0, 0)]);
    }

    #[test]
    fn one_that_is_being_opened_is_none_yet() {
        let looks: [&[Socket]; 2] = [&[at(40000, SYN_SENT, 1)], &[at(40000, ALIVE, 1)]];
        assert_eq!(changes(&looks), [(0, 0, 0), (1, 0, 0)]);
    }

    #[test]
    fn what_was_there_at_the_first_look_is_not_new() {
        let mut seen = Seen::default();
        seen.begin();
        assert_eq!(seen.note(&at(80, TIME_WAIT, 1)), Change::default());
        seen.end();
    }

    #[test]
    fn what_is_gone_is_forgotten() {
        let mut seen = Seen::default();
        for look in [&[at(80, ALIVE, 1)][..], &[]] {
            seen.begin();
            for one in look {
                seen.note(one);
            }
            seen.end();
        }
        assert!(seen.connections.is_empty());
    }
}
