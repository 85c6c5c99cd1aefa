//! The answers that a user keeps, as much of each as the next request needs: no bodies.

use super::freshness::Fields;
use crate::request::worth::Worth;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of an entry at most: key, header values, and the values that were taken from the answer. A larger one is
/// not kept, so that a number of entries is a bound of memory. Servers allow 8 to 16 KiB of headers.
const LONGEST: usize = 16 * 1024;

/// An answer, as far as it is kept.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::request) struct Stored {
    pub fields: Fields,
    /// None if it is to be asked about each time.
    pub fresh_until_ns: Option<u64>,
    pub status: u16,
    /// Values of the route's extractions, in their order.
    pub values: Box<[(Worth, Box<[u8]>)]>,
}

/// What a key leads to.
#[derive(Debug, Clone)]
pub(in crate::request) enum Entry {
    /// Names of the request's headers, in small letters, on which the answers depend: each has a key of its own.
    Varies(Arc<[Box<[u8]>]>),
    /// An answer.
    Stored(Arc<Stored>),
}

impl Entry {
    fn size(&self) -> usize {
        match self {
            Self::Varies(names) => names.iter().map(|name| name.len()).sum(),
            Self::Stored(stored) => {
                stored.fields.size() + stored.values.iter().map(|(_, value)| value.len()).sum::<usize>()
            }
        }
    }
}

/// The cache of one user. When it is full an entry goes that was not used lately (the clock algorithm).
#[derive(Debug)]
pub(in crate::request) struct Cache {
    places: HashMap<Arc<[u8]>, usize>,
    slots: Vec<Slot>,
    /// Where the next one to go is looked for.
    hand: usize,
    most: usize,
}

#[derive(Debug)]
struct Slot {
    key: Arc<[u8]>,
    entry: Entry,
    /// Since the hand last passed.
    is_used: bool,
}

impl Cache {
    /// An empty one for so many entries, at least 1.
    pub(in crate::request) fn new(most: usize) -> Self {
        Self { places: HashMap::new(), slots: Vec::new(), hand: 0, most: most.max(1) }
    }

    /// The entry with this key, which is then in use.
    pub(in crate::request) fn get(&mut self, key: &[u8]) -> Option<Entry> {
        let slot = &mut self.slots[*self.places.get(key)?];
        slot.is_used = true;
        Some(slot.entry.clone())
    }

    /// Keeps an entry in the place of the one with this key, or of one that was not used lately. One that is too
    /// large only takes that place away.
    pub(in crate::request) fn put(&mut self, key: &[u8], entry: Entry) {
        if key.len() + entry.size() > LONGEST {
            return self.remove(key);
        }
        if let Some(place) = self.places.get(key) {
            self.slots[*place].entry = entry;
            return;
        }
        let key: Arc<[u8]> = key.into();
        let slot = Slot { key: Arc::clone(&key), entry, is_used: false };
        let place = if self.slots.len() < self.most {
            self.slots.push(slot);
            self.slots.len() - 1
        } else {
            let place = self.unused();
            self.places.remove(&self.slots[place].key);
            self.slots[place] = slot;
            place
        };
        self.places.insert(key, place);
    }

    /// Forgets the entry with this key.
    pub(in crate::request) fn remove(&mut self, key: &[u8]) {
        let Some(place) = self.places.remove(key) else { return };
        self.slots.swap_remove(place);
        if let Some(moved) = self.slots.get(place) {
            self.places.insert(Arc::clone(&moved.key), place);
        }
    }

    /// Forgets all entries.
    pub(in crate::request) fn clear(&mut self) {
        self.places.clear();
        self.slots.clear();
        self.hand = 0;
    }

    /// Place of an entry that was not used since the hand last passed it. Only where the cache is full.
    fn unused(&mut self) -> usize {
        loop {
            let place = self.hand % self.slots.len();
            self.hand = place + 1;
            if !std::mem::replace(&mut self.slots[place].is_used, false) {
                return place;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, Entry, LONGEST, Stored};
    use crate::request::cache::freshness::Fields;
    use crate::request::worth::Worth;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn entry(status: u16, value: usize) -> Entry {
        let values = [(Worth::True, vec![b'v'; value].into())];
        let fields = Fields::default();
        Entry::Stored(Arc::new(Stored { fields, fresh_until_ns: None, status, values: values.into() }))
    }

    fn status(cache: &mut Cache, key: &[u8]) -> Option<u16> {
        match cache.get(key)? {
            Entry::Stored(stored) => Some(stored.status),
            Entry::Varies(_) => None,
        }
    }

    #[test]
    fn a_full_cache_lets_go_what_was_not_used() {
        let mut cache = Cache::new(3);
        for key in [b"a", b"b", b"c"] {
            cache.put(key, entry(200, 0));
        }
        assert_eq!(status(&mut cache, b"a"), Some(200));
        assert_eq!(status(&mut cache, b"c"), Some(200));
        cache.put(b"d", entry(203, 0));
        assert_eq!(status(&mut cache, b"b"), None);
        assert_eq!(status(&mut cache, b"a"), Some(200));
        assert_eq!(status(&mut cache, b"d"), Some(203));
    }

    #[test]
    fn an_entry_that_is_too_large_is_not_kept() {
        let mut cache = Cache::new(3);
        cache.put(b"a", entry(200, LONGEST - 1));
        assert_eq!(status(&mut cache, b"a"), Some(200));
        cache.put(b"a", entry(200, LONGEST));
        assert_eq!(status(&mut cache, b"a"), None);
    }

    proptest! {
        #[test]
        fn it_never_grows_and_never_mistakes_a_key(
            most in 1_usize..6, acts in prop::collection::vec((0_u8..4, 0_u8..12, 200_u16..300), 0..80),
        ) {
            let mut cache = Cache::new(most);
            let mut written = std::collections::HashMap::new();
            for (act, key, value) in acts {
                match act {
                    0 => {
                        cache.remove(&[key]);
                        written.remove(&key);
                    }
                    1 => {
                        let latest = written.get(&key).copied();
                        let there = status(&mut cache, &[key]);
                        prop_assert!(there.is_none() || there == latest);
                    }
                    _ => {
                        cache.put(&[key], entry(value, 0));
                        written.insert(key, value);
                        prop_assert_eq!(status(&mut cache, &[key]), Some(value));
                    }
                }
                prop_assert!(cache.slots.len() <= most);
                prop_assert_eq!(cache.slots.len(), cache.places.len());
            }
        }
    }
}
