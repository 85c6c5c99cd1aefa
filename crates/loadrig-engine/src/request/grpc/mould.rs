//! A message with holes, taken apart once so that each request only fills them: what is fixed is
//! a copy, and a hole's text goes straight to its place on the wire. Going through JSON and a
//! whole message for each request would cost ten times as much.

use super::{PREFIX, scalar};
use crate::config::{quoted, without_place};
use crate::request::feed::Feeds;
use crate::request::parts::{Filler, HoleSource, Part};
use crate::request::user::User;
use prost_reflect::prost::Message as _;
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor};

/// Recipe of the message of a route.
pub(in crate::request) struct Mould {
    /// The template in JSON, to be shown.
    json: Vec<Part>,
    steps: Vec<Step>,
}

/// A piece of a message, in the order of the wire.
pub(super) enum Step {
    /// Fields without holes.
    Fixed(Box<[u8]>),
    /// A field whose value is a text with holes.
    Field(Field),
    /// Fields that need their length ahead of them.
    Delimited(Box<[u8]>, Vec<Step>),
    /// A message whose JSON is of its own kind (a time, a struct): made from JSON each time.
    Whole(MessageDescriptor, Vec<Part>),
}

/// A field that is filled anew in each request.
pub(super) struct Field {
    pub(super) key: Box<[u8]>,
    pub(super) kind: Kind,
    /// Whether a value of zero is sent, too.
    pub(super) has_presence: bool,
    pub(super) parts: Vec<Part>,
    /// Full name, for those who must mend it.
    pub(super) name: Box<str>,
}

/// A value that does not fit where it belongs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(in crate::request) struct Misfit(pub(super) String);

impl Mould {
    pub(super) fn new(json: Vec<Part>, steps: Vec<Step>) -> Self {
        Self { json, steps }
    }

    /// The template in JSON, with all holes of the message.
    pub(in crate::request) fn json(&self) -> &[Part] {
        &self.json
    }

    /// The message with its prefix, if it has no holes.
    pub(in crate::request) fn fixed(&self) -> Option<Vec<u8>> {
        let message: &[u8] = match self.steps.as_slice() {
            [] => &[],
            [Step::Fixed(message)] => message,
            _ => return None,
        };
        let mut out = vec![0; PREFIX];
        out.extend_from_slice(message);
        announce(&mut out, 0);
        Some(out)
    }

    /// Appends the message with its prefix. If a value does not fit, the message is empty.
    pub(in crate::request) fn put(&self, filler: &mut Filler<'_>, out: &mut Vec<u8>) -> Result<(), Misfit> {
        let start = out.len();
        out.extend_from_slice(&[0; PREFIX]);
        let done = put_all(&self.steps, filler, out);
        if done.is_err() {
            out.truncate(start + PREFIX);
        }
        announce(out, start);
        done
    }

    /// Fills the holes that feeds and the user's index fill, to see whether their values fit.
    pub(in crate::request) fn try_out(&self, feeds: &Feeds, user: &User) -> Result<(), Misfit> {
        let mut filler = Filler { feeds, user, unset: None, shows: None };
        try_all(&self.steps, &mut filler, &mut Vec::new())
    }
}

/// Writes the length of a message into its prefix at `start`.
fn announce(out: &mut [u8], start: usize) {
    // A length that needs more than 32 bits would be that of a plan of 4 GiB.
    let length = u32::try_from(out.len() - start - PREFIX).unwrap_or(u32::MAX);
    out[start + 1..start + PREFIX].copy_from_slice(&length.to_be_bytes());
}

fn put_all(steps: &[Step], filler: &mut Filler<'_>, out: &mut Vec<u8>) -> Result<(), Misfit> {
    for step in steps {
        match step {
            Step::Fixed(bytes) => out.extend_from_slice(bytes),
            Step::Field(field) => field.put(filler, out)?,
            Step::Delimited(key, inner) => {
                out.extend_from_slice(key);
                scalar::delimited(out, |out| put_all(inner, filler, out))?;
            }
            Step::Whole(message, parts) => {
                let start = out.len();
                filler.fill(parts, out);
                let made = made(message, &out[start..]).map_err(|reason| {
                    let json = String::from_utf8_lossy(&out[start..]);
                    Misfit(format!("{} is no {}: {reason}", quoted(&json), message.full_name()))
                })?;
                out.truncate(start);
                made.encode_raw(out);
            }
        }
    }
    Ok(())
}

/// As [`put_all`], but without those steps whose values are not known beforehand.
fn try_all(steps: &[Step], filler: &mut Filler<'_>, room: &mut Vec<u8>) -> Result<(), Misfit> {
    for step in steps {
        match step {
            Step::Delimited(_, inner) => try_all(inner, filler, room)?,
            Step::Field(Field { parts, .. }) | Step::Whole(_, parts) if are_known(parts) => {
                put_all(std::slice::from_ref(step), filler, room)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn are_known(parts: &[Part]) -> bool {
    !parts.iter().any(|part| matches!(part, Part::Hole(HoleSource::Variable(_), _)))
}

/// A message from its JSON. The error says what is wrong with it.
pub(super) fn made(message: &MessageDescriptor, json: &[u8]) -> Result<DynamicMessage, String> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let made = DynamicMessage::deserialize(message.clone(), &mut reader);
    made.and_then(|made| reader.end().map(|()| made)).map_err(|error| without_place(&error))
}

impl Field {
    fn put(&self, filler: &mut Filler<'_>, out: &mut Vec<u8>) -> Result<(), Misfit> {
        let start = out.len();
        out.extend_from_slice(&self.key);
        let at = out.len();
        if self.kind == Kind::String {
            scalar::delimited(out, |out| {
                filler.fill(&self.parts, out);
                Ok::<(), Misfit>(())
            })?;
        } else {
            filler.fill(&self.parts, out);
            let value = std::str::from_utf8(&out[at..]).ok();
            let value = value.and_then(|text| scalar::read(&self.kind, text)).ok_or_else(|| {
                let text = String::from_utf8_lossy(&out[at..]);
                Misfit(format!("{}: {} is no {}", self.name, quoted(&text), scalar::name(&self.kind)))
            })?;
            out.truncate(at);
            value.put(out);
        }
        if !self.has_presence && out[at..].iter().all(|byte| *byte == 0) {
            out.truncate(start);
        }
        Ok(())
    }
}
