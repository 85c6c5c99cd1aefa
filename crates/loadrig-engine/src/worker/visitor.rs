//! Visitor who makes requests: a user of the closed model, an arrival of the open one, or a session.

use loadrig_core::exchange::Exchange;

use super::destination::Way;
use crate::request::{RouteId, User, Walk};
use crate::slab::NONE;

/// State of a visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nobody has this number.
    Gone,
    /// Thinking; the next request is due later.
    Resting,
    /// Its next request is due now, and is taken up before anything is waited for.
    Soon,
    /// Waiting for a login that another visitor of the same user is making.
    AwaitingLogin,
    /// Waiting for the requests that were sent at once with its own.
    AwaitingBeside,
    /// Its request waits for a connection to be free.
    Queued,
    /// Its request waits for the server's backlog to have room.
    Redialling,
    /// Its request has a connection that is being made.
    Connecting,
    /// Its request is on its way, or the answer is.
    Carried,
}

/// Whoever walks through a scenario, one request after the other. Its number and its memory are
/// used again for the next one.
#[derive(Debug)]
pub(super) struct Visitor {
    pub phase: Phase,
    /// User whose variables, cookies and token it uses.
    pub person: u32,
    pub walk: Walk,
    /// The request under way, or the last one.
    pub exchange: Exchange,
    /// Its route; none before the first.
    pub route: Option<RouteId>,
    /// The connection that it has for the request under way, or NONE.
    pub connection: u32,
    /// Where that connection leads.
    pub way: Way,
    /// Connections that it has for other requests.
    aside: Vec<(Way, u32)>,
    /// The lane of its request on that connection, with HTTP/2, or NONE.
    pub lane: u32,
    /// Instant at which its next request is due, while it rests.
    pub due_ns: u64,
    /// Instant at which dialling for the request under way began.
    pub dialled_ns: u64,
    /// Instant at which it came.
    pub arrived_ns: u64,
    /// Loops through scenarios that are left.
    pub loops_left: u64,
    /// Connections in a row that could not be made.
    pub setbacks: u32,
    /// Number of its latest wait in the queue.
    pub ticket: u64,
    /// Nothing of it was sent yet.
    pub is_new: bool,
    /// Whether it leaves after its request under way.
    pub is_leaving: bool,
    /// Its place among the users of the closed model.
    pub place: usize,
    /// The request that goes out next, where it was composed beforehand: that of a redirect which is being
    /// followed, or one that the cache was asked about.
    pub hop: Vec<u8>,
    /// Whether that is the first one, and no redirect's.
    pub is_ahead: bool,
    /// Visitor whose step it makes at once with another; NONE of one that goes its own way.
    pub leader: u32,
    /// Visitors that make steps at once with its own.
    pub beside: u32,
    /// Pause after connections that could not be made.
    pub pause_ns: u64,
}

impl Default for Visitor {
    fn default() -> Self {
        Self {
            phase: Phase::Gone,
            person: NONE,
            walk: Walk::default(),
            exchange: Exchange::default(),
            route: None,
            connection: NONE,
            way: Way::default(),
            aside: Vec::new(),
            lane: NONE,
            due_ns: 0,
            dialled_ns: 0,
            arrived_ns: 0,
            loops_left: 0,
            setbacks: 0,
            ticket: 0,
            is_new: true,
            is_leaving: false,
            place: usize::MAX,
            hop: Vec::new(),
            is_ahead: false,
            leader: NONE,
            beside: 0,
            pause_ns: 0,
        }
    }
}

impl Visitor {
    /// Begins a new life under this number, at its first loop.
    pub(super) fn come(&mut self, person: u32, arrived_ns: u64, loops: u64) {
        self.phase = Phase::Soon;
        self.person = person;
        self.route = None;
        self.connection = NONE;
        self.aside.clear();
        self.lane = NONE;
        self.due_ns = arrived_ns;
        self.arrived_ns = arrived_ns;
        self.loops_left = loops;
        self.setbacks = 0;
        // A place of its life before may still be in the queue: its ticket must not fit.
        self.ticket += 1;
        self.is_new = true;
        self.is_leaving = false;
        self.place = usize::MAX;
        self.hop.clear();
        self.is_ahead = false;
        self.leader = NONE;
        self.beside = 0;
        self.pause_ns = 0;
    }

    /// Lays its connection aside, if the request under way needs another one, and takes that up.
    pub(super) fn turn_to(&mut self, way: Way) {
        if self.way == way {
            return;
        }
        let before = std::mem::replace(&mut self.way, way);
        if self.connection != NONE {
            self.aside.push((before, self.connection));
        }
        let place = self.aside.iter().position(|(other, _)| *other == way);
        self.connection = place.map_or(NONE, |place| self.aside.swap_remove(place).1);
    }

    /// It no longer has this connection.
    pub(super) fn lose(&mut self, connection: u32) {
        if self.connection == connection {
            self.connection = NONE;
        } else {
            self.aside.retain(|(_, other)| *other != connection);
        }
    }

    /// Takes one of its connections; none if it has none.
    pub(super) fn take_connection(&mut self) -> Option<u32> {
        let at_hand = std::mem::replace(&mut self.connection, NONE);
        if at_hand == NONE { self.aside.pop().map(|(_, connection)| connection) } else { Some(at_hand) }
    }
}

/// A user's memory, and who waits for its login.
#[derive(Debug)]
pub(super) struct Person {
    pub user: User,
    /// Visitors of this user that wait for a login.
    pub waiting: Vec<u32>,
}
