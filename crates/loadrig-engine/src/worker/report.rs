//! Report of a worker to the collector: its counts of an interval, and how it stands at its end.

use std::sync::mpsc::Receiver;

use super::Worker;
use super::destination::Destination;
use crate::connection::Doing;
use crate::live::Live;
use crate::testimony::{ThreadUse, ThreadWitness};

/// Reason why a run, or one thread's part of it, ended. Where threads ended for different reasons the
/// greatest is the run's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// The line of users is at 0 for good.
    AllUsersDone,
    /// Every user has made its loops.
    Loops,
    /// The list of times has ended.
    ListDone,
    /// The number of requests was reached.
    Requests,
    /// The time was over.
    Time,
    /// The parent, or a signal, said so.
    Stopped,
}

impl Why {
    /// As written in the end message.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::AllUsersDone => "all_users_done",
            Self::Loops => "loops",
            Self::ListDone => "list_done",
            Self::Requests => "requests",
            Self::Time => "time",
            Self::Stopped => "stopped",
        }
    }
}

/// An interval of one thread.
#[derive(Debug)]
pub(crate) struct Report {
    /// Number of the thread.
    pub shard: u32,
    /// Number of the interval by the clock: a thread that was held up leaves numbers out.
    pub frame: u64,
    /// Instant at which it ended, which is when the next one began.
    pub to_ns: u64,
    /// Counts of the interval.
    pub live: Box<Live>,
    /// State of the thread at its end.
    pub gauges: Gauges,
    /// Resources that the thread used in it.
    pub used: ThreadUse,
    /// Set in the last report of a thread.
    pub why: Option<Why>,
}

/// State of a thread at an instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Gauges {
    pub in_flight: u64,
    pub queued: u64,
    pub users: u64,
    pub sessions: u64,
    pub open: u64,
    pub ports: u64,
}

/// The way from one thread to the collector.
pub(super) struct Reporter {
    shard: u32,
    /// Number of the interval that runs now.
    frame: u64,
    pub witness: ThreadWitness,
    tell: Box<dyn Fn(Report)>,
    /// Counts that the collector has emptied.
    spare: Receiver<Box<Live>>,
}

impl Reporter {
    /// On the thread that it is of.
    pub(super) fn new(shard: u32, tell: Box<dyn Fn(Report)>, spare: Receiver<Box<Live>>) -> Self {
        Self { shard, frame: 0, witness: ThreadWitness::of_this_thread(), tell, spare }
    }

    /// Lets the first interval be this one: those before it were another generator's.
    pub(super) fn skip_to(&mut self, frame: u64) {
        self.frame = frame;
    }

    /// Counts for the next interval.
    fn fresh(&self, routes: usize) -> Box<Live> {
        self.spare.try_recv().unwrap_or_else(|_| Box::new(Live::new(routes)))
    }
}

impl Worker {
    /// Instant at which the interval that runs now ends.
    pub(super) fn next_cut_ns(&self) -> u64 {
        let frames_ns = self.settings.frame_ns.saturating_mul(self.reporter.frame + 1);
        self.settings.start_ns.saturating_add(frames_ns)
    }

    /// Reports the interval if it is over.
    pub(super) fn cut_if_due(&mut self) {
        if self.now_ns < self.next_cut_ns() {
            return;
        }
        // If we were held up for longer than an interval this one is longer than the others.
        let passed = self.now_ns.saturating_sub(self.settings.start_ns) / self.settings.frame_ns;
        let frame = passed.max(self.reporter.frame + 1) - 1;
        self.report(frame, None);
        self.reporter.frame = frame + 1;
    }

    /// Closes all connections and reports what is left.
    pub(super) fn last_report(&mut self, why: Why) {
        for connection in 0..self.connections.end() {
            if self.connections[connection].doing != Doing::Nothing {
                self.close(connection);
            }
        }
        self.tick();
        self.report(self.reporter.frame, Some(why));
    }

    fn report(&mut self, frame: u64, why: Option<Why>) {
        let now_ns = self.now_ns.max(self.settings.start_ns);
        let live = self.ledger.cut(now_ns, self.reporter.fresh(self.routes.len()));
        let (mut open, mut ports, mut queued) = (0, 0, self.backlog.len());
        for Destination { admission, dialler, .. } in &mut self.destinations {
            let open_there = admission.open() as u64;
            open += open_there;
            ports += dialler.ports(open_there, now_ns);
            queued += admission.queued();
        }
        let gauges = Gauges {
            in_flight: self.ledger.in_flight(),
            queued: queued as u64,
            users: self.model.users(),
            sessions: self.model.sessions(),
            open,
            ports,
        };
        let report = Report {
            shard: self.reporter.shard,
            frame,
            to_ns: now_ns,
            live,
            gauges,
            used: self.reporter.witness.since_last(),
            why,
        };
        (self.reporter.tell)(report);
    }
}
