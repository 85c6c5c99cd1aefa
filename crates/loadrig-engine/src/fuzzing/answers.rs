//! An HTTP/1 answer in arbitrary cuts.

use crate::protocol::{Asked, Reply, Whole};

/// Bytes of a body that may be kept where it is wanted, as the reader promises.
const KEPT_MOST: usize = 8 * 1024 * 1024;

/// Answers longer than this are not also fed byte by byte: a head in pieces is read anew with each.
const BYTEWISE_MOST: usize = 2048;

/// A whole answer, with all that was borrowed copied.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) status: u16,
    fields: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    pub(super) body_bytes: u64,
    keeps_alive: bool,
    pub(super) has_excess: bool,
}

fn seen(whole: &Whole<'_>) -> Seen {
    Seen {
        status: whole.status,
        fields: whole.fields.iter().map(|field| (field.name.to_owned(), field.value.to_vec())).collect(),
        body: whole.body.to_vec(),
        body_bytes: whole.body_bytes,
        keeps_alive: whole.keeps_alive,
        has_excess: whole.has_excess,
    }
}

/// Feeds the pieces and then the end of the connection. None: it ended too early; an error: that
/// is no HTTP, for whatever reason.
pub(super) fn read<'a>(
    reply: &mut Reply,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    asked: Asked,
) -> Result<Option<Seen>, ()> {
    reply.begin(asked);
    let mut pieces = pieces.into_iter();
    while let Some(piece) = pieces.next() {
        if let Some(mut whole) = reply.feed(piece, seen).map_err(|_| ())? {
            whole.has_excess |= pieces.any(|piece| !piece.is_empty());
            return Ok(Some(whole));
        }
    }
    Ok(reply.end(seen))
}

/// The first byte says what was asked for, the next three where the rest is cut; the rest is the
/// answer. It must be the same whole, cut, and byte by byte, with a reader that was used before.
///
/// # Panics
/// If it is not, or if more is kept than there is or may be.
pub fn http1(data: &[u8]) {
    let Some((&[flags, first, second, third], answer)) = data.split_first_chunk() else { return };
    let asked = Asked { is_head: flags & 1 != 0, keeps_body: flags & 2 != 0 };
    let mut reply = Reply::default();
    let at_once = read(&mut reply, [answer], asked);
    if let Ok(Some(whole)) = &at_once {
        assert!(whole.body.len() <= KEPT_MOST && whole.body.len() as u64 <= whole.body_bytes);
        assert!((100..1000).contains(&whole.status));
        assert!(!asked.is_head || whole.body_bytes == 0);
    }
    let mut cuts = [first, second, third].map(|cut| answer.len() * usize::from(cut) / 256);
    cuts.sort_unstable();
    let pieces =
        [&answer[..cuts[0]], &answer[cuts[0]..cuts[1]], &answer[cuts[1]..cuts[2]], &answer[cuts[2]..]];
    assert_eq!(read(&mut reply, pieces, asked), at_once, "cut at {cuts:?}");
    if answer.len() <= BYTEWISE_MOST {
        assert_eq!(read(&mut reply, answer.chunks(1), asked), at_once, "byte by byte");
    }
}
