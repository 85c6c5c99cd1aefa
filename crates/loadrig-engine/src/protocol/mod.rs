//! How an answer is read from bytes. Knows neither sockets nor clocks.

mod body;
mod head;
mod http1;

pub(crate) use http1::{Asked, Reply, Whole};
