//! From bytes on a connection to an answer that is judged.

use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::outcome::Outcome;

use super::Worker;
use super::destination::Way;
use crate::connection::{Connection, Doing, Speech};
use crate::live::Example;
use crate::protocol::Whole;
use crate::request::{Answer, Judgement, LoginMark, RouteId};
use crate::slab::NONE;
use crate::transport::{Phase as Link, Received};

/// Readings of one connection in one turn. A server that sends faster than we read would else keep
/// us for good from all others, and from seeing that its own time is over.
pub(super) const READINGS_MOST: u32 = 16;

/// Result of a whole answer.
pub(super) struct Read {
    pub verdict: Verdict,
    pub status: u16,
    pub body_bytes: u64,
    pub keeps_alive: bool,
}

pub(super) enum Verdict {
    /// The answer itself.
    Judged(Judgement),
    /// A redirect, and the next request is ready in the visitor's hop.
    Hop,
    /// More came than it announced.
    Excess,
}

impl Worker {
    /// Reads all that is there for the request which the connection carries, or as much as is
    /// fair: the rest is read in the next turn.
    pub(super) fn receive(&mut self, connection: u32) {
        let id = self.connections[connection].owner;
        for _ in 0..READINGS_MOST {
            let (transport, reply) = self.connections[connection].reading();
            match transport.receive(&mut self.room) {
                Ok(Received::Bytes { count, is_all }) => {
                    self.now_ns = Monotonic.now_ns();
                    self.ledger.live.counts.bytes_in += count as u64;
                    let visitor = &mut self.visitors[id];
                    visitor.exchange.first_byte_ns.get_or_insert(self.now_ns);
                    let user = &mut self.people[visitor.person].user;
                    let read = Reader::new(&mut self.book, &self.routes, user, visitor, self.now_ns);
                    match reply.feed(&self.room[..count], |whole| read.read(whole)) {
                        Ok(Some(read)) => return self.answered(id, connection, read),
                        Ok(None) => {
                            // Readiness is told once: what is read short is all there was, and the
                            // rest will be told again. But an end that was told is not.
                            if is_all && !self.connections[connection].is_ended {
                                return;
                            }
                        }
                        Err(wrong) => return self.failed(id, Outcome::NotHttp, &wrong),
                    }
                }
                Ok(Received::Nothing) => return,
                Ok(Received::End) => return self.at_end(id, connection),
                Err(fault) => return self.failed(id, fault.outcome(Link::Connected), &fault),
            }
        }
        self.receive_later(connection);
    }

    /// Lets others come first before more of the connection is read.
    pub(super) fn receive_later(&mut self, connection: u32) {
        let link = &mut self.connections[connection];
        if !link.has_unread {
            link.has_unread = true;
            self.unread.push(link.token(connection));
        }
    }

    /// Goes on with the connections of which not all was read.
    pub(super) fn receive_the_rest(&mut self) {
        let mut unread = std::mem::take(&mut self.unread);
        for token in unread.drain(..) {
            let (connection, generation) = Connection::of_token(token);
            let link = &mut self.connections[connection];
            if !link.is_generation(generation) {
                continue;
            }
            link.has_unread = false;
            match link.speech {
                Speech::Http1 if link.doing == Doing::Carrying => self.receive(connection),
                Speech::Http1 => {}
                Speech::Http2(_) => self.hear_session(connection),
                Speech::WebSocket(_) => self.hear_socket(connection),
            }
            self.settle();
        }
        // Who still has something to read has put himself into the new list.
        unread.append(&mut self.unread);
        self.unread = unread;
    }

    /// The server has closed its side: a body without a length is whole now, all else is cut off.
    fn at_end(&mut self, id: u32, connection: u32) {
        self.tick();
        let link = &mut self.connections[connection];
        link.is_ended = true;
        let visitor = &mut self.visitors[id];
        let user = &mut self.people[visitor.person].user;
        let read = Reader::new(&mut self.book, &self.routes, user, visitor, self.now_ns);
        if let Some(read) = link.reply.end(|whole| read.read(whole)) {
            return self.answered(id, connection, read);
        }
        if let Some(fault) = link.fault.take() {
            return self.failed(id, fault.outcome(Link::Connected), &fault);
        }
        let detail = match (link.reply.has_begun(), link.carried) {
            (true, _) => "the connection was closed in the middle of the answer",
            (false, 1) => "the connection was closed before any answer",
            (false, _) => "the connection, used before, was closed before any answer",
        };
        self.failed(id, Outcome::Closed, &detail);
    }

    /// A whole answer has been read.
    fn answered(&mut self, id: u32, connection: u32, read: Read) {
        let link = &self.connections[connection];
        let stays = read.keeps_alive
            && self.settings.keep_alive
            && !link.is_ended
            && !link.has_out()
            && !self.is_outdated(connection);
        let (status, body_bytes) = (read.status, read.body_bytes);
        match read.verdict {
            Verdict::Judged(judgement) => {
                let outcome = judgement.outcome;
                let Some(route) = self.close_books(id, status, body_bytes, judgement) else { return };
                if stays {
                    self.rest(id, connection);
                } else {
                    self.close(connection);
                }
                self.go_on_after(id, route, outcome);
            }
            Verdict::Hop => self.hop(id, connection, stays),
            Verdict::Excess => {
                self.failed(id, Outcome::ExcessBody, &"more bytes came than the answer announced");
            }
        }
    }

    /// Counts an answer that was judged; returns its route.
    pub(super) fn close_books(
        &mut self,
        id: u32,
        status: u16,
        body_bytes: u64,
        judgement: Judgement,
    ) -> Option<RouteId> {
        let end_ns = self.now_ns;
        let visitor = &mut self.visitors[id];
        visitor.exchange.end_ns = Some(end_ns);
        let exchange = visitor.exchange;
        let route = visitor.route?;
        self.timeouts.clear(id);
        self.ledger.ended(route, judgement.outcome, &exchange, end_ns, body_bytes);
        self.ledger.live.status(status);
        if let Some(mark) = judgement.login {
            self.ledger.live.counts.logins += 1;
            self.ledger.live.counts.logins_again += u64::from(mark == LoginMark::Again);
        }
        if let Some(detail) = judgement.detail {
            let (outcome, headers) = (judgement.outcome, judgement.headers);
            self.ledger.live.examples.push(Example { t_ns: end_ns, route, outcome, detail, headers });
        }
        Some(route)
    }

    /// The connection has nothing to carry for now.
    fn rest(&mut self, id: u32, connection: u32) {
        let link = &mut self.connections[connection];
        link.doing = Doing::Idling;
        if self.settings.is_pooled {
            link.owner = NONE;
            self.visitors[id].connection = NONE;
            self.destinations[link.server].admission.release(connection);
        }
    }

    /// Follows a redirect, on the same connection if it stays and leads there.
    fn hop(&mut self, id: u32, connection: u32, stays: bool) {
        if stays && self.hops_on(id) {
            return self.transmit(id, connection);
        }
        if stays {
            self.rest(id, connection);
        } else {
            self.close(connection);
        }
        self.obtain_there(id);
    }

    /// Whether the next request of a redirect goes to the server that the visitor's connection leads to.
    pub(super) fn hops_on(&self, id: u32) -> bool {
        let visitor = &self.visitors[id];
        visitor.walk.server() == visitor.way.server
    }

    /// Gets a connection for the next request of a redirect.
    pub(super) fn obtain_there(&mut self, id: u32) {
        let visitor = &mut self.visitors[id];
        visitor.turn_to(Way { server: visitor.walk.server(), ..visitor.way });
        self.obtain(id);
    }
}

/// The parts of a worker that judge an answer, while others hold its bytes.
pub(super) struct Reader<'a> {
    book: &'a mut crate::request::Book,
    routes: &'a [super::RouteFacts],
    user: &'a mut crate::request::User,
    visitor: &'a mut super::visitor::Visitor,
    now_ns: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        book: &'a mut crate::request::Book,
        routes: &'a [super::RouteFacts],
        user: &'a mut crate::request::User,
        visitor: &'a mut super::visitor::Visitor,
        now_ns: u64,
    ) -> Self {
        Self { book, routes, user, visitor, now_ns }
    }

    pub(super) fn read(self, whole: &Whole<'_>) -> Read {
        Read {
            verdict: self.verdict(whole),
            status: whole.status,
            body_bytes: whole.body_bytes,
            keeps_alive: whole.keeps_alive,
        }
    }

    fn verdict(self, whole: &Whole<'_>) -> Verdict {
        let Some(route) = self.visitor.route.filter(|_| !whole.has_excess) else {
            return Verdict::Excess;
        };
        let answer = Answer {
            status: whole.status,
            headers: whole.fields,
            body: whole.body,
            body_bytes: whole.body_bytes,
            response_ns: self.now_ns.saturating_sub(self.visitor.exchange.due_ns),
        };
        let walk = &mut self.visitor.walk;
        if self.routes[route.index()].follows && (300..400).contains(&whole.status) {
            self.visitor.hop.clear();
            let hop = &mut self.visitor.hop;
            self.visitor.is_ahead = false;
            match self.book.redirect(self.user, walk, route, &answer, hop) {
                Ok(false) => return Verdict::Hop,
                Ok(true) => return Verdict::Judged(Judgement::GOOD),
                Err(_) => {}
            }
        }
        Verdict::Judged(self.book.judge(self.user, walk, route, &answer, self.now_ns))
    }
}
