//! TLS that fails before a request can be sent.

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustls::version::{TLS12, TLS13};
use serde_json::json;

use crate::common::server::{Line, Server};
use crate::common::{run, with};
use crate::storm::judge_halves;
use crate::tls_server::{Identity, load, server, wait_for_end};

/// Connections of a run, half of them bad.
const COUNT: u64 = 96;

/// Half of the connections have this done to them.
fn strikes(name: &str, outcome: &str, detail: &str, badly: impl Fn(&mut Line) + Send + Sync + 'static) {
    let identity = Identity::of("localhost");
    let server = server(&identity, badly);
    let run = run(&load(&server, &identity, COUNT));
    judge_halves(name, &run, outcome, detail);
    assert_eq!(run.sum("backoffs"), COUNT / 2, "{name}: who fails to connect pauses");
}

/// Every second connection meets a server that introduces itself otherwise; all authorities are
/// known but for that of a stranger.
fn meets(name: &str, other: Identity, is_known: bool, detail: &str) {
    let good = Identity::of("localhost");
    let known =
        Identity { pem: if is_known { good.pem.clone() + &other.pem } else { good.pem.clone() }, ..good };
    let server = server(&known, move |line| other.serve_well(line));
    let run = run(&load(&server, &known, COUNT));
    judge_halves(name, &run, "tls_failed", detail);
}

#[test]
fn a_certificate_that_is_not_to_be_believed_fails() {
    meets("wrong name", Identity::of("shop.test"), true, "not valid for name");
    meets("unknown authority", Identity::of("localhost"), false, "UnknownIssuer");
    let expired = Identity::with("localhost", rustls::ALL_VERSIONS, |params| {
        params.not_before = rcgen::date_time_ymd(2019, 1, 1);
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    });
    meets("expired", expired, true, "expired");
    let early = Identity::with("localhost", rustls::ALL_VERSIONS, |params| {
        params.not_before = rcgen::date_time_ymd(4000, 1, 1);
        params.not_after = rcgen::date_time_ymd(4001, 1, 1);
    });
    meets("not valid yet", early, true, "not valid yet");
}

#[test]
fn each_version_that_is_still_safe_is_spoken() {
    for version in [&TLS12, &TLS13] {
        let identity = Identity::with("localhost", &[version], |_| ());
        let theirs = identity.clone();
        let server = Server::new(move |line| theirs.serve_well(line));
        let run = run(&load(&server, &identity, COUNT));
        assert_eq!(run.outcome("ok"), COUNT, "{:?}", run.examples());
    }
}

/// Reads the client's hello, all of it.
fn hello(line: &mut Line) -> Vec<u8> {
    let mut stream = line.stream();
    let mut head = [0; 5];
    if stream.read_exact(&mut head).is_err() {
        return Vec::new();
    }
    let mut hello = vec![0; usize::from(u16::from_be_bytes([head[3], head[4]]))];
    let _ = stream.read_exact(&mut hello);
    hello
}

/// After the hello says this and waits for the other side to close.
fn answers_hello(bytes: &'static [u8]) -> impl Fn(&mut Line) + Send + Sync + 'static {
    move |line| {
        hello(line);
        line.say(bytes);
        wait_for_end(&line.stream());
    }
}

#[test]
fn an_alert_instead_of_a_hello_fails_with_its_name() {
    strikes(
        "handshake failure",
        "tls_failed",
        "HandshakeFailure",
        answers_hello(b"\x15\x03\x03\0\x02\x02\x28"),
    );
    strikes(
        "protocol version",
        "tls_failed",
        "ProtocolVersion",
        answers_hello(b"\x15\x03\x03\0\x02\x02\x46"),
    );
    strikes("unknown alert", "tls_failed", "alert", answers_hello(b"\x15\x03\x03\0\x02\x02\xee"));
}

#[test]
fn a_server_of_an_old_version_fails() {
    for version in [b"\x03\x02", b"\x03\x01", b"\x03\x00"] {
        strikes("old version", "tls_failed", "TLS", move |line| {
            let hello = hello(line);
            let id = &hello[38..39 + usize::from(hello[38])];
            let mut answer = [version.as_slice(), &[7; 32], id, b"\xc0\x2f\0"].concat();
            let length = u8::try_from(answer.len()).unwrap();
            answer.splice(0..0, [2, 0, 0, length]);
            let record = [b"\x16".as_slice(), version, &[0, length + 4], &answer].concat();
            line.say(&record);
            wait_for_end(&line.stream());
        });
    }
}

#[test]
fn garbage_instead_of_a_hello_fails() {
    for garbage in [
        b"220 not TLS at all, and long enough to be a record\r\n".as_slice(),
        b"HTTP/1.1 400 The plain HTTP request was sent to HTTPS port\r\n\r\n",
        &[0; 64],
        &[0xff; 64],
        b"\x16\x03\x03\xff\xff",
        b"\x16\x03\x03\0\x04\x02\xff\xff\xff",
        b"\x16\x03\x03\0\x04\x02\0\0\0",
        b"\x17\x03\x03\0\x05hello",
        b"\x14\x03\x03\0\x01\x01\x14\x03\x03\0\x01\x01\x16\x03\x03\0\0",
    ] {
        strikes(&format!("{garbage:?}"), "tls_failed", "TLS", answers_hello(garbage));
    }
}

#[test]
fn a_close_in_the_handshake_fails() {
    strikes("before the hello", "tls_failed", "closed during the TLS handshake", |line| {
        line.end();
        wait_for_end(&line.stream());
    });
    strikes("after the hello", "tls_failed", "closed during the TLS handshake", |line| {
        hello(line);
    });
    strikes("in a record", "tls_failed", "closed during the TLS handshake", |line| {
        hello(line);
        line.say(b"\x16\x03\x03\0\x80half");
    });
}

#[test]
fn a_close_in_the_middle_of_a_true_hello_fails() {
    let identity = Identity::of("localhost");
    let theirs = identity.clone();
    let server = server(&identity, move |line| {
        let mut stream = theirs.secure(line);
        // The whole hello: a kernel that closes a socket with bytes unread resets the connection.
        while !stream.conn.wants_write() {
            assert_ne!(stream.conn.read_tls(&mut stream.sock).unwrap(), 0, "the hello is whole");
            stream.conn.process_new_packets().unwrap();
        }
        let mut flight = Vec::new();
        stream.conn.write_tls(&mut flight).unwrap();
        let _ = stream.sock.write_all(&flight[..flight.len() / 2]);
    });
    let run = run(&load(&server, &identity, COUNT));
    judge_halves("half a flight", &run, "tls_failed", "closed during the TLS handshake");
}

#[test]
fn a_reset_in_the_handshake_is_a_reset_while_connecting() {
    strikes("after the hello", "connect_reset", "reset", |line| {
        hello(line);
        line.reset();
    });
    strikes("in a record", "connect_reset", "reset", |line| {
        hello(line);
        line.say(b"\x16\x03\x03\0\x80half");
        line.reset();
    });
}

#[test]
fn a_handshake_that_never_ends_is_a_connect_timeout() {
    for (name, says) in [("silent", b"".as_slice()), ("stops", b"\x16\x03\x03\0\x80half")] {
        let identity = Identity::of("localhost");
        let server = server(&identity, answers_hello(says));
        // The good ones must come through in this time too: few, and with time to spare.
        let run = run(&with(load(&server, &identity, 24), |config| {
            config["timeouts"]["connect_s"] = json!(1.5);
        }));
        judge_halves(name, &run, "connect_timeout", "time-out for connecting");
    }
}

#[test]
fn a_handshake_byte_by_byte_succeeds() {
    let identity = Identity::of("localhost");
    let theirs = identity.clone();
    let count = AtomicU64::new(0);
    let server = Server::new(move |line| {
        if count.fetch_add(1, Ordering::Relaxed) % 2 == 0 {
            return theirs.serve_well(line);
        }
        let mut stream = theirs.secure(line);
        while stream.conn.is_handshaking() {
            let mut flight = Vec::new();
            while stream.conn.wants_write() {
                stream.conn.write_tls(&mut flight).unwrap();
            }
            for byte in flight {
                if stream.sock.write_all(&[byte]).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_micros(20));
            }
            if stream.conn.is_handshaking()
                && (stream.conn.read_tls(&mut stream.sock).is_err()
                    || stream.conn.process_new_packets().is_err())
            {
                return;
            }
        }
        let mut stream = std::io::BufReader::new(stream);
        if crate::common::server::read_request(&mut stream).is_some() {
            let _ = stream.get_mut().write_all(crate::tls_server::GOOD);
        }
        crate::tls_server::say_goodbye(stream.get_mut());
    });
    let run = run(&load(&server, &identity, COUNT));
    assert_eq!(run.outcome("ok"), COUNT, "{:?}", run.examples());
}
