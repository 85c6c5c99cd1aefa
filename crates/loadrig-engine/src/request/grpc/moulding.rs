//! From a template in JSON and a message type to a [`Mould`].

use super::mould::{Field, Mould, Step, made};
use super::protos::nearest;
use super::scalar;
use crate::config::{Refusal, quoted, without_place};
use crate::request::encode::Place;
use crate::request::parts::{HoleSource, Names, Part, PartList};
use prost_reflect::prost::Message as _;
use prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value};

/// Hole n of a template is the character so many after this one while the JSON is taken apart.
/// Plane 15 is meant for such private use.
const FIRST_MARK: u32 = 0xF_0000;

/// Mistake, and its place in the message: `$.items[0].id`.
struct Wrong {
    place: String,
    what: String,
}

/// Takes a message apart.
struct Moulder {
    holes: Vec<HoleSource>,
}

impl Mould {
    /// Compiles the template at `place` (its JSON path) for a message type.
    ///
    /// Refuses what is no JSON and what the type has no field for.
    pub(in crate::request) fn compile(
        template: &str,
        message: &MessageDescriptor,
        place: &str,
        names: &dyn Names,
    ) -> Result<Self, Refusal> {
        let refused = |what: String, mend: &str| Refusal::new("engine.grpc-message", what, place, mend);
        let json = PartList::of(template, Place::Json, place, names)?.parts;
        let mut moulder = Moulder { holes: Vec::new() };
        let marked = moulder.marked(&json);
        let Some(marked) = marked else {
            let what = format!("{} has characters of plane 15, where holes are kept", quoted(template));
            return Err(refused(what, "use other characters, or a hole for them")
                .worded("message_of_plane_15", [("message", quoted(template))]));
        };
        let value: Value = serde_json::from_str(&marked).map_err(|error| {
            let what = format!("the message {} is no JSON: {}", quoted(template), without_place(&error));
            refused(what, "write it in JSON, holes between quotes: a number may be written as a text")
                .worded("message_no_json", [("message", quoted(template)), ("reason", without_place(&error))])
        })?;
        let steps = moulder.message(message, &value, "$").map_err(|wrong| {
            let mend = format!("write it as {} has it in its .proto file", message.full_name());
            refused(format!("the message does not fit at {}: {}", wrong.place, wrong.what), &mend).worded(
                "message_does_not_fit",
                [
                    ("place", wrong.place.clone()),
                    ("reason", wrong.what.clone()),
                    ("message", message.full_name().to_owned()),
                ],
            )
        })?;
        Ok(Self::new(json, steps))
    }
}

impl Moulder {
    /// The JSON with a mark for each hole. None if it has such characters of its own.
    fn marked(&mut self, json: &[Part]) -> Option<String> {
        let mut marked = String::new();
        for part in json {
            match part {
                Part::Bytes(text) => {
                    let text = String::from_utf8_lossy(text);
                    // The escapes of plane 15 and 16 begin with \udb.
                    let is_taken = text.to_ascii_lowercase().contains("\\udb")
                        || text.chars().any(|letter| u32::from(letter) >= FIRST_MARK);
                    if is_taken {
                        return None;
                    }
                    marked.push_str(&text);
                }
                Part::Hole(source, _) => {
                    marked.push(char::from_u32(FIRST_MARK + u32::try_from(self.holes.len()).ok()?)?);
                    self.holes.push(*source);
                }
            }
        }
        Some(marked)
    }

    /// The pieces of a text with holes.
    fn parts(&self, text: &str, place: Place) -> Vec<Part> {
        let mut list = PartList::default();
        let mut rest = text;
        while let Some(at) = rest.find(is_mark) {
            let (before, from_mark) = rest.split_at(at);
            list.text(before.as_bytes());
            let mut letters = from_mark.chars();
            let hole = letters.next().and_then(|mark| u32::from(mark).checked_sub(FIRST_MARK));
            let hole = hole.and_then(|hole| usize::try_from(hole).ok());
            // Every mark was made for a hole.
            let source = hole.and_then(|hole| self.holes.get(hole));
            list.parts.extend(source.map(|source| Part::Hole(*source, place)));
            rest = letters.as_str();
        }
        list.text(rest.as_bytes());
        list.parts
    }

    /// The content of a message whose JSON stands `at`. What has no holes is taken apart only if it
    /// does not fit, to find the place.
    fn message(&self, message: &MessageDescriptor, value: &Value, at: &str) -> Result<Vec<Step>, Wrong> {
        let still = fixed(message, value, at);
        if !has_holes(value) && (still.is_ok() || is_of_its_own_kind(message) || !value.is_object()) {
            return still;
        }
        if is_of_its_own_kind(message) {
            return Ok(vec![self.whole(message, value)]);
        }
        let Value::Object(members) = value else {
            return Err(wrong(at, format!("{} is wanted here, in braces", message.full_name())));
        };
        if members.keys().any(|name| message.get_extension_by_json_name(name).is_some()) {
            return Ok(vec![self.whole(message, value)]);
        }
        let mut still = Map::new();
        let mut moving = Vec::new();
        let mut choices = Vec::new();
        for (name, value) in members {
            let at = format!("{at}.{name}");
            let field = field(message, name, &at)?;
            if let Some(choice) = field.containing_oneof().filter(|_| !value.is_null()) {
                if choices.contains(&choice) {
                    return Err(wrong(&at, format!("{} already has another value", choice.full_name())));
                }
                choices.push(choice);
            }
            if has_holes(value) {
                moving.push((field, value, at));
            } else if let Err(wrong) = fixed(message, &object(name, value), &at) {
                // Deeper down it may have a place of its own.
                self.field(message, &field, value, &at, &mut Vec::new())?;
                return Err(wrong);
            } else {
                still.insert(name.clone(), value.clone());
            }
        }
        let mut steps = fixed(message, &Value::Object(still), at)?;
        moving.sort_by_key(|(field, ..)| field.number());
        for (field, value, at) in moving {
            self.field(message, &field, value, &at, &mut steps)?;
        }
        Ok(steps)
    }

    /// A field with holes in its value.
    fn field(
        &self,
        message: &MessageDescriptor,
        field: &FieldDescriptor,
        value: &Value,
        at: &str,
        steps: &mut Vec<Step>,
    ) -> Result<(), Wrong> {
        match (value, field.kind()) {
            (Value::Object(entries), Kind::Message(entry)) if field.is_map() => {
                for (name, value) in entries {
                    let at = format!("{at}.{name}");
                    if has_marks(name) || has_holes(value) {
                        let key = match (entry.map_entry_key_field().kind(), name.parse()) {
                            (Kind::Bool, Ok(is_true)) => Value::Bool(is_true),
                            _ => Value::String(name.clone()),
                        };
                        let both =
                            Map::from_iter([("key".to_owned(), key), ("value".to_owned(), value.clone())]);
                        let inner = self.message(&entry, &Value::Object(both), &at)?;
                        steps.push(Step::Delimited(scalar::key(field.number(), scalar::DELIMITED), inner));
                    } else {
                        steps.extend(fixed(message, &object(field.name(), &object(name, value)), &at)?);
                    }
                }
                Ok(())
            }
            (_, _) if field.is_map() => Err(wrong(at, "a map is wanted here, in braces")),
            (Value::Array(items), _) if field.is_list() => {
                for (n, item) in items.iter().enumerate() {
                    let at = format!("{at}[{n}]");
                    if has_holes(item) {
                        self.single(field, item, &at, steps)?;
                    } else {
                        // A list may come in several stretches, packed or not.
                        let list = Value::Array(vec![item.clone()]);
                        steps.extend(fixed(message, &object(field.name(), &list), &at).or_else(|wrong| {
                            self.single(field, item, &at, &mut Vec::new())?;
                            Err(wrong)
                        })?);
                    }
                }
                Ok(())
            }
            (_, _) if field.is_list() => Err(wrong(at, "a list is wanted here, in brackets")),
            _ => self.single(field, value, at, steps),
        }
    }

    /// A value with holes.
    fn single(
        &self,
        field: &FieldDescriptor,
        value: &Value,
        at: &str,
        steps: &mut Vec<Step>,
    ) -> Result<(), Wrong> {
        let key = |wire| scalar::key(field.number(), wire);
        match (field.kind(), value) {
            (Kind::Message(message), _) if field.is_group() => {
                steps.push(Step::Fixed(key(scalar::GROUP_START)));
                steps.extend(self.message(&message, value, at)?);
                steps.push(Step::Fixed(key(scalar::GROUP_END)));
            }
            (Kind::Message(message), _) => {
                let inner = self.message(&message, value, at)?;
                steps.push(Step::Delimited(key(scalar::DELIMITED), inner));
            }
            (kind, Value::String(text)) => {
                let place = if kind == Kind::String { Place::Utf8 } else { Place::Plain };
                steps.push(Step::Field(Field {
                    key: key(scalar::wire(&kind)),
                    // In a list also a value of zero is one.
                    has_presence: field.supports_presence() || field.is_list(),
                    parts: self.parts(text, place),
                    name: field.full_name().into(),
                    kind,
                }));
            }
            (kind, _) => return Err(wrong(at, format!("{} is wanted here", scalar::name(&kind)))),
        }
        Ok(())
    }

    /// A message that is made from its JSON in each request.
    fn whole(&self, message: &MessageDescriptor, value: &Value) -> Step {
        Step::Whole(message.clone(), self.parts(&value.to_string(), Place::Json))
    }
}

fn wrong(place: &str, what: impl Into<String>) -> Wrong {
    // A hole in a name has no name here.
    Wrong { place: place.replace(is_mark, "{…}"), what: what.into() }
}

/// A member of a message that has holes or is one of its fields.
fn field(message: &MessageDescriptor, name: &str, at: &str) -> Result<FieldDescriptor, Wrong> {
    let found = message.get_field_by_json_name(name).or_else(|| message.get_field_by_name(name));
    found.ok_or_else(|| {
        let known: Vec<_> = message.fields().map(|field| field.json_name().to_owned()).collect();
        let near = nearest(name, known.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        wrong(at, format!("{} has no such field{near}", message.full_name()))
    })
}

/// The content of a message without holes.
fn fixed(message: &MessageDescriptor, value: &Value, at: &str) -> Result<Vec<Step>, Wrong> {
    let made = made(message, value.to_string().as_bytes()).map_err(|reason| wrong(at, reason))?;
    let bytes = made.encode_to_vec();
    Ok(if bytes.is_empty() { Vec::new() } else { vec![Step::Fixed(bytes.into())] })
}

fn object(name: &str, value: &Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value.clone())]))
}

/// Whether the JSON of a message is not simply an object of its fields.
fn is_of_its_own_kind(message: &MessageDescriptor) -> bool {
    message.package_name() == "google.protobuf"
}

fn is_mark(letter: char) -> bool {
    u32::from(letter) >= FIRST_MARK
}

fn has_marks(text: &str) -> bool {
    text.contains(is_mark)
}

fn has_holes(value: &Value) -> bool {
    match value {
        Value::String(text) => has_marks(text),
        Value::Array(items) => items.iter().any(has_holes),
        Value::Object(members) => members.iter().any(|(name, value)| has_marks(name) || has_holes(value)),
        _ => false,
    }
}
