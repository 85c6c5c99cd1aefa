//! Requests of a user that are sent at once, and what comes after the slowest of them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::net::TcpListener;
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use common::http2::Http2Server;
use common::server::{FINE, Server};
use common::{config, rate, requests, route, run, users, whole_sessions, with};
use serde_json::{Value, json};

/// Steps that are sent at once.
const WIDTH: u32 = 3;

/// A request at the server: its target, and when it came and was answered.
type Seen = Arc<Mutex<Vec<(String, Instant, Instant)>>>;

/// A server that answers requests whose target begins with /at-once only once so many of them are there.
fn server() -> (Server, Seen) {
    let seen = Seen::default();
    let (ours, barrier) = (Arc::clone(&seen), Barrier::new(WIDTH as usize));
    let server = Server::new(move |line| {
        while let Some(request) = line.request() {
            let came = Instant::now();
            let target = request.split(' ').nth(1).unwrap().to_owned();
            if target.starts_with("/at-once") {
                barrier.wait();
            }
            if target.starts_with("/at-once/slow") {
                std::thread::sleep(Duration::from_millis(100));
            }
            seen.lock().unwrap().push((target, came, Instant::now()));
            if !line.say(FINE) {
                return;
            }
        }
    });
    (server, ours)
}

/// Five steps, of which those in the middle are sent at once.
fn grouped(config: Value) -> Value {
    with(config, |config| {
        let names = ["/first", "/at-once/slow", "/at-once/b", "/at-once/c", "/last"];
        config["routes"] = names.map(|name| route(name, name)).to_vec().into();
        config["scenarios"][0]["steps"] = json!([0, 1, 2, 3, 4]);
        config["scenarios"][0]["beside"] = json!([2, 3]);
        config["connections"]["most"] = json!(6);
    })
}

#[test]
fn the_steps_of_a_group_are_sent_at_once_and_the_next_after_the_slowest() {
    for threads in [1, 2] {
        let (server, seen) = server();
        let run = run(&with(grouped(users(config(server.address), 1)), |config| {
            config["threads"] = json!(threads);
            config["arrivals"]["users"]["loops"] = json!(3);
            config["think"] = json!({"constant": 0.03});
            config["routes"][3]["think"] = json!({"constant": 0.05});
        }));
        assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("loops", 15, 15));
        let seen = seen.lock().unwrap();
        for turn in seen.chunks(5) {
            assert_eq!((turn[0].0.as_str(), turn[4].0.as_str()), ("/first", "/last"));
            let end = turn[1..4].iter().map(|(_, _, answered)| *answered).max().unwrap();
            // The pause is that of the last step of the group.
            assert!(turn[4].1 - end >= Duration::from_millis(50));
            assert!(turn[1].1 - turn[0].2 >= Duration::from_millis(30));
        }
    }
}

#[test]
fn groups_of_all_models_leave_the_accounts_right() {
    for threads in [1, 2] {
        let (server, _) = server();
        for load in [
            users(config(server.address), 2),
            whole_sessions(config(server.address), 4, 20.0),
            with(rate(config(server.address), 20.0, 6), |config| config["stop"]["after_s"] = json!(0.4)),
        ] {
            let run = run(&with(grouped(load), |config| {
                config["threads"] = json!(threads);
                config["stop"]["requests"] = Value::Null;
                config["stop"]["after_s"] = json!(0.5);
                config["connections"]["most"] = json!(60);
            }));
            assert!(run.sum("due") > 5);
            assert_eq!(run.sum("due"), run.outcome("ok") + run.sum("unsent"));
        }
    }
}

#[test]
fn a_limit_within_a_group_is_kept_exactly() {
    let server = Server::fine();
    let run = run(&requests(grouped(users(config(server.address), 1)), 8));
    assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("requests", 8, 8));
}

#[test]
fn all_steps_of_a_group_have_the_row_of_their_loop() {
    let (server, seen) = server();
    run(&with(grouped(users(config(server.address), 1)), |config| {
        config["arrivals"]["users"]["loops"] = json!(2);
        config["feeds"] = json!([{"name": "n", "order": "sequential", "per": "loop", "counter": 7}]);
        for place in 1..4 {
            let target = config["routes"][place]["target"].as_str().unwrap().to_owned();
            config["routes"][place]["target"] = json!(target + "/{n}");
        }
    }));
    let numbers: Vec<String> = seen.lock().unwrap().iter().map(|(target, ..)| target.clone()).collect();
    let ends = |turn: &[String], number: &str| turn[1..4].iter().all(|target| target.ends_with(number));
    assert!(ends(&numbers[..5], "/7") && ends(&numbers[5..], "/8"), "{numbers:?}");
}

#[test]
fn a_group_over_http_2_shares_a_connection() {
    let server = Http2Server::fine();
    let run = run(&with(grouped(users(config(server.address), 1)), |config| {
        config["arrivals"]["users"]["loops"] = json!(4);
        config["connections"]["protocol"] = json!("http2");
        config["connections"]["streams"] = json!(100);
    }));
    assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("loops", 20, 20));
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_group_that_nobody_listens_to_is_not_asked_again_and_again() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = run(&with(grouped(users(config(address), 1)), |config| {
        config["scenarios"][0]["steps"] = json!([1, 2, 3]);
        config["scenarios"][0]["beside"] = json!([1, 2]);
        config["stop"]["after_s"] = json!(0.5);
    }));
    assert!(run.sum("due") < 60, "each failure is followed by a pause: {}", run.sum("due"));
}
