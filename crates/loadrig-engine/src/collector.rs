//! Puts the reports of all threads together: one frame for each interval, then the end.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use loadrig_core::histogram::{Encoder, Histogram};
use loadrig_core::outcome::Outcome;
use loadrig_core::schedule::Line;
use loadrig_core::units::{ns_from_s, s_from_ns};

use crate::config::{Arrivals, EngineConfig};
use crate::control::Turn;
use crate::frame::{End, ExampleRow, Frame, RouteRow, ThreadRow, Totals, UnsentWhy};
use crate::live::{Example, Live};
use crate::testimony::{self, ThreadUse};
use crate::worker::{Gauges, Report, Why, line};

/// Examples of each route and outcome that are shown in a whole run.
const EXAMPLES_MOST: u8 = 3;

/// Makes frames of reports.
pub(crate) struct Collector {
    config: Arc<EngineConfig>,
    planned: Planned,
    start_ns: u64,
    /// End of the last frame.
    until_ns: u64,
    threads: Vec<Thread>,
    /// Counts of the frame that is being put together.
    sum: Live,
    frames: u64,
    totals: Totals,
    shown: HashMap<(usize, Outcome), u8>,
    encoder: Encoder,
    process_cpu_ns: u64,
    /// The most memory that a frame told of. The kernel's own high-water mark is a quick sum over its cores that
    /// may lie below what it says of the present.
    rss_most_bytes: u64,
    fds_limit: u64,
    ports_range: u64,
}

/// Reports that have come from a thread.
struct Thread {
    /// Reports that belong to later frames than the next one, or that wait for other threads.
    reports: VecDeque<Report>,
    /// Takes empty counts back.
    spare: Sender<Box<Live>>,
    gauges: Gauges,
    used: ThreadUse,
    why: Option<Why>,
}

/// Load at a time by the plan.
enum Planned {
    Level(Line),
    List(Arc<[f64]>),
}

impl Collector {
    /// `spares`: to each thread, where it takes empty counts from.
    pub(crate) fn new(config: Arc<EngineConfig>, start_ns: u64, spares: Vec<Sender<Box<Live>>>) -> Self {
        let planned = match &config.arrivals {
            Arrivals::Users { line: points, .. }
            | Arrivals::Rate { line: points, .. }
            | Arrivals::Sessions { line: points, .. } => Planned::Level(line(points)),
            Arrivals::Replay { times_s, .. } => Planned::List(times_s.as_slice().into()),
        };
        let threads = spares.into_iter().map(|spare| Thread {
            reports: VecDeque::new(),
            spare,
            gauges: Gauges::default(),
            used: ThreadUse::default(),
            why: None,
        });
        Self {
            planned,
            start_ns,
            until_ns: start_ns.saturating_add(ns_from_s(config.resume_s.unwrap_or(0.0))),
            threads: threads.collect(),
            sum: Live::new(config.routes.len()),
            frames: 0,
            totals: Totals::default(),
            shown: HashMap::new(),
            encoder: Encoder::default(),
            process_cpu_ns: testimony::process_cpu_ns(),
            rss_most_bytes: 0,
            fds_limit: testimony::descriptors_most(),
            ports_range: testimony::ports_range(),
            config,
        }
    }

    /// The load is about to have another level.
    pub(crate) fn turn(&mut self, turn: Turn) {
        if let Planned::Level(line) = &mut self.planned {
            *line = line.turned(s_from_ns(turn.at_ns.saturating_sub(self.start_ns)), turn.to);
        }
    }

    /// Takes a report.
    pub(crate) fn take(&mut self, report: Report) {
        self.threads[report.shard as usize].reports.push_back(report);
    }

    /// The next frame, if all threads that still run have reported for it.
    ///
    /// A thread that was held up reports for several intervals at once; the frame is as long.
    pub(crate) fn next_frame(&mut self) -> Option<Frame<'_>> {
        // The latest of the first reports: every thread has got there, or is at its end.
        let mut upto = None;
        for thread in &self.threads {
            match thread.reports.front() {
                Some(report) => upto = upto.max(Some(report.frame)),
                None if thread.why.is_none() => return None,
                None => {}
            }
        }
        let upto = upto?;
        for thread in &self.threads {
            let has_got_there =
                thread.reports.iter().any(|report| report.frame >= upto || report.why.is_some());
            if !has_got_there && thread.why.is_none() {
                return None;
            }
        }
        // Threads cut a few microseconds apart; the frame ends with the last, where the next begins.
        let from_ns = self.until_ns;
        self.sum.clear();
        for thread in &mut self.threads {
            thread.used = ThreadUse::default();
            while let Some(report) = thread.next_upto(upto) {
                self.until_ns = self.until_ns.max(report.to_ns);
                thread.gauges = report.gauges;
                thread.used.cpu_ns += report.used.cpu_ns;
                thread.used.run_delay_ns += report.used.run_delay_ns;
                thread.why = report.why;
                self.sum.add(&report.live);
                let mut live = report.live;
                live.clear();
                // A thread that has ended takes nothing back.
                let _ = thread.spare.send(live);
            }
        }
        Some(self.frame(from_ns, self.until_ns))
    }

    fn frame(&mut self, from_ns: u64, to_ns: u64) -> Frame<'_> {
        let counts = self.sum.counts;
        let n = self.frames;
        self.frames += 1;
        self.totals.due += counts.due;
        self.totals.sent += counts.sent;
        self.totals.answered += counts.answered;
        self.totals.failed += counts.failed;
        self.totals.unsent += counts.unsent();
        let len_ns = to_ns.saturating_sub(from_ns);
        let cpu_ns = testimony::process_cpu_ns();
        let process_cpu_ns = cpu_ns.saturating_sub(std::mem::replace(&mut self.process_cpu_ns, cpu_ns));
        let rss_bytes = testimony::memory_bytes().0;
        self.rss_most_bytes = self.rss_most_bytes.max(rss_bytes);
        let stands = self.stands();
        let examples = self.examples();
        Frame {
            n,
            t_ns: from_ns,
            len_ns,
            due: counts.due,
            sent: counts.sent,
            answered: counts.answered,
            failed: counts.failed,
            unsent: counts.unsent(),
            in_flight: stands.in_flight,
            queued: stands.queued,
            users: stands.users,
            sessions: stands.sessions,
            planned: self.planned(from_ns, to_ns),
            in_flight_s: counts.in_flight_ns as f64 / 1e9,
            bytes_in: counts.bytes_in,
            bytes_out: counts.bytes_out,
            opened: counts.opened,
            reused: counts.reused,
            open: stands.open,
            backoffs: counts.backoffs,
            capped: counts.capped,
            stream_resets: counts.stream_resets,
            goaways: counts.goaways,
            unsent_why: UnsentWhy {
                no_connection: counts.unsent_no_connection,
                end: counts.unsent_end,
                missed: counts.unsent_missed,
            },
            status: self.sum.statuses().map(|(status, count)| (status.to_string(), count)).collect(),
            lag: self.sum.lag.encode(&mut self.encoder),
            wait: self.sum.wait.encode(&mut self.encoder),
            connect: self.sum.connect.encode(&mut self.encoder),
            session: some(&self.sum.session, &mut self.encoder),
            threads: self.threads.iter().map(|thread| thread.row(len_ns)).collect(),
            process_cpu_ns,
            rss_bytes,
            fds: testimony::descriptors(),
            fds_limit: self.fds_limit,
            ports: stands.ports,
            ports_range: self.ports_range,
            gaps_ns: self.sum.gaps_ns.clone(),
            logins: counts.logins,
            logins_again: counts.logins_again,
            from_cache: counts.from_cache,
            examples: examples.into_iter().map(|example| example_row(&self.config, example)).collect(),
            routes: route_rows(&self.config, &self.sum, &mut self.encoder),
        }
    }

    /// State of all threads together.
    fn stands(&self) -> Gauges {
        let mut sum = Gauges::default();
        for thread in &self.threads {
            sum.in_flight += thread.gauges.in_flight;
            sum.queued += thread.gauges.queued;
            sum.users += thread.gauges.users;
            sum.sessions += thread.gauges.sessions;
            sum.open += thread.gauges.open;
            sum.ports += thread.gauges.ports;
        }
        sum
    }

    /// The level that the plan wants at the end of the interval: of a list, its mean rate in it.
    fn planned(&self, from_ns: u64, to_ns: u64) -> f64 {
        let since_start_s = |t_ns: u64| s_from_ns(t_ns.saturating_sub(self.start_ns));
        let (begin, end) = (since_start_s(from_ns), since_start_s(to_ns));
        match &self.planned {
            Planned::Level(line) => line.at(end),
            Planned::List(times_s) => {
                let before = |t_s: f64| times_s.partition_point(|time| *time < t_s);
                let count = before(end) - before(begin);
                if end > begin { count as f64 / (end - begin) } else { 0.0 }
            }
        }
    }

    /// The examples that were not shown often enough yet.
    fn examples(&mut self) -> Vec<Example> {
        let mut examples = std::mem::take(&mut self.sum.examples);
        examples.sort_by_key(|example| example.t_ns);
        examples.retain(|example| {
            let shown = self.shown.entry((example.route.index(), example.outcome)).or_default();
            *shown = shown.saturating_add(1);
            *shown <= EXAMPLES_MOST
        });
        examples
    }

    /// The end, once every thread is at its own and every report has become part of a frame.
    pub(crate) fn end(&self, now_ns: u64) -> Option<End> {
        let whys: Option<Vec<Why>> = self.threads.iter().map(|thread| thread.why).collect();
        let why = whys?.into_iter().max()?;
        Some(End {
            why: why.as_str(),
            t_ns: now_ns,
            totals: self.totals,
            max_rss_bytes: testimony::memory_bytes().1.max(self.rss_most_bytes),
        })
    }
}

impl Thread {
    /// The next report, if it belongs to this frame.
    fn next_upto(&mut self, frame: u64) -> Option<Report> {
        self.reports.front().filter(|report| report.frame <= frame)?;
        self.reports.pop_front()
    }

    fn row(&self, len_ns: u64) -> ThreadRow {
        // The last frame may be shorter than the work of cutting it, which is in `cpu_ns` too.
        let busy_share = self.used.cpu_ns as f64 / len_ns.max(1) as f64;
        ThreadRow {
            cpu_ns: self.used.cpu_ns,
            run_delay_ns: self.used.run_delay_ns,
            busy_share: busy_share.min(1.0),
        }
    }
}

fn some(histogram: &Histogram, encoder: &mut Encoder) -> Option<String> {
    (!histogram.is_empty()).then(|| histogram.encode(encoder))
}

fn route_rows<'a>(config: &'a EngineConfig, sum: &Live, encoder: &mut Encoder) -> Vec<RouteRow<'a>> {
    let rows = sum.cells().map(|(route, outcome, cell)| RouteRow {
        route: &config.routes[route].name,
        class: config.routes[route].class.as_str(),
        outcome: outcome.as_str(),
        count: cell.count,
        bytes: cell.bytes,
        response: cell.response.encode(encoder),
        service: some(&cell.service, encoder),
    });
    rows.collect()
}

fn example_row(config: &EngineConfig, example: Example) -> ExampleRow<'_> {
    ExampleRow {
        t_ns: example.t_ns,
        route: &config.routes[example.route.index()].name,
        outcome: example.outcome.as_str(),
        detail: example.detail,
        headers: example.headers,
    }
}
