//! A HTTP/2 connection as its client sees it: bytes in, bytes out, many requests at once.
//!
//! Frames, HPACK and flow control are nghttp2's (RFC 9113, RFC 7541). What is ours is which request
//! goes on which stream, what is kept of its answer, and what its end means.
//!
//! [`Session`] is the door; `streams` keeps the answers in the course of being read; `callbacks`
//! is where nghttp2 calls us; `fields` turns a composed request into HTTP/2 fields.

mod callbacks;
mod fields;
mod session;
mod streams;

pub(crate) use session::{Broken, Ended, Session};
