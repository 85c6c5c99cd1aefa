//! The messages to the parent, as they are written: one JSON object a line.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::config::Refusal;

/// A message to the parent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Message<'a> {
    /// All is prepared; the start is awaited.
    Ready(Ready),
    /// The config cannot be run.
    Refused(&'a Refusal),
    /// An interval.
    Frame(Box<Frame<'a>>),
    /// Nothing follows.
    End(End),
}

/// All is prepared.
#[derive(Debug, Serialize)]
pub(crate) struct Ready {
    pub pid: u32,
    pub threads: u32,
    pub start_ns: u64,
    pub warnings: Vec<String>,
}

/// An interval of all threads. Times in ns, histograms as base64 of `HdrHistogram` V2.
#[derive(Debug, Serialize)]
pub(crate) struct Frame<'a> {
    pub n: u64,
    pub t_ns: u64,
    pub len_ns: u64,
    pub due: u64,
    pub sent: u64,
    pub answered: u64,
    pub failed: u64,
    pub unsent: u64,
    pub in_flight: u64,
    pub queued: u64,
    pub users: u64,
    pub sessions: u64,
    pub planned: f64,
    pub in_flight_s: f64,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub opened: u64,
    pub reused: u64,
    pub open: u64,
    pub backoffs: u64,
    pub capped: u64,
    pub stream_resets: u64,
    pub goaways: u64,
    pub unsent_why: UnsentWhy,
    pub routes: Vec<RouteRow<'a>>,
    pub status: BTreeMap<String, u64>,
    pub lag: String,
    pub wait: String,
    pub connect: String,
    pub session: Option<String>,
    pub threads: Vec<ThreadRow>,
    pub process_cpu_ns: u64,
    pub rss_bytes: u64,
    pub fds: u64,
    pub fds_limit: u64,
    pub ports: u64,
    pub ports_range: u64,
    pub gaps_ns: Vec<u64>,
    pub logins: u64,
    pub logins_again: u64,
    pub from_cache: u64,
    pub examples: Vec<ExampleRow<'a>>,
}

/// Reason why requests were not sent.
#[derive(Debug, Serialize)]
pub(crate) struct UnsentWhy {
    pub no_connection: u64,
    pub end: u64,
    /// Only of a generator that took over from another one.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub missed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it on so")]
fn is_none_at_all(count: &u64) -> bool {
    *count == 0
}

/// The requests of one route that came to one outcome.
#[derive(Debug, Serialize)]
pub(crate) struct RouteRow<'a> {
    pub route: &'a str,
    pub class: &'static str,
    pub outcome: &'static str,
    pub count: u64,
    pub bytes: u64,
    pub response: String,
    /// None if none of them was sent.
    pub service: Option<String>,
}

/// Resources that one thread used.
#[derive(Debug, Serialize)]
pub(crate) struct ThreadRow {
    pub cpu_ns: u64,
    pub run_delay_ns: u64,
    pub busy_share: f64,
}

/// A thing that went wrong.
#[derive(Debug, Serialize)]
pub(crate) struct ExampleRow<'a> {
    pub t_ns: u64,
    pub route: &'a str,
    pub outcome: &'static str,
    pub detail: String,
    /// Status of the answer, if there was one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
}

/// The end.
#[derive(Debug, Serialize)]
pub(crate) struct End {
    pub why: &'static str,
    pub t_ns: u64,
    pub totals: Totals,
    pub max_rss_bytes: u64,
}

/// Sums over all frames.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Totals {
    pub due: u64,
    pub sent: u64,
    pub answered: u64,
    pub failed: u64,
    pub unsent: u64,
}
