//! Processes that are a program's now.

use super::files::Files;
use crate::processes::process_tree;
use rustix::io::Errno;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Depth to which groups within a program's group are looked into.
const DEEPEST: usize = 8;

/// A program: the root of a tree of processes, or a control group that holds nothing else.
#[derive(Clone, Debug)]
pub struct Root {
    /// The process that is the root.
    pub pid: i32,
    /// Instant at which it was started, in ticks since boot; None for the process that has the number now.
    pub start: Option<u64>,
    /// The folder of the program's own control group, if it has one.
    pub group: Option<PathBuf>,
    /// /proc, but in tests.
    pub proc: PathBuf,
    /// The tree when it was last read, from which the next reading is checked.
    tree: Vec<i32>,
}

/// A process of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) start: u64,
    pub(crate) is_stopped: bool,
    /// Ticks of CPU time of its own and of its dead children.
    pub(crate) ticks: u64,
}

impl Root {
    /// A program of which nothing was read yet.
    #[must_use]
    pub fn new(pid: i32, start: Option<u64>, group: Option<PathBuf>, proc: PathBuf) -> Self {
        Self { pid, start, group, proc, tree: Vec::new() }
    }

    /// The processes that live. An error of `ESRCH` if the program has ended.
    pub(crate) fn processes(&mut self, files: &mut Files) -> io::Result<Vec<Process>> {
        let pids = if let Some(group) = &self.group {
            members(group, DEEPEST)
        } else {
            let root = files.process(self.pid).filter(|stat| !matches!(stat.state, 'Z' | 'X'));
            let start = root.map(|stat| stat.start).ok_or(Errno::SRCH)?;
            if *self.start.get_or_insert(start) != start {
                return Err(Errno::SRCH.into());
            }
            self.tree = process_tree(self.pid, &self.tree, &self.proc)?;
            self.tree.clone()
        };
        let alive = pids
            .into_iter()
            .filter_map(|pid| files.process(pid))
            .filter(|one| !matches!(one.state, 'Z' | 'X'));
        let found: Vec<_> = alive
            .map(|stat| Process {
                pid: stat.pid,
                start: stat.start,
                is_stopped: matches!(stat.state, 'T' | 't'),
                ticks: stat.user + stat.system + stat.dead_user + stat.dead_system,
            })
            .collect();
        if found.is_empty() { Err(Errno::SRCH.into()) } else { Ok(found) }
    }
}

/// The processes of a control group and of those below it.
fn members(group: &Path, deepest: usize) -> Vec<i32> {
    let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    let mut found: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    let below = if deepest > 0 { fs::read_dir(group).ok() } else { None };
    for entry in below.into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(members(&entry.path(), deepest - 1));
        }
    }
    found
}
