//! HTTP/2 faults of a whole connection: what it carries fails, others are served well.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::common::server::Server;
use crate::common::{Run, run, with};
use crate::http2_peer::{
    ACK, CONTINUATION, DATA, ENABLE_PUSH, END_HEADERS, END_STREAM, GOAWAY, HEADERS, INITIAL_WINDOW_SIZE,
    MAX_CONCURRENT_STREAMS, MAX_FRAME_SIZE, PADDED, PING, PUSH_PROMISE, Peer, RST_STREAM, SETTINGS,
    STATUS_200, WINDOW_UPDATE, field, frame, greeting, server, status,
};
use crate::http2_streams::storm_of_streams;
use crate::storm::{judge, outcomes, says_so};
use crate::tls_server::Identity;

/// Bad requests have this done to the connection that they alone are on.
fn strikes(
    name: &str,
    outcome: &str,
    detail: &str,
    bad: impl Fn(&mut Peer, u32) + Send + Sync + 'static,
) -> Run {
    let server = server(move |peer, stream| {
        bad(peer, stream);
        peer.wait_for_end();
        false
    });
    let run = run(&storm_of_streams(&server, outcome == "timeout", 24, 1));
    judge(name, &run, outcome, detail);
    run
}

/// The same, with one frame or several that break the connection.
fn breaks(name: &str, frames: impl Fn(u32) -> Vec<u8> + Send + Sync + 'static) {
    strikes(name, "not_http", "HTTP/2", move |peer, stream| {
        peer.raw(&frames(stream));
    });
}

#[test]
fn frames_out_of_order_break_the_connection() {
    breaks("a head that does not end before other frames", |stream| {
        [frame(HEADERS, 0, stream, STATUS_200), frame(DATA, END_STREAM, stream, b"ok")].concat()
    });
    breaks("a head that does not end before another", |stream| {
        [frame(HEADERS, 0, stream, STATUS_200), frame(CONTINUATION, END_HEADERS, stream + 2, &[])].concat()
    });
    breaks("a continuation of nothing", |stream| frame(CONTINUATION, END_HEADERS, stream, STATUS_200));
    breaks("data on a stream that was never opened", |_| frame(DATA, 0, 9_999, b"x"));
    breaks("a head on a stream that was never opened", |_| frame(HEADERS, END_HEADERS, 9_999, STATUS_200));
    breaks("a reset of a stream that was never opened", |_| frame(RST_STREAM, 0, 9_999, &[0; 4]));
    breaks("a head on a stream of the server's", |_| frame(HEADERS, END_HEADERS, 2, STATUS_200));
    breaks("data on the connection itself", |_| frame(DATA, 0, 0, b"x"));
    breaks("a head on the connection itself", |_| frame(HEADERS, END_HEADERS, 0, STATUS_200));
    breaks("a reset of the connection itself", |_| frame(RST_STREAM, 0, 0, &[0; 4]));
    breaks("settings on a stream", |stream| frame(SETTINGS, 0, stream, &[]));
    breaks("a ping on a stream", |stream| frame(PING, 0, stream, &[0; 8]));
    breaks("a GOAWAY on a stream", |stream| frame(GOAWAY, 0, stream, &[0; 8]));
}

#[test]
fn frames_of_a_wrong_size_break_the_connection() {
    breaks("a frame larger than allowed", |stream| frame(DATA, 0, stream, &vec![0; 16_385]));
    breaks("a frame that announces 16 MiB", |stream| {
        let mut bytes = vec![0xff, 0xff, 0xff, HEADERS, END_HEADERS];
        bytes.extend_from_slice(&stream.to_be_bytes());
        bytes
    });
    breaks("settings that are no pairs", |_| frame(SETTINGS, 0, 0, &[0; 5]));
    breaks("an acknowledgement with content", |_| frame(SETTINGS, ACK, 0, &[0; 6]));
    breaks("a short ping", |_| frame(PING, 0, 0, &[0; 7]));
    breaks("a short reset", |stream| frame(RST_STREAM, 0, stream, &[0; 3]));
    breaks("a short GOAWAY", |_| frame(GOAWAY, 0, 0, &[0; 7]));
    breaks("a short window update", |_| frame(WINDOW_UPDATE, 0, 0, &[0; 3]));
    breaks("more padding than data", |stream| {
        [frame(HEADERS, END_HEADERS, stream, STATUS_200), frame(DATA, PADDED, stream, &[9, 0, 0])].concat()
    });
    breaks("more padding than head", |stream| frame(HEADERS, END_HEADERS | PADDED, stream, &[9, 0x88]));
}

#[test]
fn settings_and_windows_that_cannot_be_break_the_connection() {
    let setting = |id: u16, value: u32| {
        let entry = [id.to_be_bytes().as_slice(), &value.to_be_bytes()].concat();
        frame(SETTINGS, 0, 0, &entry)
    };
    breaks("push by a server", move |_| setting(ENABLE_PUSH, 1));
    breaks("a window beyond 2^31", move |_| setting(INITIAL_WINDOW_SIZE, 0x8000_0000));
    breaks("frames smaller than 2^14", move |_| setting(MAX_FRAME_SIZE, 16_383));
    breaks("a window that grows by nothing", |_| frame(WINDOW_UPDATE, 0, 0, &[0; 4]));
    breaks("a window that overflows", |_| frame(WINDOW_UPDATE, 0, 0, &0x7fff_ffff_u32.to_be_bytes()));
}

#[test]
fn a_push_promise_is_refused() {
    breaks("a push", |stream| {
        let promise = [[0, 0, 0, 2].as_slice(), &[0x82, 0x86, 0x84], &field("host", "a")].concat();
        frame(PUSH_PROMISE, END_HEADERS, stream, &promise)
    });
}

#[test]
fn fields_that_cannot_be_unpacked_break_the_connection() {
    for (name, packed) in [
        ("the index 0", vec![0x80]),
        ("an index beyond the table", vec![0xff, 0xff, 0x7f]),
        ("a number without end", vec![0xff; 200]),
        ("a text longer than the frame", vec![0, 1, b'a', 0x7f, 0xff, 0x7f]),
        ("bad Huffman code", vec![0, 1, b'a', 0x84, 0xff, 0xff, 0xff, 0xff]),
        ("a table larger than agreed", vec![0x3f, 0xff, 0xff, 0xff, 0x7f]),
        ("a table resized after a field", vec![0x88, 0x20, 0x88]),
    ] {
        breaks(name, move |stream| frame(HEADERS, END_HEADERS | END_STREAM, stream, &packed));
    }
}

#[test]
fn what_does_not_begin_like_http2_breaks_the_connection() {
    for garbage in [b"SSH-2.0-OpenSSH_9.2\r\n".as_slice(), &[0; 64], &[0xff; 64]] {
        let server = greeting(
            move |peer| {
                if peer.n % 2 == 0 {
                    return peer.say(SETTINGS, 0, 0, &[]);
                }
                peer.raw(garbage);
                peer.wait_for_end();
                false
            },
            Peer::fine,
        );
        let run = run(&storm_of_streams(&server, false, 24, 1));
        let found = outcomes(&run);
        assert!(run.outcome("ok") > 0 && run.outcome("not_http") > 0, "{garbage:?}: {found:?}");
        assert_eq!(run.outcome("ok") + run.outcome("not_http"), run.sum("due"), "{garbage:?}: {found:?}");
        says_so("garbage", &run, "not_http", "HTTP/2");
    }
}

#[test]
fn floods_end_as_faults_and_others_are_served_meanwhile() {
    let endless = |bytes: Vec<u8>| {
        move |peer: &mut Peer, _: u32| {
            let many = bytes.repeat(100_000 / bytes.len());
            while peer.raw(&many) {}
        }
    };
    strikes("settings", "not_http", "HTTP/2", endless(frame(SETTINGS, 0, 0, &[])));
    strikes("pings", "not_http", "HTTP/2", endless(frame(PING, 0, 0, &[7; 8])));
    strikes("continuations", "not_http", "HTTP/2", |peer, stream| {
        let mut goes_on = peer.say(HEADERS, 0, stream, STATUS_200);
        while goes_on {
            goes_on = peer.say(CONTINUATION, 0, stream, &field("x", "y"));
        }
    });
    strikes("empty data", "not_http", "ENHANCE_YOUR_CALM", |peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, STATUS_200);
        let many = frame(DATA, 0, stream, &[]).repeat(10_000);
        while peer.raw(&many) {}
    });
}

#[test]
fn floods_on_one_stream_end_with_its_time_out_or_with_the_connection() {
    let flooding = |piece: fn(u32) -> Vec<u8>| {
        server(move |peer, stream| {
            peer.say(HEADERS, END_HEADERS, stream, STATUS_200);
            let many = piece(stream);
            while peer.raw(&many) {}
            false
        })
    };
    let body = flooding(|stream| frame(DATA, 0, stream, &[b'z'; 16_384]).repeat(16));
    let interim = flooding(|stream| frame(HEADERS, END_HEADERS, stream, &status("103")).repeat(5_000));
    for server in [body, interim] {
        let run = run(&storm_of_streams(&server, true, 24, 1));
        let found = outcomes(&run);
        // Who goes on with a flood after its stream was given up loses the connection, and what it
        // carries by then with it.
        let known = ["ok", "timeout", "not_http"].map(|outcome| run.outcome(outcome));
        assert_eq!(known.iter().sum::<u64>(), run.sum("due"), "{found:?} {:?}", run.examples());
        assert!(run.outcome("ok") > 0 && known[1] + known[2] > 0, "{found:?}");
    }
}

#[test]
fn a_bomb_of_fields_is_kept_within_bounds() {
    // One field goes into the table, and is then named by one byte again and again.
    let mut bomb = vec![0x88, 0x40, 1, b'x', 0x7f, 0x81, 0x1e];
    bomb.extend_from_slice(&[b'y'; 4_000]);
    bomb.extend_from_slice(&[0xbe; 12_000]);
    strikes("a bomb", "not_http", "breaks HTTP/2: ", move |peer, stream| {
        peer.say(HEADERS, END_HEADERS, stream, &bomb);
        peer.say(DATA, END_STREAM, stream, b"ok");
    });
}

#[test]
fn a_connection_that_ends_fails_all_that_it_carries() {
    for (name, outcome, resets) in [("close", "closed", false), ("reset", "reset", true)] {
        for with_head in [false, true] {
            let server = server(move |peer, stream| {
                if with_head {
                    peer.say(HEADERS, END_HEADERS, stream, STATUS_200);
                }
                if resets {
                    peer.reset();
                } else {
                    peer.close();
                }
                false
            });
            let run = run(&storm_of_streams(&server, false, 24, 1));
            // With a request of its own on each connection it is all or nothing.
            judge(name, &run, outcome, "");
        }
    }
}

#[test]
fn goaway_tells_what_was_taken_up() {
    let goaway = |last: u32, code: u8| {
        frame(GOAWAY, 0, 0, &[last.to_be_bytes().as_slice(), &[0, 0, 0, code], b"enough"].concat())
    };
    strikes("taken up, and answered", "ok", "", move |peer, stream| {
        peer.raw(&goaway(stream, 0));
        peer.fine(stream);
    });
    strikes("not taken up", "go_away", "GOAWAY before it took", move |peer, stream| {
        peer.raw(&goaway(stream.saturating_sub(2), 0));
    });
    strikes("twice, fewer the second time", "go_away", "GOAWAY before it took", move |peer, stream| {
        peer.raw(&[goaway(0x7fff_ffff, 0), goaway(stream.saturating_sub(2), 0)].concat());
    });
    strikes("with an error, then answered", "ok", "", move |peer, stream| {
        peer.raw(&goaway(stream, 2));
        peer.fine(stream);
    });
    strikes("taken up, and never answered", "timeout", "no answer", move |peer, stream| {
        peer.raw(&goaway(stream, 0));
    });
    let closes = server(move |peer, stream| {
        peer.raw(&goaway(stream, 11));
        peer.close();
        false
    });
    let run = run(&storm_of_streams(&closes, false, 24, 1));
    judge("taken up, then closed", &run, "closed", "closed");
}

#[test]
fn goaway_in_the_middle_of_many_streams_divides_them() {
    let server = server(|peer, stream| {
        // Of those on this connection at the time, the later ones are not taken up.
        let last = stream.saturating_sub(6);
        peer.raw(&frame(GOAWAY, 0, 0, &[last.to_be_bytes().as_slice(), &[0; 4]].concat()));
        peer.fine(last.max(1));
        peer.wait_for_end();
        false
    });
    let run = run(&with(storm_of_streams(&server, true, 4, 8), |config| {
        config["timeouts"]["request_s"] = json!(0.5);
        config["scenarios"][1]["weight"] = json!(0.1);
        config["stop"]["requests"] = json!(400);
    }));
    let found = outcomes(&run);
    assert!(run.outcome("go_away") > 0 && run.outcome("ok") > 0, "{found:?} {:?}", run.examples());
    let known = ["ok", "go_away", "timeout", "closed"].map(|outcome| run.outcome(outcome));
    assert_eq!(known.iter().sum::<u64>(), run.sum("due"), "{found:?} {:?}", run.examples());
    assert!(run.sum("goaways") > 0);
}

#[test]
fn a_limit_of_streams_is_kept_whenever_it_comes() {
    for (first, later) in [(1, None), (0, Some(4)), (100, Some(2)), (100, Some(1))] {
        let most_seen = AtomicU64::new(0);
        let server = greeting(
            move |peer| peer.set(MAX_CONCURRENT_STREAMS, first),
            move |peer, stream| {
                most_seen.fetch_max(u64::from(stream), Ordering::Relaxed);
                if let Some(later) = later.filter(|_| first > 0) {
                    peer.set(MAX_CONCURRENT_STREAMS, later);
                }
                peer.fine(stream)
            },
        );
        // Where none is allowed at first, some are a moment later.
        let opening = (first == 0).then(|| {
            greeting(
                |peer| {
                    let goes_on = peer.set(MAX_CONCURRENT_STREAMS, 0);
                    std::thread::sleep(Duration::from_millis(50));
                    goes_on && peer.set(MAX_CONCURRENT_STREAMS, 4)
                },
                Peer::fine,
            )
        });
        let server = opening.unwrap_or(server);
        let run = run(&storm_of_streams(&server, false, 4, 8));
        judge(&format!("{first}, then {later:?}"), &run, "ok", "");
    }
}

#[test]
fn a_server_that_never_allows_a_stream_is_a_timeout() {
    let server = greeting(|peer| peer.set(MAX_CONCURRENT_STREAMS, 0), Peer::fine);
    let run = run(&with(storm_of_streams(&server, true, 4, 8), |config| {
        config["timeouts"]["request_s"] = json!(0.3);
        config["stop"]["requests"] = json!(48);
    }));
    let found = outcomes(&run);
    // One of each connection is sent before the server has said so; nobody else is ever sent.
    assert_eq!(run.outcome("timeout") + run.outcome("ok") + run.sum("unsent"), 48, "{found:?}");
    assert!(run.outcome("timeout") + run.sum("unsent") >= 40, "{found:?} {:?}", run.examples());
}

#[test]
fn a_server_that_is_silent_is_a_timeout() {
    let silent = Server::new(|line| {
        let mut peer = Peer::new(line, 0);
        peer.wait_for_end();
    });
    let run = run(&with(storm_of_streams(&silent, true, 4, 8), |config| {
        config["timeouts"]["request_s"] = json!(0.2);
        config["stop"]["requests"] = json!(48);
    }));
    assert_eq!(run.outcome("timeout") + run.sum("unsent"), 48, "{:?}", outcomes(&run));
}

#[test]
fn settings_that_are_never_acknowledged_do_no_harm() {
    let server = Server::new(|line| {
        let mut peer = Peer::new(line, 0);
        if !peer.preface() || !peer.say(SETTINGS, 0, 0, &[]) {
            return;
        }
        while let Some(frame) = peer.frame() {
            if matches!(frame.kind, HEADERS | DATA) && frame.flags & END_STREAM != 0 {
                peer.fine(frame.stream);
            }
        }
    });
    let run = run(&storm_of_streams(&server, false, 4, 8));
    judge("no ACK", &run, "ok", "");
}

#[test]
fn tls_that_does_not_choose_http2_fails() {
    let identity = Identity::of("localhost");
    let good = identity.clone();
    let server = Server::new(move |line| good.serve_well(line));
    let run = run(&with(storm_of_streams(&server, false, 24, 1), |config| {
        config["server"]["scheme"] = json!("https");
        config["server"]["tls"] =
            json!({"server_name": "localhost", "insecure": false, "ca_pem": identity.pem});
        config["stop"]["requests"] = json!(60);
    }));
    assert_eq!(run.outcome("tls_failed"), 60, "{:?} {:?}", outcomes(&run), run.examples());
    says_so("no h2", &run, "tls_failed", "HTTP/2");
}
