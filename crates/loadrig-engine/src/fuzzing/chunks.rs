//! Chunked bodies, against a reader that is written as the grammar is.

use super::answers::read;
use crate::protocol::{Asked, Reply};

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// The first byte says where the rest is cut; the rest is a chunked body. It must come to the same
/// body as by the grammar.
///
/// # Panics
/// If it does not.
pub fn chunks(data: &[u8]) {
    let Some((&cut, body)) = data.split_first() else { return };
    let wanted = by_the_grammar(body);
    let (front, back) = body.split_at(body.len() * usize::from(cut) / 256);
    let asked = Asked { is_head: false, keeps_body: true };
    let found = read(&mut Reply::default(), [HEAD, front, back], asked);
    let found = found.map(|whole| whole.map(|whole| (whole.body, whole.has_excess)));
    assert_eq!(found, wanted);
}

/// The body, and whether something follows it. None: not all of it is there. An error: no chunks.
fn by_the_grammar(mut rest: &[u8]) -> Result<Option<(Vec<u8>, bool)>, ()> {
    let mut body = Vec::new();
    loop {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if digits > 16 {
            return Err(());
        }
        let (size, after) = rest.split_at(digits);
        match after.first() {
            None => return Ok(None),
            Some(b'\r' | b';' | b' ' | b'\t') if digits > 0 => {}
            Some(_) => return Err(()),
        }
        // No line feed but after a carriage return, and no carriage return but before a line feed.
        let Some(end) = after.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else { return Ok(None) };
        let Some(after) = line_end(&after[end..])? else { return Ok(None) };
        rest = after;
        let size = std::str::from_utf8(size).map_err(|_| ())?;
        let size = usize::try_from(u64::from_str_radix(size, 16).map_err(|_| ())?).map_err(|_| ())?;
        if size == 0 {
            return Ok(after_trailer(rest)?.map(|rest| (body, !rest.is_empty())));
        }
        let Some((chunk, after)) = rest.split_at_checked(size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        let Some(after) = line_end(after)? else { return Ok(None) };
        rest = after;
    }
}

/// Bytes after the line end here; none if it is not whole.
fn line_end(rest: &[u8]) -> Result<Option<&[u8]>, ()> {
    match rest {
        [b'\r', b'\n', after @ ..] => Ok(Some(after)),
        [b'\r'] | [] => Ok(None),
        _ => Err(()),
    }
}

/// Bytes after the lines of the trailer, of which nothing is asked, and the empty line after it.
fn after_trailer(mut rest: &[u8]) -> Result<Option<&[u8]>, ()> {
    while !rest.starts_with(b"\r") {
        if rest.starts_with(b"\n") {
            return Err(());
        }
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        rest = &rest[end + 1..];
    }
    line_end(rest)
}
