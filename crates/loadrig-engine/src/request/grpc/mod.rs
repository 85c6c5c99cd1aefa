//! Unary calls of gRPC: a message made from a template in JSON, and what the answer comes to.
//!
//! The mapping between JSON and messages is that of Protocol Buffers (`ProtoJSON`). How calls go over
//! HTTP/2 is in <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md>.

mod mould;
mod moulding;
mod protos;
mod reply;
mod scalar;
mod status;

pub(super) use mould::{Misfit, Mould};
pub(super) use protos::Protos;
pub(super) use reply::{CallFault, Reply};

/// Bytes ahead of each message: whether it is compressed, and its length.
const PREFIX: usize = 5;
