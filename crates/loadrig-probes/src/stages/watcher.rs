//! Looks at random instants, in a thread of its own, as often as a budget of CPU time allows.
//!
//! The gaps between looks are exponential: such looks see each state as often as it lasts, and no server
//! that does something periodically hides between them (Wolff 1982, Poisson arrivals see time averages).

use crate::namespace::Namespace;
use crate::netlink::Netlink;
use crate::speed::thread_cpu_ns;
use crate::stages::looker::{Component, Glance, Looker};
use crate::stages::owners::{Id, Root};
use crate::stages::stage::STATES;
use crate::stages::sums::{Mean, Most, Sums};
use crate::wire;
use loadrig_core::rng::{Purpose, Rng};
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Weight of the last look's cost in the estimate of the next look's cost: the mean of some
/// twenty, as the tree of processes is read once a second only.
const NEWEST_SHARE: f64 = 0.1;

/// The longest mean gap between looks: below one look in so long there is no mean to speak of.
const LONGEST_GAP: Duration = Duration::from_secs(5);

/// Reason why nobody looks any more, if the thread came to an unforeseen end.
const PANICKED: &str = "the thread that looks has ended by a fault of ours";

/// Pace of looks, and what to tell apart.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Looks a second at most, on average.
    pub looks_per_s: f64,
    /// The share of a core that looking may take at first; see `Watcher::allow`.
    pub cpu_share: f64,
    /// Number of groups that are told apart.
    pub most: Most,
    /// Decides the instants.
    pub seed: u64,
}

/// Observations of a component since it was last asked for.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    /// Number of looks.
    pub looks: u32,
    /// Its groups of sockets.
    pub groups: Vec<Mean>,
    /// CPU seconds that looking at it has cost since it is watched: its part of what looks at all cost.
    pub cpu_s: f64,
    /// Whether some of its processes may not be read by this user.
    pub is_refused: bool,
    /// Whether its process has ended.
    pub is_gone: bool,
    /// Number of sockets that the last look left out, as there were too many.
    pub left_out: usize,
    /// Reason why the last look failed, if it did.
    pub failure: Option<String>,
}

/// Watches components until it is dropped.
pub struct Watcher {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    proc: PathBuf,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_ending: bool,
    components: Vec<Component>,
    has_changed: bool,
    opened: Vec<(u64, Netlink)>,
    seen: BTreeMap<Id, Record>,
    next: Id,
    cpu_share: Option<f64>,
}

/// Observations of a component, until it is asked for.
#[derive(Default)]
struct Record {
    sums: Sums,
    cpu_s: f64,
    last: Glance,
    failure: Option<String>,
}

impl Watcher {
    /// Starts the thread; it waits until there is something to watch.
    pub fn start(settings: Settings) -> io::Result<Self> {
        let (shared, proc) = (Arc::new(Shared::default()), PathBuf::from("/proc"));
        let (of_thread, looker) = (Arc::clone(&shared), Looker::new(proc.clone()));
        let name = "loadrig-stages".to_owned();
        let thread = thread::Builder::new().name(name).spawn(move || of_thread.run(looker, settings))?;
        Ok(Self { shared, thread: Some(thread), proc })
    }

    /// Watches a process and its descendants from now on, and returns the number to ask for it by.
    ///
    /// start: ticks since boot at which it was started. ports: that it is known to listen on, for where its
    /// descriptors may not be read. An error where the kernel refuses to tell of sockets, and of kind
    /// `PermissionDenied` where the process lives in a network namespace that may not be entered.
    pub fn watch(&self, pid: i32, start: Option<u64>, ports: Vec<u16>) -> io::Result<Id> {
        let own = inode(&self.proc.join("self/ns/net"))?;
        let path = self.proc.join(pid.to_string()).join("ns/net");
        // Whose namespace may not be seen is taken to live in ours.
        let space = inode(&path).unwrap_or(own);
        let is_open = self.shared.lock().components.iter().any(|component| component.space == space);
        // Outside of the lock, as the kernel may take its time.
        let opened = if is_open { None } else { Some(open((space != own).then_some(&path))?) };
        let mut state = self.shared.lock();
        state.next += 1;
        let id = state.next;
        state.components.push(Component { root: Root { id, pid, start }, ports, space });
        state.opened.extend(opened.map(|netlink| (space, netlink)));
        state.seen.insert(id, Record::default());
        state.has_changed = true;
        self.shared.changed.notify_all();
        Ok(id)
    }

    /// Observations of a component since the last call; None for one that is not watched.
    #[must_use]
    pub fn take(&self, id: Id) -> Option<Sight> {
        let has_panicked = self.thread.as_ref().is_some_and(JoinHandle::is_finished);
        let mut state = self.shared.lock();
        let record = state.seen.get_mut(&id)?;
        let (looks, groups) = record.sums.take();
        Some(Sight {
            looks,
            groups,
            cpu_s: record.cpu_s,
            is_refused: record.last.is_refused,
            is_gone: record.last.is_gone,
            left_out: record.last.left_out,
            failure: if has_panicked { Some(PANICKED.to_owned()) } else { record.failure.clone() },
        })
    }

    /// Lets looking take this share of a core from the next look on.
    pub fn allow(&self, cpu_share: f64) {
        self.shared.lock().cpu_share = Some(cpu_share);
    }

    /// Watches a component no longer.
    pub fn forget(&self, id: Id) {
        let mut state = self.shared.lock();
        state.components.retain(|component| component.root.id != id);
        state.seen.remove(&id);
        state.has_changed = true;
        self.shared.changed.notify_all();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.lock().is_ending = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // if it panicked, it has said so
        }
    }
}

fn inode(path: &Path) -> io::Result<u64> {
    Ok(path.metadata()?.ino())
}

/// A socket to the kernel that has been tried.
fn open(namespace: Option<&PathBuf>) -> io::Result<Netlink> {
    let mut netlink = Netlink::open(&Namespace::open(namespace.map(PathBuf::as_path))?)?;
    let request = wire::request_family(netlink.next(), wire::FAMILIES[0], STATES & (1 << 10), false);
    netlink.dump(&request, |_| {})?;
    Ok(netlink)
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in the middle of a look leaves sums that are off, and nothing that is unsafe.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, mut looker: Looker, settings: Settings) {
        let mut pace = Pace::new(settings);
        let mut due = None;
        let mut is_first = true;
        loop {
            let now = Instant::now();
            let mut state = self.lock();
            if state.is_ending {
                return;
            }
            if std::mem::take(&mut state.has_changed) {
                looker.watch(state.components.clone(), std::mem::take(&mut state.opened));
                is_first = true;
            }
            if state.components.is_empty() {
                due = None;
                drop(self.changed.wait(state));
                continue;
            }
            pace.allow(state.cpu_share);
            let at = *due.get_or_insert_with(|| now + pace.gap());
            if now < at {
                drop(self.changed.wait_timeout(state, at - now));
                continue;
            }
            drop(state);
            let before = thread_cpu_ns();
            let outcome = looker.look();
            let cost_s = (thread_cpu_ns() - before) as f64 / 1e9;
            self.lock().add(outcome, cost_s, settings.most);
            // The first look at a component reads all its descriptors, which the others do not.
            if !std::mem::take(&mut is_first) {
                pace.learn(cost_s);
            }
            due = None;
        }
    }
}

impl State {
    fn add(&mut self, outcome: io::Result<BTreeMap<Id, Glance>>, cost_s: f64, most: Most) {
        let part_s = cost_s / self.seen.len().max(1) as f64;
        let (mut glances, failure) = match outcome {
            Ok(glances) => (glances, None),
            Err(error) => (BTreeMap::new(), Some(error.to_string())),
        };
        for (id, record) in &mut self.seen {
            record.cpu_s += part_s;
            record.failure.clone_from(&failure);
            // One that came during the look is not among them.
            let Some(mut glance) = glances.remove(id) else { continue };
            if !glance.is_gone {
                record.sums.add(std::mem::take(&mut glance.counts), most);
            }
            record.last = glance;
        }
    }
}

/// Draws the gaps between looks.
struct Pace {
    settings: Settings,
    rng: Rng,
    /// CPU seconds that a look costs; None before the first.
    cost_s: Option<f64>,
}

impl Pace {
    fn new(settings: Settings) -> Self {
        Self { settings, rng: Rng::stream(settings.seed, Purpose::SocketLooks, 0), cost_s: None }
    }

    /// Takes over a new share of a core, if one was said.
    fn allow(&mut self, cpu_share: Option<f64>) {
        self.settings.cpu_share = cpu_share.unwrap_or(self.settings.cpu_share);
    }

    fn learn(&mut self, cost_s: f64) {
        let before = self.cost_s.unwrap_or(cost_s);
        self.cost_s = Some(before + NEWEST_SHARE * (cost_s - before));
    }

    fn mean_gap_s(&self) -> f64 {
        let least = self.settings.looks_per_s.recip();
        let affordable = self.cost_s.unwrap_or(0.0) / self.settings.cpu_share;
        affordable.max(least).min(LONGEST_GAP.as_secs_f64())
    }

    fn gap(&mut self) -> Duration {
        Duration::try_from_secs_f64(self.mean_gap_s() * self.rng.exponential()).unwrap_or(LONGEST_GAP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings =
        Settings { looks_per_s: 50.0, cpu_share: 0.01, most: Most { destinations: 9, ports: 9 }, seed: 1 };

    #[test]
    fn looks_are_as_frequent_as_asked_for_while_they_are_cheap_and_rarer_when_they_are_not() {
        let mut pace = Pace::new(SETTINGS);
        assert!((pace.mean_gap_s() - 0.02).abs() < 1e-9);
        for (cost_s, gap_s) in [(0.000_1, 0.02), (0.001, 0.1), (0.01, 1.0), (10.0, 5.0)] {
            (0..400).for_each(|_| pace.learn(cost_s));
            assert!((pace.mean_gap_s() - gap_s).abs() < 1e-3 * gap_s, "{cost_s}");
        }
    }

    #[test]
    fn looks_are_rarer_once_less_is_allowed() {
        let mut pace = Pace::new(SETTINGS);
        pace.learn(0.001);
        pace.allow(None);
        assert!((pace.mean_gap_s() - 0.1).abs() < 1e-9);
        pace.allow(Some(0.005));
        assert!((pace.mean_gap_s() - 0.2).abs() < 1e-9);
    }

    #[test]
    fn gaps_have_the_mean_that_was_asked_for_and_the_spread_of_random_arrivals() {
        let mut pace = Pace::new(SETTINGS);
        let gaps: Vec<f64> = (0..20_000).map(|_| pace.gap().as_secs_f64()).collect();
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / n;
        // Seven standard errors of a mean of that many.
        assert!((mean - 0.02).abs() < 0.001, "{mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.1, "{variance}");
    }
}
