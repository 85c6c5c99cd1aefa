//! The loop: who has come, what has happened, what is due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};

use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::rng::{Purpose, Rng};
use loadrig_engine::poll::{Event, Interest, Poll};
use loadrig_engine::socket;
use rustix::io::Errno;
use rustix::net::sockopt;

use crate::connection::{CLIENT, Connection, DEPENDENCY, NEVER, Next, Terms};
use crate::message::{Counters, Start};
use crate::rate::Rate;
use crate::settings::Settings;

/// Tokens that are no connection's; the greatest of all is the poll's own.
const PARENT: u64 = u64::MAX - 1;
const LISTENER: u64 = u64::MAX - 2;

/// Bytes of one read.
const READ_BYTES: usize = 64 * 1024;

/// Connections that may wait to be accepted: as many as the system allows, up to this.
const BACKLOG: i32 = 4096;

/// A pause where the system has no descriptor for another connection.
const PAUSE_NS: u64 = 10_000_000;

/// The seed of the losses: the same chunks of two equal conversations are lost.
const SEED: u64 = 1;

/// The proxy of one dependency.
#[derive(Debug)]
pub(crate) struct Proxy {
    poll: Poll,
    listener: TcpListener,
    to: SocketAddr,
    terms: Terms,
    connections: Vec<Option<Connection>>,
    free: Vec<u32>,
    /// Freed in this turn: events of theirs may still be on the list.
    freed: Vec<u32>,
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
    again: Vec<u32>,
    buffer: Vec<u8>,
    /// Somebody may wait to be accepted, from this instant on.
    accepts_at_ns: u64,
}

impl Proxy {
    /// Listens, and watches the parent.
    pub(crate) fn new(start: &Start, parent: impl AsFd) -> io::Result<Self> {
        let mut poll = Poll::new()?;
        let listener = TcpListener::bind((start.host, start.listen))?;
        listener.set_nonblocking(true)?;
        rustix::net::listen(&listener, BACKLOG)?;
        poll.watch(&listener, LISTENER, Interest::Reading)?;
        poll.watch_level(parent.as_fd(), PARENT)?;
        Ok(Self {
            poll,
            listener,
            to: start.to,
            terms: Terms {
                settings: Settings::default(),
                rates: [Rate::default(), Rate::default()],
                counters: Counters::default(),
                rng: Rng::stream(SEED, Purpose::Loss, 0),
            },
            connections: Vec::new(),
            free: Vec::new(),
            freed: Vec::new(),
            waiting: BinaryHeap::new(),
            again: Vec::new(),
            buffer: vec![0; READ_BYTES],
            accepts_at_ns: NEVER,
        })
    }

    pub(crate) fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// From now on these hold; returns the instant. What is held already stays due when it was, but
    /// for what waits for a line that has another width now.
    pub(crate) fn set(&mut self, settings: Settings) -> u64 {
        let now_ns = Monotonic.now_ns();
        let before = std::mem::replace(&mut self.terms.settings, settings);
        if before.bytes_per_s != settings.bytes_per_s {
            self.terms.rates.iter_mut().for_each(|rate| rate.set(settings.bytes_per_s, now_ns));
            for (id, connection) in (0..).zip(&mut self.connections) {
                if let Some(connection) = connection {
                    connection.line_changed();
                    self.again.push(id);
                }
            }
        }
        if before.connections != settings.connections {
            self.accepts_at_ns = now_ns;
        }
        now_ns
    }

    /// Counts of what has passed until now.
    pub(crate) fn counters(&self) -> Counters {
        Counters { t_ns: Monotonic.now_ns(), open: self.open(), ..self.terms.counters }
    }

    fn open(&self) -> u64 {
        (self.connections.len() - self.free.len() - self.freed.len()) as u64
    }

    fn has_room(&self) -> bool {
        self.terms.settings.connections.is_none_or(|most| self.open() < u64::from(most))
    }

    /// Works until the parent has said something.
    pub(crate) fn work(&mut self) -> io::Result<()> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            events.clear();
            let next_ns = self.next_ns();
            self.poll.wait(next_ns.saturating_sub(Monotonic.now_ns()), &mut events)?;
            let mut is_told = false;
            for event in &events {
                match event.token {
                    PARENT => is_told = true,
                    LISTENER => self.accepts_at_ns = 0,
                    token => self.happened(token, *event),
                }
            }
            self.do_what_is_due();
            self.accept();
            self.free.append(&mut self.freed);
            if is_told {
                return Ok(());
            }
        }
    }

    /// Instant at which to look again, whatever happens.
    fn next_ns(&self) -> u64 {
        if !self.again.is_empty() {
            return 0;
        }
        let due_ns = self.waiting.peek().map_or(NEVER, |Reverse((at_ns, _))| *at_ns);
        if self.has_room() { due_ns.min(self.accepts_at_ns) } else { due_ns }
    }

    fn happened(&mut self, token: u64, event: Event) {
        let (id, side) = (token >> 1, usize::from(token & 1 == 1));
        let place = usize::try_from(id).unwrap_or(usize::MAX);
        if let Some(Some(connection)) = self.connections.get_mut(place) {
            connection.note(side, event, &mut self.terms);
            self.go_on(u32::try_from(id).unwrap_or(u32::MAX));
        }
    }

    fn do_what_is_due(&mut self) {
        let now_ns = Monotonic.now_ns();
        while let Some(&Reverse((at_ns, id))) = self.waiting.peek().filter(|one| one.0.0 <= now_ns) {
            self.waiting.pop();
            // One that has something else to do meanwhile, or is another's by now, is left alone.
            let connection = self.connections[id as usize].as_mut();
            if let Some(connection) = connection.filter(|one| one.armed_ns == at_ns) {
                connection.armed_ns = NEVER;
                self.go_on(id);
            }
        }
        for id in std::mem::take(&mut self.again) {
            self.go_on(id);
        }
    }

    fn go_on(&mut self, id: u32) {
        let place = &mut self.connections[id as usize];
        let Some(connection) = place else { return };
        match connection.go_on(&mut self.terms, &mut self.buffer) {
            Next::Wait(at_ns) => {
                if at_ns < connection.armed_ns {
                    connection.armed_ns = at_ns;
                    self.waiting.push(Reverse((at_ns, id)));
                }
            }
            Next::Again => self.again.push(id),
            Next::Over => {
                *place = None;
                self.freed.push(id);
            }
        }
    }

    /// Accepts all who wait, as far as there is room.
    fn accept(&mut self) {
        while self.has_room() && self.accepts_at_ns <= Monotonic.now_ns() {
            match socket::accept(&self.listener) {
                Ok(client) => self.begin(client),
                Err(Errno::AGAIN) => self.accepts_at_ns = NEVER,
                // Whoever came and went, or a signal.
                Err(Errno::CONNABORTED | Errno::INTR) => {}
                Err(_) => self.accepts_at_ns = Monotonic.now_ns() + PAUSE_NS,
            }
        }
    }

    fn begin(&mut self, client: OwnedFd) {
        self.terms.counters.accepted += 1;
        let made = sockopt::set_tcp_nodelay(&client, true).and_then(|()| Connection::new(client, self.to));
        let Ok(connection) = made else {
            self.terms.counters.refused += 1;
            return;
        };
        let id = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            u32::try_from(self.connections.len() - 1).unwrap_or(u32::MAX)
        });
        let is_watched = [CLIENT, DEPENDENCY].into_iter().all(|side| {
            let token = u64::from(id) << 1 | side as u64;
            self.poll.watch(connection.socket(side), token, Interest::Both).is_ok()
        });
        if is_watched {
            self.connections[id as usize] = Some(connection);
        } else {
            self.free.push(id);
        }
    }
}
