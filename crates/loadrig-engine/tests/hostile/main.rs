//! Servers that mean harm, under load: many connections at once, and among the faulty answers a
//! healthy share that must not notice them. Every fault must come to its own outcome, with an
//! example that says what happened; the accounts are checked in every frame of every run.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

#[path = "../common/mod.rs"]
mod common;

mod bodies;
mod endings;
mod floods;
mod heads;
mod http2_connections;
mod http2_peer;
mod http2_streams;
mod reach;
mod storm;
mod tls_handshake;
mod tls_records;
mod tls_server;
