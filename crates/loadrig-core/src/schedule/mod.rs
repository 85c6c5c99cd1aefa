//! Instant at which requests are due.
//!
//! All times are nanoseconds from the start of the run. A [`Line`] says the level (users, or
//! arrivals a second) over time; [`Spaced`] and [`Listed`] turn it or a list into instants,
//! [`Users`] into a number of users; [`Stay`] says how long a session lasts. A [`Shard`] is one
//! thread's part of all that, a [`Part`] one generator's.

mod line;
mod replay;
mod sessions;
mod shard;
mod spacing;
mod users;

pub use line::Line;
pub use replay::Listed;
pub use sessions::{Stay, Stays};
pub use shard::{Part, Shard};
pub use spacing::{Gaps, Spaced};
pub use users::Users;

/// An arrival of an open model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Its number, from 0, unique over all shards.
    pub n: u64,
    /// Instant at which it is due, in ns from the start.
    pub due_ns: u64,
}

/// The arrivals of one shard of an open model, in order of time.
#[derive(Debug, Clone)]
pub enum Arrivals {
    /// By a line and a spacing.
    Spaced(Spaced),
    /// From a list.
    Listed(Listed),
}

impl Arrivals {
    /// The next arrival, which stays the next; none where none is due as things stand.
    #[inline]
    #[must_use]
    pub fn due(&self) -> Option<Arrival> {
        match self {
            Self::Spaced(spaced) => spaced.due(),
            Self::Listed(listed) => listed.due(),
        }
    }

    /// From this time on arrivals come at this rate. A list stays as it is.
    pub fn turn(&mut self, t_s: f64, level: f64) {
        if let Self::Spaced(spaced) = self {
            spaced.turn(t_s, level);
        }
    }
}

impl Iterator for Arrivals {
    type Item = Arrival;

    #[inline]
    fn next(&mut self) -> Option<Arrival> {
        match self {
            Self::Spaced(spaced) => spaced.next(),
            Self::Listed(listed) => listed.next(),
        }
    }
}
