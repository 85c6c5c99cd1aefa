//! The place of a process among those of the machine: processors, priority, descriptors, signals.

use std::io;
use std::thread;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

/// Keeps the calling thread, and those it starts from now on, to these processors. None named
/// leaves it to the kernel.
pub fn pin(cpus: &[usize]) -> io::Result<()> {
    system::pin(cpus)
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
    warnings.extend(system::wake_exactly(thread));
    warnings
}

/// Lets every other thread go before the calling one.
pub(crate) fn be_humble() {
    system::be_humble();
}

/// Descriptors that a process of macOS may have open at most. Source: sys/syslimits.h of macOS.
const APPLE_OPEN_MAX: u64 = 10_240;

/// Raises the number of descriptors to as many as may be had without asking anybody.
pub fn raise_descriptors() -> rustix::io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let current = if cfg!(target_vendor = "apple") {
        // There the limit may be none at all, and what is set must be below OPEN_MAX. Source: setrlimit(2) of macOS.
        Some(limit.maximum.map_or(APPLE_OPEN_MAX, |most| most.min(APPLE_OPEN_MAX)))
    } else {
        limit.maximum
    };
    setrlimit(Resource::Nofile, Rlimit { current, maximum: limit.maximum })
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
}
