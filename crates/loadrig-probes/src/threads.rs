//! States of the threads of a program: run, wait for a core, for a lock, for a peer, for the disk.
//!
//! Two ways of reading, which share nothing but the names of groups. A `Census` reads of every thread how
//! long it has run and has waited for a core, which the kernel counts exactly. A `Sampler` looks at random
//! instants at what each thread waits for. Threads that are one pool are told by one name.
//! A thread is known by its process, its number, the inode of its folder and its start: numbers are used
//! again.

mod burst;
mod calls;
mod census;
mod files;
mod look;
mod names;
mod peers;
mod roster;
mod state;
mod sums;
mod tally;

pub use burst::{Burst, Busy, Pace, Sampler, Stop};
pub use calls::{Blocked, Call, parse_syscall, wait_in};
pub use census::{Census, Counted, Counts, Spent};
pub use files::{Times, parse_schedstat};
pub use look::Gap;
pub use names::{Names, OTHERS, SharedNames, folded};
pub use roster::Root;
pub use state::State;
