//! User who asks: variables, cookies, token, cache, and random numbers of their own.

use super::LoginMark;
use super::cache::{Cache, Lookup};
use super::cookies::Jar;
use super::feed::{Drawn, GroupId};
use super::grpc::Misfit;
use super::login::Token;
use super::passage::Round;
use super::redirect::Trail;
use super::worth::Worth;
use loadrig_core::rng::{Purpose, Rng};

/// A user: variables, cookies, token, cache. In the open model several of its walks may be under way
/// at a time.
#[derive(Debug)]
pub struct User {
    pub(super) index: u64,
    pub(super) variables: Vec<Variable>,
    pub(super) jar: Jar,
    pub(super) token: Token,
    /// None where the plan has no cache.
    pub(super) cache: Option<Box<Cache>>,
    /// Draws of this user so far from each feed that begins anew for every user.
    turns: Vec<u64>,
    // One stream for each purpose: what a user asks does not depend on how long it thinks.
    pub(super) picks: Rng,
    pub(super) thinks: Rng,
    pub(super) feeds: Rng,
    pub(super) renewals: Rng,
}

/// A value taken from an answer; none until then, and none once a later answer lacks it.
#[derive(Debug, Clone, Default)]
pub(super) struct Variable {
    pub(super) worth: Worth,
    pub(super) value: Vec<u8>,
}

impl Variable {
    /// Whether it has a value.
    pub(super) const fn is_set(&self) -> bool {
        self.worth.is_value()
    }
}

/// Number of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VariableId(pub(super) usize);

impl User {
    pub(super) fn new(seed: u64, index: u64, variables: usize) -> Self {
        Self {
            index,
            variables: vec![Variable::default(); variables],
            jar: Jar::default(),
            token: Token::default(),
            cache: None,
            turns: Vec::new(),
            picks: Rng::stream(seed, Purpose::Scenarios, index),
            thinks: Rng::stream(seed, Purpose::Think, index),
            feeds: Rng::stream(seed, Purpose::Feeds, index),
            renewals: Rng::stream(seed, Purpose::Renewals, index),
        }
    }

    /// The user's draws so far from the feed with this number, before one more.
    pub(super) fn turn(&mut self, feed: usize) -> u64 {
        if self.turns.len() <= feed {
            self.turns.resize(feed + 1, 0);
        }
        let turn = self.turns[feed];
        self.turns[feed] += 1;
        turn
    }

    /// Has a token from now on; see [`Token::gained`].
    pub(super) fn gained(&mut self, now_ns: u64, lasts_ns: Option<u64>, jitter: f64) -> LoginMark {
        // Drawn only where it is asked for: no other load changes by it.
        let early = if jitter > 0.0 { jitter * self.renewals.unit() } else { 0.0 };
        self.token.gained(now_ns, lasts_ns, early)
    }

    /// Takes the value away; its memory stays for the next one.
    pub(super) fn unset(&mut self, variable: VariableId) {
        self.variables[variable.0].worth = Worth::Missing;
    }
}

/// A loop of a user through a scenario: where it stands, and its request under way. A walk has
/// at most one request at a time.
#[derive(Debug, Default)]
pub struct Walk {
    /// Number of the arrival, the session or the user that walks, over all shards.
    pub(super) arrival: u64,
    pub(super) scenario: usize,
    pub(super) position: usize,
    /// Steps that this loop has made.
    pub(super) made: u64,
    /// Those of them that the cache has answered.
    pub(super) reused: u64,
    /// Whether its position is that of the step that it makes next, decided by the answers so far.
    pub(super) is_settled: bool,
    /// Whether its latest request, a login left aside, came to nothing.
    pub(super) has_failed: bool,
    /// Where it stands with each passage of its scenario.
    pub(super) rounds: Vec<Round>,
    /// The step before which it ends, if it is not the whole of the scenario.
    pub(super) until: Option<usize>,
    /// Values of the feeds that are drawn once a loop, as far as this loop has needed them.
    pub(super) held: Vec<(GroupId, Drawn)>,
    /// Token that the request under way carries.
    pub(super) generation: u32,
    /// A hole of the request under way that had no value.
    pub(super) unset: Option<VariableId>,
    /// Reason why the message of the call under way could not be made, so that an empty one was sent.
    pub(super) unmade: Option<Misfit>,
    /// Number of the server that the request under way goes to.
    pub(super) server: usize,
    /// The target of the request under way, where the route does not say it all.
    pub(super) target: Vec<u8>,
    /// Only for routes that follow redirects.
    pub(super) trail: Option<Box<Trail>>,
    /// The request under way as the cache sees it; only where the plan has one.
    pub(super) lookup: Option<Box<Lookup>>,
}

impl Walk {
    /// Number of the server that the request under way goes to, once it was composed.
    pub(crate) fn server(&self) -> usize {
        self.server
    }
}
