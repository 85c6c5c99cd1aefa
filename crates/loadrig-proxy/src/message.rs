//! Messages between the proxy and its parent, one JSON object a line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The first line from the parent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    /// Port to listen on; 0 is one that the system chooses.
    pub listen: u16,
    /// Address to listen on.
    #[serde(default = "loopback")]
    pub host: IpAddr,
    /// Whom to hand everything on to.
    pub to: SocketAddr,
    /// Cores to keep to; none leaves it to the system.
    #[serde(default)]
    pub cpus: Vec<usize>,
}

fn loopback() -> IpAddr {
    Ipv4Addr::LOCALHOST.into()
}

/// Every line after that.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Told {
    /// All settings: what is not named is off.
    Set(Settings),
    /// A question.
    Ask(Question),
}

/// Question or order of the parent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// Counts of what has passed until now.
    Counters,
}

/// Message to the parent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// The proxy listens.
    Ready { port: u16, pid: u32, warnings: Vec<String> },
    /// These hold since this instant of the monotonic clock.
    Set {
        #[serde(flatten)]
        settings: Settings,
        t_ns: u64,
    },
    /// The answer to the question.
    Counters(Counters),
    /// The order cannot be carried out, and nothing was changed.
    Refused { what: String },
}

/// Counts of what has passed since the start. Bytes and chunks count when they are read; a chunk is what one
/// read has found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Counters {
    /// Instant at which this was so.
    pub t_ns: u64,
    /// Connections of clients that were accepted.
    pub accepted: u64,
    /// Those that are open now.
    pub open: u64,
    /// Those that the dependency refused.
    pub refused: u64,
    /// Bytes and chunks to the dependency.
    pub bytes_to: u64,
    pub chunks_to: u64,
    /// Bytes and chunks from the dependency.
    pub bytes_from: u64,
    pub chunks_from: u64,
    /// Chunks to the dependency that were the first of their connection, or the first since the
    /// dependency had said something: what a client waited for, one after the other.
    pub round_trips: u64,
    /// Chunks that were held as if they had been lost.
    pub lost: u64,
    /// Chunks that were held for the delay alone and are gone, and how long they were, together.
    pub delayed: u64,
    pub delayed_ns: u64,
}
