//! HTTP/2 faults of one stream: the others of the same connection must not notice them.

use std::time::Duration;

use serde_json::json;

use crate::common::server::Server;
use crate::common::{Run, run, with};
use crate::http2_peer::{
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PADDED, PRIORITY, Peer, RST_STREAM, STATUS_200,
    WINDOW_UPDATE, field, server, status,
};
use crate::storm::{judge, storm};

/// The storm over HTTP/2: so many connections of so many streams; bad requests have a body.
pub(crate) fn storm_of_streams(
    server: &Server,
    is_slow: bool,
    connections: u32,
    streams: u32,
) -> serde_json::Value {
    with(storm(server, is_slow), |config| {
        config["connections"] =
            json!({"most": connections, "keep_alive": true, "protocol": "http2", "streams": streams});
        config["routes"][1]["method"] = json!("POST");
        config["routes"][1]["body"] = json!("x");
    })
}

/// Bad requests have this done to their stream, on four connections of eight streams.
fn strikes(
    name: &str,
    outcome: &str,
    detail: &str,
    bad: impl Fn(&mut Peer, u32) -> bool + Send + Sync + 'static,
) -> Run {
    let server = server(bad);
    let run = run(&storm_of_streams(&server, outcome == "timeout", 4, 8));
    judge(name, &run, outcome, detail);
    assert!(server.connections() <= 4, "{name}: one stream's fault is not the connection's");
    run
}

/// Bad requests get an answer that breaks the rules of HTTP. nghttp2 takes that for a fault of the
/// whole connection, as it may (RFC 9113, section 5.4), so each request has one of its own here.
fn malformed(name: &str, bad: impl Fn(&mut Peer, u32) -> bool + Send + Sync + 'static) {
    let server = server(bad);
    let run = run(&storm_of_streams(&server, false, 24, 1));
    judge(name, &run, "not_http", "breaks HTTP/2: ");
}

#[test]
fn a_reset_stream_fails_alone_whatever_came_before() {
    let reset = |code: u8| [0, 0, 0, code];
    strikes("before the answer", "stream_reset", "REFUSED_STREAM", move |peer, stream| {
        peer.say(RST_STREAM, 0, stream, &reset(7))
    });
    strikes("after the head", "stream_reset", "INTERNAL_ERROR", move |peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, STATUS_200) && peer.say(RST_STREAM, 0, stream, &reset(2))
    });
    let run = strikes("in the body", "stream_reset", "CANCEL", move |peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, STATUS_200)
            && peer.say(DATA, 0, stream, b"some of it")
            && peer.say(RST_STREAM, 0, stream, &reset(8))
    });
    assert_eq!(run.sum("stream_resets"), run.outcome("stream_reset"));
    strikes("for an unknown reason", "stream_reset", "reset the stream", move |peer, stream| {
        peer.say(RST_STREAM, 0, stream, &[0xff; 4])
    });
    strikes("after the whole answer", "ok", "", move |peer, stream| {
        peer.fine(stream) && peer.say(RST_STREAM, 0, stream, &reset(0))
    });
}

#[test]
fn a_length_that_is_not_the_bodys_breaks_the_answer() {
    for (length, is_last) in [("5", true), ("1", true), ("1", false), ("-1", true), ("x", true)] {
        malformed(&format!("content-length {length}"), move |peer, stream| {
            let head = [STATUS_200, &field("content-length", length)].concat();
            peer.say(HEADERS, END_HEADERS, stream, &head)
                && peer.say(DATA, if is_last { END_STREAM } else { 0 }, stream, b"ok")
        });
    }
}

#[test]
fn a_head_that_is_none_breaks_the_answer() {
    for (name, head) in [
        ("no status", field("a", "b")),
        ("two statuses", [STATUS_200, STATUS_200].concat()),
        ("a status of two digits", status("20")),
        ("a status of letters", status("abc")),
        ("a status after a field", [field("a", "b"), STATUS_200.to_vec()].concat()),
        ("a field of requests", [STATUS_200, &field(":path", "/")].concat()),
        ("an unknown pseudo-field", [STATUS_200, &field(":x", "y")].concat()),
        ("a field of HTTP/1", [STATUS_200, &field("connection", "close")].concat()),
        ("transfer-encoding", [STATUS_200, &field("transfer-encoding", "chunked")].concat()),
        ("nothing", Vec::new()),
    ] {
        malformed(name, move |peer, stream| peer.say(HEADERS, END_HEADERS | END_STREAM, stream, &head));
    }
}

#[test]
fn a_status_below_100_breaks_its_answer_alone() {
    strikes("051", "not_http", "breaks HTTP/2: PROTOCOL_ERROR", |peer, stream| {
        peer.say(HEADERS, END_HEADERS | END_STREAM, stream, &status("051"))
    });
}

#[test]
fn a_body_without_a_head_breaks_the_answer() {
    malformed("a body without a head", |peer, stream| peer.say(DATA, END_STREAM, stream, b"ok"));
}

#[test]
fn interim_answers_are_skipped_and_are_none_by_themselves() {
    strikes("many of them", "ok", "", |peer, stream| {
        (0..50).all(|_| peer.say(HEADERS, END_HEADERS, stream, &status("103"))) && peer.fine(stream)
    });
    malformed("the last word", |peer, stream| {
        peer.say(HEADERS, END_HEADERS | END_STREAM, stream, &status("103"))
    });
    strikes("nothing after it", "timeout", "no whole answer", |peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, &status("100"))
    });
}

#[test]
fn trailers_end_an_answer_if_they_are_right() {
    let begin = |peer: &mut Peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, STATUS_200) && peer.say(DATA, 0, stream, b"ok")
    };
    strikes("right", "ok", "", move |peer, stream| {
        begin(peer, stream) && peer.say(HEADERS, END_HEADERS | END_STREAM, stream, &field("sum", "7"))
    });
    malformed("without an end", move |peer, stream| {
        begin(peer, stream) && peer.say(HEADERS, END_HEADERS, stream, &field("sum", "7"))
    });
    malformed("with a status", move |peer, stream| {
        begin(peer, stream) && peer.say(HEADERS, END_HEADERS | END_STREAM, stream, STATUS_200)
    });
}

#[test]
fn what_is_odd_but_allowed_does_no_harm() {
    strikes("priorities and unknown frames", "ok", "", |peer, stream| {
        peer.say(PRIORITY, 0, stream, &[0, 0, 0, 0, 16])
            && peer.say(0xbe, 0xff, stream, b"who knows")
            && peer.say(0x0a, 0, 0, b"\0\0")
            && peer.fine(stream)
    });
    strikes("padding", "ok", "", |peer, stream| {
        let head = [&[7], STATUS_200, &[0; 7]].concat();
        peer.say(HEADERS, END_HEADERS | PADDED, stream, &head)
            && peer.say(DATA, PADDED, stream, &[200; 1].iter().chain(&[0; 200]).copied().collect::<Vec<_>>())
            && peer.say(DATA, END_STREAM | PADDED, stream, b"\x03ok\0\0\0")
    });
    strikes("a head in pieces", "ok", "", |peer, stream| {
        let value = field("x-long", "v");
        peer.say(HEADERS, 0, stream, &[])
            && peer.say(CONTINUATION, 0, stream, STATUS_200)
            && peer.say(CONTINUATION, 0, stream, &value[..3])
            && peer.say(CONTINUATION, END_HEADERS, stream, &value[3..])
            && peer.say(DATA, 0, stream, &[])
            && peer.say(DATA, END_STREAM, stream, b"ok")
    });
    strikes("byte by byte", "ok", "", |peer, stream| {
        let mut answer = crate::http2_peer::frame(HEADERS, END_HEADERS, stream, STATUS_200);
        answer.extend(crate::http2_peer::frame(DATA, END_STREAM, stream, b"ok"));
        answer.iter().all(|byte| peer.raw(&[*byte]))
    });
}

#[test]
fn a_window_that_overflows_or_grows_by_nothing_ends_the_stream() {
    malformed("overflow", |peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, STATUS_200)
            && peer.say(WINDOW_UPDATE, 0, stream, &0x7fff_ffff_u32.to_be_bytes())
            && peer.say(WINDOW_UPDATE, 0, stream, &0x7fff_ffff_u32.to_be_bytes())
    });
}

#[test]
fn an_answer_that_never_ends_is_a_timeout() {
    strikes("nothing", "timeout", "no answer", |_, _| true);
    strikes("a head", "timeout", "no whole answer", |peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, STATUS_200)
    });
    strikes("half a body", "timeout", "no whole answer", |peer, stream| {
        let head = [STATUS_200, &field("content-length", "5")].concat();
        peer.say(HEADERS, END_HEADERS, stream, &head) && peer.say(DATA, 0, stream, b"hell")
    });
}

#[test]
fn bytes_for_a_stream_that_has_timed_out_do_no_harm() {
    strikes("too late", "timeout", "no answer", |peer, stream| {
        std::thread::sleep(Duration::from_millis(1));
        // Answers the stream before last, which the client has given up by then or not.
        stream < 200 || peer.fine(stream - 40)
    });
}
