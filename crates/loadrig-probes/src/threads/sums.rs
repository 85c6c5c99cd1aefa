//! Observations of a burst, added up.

use super::burst::{Burst, Busy, Run, Task};
use super::files::{TICK_NS, Times};
use super::look::{Access, Gap};
use super::names::with;
use super::state::{STATES, State};
use super::tally::{Means, Settled, settled};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of the threads that ran most that are told.
const BUSY_MOST: usize = 10;

/// By group, the mean numbers of threads that ran and that waited for a core.
type Exact = FxHashMap<Arc<str>, (f64, f64)>;

impl Run<'_> {
    /// Ends the burst.
    pub(super) fn finish(mut self) -> Burst {
        let seconds = self.began.elapsed().as_secs_f64();
        let mut burst = Burst { looks: self.looks, seconds, left_out: self.left_out, ..Burst::default() };
        burst.gaps = self.gaps();
        let used = self.used(seconds);
        burst.states = State::ALL.iter().map(|state| (*state, 0.0)).collect();
        if self.looks == 0 {
            return burst;
        }
        let (exact, busy) = self.exact(&used, seconds);
        burst.busy = busy;
        let mut seen: FxHashMap<Arc<str>, Means> = FxHashMap::default();
        for ((group, state, _), weight) in &self.tallies {
            seen.entry(group.clone()).or_insert([0.0; STATES])[state.place()] += weight / self.looks as f64;
        }
        let factors: FxHashMap<Arc<str>, Settled> = seen
            .iter()
            .map(|(group, means)| (group.clone(), settled(means, exact.get(group).copied())))
            .collect();
        self.add_groups(&mut burst, &factors);
        self.add_peers(&mut burst, &factors);
        burst
    }

    /// Times of each thread, as mean numbers of threads that ran and that waited for a core.
    fn used(&mut self, seconds: f64) -> Vec<Option<(f64, f64)>> {
        let files = &mut self.sampler.files;
        let read = |task: &Task| {
            // The same thread still: its folder is the same.
            let inode = files.inode(&format!("{}/task/{}", task.pid, task.tid)).ok()?;
            let (times, _) = files.times(task.pid, task.tid).filter(|_| inode == task.inode)?;
            let (before, window_s) = match task.before {
                Some((before, since)) => (before, since.elapsed().as_secs_f64()),
                None => (Times::default(), seconds),
            };
            let more = times.since(before);
            let mean = |ns: u64| ns as f64 / 1e9 / window_s.max(1e-9);
            Some((mean(more.ran_ns), mean(more.delay_ns)))
        };
        self.tasks.iter().map(read).collect()
    }

    /// By pool, the mean numbers of threads that ran and that waited for a core; and who ran most.
    fn exact(&mut self, used: &[Option<(f64, f64)>], seconds: f64) -> (Exact, Vec<Busy>) {
        let looks = self.looks as f64;
        let wanting = |task: &Task| task.seen[State::Running.place()] / looks;
        let ran: f64 = used.iter().flatten().map(|(ran, _)| ran).sum();
        let gone: f64 = self
            .tasks
            .iter()
            .zip(used)
            .filter(|(_, used)| used.is_none())
            .map(|(task, _)| wanting(task))
            .sum();
        let gone_ran = self.ran_by_gone(ran, seconds).min(gone);
        let share = if gone > 0.0 { gone_ran / gone } else { 0.0 };
        let mut exact: Exact = FxHashMap::default();
        for (task, used) in self.tasks.iter().zip(used) {
            let (ran, delayed) = match *used {
                Some(used) if self.is_exact => used,
                // Where the kernel does not count who waits, it is who was seen to want a core without one.
                Some((ran, _)) => (ran, (wanting(task) - ran).max(0.0)),
                None => (wanting(task) * share, wanting(task) * (1.0 - share)),
            };
            let sums = exact.entry(task.group.clone()).or_default();
            sums.0 += ran;
            sums.1 += delayed;
        }
        let mut order: Vec<(usize, (f64, f64))> =
            used.iter().enumerate().filter_map(|(place, used)| used.map(|used| (place, used))).collect();
        order.sort_unstable_by(|one, two| two.1.0.total_cmp(&one.1.0));
        let told = order.into_iter().take(BUSY_MOST).filter(|(_, (ran, _))| *ran > 0.0);
        let busy = told.map(|(place, used)| busy(&self.tasks[place], used, looks)).collect();
        (exact, busy)
    }

    /// Mean number of threads that ran and have ended: what their processes used beyond the living.
    ///
    /// In ticks of 10 ms, and only where threads have come and gone.
    fn ran_by_gone(&mut self, ran: f64, seconds: f64) -> f64 {
        let ended = |task: &Task| task.is_gone;
        if !self.tasks.iter().any(ended) {
            return 0.0;
        }
        let Ok(now) = self.sampler.root.processes(&mut self.sampler.files) else { return 0.0 };
        let ticks: u64 = now.iter().map(|process| process.ticks).sum();
        (ticks.saturating_sub(self.ticks) * TICK_NS) as f64 / 1e9 / seconds.max(1e-9) - ran
    }

    fn add_groups(&self, burst: &mut Burst, settled: &FxHashMap<Arc<str>, Settled>) {
        with(&self.sampler.names, |names| {
            let size = |one: &Settled| thousandths(one.means.iter().sum());
            names.admit(settled.iter().map(|(group, one)| (group.clone(), size(one))));
            for (group, one) in settled {
                let shown = names.shown(group);
                for (state, mean) in State::ALL.iter().zip(one.means).filter(|(_, mean)| *mean > 0.0) {
                    *burst.groups.entry((*state, shown.to_owned())).or_default() += mean;
                    burst.states[state.place()].1 += mean;
                }
            }
        });
    }

    fn add_peers(&self, burst: &mut Burst, settled: &FxHashMap<Arc<str>, Settled>) {
        let mut found: BTreeMap<(State, Arc<str>), f64> = BTreeMap::new();
        for ((group, state, peer), weight) in &self.tallies {
            let name = self.sampler.peers.name(*peer);
            if !name.is_empty() {
                let factor = settled.get(group).map_or(1.0, |one| one.factor);
                *found.entry((*state, name)).or_default() += factor * weight / self.looks as f64;
            }
        }
        with(&self.sampler.peer_names, |names| {
            names.admit(found.iter().map(|((_, name), mean)| (name.clone(), thousandths(*mean))));
            for ((state, name), mean) in found {
                *burst.peers.entry((state, names.shown(&name).to_owned())).or_default() += mean;
            }
        });
    }

    fn gaps(&self) -> BTreeSet<Gap> {
        let mut gaps = BTreeSet::new();
        for home in &self.homes {
            let pid = home.process.pid;
            let is_foreign = home.access == Access::Places && self.sampler.files.is_foreign(pid);
            gaps.extend(match home.access {
                Access::Calls => None,
                Access::Places if is_foreign => Some(Gap::Foreign(pid)),
                Access::Places => Some(Gap::Calls(pid)),
                Access::Letters => Some(Gap::Places(pid)),
            });
        }
        if let Some(home) = self.homes.first() {
            gaps.extend(self.sampler.peers.is_refused.then_some(Gap::Sockets(home.process.pid)));
            gaps.extend((!self.is_exact).then_some(Gap::Delay(home.process.pid)));
        }
        gaps
    }
}

fn busy(task: &Task, (ran, delayed): (f64, f64), looks: f64) -> Busy {
    let seen = task.seen.map(|weight| weight / looks);
    let means = settled(&seen, Some((ran, delayed))).means;
    let states = State::ALL.into_iter().zip(means).filter(|(_, share)| *share > 0.0).collect();
    Busy { pid: task.pid, tid: task.tid, name: task.name.clone(), states }
}

/// A mean number as a size by which names are put in order.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers of threads are small")]
fn thousandths(mean: f64) -> u64 {
    (mean * 1e3) as u64
}
