//! Result of the answer to a call: its status, and its message as JSON for those who look at it.

use super::PREFIX;
use super::status;
use crate::request::Answer;
use crate::request::inflate::{CAP, InflateError, inflated};
use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions};

/// Fields without presence are shown with their zero: a check that a count is 0 must be possible.
const AS_JSON: SerializeOptions = SerializeOptions::new().skip_default_fields(false);

/// Checks of the answers to a route's calls.
pub(in crate::request) struct Reply {
    message: MessageDescriptor,
    allowed: Vec<u16>,
    /// Whether a check or an extraction looks at the message; else it is not even decoded.
    pub(in crate::request) is_looked_at: bool,
}

/// Mistake in the answer to a call.
#[derive(Debug, thiserror::Error)]
pub(in crate::request) enum CallFault {
    /// The status is missing, or none of those allowed.
    #[error("{0}")]
    Status(String),
    /// The body is not one message.
    #[error("the answer's body has {0} bytes, where one message has at least {PREFIX}")]
    Short(u64),
    /// The length that is announced is not that of the rest of the body.
    #[error("the answer announces a message of {0} bytes, but {1} came")]
    Length(u32, usize),
    /// A first byte that means nothing.
    #[error("the answer's message begins with {0}, which is neither 0 nor 1 (compressed)")]
    Flag(u8),
    /// Compressed, but nothing says how.
    #[error("the answer's message is compressed, but no grpc-encoding says how")]
    Coding,
    /// Compressed, but not so.
    #[error("the answer's message cannot be inflated: {0}")]
    Inflate(#[from] InflateError),
    /// Too large to be looked into.
    #[error("the answer's message has more than {} MiB once inflated", CAP >> 20)]
    Large,
    /// Not a message of this type.
    #[error("the answer is no {0}: {1}")]
    Message(String, String),
}

impl Reply {
    /// allowed: codes that are good; empty allows 0.
    pub(in crate::request) fn new(message: MessageDescriptor, allowed: &[u16]) -> Self {
        let allowed = if allowed.is_empty() { vec![0] } else { allowed.to_vec() };
        Self { message, allowed, is_looked_at: true }
    }

    /// The call's own status, if the answer has one.
    pub(in crate::request) fn status(answer: &Answer<'_>) -> Option<u16> {
        status::code(answer.headers)
    }

    /// The message as JSON, put into `room`; empty if nobody looks at it or the call failed as it
    /// was meant to.
    pub(in crate::request) fn json<'a>(
        &self,
        answer: &Answer<'_>,
        room: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], CallFault> {
        let headers = answer.headers;
        let code = status::code(headers).ok_or_else(|| CallFault::Status(status::none_in_words(headers)))?;
        if !self.allowed.contains(&code) {
            return Err(CallFault::Status(status::in_words(code, headers)));
        }
        if code == 0 && answer.body_bytes < PREFIX as u64 {
            return Err(CallFault::Short(answer.body_bytes));
        }
        if !self.is_looked_at || (code != 0 && answer.body.is_empty()) {
            return Ok(&[]);
        }
        let message = self.decoded(answer, room)?;
        room.clear();
        let mut writer = serde_json::Serializer::new(&mut *room);
        message.serialize_with_options(&mut writer, &AS_JSON).map_err(|error| self.misfit(&error))?;
        Ok(room)
    }

    fn decoded(&self, answer: &Answer<'_>, room: &mut Vec<u8>) -> Result<DynamicMessage, CallFault> {
        let Some((prefix, message)) = answer.body.split_first_chunk::<PREFIX>() else {
            return Err(CallFault::Short(answer.body.len() as u64));
        };
        let [flag, length @ ..] = *prefix;
        let length = u32::from_be_bytes(length);
        if usize::try_from(length) != Ok(message.len()) {
            return Err(CallFault::Length(length, message.len()));
        }
        let message = match flag {
            0 => message,
            1 => {
                let coding = status::last(answer.headers, "grpc-encoding").unwrap_or_default().trim_ascii();
                if coding.is_empty() || coding.eq_ignore_ascii_case(b"identity") {
                    return Err(CallFault::Coding);
                }
                let whole = inflated(coding, message, room)?;
                if whole.len() as u64 == CAP {
                    return Err(CallFault::Large);
                }
                whole
            }
            other => return Err(CallFault::Flag(other)),
        };
        DynamicMessage::decode(self.message.clone(), message).map_err(|error| self.misfit(&error))
    }

    fn misfit(&self, error: &dyn std::error::Error) -> CallFault {
        CallFault::Message(self.message.full_name().to_owned(), error.to_string())
    }
}
