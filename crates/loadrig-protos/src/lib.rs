//! `.proto` files read without a compiler of theirs: descriptor sets, and the methods in them.
//! Knows neither sockets nor Python.

mod compile;
mod method;

pub use compile::{CompileError, compile};
pub use method::{Method, MethodError, method};
