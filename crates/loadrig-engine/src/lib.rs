//! The load generator: one config in, one frame a second out. Knows no Python.

mod admission;
mod bell;
mod collector;
pub mod config;
mod connection;
mod control;
pub mod due;
mod frame;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod live;
pub mod null_server;
pub mod place;
pub mod poll;
mod protocol;
pub mod request;
pub mod run;
mod slab;
pub mod socket;
mod tally;
mod testimony;
mod timers;
mod transport;
mod worker;
