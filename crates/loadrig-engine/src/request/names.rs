//! Meanings of the names of holes, settled once when a config is compiled.

use super::feed::Feeds;
use super::parts::{HoleSource, Names};
use super::user::VariableId;
use crate::config::{EngineConfig, Refusal};

/// The hole that needs no feed: the user's index, from 0, unless the plan gives the name to
/// something of its own.
const USER: &str = "user";

/// Number of letters that may be wrong for a name to be worth proposing: two thirds of them right.
const NEAR: f64 = 0.66;

/// All names of a config.
pub(super) struct Scope<'a> {
    feeds: &'a Feeds,
    variables: &'a [String],
}

/// The variables that the routes take from answers, each name once.
///
/// Refuses a variable that bears the name of a feed: one of the two would never be seen.
pub(super) fn variables(config: &EngineConfig, feeds: &Feeds) -> Result<Vec<String>, Refusal> {
    let mut names: Vec<String> = Vec::new();
    for (n, route) in config.routes.iter().enumerate() {
        for (m, extract) in route.extract.iter().enumerate() {
            if feeds.column(&extract.into).is_some() {
                return Err(Refusal::new(
                    "engine.name-taken",
                    format!("{:?} is both a feed and extracted by the route {:?}", extract.into, route.name),
                    format!("routes[{n}].extract[{m}].into"),
                    "give one of the two another name",
                )
                .worded(
                    "name_taken",
                    [("name", format!("{:?}", extract.into)), ("route", format!("{:?}", route.name))],
                ));
            }
            if !names.contains(&extract.into) {
                names.push(extract.into.clone());
            }
        }
    }
    Ok(names)
}

impl<'a> Scope<'a> {
    pub(super) fn new(feeds: &'a Feeds, variables: &'a [String]) -> Self {
        Self { feeds, variables }
    }

    /// Variable that bears a name.
    pub(super) fn variable(&self, name: &str) -> Option<VariableId> {
        self.variables.iter().position(|variable| variable == name).map(VariableId)
    }

    fn nearest(&self, hole: &str) -> Option<&str> {
        let known = self.feeds.names().chain(self.variables.iter().map(String::as_str)).chain([USER]);
        let scored = known.map(|name| (strsim::normalized_damerau_levenshtein(name, hole), name));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (best.0 >= NEAR).then_some(best.1)
    }
}

impl Names for Scope<'_> {
    fn source(&self, hole: &str, place: &str) -> Result<HoleSource, Refusal> {
        if let Some(column) = self.feeds.column(hole) {
            return Ok(HoleSource::Feed(column, self.feeds.group_of(column)));
        }
        if let Some(variable) = self.variable(hole) {
            return Ok(HoleSource::Variable(variable));
        }
        if hole == USER {
            return Ok(HoleSource::User);
        }
        let near = self.nearest(hole);
        let mend = match near {
            Some(name) => {
                format!("did you mean {{{name}}}? if a brace is meant, write it twice: {{{{")
            }
            None => {
                "name a feed or an extracted variable; if a brace is meant, write it twice: {{".to_owned()
            }
        };
        let what = format!("nothing fills the hole {{{hole}}}: no feed and no extraction bears that name");
        Err(Refusal::new("engine.unknown-hole", what, place, mend).worded(
            "unknown_hole",
            [("hole", hole.to_owned()), ("near", near.unwrap_or_default().to_owned())],
        ))
    }
}
