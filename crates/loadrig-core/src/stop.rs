//! Instant at which a run ends: at a time, or after a number of requests, whichever comes first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Instant at which arrivals end. One for each thread; the number of requests is shared by all of them, as a
/// thread cannot know how fast the users of another one are.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Requests that are due at this instant of the monotonic clock, or later, are not issued.
    pub at_ns: u64,
    left: Option<Arc<AtomicU64>>,
}

impl Stop {
    /// Ends at `at_ns`, and after `requests` if there is such a limit.
    #[must_use]
    pub fn new(at_ns: u64, requests: Option<u64>) -> Self {
        Self { at_ns, left: requests.map(|most| Arc::new(AtomicU64::new(most))) }
    }

    /// The same limits, ending at another instant; the number of requests stays shared.
    #[must_use]
    pub fn at(&self, at_ns: u64) -> Self {
        Self { at_ns, left: self.left.clone() }
    }

    /// Takes one request from those that may still be issued; false if none is left.
    #[inline]
    #[must_use]
    pub fn take(&self) -> bool {
        self.left.as_ref().is_none_or(|left| {
            let taken = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            taken.is_ok()
        })
    }

    /// Whether the number of requests is used up.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::Stop;

    #[test]
    fn no_more_requests_are_given_than_allowed_whoever_asks() {
        let stop = Stop::new(0, Some(1000));
        let given: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    let own = stop.at(5);
                    scope.spawn(move || (0..400).filter(|_| own.take()).count() as u64)
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
        });
        assert_eq!(given, 1000);
        assert!(stop.is_used_up());
    }

    #[test]
    fn without_a_limit_there_is_always_one_more() {
        let stop = Stop::new(0, None);
        assert!((0..10_000).all(|_| stop.take()));
        assert!(!stop.is_used_up());
    }
}
