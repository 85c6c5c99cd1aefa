//! Cores on which the threads of some processes ran, and on which they may run.
//!
//! Sources: `proc_pid_stat(5)` (field 39), the kernel's Documentation/scheduler/sched-stats.rst,
//! `sched_getaffinity(2)`. A thread may end at any moment: what cannot be read any more is left out.

use crate::processes::{Reader, numbers};
use rustix::thread::{CpuSet, Pid, sched_getaffinity};
use std::io;
use std::path::Path;

/// A thread at one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its number.
    pub tid: i32,
    /// Number of its process.
    pub pid: i32,
    /// Its name, cut to 15 bytes.
    pub name: String,
    /// Time that it has run since it began, in ns.
    pub ran_ns: u64,
    /// The core on which it ran last.
    pub core: u32,
    /// The cores on which it may run.
    pub cores: Vec<usize>,
}

/// Reads the threads of these processes, up to `most` of them together.
///
/// proc: /proc, but in tests.
///
/// # Errors
/// Where there is no such folder.
pub fn read_tasks(pids: &[i32], most: usize, proc: &Path) -> io::Result<Vec<Task>> {
    let mut reader = Reader::open(proc)?;
    let mut found = Vec::new();
    for &pid in pids {
        let Ok(tasks) = reader.folder(&format!("{pid}/task")) else { continue };
        let room = most.saturating_sub(found.len());
        for tid in numbers(&tasks).into_iter().take(room) {
            found.extend(task(&mut reader, pid, tid));
        }
    }
    Ok(found)
}

fn task(reader: &mut Reader, pid: i32, tid: i32) -> Option<Task> {
    let (name, core) = parse_core(&reader.text(&format!("{pid}/task/{tid}/stat"))?)?;
    let ran_ns = {
        let schedstat = reader.text(&format!("{pid}/task/{tid}/schedstat"))?;
        schedstat.split_whitespace().next()?.parse().ok()?
    };
    let may = sched_getaffinity(Pid::from_raw(tid)).ok()?;
    let cores = (0..CpuSet::MAX_CPU).filter(|&core| may.is_set(core)).collect();
    Some(Task { tid, pid, name, ran_ns, core, cores })
}

/// Name and last core of a thread. The name may hold spaces and brackets: the last ')' ends it.
fn parse_core(text: &str) -> Option<(String, u32)> {
    let (head, rest) = text.rsplit_once(')')?;
    let (_, name) = head.split_once(" (")?;
    // Field 39 of the line; the first after the name is field 3.
    let core = rest.split_whitespace().nth(36)?.parse().ok()?;
    Some((name.to_owned(), core))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_core_is_read_whatever_the_name() {
        let fields: Vec<String> = (3..=52).map(|n| n.to_string()).collect();
        let line = format!("4711 (a) b (c) {}\n", fields.join(" "));
        assert_eq!(parse_core(&line), Some(("a) b (c".to_owned(), 39)));
    }

    #[test]
    fn a_line_that_is_cut_tells_nothing() {
        assert_eq!(parse_core("4711 (a) S 1 2"), None);
        assert_eq!(parse_core(""), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[ -~\t\n]{0,300}") {
            let _ = parse_core(&text);
        }
    }
}
