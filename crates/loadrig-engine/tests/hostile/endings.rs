//! Connections that end in every state: by a close, by a reset, while idle, while one writes.

use std::time::Duration;

use serde_json::json;

use crate::common::server::{FINE, Line};
use crate::common::{number, run, with};
use crate::storm::{Case, every_second, judge, one_connection_each, outcomes};

#[test]
fn a_reset_is_a_reset_in_every_state_of_the_answer() {
    for answer in [
        "",
        "H",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome of it",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ] {
        Case::says_and_resets(answer).strikes();
    }
}

#[test]
fn a_close_before_the_answer_is_told_from_one_in_it() {
    Case::says_and_closes("", "closed", "before any answer").strikes();
    Case::says_and_closes("HTTP/1.1 200 OK\r\nContent-Le", "closed", "in the middle").strikes();
}

#[test]
fn an_answer_that_came_whole_before_the_reset_counts() {
    let server = every_second(
        |line| {
            line.request();
            line.say(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        },
        |line| {
            line.request();
            line.say(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
            line.reset();
        },
    );
    let run = run(&one_connection_each(&server, 200));
    assert_eq!(run.outcome("ok"), 200, "{:?}", run.examples());
}

#[test]
fn a_connection_that_is_reset_while_it_is_made_is_never_an_answer() {
    let server = every_second(
        |line| {
            line.request();
            line.say(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
        },
        Line::reset,
    );
    let run = run(&one_connection_each(&server, 200));
    let found = outcomes(&run);
    // Whether the request was written before the reset came is a matter of microseconds.
    assert_eq!(run.outcome("ok"), 100, "{found:?}");
    assert_eq!(run.outcome("reset") + run.outcome("connect_reset"), 100, "{found:?} {:?}", run.examples());
}

#[test]
fn a_connection_that_ends_while_idle_costs_no_request() {
    for (name, resets) in [("close", false), ("reset", true)] {
        let run = Case::new(name, "ok", "", move |line| {
            line.say(FINE);
            if resets {
                line.reset();
            }
        })
        .run(|config| {
            config["think"] = json!({"constant": 0.1});
            config["stop"]["requests"] = json!(120);
        });
        // Where we are held up for longer than the pause, the next request goes out before the
        // end was seen: that is no fault of the accounts, and it is told.
        let lost = run.outcome("reset") + run.outcome("closed");
        assert_eq!(run.outcome("ok") + lost, 120, "{name}: {:?}", run.examples());
        assert!(lost <= 12, "{name}: {:?}", run.examples());
        assert!(run.sum("opened") > 24, "{name}: the dropped ones were replaced");
    }
}

#[test]
fn bytes_that_nobody_asked_for_end_an_idle_connection() {
    // The second answer must come after the first was read and before the next request is sent. A busy
    // machine lets a thread wait for tens of milliseconds, so both are far away.
    let run = Case::new("a second answer later", "ok", "", |line| {
        line.say(FINE);
        std::thread::sleep(Duration::from_millis(700));
        line.say(FINE);
        line.wait_for_end();
    })
    .run(|config| {
        config["think"] = json!({"constant": 1.5});
        config["stop"]["requests"] = json!(72);
    });
    judge("a second answer later", &run, "ok", "");
    assert!(run.sum("opened") > 24, "the connection was not used again");
}

#[test]
fn a_server_that_says_it_will_close_and_does_not_is_left() {
    let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    Case::says(answer, "ok", "").strikes();
}

#[test]
fn a_server_that_does_not_read_holds_nobody_but_its_own() {
    let run = Case::new("does not read", "timeout", "", |line| {
        let stream = line.stream();
        std::thread::sleep(Duration::from_millis(600));
        drop(stream);
    })
    .run(|config| {
        config["routes"][1]["body"] = json!("y".repeat(8_000_000));
        config["stop"]["requests"] = json!(48);
        // Its connections end unread, so that some of its requests may end by a reset.
    });
    assert_eq!(run.route("good"), run.outcome("ok"), "{:?}", run.examples());
    assert!(run.outcome("timeout") > 0, "{:?}", run.examples());
}

#[test]
fn a_server_that_resets_in_the_middle_of_a_large_request_is_a_reset() {
    let server = crate::common::server::Server::new(|line| {
        use std::io::Read as _;
        let mut some = [0; 10_000];
        let first = line.stream().read(&mut some).unwrap_or(0);
        if some[..first].starts_with(b"GET /good ") {
            line.say(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
            return;
        }
        line.reset();
    });
    let run = run(&with(crate::storm::storm(&server, false), |config| {
        config["routes"][1]["body"] = json!("y".repeat(4_000_000));
        config["stop"]["requests"] = json!(96);
    }));
    judge("reset in a large request", &run, "reset", "reset");
    assert_eq!(number(&run.frames.last().unwrap()["in_flight"]), 0);
}
