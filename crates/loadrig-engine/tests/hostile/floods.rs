//! Servers that send without end, as fast as they can: nobody else may wait for them to stop.

use crate::storm::Case;

static PIECE: [u8; 1 << 20] = [b'z'; 1 << 20];

fn floods(name: &'static str, head: &'static [u8], piece: impl AsRef<[u8]> + Send + Sync + 'static) -> Case {
    Case::new(name, "timeout", "no whole answer", move |line| {
        let mut goes_on = line.say(head);
        while goes_on {
            goes_on = line.say(piece.as_ref());
        }
    })
}

#[test]
fn a_body_without_end_is_a_timeout_and_others_are_served_meanwhile() {
    floods("until closed", b"HTTP/1.1 200 OK\r\n\r\n", PIECE.as_slice()).strikes();
    floods(
        "of great length",
        b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
        PIECE.as_slice(),
    )
    .strikes();
}

#[test]
fn chunks_without_end_are_a_timeout() {
    const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    floods("tiny chunks", CHUNKED, "1\r\nx\r\n".repeat(100_000)).strikes();
    floods(
        "one great chunk",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        PIECE.as_slice(),
    )
    .strikes();
    floods("an extension", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", PIECE.as_slice())
        .strikes();
    floods("a trailer", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ", PIECE.as_slice())
        .strikes();
    floods(
        "trailers",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        "X: y\r\n".repeat(100_000),
    )
    .strikes();
}
