//! A thread's part of a load. Who belongs to which shard is decided by number alone, so that
//! no thread has to ask another one, nor one generator of a fleet the others.

/// Part `index` of `of` equal parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    of: u64,
    /// Streams of random numbers for all shards: as many as one generator has threads.
    streams: u64,
}

/// A generator's part of a load: part `index` of `of`, of which each has threads of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Number of the generator, from 0.
    pub index: u32,
    /// Number of generators, at least 1.
    pub of: u32,
}

impl Part {
    /// The whole load in one generator.
    pub const WHOLE: Self = Self { index: 0, of: 1 };
}

impl Default for Part {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl Shard {
    /// Part `index` of `of`.
    ///
    /// # Panics
    /// If there is no such part.
    #[must_use]
    pub fn new(index: u32, of: u32) -> Self {
        assert!(index < of, "there is no part {index} of {of}");
        Self { index: index.into(), of: of.into(), streams: of.into() }
    }

    /// Thread `thread` of `threads` of a generator that has this part of the load; every generator
    /// has as many threads.
    ///
    /// # Panics
    /// If there is no such thread or part.
    #[must_use]
    pub fn in_part(part: Part, thread: u32, threads: u32) -> Self {
        assert!(thread < threads, "there is no thread {thread} of {threads}");
        assert!(part.index < part.of, "there is no part {} of {}", part.index, part.of);
        let streams = u64::from(threads);
        Self {
            index: u64::from(thread) + u64::from(part.index) * streams,
            of: u64::from(part.of) * streams,
            streams,
        }
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

    /// Number of the stream of random numbers that this shard draws from, with those that take turns.
    #[must_use]
    pub fn stream(self) -> u64 {
        self.index % self.streams
    }

    /// Number of streams of random numbers.
    #[must_use]
    pub fn streams(self) -> u64 {
        self.streams
    }

    /// Number of this shard among those that take turns at one stream.
    #[must_use]
    pub fn turn(self) -> u64 {
        self.index / self.streams
    }

    /// Number of shards that take turns at one stream: 1 where a generator is alone.
    #[must_use]
    pub fn turns(self) -> u64 {
        self.of / self.streams
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
        (total + (self.of - 1 - self.index)) / self.of
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Shard};
    use proptest::prelude::*;

    #[test]
    fn a_generator_alone_has_the_shards_of_its_threads() {
        for threads in 1..5 {
            for thread in 0..threads {
                assert_eq!(Shard::in_part(Part::WHOLE, thread, threads), Shard::new(thread, threads));
            }
        }
    }

    proptest! {
        #[test]
        fn the_threads_of_all_generators_are_all_shards(threads in 1_u32..9, of in 1_u32..9) {
            let mut indices: Vec<u64> = (0..of)
                .flat_map(|index| (0..threads).map(move |thread| Shard::in_part(Part { index, of }, thread, threads)))
                .map(Shard::index)
                .collect();
            indices.sort_unstable();
            prop_assert!(indices.into_iter().eq(0..u64::from(threads * of)));
        }

        #[test]
        fn turns_at_a_stream_are_the_streams_own_numbers(threads in 1_u32..9, of in 1_u32..9, n in 0_u64..50) {
            // Number n of a stream, and whose it is, as one generator and as a fleet count it.
            for stream in 0..threads {
                let number = Shard::new(stream, threads).number(n);
                let index = u32::try_from(n % u64::from(of)).expect("below the fleet's size");
                let shard = Shard::in_part(Part { index, of }, stream, threads);
                prop_assert_eq!(shard.stream(), u64::from(stream));
                prop_assert_eq!(shard.turn(), u64::from(index));
                prop_assert_eq!(shard.number(n / shard.turns()), number);
            }
        }

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
