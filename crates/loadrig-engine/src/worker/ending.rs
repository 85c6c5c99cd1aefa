//! Ends of requests that got no answer, of visitors, and of the run.

use std::fmt::Display;

use loadrig_core::outcome::Outcome;

use super::cached::NOTHING_ASKED_NS;
use super::destination::Destination;
use super::model::Model;
use super::request::is_stale;
use super::visitor::Phase;
use super::{State, Why, Worker};
use crate::config::RouteClass;
use crate::connection::{Doing, Speech};
use crate::live::Example;
use crate::request::RouteId;
use crate::slab::NONE;

/// The first pause after a connection that could not be made, and the longest.
const BACKOFF_FIRST_NS: u64 = 10_000_000;
const BACKOFF_MOST_NS: u64 = 1_000_000_000;

/// Reason why a request was never sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsent {
    /// No connection was free in time.
    NoConnection,
    /// The run was over.
    End,
}

impl Worker {
    /// The visitor's request has taken too long.
    pub(super) fn timed_out(&mut self, id: u32) {
        self.tick();
        self.note_first_byte(id);
        let visitor = &self.visitors[id];
        let timeout_ns = visitor.route.map_or(0, |route| self.facts(route).timeout_ns);
        let is_over = self.now_ns >= visitor.exchange.due_ns.saturating_add(timeout_ns);
        match visitor.phase {
            // A request that was redirected was sent, though its next hop was not.
            Phase::Queued if visitor.exchange.sent_ns.is_none() => self.unsent(id, Unsent::NoConnection),
            Phase::Redialling | Phase::Connecting if !is_over => {
                let detail = "no connection within the time-out for connecting";
                let connection = visitor.connection;
                if visitor.lane == NONE {
                    self.failed(id, Outcome::ConnectTimeout, &detail);
                } else {
                    self.break_off(connection, Outcome::ConnectTimeout, &detail);
                }
            }
            Phase::Queued | Phase::Redialling | Phase::Connecting | Phase::Carried => {
                let detail = match (visitor.exchange.sent_ns, visitor.exchange.first_byte_ns) {
                    (None, _) => "no connection within the request's time-out",
                    (_, None) => "no answer within the request's time-out",
                    (_, Some(_)) => "no whole answer within the request's time-out",
                };
                self.failed(id, Outcome::Timeout, &detail);
            }
            Phase::Gone | Phase::Resting | Phase::Soon | Phase::AwaitingLogin | Phase::AwaitingBeside => {}
        }
    }

    /// The visitor's request got no answer. Its connection, if it has one, is closed.
    pub(super) fn failed(&mut self, id: u32, outcome: Outcome, detail: &dyn Display) {
        let end_ns = self.tick();
        let visitor = &mut self.visitors[id];
        let Some(route) = visitor.route else { return };
        visitor.exchange.end_ns = Some(end_ns);
        let exchange = visitor.exchange;
        let phase = std::mem::replace(&mut visitor.phase, Phase::Resting);
        self.book.lost(&mut self.people[visitor.person].user, &mut visitor.walk, route);
        self.timeouts.clear(id);
        self.ledger.ended(route, outcome, &exchange, end_ns, 0);
        if self.ledger.may_tell(route, outcome) {
            let (detail, headers) = (detail.to_string(), Vec::new());
            self.ledger.live.examples.push(Example { t_ns: end_ns, route, outcome, detail, headers });
        }
        self.give_up(id, phase);
        self.go_on_after(id, route, outcome);
    }

    /// The visitor's request was never sent.
    pub(super) fn unsent(&mut self, id: u32, why: Unsent) {
        let end_ns = self.tick();
        let visitor = &mut self.visitors[id];
        let Some(route) = visitor.route else { return };
        visitor.exchange.end_ns = Some(end_ns);
        let due_ns = visitor.exchange.due_ns;
        let phase = std::mem::replace(&mut visitor.phase, Phase::Resting);
        self.book.lost(&mut self.people[visitor.person].user, &mut visitor.walk, route);
        self.ledger.unsent(why, due_ns, end_ns);
        self.timeouts.clear(id);
        self.give_up(id, phase);
        self.after(id, route, false, 0);
    }

    /// Gives back what a request had, or waited for, in this phase.
    fn give_up(&mut self, id: u32, phase: Phase) {
        let visitor = &mut self.visitors[id];
        visitor.hop.clear();
        let connection = visitor.connection;
        let admission = &mut self.destinations[visitor.way.server].admission;
        match phase {
            _ if visitor.lane != NONE => self.cancel_stream(id, connection),
            _ if connection != NONE => self.close(connection),
            Phase::Queued => {
                let visitors = &self.visitors;
                admission.left(|waiting| is_stale(visitors, waiting));
            }
            Phase::Redialling => {
                self.wakes.clear(id);
                admission.closed(None);
            }
            _ => {}
        }
    }

    /// Lets the visitor go on after a request that was answered or failed.
    pub(super) fn go_on_after(&mut self, id: u32, route: RouteId, outcome: Outcome) {
        let mut pause_ns = 0;
        if outcome.is_of_connecting() && !matches!(self.model, Model::Open(_)) {
            // A failure that is quick must not look like throughput.
            let visitor = &mut self.visitors[id];
            pause_ns = BACKOFF_MOST_NS.min(BACKOFF_FIRST_NS << visitor.setbacks.min(7));
            visitor.setbacks += 1;
            self.ledger.live.counts.backoffs += 1;
        }
        self.after(id, route, outcome == Outcome::Ok, pause_ns);
    }

    fn after(&mut self, id: u32, route: RouteId, is_ok: bool, pause_ns: u64) {
        let is_login = self.facts(route).class == RouteClass::Login;
        let visitor = &mut self.visitors[id];
        let end_ns = visitor.exchange.end_ns.unwrap_or(self.now_ns);
        let person = visitor.person;
        visitor.phase = Phase::Resting;
        if is_login && !self.people[person].waiting.is_empty() {
            self.release_waiting(person, end_ns);
        }
        // An arrival whose login failed is over. To let it try again would turn a login that
        // fails into ever more logins, all at once.
        let gives_up = is_login && !is_ok && matches!(self.model, Model::Open(_));
        let visitor = &mut self.visitors[id];
        visitor.pause_ns = pause_ns;
        if gives_up {
            self.leave(id);
        } else if visitor.beside > 0 {
            visitor.phase = Phase::AwaitingBeside;
        } else {
            let step = self.book.latest(&visitor.walk).filter(|_| !is_login);
            self.proceed(id, step.unwrap_or(route));
        }
    }

    /// Lets the visitor go on after a step, or its last of several at once, which were over at its `end_ns`.
    pub(super) fn proceed(&mut self, id: u32, route: RouteId) {
        let visitor = &mut self.visitors[id];
        let end_ns = visitor.exchange.end_ns.unwrap_or(self.now_ns);
        let is_through = self.book.is_through(&self.people[visitor.person].user, &mut visitor.walk);
        let has_helped = is_through && visitor.leader != NONE;
        if visitor.is_leaving || has_helped || self.state != State::Running {
            return self.leave(id);
        }
        let user = &mut self.people[visitor.person].user;
        if is_through {
            visitor.loops_left -= 1;
            if visitor.loops_left == 0 {
                return self.finished(id);
            }
            if self.book.has_asked_nothing(&visitor.walk) {
                visitor.pause_ns = visitor.pause_ns.max(NOTHING_ASKED_NS);
            }
            self.book.again(user, &mut visitor.walk);
        }
        let pause_ns = std::mem::take(&mut visitor.pause_ns);
        let think_ns = self.book.think_ns(user, route);
        visitor.due_ns = end_ns.saturating_add(think_ns.max(pause_ns));
        if visitor.due_ns <= self.now_ns {
            visitor.phase = Phase::Soon;
            self.soon.push_back(id);
        } else {
            let due_ns = visitor.due_ns;
            self.wakes.set(id, due_ns);
        }
    }

    /// A login is over: those who wait for it ask again.
    fn release_waiting(&mut self, person: u32, at_ns: u64) {
        let mut waiting = std::mem::take(&mut self.people[person].waiting);
        for id in waiting.drain(..) {
            let visitor = &mut self.visitors[id];
            visitor.phase = Phase::Soon;
            visitor.due_ns = at_ns;
            self.soon.push_back(id);
        }
        self.people[person].waiting = waiting;
    }

    /// Closes a connection, whoever has it.
    pub(super) fn close(&mut self, connection: u32) {
        let link = &mut self.connections[connection];
        let Destination { admission, dialler, .. } = &mut self.destinations[link.server];
        if link.doing != Doing::Connecting && !link.is_ended {
            dialler.closed(self.now_ns);
        }
        let owner = link.owner;
        link.close();
        self.connections.give_back(connection);
        admission.closed(Some(connection));
        if owner != NONE {
            self.visitors[owner].lose(connection);
        }
    }

    /// An idle connection is of no use any more.
    pub(super) fn drop_idle(&mut self, connection: u32) {
        self.tick();
        self.close(connection);
    }

    /// Goes on over new connections. A WebSocket stays: its visitor's conversation goes on.
    pub(super) fn renew(&mut self) {
        self.renewed_ns = self.tick();
        for id in 0..self.connections.end() {
            let link = &self.connections[id];
            if link.doing == Doing::Idling && !matches!(link.speech, Speech::WebSocket(_)) {
                self.close(id);
            }
        }
    }

    /// Whether the connection is to carry nothing more, as it is older than the last renewal.
    pub(super) fn is_outdated(&self, connection: u32) -> bool {
        self.connections[connection].dialled_ns < self.renewed_ns
    }

    /// Begins the end: nothing new is taken up, what is under way is waited for.
    pub(super) fn drain(&mut self, why: Why) {
        if self.state != State::Running {
            return;
        }
        let until_ns = self.now_ns.saturating_add(self.settings.drain_ns);
        self.state = State::Draining { why, until_ns };
        for id in 0..self.visitors.end() {
            if matches!(self.visitors[id].phase, Phase::Resting | Phase::Soon | Phase::AwaitingLogin) {
                self.leave(id);
            }
        }
    }

    /// Ends all that is still under way: what was sent has no answer, what was not is unsent.
    pub(super) fn cut_off(&mut self) {
        self.send_all_away();
        for id in 0..self.visitors.end() {
            let visitor = &self.visitors[id];
            match visitor.phase {
                Phase::Gone | Phase::Resting | Phase::Soon | Phase::AwaitingLogin | Phase::AwaitingBeside => {
                }
                _ if visitor.exchange.sent_ns.is_some() => {
                    self.failed(id, Outcome::Timeout, &"no answer when the run was over");
                }
                Phase::Queued | Phase::Redialling | Phase::Connecting | Phase::Carried => {
                    self.unsent(id, Unsent::End);
                }
            }
        }
    }

    /// Reason why the run is over, if it is.
    pub(super) fn is_over(&mut self) -> Option<Why> {
        let State::Draining { why, until_ns } = self.state else { return None };
        if self.ledger.in_flight() > 0 && self.now_ns >= until_ns {
            self.cut_off();
        }
        (self.ledger.in_flight() == 0).then_some(why)
    }
}
