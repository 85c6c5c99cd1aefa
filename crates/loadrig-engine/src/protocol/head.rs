//! The head of an HTTP/1 answer: status, fields, and how its body ends.
//!
//! Source: RFC 9112 (HTTP/1.1), sections 6 and 9.3.

use std::mem::MaybeUninit;

use httparse::{Header, ParserConfig, Status};

use super::http1::{HeadError, Wrong};

/// Fields of a head at most. Servers send about ten; curl takes 5,000, browsers some hundred.
pub(super) const FIELDS_MOST: usize = 128;

/// Room for the fields of a head; made on the stack, and only written as far as there are fields.
pub(super) type Room<'a> = [MaybeUninit<Header<'a>>; FIELDS_MOST];

/// End of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// After this many bytes.
    Length(u64),
    /// With the last chunk.
    Chunked,
    /// The body ends where the connection is closed.
    UntilClose,
}

/// A whole head.
pub(super) struct Head<'h, 'b> {
    pub status: u16,
    pub fields: &'h [Header<'b>],
    /// Bytes of the head, with those of the interim answers before it.
    pub len: usize,
    pub framing: Framing,
    /// Whether the server lets the connection be used again.
    pub keeps_alive: bool,
}

/// Reads the head of the final answer; none if more bytes are needed. Interim answers (1xx) are
/// skipped, but for 101, after which the connection no longer speaks HTTP.
pub(super) fn parse<'h, 'b>(
    bytes: &'b [u8],
    room: &'h mut Room<'b>,
    is_head: bool,
) -> Result<Option<Head<'h, 'b>>, Wrong> {
    let mut start = 0;
    // Two passes, as the borrow checker cannot see that an interim answer's fields are done with
    // before the room is used again: find where the final answer starts, then read it.
    while let Some(len) = interim(&bytes[start..])? {
        start += len;
    }
    let mut response = httparse::Response::new(&mut []);
    let parsed =
        ParserConfig::default().parse_response_with_uninit_headers(&mut response, &bytes[start..], room);
    let len = match parsed {
        Ok(Status::Complete(len)) => start + len,
        Ok(Status::Partial) => return Ok(None),
        Err(error) => return Err(Wrong::NotHttp(error.into())),
    };
    let (Some(status), Some(version)) = (response.code, response.version) else {
        return Ok(None);
    };
    if status < 100 {
        return Err(Wrong::NotHttp(HeadError::Status));
    }
    let fields: &'h [Header<'b>] = response.headers;
    let facts = facts(fields)?;
    let has_no_body = is_head || status == 204 || status == 304 || status == 101;
    let framing = if has_no_body {
        Framing::Length(0)
    } else if let Some(is_chunked) = facts.coding {
        if is_chunked { Framing::Chunked } else { Framing::UntilClose }
    } else if let Some(length) = facts.length {
        Framing::Length(length)
    } else {
        Framing::UntilClose
    };
    let persists = if version == 0 { facts.says_keep_alive } else { !facts.says_close };
    let keeps_alive = persists && framing != Framing::UntilClose && status != 101;
    Ok(Some(Head { status, fields, len, framing, keeps_alive }))
}

/// The length of an interim answer at the start of the bytes, if there is a whole one.
fn interim(bytes: &[u8]) -> Result<Option<usize>, Wrong> {
    // "HTTP/1.1 1": all that is needed to see that it is none, which it nearly never is.
    if bytes.len() < 12 || bytes[9] != b'1' || &bytes[9..12] == b"101" {
        return Ok(None);
    }
    let mut room: Room<'_> = [const { MaybeUninit::uninit() }; FIELDS_MOST];
    let mut response = httparse::Response::new(&mut []);
    match ParserConfig::default().parse_response_with_uninit_headers(&mut response, bytes, &mut room) {
        Ok(Status::Complete(len)) => Ok(response.code.is_some_and(|code| code < 200).then_some(len)),
        Ok(Status::Partial) => Ok(None),
        Err(error) => Err(Wrong::NotHttp(error.into())),
    }
}

/// Facts from the fields about the connection and the body.
#[derive(Default)]
struct Facts {
    length: Option<u64>,
    /// Whether the last transfer coding is `chunked`, if there is any coding.
    coding: Option<bool>,
    says_close: bool,
    says_keep_alive: bool,
}

fn facts(fields: &[Header<'_>]) -> Result<Facts, Wrong> {
    let mut facts = Facts::default();
    for field in fields {
        // By length first: one comparison rules out nearly every field.
        match field.name.len() {
            10 if field.name.eq_ignore_ascii_case("connection") => {
                for word in words(field.value) {
                    facts.says_close |= word.eq_ignore_ascii_case(b"close");
                    facts.says_keep_alive |= word.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            14 if field.name.eq_ignore_ascii_case("content-length") => {
                for word in words(field.value) {
                    let length = number(word).ok_or(Wrong::Length)?;
                    if facts.length.is_some_and(|other| other != length) {
                        return Err(Wrong::Length);
                    }
                    facts.length = Some(length);
                }
            }
            17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                if let Some(last) = words(field.value).last() {
                    facts.coding = Some(last.eq_ignore_ascii_case(b"chunked"));
                }
            }
            _ => {}
        }
    }
    Ok(facts)
}

/// The members of a field's value that is a list.
fn words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|word| !word.is_empty())
}

/// Decimal digits and nothing else, as the grammar has it; no sign, no overflow.
fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0_u64, |number, digit| {
        let value = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(value)
    })
}
