//! Looks at all threads of a program at random instants, for a short while.

use super::files::{Files, Times};
use super::look::{Access, Gap, Seen, Subject, look};
use super::names::{SharedNames, folded};
use super::peers::{Peer, Peers};
use super::roster::{Process, Root};
use super::state::{STATES, State};
use super::tally::Means;
use crate::speed::thread_cpu_ns;
use loadrig_core::rng::{Purpose, Rng};
use rustc_hash::FxHashMap;
use rustix::fd::OwnedFd;
use rustix::process::{Resource, getrlimit};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Largest number of threads in a look: so many, next to each other in the list, from a random place.
const MOST_A_LOOK: usize = 512;

/// Files `syscall` are kept open for so many threads at most, and for a quarter of those that may be open.
const KEPT_MOST: usize = 512;

/// Largest part of the time in which the list of threads is read again.
const LISTING_APART: u64 = 20;

/// The same for which processes there are: all of the machine may be read for it.
const TREE_APART: u64 = 100;

/// A burst has so many looks, on average, whatever they cost: fewer tell nothing.
const LOOKS_LEAST: f64 = 10.0;

/// Largest extra cost of the end of a burst and its lists over its beginning: the end reads the times of
/// all threads again, and not their names.
const END_PART: f64 = 1.0;

/// Cost of a look as a part of the beginning's, as long as none was taken: one file of a thread, not two.
const LOOK_PART: f64 = 0.5;

/// Pace and length of a burst.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Looks a second, if they cost little.
    pub looks_per_s: f64,
    /// Length.
    pub length: Duration,
    /// CPU seconds that all of it may take; with more threads there are fewer looks, down to ten.
    pub cpu_s: f64,
    /// Decides the instants.
    pub seed: u64,
}

impl Pace {
    /// The mean gap between looks with which they and the rest cost what they may.
    ///
    /// `begun_s`, `each_s`: CPU seconds that the beginning has cost, and that a look costs.
    fn gap_s(&self, begun_s: f64, each_s: f64) -> f64 {
        let length_s = self.length.as_secs_f64();
        let rest_s = self.cpu_s - begun_s * (1.0 + END_PART);
        let looks = (rest_s / each_s.max(1e-9)).max(LOOKS_LEAST).min(self.looks_per_s * length_s);
        length_s / looks
    }
}

/// A word from another thread that a burst is to end.
#[derive(Debug, Default)]
pub struct Stop(Mutex<bool>, Condvar);

impl Stop {
    /// Ends the burst under way, and each one after it at its beginning.
    pub fn stop(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }

    /// Waits so long, or less; whether it is to end.
    fn wait(&self, time: Duration) -> bool {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.1.wait_timeout_while(held, time, |is_over| !*is_over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// A thread that ran much in a burst.
#[derive(Clone, Debug)]
pub struct Busy {
    /// Its process.
    pub pid: i32,
    /// Its number.
    pub tid: i32,
    /// Its name.
    pub name: String,
    /// Shares of the burst by state; they add up to 1, or to less for one that did not live all the while.
    pub states: Vec<(State, f64)>,
}

/// Observations of a burst.
#[derive(Clone, Debug, Default)]
pub struct Burst {
    /// Number of looks.
    pub looks: u64,
    /// Length, in seconds.
    pub seconds: f64,
    /// CPU time of looking, in seconds.
    pub cpu_s: f64,
    /// Mean number of threads by state: all states.
    pub states: Vec<(State, f64)>,
    /// Threads that read, write, connect, accept or wait for a file: by state and what it leads to.
    pub peers: BTreeMap<(State, String), f64>,
    /// By state and pool.
    pub groups: BTreeMap<(State, String), f64>,
    /// Those that ran most, most first.
    pub busy: Vec<Busy>,
    /// Facts that could not be seen.
    pub gaps: BTreeSet<Gap>,
    /// Threads beyond the most, which were not looked at.
    pub left_out: usize,
}

pub(super) struct Task {
    pub(super) process: usize,
    pub(super) pid: i32,
    pub(super) tid: i32,
    pub(super) inode: u64,
    pub(super) name: String,
    pub(super) group: Arc<str>,
    /// Times that it had used when the burst began, and when that was read; None if it was born later.
    pub(super) before: Option<(Times, Instant)>,
    pub(super) calls: Option<OwnedFd>,
    pub(super) seen: Means,
    pub(super) is_gone: bool,
}

pub(super) struct Home {
    pub(super) process: Process,
    pub(super) access: Access,
    pub(super) space: u64,
}

pub(super) type Tallies = FxHashMap<(Arc<str>, State, Peer), f64>;

/// Looks at the threads of a program.
pub struct Sampler {
    pub(super) root: Root,
    pub(super) files: Files,
    pub(super) names: SharedNames,
    pub(super) peer_names: SharedNames,
    pub(super) most: usize,
    pub(super) peers: Peers,
}

/// A burst under way.
pub(super) struct Run<'a> {
    pub(super) sampler: &'a mut Sampler,
    pub(super) began: Instant,
    pub(super) homes: Vec<Home>,
    pub(super) tasks: Vec<Task>,
    pub(super) places: FxHashMap<(i32, i32, u64), usize>,
    pub(super) alive: Vec<usize>,
    pub(super) kept: usize,
    pub(super) tallies: Tallies,
    pub(super) looks: u64,
    pub(super) ticks: u64,
    pub(super) left_out: usize,
    pub(super) is_exact: bool,
    pub(super) listing_due_ns: u64,
    pub(super) tree_due_ns: u64,
    pub(super) rng: Rng,
}

impl Sampler {
    /// Opens /proc. names: of pools; peers: how many peers are told apart; most: so many threads at most.
    pub fn open(root: Root, names: SharedNames, peers: usize, most: usize) -> io::Result<Self> {
        let files = Files::open(&root.proc)?;
        let found = Peers::new(&root.proc, &files);
        Ok(Self { root, files, names, peer_names: super::Names::shared(peers), most, peers: found })
    }

    /// Looks until the time is over or it is stopped. An error of `ESRCH` if the program has ended.
    pub fn burst(&mut self, pace: Pace, stop: &Stop) -> io::Result<Burst> {
        let cpu_ns = thread_cpu_ns();
        let mut run = Run {
            sampler: self,
            began: Instant::now(),
            homes: Vec::new(),
            tasks: Vec::new(),
            places: FxHashMap::default(),
            alive: Vec::new(),
            kept: 0,
            tallies: Tallies::default(),
            looks: 0,
            ticks: 0,
            left_out: 0,
            is_exact: true,
            listing_due_ns: 0,
            tree_due_ns: 0,
            rng: Rng::stream(pace.seed, Purpose::ThreadLooks, 0),
        };
        run.begin()?;
        let begun_s = (thread_cpu_ns() - cpu_ns) as f64 / 1e9;
        run.look_on(pace, begun_s, stop);
        let mut burst = run.finish();
        self.peers.forget();
        burst.cpu_s = (thread_cpu_ns() - cpu_ns) as f64 / 1e9;
        Ok(burst)
    }
}

impl Run<'_> {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn begin(&mut self) -> io::Result<()> {
        self.find_processes()?;
        self.ticks = self.homes.iter().map(|home| home.process.ticks).sum();
        self.list();
        for place in 0..self.tasks.len() {
            let (pid, tid) = (self.tasks[place].pid, self.tasks[place].tid);
            match self.sampler.files.times(pid, tid) {
                Some((times, is_exact)) => {
                    self.is_exact &= is_exact;
                    self.tasks[place].before = Some((times, Instant::now()));
                }
                None => self.tasks[place].is_gone = true,
            }
        }
        Ok(())
    }

    /// Looks at random instants: whatever comes round regularly does not hide between the looks, and the
    /// mean of the looks is the mean over time (Wolff 1982, Oper. Res. 30, 223).
    ///
    /// `begun_s`: CPU seconds that the beginning has cost.
    fn look_on(&mut self, pace: Pace, begun_s: f64, stop: &Stop) {
        let end = self.began + pace.length;
        let mut gap_s = pace.gap_s(begun_s, begun_s * LOOK_PART);
        let mut cost_s = 0.0;
        loop {
            let gap = Duration::from_secs_f64(self.rng.exponential() * gap_s);
            let now = Instant::now();
            if now + gap >= end {
                stop.wait(end.saturating_duration_since(now));
                return;
            }
            if stop.wait(gap) {
                return;
            }
            let before_ns = thread_cpu_ns();
            self.refresh();
            self.look();
            let now_ns = self.now_ns();
            self.sampler.peers.find(now_ns);
            cost_s += (thread_cpu_ns() - before_ns) as f64 / 1e9;
            gap_s = pace.gap_s(begun_s, cost_s / self.looks as f64);
        }
    }

    /// Processes and threads, where it is time to read them again.
    fn refresh(&mut self) {
        if self.now_ns() >= self.tree_due_ns {
            // One that has ended leaves no threads either.
            let _ = self.find_processes();
        }
        if self.now_ns() >= self.listing_due_ns {
            self.list();
        }
    }

    fn find_processes(&mut self) -> io::Result<()> {
        let before_ns = thread_cpu_ns();
        let found = self.sampler.root.processes(&mut self.sampler.files)?;
        for process in found {
            let same =
                |home: &&mut Home| (home.process.pid, home.process.start) == (process.pid, process.start);
            if let Some(home) = self.homes.iter_mut().find(same) {
                home.process = process;
                continue;
            }
            let files = &mut self.sampler.files;
            let space = files.inode(&format!("{}/ns/net", process.pid)).unwrap_or(0);
            let access = if files.is_foreign(process.pid) { Access::Places } else { Access::Calls };
            self.homes.push(Home { process, access, space });
        }
        self.tree_due_ns = self.now_ns() + TREE_APART * spent_ns(before_ns);
        Ok(())
    }

    fn list(&mut self) {
        let before_ns = thread_cpu_ns();
        self.alive.clear();
        self.left_out = 0;
        let kept_most = kept_most();
        for home in 0..self.homes.len() {
            let pid = self.homes[home].process.pid;
            let threads = self.sampler.files.threads(pid);
            let read = threads.len().min(self.sampler.most.saturating_sub(self.alive.len()));
            self.left_out = self.left_out.max(threads.len() - read);
            for (tid, inode) in threads.into_iter().take(read) {
                if let Some(place) = self.places.get(&(pid, tid, inode)) {
                    self.alive.push(*place);
                    continue;
                }
                let Some(stat) = self.sampler.files.stat(pid, tid) else { continue };
                let calls = if self.kept < kept_most {
                    self.sampler.files.handle(&format!("{pid}/task/{tid}/syscall")).ok()
                } else {
                    None
                };
                self.kept += usize::from(calls.is_some());
                let group = folded(&stat.name).into();
                let place = self.tasks.len();
                self.places.insert((pid, tid, inode), place);
                self.alive.push(place);
                self.tasks.push(Task {
                    process: home,
                    pid,
                    tid,
                    inode,
                    name: stat.name,
                    group,
                    before: None,
                    calls,
                    seen: [0.0; STATES],
                    is_gone: false,
                });
            }
        }
        self.listing_due_ns = self.now_ns() + LISTING_APART * spent_ns(before_ns);
    }

    fn look(&mut self) {
        self.looks += 1;
        let all = self.alive.len();
        let first = usize::try_from(self.rng.below(all as u64)).unwrap_or(0);
        let block = all.min(MOST_A_LOOK);
        let weight = all as f64 / block.max(1) as f64;
        for n in 0..block {
            let place = self.alive[(first + n) % all];
            let task = &mut self.tasks[place];
            let home = &mut self.homes[task.process];
            let seen = if home.process.is_stopped {
                Some(Seen::from(State::Stopped))
            } else {
                let subject =
                    Subject { pid: task.pid, tid: task.tid, space: home.space, calls: task.calls.as_ref() };
                look(&mut self.sampler.files, &subject, &mut home.access)
            };
            let Some(seen) = seen else {
                if task.calls.take().is_some() {
                    self.kept -= 1;
                }
                task.is_gone = true;
                continue;
            };
            task.seen[seen.state.place()] += weight;
            *self.tallies.entry((task.group.clone(), seen.state, seen.peer)).or_default() += weight;
            if let Peer::Socket(space, inode) = seen.peer {
                self.sampler.peers.want(task.pid, space, inode);
            }
        }
    }
}

fn spent_ns(before_ns: i64) -> u64 {
    u64::try_from(thread_cpu_ns() - before_ns).unwrap_or(0)
}

/// So many files may be kept open: the rest of the program needs descriptors, too.
fn kept_most() -> usize {
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX) / 4;
    usize::try_from(most).unwrap_or(usize::MAX).min(KEPT_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { looks_per_s: 50.0, length: Duration::from_secs(2), cpu_s: 0.03, seed: 1 };

    #[test]
    fn looks_are_as_many_as_can_be_paid_for() {
        for (begun_s, each_s, looks) in [
            (0.000_1, 0.000_1, 100.0), // cheap: as many as asked for
            (0.005, 0.001, 20.0),      // beginning and end take a third
            (0.1, 0.004, 10.0),        // beginning and end take more than all
            (0.0, 0.0, 100.0),
        ] {
            let gap_s = PACE.gap_s(begun_s, each_s);
            assert!((gap_s - 2.0 / looks).abs() < 1e-9, "{begun_s} {each_s}: {gap_s}");
        }
    }

    #[test]
    fn a_burst_that_was_asked_for_few_looks_has_few() {
        let gap_s = Pace { looks_per_s: 1.0, ..PACE }.gap_s(0.001, 0.001);
        assert!((gap_s - 1.0).abs() < 1e-9);
    }
}
