//! Small files of one /proc, each read by one call into the same room.

use crate::processes::{Stat, parse_stat};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, readlinkat, statat};
use rustix::io::{Errno, Result, pread};
use std::borrow::Cow;
use std::path::Path;

/// More than the longest of the lines that are read.
const ROOM_BYTES: usize = 1 << 12;

/// Room for a folder's entries: some hundred threads by one call.
const ENTRIES_BYTES: usize = 1 << 14;

/// Nanoseconds of a tick of the kernel's clock of accounts: `USER_HZ` is 100 on every machine.
pub(crate) const TICK_NS: u64 = 10_000_000;

/// Time that a thread has run and has waited for a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Time that it ran, in ns.
    pub ran_ns: u64,
    /// Time that it could run and waited for a core, in ns.
    pub delay_ns: u64,
}

impl Times {
    /// Times that have been added since.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            ran_ns: self.ran_ns.saturating_sub(before.ran_ns),
            delay_ns: self.delay_ns.saturating_sub(before.delay_ns),
        }
    }
}

/// Reads /proc/PID/task/TID/schedstat; None where it is cut short, and where the kernel does not count:
/// all of it is zero then.
///
/// Source: Documentation/scheduler/sched-stats.rst.
#[must_use]
pub fn parse_schedstat(text: &str) -> Option<Times> {
    let mut numbers = text.split_ascii_whitespace().map(|number| number.parse::<u64>().ok());
    let (ran_ns, delay_ns, slices) = (numbers.next()??, numbers.next()??, numbers.next()??);
    (slices > 0).then_some(Times { ran_ns, delay_ns })
}

/// A process file system.
pub(crate) struct Files {
    proc: OwnedFd,
    room: Vec<u8>,
    entries: Vec<u8>,
}

impl Files {
    pub(crate) fn open(proc: &Path) -> Result<Self> {
        let proc = openat(CWD, proc, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(Self { proc, room: vec![0; ROOM_BYTES], entries: Vec::with_capacity(ENTRIES_BYTES) })
    }

    /// Opens a file, to be read many times.
    pub(crate) fn handle(&self, path: &str) -> Result<OwnedFd> {
        openat(&self.proc, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    }

    /// The text of a file.
    pub(crate) fn text(&mut self, path: &str) -> Result<Cow<'_, str>> {
        let file = self.handle(path)?;
        self.again(&file)
    }

    /// The text that an open file has now.
    pub(crate) fn again(&mut self, file: &OwnedFd) -> Result<Cow<'_, str>> {
        let length = loop {
            match pread(file, &mut self.room[..], 0) {
                Err(Errno::INTR) => {}
                answer => break answer?,
            }
        };
        Ok(String::from_utf8_lossy(&self.room[..length]))
    }

    /// The stat line of a thread; None if it is gone.
    pub(crate) fn stat(&mut self, pid: i32, tid: i32) -> Option<Stat> {
        parse_stat(&self.text(&format!("{pid}/task/{tid}/stat")).ok()?)
    }

    /// The stat line of a process; None if it is gone.
    pub(crate) fn process(&mut self, pid: i32) -> Option<Stat> {
        parse_stat(&self.text(&format!("{pid}/stat")).ok()?)
    }

    /// Time that a thread ran and waited, and whether the kernel counts that exactly; None if it is gone.
    pub(crate) fn times(&mut self, pid: i32, tid: i32) -> Option<(Times, bool)> {
        let exact = self.text(&format!("{pid}/task/{tid}/schedstat")).ok();
        if let Some(times) = exact.and_then(|text| parse_schedstat(&text)) {
            return Some((times, true));
        }
        let stat = self.stat(pid, tid)?;
        let ticks = stat.user + stat.system;
        // One that has not yet run has counted nothing either way.
        Some((Times { ran_ns: ticks * TICK_NS, delay_ns: 0 }, ticks == 0))
    }

    /// The threads of a process and the inodes of their folders; none if it is gone.
    pub(crate) fn threads(&mut self, pid: i32) -> Vec<(i32, u64)> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(tasks) = openat(&self.proc, format!("{pid}/task"), flags, Mode::empty()) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut entries = RawDir::new(&tasks, self.entries.spare_capacity_mut());
        while let Some(Ok(entry)) = entries.next() {
            let tid = entry.file_name().to_str().ok().and_then(|name| name.parse().ok());
            found.extend(tid.map(|tid| (tid, entry.ino())));
        }
        found
    }

    /// Target of a link.
    pub(crate) fn link(&self, path: &str) -> Result<String> {
        Ok(readlinkat(&self.proc, path, Vec::new())?.to_string_lossy().into_owned())
    }

    /// The inode of what a path leads to.
    pub(crate) fn inode(&self, path: &str) -> Result<u64> {
        Ok(statat(&self.proc, path, AtFlags::empty())?.st_ino)
    }

    /// Type of that to which a path leads.
    pub(crate) fn kind(&self, path: &str) -> Result<FileType> {
        Ok(FileType::from_raw_mode(statat(&self.proc, path, AtFlags::empty())?.st_mode))
    }

    /// Eight bytes of a program's memory.
    pub(crate) fn memory(&self, pid: i32, address: u64) -> Result<[u8; 8]> {
        let mut bytes = [0; 8];
        let read = pread(self.handle(&format!("{pid}/mem"))?, &mut bytes, address)?;
        if read == bytes.len() { Ok(bytes) } else { Err(Errno::IO) }
    }

    /// Whether a program was made for another kind of machine, such as 32 bit: its calls have other numbers.
    pub(crate) fn is_foreign(&self, pid: i32) -> bool {
        // Class, byte order: the fifth and sixth byte of an ELF file; 2 is 64 bit.
        let mut head = [0; 5];
        let read = self.handle(&format!("{pid}/exe")).and_then(|file| pread(&file, &mut head, 0));
        read == Ok(head.len())
            && &head[..4] == b"\x7fELF"
            && head[4] != if cfg!(target_pointer_width = "64") { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_kernel_that_does_not_count_is_not_one_where_nobody_ran() {
        assert_eq!(parse_schedstat("12 34 5\n"), Some(Times { ran_ns: 12, delay_ns: 34 }));
        assert_eq!(parse_schedstat("0 0 0\n"), None);
        assert_eq!(parse_schedstat("12 34"), None);
        assert_eq!(parse_schedstat(""), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[ -~\n]{0,60}") {
            let _ = parse_schedstat(&text);
        }
    }
}
