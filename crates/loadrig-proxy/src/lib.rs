//! A TCP proxy in front of a dependency, whose way can be made worse while it runs: longer, lossy,
//! narrow, closed to more than so many connections. One thread that waits as the engine's do.
//!
//! What is emulated, and what is not:
//!
//! - Delay is added to what the client sends, never to what comes back, so that each sequential
//!   round trip costs it once. What is read at once is held as one chunk; what a client sends in
//!   two pieces before it waits for the answer is late by the delay, not by twice as much. The
//!   handshake of a connection is the kernel's and is not delayed.
//! - Loss is a wait: a proxy has no packets, and bytes that it took it must hand on. A chunk that
//!   is lost is held for [`RETRANSMIT_NS`], the time-out after which Linux sends a lone segment
//!   again, and those behind it wait with it, as TCP keeps the order. So it is true of questions
//!   and answers of one segment; a stream of many would notice a hole sooner.
//! - Bandwidth is one line in each direction, which all connections share.
//! - Connections beyond the limit wait in the listener's queue: their clients are connected as
//!   far as they know, and nobody reads what they send.

mod connection;
mod lane;
mod message;
mod proxy;
mod rate;
mod serve;
mod settings;

pub use lane::HELD_MOST;
pub use serve::{serve, serve_process};
pub use settings::{RETRANSMIT_NS, Settings};
