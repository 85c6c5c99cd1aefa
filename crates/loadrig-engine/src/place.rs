//! The place of a process among those of the machine: processors, priority, descriptors, signals.

use std::io;
use std::num::NonZeroU64;
use std::thread;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, gettid, sched_setaffinity, set_current_timer_slack};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;

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
pub fn pin(cpus: &[usize]) -> io::Result<()> {
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

/// Prepares the calling thread to send: on its processor, woken as exactly as the kernel can.
/// Returns what did not work.
#[must_use]
pub fn settle(cpus: &[usize], thread: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if !cpus.is_empty() {
        let cpu = cpus[thread % cpus.len()];
        if let Err(error) = pin(&[cpu]) {
            warnings.push(format!("thread {thread} is not kept to CPU {cpu}: {error}"));
        }
    }
    // The kernel's 50 µs would come on top of every waiting.
    if let Err(error) = set_current_timer_slack(NonZeroU64::new(1)) {
        warnings.push(format!("thread {thread} wakes up to 50 µs late: {error}"));
    }
    // A kernel that knows no such wish, or forbids it, leaves us as we are.
    let _ = ask_for_short_slices();
    warnings
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
pub(crate) fn be_humble() {
    // To be nicer is always allowed; a kernel that forbids it even so leaves us as we are.
    let _ = rustix::process::setpriority_process(Some(gettid()), HUMBLE_NICE);
}

/// Raises the number of descriptors to as many as may be had without asking anybody.
pub fn raise_descriptors() -> rustix::io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
}

/// Leaves interrupts (Ctrl-C) and the end of the terminal to the parent.
pub fn ignore_interrupts() {
    for number in [libc::SIGINT, libc::SIGHUP] {
        // SAFETY: to ignore a signal runs no code of ours, in whatever state the process is.
        unsafe { libc::signal(number, libc::SIG_IGN) };
    }
}

/// Calls `stop` for each SIGTERM, on a thread of its own, until it returns false.
pub(crate) fn on_termination(stop: impl Fn() -> bool + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM])?;
    thread::Builder::new().name("loadrig-signals".to_owned()).spawn(move || {
        for _ in signals.forever() {
            if !stop() {
                return;
            }
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{pin, settle};

    #[test]
    fn a_processor_that_does_not_exist_is_a_warning() {
        assert!(pin(&[1_000_000]).is_err());
        let warnings = settle(&[1_000_000], 0);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
    }

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
