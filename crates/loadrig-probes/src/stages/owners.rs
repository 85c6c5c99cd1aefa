//! Watched components that hold sockets.
//!
//! The kernel tells a socket's inode, and /proc/PID/fd tells which process holds that. A component is a
//! process with its descendants, up to those that are components of their own. Descriptors are read only
//! when a look has met sockets that nobody knows, and of these only what may have changed.

use crate::processes::{folder, numbers, parse_stat, process_table, text};
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags, openat, readlinkat_raw};
use rustix::io::Errno;
use rustix::path::DecInt;
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The number of a component.
pub type Id = u32;

/// Time for which the tree of processes is believed: reading all of /proc takes 1 ms for some 250 processes.
const TREE: Duration = Duration::from_secs(1);

/// Time for which a descriptor is believed to be the socket that it was, while that exists. It may have been
/// closed here and kept by another process, and the number be used again.
const DESCRIPTORS: Duration = Duration::from_secs(5);

/// The text of the longest link that is of interest: "socket:[18446744073709551615]".
const LINK_BYTES: usize = 32;

/// The process that a component is the tree of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The component's number.
    pub id: Id,
    /// The process.
    pub pid: i32,
    /// Instant at which it was started, in ticks since boot; None where that is not known.
    pub start: Option<u64>,
}

/// A process of a component.
struct Process {
    pid: i32,
    start: u64,
    id: Id,
    /// Inodes by descriptor; 0 for what is no socket.
    descriptors: FxHashMap<i32, u32>,
    read: Instant,
}

/// Knows the processes of all components, and the sockets that they hold.
pub(crate) struct Owners {
    proc: PathBuf,
    roots: Vec<Root>,
    /// In the order of the roots, parents before their children.
    processes: Vec<Process>,
    holders: FxHashMap<u32, Id>,
    refused: BTreeSet<Id>,
    gone: BTreeSet<Id>,
    tree_read: Option<Instant>,
}

impl Owners {
    pub(crate) fn new(proc: PathBuf) -> Self {
        Self {
            proc,
            roots: Vec::new(),
            processes: Vec::new(),
            holders: FxHashMap::default(),
            refused: BTreeSet::new(),
            gone: BTreeSet::new(),
            tree_read: None,
        }
    }

    /// Takes the components that are watched from now on.
    pub(crate) fn watch(&mut self, roots: Vec<Root>) {
        self.roots = roots;
        self.tree_read = None;
    }

    /// Components of which descriptors of a process may not be read.
    pub(crate) fn refused(&self) -> &BTreeSet<Id> {
        &self.refused
    }

    /// Components whose process has ended.
    pub(crate) fn gone(&self) -> &BTreeSet<Id> {
        &self.gone
    }

    /// The component whose process was the first found to hold the socket.
    pub(crate) fn holder(&self, inode: u32) -> Option<Id> {
        self.holders.get(&inode).copied()
    }

    /// Reads the tree of processes if it is time. Whether there are others than before.
    pub(crate) fn refresh(&mut self, now: Instant) -> io::Result<bool> {
        if self.tree_read.is_some_and(|read| now.duration_since(read) < TREE) {
            return Ok(false);
        }
        self.tree_read = Some(now);
        let everyone = process_table(&self.proc)?;
        let mut children: FxHashMap<i32, Vec<i32>> = FxHashMap::default();
        let mut starts: FxHashMap<i32, u64> = FxHashMap::default();
        for stat in everyone.iter().filter(|stat| !matches!(stat.state, 'Z' | 'X')) {
            children.entry(stat.parent).or_default().push(stat.pid);
            starts.insert(stat.pid, stat.start);
        }
        let mut before: FxHashMap<(i32, u64, Id), Process> = self
            .processes
            .drain(..)
            .map(|process| ((process.pid, process.start, process.id), process))
            .collect();
        let count = before.len();
        let mut has_new = false;
        self.gone.clear();
        for (pid, id) in self.members(&children, &starts) {
            let start = starts.get(&pid).copied().unwrap_or(0);
            let process = before.remove(&(pid, start, id)).unwrap_or_else(|| {
                has_new = true;
                Process { pid, start, id, descriptors: FxHashMap::default(), read: now }
            });
            self.processes.push(process);
        }
        Ok(has_new || count != self.processes.len())
    }

    /// The processes of all roots that are alive; notes those that are not.
    fn members(
        &mut self,
        children: &FxHashMap<i32, Vec<i32>>,
        starts: &FxHashMap<i32, u64>,
    ) -> Vec<(i32, Id)> {
        let heads: FxHashSet<i32> = self.roots.iter().map(|root| root.pid).collect();
        let mut members = Vec::new();
        for root in &self.roots {
            let is_same = |start: &u64| root.start.is_none_or(|expected| expected == *start);
            if !starts.get(&root.pid).is_some_and(is_same) {
                self.gone.insert(root.id);
                continue;
            }
            let mut next = members.len();
            members.push((root.pid, root.id));
            while let Some((pid, _)) = members.get(next).copied() {
                let born = children.get(&pid).map_or(&[][..], Vec::as_slice);
                members.extend(born.iter().filter(|pid| !heads.contains(pid)).map(|pid| (*pid, root.id)));
                next += 1;
            }
        }
        members
    }

    /// Reads who holds which socket. existing: inodes of the sockets that exist, without 0; a
    /// descriptor that held one of them before is not asked again.
    pub(crate) fn scan(&mut self, existing: &FxHashSet<u32>, now: Instant) -> io::Result<()> {
        let proc =
            openat(CWD, &self.proc, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        self.holders.clear();
        self.refused.clear();
        for process in &mut self.processes {
            match process.read(&proc, existing, now) {
                Ok(()) => {}
                Err(Errno::ACCESS | Errno::PERM) => {
                    self.refused.insert(process.id);
                }
                // It has ended, and another may have its number by now.
                Err(_) => process.descriptors.clear(),
            }
            for inode in process.descriptors.values().filter(|inode| **inode != 0) {
                self.holders.entry(*inode).or_insert(process.id);
            }
        }
        Ok(())
    }
}

impl Process {
    fn read(&mut self, proc: &OwnedFd, existing: &FxHashSet<u32>, now: Instant) -> rustix::io::Result<()> {
        // What is opened by way of this folder is of this very process, whoever gets its number later.
        let home = folder(proc, &self.pid.to_string())?;
        let mut room = [0; 1024];
        let stat = text(&home, "stat", &mut room)?;
        if parse_stat(&stat).is_none_or(|stat| stat.start != self.start) {
            return Err(Errno::SRCH);
        }
        let folder = folder(&home, "fd")?;
        let mut before = std::mem::take(&mut self.descriptors);
        if now.duration_since(self.read) >= DESCRIPTORS {
            before.clear();
        }
        if before.is_empty() {
            self.read = now;
        }
        for descriptor in numbers(&folder) {
            let known = before.get(&descriptor).filter(|inode| existing.contains(inode));
            let inode = known.copied().unwrap_or_else(|| socket_of(&folder, descriptor));
            self.descriptors.insert(descriptor, inode);
        }
        Ok(())
    }
}

/// The inode of the socket that a descriptor is; 0 for anything else, and for what has just been closed.
fn socket_of(folder: &OwnedFd, descriptor: i32) -> u32 {
    let mut link = [0; LINK_BYTES];
    let length = readlinkat_raw(folder, DecInt::new(descriptor), &mut link).unwrap_or(0);
    link.get(..length).and_then(socket_inode).unwrap_or(0)
}

/// The inode in "socket:[4711]", cut to the 32 bits that the kernel tells of it by netlink.
fn socket_inode(link: &[u8]) -> Option<u32> {
    let digits = link.strip_prefix(b"socket:[")?.strip_suffix(b"]")?;
    let inode: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    #[allow(clippy::cast_possible_truncation, reason = "as the kernel does")]
    Some(inode as u32)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // in a test it says where it went wrong
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    /// A folder like /proc, removed when it is dropped.
    struct Proc(PathBuf);

    impl Proc {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("loadrig-owners-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn process(&self, pid: i32, parent: i32, start: u64) {
            let home = self.0.join(pid.to_string());
            fs::create_dir_all(home.join("fd")).unwrap();
            let rest = format!("S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {start} 4096 42 0");
            fs::write(home.join("stat"), format!("{pid} (x) {rest}\n")).unwrap();
        }

        fn hold(&self, pid: i32, descriptor: i32, target: &str) {
            let path = self.0.join(format!("{pid}/fd/{descriptor}"));
            let _ = fs::remove_file(&path);
            symlink(target, path).unwrap();
        }
    }

    impl Drop for Proc {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn owners(proc: &Path, roots: &[(Id, i32, u64)]) -> Owners {
        let mut owners = Owners::new(proc.to_owned());
        owners.watch(
            roots.iter().map(|(id, pid, start)| Root { id: *id, pid: *pid, start: Some(*start) }).collect(),
        );
        owners
    }

    fn existing(inodes: &[u32]) -> FxHashSet<u32> {
        inodes.iter().copied().collect()
    }

    #[test]
    fn a_socket_of_several_processes_is_that_of_the_first_and_a_component_within_another_is_its_own() {
        let proc = Proc::new("tree");
        for (pid, parent) in [(10, 1), (11, 10), (12, 11), (20, 10), (21, 20), (30, 1)] {
            proc.process(pid, parent, 5);
        }
        for (pid, inode) in [(10, 100), (11, 100), (12, 112), (21, 121), (30, 130)] {
            proc.hold(pid, 3, &format!("socket:[{inode}]"));
        }
        proc.hold(20, 3, "socket:[100]");
        let mut owners = owners(&proc.0, &[(1, 10, 5), (2, 20, 5)]);
        let now = Instant::now();
        assert!(owners.refresh(now).unwrap());
        owners.scan(&existing(&[]), now).unwrap();
        let held = [100, 112, 121, 130].map(|inode| owners.holder(inode));
        assert_eq!(held, [Some(1), Some(1), Some(2), None]);
        assert!(!owners.refresh(now + TREE).unwrap(), "nobody has come or gone");
    }

    #[test]
    fn a_number_that_another_process_has_got_is_not_read_for_the_one_before() {
        let proc = Proc::new("reuse");
        proc.process(10, 1, 5);
        proc.hold(10, 3, "socket:[100]");
        let mut owners = owners(&proc.0, &[(1, 10, 5)]);
        let now = Instant::now();
        owners.refresh(now).unwrap();
        owners.scan(&existing(&[100]), now).unwrap();
        assert_eq!(owners.holder(100), Some(1));
        proc.process(10, 1, 6);
        owners.scan(&existing(&[100]), now).unwrap();
        assert_eq!(owners.holder(100), None);
        owners.refresh(now + TREE).unwrap();
        assert!(owners.gone().contains(&1));
    }

    #[test]
    fn a_descriptor_is_asked_again_once_its_socket_is_gone_or_time_has_passed() {
        let proc = Proc::new("again");
        proc.process(10, 1, 5);
        proc.hold(10, 3, "socket:[100]");
        let mut owners = owners(&proc.0, &[(1, 10, 5)]);
        let now = Instant::now();
        owners.refresh(now).unwrap();
        owners.scan(&existing(&[100]), now).unwrap();
        proc.hold(10, 3, "socket:[101]");
        owners.scan(&existing(&[100, 101]), now).unwrap();
        assert_eq!((owners.holder(100), owners.holder(101)), (Some(1), None), "it was believed");
        owners.scan(&existing(&[101]), now).unwrap();
        assert_eq!((owners.holder(100), owners.holder(101)), (None, Some(1)));
        proc.hold(10, 3, "socket:[102]");
        owners.scan(&existing(&[101, 102]), now + DESCRIPTORS).unwrap();
        assert_eq!(owners.holder(102), Some(1));
        fs::remove_file(proc.0.join("10/fd/3")).unwrap();
        owners.scan(&existing(&[102]), now + DESCRIPTORS).unwrap();
        assert_eq!(owners.holder(102), None);
    }

    #[test]
    fn only_sockets_are_sockets() {
        assert_eq!(socket_inode(b"socket:[4711]"), Some(4711));
        assert_eq!(socket_inode(b"socket:[4294967301]"), Some(5));
        for other in [&b"pipe:[4711]"[..], b"/dev/null", b"socket:[", b"socket:[x]", b""] {
            assert_eq!(socket_inode(other), None);
        }
    }
}
