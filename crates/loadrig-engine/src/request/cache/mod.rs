//! The cache of one user, as RFC 9111 describes a private one, as far as it decides about requests: an answer that
//! is fresh is not asked for again, and one that may have changed is asked about by its validators.

mod freshness;
mod lookup;
mod store;

pub(super) use freshness::{Fields, Instants, fresh_until_ns, joined};
pub(super) use lookup::{Hit, Lookup, key_of, varies_by_all};
pub(super) use store::{Cache, Stored};

use crate::config::{self, Freshness, Keeping, RouteClass, RouteProtocol};

/// Part that a cache has in a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caching {
    /// None.
    Off,
    /// Its answers are kept, and looked up before it is sent.
    Reads,
    /// It changes what it names: what is kept of that is forgotten (RFC 9111, section 4.4).
    Changes,
}

/// Facts on the caches of all users.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheRules {
    pub(super) entries: usize,
    /// Whether a fresh answer makes a request needless.
    pub(super) reuses: bool,
    /// Whether a loop through a scenario begins with an empty cache.
    pub(super) is_of_loop: bool,
    pub(super) wall_ahead_ns: i64,
}

impl CacheRules {
    /// `wall_ahead_ns`: how far the wall clock is ahead of the monotonic one.
    pub(super) fn new(cache: config::Cache, wall_ahead_ns: i64) -> Self {
        Self {
            entries: cache.entries as usize,
            reuses: cache.fresh == Freshness::Reuse,
            is_of_loop: cache.lasts == Keeping::Loop,
            wall_ahead_ns,
        }
    }
}

impl Caching {
    /// What it is where users have caches.
    ///
    /// A request that has conditions of its own, or wants a part, is none of the cache's (RFC 9111, section 3.3).
    pub(super) fn of(route: &config::Route) -> Self {
        const OWN: [&str; 6] =
            ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "if-range", "range"];
        if route.protocol != RouteProtocol::Http {
            return Self::Off;
        }
        let has_own =
            route.headers.iter().any(|(name, _)| OWN.iter().any(|own| name.eq_ignore_ascii_case(own)));
        match route.method.as_str() {
            "GET" if has_own || route.body.is_some() || route.class == RouteClass::Login => Self::Off,
            "GET" => Self::Reads,
            "HEAD" | "OPTIONS" | "TRACE" => Self::Off,
            _ => Self::Changes,
        }
    }
}
