//! An HTTP/2 connection whose server says anything at all.

use crate::protocol::{Asked, Ended, Session};

/// Requests that are put on the connection, some before the server says anything.
const REQUESTS: u32 = 4;

const REQUEST: &[u8] = b"POST /a HTTP/1.1\r\nHost: a.test\r\nX: y\r\nContent-Length: 2\r\n\r\nhi";

/// The bytes are frames in short: kind, flags, stream, length, and so many bytes; the settings that
/// every server begins with come before them. Every request ends at most once, with what was asked
/// to be kept of it within its bounds.
///
/// # Panics
/// If one ends twice, or as somebody else's.
pub fn http2(data: &[u8]) {
    let Ok(mut session) = Session::new("http", REQUESTS) else { return };
    let mut open = Vec::new();
    let mut out = Vec::new();
    for owner in 0..REQUESTS / 2 {
        open.extend(session.open(owner, REQUEST, Asked { is_head: false, keeps_body: true }).map(|_| owner));
    }
    let _ = session.put(&mut out);
    let mut now_ns = 1;
    let mut goes_on = session.feed(&frame(4, 0, 0, &[]), now_ns).is_ok();
    let mut rest = data;
    let mut next_owner = REQUESTS / 2;
    while let Some((&[kind, flags, stream, length], after)) = rest.split_first_chunk().filter(|_| goes_on) {
        let (payload, after) = after.split_at(usize::from(length).min(after.len()));
        rest = after;
        now_ns += 1;
        goes_on = session.feed(&frame(kind, flags, stream, payload), now_ns).is_ok();
        while let Some((lane, owner, ended)) = session.next_ended() {
            let place = open.iter().position(|other| *other == owner);
            open.remove(place.expect("it was under way and has not ended before"));
            if let Ended::Answered = ended {
                session.read(lane, |whole| {
                    assert!((200..1000).contains(&whole.status), "{}", whole.status);
                    assert!(whole.body.len() as u64 <= whole.body_bytes);
                });
            }
            session.free(lane);
        }
        while let Some(owner) = session.take_back() {
            open.retain(|other| *other != owner);
        }
        if next_owner < 64 && session.has_room() {
            let asked = Asked { is_head: next_owner % 4 == 0, keeps_body: next_owner % 2 == 0 };
            open.extend(session.open(next_owner, REQUEST, asked).map(|_| next_owner));
            next_owner += 1;
        }
        out.clear();
        goes_on &= session.put(&mut out).is_ok();
        session.was_sent(out.len());
        while session.next_sent().is_some() {}
        let _ = session.take_counts();
        goes_on &= session.is_over().is_none();
    }
    let mut owners = session.owners();
    owners.sort_unstable();
    owners.dedup();
    assert!(owners.len() <= 64);
}

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap_or(u8::MAX);
    [&[0, 0, length, kind, flags, 0, 0, 0, stream], payload].concat()
}
