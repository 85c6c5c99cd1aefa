//! The one clock: `CLOCK_MONOTONIC`, in nanoseconds, the same that Python calls
//! `time.monotonic_ns()`. No other clock is read for anything that is compared.

use std::cell::Cell;

use crate::units::NS_PER_S;

/// Something that says what time it is.
pub trait Clock {
    /// Nanoseconds on the monotonic clock.
    fn now_ns(&self) -> u64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct Monotonic;

impl Clock for Monotonic {
    #[inline]
    #[expect(
        clippy::cast_sign_loss,
        reason = "the monotonic clock starts at 0 when the machine boots: neither part is negative"
    )]
    fn now_ns(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec as u64 * NS_PER_S + now.tv_nsec as u64
    }
}

/// A clock for tests: it stands still until it is moved.
#[derive(Debug, Default)]
pub struct Fake {
    now_ns: Cell<u64>,
}

impl Fake {
    /// A clock that stands at this time.
    #[must_use]
    pub fn at(now_ns: u64) -> Self {
        Self { now_ns: Cell::new(now_ns) }
    }

    /// Lets time pass.
    pub fn advance(&self, by_ns: u64) {
        self.now_ns.set(self.now_ns.get() + by_ns);
    }
}

impl Clock for Fake {
    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Fake, Monotonic};

    #[test]
    fn the_monotonic_clock_never_goes_back() {
        let readings: Vec<u64> = (0..1000).map(|_| Monotonic.now_ns()).collect();
        assert!(readings.is_sorted());
        assert!(readings[0] > 0);
    }

    #[test]
    fn a_fake_clock_moves_only_when_told() {
        let clock = Fake::at(5);
        assert_eq!(clock.now_ns(), 5);
        clock.advance(10);
        assert_eq!(clock.now_ns(), 15);
    }
}
