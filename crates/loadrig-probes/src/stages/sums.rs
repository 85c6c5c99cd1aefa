//! Counts of looks, added up until they are asked for.

use crate::stages::flow::Limits;
use crate::stages::stage::{NAMES, STAGES, Stage, Verdict};
use crate::wire::End;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Groups of the sockets of a component.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Connections to a port that it listens on.
    In(u16),
    /// Connections to a Unix socket that it listens on.
    InUnix(Arc<str>),
    /// Its own connections to an address.
    Out(End),
    /// Its own connections to a Unix socket.
    OutUnix(Arc<str>),
    /// Connections to ports that are not told apart.
    InOthers,
    /// Its own connections to addresses that are not told apart.
    OutOthers,
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::In(port) => write!(f, "in:{port}"),
            Self::InUnix(path) => write!(f, "in:{path}"),
            Self::Out(end) => write!(f, "out:{end}"),
            Self::OutUnix(path) => write!(f, "out:{path}"),
            Self::InOthers => f.write_str("in:others"),
            Self::OutOthers => f.write_str("out:others"),
        }
    }
}

impl Group {
    fn is_in(&self) -> bool {
        matches!(self, Self::In(_) | Self::InUnix(_) | Self::InOthers)
    }
}

/// Number of groups of a component that are told apart: the first that are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// Addresses to which it connects; the rest is `Group::OutOthers`.
    pub destinations: usize,
    /// Ports and Unix sockets that it listens on; the rest is `Group::InOthers`.
    pub ports: usize,
}

/// Sockets of one group in one look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// Number of requests in each stage; halves where a tie was split.
    pub stages: [f64; STAGES],
    /// Number of those that were split between a stage and idle.
    pub tied: f64,
    /// Number of those not accepted that have brought no data.
    pub silent: f64,
    /// Waits of sending since the last look.
    pub limits: Limits,
    /// Segments with data that were sent since the last look.
    pub segments: u64,
}

impl Count {
    /// Counts a socket.
    pub fn add(&mut self, verdict: Verdict) {
        if verdict.is_tied {
            self.stages[verdict.stage as usize] += 0.5;
            self.stages[Stage::Idle as usize] += 0.5;
            self.tied += 1.0;
        } else {
            self.stages[verdict.stage as usize] += 1.0;
        }
    }

    /// Number of sockets that were counted.
    #[must_use]
    pub fn sockets(&self) -> f64 {
        self.stages.iter().sum()
    }

    fn merge(&mut self, other: &Self) {
        for (n, more) in self.stages.iter_mut().zip(other.stages) {
            *n += more;
        }
        self.tied += other.tied;
        self.silent += other.silent;
        self.limits.busy_us += other.limits.busy_us;
        self.limits.client_us += other.limits.client_us;
        self.limits.buffer_us += other.limits.buffer_us;
        self.segments += other.segments;
    }
}

/// A look at a component.
pub type Counts = FxHashMap<Group, Count>;

/// Sums over the looks at a component since they were last asked for.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    looks: u32,
    groups: BTreeMap<Group, GroupSums>,
}

#[derive(Clone, Copy, Debug, Default)]
struct GroupSums {
    total: Count,
    squares: [f64; STAGES],
    /// Since the component is watched.
    limits: Limits,
    /// Likewise.
    segments: u64,
}

/// A group over the looks of an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// Its name.
    pub group: String,
    /// By stage, in the order of `stage::NAMES`: the mean number of sockets in it, and the standard
    /// deviation from one look to the next.
    pub stages: [(f64, f64); STAGES],
    /// Mean number of sockets that were split between a stage and idle.
    pub tied: f64,
    /// Mean number of those not accepted that have brought no data.
    pub silent: f64,
    /// Waits of sending since the component is watched.
    pub limits: Limits,
    /// Segments with data that were sent since the component is watched.
    pub segments: u64,
}

impl Sums {
    /// Adds a look. A group without sockets in it counts as zero.
    pub fn add(&mut self, counts: Counts, most: Most) {
        self.looks += 1;
        let mut folded: FxHashMap<Group, Count> = FxHashMap::default();
        let mut sorted: Vec<_> = counts.into_iter().collect();
        // Of many that are new in one look, those with the most sockets get names.
        sorted.sort_by(|(a, x), (b, y)| {
            Reverse(x.sockets())
                .partial_cmp(&Reverse(y.sockets()))
                .unwrap_or(std::cmp::Ordering::Equal)
                .then(a.cmp(b))
        });
        for (group, count) in sorted {
            let group = self.named(group, most);
            self.groups.entry(group.clone()).or_default();
            folded.entry(group).or_default().merge(&count);
        }
        for (group, count) in folded {
            let sums = self.groups.entry(group).or_default();
            sums.total.merge(&count);
            for (square, n) in sums.squares.iter_mut().zip(count.stages) {
                *square += n * n;
            }
        }
    }

    /// A group by its own name, or as one of the others.
    fn named(&self, group: Group, most: Most) -> Group {
        if self.groups.contains_key(&group) {
            return group;
        }
        let (others, room) =
            if group.is_in() { (Group::InOthers, most.ports) } else { (Group::OutOthers, most.destinations) };
        let is_of_kind = |known: &&Group| known.is_in() == group.is_in() && **known != others;
        if self.groups.keys().filter(is_of_kind).count() < room { group } else { others }
    }

    /// Hands over means, and begins anew. Groups keep their names. How many looks they are of comes first.
    pub fn take(&mut self) -> (u32, Vec<Mean>) {
        let looks = std::mem::take(&mut self.looks);
        let means = self.groups.iter_mut().map(|(group, sums)| sums.take(group, looks)).collect();
        (looks, means)
    }
}

impl GroupSums {
    fn take(&mut self, group: &Group, looks: u32) -> Mean {
        let n = f64::from(looks.max(1));
        let total = std::mem::take(&mut self.total);
        let squares = std::mem::take(&mut self.squares);
        self.limits.busy_us += total.limits.busy_us;
        self.limits.client_us += total.limits.client_us;
        self.limits.buffer_us += total.limits.buffer_us;
        self.segments += total.segments;
        let mut stages = [(0.0, 0.0); STAGES];
        for ((stage, sum), square) in stages.iter_mut().zip(total.stages).zip(squares) {
            let mean = sum / n;
            // Of a sample: the deviations from its own mean are too small by (n - 1) / n.
            let variance = (square / n - mean * mean) * n / (n - 1.0).max(1.0);
            *stage = (mean, variance.max(0.0).sqrt());
        }
        let (tied, silent) = (total.tied / n, total.silent / n);
        Mean { group: group.to_string(), stages, tied, silent, limits: self.limits, segments: self.segments }
    }
}

impl Mean {
    /// The mean number of sockets in a stage.
    #[must_use]
    pub fn in_stage(&self, stage: Stage) -> f64 {
        self.stages[stage as usize].0
    }

    /// The mean number of sockets in all stages.
    #[must_use]
    pub fn sockets(&self) -> f64 {
        NAMES.iter().map(|(stage, _)| self.in_stage(*stage)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages::rhythm::Rhythm;
    use crate::stages::turn::Turn;
    use proptest::prelude::*;

    const ALL: Most = Most { destinations: 100, ports: 100 };

    fn verdict(stage: Stage, is_tied: bool) -> Verdict {
        Verdict { stage, is_tied, turn: Turn::Sent, rhythm: Rhythm::default() }
    }

    fn look(groups: &[(Group, &[(Stage, bool)])]) -> Counts {
        let mut counts = Counts::default();
        for (group, sockets) in groups {
            let count = counts.entry(group.clone()).or_default();
            sockets.iter().for_each(|(stage, is_tied)| count.add(verdict(*stage, *is_tied)));
        }
        counts
    }

    #[test]
    fn a_tie_is_split_and_told() {
        let mut sums = Sums::default();
        sums.add(look(&[(Group::In(80), &[(Stage::InHand, true), (Stage::InHand, false)])]), ALL);
        let (looks, means) = sums.take();
        assert_eq!((looks, means.len()), (1, 1));
        let stages = (means[0].in_stage(Stage::InHand), means[0].in_stage(Stage::Idle), means[0].tied);
        assert_eq!(stages, (1.5, 0.5, 1.0));
    }

    #[test]
    fn a_look_without_sockets_counts_as_zero_and_what_was_taken_is_gone() {
        let mut sums = Sums::default();
        sums.add(look(&[(Group::In(80), &[(Stage::Unread, false); 4])]), ALL);
        sums.add(look(&[]), ALL);
        let (looks, means) = sums.take();
        assert_eq!((looks, means[0].stages[Stage::Unread as usize]), (2, (2.0, 8_f64.sqrt())));
        let (looks, means) = sums.take();
        assert_eq!((looks, means[0].sockets()), (0, 0.0), "it keeps its name");
    }

    #[test]
    fn groups_beyond_the_allowed_number_are_others_and_the_busiest_have_names() {
        let end = |port| Group::Out(End { address: std::net::Ipv4Addr::LOCALHOST.into(), port });
        let few = Most { destinations: 1, ports: 1 };
        let mut sums = Sums::default();
        let one = &[(Stage::Awaiting, false)][..];
        let two = &[(Stage::Awaiting, false); 2][..];
        sums.add(look(&[(end(1), one), (end(2), two), (end(3), one), (Group::In(80), one)]), few);
        sums.add(look(&[(Group::In(81), one), (Group::In(80), one)]), few);
        let means: Vec<_> =
            sums.take().1.into_iter().map(|mean| (mean.group.clone(), mean.sockets() * 2.0)).collect();
        let expected = [("in:80", 2.0), ("out:127.0.0.1:2", 2.0), ("in:others", 1.0), ("out:others", 2.0)];
        assert_eq!(means, expected.map(|(name, n)| (name.to_owned(), n)));
    }

    proptest! {
        #[test]
        fn stages_add_up_to_the_sockets_however_they_are_folded(
            looks in prop::collection::vec(
                prop::collection::vec((0_u16..6, 0_usize..STAGES, any::<bool>()), 0..30), 1..20),
            ports in 0_usize..8,
        ) {
            let mut sums = Sums::default();
            let mut sockets = 0.0;
            for seen in &looks {
                let mut counts = Counts::default();
                for (port, stage, is_tied) in seen {
                    counts.entry(Group::In(*port)).or_default().add(verdict(NAMES[*stage].0, *is_tied));
                    sockets += 1.0;
                }
                sums.add(counts, Most { destinations: 0, ports });
            }
            let (n, means) = sums.take();
            prop_assert_eq!(n as usize, looks.len());
            prop_assert!(means.len() <= ports + 1);
            let total: f64 = means.iter().map(Mean::sockets).sum();
            prop_assert!((total * f64::from(n) - sockets).abs() < 1e-6);
        }
    }
}
