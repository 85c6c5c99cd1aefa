//! The parser of HTTP/1.1 against whole, split and broken answers.

use super::{Asked, Reply, Whole, Wrong};
use proptest::prelude::*;

/// A whole answer, with all that was borrowed copied.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    status: u16,
    fields: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    body_bytes: u64,
    keeps_alive: bool,
    has_excess: bool,
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

/// Feeds the pieces, then the end of the connection. None: the connection ended too early.
fn read(pieces: &[&[u8]], asked: Asked) -> Result<Option<Seen>, Wrong> {
    let mut reply = Reply::default();
    reply.begin(asked);
    for (at, piece) in pieces.iter().enumerate() {
        if let Some(mut whole) = reply.feed(piece, seen)? {
            whole.has_excess |= pieces[at + 1..].iter().any(|piece| !piece.is_empty());
            return Ok(Some(whole));
        }
    }
    Ok(reply.end(seen))
}

const KEEP: Asked = Asked { is_head: false, keeps_body: true };
const COUNT: Asked = Asked { is_head: false, keeps_body: false };
const HEAD: Asked = Asked { is_head: true, keeps_body: true };

fn whole(bytes: &[u8], asked: Asked) -> Seen {
    read(&[bytes], asked).expect("the answer is right").expect("the answer is whole")
}

#[test]
fn a_body_of_announced_length_is_read() {
    let answer = whole(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello", KEEP);
    assert_eq!((answer.status, answer.body.as_slice(), answer.body_bytes), (200, b"hello".as_slice(), 5));
    assert_eq!(answer.fields[1], ("X-A".to_owned(), b"b".to_vec()));
    assert!(answer.keeps_alive && !answer.has_excess);
}

#[test]
fn a_body_that_nobody_wants_is_only_counted() {
    let answer = whole(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", COUNT);
    assert_eq!((answer.body.len(), answer.body_bytes), (0, 5));
}

#[test]
fn the_first_bytes_of_a_bad_answer_are_kept_to_be_shown() {
    let text = format!("HTTP/1.1 500 Oh\r\nContent-Length: 1000\r\n\r\n{}", "x".repeat(1000));
    let answer = whole(text.as_bytes(), COUNT);
    assert_eq!((answer.body.len(), answer.body_bytes), (256, 1000));
}

#[test]
fn chunks_are_joined_and_their_frames_not_counted() {
    let answer = whole(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0A\r\n0123456789\r\n0\r\nSum: 9\r\n\r\n",
        KEEP,
    );
    assert_eq!(answer.body, b"hello0123456789");
    assert!(answer.keeps_alive && !answer.has_excess);
}

#[test]
fn a_body_without_length_ends_with_the_connection() {
    let answer = whole(b"HTTP/1.1 200 OK\r\n\r\nall of it", KEEP);
    assert_eq!(answer.body, b"all of it");
    assert!(!answer.keeps_alive);
}

#[test]
fn answers_without_body_end_with_their_head() {
    for (head, asked) in [
        ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", KEEP),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", KEEP),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", HEAD),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD),
    ] {
        let answer = whole(head.as_bytes(), asked);
        assert_eq!((answer.body_bytes, answer.has_excess), (0, false), "{head}");
    }
}

#[test]
fn interim_answers_are_skipped() {
    let answer = whole(
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n",
        KEEP,
    );
    assert_eq!(answer.status, 201);
    assert_eq!(answer.fields.len(), 1);
}

#[test]
fn keep_alive_follows_version_and_connection_field() {
    for (head, keeps_alive) in [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
        ("HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\nConnection: x, close\r\nContent-Length: 0\r\n\r\n", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
        ("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", true),
    ] {
        assert_eq!(whole(head.as_bytes(), KEEP).keeps_alive, keeps_alive, "{head}");
    }
}

#[test]
fn bytes_after_the_body_are_excess() {
    assert!(whole(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", KEEP).has_excess);
    assert!(whole(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", KEEP).has_excess);
    assert!(whole(b"HTTP/1.1 204 No\r\n\r\nx", KEEP).has_excess);
}

#[test]
fn an_answer_that_stops_early_is_not_whole() {
    for bytes in [
        "",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
    ] {
        assert_eq!(read(&[bytes.as_bytes()], KEEP), Ok(None), "{bytes}");
    }
}

#[test]
fn what_is_not_http_is_refused() {
    for bytes in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 099 No\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\n\r\n",
    ] {
        assert!(read(&[bytes.as_bytes()], KEEP).is_err(), "{bytes}");
    }
}

#[test]
fn a_head_without_end_is_refused_at_some_length() {
    let endless = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(300 * 1024));
    assert_eq!(read(&[endless.as_bytes()], KEEP), Err(Wrong::HeadTooLong));
}

#[test]
fn a_reader_is_as_new_after_every_answer() {
    let mut reply = Reply::default();
    for _ in 0..3 {
        reply.begin(KEEP);
        let first = reply.feed(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab", seen);
        assert_eq!(first, Ok(None));
        let rest = reply.feed(b"cd", seen).expect("the answer is right").expect("the answer is whole");
        assert_eq!(rest.body, b"abcd");
        reply.begin(COUNT);
        let next = reply.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", seen);
        assert_eq!(next, Ok(None));
    }
}

/// Answers of every framing, some with an interim answer ahead, some with bytes too many.
fn answers() -> impl Strategy<Value = Vec<u8>> {
    let body = prop::collection::vec(any::<u8>(), 0..600);
    let status = prop_oneof![Just(200_u16), Just(204), Just(304), Just(404), Just(503)];
    (body, status, 0..3_u8, any::<bool>(), prop::collection::vec(1..90_usize, 1..8), 0..3_usize).prop_map(
        |(body, status, framing, has_interim, sizes, excess)| {
            let mut bytes = Vec::new();
            if has_interim {
                bytes.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
            }
            bytes.extend_from_slice(format!("HTTP/1.1 {status} Reason\r\nServer: x\r\n").as_bytes());
            match framing {
                0 => {
                    bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
                    bytes.extend_from_slice(&body);
                }
                1 => {
                    bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                    let mut rest = body.as_slice();
                    for size in sizes.iter().cycle() {
                        let (chunk, after) = rest.split_at((*size).min(rest.len()));
                        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                        bytes.extend_from_slice(chunk);
                        if chunk.is_empty() {
                            bytes.extend_from_slice(b"Trailer: 1\r\n\r\n");
                            break;
                        }
                        bytes.extend_from_slice(b"\r\n");
                        rest = after;
                    }
                }
                _ => {
                    bytes.extend_from_slice(b"\r\n");
                    bytes.extend_from_slice(&body);
                }
            }
            bytes.extend(std::iter::repeat_n(b'!', excess));
            bytes
        },
    )
}

/// The same bytes in pieces.
fn cut<'a>(bytes: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for place in places {
        pieces.push(&bytes[from..place]);
        from = place;
    }
    pieces.push(&bytes[from..]);
    pieces
}

fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..12)
}

fn asked() -> impl Strategy<Value = Asked> {
    (any::<bool>(), any::<bool>()).prop_map(|(is_head, keeps_body)| Asked { is_head, keeps_body })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_split_of_an_answer_gives_the_same_answer(bytes in answers(), cuts in cuts(), asked in asked()) {
        let at_once = read(&[&bytes], asked);
        prop_assert!(matches!(at_once, Ok(Some(_))));
        prop_assert_eq!(read(&cut(&bytes, &cuts), asked), at_once);
    }

    #[test]
    fn one_byte_at_a_time_gives_the_same_answer(bytes in answers(), asked in asked()) {
        let pieces: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(read(&pieces, asked), read(&[&bytes], asked));
    }

    #[test]
    fn a_damaged_answer_is_judged_alike_however_it_is_split(
        mut bytes in answers(), place: prop::sample::Index, damage: u8, cuts in cuts(), asked in asked(),
    ) {
        let place = place.index(bytes.len());
        bytes[place] = damage;
        let at_once = read(&[&bytes], asked).map_err(|_| ());
        prop_assert_eq!(read(&cut(&bytes, &cuts), asked).map_err(|_| ()), at_once);
    }

    #[test]
    fn any_bytes_at_all_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400), cuts in cuts()) {
        let at_once = read(&[&bytes], KEEP).map_err(|_| ());
        prop_assert_eq!(read(&cut(&bytes, &cuts), KEEP).map_err(|_| ()), at_once);
    }
}
