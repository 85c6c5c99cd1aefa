//! Time that every thread has run and has waited for a core: read of all, exact, and added up by pool.

use super::files::{Files, Times};
use super::names::{SharedNames, folded, with};
use super::roster::{Process, Root};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// Share of a core from which on a thread is told by its own name: ten of them fill a core.
const BUSY_SHARE: f64 = 0.1;

/// A thread takes another one's place among the busiest if it runs so many times as much.
const BUSIER: f64 = 2.0;

/// Number of threads that are named in the whole of a run: each is a series of its own.
const NAMED_MOST: usize = 100;

/// A thread is given its name after its start, so it is read again the second time that it is seen.
const NAMED_AT: u32 = 2;

/// Times of threads since the first look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of threads now.
    pub threads: u64,
    /// Time that they ran, in ns, those that have ended included.
    pub ran_ns: u64,
    /// Time that they could run and waited for a core, in ns.
    pub delay_ns: u64,
}

/// A thread that is told by its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Its process.
    pub pid: i32,
    /// Its number.
    pub tid: i32,
    /// Its name.
    pub name: String,
    /// Times of the thread since the first look.
    pub times: Times,
}

/// Result of one look.
#[derive(Clone, Debug, Default)]
pub struct Counted {
    /// By pool: the folded names of threads, and `OTHERS`.
    pub groups: BTreeMap<String, Counts>,
    /// Those that ran most, of those that live.
    pub busiest: Vec<Spent>,
    /// The greatest share of a core that a thread ran since the look before.
    pub most_share: f64,
    /// Threads beyond the most, which were not read.
    pub left_out: usize,
    /// Whether the kernel counts run and wait exactly; else these are ticks, and there is no wait.
    pub is_exact: bool,
}

struct Known {
    inode: u64,
    start: u64,
    name: String,
    group: Arc<str>,
    last: Times,
    total: Times,
    /// Share of a core since the look before.
    share: f64,
    sightings: u32,
    look: u64,
}

/// Counts the threads of a program.
pub struct Census {
    root: Root,
    files: Files,
    names: SharedNames,
    most: usize,
    busiest_most: usize,
    known: FxHashMap<(i32, i32), Known>,
    groups: BTreeMap<String, Counts>,
    named: Vec<(i32, i32, u64)>,
    named_ever: usize,
    look: u64,
    last_ns: u64,
    is_exact: bool,
    left_out: usize,
}

impl Census {
    /// Opens /proc.
    ///
    /// `most`: so many threads are read; busiest: so many are told by their own names at a time.
    pub fn open(root: Root, names: SharedNames, most: usize, busiest: usize) -> io::Result<Self> {
        let files = Files::open(&root.proc)?;
        Ok(Self {
            root,
            files,
            names,
            most,
            busiest_most: busiest,
            known: FxHashMap::default(),
            groups: BTreeMap::new(),
            named: Vec::new(),
            named_ever: 0,
            look: 0,
            last_ns: 0,
            is_exact: true,
            left_out: 0,
        })
    }

    /// Reads from now on below another /proc: for recorded ones, of which each is an instant.
    pub fn turn_to(&mut self, proc: &std::path::Path) -> io::Result<()> {
        self.files = Files::open(proc)?;
        self.root.proc = proc.to_path_buf();
        Ok(())
    }

    /// Reads all threads. now: the instant, in ns of a clock that goes on.
    ///
    /// An error of `ESRCH` if the program has ended.
    pub fn read(&mut self, now_ns: u64) -> io::Result<Counted> {
        let processes = self.root.processes(&mut self.files)?;
        let since_ns = now_ns.saturating_sub(self.last_ns);
        self.look += 1;
        self.last_ns = now_ns;
        self.left_out = 0;
        let mut grown: Vec<((i32, i32), Times)> = Vec::new();
        let mut room = self.most;
        for process in &processes {
            let threads = self.files.threads(process.pid);
            let read = threads.len().min(room);
            room -= read;
            self.left_out += threads.len() - read;
            for (tid, inode) in threads.into_iter().take(read) {
                grown.extend(
                    self.thread(process, tid, inode, since_ns).map(|more| ((process.pid, tid), more)),
                );
            }
        }
        let look = self.look;
        self.known.retain(|_, known| known.look == look);
        self.add_up(&grown);
        self.name_busiest();
        Ok(self.told())
    }

    /// Times that a thread has added since it was last seen; None if it is gone.
    fn thread(&mut self, process: &Process, tid: i32, inode: u64, since_ns: u64) -> Option<Times> {
        let key = (process.pid, tid);
        let is_settled =
            self.known.get(&key).is_some_and(|known| known.inode == inode && known.sightings >= NAMED_AT);
        let (look, is_first) = (self.look, self.look == 1);
        if !is_settled {
            let stat = self.files.stat(process.pid, tid)?;
            if self.known.get(&key).is_none_or(|known| known.start != stat.start) {
                let group = folded(&stat.name).into();
                let (last, total) = (Times::default(), Times::default());
                let known = Known {
                    inode,
                    start: stat.start,
                    name: String::new(),
                    group,
                    last,
                    total,
                    share: 0.0,
                    sightings: 0,
                    look,
                };
                self.known.insert(key, known);
            }
            if let Some(known) = self.known.get_mut(&key) {
                known.inode = inode;
                known.sightings += 1;
                if known.name != stat.name {
                    known.group = folded(&stat.name).into();
                    known.name = stat.name;
                }
            }
        }
        let (times, is_exact) = self.files.times(process.pid, tid)?;
        self.is_exact &= is_exact;
        let known = self.known.get_mut(&key)?;
        // What was there at the first look had run before; what is new since was born since.
        let more = if is_first { Times::default() } else { times.since(known.last) };
        known.last = times;
        known.total.ran_ns += more.ran_ns;
        known.total.delay_ns += more.delay_ns;
        known.share = if since_ns > 0 && !is_first { more.ran_ns as f64 / since_ns as f64 } else { 0.0 };
        known.look = look;
        Some(more)
    }

    fn add_up(&mut self, grown: &[((i32, i32), Times)]) {
        let mut sizes: FxHashMap<Arc<str>, u64> = FxHashMap::default();
        for known in self.known.values() {
            *sizes.entry(known.group.clone()).or_default() += 1;
        }
        for counts in self.groups.values_mut() {
            counts.threads = 0;
        }
        let (known, groups) = (&self.known, &mut self.groups);
        with(&self.names, |names| {
            names.admit(sizes.iter().map(|(name, size)| (name.clone(), *size)));
            for (name, size) in &sizes {
                groups.entry(names.shown(name).to_owned()).or_default().threads += size;
            }
            for (key, more) in grown {
                let Some(known) = known.get(key) else { continue };
                let counts = groups.entry(names.shown(&known.group).to_owned()).or_default();
                counts.ran_ns += more.ran_ns;
                counts.delay_ns += more.delay_ns;
            }
        });
    }

    /// Gives those that run most a name of their own: a series goes on while its thread lives.
    fn name_busiest(&mut self) {
        let known = &self.known;
        self.named
            .retain(|(pid, tid, start)| known.get(&(*pid, *tid)).is_some_and(|one| one.start == *start));
        let mut busy: Vec<_> = known
            .iter()
            .filter(|(_, one)| one.share >= BUSY_SHARE)
            .map(|((pid, tid), one)| (one.share, (*pid, *tid, one.start)))
            .filter(|(_, key)| !self.named.contains(key))
            .collect();
        busy.sort_unstable_by(|one, two| two.0.total_cmp(&one.0));
        for (share, key) in busy {
            if self.named_ever >= NAMED_MOST {
                return;
            }
            if self.named.len() >= self.busiest_most {
                let share_of =
                    |key: &(i32, i32, u64)| known.get(&(key.0, key.1)).map_or(0.0, |one| one.share);
                let least = self.named.iter().enumerate().map(|(place, key)| (share_of(key), place));
                match least.min_by(|one, two| one.0.total_cmp(&two.0)) {
                    Some((least, place)) if share > BUSIER * least => self.named.swap_remove(place),
                    _ => return,
                };
            }
            self.named.push(key);
            self.named_ever += 1;
        }
    }

    fn told(&self) -> Counted {
        let spent = |(pid, tid, _): &(i32, i32, u64)| {
            let known = self.known.get(&(*pid, *tid))?;
            Some(Spent { pid: *pid, tid: *tid, name: known.name.clone(), times: known.total })
        };
        Counted {
            groups: self.groups.clone(),
            busiest: self.named.iter().filter_map(spent).collect(),
            most_share: self.known.values().map(|known| known.share).fold(0.0, f64::max),
            left_out: self.left_out,
            is_exact: self.is_exact,
        }
    }
}
