//! Things that come and go, found by a small number. What has gone leaves its memory to the next.

use std::ops::{Index, IndexMut};

/// No thing at all, where the number of one is kept in a field.
pub(crate) const NONE: u32 = u32::MAX;

/// Entries by number. The number of an entry that was given back is given out again, newest
/// first, with whatever the entry still holds: its buffers, above all.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    entries: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// A number that nobody has; `make` makes an entry where there is no old one.
    pub(crate) fn take(&mut self, make: impl FnOnce() -> T) -> u32 {
        if let Some(id) = self.free.pop() {
            return id;
        }
        let id = u32::try_from(self.entries.len()).unwrap_or(NONE);
        assert!(id != NONE, "fewer than 2^32 things at a time, as each needs memory");
        self.entries.push(make());
        id
    }

    /// Gives a number back, once.
    pub(crate) fn give_back(&mut self, id: u32) {
        self.free.push(id);
    }

    /// Number of numbers that are given out.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// All numbers that were ever given out are below this one.
    pub(crate) fn end(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(NONE)
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, id: u32) -> &T {
        &self.entries[id as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut T {
        &mut self.entries[id as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Slab;

    #[test]
    fn a_number_is_given_out_to_one_at_a_time() {
        let mut slab: Slab<Vec<u8>> = Slab::default();
        let (first, second) = (slab.take(Vec::new), slab.take(Vec::new));
        assert_ne!(first, second);
        slab[first].push(7);
        slab.give_back(first);
        assert_eq!(slab.len(), 1);
        assert_eq!(slab.take(Vec::new), first);
        assert_eq!(slab[first], [7], "the memory is kept");
        assert_eq!(slab.end(), 2);
    }
}
