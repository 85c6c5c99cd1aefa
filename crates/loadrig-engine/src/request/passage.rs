//! Steps of a scenario that are made, or made again, as the user's variables say.

use super::comparison::Comparison;
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

/// Clauses that must all be true, or of which one must not be.
#[derive(Debug)]
struct Condition {
    clauses: Vec<Vec<Test>>,
    holds: bool,
}

/// Part of a clause, of which one that is true will do.
#[derive(Debug)]
enum Test {
    Variable { variable: VariableId, comparison: Comparison },
    Latest { is_good: bool },
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
        let clauses = condition.terms.iter().enumerate().map(|(n, term)| {
            let mut clause = Vec::new();
            Test::collect(term, &format!("{place}.terms[{n}]"), scope, &mut clause).map(|()| clause)
        });
        Ok(Self { clauses: clauses.collect::<Result<_, _>>()?, holds: condition.holds })
    }

    fn is_met(&self, user: &User, walk: &Walk) -> bool {
        let all = self.clauses.iter().all(|clause| clause.iter().any(|test| test.is_true(user, walk)));
        all == self.holds
    }
}

impl Test {
    /// Adds a term and its alternatives to a clause.
    fn collect(
        term: &config::Term,
        place: &str,
        scope: &Scope<'_>,
        clause: &mut Vec<Self>,
    ) -> Result<(), Refusal> {
        clause.push(Self::compile(term, place, scope)?);
        for (n, other) in term.alternatives.iter().enumerate() {
            Self::collect(other, &format!("{place}.alternatives[{n}]"), scope, clause)?;
        }
        Ok(())
    }

    fn compile(term: &config::Term, place: &str, scope: &Scope<'_>) -> Result<Self, Refusal> {
        let Some(name) = &term.variable else {
            return Ok(Self::Latest { is_good: term.equal });
        };
        let variable = scope.variable(name).ok_or_else(|| {
            Refusal::config(format!("no route extracts {name:?}"), format!("{place}.variable"))
        })?;
        let comparison = Comparison::compile(&term.value, term.equal, term.order, term.has, place)?;
        Ok(Self::Variable { variable, comparison })
    }

    fn is_true(&self, user: &User, walk: &Walk) -> bool {
        match self {
            Self::Variable { variable, comparison } => {
                let variable = &user.variables[variable.0];
                comparison.holds(variable.worth, &variable.value)
            }
            Self::Latest { is_good } => walk.has_failed != *is_good,
        }
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
                enter.is_some_and(|enter| !enter.is_met(user, walk))
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
        let round = walk.rounds[n];
        let goes_on = passage.again.as_ref().is_some_and(|again| {
            round.number + 1 < again.most && round.made < walk.made && again.when.is_met(user, walk)
        });
        walk.rounds[n] =
            if goes_on { Round { number: round.number + 1, made: walk.made } } else { Round::default() };
        goes_on
    }
}
