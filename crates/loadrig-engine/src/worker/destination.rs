//! One server of the load, as a thread goes there: who has a connection to it, and how one is made.

use loadrig_core::schedule::Shard;

use crate::admission::Admission;
use crate::config::{EngineConfig, Scheme};
use crate::transport::{Dialler, Trusts};

/// The connection that a request needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// Number of the server that it leads to.
    pub server: usize,
    /// Whether it is a `WebSocket`.
    pub is_websocket: bool,
}

/// A server, and this thread's connections to it.
#[derive(Debug)]
pub(super) struct Destination {
    pub admission: Admission,
    pub dialler: Dialler,
    pub scheme: Scheme,
}

impl Destination {
    /// All servers of a config, by their numbers. trusts: TLS of each.
    pub(super) fn all(config: &EngineConfig, trusts: &[Option<Trusts>], shard: Shard) -> Vec<Self> {
        let most = usize::try_from(shard.share(config.connections.most.into())).unwrap_or(usize::MAX);
        let first = usize::try_from(shard.index()).unwrap_or(0);
        let servers = config.servers().zip(trusts);
        let all = servers.map(|(server, trust)| Self {
            admission: Admission::new(most),
            dialler: Dialler::new(config, server, trust.clone(), first),
            scheme: server.scheme,
        });
        all.collect()
    }
}
