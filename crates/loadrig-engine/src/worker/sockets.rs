//! Messages over a WebSocket: one is sent, the next that comes is its answer.
//!
//! A WebSocket is its visitor's and lives as long as it. The upgrade is part of making the
//! connection, as the TLS handshake is. Messages that nobody waits for are read and dropped.

use loadrig_core::outcome::Outcome;

use super::Worker;
use super::answer::{READINGS_MOST, Reader, Verdict};
use crate::connection::{Doing, Speech};
use crate::poll::{Event, Interest};
use crate::protocol::{Heard, Parted, Socket, Upgrade, Whole};
use crate::request::{Judgement, NO_STATUS, RouteId, upgrade};
use crate::transport::{Phase as Link, Received};

impl Worker {
    /// A connection was begun that is to become a WebSocket, for the visitor's first message.
    pub(super) fn begin_socket(&mut self, id: u32, connection: u32) {
        let Some(route) = self.visitors[id].route else { return };
        let (request, _) = self.composed(id, route);
        let (head, message) = upgrade::parted(&request);
        let mut socket = Socket::new();
        let mut ask = Vec::with_capacity(head.len() + 64);
        upgrade::put_head(head, socket.key(), &mut ask);
        socket.ask = ask;
        socket.message = message.to_vec();
        self.scratch = request;
        let link = &mut self.connections[connection];
        link.speech = Speech::WebSocket(Box::new(socket));
        if self.watch(connection, Interest::Both) {
            self.ask_for_upgrade(connection);
        }
    }

    /// Sends the request for the upgrade, once TLS is agreed on.
    fn ask_for_upgrade(&mut self, connection: u32) {
        let link = &mut self.connections[connection];
        let owner = link.owner;
        let sent = link.transport().shake().and_then(|is_agreed| {
            if !is_agreed {
                return Ok(0);
            }
            let ask = std::mem::take(&mut link.socket().0.ask);
            link.send(&ask)
        });
        match sent {
            Ok(sent) => self.ledger.live.counts.bytes_out += sent as u64,
            Err(fault) => self.failed(owner, fault.outcome(Link::Connecting), &fault),
        }
    }

    /// Something happened to a connection that is, or is to become, a WebSocket.
    pub(super) fn on_socket(&mut self, connection: u32, event: Event) {
        let link = &mut self.connections[connection];
        let token = link.token(connection);
        if link.doing == Doing::Connecting {
            if !link.socket().0.ask.is_empty() {
                self.ask_for_upgrade(connection);
            } else if event.is_writable() {
                self.push_upgrade(connection);
            }
        } else if event.is_writable() {
            self.flush_socket(connection);
        }
        let link = &mut self.connections[connection];
        if link.token(connection) != token || !event.is_readable() {
            return;
        }
        if link.doing != Doing::Connecting {
            self.hear_socket(connection);
        } else if link.socket().0.ask.is_empty() {
            self.hear_upgrade(connection);
        }
    }

    fn push_upgrade(&mut self, connection: u32) {
        let link = &mut self.connections[connection];
        let owner = link.owner;
        match link.send_more() {
            Ok(sent) => self.ledger.live.counts.bytes_out += sent as u64,
            Err(fault) => self.failed(owner, fault.outcome(Link::Connecting), &fault),
        }
    }

    /// Reads the answer to the upgrade.
    fn hear_upgrade(&mut self, connection: u32) {
        let owner = self.connections[connection].owner;
        loop {
            let link = &mut self.connections[connection];
            match link.transport().receive(&mut self.room) {
                Ok(Received::Bytes { count, .. }) => {
                    self.tick();
                    self.ledger.live.counts.bytes_in += count as u64;
                    let (socket, _) = self.connections[connection].socket();
                    match socket.agree(&self.room[..count]) {
                        Ok(Upgrade::Awaited) => {}
                        Ok(Upgrade::Done) => return self.socket_made(owner, connection),
                        Ok(Upgrade::Refused(status)) => {
                            return self.upgrade_refused(owner, connection, status);
                        }
                        Err(parted) => return self.parted(connection, parted),
                    }
                }
                Ok(Received::Nothing) => return,
                Ok(Received::End) => {
                    let detail = "the connection was closed before the answer to the upgrade";
                    return self.failed(owner, Outcome::Closed, &detail);
                }
                // Plain connections show only here whether they are made at all.
                Err(fault) => return self.failed(owner, fault.outcome(Link::Connecting), &fault),
            }
        }
    }

    fn socket_made(&mut self, id: u32, connection: u32) {
        self.made(connection);
        let (socket, _) = self.connections[connection].socket();
        let message = std::mem::take(&mut socket.message);
        let Some(route) = self.visitors[id].route else { return };
        self.say(id, connection, route, &message);
    }

    /// The server has answered the upgrade with something else: its status says what became of it.
    fn upgrade_refused(&mut self, id: u32, connection: u32, status: u16) {
        let outcome = match status {
            300..=399 => Outcome::Http3xx,
            400..=499 => Outcome::Http4xx,
            500.. => Outcome::Http5xx,
            _ => Outcome::CheckFailed,
        };
        let Some(route) = self.visitors[id].route else { return };
        let visitor = &mut self.visitors[id];
        self.book.lost(&mut self.people[visitor.person].user, &mut visitor.walk, route);
        let detail =
            self.ledger.may_tell(route, outcome).then(|| format!("status {status} instead of a WebSocket"));
        let judgement = Judgement { outcome, detail, headers: Vec::new(), login: None };
        self.close_books(id, status, 0, judgement);
        self.close(connection);
        self.go_on_after(id, route, outcome);
    }

    /// Sends the visitor's message on its WebSocket.
    pub(super) fn transmit_on_a_socket(&mut self, id: u32, connection: u32, route: RouteId) {
        let (request, _) = self.composed(id, route);
        let (_, message) = upgrade::parted(&request);
        self.say(id, connection, route, message);
        self.scratch = request;
    }

    fn say(&mut self, id: u32, connection: u32, route: RouteId, message: &[u8]) {
        self.carry(id, connection, route);
        self.count_carried(connection, false);
        let is_text = self.facts(route).is_text;
        let now_ns = self.tick();
        let (socket, mut wire) = self.connections[connection].socket();
        let said = socket.say(&mut wire, message, is_text);
        let written = wire.written;
        self.after_writing(connection, now_ns, written, said);
    }

    fn flush_socket(&mut self, connection: u32) {
        let now_ns = self.tick();
        let (socket, mut wire) = self.connections[connection].socket();
        let said = socket.flush(&mut wire);
        let written = wire.written;
        self.after_writing(connection, now_ns, written, said);
    }

    fn after_writing(&mut self, connection: u32, now_ns: u64, written: usize, said: Result<bool, Parted>) {
        self.ledger.live.counts.bytes_out += written as u64;
        let link = &self.connections[connection];
        if link.doing == Doing::Carrying && written > 0 {
            self.begun(link.owner, now_ns);
        }
        match said {
            Ok(is_all) => self.watch_room(connection, !is_all),
            Err(parted) => self.parted(connection, parted),
        }
    }

    /// Reads all that is there, or as many messages as is fair.
    pub(super) fn hear_socket(&mut self, connection: u32) {
        let token = self.connections[connection].token(connection);
        for _ in 0..READINGS_MOST {
            let link = &mut self.connections[connection];
            if link.token(connection) != token {
                return;
            }
            let owner = link.owner;
            let is_awaited = link.doing == Doing::Carrying;
            let (socket, mut wire) = link.socket();
            let heard = socket.hear(&mut wire);
            let (read, written) = (wire.read, wire.written);
            let now_ns = self.tick();
            self.ledger.live.counts.bytes_in += read as u64;
            self.ledger.live.counts.bytes_out += written as u64;
            if is_awaited && !matches!(heard, Ok(Heard::Nothing)) {
                self.visitors[owner].exchange.first_byte_ns.get_or_insert(now_ns);
            }
            match heard {
                Ok(Heard::Message(payload)) if is_awaited => self.message_came(owner, connection, &payload),
                Ok(Heard::Message(_)) => {}
                // What is left to be said is the answer to a ping.
                Ok(Heard::Nothing) => return self.flush_socket(connection),
                Err(parted) => return self.parted(connection, parted),
            }
        }
        if self.connections[connection].token(connection) == token {
            self.receive_later(connection);
        }
    }

    /// The answer to the visitor's message.
    fn message_came(&mut self, id: u32, connection: u32, payload: &[u8]) {
        let visitor = &mut self.visitors[id];
        let user = &mut self.people[visitor.person].user;
        let reader = Reader::new(&mut self.book, &self.routes, user, visitor, self.now_ns);
        let body_bytes = payload.len() as u64;
        let read = reader.read(&Whole {
            status: NO_STATUS,
            fields: &[],
            body: payload,
            body_bytes,
            keeps_alive: true,
            has_excess: false,
        });
        let Verdict::Judged(judgement) = read.verdict else { return };
        let outcome = judgement.outcome;
        let Some(route) = self.close_books(id, NO_STATUS, body_bytes, judgement) else { return };
        if self.settings.keep_alive {
            self.connections[connection].doing = Doing::Idling;
        } else {
            self.close(connection);
        }
        self.go_on_after(id, route, outcome);
    }

    /// The WebSocket is of no use any more.
    fn parted(&mut self, connection: u32, parted: Parted) {
        let link = &mut self.connections[connection];
        let (owner, is_idle) = (link.owner, link.doing == Doing::Idling);
        if is_idle {
            return self.drop_idle(connection);
        }
        match parted {
            Parted::Closed(detail) => self.failed(owner, Outcome::Closed, &detail),
            Parted::Broken(detail) => self.failed(owner, Outcome::NotHttp, &detail),
            Parted::Fault(fault) => self.failed(owner, fault.outcome(Link::Connected), &fault),
        }
    }
}
