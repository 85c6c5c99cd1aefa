//! A thread's part of a load. Who belongs to which shard is decided by number alone, so that
//! no thread has to ask another one.

/// Part `index` of `of` equal parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    /// Part `index` of `of`.
    ///
    /// # Panics
    /// If there is no such part.
    #[must_use]
    pub fn new(index: u32, of: u32) -> Self {
        assert!(index < of, "there is no part {index} of {of}");
        Self { index: index.into(), of: of.into() }
    }

    /// The whole load in one part.
    #[must_use]
    pub fn whole() -> Self {
        Self::new(0, 1)
    }

    /// Number of this part.
    #[must_use]
    pub fn index(self) -> u64 {
        self.index
    }

    /// Number of parts.
    #[must_use]
    pub fn of(self) -> u64 {
        self.of
    }

    /// The number, over all shards, of what is number `own` in this one.
    #[inline]
    #[must_use]
    pub fn number(self, own: u64) -> u64 {
        self.index + own * self.of
    }

    /// Number of the numbers below `total` that are this shard's.
    #[must_use]
    pub fn share(self, total: u64) -> u64 {
        (total + self.of - 1 - self.index) / self.of
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_shares_together_are_the_whole(total in 0_u64..1_000_000, of in 1_u32..64) {
            let shares: u64 = (0..of).map(|index| Shard::new(index, of).share(total)).sum();
            prop_assert_eq!(shares, total);
        }

        #[test]
        fn every_number_belongs_to_exactly_one_shard(total in 0_u64..500, of in 1_u32..9) {
            let mut numbers: Vec<u64> = (0..of)
                .map(|index| Shard::new(index, of))
                .flat_map(|shard| (0..shard.share(total)).map(move |own| shard.number(own)))
                .collect();
            numbers.sort_unstable();
            prop_assert_eq!(numbers, (0..total).collect::<Vec<_>>());
        }
    }
}
