//! From a request that is due to its bytes on a connection.

use loadrig_core::exchange::Exchange;
use loadrig_core::outcome::Outcome;

use super::destination::{Destination, Way};
use super::model::Model;
use super::visitor::{Phase, Visitor};
use super::{State, Why, Worker};
use crate::admission::{Admitted, Waiting};
use crate::config::{Protocol, RouteClass};
use crate::connection::{Connection, Doing, Speech};
use crate::poll::{Event, Interest};
use crate::request::{Next, RouteId};
use crate::slab::NONE;
use crate::transport::{Dialled, Phase as Link, Received, Transport};

/// Time after which to try again when the server's backlog is full. Only Unix sockets say so.
const REDIAL_NS: u64 = 1_000_000;

impl Worker {
    /// The visitor's pause is over, or it is time to dial again.
    pub(super) fn wake(&mut self, id: u32) {
        match self.visitors[id].phase {
            Phase::Resting => self.begin(id),
            Phase::Redialling => self.dial(id),
            _ => {}
        }
    }

    /// Takes up the visitor's next request.
    pub(super) fn begin(&mut self, id: u32) {
        let visitor = &mut self.visitors[id];
        let due_ns = visitor.due_ns;
        if self.state != State::Running || visitor.is_leaving || due_ns >= self.stop.at_ns {
            self.leave(id);
            return;
        }
        let user = &mut self.people[visitor.person].user;
        let route = match self.book.next(user, &mut visitor.walk, self.now_ns) {
            Next::Request(route) => route,
            Next::Wait => {
                visitor.phase = Phase::AwaitingLogin;
                let person = visitor.person;
                self.people[person].waiting.push(id);
                return;
            }
            // Only a scenario without steps is through before it has begun.
            Next::Done => return self.finished(id),
        };
        let facts = self.routes[route.index()];
        if facts.is_cached && self.is_answered_by_cache(id, route) {
            return;
        }
        let visitor = &mut self.visitors[id];
        let user = &mut self.people[visitor.person].user;
        if facts.class == RouteClass::Service && !self.stop.take() {
            self.book.lost(user, &mut visitor.walk, route);
            self.leave(id);
            self.drain(Why::Requests);
            return;
        }
        visitor.route = Some(route);
        visitor.turn_to(facts.way);
        visitor.exchange = Exchange::taken(due_ns, self.now_ns);
        self.ledger.taken(&visitor.exchange);
        self.timeouts.set(id, due_ns.saturating_add(facts.timeout_ns));
        if facts.class == RouteClass::Service {
            self.bring_others(id, due_ns);
        }
        self.obtain(id);
    }

    /// Gets a connection for the visitor's request: its own, a free one, a new one, or a place in
    /// the queue.
    pub(super) fn obtain(&mut self, id: u32) {
        let Visitor { connection, way: Way { server, .. }, .. } = self.visitors[id];
        if connection != NONE {
            self.transmit(id, connection);
            return;
        }
        match self.admit(server) {
            Admitted::Idle(connection) => {
                self.connections[connection].owner = id;
                self.visitors[id].connection = connection;
                self.transmit(id, connection);
            }
            Admitted::Open => {
                self.visitors[id].dialled_ns = self.now_ns;
                self.dial(id);
            }
            Admitted::Full => {
                self.ledger.live.counts.capped += 1;
                let visitor = &mut self.visitors[id];
                visitor.phase = Phase::Queued;
                visitor.ticket += 1;
                let waiting = Waiting { id, ticket: visitor.ticket, since_ns: self.now_ns };
                self.destinations[server].admission.wait(waiting);
            }
        }
    }

    /// Asks for a connection to this server. One with streams may have lost its room since it was free: it will be
    /// free again when it has some. One that is outdated ends with the last of its streams.
    fn admit(&mut self, server: usize) -> Admitted {
        loop {
            let admitted = self.destinations[server].admission.admit();
            let Admitted::Idle(connection) = admitted else { return admitted };
            if self.connections[connection].has_room() && !self.is_outdated(connection) {
                return admitted;
            }
        }
    }

    /// Gives free connections to those who have waited longest.
    pub(super) fn serve_queue(&mut self) {
        for server in 0..self.destinations.len() {
            while self.is_waited_for(server) && self.destinations[server].admission.has_room() {
                let Some(id) = self.first_in_line(server) else { break };
                self.tick();
                self.obtain(id);
            }
        }
    }

    /// Opens a connection for the visitor's request.
    fn dial(&mut self, id: u32) {
        let now_ns = self.tick();
        let visitor = &mut self.visitors[id];
        let Way { server, is_websocket } = visitor.way;
        let protocol = if is_websocket { Protocol::Http1 } else { self.settings.protocol };
        visitor.phase = Phase::Connecting;
        let give_up_ns = visitor.dialled_ns.saturating_add(self.settings.connect_ns);
        let request_ns = self.timeouts.deadline_ns(id);
        let Destination { admission, dialler, .. } = &mut self.destinations[server];
        let transport = match dialler.dial(protocol) {
            Ok(Dialled::Begun(transport)) => transport,
            Ok(Dialled::Busy) => {
                visitor.phase = Phase::Redialling;
                self.wakes.set(id, now_ns + REDIAL_NS);
                self.timeouts.set(id, give_up_ns.min(request_ns));
                return;
            }
            Err(fault) => {
                admission.closed(None);
                self.failed(id, fault.outcome(Link::Connecting), &fault);
                return;
            }
        };
        let is_plain = matches!(transport, Transport::Plain(_));
        let connection = self.connections.take(Connection::default);
        self.connections[connection].open(transport, server, id, visitor.dialled_ns);
        visitor.connection = connection;
        self.timeouts.set(id, give_up_ns.min(request_ns));
        if is_websocket {
            self.begin_socket(id, connection);
        } else if protocol == Protocol::Http2 {
            self.begin_session(id, connection);
        } else if is_plain {
            // On this machine the connection is mostly made by now: the request goes out at once,
            // and there is nothing to wait for but the answer.
            self.transmit(id, connection);
        } else if self.watch(connection, Interest::Both) {
            self.shake(connection);
        }
    }

    /// Goes on with a TLS handshake, and sends the request when it is done.
    fn shake(&mut self, connection: u32) {
        let owner = self.connections[connection].owner;
        match self.connections[connection].transport().shake() {
            Ok(true) => {
                self.tick();
                self.made(connection);
                self.transmit(owner, connection);
            }
            Ok(false) => {}
            Err(fault) => self.failed(owner, fault.outcome(Link::Connecting), &fault),
        }
    }

    /// Writes the visitor's request, as much as goes.
    pub(super) fn transmit(&mut self, id: u32, connection: u32) {
        let Some(route) = self.visitors[id].route else { return };
        match self.connections[connection].speech {
            Speech::Http1 => {}
            Speech::Http2(_) => return self.transmit_on_a_stream(id, connection, route),
            Speech::WebSocket(_) => return self.transmit_on_a_socket(id, connection, route),
        }
        let (request, was_ready) = self.composed(id, route);
        let is_hop = was_ready && !self.visitors[id].is_ahead;
        let facts = self.facts(route);
        let now_ns = self.tick();
        let link = &mut self.connections[connection];
        link.reply.begin(facts.asked);
        let was_connecting = link.doing == Doing::Connecting;
        let result = link.send(&request);
        self.scratch = request;
        match result {
            Ok(sent) => {
                let has_out = self.connections[connection].has_out();
                self.count_carried(connection, is_hop);
                if !was_connecting {
                    self.carry(id, connection, route);
                }
                if sent > 0 {
                    self.written(id, connection, now_ns, sent);
                }
                self.watch_as_needed(connection, was_connecting, has_out);
            }
            Err(fault) => {
                let link = if was_connecting { Link::Connecting } else { Link::Connected };
                self.failed(id, fault.outcome(link), &fault);
            }
        }
    }

    /// The visitor's request, in the scratch buffer, which is to be put back; and whether it was composed
    /// beforehand.
    pub(super) fn composed(&mut self, id: u32, route: RouteId) -> (Vec<u8>, bool) {
        let visitor = &mut self.visitors[id];
        let mut request = std::mem::take(&mut self.scratch);
        request.clear();
        let was_ready = !visitor.hop.is_empty();
        if was_ready {
            std::mem::swap(&mut request, &mut visitor.hop);
            visitor.hop.clear();
        } else {
            let user = &mut self.people[visitor.person].user;
            self.book.compose(user, &mut visitor.walk, route, &mut request);
        }
        (request, was_ready)
    }

    /// A connection carries another request.
    pub(super) fn count_carried(&mut self, connection: u32, is_hop: bool) {
        let link = &mut self.connections[connection];
        link.carried += 1;
        if link.carried > 1 && !is_hop {
            self.ledger.live.counts.reused += 1;
        }
    }

    /// A plain connection is watched from its first request on, for room to write only if it has
    /// something to write: where the connection was made at once, that spares an event.
    fn watch_as_needed(&mut self, connection: u32, is_first: bool, has_out: bool) {
        let link = &mut self.connections[connection];
        let is_plain = matches!(link.transport(), Transport::Plain(_));
        if is_plain && is_first {
            self.watch(connection, if has_out { Interest::Both } else { Interest::Reading });
        } else if has_out && !link.watches_room {
            link.watches_room = true;
            let token = link.token(connection);
            let watched = self.poll.watch_again(&*link.transport(), token, Interest::Both);
            watched.expect("a socket that is watched can be watched for more");
        }
    }

    /// Begins to watch a connection; false if the system refused, and its request has failed.
    pub(super) fn watch(&mut self, connection: u32, interest: Interest) -> bool {
        let link = &mut self.connections[connection];
        link.watches_room = interest == Interest::Both;
        let (token, owner) = (link.token(connection), link.owner);
        match self.poll.watch(&*link.transport(), token, interest) {
            Ok(()) => true,
            Err(error) => {
                // The system's limit of watches (fs.epoll.max_user_watches), or its memory.
                if matches!(self.connections[connection].speech, Speech::Http2(_)) {
                    self.break_off(connection, Outcome::Failed, &error);
                } else {
                    self.failed(owner, Outcome::Failed, &error);
                }
                false
            }
        }
    }

    /// Bytes of the request have been written, at `now_ns` or right after.
    pub(super) fn written(&mut self, id: u32, connection: u32, now_ns: u64, sent: usize) {
        self.ledger.live.counts.bytes_out += sent as u64;
        if self.connections[connection].doing == Doing::Connecting {
            self.made(connection);
            if let Some(route) = self.visitors[id].route {
                self.carry(id, connection, route);
            }
        }
        self.begun(id, now_ns);
    }

    /// The first byte of the request, if it was not yet, has been written at `now_ns` or right after.
    pub(super) fn begun(&mut self, id: u32, now_ns: u64) {
        let visitor = &mut self.visitors[id];
        visitor.exchange.ready_ns.get_or_insert(now_ns);
        if visitor.exchange.sent_ns.is_some() {
            return;
        }
        visitor.exchange.sent_ns = Some(now_ns);
        self.ledger.live.counts.sent += 1;
        self.ledger.live.wait.record(visitor.exchange.wait_ns().unwrap_or(0));
        let is_first = std::mem::replace(&mut visitor.is_new, false);
        if is_first && !matches!(self.model, Model::Closed(_)) {
            self.ledger.sample_gap(now_ns);
        }
    }

    /// The connection is made, and TLS agreed on.
    pub(super) fn made(&mut self, connection: u32) {
        let now_ns = self.now_ns;
        let link = &mut self.connections[connection];
        link.doing = Doing::Carrying;
        self.ledger.live.counts.opened += 1;
        self.ledger.live.connect.record(now_ns.saturating_sub(link.dialled_ns));
        if link.owner != NONE {
            self.visitors[link.owner].setbacks = 0;
        }
    }

    /// The request has a connection that is ready for it.
    pub(super) fn carry(&mut self, id: u32, connection: u32, route: RouteId) {
        self.connections[connection].doing = Doing::Carrying;
        let visitor = &mut self.visitors[id];
        visitor.phase = Phase::Carried;
        visitor.exchange.ready_ns.get_or_insert(self.now_ns);
        let timeout_ns = self.routes[route.index()].timeout_ns;
        self.timeouts.set(id, visitor.exchange.due_ns.saturating_add(timeout_ns));
    }

    /// Something happened to a connection.
    pub(super) fn on_connection(&mut self, connection: u32, event: Event) {
        let link = &mut self.connections[connection];
        link.is_ended |= event.is_ended();
        match link.speech {
            Speech::Http1 => {}
            Speech::Http2(_) => return self.on_session(connection, event),
            Speech::WebSocket(_) => return self.on_socket(connection, event),
        }
        match link.doing {
            Doing::Nothing => {}
            // The server has closed it, or sent what nobody asked for. TLS may also have been told
            // something of its own, such as how to resume the session: that is no harm.
            Doing::Idling => {
                let is_harmless = matches!(link.transport().receive(&mut self.room), Ok(Received::Nothing));
                if !is_harmless {
                    self.drop_idle(connection);
                }
            }
            Doing::Connecting | Doing::Carrying => self.go_on(connection, event),
        }
    }

    fn go_on(&mut self, connection: u32, event: Event) {
        let generation = self.connections[connection].token(connection);
        if event.is_writable() {
            self.push(connection);
        }
        // What could be read may have been told with the same event, and will not be told again.
        let link = &self.connections[connection];
        let is_same = link.token(connection) == generation;
        if is_same && link.doing == Doing::Carrying && event.is_readable() {
            self.receive(connection);
        }
    }

    /// Writes more of a request, or goes on with making the connection.
    fn push(&mut self, connection: u32) {
        let now_ns = self.tick();
        let link = &mut self.connections[connection];
        let owner = link.owner;
        let is_connecting = link.doing == Doing::Connecting;
        if is_connecting && !matches!(link.transport(), Transport::Plain(_)) {
            self.shake(connection);
            return;
        }
        match link.send_more() {
            Ok(0) => {}
            Ok(sent) => self.written(owner, connection, now_ns, sent),
            Err(fault) if is_connecting => self.failed(owner, fault.outcome(Link::Connecting), &fault),
            Err(fault) => {
                // The server may have answered before it closed: that answer counts.
                let generation = link.token(connection);
                link.is_ended = true;
                link.fault = Some(fault.clone());
                self.receive(connection);
                let link = &self.connections[connection];
                let is_same = link.token(connection) == generation && link.doing == Doing::Carrying;
                if is_same && !link.has_unread {
                    self.failed(owner, fault.outcome(Link::Connected), &fault);
                }
            }
        }
    }
}

/// Whether whoever had this place in the queue has left it.
pub(super) fn is_stale(visitors: &crate::slab::Slab<super::visitor::Visitor>, waiting: Waiting) -> bool {
    let visitor = &visitors[waiting.id];
    visitor.phase != Phase::Queued || visitor.ticket != waiting.ticket
}
