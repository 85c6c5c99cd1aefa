//! Processors, waking and priority of a thread, as Linux lets a program ask for them.

use std::io;
use std::num::NonZeroU64;

use rustix::thread::{CpuSet, gettid, sched_setaffinity, set_current_timer_slack};

/// Nice value of the thread that puts frames together, so that those that send go first: at nice 15 it
/// has about 3 % of a processor that others want all of, and what it does once a second takes
/// a few milliseconds.
const HUMBLE_NICE: i32 = 15;

/// The slice of time that a sending thread asks the scheduler for: the shortest that it grants.
///
/// From Linux 6.12 on, who wakes and has asked for a shorter slice than who runs goes first, if it
/// has had no more than its share; with equal slices it waits until the other's is used up, 3 ms.
const SLICE_NS: u64 = 100_000;

/// Keeps the calling thread, and those it starts from now on, to these processors. None named
/// leaves it to the kernel.
pub(super) fn pin(cpus: &[usize]) -> io::Result<()> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for cpu in cpus {
        if *cpu >= CpuSet::MAX_CPU {
            return Err(io::Error::other(format!("there is no CPU {cpu}")));
        }
        set.set(*cpu);
    }
    Ok(sched_setaffinity(None, &set)?)
}

/// Lets the calling thread be woken as exactly as the kernel can. Returns what did not work.
pub(super) fn wake_exactly(thread: usize) -> Option<String> {
    // The kernel's 50 µs would come on top of every waiting.
    let slack = set_current_timer_slack(NonZeroU64::new(1));
    // A kernel that knows no such wish, or forbids it, leaves us as we are.
    let _ = ask_for_short_slices();
    slack.err().map(|error| format!("thread {thread} wakes up to 50 µs late: {error}"))
}

/// `struct sched_attr` of the kernel, as of its first version, which every kernel takes.
#[repr(C)]
#[derive(Default)]
struct SchedAttr {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Lets the calling thread run soon after it wakes, in exchange for running shorter at a time.
fn ask_for_short_slices() -> io::Result<()> {
    let mut attr = SchedAttr::default();
    let size = size_of::<SchedAttr>();
    // SAFETY: the pointer is to a live struct of ours that is laid out as the kernel's, and the
    // kernel writes no more than the size that it is given.
    let got = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attr, size, 0) };
    // Only the ordinary policy knows slices; who was given another is not to lose it.
    if got != 0 || u32::try_from(libc::SCHED_OTHER) != Ok(attr.policy) {
        return Err(io::Error::last_os_error());
    }
    attr.runtime_ns = SLICE_NS;
    // SAFETY: as above; the kernel only reads.
    match unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attr, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets every other thread go before the calling one.
pub(super) fn be_humble() {
    // To be nicer is always allowed; a kernel that forbids it even so leaves us as we are.
    let _ = rustix::process::setpriority_process(Some(gettid()), HUMBLE_NICE);
}

#[cfg(test)]
mod tests {
    use crate::place::settle;

    #[test]
    fn asking_for_short_slices_leaves_the_priority_alone() {
        let nice = rustix::process::getpriority_process(None).expect("it can be read");
        // Where the kernel forbids it, nothing has changed either.
        let _ = super::ask_for_short_slices();
        assert_eq!(rustix::process::getpriority_process(None), Ok(nice));
    }

    #[test]
    fn a_thread_that_sends_is_woken_exactly() {
        assert!(settle(&[], 0).is_empty());
        assert_eq!(rustix::thread::current_timer_slack(), Ok(1));
    }
}
