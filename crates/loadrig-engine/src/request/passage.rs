//! Steps of a scenario that are made, or made again, as the user's variables say.

use super::names::Scope;
use super::user::{User, VariableId, Walk};
use crate::config::{self, Refusal};
use std::cmp::Reverse;

/// The passages of a scenario, each before those within it.
#[derive(Debug)]
pub(super) struct Passages(Vec<Passage>);

#[derive(Debug)]
struct Passage {
    begin: usize,
    /// The step behind its last.
    end: usize,
    enter: Option<Condition>,
    again: Option<Again>,
}

#[derive(Debug)]
struct Again {
    when: Condition,
    most: u32,
}

#[derive(Debug)]
struct Condition {
    terms: Vec<Term>,
    holds: bool,
}

#[derive(Debug)]
struct Term {
    variable: VariableId,
    value: Box<[u8]>,
    equal: bool,
}

/// Where a walk stands with a passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Round {
    /// Rounds that are over.
    number: u32,
    /// Steps that the walk had made when this round began.
    made: u64,
}

impl Condition {
    fn compile(condition: &config::Condition, place: &str, scope: &Scope<'_>) -> Result<Self, Refusal> {
        let terms = condition.terms.iter().enumerate().map(|(n, term)| {
            let variable = scope.variable(&term.variable).ok_or_else(|| {
                let what = format!("no route extracts {:?}", term.variable);
                Refusal::config(what, format!("{place}.terms[{n}].variable"))
            })?;
            Ok(Term { variable, value: term.value.as_bytes().into(), equal: term.equal })
        });
        Ok(Self { terms: terms.collect::<Result<_, Refusal>>()?, holds: condition.holds })
    }

    fn is_met(&self, user: &User) -> bool {
        let all = self.terms.iter().all(|term| {
            let variable = &user.variables[term.variable.0];
            (variable.is_set && *variable.value == *term.value) == term.equal
        });
        all == self.holds
    }
}

impl Passages {
    /// `place`: that of the scenario.
    pub(super) fn compile(
        scenario: &config::Scenario,
        place: &str,
        scope: &Scope<'_>,
    ) -> Result<Self, Refusal> {
        let mut passages = Vec::new();
        for (n, passage) in scenario.passages.iter().enumerate() {
            let place = format!("{place}.passages[{n}]");
            let enter = passage.enter.as_ref();
            let again = passage.again.as_ref();
            passages.push(Passage {
                begin: passage.first,
                end: passage.last + 1,
                enter: enter
                    .map(|when| Condition::compile(when, &format!("{place}.enter"), scope))
                    .transpose()?,
                again: again
                    .map(|again| {
                        let when = Condition::compile(&again.when, &format!("{place}.again.when"), scope)?;
                        Ok::<_, Refusal>(Again { when, most: again.most })
                    })
                    .transpose()?,
            });
        }
        passages.sort_by_key(|passage| (passage.begin, Reverse(passage.end)));
        Ok(Self(passages))
    }

    /// Puts a walk, which stands behind the step that it made last, before the one that it makes next.
    pub(super) fn settle(&self, user: &User, walk: &mut Walk) {
        walk.rounds.resize(self.0.len(), Round::default());
        // Of the passages that end here, those below this number are at their ends.
        let mut ended = if walk.made == 0 { 0 } else { self.0.len() };
        loop {
            // Of the passages that begin here, those from this number on are at their beginnings.
            let mut begun = 0;
            if let Some(n) = (0..ended).rev().find(|n| self.goes_on(*n, user, walk)) {
                walk.position = self.0[n].begin;
                begun = n + 1;
            }
            let is_left_out = |passage: &Passage| {
                let enter = passage.enter.as_ref().filter(|_| passage.begin == walk.position);
                enter.is_some_and(|enter| !enter.is_met(user))
            };
            let Some(n) = self.0[begun..].iter().position(is_left_out) else { return };
            ended = begun + n;
            walk.position = self.0[ended].end;
        }
    }

    /// Whether a walk at the end of a passage goes through it once more.
    ///
    /// Not after a round without a request: nothing has changed since, and it might never end.
    fn goes_on(&self, n: usize, user: &User, walk: &mut Walk) -> bool {
        let passage = &self.0[n];
        if passage.end != walk.position {
            return false;
        }
        let round = &mut walk.rounds[n];
        let goes_on = passage.again.as_ref().is_some_and(|again| {
            round.number + 1 < again.most && round.made < walk.made && again.when.is_met(user)
        });
        *round = if goes_on { Round { number: round.number + 1, made: walk.made } } else { Round::default() };
        goes_on
    }
}
