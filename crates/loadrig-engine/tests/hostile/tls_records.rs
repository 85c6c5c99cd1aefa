//! TLS that fails after the handshake, or is merely odd there.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use rustls::version::{TLS12, TLS13};

use crate::common::run;
use crate::storm::judge_halves;
use crate::tls_server::{GOOD, Identity, Secure, load, say_goodbye, server, wait_for_end};

/// Connections of a run, half of them bad.
const COUNT: u64 = 96;

/// In both versions, half of the connections have this done to them after their request.
fn strikes(
    name: &str,
    outcome: &str,
    detail: &str,
    badly: impl Fn(&mut Secure) + Send + Sync + Clone + 'static,
) {
    for version in [&TLS12, &TLS13] {
        let name = format!("{name}, {version:?}");
        let identity = Identity::with("localhost", &[version], |_| ());
        let (theirs, badly) = (identity.clone(), badly.clone());
        let server = server(&identity, move |line| theirs.after_a_request(line, &badly));
        let run = run(&load(&server, &identity, COUNT));
        if outcome == "ok" {
            assert_eq!(run.outcome("ok"), COUNT, "{name}: {:?}", run.examples());
        } else {
            judge_halves(&name, &run, outcome, detail);
        }
    }
}

/// Says this below TLS, as anybody on the way could.
fn injects(bytes: &'static [u8]) -> impl Fn(&mut Secure) + Send + Sync + Clone + 'static {
    move |stream| {
        let _ = stream.sock.write_all(bytes);
        wait_for_end(&stream.sock);
    }
}

#[test]
fn records_that_are_none_fail() {
    strikes("plain HTTP", "tls_failed", "TLS", injects(GOOD));
    strikes(
        "a forged record",
        "tls_failed",
        "TLS",
        injects(b"\x17\x03\x03\0\x20aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"),
    );
    strikes("an empty record", "tls_failed", "TLS", injects(b"\x17\x03\x03\0\0"));
    strikes("a record that is too long", "tls_failed", "TLS", injects(b"\x17\x03\x03\xff\xff"));
    strikes("an unknown kind of record", "tls_failed", "TLS", injects(b"\x63\x03\x03\0\x05hello"));
    strikes("a hello out of turn", "tls_failed", "TLS", injects(b"\x16\x03\x03\0\x04\0\0\0\0"));
}

#[test]
fn an_alert_after_the_handshake_fails_with_its_name() {
    strikes("fatal alert", "tls_failed", "BadRecordMac", |stream| {
        // The server's own TLS takes offence at this and says so, encrypted as it should be.
        let mut garbage = b"\x17\x03\x03\0\x20aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb".as_slice();
        stream.conn.read_tls(&mut garbage).unwrap();
        assert!(stream.conn.process_new_packets().is_err());
        while stream.conn.wants_write() && stream.conn.write_tls(&mut stream.sock).is_ok() {}
        wait_for_end(&stream.sock);
    });
}

#[test]
fn a_close_is_told_from_a_truncation() {
    strikes("close_notify before the answer", "closed", "before any answer", say_goodbye);
    strikes("close_notify in the answer", "closed", "in the middle of the answer", |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok");
        say_goodbye(stream);
    });
    strikes("no close_notify before the answer", "closed", "without a TLS close_notify", |_| ());
    strikes("no close_notify in the answer", "closed", "without a TLS close_notify", |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok");
    });
    strikes(
        "no close_notify in an answer without length",
        "closed",
        "without a TLS close_notify",
        |stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nis this all of it?");
        },
    );
    strikes("close_notify after an answer without length", "ok", "", |stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nthis is all of it");
        say_goodbye(stream);
    });
    strikes("no close_notify after a whole answer", "ok", "", |stream| {
        let _ = stream.write_all(GOOD);
    });
}

#[test]
fn a_reset_in_a_record_is_a_reset() {
    strikes("reset in a record", "reset", "reset", |stream| {
        let _ = stream.sock.write_all(b"\x17\x03\x03\x01\0half a record");
        rustix::net::sockopt::set_socket_linger(&stream.sock, Some(Duration::ZERO)).unwrap();
    });
}

#[test]
fn a_record_that_never_ends_is_a_timeout() {
    let identity = Identity::of("localhost");
    let theirs = identity.clone();
    let server = server(&identity, move |line| {
        theirs.after_a_request(line, injects(b"\x17\x03\x03\x01\0half a record"));
    });
    let run = run(&crate::common::with(load(&server, &identity, 24), |config| {
        // The good ones must come through in this time too: few, and with time to spare.
        config["timeouts"]["request_s"] = serde_json::json!(1.5);
    }));
    judge_halves("half a record", &run, "timeout", "no answer");
}

#[test]
fn records_of_one_byte_and_more_make_an_answer() {
    for size in [None, Some(33), Some(32)] {
        let mut identity = Identity::of("localhost");
        let mut config = (*identity.config).clone();
        config.max_fragment_size = size;
        identity.config = Arc::new(config);
        let theirs = identity.clone();
        let server = server(&identity, move |line| {
            theirs.after_a_request(line, |stream| {
                for byte in GOOD {
                    let _ = stream.write_all(&[*byte]);
                }
                say_goodbye(stream);
            });
        });
        let run = run(&load(&server, &identity, COUNT));
        assert_eq!(run.outcome("ok"), COUNT, "{size:?}: {:?}", run.examples());
    }
}

#[test]
fn keys_that_change_in_mid_answer_do_no_harm() {
    let identity = Identity::with("localhost", &[&TLS13], |_| ());
    let theirs = identity.clone();
    let server = server(&identity, move |line| {
        theirs.after_a_request(line, |stream| {
            for byte in GOOD {
                let _ = stream.conn.refresh_traffic_keys();
                let _ = stream.write_all(&[*byte]);
            }
            say_goodbye(stream);
        });
    });
    let run = run(&load(&server, &identity, COUNT));
    assert_eq!(run.outcome("ok"), COUNT, "{:?}", run.examples());
}
