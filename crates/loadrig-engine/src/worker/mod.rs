//! A thread: one shard of the load, one epoll loop, connections of its own. It shares nothing
//! with the others but the orders of [`Control`] and the number of requests that are left.
//!
//! A turn of the loop: cut the frame if it is time, take up what is due, wait, handle what
//! happened. `arrivals` decides who comes, `backlog` keeps those who cannot be served yet, `request`
//! sends, `answer` reads, `streams` does both where a connection carries several requests (HTTP/2),
//! `sockets` where it carries messages (WebSocket), `ending` closes the books on a request and lets
//! its visitor go on, `ledger` are the books, `patience` waits, `report` tells the collector.

mod answer;
mod arrivals;
mod backlog;
mod beside;
mod cached;
mod destination;
mod ending;
mod ledger;
mod model;
mod patience;
mod report;
mod request;
mod sockets;
mod streams;
mod visitor;

use std::collections::VecDeque;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::schedule::Shard;
use loadrig_core::stop::Stop;
use loadrig_core::units::ns_from_s;

use crate::bell::Bell;
use crate::config::{EngineConfig, Protocol, Refusal, RouteClass, RouteProtocol};
use crate::connection::Connection;
use crate::control::{Control, Listener, Order};
use crate::live::Live;
use crate::poll::{Event, Poll};
use crate::protocol::Asked;
use crate::request::{Book, RouteId};
use crate::slab::Slab;
use crate::timers::Timers;
use crate::transport::Trusts;

use backlog::Backlog;
use destination::{Destination, Way};
use ledger::Ledger;
use model::Model;
pub(crate) use model::{due, line};
use report::Reporter;
pub(crate) use report::{Gauges, Report, Why};
use visitor::{Person, Visitor};

/// The event of the bell. No connection has this token: there are fewer than 2^32 of them.
const BELL: u64 = u64::MAX - 1;

/// Room for one reading: more than a socket's buffer usually holds at once, and it stays in the
/// processor's second cache.
const ROOM_BYTES: usize = 64 * 1024;

/// Arrivals taken up in one turn at most, so that answers are not left lying however late we are.
const ARRIVALS_MOST: usize = 256;

/// Parts from which a worker is made.
#[derive(Clone)]
pub(crate) struct Orders {
    pub config: Arc<EngineConfig>,
    /// TLS of each server.
    pub trusts: Vec<Option<Trusts>>,
    pub control: Control,
    pub stop: Stop,
    /// The part of the whole load.
    pub shard: Shard,
    /// Number of this thread in this generator.
    pub thread: u32,
    /// Threads of this generator.
    pub threads: u32,
}

/// Facts on a route that a worker needs in every request.
#[derive(Debug, Clone, Copy)]
struct RouteFacts {
    timeout_ns: u64,
    asked: Asked,
    follows: bool,
    /// Whether users' caches are asked first.
    is_cached: bool,
    class: RouteClass,
    way: Way,
    /// Whether what it sends is a text.
    is_text: bool,
}

/// Fixed facts of the run.
#[derive(Debug, Clone, Copy)]
struct Settings {
    connect_ns: u64,
    drain_ns: u64,
    frame_ns: u64,
    keep_alive: bool,
    /// Protocol that is spoken on the connections.
    protocol: Protocol,
    /// Requests at once on one connection.
    streams: u32,
    /// Connections belong to nobody between requests; else each visitor keeps its own.
    is_pooled: bool,
    /// Time before a request is due from which on to be awake.
    lead_ns: u64,
    /// Instant at which the run starts.
    start_ns: u64,
    /// End of what another generator made of this part, in ns from the start; none where there was none.
    resume_ns: Option<u64>,
}

/// State of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// Nothing new; what is under way is waited for until then.
    Draining {
        why: Why,
        until_ns: u64,
    },
}

/// A thread's part of the load.
pub(crate) struct Worker {
    book: Book,
    routes: Vec<RouteFacts>,
    settings: Settings,
    stop: Stop,
    listener: Listener,
    /// When connections were renewed last: older ones carry nothing more.
    renewed_ns: u64,
    state: State,
    model: Model,
    people: Slab<Person>,
    visitors: Slab<Visitor>,
    connections: Slab<Connection>,
    /// The servers by their numbers.
    destinations: Vec<Destination>,
    backlog: Backlog,
    poll: Poll,
    bell: Bell,
    /// Instants at which visitors go on by themselves.
    wakes: Timers,
    /// Instants at which requests have taken too long.
    timeouts: Timers,
    /// Visitors whose next request is due now.
    soon: VecDeque<u32>,
    /// Connections (by token) that had more to read than was fair to the others.
    unread: Vec<u64>,
    /// Connections with streams that may have something to send.
    unflushed: Vec<u32>,
    ledger: Ledger,
    reporter: Reporter,
    /// The latest reading of the clock.
    now_ns: u64,
    scratch: Vec<u8>,
    room: Box<[u8]>,
}

impl Worker {
    /// Makes everything ready, on the thread that will run it. The start is not known yet.
    ///
    /// Refuses what [`Book::compile`] refuses, and, with code `engine.system`, a system that has
    /// no descriptors left for the loop itself.
    pub(crate) fn new(
        orders: &Orders,
        bell: Bell,
        tell: Box<dyn Fn(Report)>,
        spare: Receiver<Box<Live>>,
    ) -> Result<Self, Refusal> {
        let config = &*orders.config;
        let shard = orders.shard;
        let book = Book::compile(config, shard)?;
        let request_ns = ns_from_s(config.timeouts.request_s);
        let routes = book.routes().iter().enumerate().map(|(n, route)| RouteFacts {
            timeout_ns: route.timeout_ns.unwrap_or(request_ns),
            asked: Asked { is_head: route.is_head, keeps_body: route.keeps_body },
            follows: route.redirects > 0,
            is_cached: book.is_cached(RouteId::of(n)),
            class: route.class,
            way: Way { server: route.server, is_websocket: route.protocol == RouteProtocol::WebSocket },
            is_text: route.is_text,
        });
        let routes: Vec<RouteFacts> = routes.collect();
        let model = Model::new(config, shard);
        let most = shard.share(config.connections.most.into());
        // A WebSocket is its visitor's alone, so that nobody would ever find a free one.
        let is_pooled = match &model {
            _ if routes.iter().any(|route| route.way.is_websocket) => false,
            // Requests that are due at once need several connections each time, and none between.
            _ if config.scenarios.iter().any(|scenario| !scenario.beside.is_empty()) => true,
            Model::Closed(_) => model.users_most(config) > most || config.connections.streams > 1,
            Model::Open(_) => true,
            Model::Sessions(_) => false,
        };
        let is_shared = is_pooled && config.connections.keep_alive;
        let settings = Settings {
            connect_ns: ns_from_s(config.timeouts.connect_s),
            drain_ns: ns_from_s(config.timeouts.drain_s),
            frame_ns: ns_from_s(config.frame_s).max(1),
            keep_alive: config.connections.keep_alive,
            protocol: config.connections.protocol,
            streams: if is_shared { config.connections.streams } else { 1 },
            is_pooled,
            lead_ns: Self::lead_ns(&config.cpus),
            start_ns: 0,
            resume_ns: config.resume_s.map(ns_from_s),
        };
        let backlog = Backlog::new(config, &model, &routes);
        let mut poll = Poll::new().map_err(|error| no_descriptors(&error))?;
        poll.watch_level(bell.fd().as_fd(), BELL).map_err(|error| no_descriptors(&error))?;
        Ok(Self {
            ledger: Ledger::new(routes.len(), config.gap_sample.div_ceil(orders.threads as usize)),
            reporter: Reporter::new(orders.thread, tell, spare),
            routes,
            book,
            settings,
            stop: orders.stop.clone(),
            listener: Listener::new(orders.control.clone()),
            renewed_ns: 0,
            state: State::Running,
            model,
            people: Slab::default(),
            visitors: Slab::default(),
            connections: Slab::default(),
            backlog,
            destinations: Destination::all(config, &orders.trusts, shard),
            poll,
            bell,
            wakes: Timers::default(),
            timeouts: Timers::default(),
            soon: VecDeque::new(),
            unread: Vec::new(),
            unflushed: Vec::new(),
            now_ns: 0,
            scratch: Vec::with_capacity(1024),
            room: vec![0; ROOM_BYTES].into_boxed_slice(),
        })
    }

    /// Runs from `start_ns` to the end, and says why it ended.
    pub(crate) fn run(mut self, start_ns: u64, stop_ns: u64) {
        self.settings.start_ns = start_ns;
        self.stop = self.stop.at(stop_ns);
        self.now_ns = Monotonic.now_ns();
        self.reporter.witness.since_last();
        self.take_over();
        let mut events = Vec::new();
        let why = loop {
            self.tick();
            self.cut_if_due();
            self.hear();
            self.take_up_what_is_due();
            if let Some(why) = self.is_over() {
                break why;
            }
            events.clear();
            self.await_events(&mut events);
            for event in &events {
                self.on_event(*event);
                self.settle();
            }
            self.receive_the_rest();
        };
        self.last_report(why);
    }

    /// Reads the clock.
    #[inline]
    fn tick(&mut self) -> u64 {
        self.now_ns = Monotonic.now_ns();
        self.now_ns
    }

    fn on_event(&mut self, event: Event) {
        if event.token == BELL {
            self.bell.hush();
            return;
        }
        let (id, generation) = Connection::of_token(event.token);
        if self.connections[id].is_generation(generation) {
            self.on_connection(id, event);
        }
    }

    /// Obeys the parent.
    fn hear(&mut self) {
        while let Some(turn) = self.listener.next_turn() {
            self.model.turn(turn.at_ns.saturating_sub(self.settings.start_ns), turn.to);
        }
        if self.listener.is_to_renew() {
            self.renew();
        }
        match self.listener.order() {
            Order::Run => {}
            Order::Stop => self.drain(Why::Stopped),
            Order::Abort => {
                self.drain(Why::Stopped);
                self.cut_off();
            }
        }
    }

    /// Takes up all that is due: users and arrivals that come, pauses and time-outs that end.
    fn take_up_what_is_due(&mut self) {
        while let Some((id, _)) = self.timeouts.pop(self.now_ns) {
            self.timed_out(id);
        }
        self.expire_arrivals();
        while let Some((id, _)) = self.wakes.pop(self.now_ns) {
            self.wake(id);
        }
        self.welcome();
        self.settle();
        self.end_arrivals_if_due();
    }

    /// Lets those go on whose time is now, and gives freed connections to those who wait.
    ///
    /// Only those who are there at the beginning: one whose request fails at once is there again,
    /// and would keep us from ever looking at a socket.
    fn settle(&mut self) {
        self.serve_queue();
        for _ in 0..self.soon.len() {
            let Some(id) = self.soon.pop_front() else { return };
            if self.visitors[id].phase == visitor::Phase::Soon {
                self.begin(id);
            }
        }
        self.serve_queue();
        // What is written may fail, and free a connection for those who wait.
        while !self.unflushed.is_empty() {
            self.flush_sessions();
            self.serve_queue();
        }
    }

    fn facts(&self, route: RouteId) -> RouteFacts {
        self.routes[route.index()]
    }
}

fn no_descriptors(error: &std::io::Error) -> Refusal {
    Refusal::new(
        "engine.system",
        format!("the system gives the generator no event queue: {error}"),
        "threads",
        "raise the limit of open files (`ulimit -n`), or ask for fewer threads",
    )
    .worded("no_event_queue", [("reason", error.to_string())])
}
