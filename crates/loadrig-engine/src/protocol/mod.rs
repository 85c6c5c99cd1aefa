//! How an answer is read from bytes. Knows neither sockets nor clocks.

mod body;
mod head;
mod http1;
mod http2;

pub(crate) use http1::{Asked, Reply, Whole};
pub(crate) use http2::{Broken, Ended, Session};
