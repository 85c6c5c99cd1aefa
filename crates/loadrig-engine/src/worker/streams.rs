//! Requests on connections that carry several at once, each on a stream: HTTP/2.
//!
//! What is to be sent is put together for all streams of a connection and written once, when
//! everything that can be taken up was: one system call for as many requests as came due together.

use std::fmt::Display;

use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::outcome::Outcome;

use super::Worker;
use super::answer::{READINGS_MOST, Read, Reader, Verdict};
use super::visitor::Phase;
use crate::connection::{Doing, Speech, Trouble};
use crate::poll::{Event, Interest};
use crate::protocol::{Ended, Session};
use crate::request::RouteId;
use crate::slab::NONE;
use crate::transport::{Phase as Link, Received, Transport};

impl Worker {
    /// A connection was begun for the visitor's request: its streams can be used from now on, also
    /// by others, though nothing is sent before it is made.
    pub(super) fn begin_session(&mut self, id: u32, connection: u32) {
        let scheme = self.destinations[self.connections[connection].server].scheme.as_str();
        let session = match Session::new(scheme, self.settings.streams) {
            Ok(session) => session,
            Err(broken) => return self.failed(id, Outcome::Failed, &broken),
        };
        let link = &mut self.connections[connection];
        link.speech = Speech::Http2(Box::new(session));
        let is_plain = matches!(link.transport(), Transport::Plain(_));
        self.transmit(id, connection);
        if self.watch(connection, Interest::Both) && !is_plain {
            self.shake_session(connection);
        }
    }

    /// Puts the visitor's request on a stream. It is written when all that is due was taken up.
    pub(super) fn transmit_on_a_stream(&mut self, id: u32, connection: u32, route: RouteId) {
        if self.connections[connection].session().is_leaving() {
            // The server has said GOAWAY since the connection was chosen.
            self.leave_connection(id, connection);
            return self.obtain(id);
        }
        let (request, was_ready) = self.composed(id, route);
        let asked = self.facts(route).asked;
        let link = &mut self.connections[connection];
        link.owner = if self.settings.is_pooled { NONE } else { id };
        let is_connecting = link.doing == Doing::Connecting;
        let dialled_ns = link.dialled_ns;
        let session = link.session();
        let lane = session.open(id, &request, asked);
        let has_room = session.has_room();
        if was_ready && lane.is_none() {
            self.visitors[id].hop.extend_from_slice(&request);
        }
        self.scratch = request;
        let Some(lane) = lane else {
            // The numbers of its streams are used up: another connection must do.
            self.leave_connection(id, connection);
            return self.obtain(id);
        };
        self.visitors[id].lane = lane;
        if is_connecting {
            self.visitors[id].phase = Phase::Connecting;
            let give_up_ns = dialled_ns.saturating_add(self.settings.connect_ns);
            let request_ns = self.timeouts.deadline_ns(id);
            self.timeouts.set(id, give_up_ns.min(request_ns));
        } else {
            self.carry(id, connection, route);
        }
        self.flush_later(connection);
        if self.settings.is_pooled && has_room {
            self.destinations[self.connections[connection].server].admission.release(connection);
        }
    }

    fn flush_later(&mut self, connection: u32) {
        let link = &mut self.connections[connection];
        if !link.is_unflushed {
            link.is_unflushed = true;
            self.unflushed.push(connection);
        }
    }

    /// Writes what the sessions have to say.
    pub(super) fn flush_sessions(&mut self) {
        while let Some(connection) = self.unflushed.pop() {
            // It may have been closed, and its number used again, since it was put there.
            if self.connections[connection].is_unflushed {
                self.flush_session(connection);
            }
        }
    }

    fn flush_session(&mut self, connection: u32) {
        let now_ns = self.tick();
        let link = &mut self.connections[connection];
        let is_connecting = link.doing == Doing::Connecting;
        if is_connecting && !matches!(link.transport(), Transport::Plain(_)) {
            // TLS is not agreed on yet; what there is to say is said when it is.
            link.is_unflushed = false;
            return;
        }
        match link.flush_session() {
            Ok(sent) => {
                let has_out = link.has_out();
                self.ledger.live.counts.bytes_out += sent as u64;
                if sent > 0 && is_connecting {
                    self.session_made(connection);
                }
                while let Some(owner) = self.connections[connection].session().next_sent() {
                    // One that was sent before follows a redirect.
                    let is_hop = self.visitors[owner].exchange.sent_ns.is_some();
                    self.count_carried(connection, is_hop);
                    self.begun(owner, now_ns);
                }
                self.watch_room(connection, has_out);
                // What may no longer be sent, after a GOAWAY, has ended with that.
                let token = self.connections[connection].token(connection);
                self.take_ended(connection);
                let link = &mut self.connections[connection];
                if link.token(connection) == token
                    && let Some(broken) = link.session().is_over()
                {
                    self.break_off(connection, Outcome::NotHttp, &broken);
                }
            }
            Err(Trouble::Broken(broken)) => self.break_off(connection, Outcome::NotHttp, &broken),
            Err(Trouble::Fault(fault)) => {
                let phase = if is_connecting { Link::Connecting } else { Link::Connected };
                self.break_off(connection, fault.outcome(phase), &fault);
            }
        }
    }

    /// Watches for room to write, if there is something left to be written.
    pub(super) fn watch_room(&mut self, connection: u32, has_out: bool) {
        let link = &mut self.connections[connection];
        if has_out && !link.watches_room {
            link.watches_room = true;
            let token = link.token(connection);
            let watched = self.poll.watch_again(&*link.transport(), token, Interest::Both);
            watched.expect("a socket that is watched can be watched for more");
        }
    }

    /// Goes on with a TLS handshake.
    fn shake_session(&mut self, connection: u32) {
        match self.connections[connection].transport().shake() {
            Ok(true) => {
                self.tick();
                self.session_made(connection);
                self.flush_session(connection);
            }
            Ok(false) => {}
            Err(fault) => self.break_off(connection, fault.outcome(Link::Connecting), &fault),
        }
    }

    /// The connection is made: the requests that wait on it are on their way.
    fn session_made(&mut self, connection: u32) {
        self.made(connection);
        for owner in self.connections[connection].session().owners() {
            let visitor = &mut self.visitors[owner];
            visitor.setbacks = 0;
            if let Some(route) = visitor.route {
                self.carry(owner, connection, route);
            }
        }
    }

    /// Something happened to a connection with streams.
    pub(super) fn on_session(&mut self, connection: u32, event: Event) {
        let link = &mut self.connections[connection];
        let token = link.token(connection);
        let is_shaking = link.doing == Doing::Connecting && !matches!(link.transport(), Transport::Plain(_));
        if is_shaking {
            self.shake_session(connection);
        } else if event.is_writable() {
            self.flush_session(connection);
        }
        // What could be read may have been told with the same event, and will not be told again.
        let link = &self.connections[connection];
        let is_same = link.token(connection) == token;
        let is_made = matches!(link.doing, Doing::Carrying | Doing::Idling);
        if is_same && is_made && event.is_readable() {
            self.hear_session(connection);
        }
    }

    /// Reads all that is there, or as much as is fair.
    pub(super) fn hear_session(&mut self, connection: u32) {
        let token = self.connections[connection].token(connection);
        for reading in 1.. {
            let link = &mut self.connections[connection];
            match link.transport().receive(&mut self.room) {
                Ok(Received::Bytes { count, is_all }) => {
                    self.now_ns = Monotonic.now_ns();
                    self.ledger.live.counts.bytes_in += count as u64;
                    let is_all = is_all && !link.is_ended;
                    let session = link.session();
                    let fed = session.feed(&self.room[..count], self.now_ns);
                    let (resets, goaways) = session.take_counts();
                    self.ledger.live.counts.stream_resets += resets;
                    self.ledger.live.counts.goaways += goaways;
                    self.take_ended(connection);
                    self.take_back(connection, token);
                    let link = &mut self.connections[connection];
                    if link.token(connection) != token {
                        return;
                    }
                    if let Err(broken) = fed {
                        return self.break_off(connection, Outcome::NotHttp, &broken);
                    }
                    if link.session().wants_write() || link.session().is_over().is_some() {
                        self.flush_later(connection);
                    }
                    if is_all {
                        break;
                    }
                    if reading == READINGS_MOST {
                        return self.receive_later(connection);
                    }
                }
                Ok(Received::Nothing) => break,
                Ok(Received::End) => {
                    self.tick();
                    let detail = "the connection was closed before the whole answer";
                    return self.break_off(connection, Outcome::Closed, &detail);
                }
                Err(fault) => return self.break_off(connection, fault.outcome(Link::Connected), &fault),
            }
        }
        self.offer(connection);
    }

    /// Takes up all requests of a connection that have ended.
    fn take_ended(&mut self, connection: u32) {
        let token = self.connections[connection].token(connection);
        loop {
            let link = &mut self.connections[connection];
            if link.token(connection) != token {
                return;
            }
            let Some((lane, owner, ended)) = link.session().next_ended() else { return };
            self.note_first_byte(owner);
            match ended {
                Ended::Answered => self.stream_answered(owner, connection, lane),
                Ended::Reset(detail) => self.failed(owner, Outcome::StreamReset, &detail),
                Ended::NotTaken => {
                    let detail = "the server said GOAWAY before it took the request up";
                    self.failed(owner, Outcome::GoAway, &detail);
                }
                Ended::Broken(detail) => self.failed(owner, Outcome::NotHttp, &detail),
            }
        }
    }

    /// Finds other connections for requests that were put on this one and are more than the server
    /// turns out to allow.
    fn take_back(&mut self, connection: u32, token: u64) {
        loop {
            let link = &mut self.connections[connection];
            if link.token(connection) != token {
                return;
            }
            let Some(owner) = link.session().take_back() else { return };
            let visitor = &mut self.visitors[owner];
            visitor.connection = NONE;
            visitor.lane = NONE;
            self.obtain(owner);
        }
    }

    fn stream_answered(&mut self, id: u32, connection: u32, lane: u32) {
        let visitor = &mut self.visitors[id];
        let user = &mut self.people[visitor.person].user;
        let reader = Reader::new(&mut self.book, &self.routes, user, visitor, self.now_ns);
        let session = self.connections[connection].session();
        let Read { verdict, status, body_bytes, keeps_alive } =
            session.read(lane, |whole| reader.read(whole));
        session.free(lane);
        self.visitors[id].lane = NONE;
        let stays = keeps_alive && self.settings.keep_alive && !self.is_outdated(connection);
        match verdict {
            Verdict::Judged(judgement) => {
                let outcome = judgement.outcome;
                let Some(route) = self.close_books(id, status, body_bytes, judgement) else { return };
                self.leave_stream(id, connection, stays);
                self.go_on_after(id, route, outcome);
            }
            Verdict::Hop if stays && self.hops_on(id) => self.transmit(id, connection),
            Verdict::Hop => {
                self.leave_stream(id, connection, stays);
                self.obtain_there(id);
            }
            Verdict::Excess => unreachable!("HTTP/2 delimits answers by frames"),
        }
    }

    /// The visitor's request no longer needs the connection.
    fn leave_stream(&mut self, id: u32, connection: u32, stays: bool) {
        let is_connecting = self.connections[connection].doing == Doing::Connecting;
        if self.settings.is_pooled || !stays || is_connecting {
            self.leave_connection(id, connection);
        } else {
            self.connections[connection].doing = Doing::Idling;
        }
    }

    /// The visitor has nothing to do with the connection any more. One that takes no more requests
    /// is closed with the last of those that it has.
    fn leave_connection(&mut self, id: u32, connection: u32) {
        let visitor = &mut self.visitors[id];
        visitor.connection = NONE;
        visitor.lane = NONE;
        let keeps_alive = self.settings.keep_alive && !self.is_outdated(connection);
        let link = &mut self.connections[connection];
        let session = link.session();
        let is_free = session.busy() == 0;
        let is_of_no_use = !keeps_alive || session.is_leaving() || link.doing == Doing::Connecting;
        if is_free && is_of_no_use {
            return self.close(connection);
        }
        if is_free {
            link.doing = Doing::Idling;
        }
        self.offer(connection);
    }

    /// Lets others use the connection, if it takes another request.
    fn offer(&mut self, connection: u32) {
        let keeps_alive = self.settings.keep_alive && !self.is_outdated(connection);
        let is_pooled = self.settings.is_pooled;
        if is_pooled && keeps_alive && self.connections[connection].session().has_room() {
            self.destinations[self.connections[connection].server].admission.release(connection);
        }
    }

    /// The visitor's request has failed or has taken too long; the connection's others have not.
    pub(super) fn cancel_stream(&mut self, id: u32, connection: u32) {
        let lane = self.visitors[id].lane;
        self.connections[connection].session().free(lane);
        self.flush_later(connection);
        self.visitors[id].lane = NONE;
        self.leave_stream(id, connection, true);
    }

    /// Keeps when the first byte of the visitor's answer came, if it is on a stream.
    pub(super) fn note_first_byte(&mut self, id: u32) {
        let visitor = &mut self.visitors[id];
        if visitor.lane == NONE || visitor.exchange.first_byte_ns.is_some() {
            return;
        }
        let session = self.connections[visitor.connection].session();
        visitor.exchange.first_byte_ns = session.first_byte_ns(visitor.lane);
    }

    /// The connection is of no use any more: all requests that it carries have failed.
    pub(super) fn break_off(&mut self, connection: u32, outcome: Outcome, detail: &dyn Display) {
        self.tick();
        let owners = self.connections[connection].session().owners();
        for owner in &owners {
            self.note_first_byte(*owner);
            let visitor = &mut self.visitors[*owner];
            visitor.connection = NONE;
            visitor.lane = NONE;
        }
        self.close(connection);
        for owner in owners {
            self.failed(owner, outcome, detail);
        }
    }
}
