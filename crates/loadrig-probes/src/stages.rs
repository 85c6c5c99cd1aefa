//! Stages of the requests of watched programs, told from their sockets at random instants.
//!
//! A look is one dump of the sockets of each network namespace. Every socket of a watched program is in one
//! stage (`turn`, `rhythm`, `stage`), whose it is says `owners`, `looker` counts, `sums` adds looks up, and `watcher`
//! looks at random instants in a thread of its own, as often as its budget allows.

pub mod filter;
pub mod flow;
pub mod looker;
pub mod owners;
pub mod rhythm;
pub mod stage;
pub mod sums;
pub mod turn;
mod unix;
pub mod watcher;
