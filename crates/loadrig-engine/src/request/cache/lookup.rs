//! A request, as its cache sees it: what it asks for, and the headers on which an answer may depend.

use super::freshness::{Directives, joined, parts};
use super::store::{Cache, Entry, Stored};
use memchr::memmem;
use std::sync::Arc;

/// Headers of a request that are read at most. The answer to one with more is not kept.
const HEADERS_MOST: usize = 128;

/// Headers that an answer may depend on at most. One that names more is not kept: a server that makes up names must
/// not keep the generator busy.
const VARY_MOST: usize = 16;

/// A request that was looked up, until it has ended. Its memory is used again for the walk's next one.
#[derive(Debug, Default)]
pub(in crate::request) struct Lookup {
    /// Server and target.
    key: Vec<u8>,
    /// The request without what the cache has added, and without a body.
    head: Vec<u8>,
    /// Instant at which it was composed.
    pub(in crate::request) asked_ns: u64,
    /// Whether its answer may be kept.
    pub(in crate::request) is_open: bool,
    /// The answer about which it asks.
    pub(in crate::request) stale: Option<Arc<Stored>>,
}

/// What the cache has for a request.
#[derive(Debug)]
pub(in crate::request) enum Hit {
    /// An answer that needs no request.
    Fresh(Arc<Stored>),
    /// Nothing that spares the request.
    Miss,
}

impl Lookup {
    /// Looks a composed request up; adds the conditions to it, if there is an answer to ask about.
    ///
    /// reuses: whether a fresh answer spares the request.
    pub(in crate::request) fn find(
        &mut self,
        cache: &mut Cache,
        (server, target): (usize, &[u8]),
        request: &mut Vec<u8>,
        reuses: bool,
        now_ns: u64,
    ) -> Hit {
        key_of(server, target, &mut self.key);
        self.head.clear();
        self.head.extend_from_slice(request);
        self.asked_ns = now_ns;
        self.stale = None;
        let Some(control) = self.headers(|headers| joined(headers, "cache-control")) else {
            // What it says of itself cannot be read.
            self.is_open = false;
            return Hit::Miss;
        };
        let asked = control.as_deref().map(Directives::read).unwrap_or_default();
        self.is_open = !asked.no_store;
        let Some(stored) = self.stored(cache).filter(|_| self.is_open) else {
            return Hit::Miss;
        };
        let needs_asking = !reuses || asked.no_cache || asked.max_age_s.is_some();
        if !needs_asking && stored.fresh_until_ns.is_some_and(|until_ns| now_ns < until_ns) {
            self.is_open = false;
            return Hit::Fresh(stored);
        }
        if stored.fields.has_validator() {
            put_conditions(&stored, request);
            self.stale = Some(stored);
        }
        Hit::Miss
    }

    /// Its answer is not kept.
    pub(in crate::request) fn close(&mut self) {
        self.is_open = false;
        self.stale = None;
    }

    /// Keeps an answer to this request.
    ///
    /// vary: value of the header Vary, if it has one.
    pub(in crate::request) fn keep(&mut self, cache: &mut Cache, vary: Option<&[u8]>, stored: Arc<Stored>) {
        let names: Arc<[Box<[u8]>]> = vary.map_or_else(|| [].into(), names_in);
        if names.is_empty() {
            return cache.put(&self.key, Entry::Stored(stored));
        }
        if names.len() > VARY_MOST {
            return cache.remove(&self.key);
        }
        cache.put(&self.key, Entry::Varies(Arc::clone(&names)));
        cache.put(&self.variant(&names), Entry::Stored(stored));
    }

    /// Keeps an answer to this request where one is kept already, after the server has said that it still holds.
    pub(in crate::request) fn renew(&mut self, cache: &mut Cache, vary: Option<&[u8]>, stored: Arc<Stored>) {
        if vary.is_some() {
            return self.keep(cache, vary, stored);
        }
        match cache.get(&self.key) {
            Some(Entry::Varies(names)) => cache.put(&self.variant(&names), Entry::Stored(stored)),
            _ => cache.put(&self.key, Entry::Stored(stored)),
        }
    }

    /// Forgets what is kept for this request.
    pub(in crate::request) fn forget(&self, cache: &mut Cache) {
        match cache.get(&self.key) {
            Some(Entry::Varies(names)) => cache.remove(&self.variant(&names)),
            _ => cache.remove(&self.key),
        }
    }

    fn stored(&self, cache: &mut Cache) -> Option<Arc<Stored>> {
        match cache.get(&self.key)? {
            Entry::Stored(stored) => Some(stored),
            Entry::Varies(names) => match cache.get(&self.variant(&names))? {
                Entry::Stored(stored) => Some(stored),
                Entry::Varies(_) => None,
            },
        }
    }

    /// Key of the answer to a request with these values of the headers (RFC 9111, section 4.1).
    fn variant(&self, names: &[Box<[u8]>]) -> Vec<u8> {
        let mut key = self.key.clone();
        for name in names {
            // No target and no header has a line break.
            key.push(b'\n');
            key.extend_from_slice(name);
            // A header that is missing differs from one that is empty.
            if let Some(value) = self.header(name) {
                key.push(b':');
                key.extend_from_slice(&value);
            }
        }
        key
    }

    /// The values of a header of the request as one list. name: in small letters.
    fn header(&self, name: &[u8]) -> Option<Box<[u8]>> {
        let name = std::str::from_utf8(name).ok()?;
        self.headers(|headers| joined(headers, name)).flatten()
    }

    /// What `read` makes of the headers of the request; none if they are no headers, or too many.
    fn headers<T>(&self, read: impl FnOnce(&[httparse::Header<'_>]) -> T) -> Option<T> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MOST];
        let mut request = httparse::Request::new(&mut headers);
        request.parse(&self.head).ok()?;
        Some(read(request.headers))
    }
}

/// Puts the key of a server's target into `key`.
pub(in crate::request) fn key_of(server: usize, target: &[u8], key: &mut Vec<u8>) {
    key.clear();
    key.extend_from_slice(&server.to_le_bytes());
    // RFC 9110, section 4.2.5: what stands behind # is not sent.
    key.extend_from_slice(target.split(|byte| *byte == b'#').next().unwrap_or_default());
}

/// Whether answers depend on more than headers, so that none of them stands for another.
pub(in crate::request) fn varies_by_all(vary: &[u8]) -> bool {
    parts(vary).any(|name| name == b"*")
}

fn names_in(vary: &[u8]) -> Arc<[Box<[u8]>]> {
    let mut names: Vec<Box<[u8]>> = parts(vary).map(|name| name.to_ascii_lowercase().into()).collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// Adds the validators of an answer as conditions (RFC 9111, section 4.3.1), before the line that ends the head.
fn put_conditions(stored: &Stored, request: &mut Vec<u8>) {
    let Some(end) = memmem::find(request, b"\r\n\r\n") else { return };
    let mut lines = Vec::new();
    let conditions =
        [("If-Modified-Since", &stored.fields.last_modified), ("If-None-Match", &stored.fields.etag)];
    for (name, value) in conditions {
        if let Some(value) = value {
            lines.extend_from_slice(name.as_bytes());
            lines.extend_from_slice(b": ");
            lines.extend_from_slice(value);
            lines.extend_from_slice(b"\r\n");
        }
    }
    let place = end + b"\r\n".len();
    request.splice(place..place, lines);
}
