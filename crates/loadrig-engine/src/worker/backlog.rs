//! Arrivals of the open model that wait for their first connection, each in a few bytes.
//!
//! A server that is too slow lets them pile up by the hundred thousand, and the generator must not
//! grow like the problem that it shows. A whole visitor takes some 300 bytes and its time-out
//! another 40; but of an arrival that nobody has served yet there is no more to know than its number, when it
//! was due, when it was taken up, and whose it is. It becomes a visitor when its turn comes, or
//! when its time is over.

use std::collections::VecDeque;

use loadrig_core::exchange::Exchange;

use super::ending::Unsent;
use super::model::Model;
use super::request::is_stale;
use super::visitor::Phase;
use super::{RouteFacts, State, Why, Worker};
use crate::config::{EngineConfig, RouteClass, Scenario};
use crate::request::Next;
use crate::timers::NEVER;

/// An arrival whose request was taken up and has no connection yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Arrived {
    n: u64,
    due_ns: u64,
    taken_ns: u64,
    person: u32,
}

/// Arrivals that wait, in the order in which they were due.
#[derive(Debug)]
pub(super) struct Backlog {
    waiting: VecDeque<Arrived>,
    /// The time-out of every arrival's first request. None if they may differ, or if that request
    /// may be a login, go to another server, bring others or be left out: then each needs its own, and
    /// all arrivals become visitors at once.
    timeout_ns: Option<u64>,
    /// Number of the server that every arrival's first request goes to.
    server: usize,
}

impl Backlog {
    pub(super) fn new(config: &EngineConfig, model: &Model, routes: &[RouteFacts]) -> Self {
        let mut firsts = config.scenarios.iter().map(|scenario| routes.get(*scenario.steps.first()?));
        let common = firsts.next().flatten().filter(|first| {
            let is_same = |other: &RouteFacts| {
                let goes_along = other.timeout_ns == first.timeout_ns && other.way == first.way;
                goes_along && other.class == RouteClass::Service
            };
            is_same(first) && firsts.all(|other| other.is_some_and(is_same))
        });
        let is_plain = |scenario: &Scenario| scenario.beside.is_empty() && scenario.passages.is_empty();
        let is_single = config.scenarios.iter().all(is_plain);
        let fits = matches!(model, Model::Open(_)) && config.login.is_none() && is_single;
        let common = common.filter(|_| fits);
        let timeout_ns = common.map(|first| first.timeout_ns);
        Self { waiting: VecDeque::new(), timeout_ns, server: common.map_or(0, |first| first.way.server) }
    }

    /// Number of those who wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Instant at which the time of the first one is over; NEVER if nobody waits.
    pub(super) fn next_ns(&self) -> u64 {
        // All have the same time-out, so that the one that was due first is the first to go.
        match (self.waiting.front(), self.timeout_ns) {
            (Some(first), Some(timeout_ns)) => first.due_ns.saturating_add(timeout_ns),
            _ => NEVER,
        }
    }
}

impl Worker {
    /// Lets an arrival wait if no connection is free; false if it is to be taken up now.
    pub(super) fn put_off(&mut self, person: u32, n: u64, due_ns: u64) -> bool {
        let must_wait =
            self.backlog.timeout_ns.is_some() && !self.destinations[self.backlog.server].admission.has_room();
        if !must_wait || self.state != State::Running {
            return false;
        }
        if !self.stop.take() {
            self.drain(Why::Requests);
            return true;
        }
        let exchange = Exchange::taken(due_ns, self.now_ns);
        self.ledger.taken(&exchange);
        self.ledger.live.counts.capped += 1;
        self.backlog.waiting.push_back(Arrived { n, due_ns, taken_ns: exchange.taken_ns, person });
        true
    }

    /// Whether anybody waits for a connection to this server.
    pub(super) fn is_waited_for(&self, server: usize) -> bool {
        let has_arrivals = self.backlog.server == server && self.backlog.len() > 0;
        has_arrivals || self.destinations[server].admission.queued() > 0
    }

    /// Takes whoever has waited longest for a connection to this server.
    pub(super) fn first_in_line(&mut self, server: usize) -> Option<u32> {
        let visitors = &self.visitors;
        let admission = &mut self.destinations[server].admission;
        let since_ns = admission.first_since(|waiting| is_stale(visitors, waiting));
        let arrived = self.backlog.waiting.front().copied().filter(|_| self.backlog.server == server);
        match arrived.filter(|arrived| since_ns.is_none_or(|since_ns| arrived.taken_ns <= since_ns)) {
            Some(_) => self.seat_first(),
            None => admission.first(|waiting| is_stale(visitors, waiting)),
        }
    }

    /// The first arrival in the backlog becomes a visitor, its request taken up as it was.
    fn seat_first(&mut self) -> Option<u32> {
        let Arrived { n, due_ns, taken_ns, person } = self.backlog.waiting.pop_front()?;
        let id = self.come(person, n, due_ns, 1);
        let visitor = &mut self.visitors[id];
        let user = &mut self.people[person].user;
        let Next::Request(route) = self.book.next(user, &mut visitor.walk, self.now_ns) else {
            unreachable!("without logins every scenario that has a first step begins with it");
        };
        visitor.route = Some(route);
        visitor.exchange = Exchange::taken(due_ns, taken_ns);
        let RouteFacts { timeout_ns, way, .. } = self.routes[route.index()];
        visitor.turn_to(way);
        self.timeouts.set(id, due_ns.saturating_add(timeout_ns));
        Some(id)
    }

    /// Ends the waiting of arrivals whose time is over.
    pub(super) fn expire_arrivals(&mut self) {
        while self.backlog.next_ns() <= self.now_ns {
            self.send_away(Unsent::NoConnection);
        }
    }

    /// Ends the waiting of all arrivals, as the run is over.
    pub(super) fn send_all_away(&mut self) {
        while self.backlog.len() > 0 {
            self.send_away(Unsent::End);
        }
    }

    fn send_away(&mut self, why: Unsent) {
        if let Some(id) = self.seat_first() {
            self.visitors[id].phase = Phase::Soon;
            self.unsent(id, why);
        }
    }
}
