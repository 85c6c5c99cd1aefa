//! An HTTP/1 answer, however the bytes are cut.

use std::mem::MaybeUninit;

use httparse::Header;

use super::body::Body;
use super::head::{self, FIELDS_MOST, Framing, Head, Room};

/// Bytes of a head at most. Servers refuse to send more than 8 to 64 KiB.
const HEAD_MOST: usize = 256 * 1024;

/// Bytes of a body that are kept at most for those who ask for it.
const KEPT_MOST: usize = 8 * 1024 * 1024;

/// First bytes that are kept of every answer with a bad status, to show what the server said.
const SHOWN_MOST: usize = 256;

/// Facts on the request that are needed to read its answer.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked {
    /// The method was HEAD: there is no body, whatever the head says.
    pub is_head: bool,
    /// The body is wanted, not only its length.
    pub keeps_body: bool,
}

impl Asked {
    /// Bytes of the body that are kept at most, of an answer with this status.
    pub(super) fn keeps_most(self, status: u16) -> usize {
        match status {
            _ if self.keeps_body => KEPT_MOST,
            400.. => SHOWN_MOST,
            _ => 0,
        }
    }
}

/// Reason why the bytes are no answer. The outcome is `not_http` for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Wrong {
    /// The head is none.
    #[error("{0}")]
    NotHttp(HeadError),
    /// No end of the head in sight.
    #[error("the head is longer than {} KiB", HEAD_MOST / 1024)]
    HeadTooLong,
    /// No number, or two different ones.
    #[error("Content-Length is not one number")]
    Length,
    /// Not the grammar of chunks.
    #[error("the chunks of the body are malformed")]
    Chunk,
}

/// Mistake in a head, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeadError {
    #[error("it does not start with HTTP/1.0 or HTTP/1.1")]
    Version,
    #[error("the status is not a number from 100 to 999")]
    Status,
    #[error("a field of the head is malformed")]
    Field,
    #[error("the head has more than {FIELDS_MOST} fields")]
    TooManyFields,
}

impl From<httparse::Error> for HeadError {
    fn from(error: httparse::Error) -> Self {
        match error {
            httparse::Error::Version => Self::Version,
            httparse::Error::Status => Self::Status,
            httparse::Error::TooManyHeaders => Self::TooManyFields,
            httparse::Error::HeaderName
            | httparse::Error::HeaderValue
            | httparse::Error::NewLine
            | httparse::Error::Token => Self::Field,
        }
    }
}

/// A whole answer, as handed to whoever reads it.
pub(crate) struct Whole<'a> {
    pub status: u16,
    pub fields: &'a [Header<'a>],
    /// The body as far as it is kept.
    pub body: &'a [u8],
    /// Length of the body.
    pub body_bytes: u64,
    /// Whether the server lets the connection be used again.
    pub keeps_alive: bool,
    /// Whether more bytes came than the answer announced.
    pub has_excess: bool,
}

/// An answer in the course of being read. One for each connection, used for one answer after the
/// other. It keeps bytes only of an answer that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    asked: Asked,
    /// The head, or as much of it as there is; empty while all of it lies in the caller's bytes.
    head: Vec<u8>,
    in_body: bool,
    body: Body,
}

impl Reply {
    /// Begins to read the answer to a request, whatever was read before.
    pub(crate) fn begin(&mut self, asked: Asked) {
        self.asked = asked;
        self.head.clear();
        self.in_body = false;
    }

    /// Whether any byte of the answer was kept so far: if not, the server never began it.
    pub(crate) fn has_begun(&self) -> bool {
        self.in_body || !self.head.is_empty()
    }

    /// Takes the next bytes. If they make the answer whole it is handed to `read`, once, and what
    /// `read` returns is returned; none means that more bytes are needed.
    pub(crate) fn feed<R>(
        &mut self,
        bytes: &[u8],
        read: impl FnOnce(&Whole<'_>) -> R,
    ) -> Result<Option<R>, Wrong> {
        if self.in_body {
            let used = self.body.feed(bytes)?;
            return Ok(self.body.is_whole().then(|| self.hand_over(used < bytes.len(), read)));
        }
        if self.head.is_empty() {
            return self.head_from(bytes, true, read);
        }
        let mut gathered = std::mem::take(&mut self.head);
        gathered.extend_from_slice(bytes);
        let result = self.head_from(&gathered, false, read);
        if self.head.is_empty() {
            // Nobody copied it: either it is still incomplete, or it is what begins the body.
            self.head = gathered;
        }
        result
    }

    /// The connection has ended. If that makes the answer whole it is handed to `read`.
    pub(crate) fn end<R>(&mut self, read: impl FnOnce(&Whole<'_>) -> R) -> Option<R> {
        (self.in_body && self.body.ends_with_connection()).then(|| self.hand_over(false, read))
    }

    /// Reads the head, and as much of the body as follows it. `is_callers`: the bytes will be gone
    /// when this returns, so what is needed of them later must be copied.
    fn head_from<R>(
        &mut self,
        bytes: &[u8],
        is_callers: bool,
        read: impl FnOnce(&Whole<'_>) -> R,
    ) -> Result<Option<R>, Wrong> {
        let mut room: Room<'_> = [const { MaybeUninit::uninit() }; FIELDS_MOST];
        let Some(head) = head::parse(bytes, &mut room, self.asked.is_head)? else {
            if bytes.len() > HEAD_MOST {
                return Err(Wrong::HeadTooLong);
            }
            if is_callers {
                self.head.extend_from_slice(bytes);
            }
            return Ok(None);
        };
        let rest = &bytes[head.len..];
        if let Framing::Length(length) = head.framing
            && rest.len() as u64 >= length
        {
            // The usual case: all of it came at once, and nothing has to be copied.
            let body = &rest[..rest.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
            let kept = &body[..body.len().min(self.asked.keeps_most(head.status))];
            let has_excess = rest.len() > body.len();
            return Ok(Some(read(&whole(&head, kept, length, has_excess))));
        }
        self.body.begin(head.framing, self.asked.keeps_most(head.status));
        let used = self.body.feed(rest)?;
        if self.body.is_whole() {
            let has_excess = used < rest.len();
            return Ok(Some(read(&whole(&head, &self.body.kept, self.body.bytes, has_excess))));
        }
        self.in_body = true;
        let head = head.len;
        if is_callers {
            self.head.extend_from_slice(&bytes[..head]);
        }
        Ok(None)
    }

    /// The head was kept as bytes, so that it costs nothing while the body comes; it is read again.
    fn hand_over<R>(&self, has_excess: bool, read: impl FnOnce(&Whole<'_>) -> R) -> R {
        let mut room: Room<'_> = [const { MaybeUninit::uninit() }; FIELDS_MOST];
        let head = head::parse(&self.head, &mut room, self.asked.is_head)
            .ok()
            .flatten()
            .expect("these bytes were parsed before as a whole head");
        read(&whole(&head, &self.body.kept, self.body.bytes, has_excess))
    }
}

fn whole<'a>(head: &Head<'a, 'a>, body: &'a [u8], body_bytes: u64, has_excess: bool) -> Whole<'a> {
    Whole {
        status: head.status,
        fields: head.fields,
        body,
        body_bytes,
        keeps_alive: head.keeps_alive,
        has_excess,
    }
}

#[cfg(test)]
#[path = "http1_tests.rs"]
mod tests;
