//! Processes and their threads, from /proc.
//!
//! Formats: `proc_pid_stat(5)`, `proc_pid_status(5)`, `proc_pid_io(5)`, and the kernel's
//! Documentation/scheduler/sched-stats.rst. A process may end at any moment: what cannot be read any
//! more is None.

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, PROC_SUPER_MAGIC, RawDir, fstatfs, openat, statat};
use rustix::io::{Errno, read};
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// The fields of /proc/PID/stat that are used. Times are in clock ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Its number.
    pub pid: i32,
    /// Name of the program, cut to 15 bytes.
    pub name: String,
    /// A letter: R, S, D, Z …
    pub state: char,
    /// Number of its parent.
    pub parent: i32,
    /// Number of its process group.
    pub group: i32,
    /// Number of its session.
    pub session: i32,
    /// Page faults that had to read from a disk.
    pub faults: u64,
    /// Time in user code.
    pub user: u64,
    /// Time in the kernel.
    pub system: u64,
    /// Time in user code of its dead children that it waited for, and of theirs.
    pub dead_user: u64,
    /// The same in the kernel.
    pub dead_system: u64,
    /// Number of threads.
    pub threads: u64,
    /// Instant at which it was started, since boot: with the pid it names the process.
    pub start: u64,
    /// Resident pages.
    pub rss_pages: u64,
}

/// Memory by /`proc/PID/smaps_rollup`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The memory was not asked for, or the process is gone.
    Unread,
    /// The process is another user's.
    Refused,
    /// Proportional and unique set size in bytes.
    Read {
        /// Shared pages divided among those that share them.
        pss: u64,
        /// Pages that no other process shares.
        uss: u64,
    },
}

/// A thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its number.
    pub tid: i32,
    /// A letter: R, S, D, T …
    pub state: char,
    /// Times that it waited for something.
    pub voluntary: u64,
    /// Times that it was taken off its core.
    pub involuntary: u64,
    /// Time that it could run and waited for a core, in ns; None where the kernel does not count it.
    pub delay_ns: Option<u64>,
    /// Time that it ran, in ns; None as above.
    pub ran_ns: Option<u64>,
}

/// Readings of a process. Of a zombie, only its stat line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its stat line.
    pub stat: Stat,
    /// Number of descriptors that are open.
    pub descriptors: Option<u64>,
    /// Largest number of descriptors; None for unlimited too.
    pub descriptor_limit: Option<u64>,
    /// Memory that it holds.
    pub memory: Memory,
    /// Bytes read from and written to disks; None where it is another user's.
    pub io_bytes: Option<(u64, u64)>,
    /// Its threads; None where all processes together have too many.
    pub threads: Option<Vec<Thread>>,
}

/// Reads these processes; those that are gone are left out.
///
/// `threads_most`: above so many threads of all together, they are not read one by one.
/// `with_memory`: the kernel walks the page tables for it, 10 ms for each GB.
/// proc: /proc, but in tests.
pub fn read_processes(
    pids: &[i32],
    threads_most: u64,
    with_memory: bool,
    proc: &Path,
) -> io::Result<Vec<Facts>> {
    let mut reader = Reader::open(proc)?;
    let stats: Vec<Stat> = pids.iter().filter_map(|pid| reader.stat(*pid)).collect();
    let is_alive = |stat: &Stat| !matches!(stat.state, 'Z' | 'X');
    let threads: u64 = stats.iter().filter(|stat| is_alive(stat)).map(|stat| stat.threads).sum();
    let facts = |stat: Stat| {
        if is_alive(&stat) {
            reader.facts(stat, threads <= threads_most, with_memory)
        } else {
            Facts::only(stat)
        }
    };
    Ok(stats.into_iter().map(facts).collect())
}

/// The stat line of every process that can be seen.
///
/// # Errors
/// Where there is no such folder.
pub fn process_table(proc: &Path) -> io::Result<Vec<Stat>> {
    let mut reader = Reader::open(proc)?;
    Ok(reader.all())
}

/// Files `children` that are read for one tree. Each thread has one; with more than so many, as a JVM has, to
/// look at every process of the machine takes less.
const CHILDREN_FILES_MOST: usize = 64;

/// A process and all its descendants, parents before their children; empty if it is gone.
///
/// known: what the tree was at an earlier look. The kernel's lists of children are read, which takes a tenth
/// of a look at all processes. It says that such a list may lack a process while a sibling ends: one that was
/// known, is lacking and lives has all processes looked at. So does a kernel that has no such lists.
/// Source: Documentation/filesystems/proc.rst, `/proc/<pid>/task/<tid>/children`.
///
/// # Errors
/// Where there is no such folder.
pub fn process_tree(root: i32, known: &[i32], proc: &Path) -> io::Result<Vec<i32>> {
    let mut reader = Reader::open(proc)?;
    if let Some(order) = reader.tree_by_children(root) {
        let is_lacking = |pid: &i32| !order.contains(pid) && reader.stat(*pid).is_some();
        if !order.is_empty() && !known.iter().any(is_lacking) {
            return Ok(order);
        }
    }
    Ok(reader.tree_of_all(root))
}

impl Facts {
    fn only(stat: Stat) -> Self {
        Self {
            stat,
            descriptors: None,
            descriptor_limit: None,
            memory: Memory::Unread,
            io_bytes: None,
            threads: None,
        }
    }
}

/// Reads files of one process file system, into the same room each time.
pub(crate) struct Reader {
    proc: OwnedFd,
    /// The size of a folder of descriptors is their number: not in a recorded copy of /proc.
    is_real: bool,
    room: Vec<u8>,
}

impl Reader {
    pub(crate) fn open(proc: &Path) -> io::Result<Self> {
        let proc = openat(CWD, proc, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let is_real = fstatfs(&proc).is_ok_and(|found| found.f_type == PROC_SUPER_MAGIC);
        Ok(Self { proc, is_real, room: vec![0; 1 << 14] })
    }

    /// The numbers of all processes that can be seen.
    pub(crate) fn pids(&self) -> Vec<i32> {
        numbers(&self.proc)
    }

    /// A folder below, by its path.
    pub(crate) fn folder(&self, path: &str) -> rustix::io::Result<OwnedFd> {
        folder(&self.proc, path)
    }

    /// The text of a file below; None where it cannot be read.
    pub(crate) fn text(&mut self, path: &str) -> Option<Cow<'_, str>> {
        text(&self.proc, path, &mut self.room).ok()
    }

    fn stat(&mut self, pid: i32) -> Option<Stat> {
        parse_stat(&text(&self.proc, &format!("{pid}/stat"), &mut self.room).ok()?)
    }

    fn all(&mut self) -> Vec<Stat> {
        numbers(&self.proc).into_iter().filter_map(|pid| self.stat(pid)).collect()
    }

    /// By the lists of children; None where there are none, or too many to read.
    fn tree_by_children(&mut self, root: i32) -> Option<Vec<i32>> {
        let mut order = vec![root];
        let (mut next, mut files) = (0, 0);
        while let Some(&pid) = order.get(next) {
            next += 1;
            let Ok(tasks) = folder(&self.proc, &format!("{pid}/task")) else {
                // It has just ended; of the root that means that there is no tree.
                if pid == root {
                    return None;
                }
                continue;
            };
            let mut born = Vec::new();
            for tid in numbers(&tasks) {
                files += 1;
                if files > CHILDREN_FILES_MOST {
                    return None;
                }
                let most = self.room.len();
                match text(&tasks, &format!("{tid}/children"), &mut self.room) {
                    // What fills the room may go on behind it.
                    Ok(list) if list.len() >= most => return None,
                    Ok(list) => {
                        born.extend(list.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
                    }
                    // A thread that has just ended has no folder any more; else the kernel has no such file.
                    Err(_) if statat(&tasks, tid.to_string(), AtFlags::empty()).is_ok() => return None,
                    Err(_) => {}
                }
            }
            born.sort_unstable();
            order.extend(born);
        }
        Some(order)
    }

    /// By the parents of all processes.
    fn tree_of_all(&mut self, root: i32) -> Vec<i32> {
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        let mut is_there = false;
        for stat in self.all() {
            is_there |= stat.pid == root;
            children.entry(stat.parent).or_default().push(stat.pid);
        }
        let mut order: Vec<i32> = is_there.then_some(root).into_iter().collect();
        let mut next = 0;
        while let Some(pid) = order.get(next) {
            let mut born = children.remove(pid).unwrap_or_default();
            born.sort_unstable();
            order.extend(born.into_iter().filter(|child| *child != root));
            next += 1;
        }
        order
    }

    fn facts(&mut self, stat: Stat, with_threads: bool, with_memory: bool) -> Facts {
        let Ok(folder) = folder(&self.proc, &stat.pid.to_string()) else {
            // It has just ended: none of its threads is left, which is not to say that they are too many.
            return Facts { threads: with_threads.then(Vec::new), ..Facts::only(stat) };
        };
        let room = &mut self.room;
        let descriptors = descriptors(&folder, self.is_real);
        let descriptor_limit =
            text(&folder, "limits", room).ok().and_then(|limits| parse_descriptor_limit(&limits));
        let io_bytes = text(&folder, "io", room).ok().and_then(|io| parse_io(&io));
        let memory = match with_memory.then(|| text(&folder, "smaps_rollup", room)) {
            Some(Ok(rollup)) => parse_rollup(&rollup),
            Some(Err(Errno::ACCESS | Errno::PERM)) => Memory::Refused,
            Some(Err(_)) | None => Memory::Unread,
        };
        let threads = with_threads.then(|| threads(&folder, room));
        Facts { stat, descriptors, descriptor_limit, memory, io_bytes, threads }
    }
}

/// A folder whose entries are read; opening by way of it saves the walk from the root.
pub(crate) fn folder(within: &OwnedFd, path: &str) -> rustix::io::Result<OwnedFd> {
    openat(within, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
}

/// The text of a file. Room that is filled to the end holds only its beginning, which none of ours does.
pub(crate) fn text<'a>(folder: &OwnedFd, path: &str, room: &'a mut [u8]) -> rustix::io::Result<Cow<'a, str>> {
    let file = openat(folder, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut length = 0;
    while let Some(rest) = room.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match read(&file, rest) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(String::from_utf8_lossy(room.get(..length).unwrap_or_default()))
}

/// The entries of a folder that are numbers.
pub(crate) fn numbers(folder: &OwnedFd) -> Vec<i32> {
    let mut found = Vec::new();
    let mut room = Vec::with_capacity(1 << 13);
    let mut entries = RawDir::new(folder, room.spare_capacity_mut());
    while let Some(Ok(entry)) = entries.next() {
        found.extend(entry.file_name().to_str().ok().and_then(|name| name.parse::<i32>().ok()));
    }
    found
}

/// Open descriptors. Since Linux 6.2 the size of the folder is their number; before, it is counted.
fn descriptors(process: &OwnedFd, is_real: bool) -> Option<u64> {
    let size = statat(process, "fd", AtFlags::empty()).ok()?.st_size;
    match u64::try_from(size) {
        Ok(n) if is_real && n > 0 => Some(n),
        _ => Some(numbers(&folder(process, "fd").ok()?).len() as u64),
    }
}

fn threads(process: &OwnedFd, room: &mut [u8]) -> Vec<Thread> {
    let Ok(tasks) = folder(process, "task") else { return Vec::new() };
    let mut found = Vec::new();
    for tid in numbers(&tasks) {
        let Ok(status) = text(&tasks, &format!("{tid}/status"), room) else { continue };
        let Some(mut thread) = parse_status(tid, &status) else { continue };
        if let Ok(schedstat) = text(&tasks, &format!("{tid}/schedstat"), room) {
            let mut numbers = schedstat.split_whitespace().map(|number| number.parse().ok());
            thread.ran_ns = numbers.next().flatten();
            thread.delay_ns = numbers.next().flatten();
        }
        found.push(thread);
    }
    found
}

/// The text of /proc/PID/stat. The name may hold spaces and brackets: the last ')' ends it.
pub(crate) fn parse_stat(text: &str) -> Option<Stat> {
    let (head, rest) = text.rsplit_once(')')?;
    let (pid, name) = head.split_once(" (")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let small = |n: usize| fields.get(n)?.parse::<i32>().ok();
    let number = |n: usize| fields.get(n)?.parse::<u64>().ok();
    Some(Stat {
        pid: pid.parse().ok()?,
        name: name.to_owned(),
        state: fields.first()?.chars().next()?,
        parent: small(1)?,
        group: small(2)?,
        session: small(3)?,
        faults: number(9)?,
        user: number(11)?,
        system: number(12)?,
        dead_user: number(13)?,
        dead_system: number(14)?,
        threads: number(17)?,
        start: number(19)?,
        rss_pages: number(21)?,
    })
}

/// Facts from the status of a thread.
fn parse_status(tid: i32, text: &str) -> Option<Thread> {
    let mut found = Thread { tid, state: '?', voluntary: 0, involuntary: 0, delay_ns: None, ran_ns: None };
    for line in text.lines() {
        match line.split_once(":\t") {
            Some(("State", state)) => found.state = state.chars().next()?,
            Some(("voluntary_ctxt_switches", n)) => found.voluntary = n.trim().parse().ok()?,
            Some(("nonvoluntary_ctxt_switches", n)) => found.involuntary = n.trim().parse().ok()?,
            _ => {}
        }
    }
    Some(found)
}

/// The soft limit of open files in /proc/PID/limits.
fn parse_descriptor_limit(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Bytes read and written of /proc/PID/io.
fn parse_io(text: &str) -> Option<(u64, u64)> {
    let number = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    Some((number("read_bytes:")?, number("write_bytes:")?))
}

fn parse_rollup(text: &str) -> Memory {
    let bytes = |name: &str| {
        let kilobytes = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
        kilobytes.and_then(|n| n.parse::<u64>().ok()).map_or(0, |n| n * 1024)
    };
    // A process that has no memory any more, as one that ends just now, has no such lines.
    if !text.contains("\nPss:") {
        return Memory::Unread;
    }
    Memory::Read { pss: bytes("Pss:"), uss: bytes("Private_Clean:") + bytes("Private_Dirty:") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REST: &str = "S 1 2 3 0 -1 4194304 9 0 7 0 11 12 13 14 20 0 5 0 99 4096 42 18446744073709551615";

    #[test]
    fn a_name_may_hold_spaces_and_brackets() {
        let found = parse_stat(&format!("26 (a) (b c) {REST}\n"));
        let found =
            found.map(|one| (one.pid, one.name, one.state, one.faults, one.dead_system, one.rss_pages));
        assert_eq!(found, Some((26, "a) (b c".to_owned(), 'S', 7, 14, 42)));
    }

    #[test]
    fn an_unlimited_number_of_descriptors_is_no_limit() {
        let limits =
            |soft| format!("Limit  Soft Limit\nMax open files            {soft}    524288    files\n");
        assert_eq!(parse_descriptor_limit(&limits("1024")), Some(1024));
        assert_eq!(parse_descriptor_limit(&limits("unlimited")), None);
        assert_eq!(parse_descriptor_limit(""), None);
    }

    #[test]
    fn a_process_without_memory_is_unread_and_not_of_size_zero() {
        assert_eq!(parse_rollup(""), Memory::Unread);
        let rollup = "5583-7ffc ---p 00000000 00:00 0 [rollup]\nRss: 9 kB\nPss:  3 kB\nPss_Dirty: 2 kB\n\
                      Private_Clean: 1 kB\nPrivate_Dirty: 1 kB\n";
        assert_eq!(parse_rollup(rollup), Memory::Read { pss: 3072, uss: 2048 });
    }

    proptest! {
        #[test]
        fn no_text_makes_a_parser_panic(text in "[ -~\t\n]{0,200}", cut in 0..REST.len()) {
            let stat = format!("26 (x) {}", &REST[..cut]);
            let _ = (parse_stat(&text), parse_stat(&stat), parse_status(1, &text), parse_io(&text));
            let _ = (parse_descriptor_limit(&text), parse_rollup(&text));
        }
    }
}
