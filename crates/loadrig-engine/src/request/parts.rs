//! Templates compiled: stretches of bytes and holes that know where their values come from.

use super::encode::{Place, put};
use super::feed::{ColumnId, Feeds, GroupId};
use super::template::{self, Piece};
use super::user::{User, VariableId};
use crate::config::{Refusal, quoted};
use std::io::Write as _;

/// Dictionary of what the names of holes stand for.
pub(super) trait Names {
    /// The source of a hole's values; a refusal if there is none.
    fn source(&self, hole: &str, place: &str) -> Result<HoleSource, Refusal>;
}

/// Source of a hole's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoleSource {
    /// A column of a feed, and what must be drawn for it.
    Feed(ColumnId, GroupId),
    /// A value taken from an answer.
    Variable(VariableId),
    /// The user's index.
    User,
}

/// A stretch of a request.
#[derive(Debug)]
pub(super) enum Part {
    /// Sent as they are.
    Bytes(Box<[u8]>),
    /// Filled anew in each request, encoded for its place.
    Hole(HoleSource, Place),
}

/// Puts values into holes, and remembers a hole that had none.
pub(super) struct Filler<'a> {
    pub(super) feeds: &'a Feeds,
    pub(super) user: &'a User,
    /// The last hole that had none.
    pub(super) unset: Option<VariableId>,
    /// Names of the variables, if one without a value is to be shown by its name.
    pub(super) shows: Option<&'a [String]>,
}

impl Filler<'_> {
    /// Appends the parts, their holes filled.
    pub(super) fn fill(&mut self, parts: &[Part], out: &mut Vec<u8>) {
        for part in parts {
            match part {
                Part::Bytes(bytes) => out.extend_from_slice(bytes),
                Part::Hole(HoleSource::Feed(column, _), place) => {
                    self.feeds.put(*column, out, |value, out| put(*place, value, out));
                }
                Part::Hole(HoleSource::User, place) => {
                    if *place == Place::TargetStart {
                        out.push(b'/');
                    }
                    // Writing into a Vec cannot fail; digits need no encoding anywhere.
                    let _ = write!(out, "{}", self.user.index);
                }
                Part::Hole(HoleSource::Variable(variable), place) => {
                    let known = &self.user.variables[variable.0];
                    if known.is_set() {
                        put(*place, &known.value, out);
                    } else if let Some(names) = self.shows {
                        let _ = write!(out, "{{{}}}", names[variable.0]);
                    } else {
                        self.unset = Some(*variable);
                    }
                }
            }
        }
    }
}

/// Parts in the making: neighbouring texts become one.
#[derive(Default)]
pub(super) struct PartList {
    pub(super) parts: Vec<Part>,
}

impl PartList {
    /// Adds text, to a text before it if there is one.
    pub(super) fn text(&mut self, text: &[u8]) {
        if let Some(Part::Bytes(before)) = self.parts.last_mut() {
            *before = [before, text].concat().into();
        } else if !text.is_empty() {
            self.parts.push(Part::Bytes(text.into()));
        }
    }

    /// Adds the parts of another list.
    pub(super) fn append(&mut self, other: Self) {
        for part in other.parts {
            match part {
                Part::Bytes(text) => self.text(&text),
                hole @ Part::Hole(..) => self.parts.push(hole),
            }
        }
    }

    /// Compiles the template at `place` (its JSON path); values go to `hole_place`.
    pub(super) fn of(
        template: &str,
        hole_place: Place,
        place: &str,
        names: &dyn Names,
    ) -> Result<Self, Refusal> {
        let pieces = template::parse(template).map_err(|error| {
            Refusal::new(
                "engine.template",
                format!("{}: {error}", quoted(template)),
                place,
                "write a hole as {name}, and a brace that is meant as itself twice: {{ or }}",
            )
            .worded("wrong_template", [("text", quoted(template)), ("reason", error.to_string())])
        })?;
        let mut list = Self::default();
        for piece in pieces {
            match piece {
                Piece::Text(text) => list.text(text.as_bytes()),
                Piece::Hole(hole) => list.parts.push(Part::Hole(names.source(hole, place)?, hole_place)),
            }
        }
        Ok(list)
    }
}
