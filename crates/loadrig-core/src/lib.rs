//! Load without a socket in sight: when requests are due, how long they took, what
//! became of them, and how many of each.
//!
//! Everything here is pure but the [`clock`], which has a fake for tests.

pub mod clock;
pub mod exchange;
pub mod histogram;
pub mod outcome;
pub mod rng;
pub mod schedule;
pub mod stop;
pub mod units;
