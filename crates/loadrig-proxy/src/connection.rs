//! A client, the dependency, and what is between them.

use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::rng::Rng;
use loadrig_engine::poll::Event;
use loadrig_engine::socket;
use rustix::io::Errno;
use rustix::net::{AddressFamily, Shutdown, ipproto, sockopt};

use crate::lane::{End, Lane};
use crate::message::Counters;
use crate::rate::Rate;
use crate::settings::{RETRANSMIT_NS, Settings};

/// The side of a connection that has connected to us, and the way to the dependency.
pub(crate) const CLIENT: usize = 0;
/// The side of the dependency, and the way back.
pub(crate) const DEPENDENCY: usize = 1;

/// Number of reads and writes of a connection before others have their turn: 1 MiB each way.
const TURNS: usize = 16;

/// Beyond any instant.
pub(crate) const NEVER: u64 = u64::MAX;

/// State that all connections have in common.
#[derive(Debug)]
pub(crate) struct Terms {
    pub settings: Settings,
    pub rates: [Rate; 2],
    pub counters: Counters,
    pub rng: Rng,
}

/// Events for which a connection waits, after it has done what it could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Its sockets, and this instant.
    Wait(u64),
    /// Nothing: it has more to do.
    Again,
    /// Over.
    Over,
}

/// State of an end, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outlook {
    /// The end may send more.
    Open,
    /// The end will send nothing more: reading goes on until that shows.
    Ended,
    /// The end takes nothing more either.
    Failed,
}

/// An end.
#[derive(Debug)]
struct Side {
    socket: OwnedFd,
    is_readable: bool,
    is_writable: bool,
    outlook: Outlook,
}

impl Side {
    fn new(socket: OwnedFd, is_connected: bool) -> Self {
        Self { socket, is_readable: false, is_writable: is_connected, outlook: Outlook::Open }
    }
}

/// A client's connection and the one to the dependency. The lane of a side is what that side sends.
#[derive(Debug)]
pub(crate) struct Connection {
    sides: [Side; 2],
    lanes: [Lane; 2],
    is_connected: bool,
    is_aborted: bool,
    /// The dependency has spoken since the client did, or nobody has.
    is_new_round: bool,
    /// The instant for which it is in the list of those that wait.
    pub armed_ns: u64,
}

impl Connection {
    /// Begins to connect to the dependency for a client that is there.
    pub(crate) fn new(client: OwnedFd, to: SocketAddr) -> Result<Self, Errno> {
        let dependency = match dial(to) {
            Ok(socket) => socket,
            Err(errno) => {
                reset(&client);
                return Err(errno);
            }
        };
        Ok(Self {
            sides: [Side::new(client, true), Side::new(dependency, false)],
            lanes: [Lane::default(), Lane::default()],
            is_connected: false,
            is_aborted: false,
            is_new_round: true,
            armed_ns: NEVER,
        })
    }

    pub(crate) fn socket(&self, side: usize) -> impl AsFd + '_ {
        self.sides[side].socket.as_fd()
    }

    /// The line has changed.
    pub(crate) fn line_changed(&mut self) {
        self.lanes.iter_mut().for_each(Lane::line_changed);
    }

    /// Takes note of what happened to a side.
    pub(crate) fn note(&mut self, side: usize, event: Event, terms: &mut Terms) {
        if side == DEPENDENCY && !self.is_connected && event.is_writable() {
            self.is_connected = true;
            let socket = &self.sides[side].socket;
            if !matches!(sockopt::socket_error(socket), Ok(Ok(()))) {
                terms.counters.refused += 1;
                self.abort(CLIENT);
                return;
            }
        }
        let one = &mut self.sides[side];
        one.is_readable |= event.is_readable();
        one.is_writable |= event.is_writable();
        if event.is_ended() {
            one.outlook = one.outlook.max(Outlook::Ended);
        }
    }

    /// Does all that can be done now, or as much as is fair.
    pub(crate) fn go_on(&mut self, terms: &mut Terms, buffer: &mut [u8]) -> Next {
        for _ in 0..TURNS {
            let mut has_moved = false;
            for from in [CLIENT, DEPENDENCY] {
                has_moved |= self.read(from, terms, buffer);
                has_moved |= self.hand_on(from, terms);
            }
            if self.is_aborted || self.lanes.iter().all(|lane| lane.is_over) {
                return Next::Over;
            }
            if !has_moved {
                return Next::Wait(self.next_ns());
            }
        }
        Next::Again
    }

    /// Instant at which something that is held may go on, where its receiver would take it.
    fn next_ns(&self) -> u64 {
        let waiting = [CLIENT, DEPENDENCY].into_iter().filter(|from| self.sides[1 - from].is_writable);
        waiting.filter_map(|from| self.lanes[from].next_ns()).min().unwrap_or(NEVER)
    }

    /// Reads once, if there may be something to read and room for it. Returns whether there was.
    fn read(&mut self, from: usize, terms: &mut Terms, buffer: &mut [u8]) -> bool {
        let (side, lane) = (&mut self.sides[from], &mut self.lanes[from]);
        if !side.is_readable || lane.end.is_some() || !lane.has_room() {
            return false;
        }
        let found = match rustix::io::read(&side.socket, &mut *buffer) {
            Ok(0) => {
                let has_failed = side.outlook == Outlook::Failed;
                lane.end = Some(if has_failed { End::Broken } else { End::Finished });
                return true;
            }
            Ok(found) => found,
            Err(Errno::AGAIN) => {
                side.is_readable = false;
                return false;
            }
            Err(Errno::INTR) => return true,
            Err(_) => {
                lane.end = Some(End::Broken);
                return true;
            }
        };
        // Whatever comes after a short read is told of anew; an end that has been told of is not.
        side.is_readable = found == buffer.len() || side.outlook > Outlook::Open;
        self.came(from, &buffer[..found], terms);
        true
    }

    /// Hands on at once what need not wait, and holds the rest.
    fn came(&mut self, from: usize, bytes: &[u8], terms: &mut Terms) {
        let counters = &mut terms.counters;
        if from == CLIENT {
            counters.chunks_to += 1;
            counters.bytes_to += bytes.len() as u64;
            counters.round_trips += u64::from(std::mem::take(&mut self.is_new_round));
        } else {
            counters.chunks_from += 1;
            counters.bytes_from += bytes.len() as u64;
            self.is_new_round = true;
        }
        let delay_ns = if from == CLIENT { terms.settings.delay_ns() } else { 0 };
        let is_lost = terms.settings.loss > 0.0 && terms.rng.chance(terms.settings.loss);
        counters.lost += u64::from(is_lost);
        let hold_ns = delay_ns + if is_lost { RETRANSMIT_NS } else { 0 };
        let lane = &mut self.lanes[from];
        // Not the time of the waking: what was read may have come since.
        let came_ns = Monotonic.now_ns();
        let due_ns = lane.due_ns(came_ns, hold_ns);
        let to = &mut self.sides[1 - from];
        let mut rest = bytes;
        if lane.is_empty() && due_ns <= came_ns && to.is_writable && !terms.rates[from].is_limited() {
            match send(to, bytes) {
                Ok(count) => rest = &bytes[count..],
                Err(()) => return self.receiver_failed(from),
            }
        }
        if !rest.is_empty() {
            // Behind a lost chunk, or one of a longer delay, it waits for that and not for its own.
            let is_timed = delay_ns > 0 && due_ns == came_ns + delay_ns;
            lane.push(rest, came_ns, due_ns, is_timed);
        }
    }

    /// Hands on what is due, as far as the receiver takes it, then the end. Returns whether anything was.
    fn hand_on(&mut self, from: usize, terms: &mut Terms) -> bool {
        let mut has_moved = false;
        let (lane, to) = (&mut self.lanes[from], &mut self.sides[1 - from]);
        while to.is_writable && !lane.is_empty() {
            let now_ns = Monotonic.now_ns();
            let Some(ready) = lane.ready(now_ns, &mut terms.rates[from]) else { break };
            let Ok(count) = send(to, ready) else {
                self.receiver_failed(from);
                return true;
            };
            has_moved |= count > 0;
            if let Some(came_ns) = lane.handed_on(count) {
                terms.counters.delayed += 1;
                terms.counters.delayed_ns += now_ns - came_ns;
            }
        }
        if lane.is_empty() && !lane.is_over {
            match lane.end {
                Some(End::Finished) if self.is_connected => {
                    lane.is_over = true;
                    // It may be gone by itself, and then there is nobody to tell.
                    let _ = rustix::net::shutdown(&to.socket, Shutdown::Write);
                    has_moved = true;
                }
                Some(End::Broken) => self.abort(1 - from),
                _ => {}
            }
        }
        has_moved
    }

    /// A side takes nothing more. What it has said before is still read, and handed on.
    fn receiver_failed(&mut self, from: usize) {
        self.lanes[from].give_up();
        let failed = &mut self.sides[1 - from];
        failed.outlook = Outlook::Failed;
        (failed.is_readable, failed.is_writable) = (true, false);
    }

    /// Ends it all, for one side as its connection had been broken.
    fn abort(&mut self, side: usize) {
        reset(&self.sides[side].socket);
        self.is_aborted = true;
    }
}

/// Sends what the receiver takes now; an error is final.
fn send(to: &mut Side, bytes: &[u8]) -> Result<usize, ()> {
    loop {
        // No SIGPIPE: a receiver that is gone is no reason to end with it.
        match rustix::net::send(&to.socket, bytes, socket::NO_SIGNAL) {
            Ok(count) => {
                to.is_writable = count == bytes.len();
                return Ok(count);
            }
            Err(Errno::INTR) => {}
            Err(errno) if socket::is_not_yet(errno) => {
                to.is_writable = false;
                return Ok(0);
            }
            Err(_) => return Err(()),
        }
    }
}

/// Begins to connect; whether it worked shows when the socket can be written to.
fn dial(to: SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket::stream(family, Some(ipproto::TCP))?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    match rustix::net::connect(&socket, &to) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(socket),
        Err(errno) => Err(errno),
    }
}

/// Lets the socket be reset when it is closed.
fn reset(socket: &OwnedFd) {
    // Without it the other side sees an end instead of a failure, which is no worse than that.
    let _ = sockopt::set_socket_linger(socket, Some(Duration::ZERO));
}
