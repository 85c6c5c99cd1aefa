//! Counts of one thread in the interval that runs now. Swapped for an empty one at each frame;
//! nothing here grows with the length of a run.

use std::ops::AddAssign;

use loadrig_core::exchange::Exchange;
use loadrig_core::histogram::Histogram;
use loadrig_core::outcome::{Class, Outcome};

use crate::request::{NO_STATUS, RouteId};

/// Statuses are below this.
const STATUSES: usize = 1000;

/// Plain counts of one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Requests taken up.
    pub due: u64,
    /// Requests of which the first byte was written.
    pub sent: u64,
    /// Requests that got an HTTP answer.
    pub answered: u64,
    /// Requests that got none.
    pub failed: u64,
    /// Requests that got no connection within their time-out.
    pub unsent_no_connection: u64,
    /// Requests that had no connection when the drain was over.
    pub unsent_end: u64,
    /// Requests that were due after another generator was lost and before this one took over.
    pub unsent_missed: u64,
    /// Bytes of HTTP read.
    pub bytes_in: u64,
    /// Bytes of HTTP written.
    pub bytes_out: u64,
    /// Connections made.
    pub opened: u64,
    /// Requests sent on a connection that had carried one before.
    pub reused: u64,
    /// Pauses after connections that could not be made.
    pub backoffs: u64,
    /// Requests that found no free connection.
    pub capped: u64,
    /// `RST_STREAM` frames that came.
    pub stream_resets: u64,
    /// GOAWAY frames that came.
    pub goaways: u64,
    /// Logins that worked.
    pub logins: u64,
    /// Those of them that came after a token had expired or been refused.
    pub logins_again: u64,
    /// Steps that users' caches answered, for which no request was made.
    pub from_cache: u64,
    /// Integral of the requests in flight over the interval, in request-nanoseconds.
    pub in_flight_ns: u128,
}

impl Counts {
    /// Requests that were never sent.
    pub(crate) fn unsent(&self) -> u64 {
        self.unsent_no_connection + self.unsent_end + self.unsent_missed
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        self.due += other.due;
        self.sent += other.sent;
        self.answered += other.answered;
        self.failed += other.failed;
        self.unsent_no_connection += other.unsent_no_connection;
        self.unsent_end += other.unsent_end;
        self.unsent_missed += other.unsent_missed;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        self.opened += other.opened;
        self.reused += other.reused;
        self.backoffs += other.backoffs;
        self.capped += other.capped;
        self.stream_resets += other.stream_resets;
        self.goaways += other.goaways;
        self.logins += other.logins;
        self.logins_again += other.logins_again;
        self.from_cache += other.from_cache;
        self.in_flight_ns += other.in_flight_ns;
    }
}

/// Counts and histograms of one interval of one thread.
#[derive(Debug)]
pub(crate) struct Live {
    /// Plain counts.
    pub counts: Counts,
    /// By route, then by outcome.
    cells: Vec<Option<Box<Cell>>>,
    statuses: Vec<u64>,
    /// Lateness with which requests were taken up.
    pub lag: Histogram,
    /// Time that requests waited for a connection.
    pub wait: Histogram,
    /// Time that it took to connect.
    pub connect: Histogram,
    /// Time that sessions lasted that ended.
    pub session: Histogram,
    /// Gaps between consecutive first sends of arrivals.
    pub gaps_ns: Vec<u64>,
    /// Examples of what went wrong.
    pub examples: Vec<Example>,
}

/// The requests of one route that came to one outcome.
#[derive(Debug, Default)]
pub(crate) struct Cell {
    /// Number of values.
    pub count: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Response times.
    pub response: Histogram,
    /// Service times of those that were sent.
    pub service: Histogram,
}

/// A thing that went wrong, to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Example {
    /// Instant at which it ended.
    pub t_ns: u64,
    /// Index of the route.
    pub route: RouteId,
    /// Outcome.
    pub outcome: Outcome,
    /// Counts.
    pub detail: String,
    /// Header lines of the answer, if there was one.
    pub headers: Vec<String>,
}

impl Live {
    /// All zero, for so many routes.
    pub(crate) fn new(routes: usize) -> Self {
        Self {
            counts: Counts::default(),
            cells: std::iter::repeat_with(|| None).take(routes * Outcome::COUNT).collect(),
            statuses: vec![0; STATUSES],
            lag: Histogram::new(),
            wait: Histogram::new(),
            connect: Histogram::new(),
            session: Histogram::new(),
            gaps_ns: Vec::new(),
            examples: Vec::new(),
        }
    }

    /// Counts a request that has ended, answered or failed.
    #[inline]
    pub(crate) fn ended(&mut self, route: RouteId, outcome: Outcome, exchange: &Exchange, bytes: u64) {
        match outcome.class() {
            Class::Answered => self.counts.answered += 1,
            Class::Failed => self.counts.failed += 1,
        }
        let place = route.index() * Outcome::COUNT + outcome.index();
        let cell = self.cells[place].get_or_insert_default();
        cell.count += 1;
        cell.bytes += bytes;
        if let Some(response_ns) = exchange.response_ns() {
            cell.response.record(response_ns);
        }
        if let Some(service_ns) = exchange.service_ns() {
            cell.service.record(service_ns);
        }
    }

    /// Counts the status of an answer.
    #[inline]
    pub(crate) fn status(&mut self, status: u16) {
        if let Some(count) = self.statuses.get_mut(usize::from(status)) {
            *count += 1;
        }
    }

    /// Adds all counts of another thread.
    pub(crate) fn add(&mut self, other: &Self) {
        self.counts += &other.counts;
        for (ours, theirs) in self.cells.iter_mut().zip(&other.cells) {
            let Some(theirs) = theirs.as_ref().filter(|cell| cell.count > 0) else {
                continue;
            };
            let ours = ours.get_or_insert_default();
            ours.count += theirs.count;
            ours.bytes += theirs.bytes;
            ours.response.add(&theirs.response);
            ours.service.add(&theirs.service);
        }
        for (ours, theirs) in self.statuses.iter_mut().zip(&other.statuses) {
            *ours += theirs;
        }
        self.lag.add(&other.lag);
        self.wait.add(&other.wait);
        self.connect.add(&other.connect);
        self.session.add(&other.session);
        self.gaps_ns.extend_from_slice(&other.gaps_ns);
        self.examples.extend_from_slice(&other.examples);
    }

    /// Forgets everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.counts = Counts::default();
        for cell in self.cells.iter_mut().flatten().filter(|cell| cell.count > 0) {
            cell.count = 0;
            cell.bytes = 0;
            cell.response.clear();
            cell.service.clear();
        }
        self.statuses.fill(0);
        for histogram in [&mut self.lag, &mut self.wait, &mut self.connect, &mut self.session] {
            histogram.clear();
        }
        self.gaps_ns.clear();
        self.examples.clear();
    }

    /// Counts by route and outcome: index of the route, outcome, counts.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, Outcome, &Cell)> {
        self.cells.iter().enumerate().filter_map(|(place, cell)| {
            let cell = cell.as_deref().filter(|cell| cell.count > 0)?;
            Some((place / Outcome::COUNT, Outcome::ALL[place % Outcome::COUNT], cell))
        })
    }

    /// The statuses that came, and how often.
    pub(crate) fn statuses(&self) -> impl Iterator<Item = (usize, u64)> {
        let all = self.statuses.iter().copied().enumerate();
        all.filter(|(status, count)| *status != usize::from(NO_STATUS) && *count > 0)
    }
}
