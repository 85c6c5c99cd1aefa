//! Reading of an answer from bytes. Knows no clocks, and sockets only as something to read from.

mod body;
mod head;
mod http1;
mod http2;
mod websocket;

pub(crate) use http1::{Asked, Reply, Whole};
pub(crate) use http2::{Broken, Ended, Session};
pub(crate) use websocket::{Heard, Parted, Socket, Upgrade};
