//! Instant at which visitors come: the arrival models, as one thread sees them.

use loadrig_core::schedule::{Arrival, Arrivals, Gaps, Line, Listed, Shard, Spaced, Stay, Stays, Users};
use loadrig_core::units::{ns_from_s, s_from_ns};

use crate::config::{self, EngineConfig, Point, Spacing};
use crate::slab::NONE;

/// The arrival model of one thread.
pub(super) enum Model {
    /// Users that wait for their answers.
    Closed(Closed),
    /// Arrivals that wait for nothing.
    Open(Open),
    /// Arrivals that then behave like users.
    Sessions(Sessions),
}

/// The closed model.
pub(super) struct Closed {
    pub users: Users,
    pub slots: Vec<Slot>,
    /// Instant at which the number of users changes next, in ns from the start.
    pub change_ns: Option<u64>,
    /// Users that are there.
    pub here: u64,
    pub loops: u64,
    pub shard: Shard,
}

/// A place for a user of the closed model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// Empty.
    Away,
    /// Taken by this visitor.
    Here(u32),
    /// Its user has made all its loops.
    Done,
}

/// The open model.
pub(super) struct Open {
    pub coming: Coming,
    /// Users that the arrivals are shared out to.
    pub identities: u64,
    /// Number of each of them, NONE until it is needed first.
    pub people: Vec<u32>,
    /// Whether the arrivals are a list, which has an end.
    pub is_list: bool,
}

/// The partly open model.
pub(super) struct Sessions {
    pub coming: Coming,
    pub stays: Stays,
    /// Sessions that are there.
    pub here: u64,
}

/// Arrivals, with a look at the next one.
pub(super) struct Coming {
    arrivals: Arrivals,
    next: Option<Arrival>,
}

impl Coming {
    fn new(arrivals: Arrivals) -> Self {
        let next = arrivals.due();
        Self { arrivals, next }
    }

    /// From this time on arrivals come at this rate.
    pub(super) fn turn(&mut self, t_s: f64, level: f64) {
        self.arrivals.turn(t_s, level);
        self.next = self.arrivals.due();
    }

    /// Instant at which the next arrival is due, in ns from the start.
    #[inline]
    pub(super) fn next_ns(&self) -> Option<u64> {
        Some(self.next?.due_ns)
    }

    /// Takes the next arrival.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Arrival> {
        let taken = self.arrivals.next();
        self.next = self.arrivals.due();
        taken
    }
}

impl Model {
    pub(super) fn new(config: &EngineConfig, shard: Shard) -> Self {
        let spaced = |points: &[Point], spacing: Spacing| {
            let gaps = match spacing {
                Spacing::Constant => Gaps::Constant,
                Spacing::Poisson => Gaps::Poisson,
            };
            Coming::new(Arrivals::Spaced(Spaced::new(line(points), gaps, config.seed, shard)))
        };
        match &config.arrivals {
            config::Arrivals::Users { line: points, loops } => Self::Closed(Closed {
                users: Users::new(line(points), shard),
                slots: Vec::new(),
                change_ns: Some(0),
                here: 0,
                loops: loops.unwrap_or(u64::MAX),
                shard,
            }),
            config::Arrivals::Rate { line, spacing, identities } => Self::Open(Open {
                coming: spaced(line, *spacing),
                identities: *identities,
                people: Vec::new(),
                is_list: false,
            }),
            config::Arrivals::Replay { times_s, .. } => Self::Open(Open {
                coming: Coming::new(Arrivals::Listed(Listed::new(times_s.as_slice().into(), shard))),
                identities: 1,
                people: Vec::new(),
                is_list: true,
            }),
            config::Arrivals::Sessions { line, spacing, loops, stay } => {
                let stay = loops.map_or_else(|| Stay::Chance(stay.unwrap_or(0.0)), Stay::Loops);
                let stays = Stays::new(stay, config.seed, shard);
                Self::Sessions(Sessions { coming: spaced(line, *spacing), stays, here: 0 })
            }
        }
    }

    /// Arrivals, where there are any.
    pub(super) fn coming(&mut self) -> Option<&mut Coming> {
        match self {
            Self::Closed(_) => None,
            Self::Open(open) => Some(&mut open.coming),
            Self::Sessions(sessions) => Some(&mut sessions.coming),
        }
    }

    /// From this time on the load has this level.
    pub(super) fn turn(&mut self, at_ns: u64, level: f64) {
        let t_s = s_from_ns(at_ns);
        match self {
            Self::Closed(closed) => {
                closed.users.turn(t_s, level);
                closed.change_ns = Some(closed.change_ns.map_or(at_ns, |change_ns| change_ns.min(at_ns)));
            }
            Self::Open(open) => open.coming.turn(t_s, level),
            Self::Sessions(sessions) => sessions.coming.turn(t_s, level),
        }
    }

    /// Instant at which something happens by itself next, in ns from the start.
    #[inline]
    pub(super) fn next_ns(&self) -> Option<u64> {
        match self {
            Self::Closed(closed) => closed.change_ns,
            Self::Open(open) => open.coming.next_ns(),
            Self::Sessions(sessions) => sessions.coming.next_ns(),
        }
    }

    /// Users of the closed model in this thread at most; 0 in the others.
    pub(super) fn users_most(&self, config: &EngineConfig) -> u64 {
        let Self::Closed(closed) = self else { return 0 };
        let told = Users::new(Line::level(config.level_most.unwrap_or(0.0)), closed.shard);
        closed.users.most().max(told.most())
    }

    /// Users that are there.
    pub(super) fn users(&self) -> u64 {
        match self {
            Self::Closed(closed) => closed.here,
            Self::Open(_) | Self::Sessions(_) => 0,
        }
    }

    /// Sessions that are there.
    pub(super) fn sessions(&self) -> u64 {
        match self {
            Self::Sessions(sessions) => sessions.here,
            Self::Open(_) | Self::Closed(_) => 0,
        }
    }
}

impl Open {
    /// Place to remember which person has this identity.
    pub(super) fn person(&mut self, n: u64) -> (u64, &mut u32) {
        let identity = n % self.identities;
        let place = usize::try_from(identity).unwrap_or(usize::MAX - 1);
        if place >= self.people.len() {
            self.people.resize(place + 1, NONE);
        }
        (identity, &mut self.people[place])
    }
}

/// The first arrivals of a generator, in order of time, until its time is over; `most` of each thread at most.
///
/// A limit of requests is not looked at, as not every session makes as many. None of a closed load: there a
/// request is due when the answer before it has come.
pub(crate) fn due(config: &EngineConfig, most: usize) -> Vec<Arrival> {
    let end_ns = ns_from_s(config.stop.after_s);
    let mut all = Vec::new();
    for shard in config.shards() {
        let mut model = Model::new(config, shard);
        if let Some(coming) = model.coming() {
            let own = std::iter::from_fn(|| coming.take());
            all.extend(own.take_while(|arrival| arrival.due_ns < end_ns).take(most));
        }
    }
    all.sort_unstable_by_key(|arrival| (arrival.due_ns, arrival.n));
    all
}

/// The line through the points of a config.
pub(crate) fn line(points: &[Point]) -> Line {
    let points: Vec<(f64, f64)> = points.iter().map(|point| (point.t_s, point.level)).collect();
    Line::new(&points)
}
