//! Target of the load, when it is due, and when it ends.

use loadrig_core::schedule;
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// The server as the generator reaches it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// `http` or `https`.
    pub scheme: Scheme,
    /// Host as in the plan; cookies and redirects are held against it.
    pub host: String,
    /// Port, as redirects are held against it.
    pub port: u16,
    /// Resolved addresses, used in turn; empty if `unix` is given.
    pub addresses: Vec<SocketAddr>,
    /// Value of the Host header.
    pub host_header: String,
    /// Path of a Unix socket to use instead of the addresses.
    pub unix: Option<PathBuf>,
    /// Present if and only if the scheme is https.
    pub tls: Option<Tls>,
}

/// Scheme of the server's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// Plain TCP or a Unix socket.
    Http,
    /// TLS.
    Https,
}

impl Scheme {
    /// As written in a URL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Check of the server's certificate.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// Name to ask for and to check against the certificate.
    pub server_name: String,
    /// Accept any certificate.
    pub insecure: bool,
    /// Authorities to trust instead of the system's, as PEM text.
    pub ca_pem: Option<String>,
}

/// Use of connections.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connections {
    /// Connections to each server at most, over all threads and all generators.
    pub most: u32,
    /// Whether a connection is used for more than one request.
    pub keep_alive: bool,
    /// Protocol that is spoken on them.
    #[serde(default)]
    pub protocol: Protocol,
    /// Requests at once on one connection at most; more than one only with HTTP/2.
    #[serde(default = "one")]
    pub streams: u32,
}

fn one() -> u32 {
    1
}

/// Protocol that is spoken on the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// HTTP/1.1.
    #[default]
    Http1,
    /// HTTP/2: by prior knowledge, or with TLS as the only protocol that is offered (ALPN).
    Http2,
}

/// The part of the load that this generator makes. All else in a config is of the whole load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Number of the generator, from 0.
    pub index: u32,
    /// Number of generators.
    pub of: u32,
}

impl Default for Part {
    fn default() -> Self {
        Self::from(schedule::Part::WHOLE)
    }
}

impl From<schedule::Part> for Part {
    fn from(part: schedule::Part) -> Self {
        Self { index: part.index, of: part.of }
    }
}

/// A point of a line: seconds from the start, level.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(from = "(f64, f64)")]
pub struct Point {
    /// Seconds from the start.
    pub t_s: f64,
    /// Users, or arrivals per second.
    pub level: f64,
}

impl From<(f64, f64)> for Point {
    fn from((t_s, level): (f64, f64)) -> Self {
        Self { t_s, level }
    }
}

/// Instant at which requests are due. A `line` is linear between its points, steps where two times are
/// equal, and holds its last level.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Arrivals {
    /// Closed model: each user waits for the answer, thinks, asks again.
    Users {
        /// Users over time, rounded down.
        line: Vec<Point>,
        /// Loops through a scenario that each user makes at most.
        loops: Option<u64>,
    },
    /// Open model: scenarios start at a rate.
    Rate {
        /// Starts per second over time.
        line: Vec<Point>,
        /// Spacing of the starts.
        spacing: Spacing,
        /// Users that the starts are shared out to in turn.
        identities: u64,
    },
    /// Partly open model: users arrive, loop through a scenario, leave.
    Sessions {
        /// Arrivals per second over time.
        line: Vec<Point>,
        /// Spacing of the arrivals.
        spacing: Spacing,
        /// Loops of each session; exactly one of `loops` and `stay` is given.
        loops: Option<u64>,
        /// Probability of another loop after each one.
        stay: Option<f64>,
    },
    /// Open model with given times.
    Replay {
        /// Seconds from the start, not decreasing.
        times_s: Vec<f64>,
        /// Place among the scenarios of what is sent at each of the times; by weight where nothing is said.
        #[serde(default)]
        scenarios: Option<Arc<[u32]>>,
    },
}

/// Spacing of the arrivals of an open model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Exponential gaps.
    Poisson,
    /// Even gaps.
    Constant,
}

/// Instant at which arrivals end; whichever comes first.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// Requests due this many seconds after the start or later are not issued.
    pub after_s: f64,
    /// Requests at most, over all threads and all generators.
    pub requests: Option<u64>,
}

/// Time to wait, in seconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timeouts {
    /// From when a request was due to its last byte.
    pub request_s: f64,
    /// For a connection, TLS included.
    pub connect_s: f64,
    /// For answers after the last request.
    pub drain_s: f64,
}
