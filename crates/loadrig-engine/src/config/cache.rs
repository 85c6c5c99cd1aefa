//! Cache of each user.

use serde::Deserialize;

/// A private cache (RFC 9111), of which a user has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Answers that it keeps at most; those to requests with other headers count apart.
    pub entries: u32,
    /// What becomes of a request whose answer is fresh.
    pub fresh: Freshness,
    /// How long answers are kept.
    pub lasts: Keeping,
}

/// What becomes of a request whose answer is fresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Freshness {
    /// It is not made.
    Reuse,
    /// It asks whether the answer still holds.
    Validate,
}

/// How long answers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeping {
    /// As long as the user is there.
    User,
    /// For a loop through a scenario.
    Loop,
}
