//! Speed of a core now, told by a fixed piece of work: a neighbour that shares the core's units
//! slows it down by half, and neither its clock nor the time that was stolen tells.

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::hint::black_box;
use std::io;

/// 8 KiB: what a core's first cache holds beside the program that it interrupts.
const NUMBERS: usize = 2_048;

/// Each takes 10 to 30 µs; their mean follows what Python does on the same core (correlation of 8 s means
/// 0.99 on a virtual machine with neighbours), the least of them only half as much.
const TIMES: u32 = 5;

/// Nanoseconds of CPU time that sorting the same numbers takes on a core, the mean of some times.
///
/// Holds the calling thread on that core meanwhile, and lets it back to where it might run before. Waits
/// until the core has time for it, which is not counted.
///
/// # Errors
/// Where this process may not run on that core, and where there is none of that number.
pub fn work_ns(core: usize) -> io::Result<f64> {
    if core >= CpuSet::MAX_CPU {
        return Err(Errno::INVAL.into());
    }
    let before = sched_getaffinity(None)?;
    let mut only = CpuSet::new();
    only.set(core);
    sched_setaffinity(None, &only)?;
    let took_ns = timed(&numbers());
    sched_setaffinity(None, &before)?;
    Ok(took_ns)
}

fn timed(numbers: &[u32]) -> f64 {
    let mut work = numbers.to_vec();
    sort(numbers, &mut work); // brings code and numbers into the caches
    let began_ns = thread_cpu_ns();
    for _ in 0..TIMES {
        sort(numbers, &mut work);
    }
    #[allow(clippy::cast_precision_loss, reason = "microseconds are far below 2^52 ns")]
    let took_ns = (thread_cpu_ns() - began_ns) as f64;
    took_ns / f64::from(TIMES)
}

fn sort(numbers: &[u32], into: &mut [u32]) {
    into.copy_from_slice(black_box(numbers));
    into.sort_unstable();
    black_box(into);
}

/// The same on every machine and each time (xorshift32, G. Marsaglia 2003).
fn numbers() -> Vec<u32> {
    let mut last = 1_u32;
    let next = |_| {
        last ^= last << 13;
        last ^= last >> 17;
        last ^= last << 5;
        last
    };
    (0..NUMBERS).map(next).collect()
}

pub(crate) fn thread_cpu_ns() -> i64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    tv_sec * 1_000_000_000 + tv_nsec
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_may_be_used_tells_the_time_of_its_work() {
        let allowed = sched_getaffinity(None).unwrap();
        let core = (0..CpuSet::MAX_CPU).find(|&core| allowed.is_set(core)).unwrap();
        // Sorting 2,048 numbers takes no machine less than a microsecond, and none a second.
        assert!((1e3..1e9).contains(&work_ns(core).unwrap()));
        assert_eq!(sched_getaffinity(None).unwrap(), allowed, "the caller may run where it might");
    }

    #[test]
    fn a_core_that_is_not_there_is_an_error() {
        assert!(work_ns(CpuSet::MAX_CPU - 1).is_err());
        assert!(work_ns(usize::MAX).is_err());
    }

    #[test]
    fn the_work_is_the_same_each_time_and_ends_sorted() {
        let (first, mut sorted) = (numbers(), vec![0; NUMBERS]);
        assert_eq!(first, numbers());
        sort(&first, &mut sorted);
        assert!(sorted.is_sorted() && sorted != first);
    }
}
