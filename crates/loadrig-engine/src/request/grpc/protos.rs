//! The message types that a config's gRPC routes name.

use crate::config::{EngineConfig, Refusal, Route, quoted};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use prost_reflect::{DescriptorPool, MessageDescriptor};

/// Likeness from which on a name is proposed: two thirds of its letters right.
const NEAR: f64 = 0.66;

/// All types of a config.
pub(in crate::request) struct Protos {
    pool: DescriptorPool,
}

/// The types of one route.
pub(in crate::request) struct Call {
    /// Type of the message that is sent.
    pub(in crate::request) request: MessageDescriptor,
    /// Type of the message that is answered.
    pub(in crate::request) reply: MessageDescriptor,
}

impl Protos {
    /// The types of a config; none at all if it brings none.
    pub(in crate::request) fn compile(config: &EngineConfig) -> Result<Self, Refusal> {
        let Some(text) = &config.protos else {
            return Ok(Self { pool: DescriptorPool::default() });
        };
        let wrong = |what: String| {
            Refusal::new(
                "engine.protos",
                what,
                "protos",
                "let loadrig make them: name the .proto files under `protos` of the plan's workload",
            )
        };
        let bytes =
            BASE64.decode(text).map_err(|error| wrong(format!("the protos are not base64: {error}")))?;
        let pool = DescriptorPool::decode(bytes.as_slice())
            .map_err(|error| wrong(format!("the protos are no set of descriptors: {error}")))?;
        Ok(Self { pool })
    }

    /// The types of the route at `place`; none if it is not of gRPC.
    pub(in crate::request) fn call(&self, route: &Route, place: &str) -> Result<Option<Call>, Refusal> {
        let Some((request, reply)) = &route.messages else {
            return Ok(None);
        };
        Ok(Some(Call {
            request: self.message(request, &format!("{place}.messages[0]"))?,
            reply: self.message(reply, &format!("{place}.messages[1]"))?,
        }))
    }

    fn message(&self, name: &str, place: &str) -> Result<MessageDescriptor, Refusal> {
        self.pool.get_message_by_name(name).ok_or_else(|| {
            let known: Vec<_> = self.pool.all_messages().map(|known| known.full_name().to_owned()).collect();
            let near = nearest(name, known.iter().map(String::as_str));
            let mend = match near {
                Some(near) => format!("did you mean {near}?"),
                None => "name the .proto file that has it under `protos` of the plan's workload".to_owned(),
            };
            let what = format!("the protos have no message {}", quoted(name));
            Refusal::new("engine.protos", what, place, mend).worded(
                "protos_without_message",
                [("message", quoted(name)), ("near", near.unwrap_or_default().to_owned())],
            )
        })
    }
}

/// The name that is most like the one given, if any is like it.
pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|other| (strsim::normalized_damerau_levenshtein(other, name), other));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= NEAR).then_some(best.1)
}
