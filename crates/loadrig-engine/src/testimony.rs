//! Testimony of the generator on itself: processor time, waiting for a processor, memory,
//! descriptors, ports. Read once a frame; each reading is a system call or two.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use loadrig_core::units::NS_PER_S;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Time that a port stays taken after we have closed its connection first: the kernel's
/// `TCP_TIMEWAIT_LEN`, a constant.
const TIME_WAIT_S: u64 = 60;

/// Processor time and waiting of the thread that made it.
#[derive(Debug)]
pub(crate) struct ThreadWitness {
    schedstat: Option<File>,
    cpu_ns: u64,
    run_delay_ns: u64,
    free_ns: u64,
}

/// Resources that a thread used since it was last asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ThreadUse {
    /// Time on a processor, but for the time in which it only waited awake for the next request to
    /// be due: that could have gone to more requests.
    pub cpu_ns: u64,
    /// Time it was ready to run but another thread had the processor.
    pub run_delay_ns: u64,
}

impl ThreadWitness {
    /// Begins to watch the calling thread.
    pub(crate) fn of_this_thread() -> Self {
        let schedstat = File::open("/proc/thread-self/schedstat").ok();
        let mut witness = Self { schedstat, cpu_ns: 0, run_delay_ns: 0, free_ns: 0 };
        witness.since_last();
        witness
    }

    /// The thread has waited awake, with nothing to do.
    pub(crate) fn was_free(&mut self, ns: u64) {
        self.free_ns += ns;
    }

    /// Resources that the thread used since it was last asked. To be called on the same thread.
    pub(crate) fn since_last(&mut self) -> ThreadUse {
        let cpu_ns = clock_ns(ClockId::ThreadCPUTime);
        let run_delay_ns = self.schedstat.as_ref().and_then(run_delay_ns).unwrap_or(0);
        let used = ThreadUse {
            cpu_ns: cpu_ns.saturating_sub(self.cpu_ns).saturating_sub(std::mem::take(&mut self.free_ns)),
            run_delay_ns: run_delay_ns.saturating_sub(self.run_delay_ns),
        };
        self.cpu_ns = cpu_ns;
        self.run_delay_ns = run_delay_ns;
        used
    }
}

fn run_delay_ns(schedstat: &File) -> Option<u64> {
    let mut text = [0_u8; 128];
    let length = schedstat.read_at(&mut text, 0).ok()?;
    parse_schedstat(std::str::from_utf8(&text[..length]).ok()?)
}

/// The second of three numbers: time on the processor, time waiting for it, slices.
/// Source: Documentation/scheduler/sched-stats.rst of the kernel.
fn parse_schedstat(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[expect(clippy::cast_sign_loss, reason = "these clocks start at 0 and only grow")]
fn clock_ns(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * NS_PER_S + now.tv_nsec as u64
}

/// Processor time of the whole process.
pub(crate) fn process_cpu_ns() -> u64 {
    clock_ns(ClockId::ProcessCPUTime)
}

/// Memory of the process that is in RAM, in bytes: now, and at most so far.
///
/// Not `ru_maxrss`: a process inherits that from the one that started it.
pub(crate) fn memory_bytes() -> (u64, u64) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    (kilobytes(&status, "VmRSS:") * 1024, kilobytes(&status, "VmHWM:") * 1024)
}

fn kilobytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Open descriptors of the process.
pub(crate) fn descriptors() -> u64 {
    // The folder's size is their number since Linux 6.2; before it is 0, and they are counted.
    let size = fs::metadata("/proc/self/fd").map_or(0, |folder| folder.size());
    if size > 0 {
        return size;
    }
    fs::read_dir("/proc/self/fd").map_or(0, |folder| folder.count() as u64)
}

/// Largest number of descriptors that the process may have.
pub(crate) fn descriptors_most() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Number of local ports that the kernel has for connections that name none, to one server.
pub(crate) fn ports_range() -> u64 {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    parse_ports_range(&text).unwrap_or(0)
}

fn parse_ports_range(text: &str) -> Option<u64> {
    let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
    let (low, high) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some((high + 1).saturating_sub(low))
}

/// Ports that connections which we closed first still hold. One of each thread.
#[derive(Debug, Default)]
pub(crate) struct ClosedPorts {
    /// Second of the monotonic clock, and connections closed in it.
    seconds: VecDeque<(u64, u64)>,
    total: u64,
}

impl ClosedPorts {
    /// A connection was closed by us before the server closed it.
    pub(crate) fn closed(&mut self, now_ns: u64) {
        let second = now_ns / NS_PER_S;
        match self.seconds.back_mut() {
            Some((last, count)) if *last == second => *count += 1,
            _ => self.seconds.push_back((second, 1)),
        }
        self.total += 1;
    }

    /// Number of ports that are still held.
    pub(crate) fn held(&mut self, now_ns: u64) -> u64 {
        let oldest = (now_ns / NS_PER_S).saturating_sub(TIME_WAIT_S);
        while let Some((_, count)) = self.seconds.front().filter(|(second, _)| *second < oldest) {
            self.total -= count;
            self.seconds.pop_front();
        }
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ClosedPorts, ThreadWitness, descriptors, kilobytes, memory_bytes, parse_ports_range, parse_schedstat,
        ports_range, process_cpu_ns,
    };
    use loadrig_core::units::NS_PER_S;

    #[test]
    fn the_kernels_texts_are_read() {
        assert_eq!(parse_schedstat("157374 42 3\n"), Some(42));
        assert_eq!(parse_ports_range("32768\t60999\n"), Some(28_232));
        assert_eq!(kilobytes("VmHWM:\t    9000 kB\nVmRSS:\t    8676 kB\n", "VmRSS:"), 8676);
        assert_eq!(kilobytes("nothing of the kind", "VmRSS:"), 0);
    }

    #[test]
    fn this_process_has_memory_descriptors_and_ports() {
        let (now, most) = memory_bytes();
        assert!(now > 0 && most >= now);
        let before = descriptors();
        let held: Vec<_> = (0..5).map(|_| std::fs::File::open("/dev/null")).collect();
        assert!(descriptors() > before, "{} files are open", held.len());
        assert!(ports_range() > 0);
    }

    #[test]
    fn a_thread_that_works_uses_its_processor() {
        let mut witness = ThreadWitness::of_this_thread();
        let before = process_cpu_ns();
        let mut sum = 0_u64;
        while process_cpu_ns() - before < 2_000_000 {
            sum = std::hint::black_box(sum + 1);
        }
        assert!(witness.since_last().cpu_ns > 0, "it counted to {sum}");
    }

    #[test]
    fn a_port_is_held_for_a_minute_after_its_connection() {
        let mut ports = ClosedPorts::default();
        ports.closed(5 * NS_PER_S);
        ports.closed(5 * NS_PER_S + 1);
        ports.closed(30 * NS_PER_S);
        assert_eq!(ports.held(60 * NS_PER_S), 3);
        assert_eq!(ports.held(66 * NS_PER_S), 1);
        assert_eq!(ports.held(91 * NS_PER_S), 0);
    }
}
