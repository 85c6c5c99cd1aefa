//! Loads of several servers: connections to each, cookies by host, redirects from one to another.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::net::SocketAddr;
use std::time::Duration;

use common::http2::Http2Server;
use common::server::{FINE, Server};
use common::{config, rate, requests, route, run, users, whole_sessions, with};
use serde_json::{Value, json};

/// The load with a second server, to which every user goes after the first one.
fn beside(load: Value, second: SocketAddr) -> Value {
    with(load, |load| {
        load["further_servers"] = json!([config(second)["server"]]);
        load["routes"] = json!([route("first", "/first"), route("second", "/second")]);
        load["routes"][1]["server"] = json!(1);
        load["routes"][1]["headers"] = json!([["Host", second.to_string()]]);
        load["scenarios"][0]["steps"] = json!([0, 1]);
    })
}

/// Answers with 200 to a request that holds this, and with 400 to others.
fn wanting(text: impl Into<String>) -> Server {
    let text = text.into();
    Server::new(move |line| {
        while let Some(request) = line.request() {
            let answer: &[u8] =
                if request.contains(&text) { FINE } else { b"HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n" };
            if !line.say(answer) {
                return;
            }
        }
    })
}

#[test]
fn each_user_keeps_a_connection_to_each_server() {
    let (first, second) = (wanting("GET /first "), wanting("GET /second "));
    let run = run(&requests(beside(users(config(first.address), 3), second.address), 60));
    // A user that is not answered for a moment may come to the second server only after the last request.
    let opened = first.connections() + second.connections();
    assert_eq!(
        (run.outcome("ok"), run.sum("opened"), run.sum("reused")),
        (60, opened, 60 - opened),
        "{:?}",
        run.examples()
    );
    for server in [&first, &second] {
        assert!((1..=3).contains(&server.connections()), "{}", server.connections());
    }
    assert_eq!(first.requests() + second.requests(), 60);
}

#[test]
fn sessions_open_and_close_a_connection_to_each_server() {
    let (first, second) = (Server::fine(), Server::fine());
    let run = run(&whole_sessions(beside(config(first.address), second.address), 5, 50.0));
    assert_eq!(run.outcome("ok"), 15);
    assert_eq!(run.sum("opened"), first.connections() + second.connections());
}

#[test]
fn a_connection_that_a_server_closes_while_its_user_is_at_another_is_made_anew() {
    let first = Server::new(|line| {
        let _ = line.request().is_some() && line.say(FINE);
    });
    let second = Server::new(|line| {
        while line.request().is_some() {
            std::thread::sleep(Duration::from_millis(20));
            if !line.say(FINE) {
                return;
            }
        }
    });
    let run = run(&requests(beside(users(config(first.address), 2), second.address), 20));
    assert_eq!((run.outcome("ok"), first.connections(), second.connections()), (20, 10, 2));
}

#[test]
fn arrivals_share_the_connections_of_the_server_that_they_go_to() {
    let (first, second) = (wanting("GET /first "), wanting("GET /second "));
    let load = with(beside(rate(config(first.address), 400.0, 2), second.address), |load| {
        load["scenarios"] = json!([{"name": "first", "weight": 1.0, "steps": [0]},
                                   {"name": "second", "weight": 1.0, "steps": [1]}]);
    });
    let run = run(&requests(load, 100));
    assert_eq!(run.outcome("ok"), 100, "{:?}", run.examples());
    assert_eq!(first.requests() + second.requests(), 100);
    assert!(first.connections() <= 2 && second.connections() <= 2);
}

#[test]
fn a_server_that_does_not_answer_holds_up_no_request_to_another() {
    let silent = Server::new(|line| while line.request().is_some() {});
    for target_is_silent in [true, false] {
        let fine = Server::fine();
        let (first, second) =
            if target_is_silent { (silent.address, fine.address) } else { (fine.address, silent.address) };
        let load = with(beside(rate(config(first), 100.0, 1), second), |load| {
            load["timeouts"]["request_s"] = json!(0.5);
            load["stop"]["after_s"] = json!(1.0);
            load["scenarios"] = json!([{"name": "first", "weight": 1.0, "steps": [0]},
                                       {"name": "second", "weight": 1.0, "steps": [1]}]);
        });
        let run = run(&load);
        assert_eq!(run.outcome("ok"), fine.requests());
        assert!(run.outcome("ok") > 20, "{}", run.outcome("ok"));
        assert_eq!(run.outcome("ok") + run.outcome("timeout") + run.sum("unsent"), 100);
    }
}

#[test]
fn streams_go_to_the_server_of_their_request() {
    let (first, second) = (Http2Server::fine(), Http2Server::fine());
    for load in
        [requests(users(config(first.address), 6), 120), whole_sessions(config(first.address), 40, 100.0)]
    {
        let load = with(beside(load, second.address), |load| {
            load["connections"] = json!({"most": 6, "keep_alive": true, "protocol": "http2", "streams": 3});
        });
        let before = first.connections() + second.connections();
        let run = run(&load);
        assert_eq!(run.outcome("ok"), 120, "{:?}", run.examples());
        assert_eq!(run.sum("opened"), first.connections() + second.connections() - before);
    }
}

#[test]
fn a_redirect_leads_from_one_server_to_another_and_back() {
    let second = Server::new(|line| {
        while let Some(request) = line.request() {
            let from = request.lines().find_map(|line| line.strip_prefix("X-From: ")).unwrap_or("");
            let answer =
                format!("HTTP/1.1 302 Found\r\nLocation: http://{from}/end\r\nContent-Length: 0\r\n\r\n");
            if !line.say(answer.as_bytes()) {
                return;
            }
        }
    });
    let there = second.address;
    let first = Server::new(move |line| {
        while let Some(request) = line.request() {
            let answer = if request.starts_with("GET /end") {
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend".to_owned()
            } else {
                format!("HTTP/1.1 302 Found\r\nLocation: http://{there}/in\r\nContent-Length: 0\r\n\r\n")
            };
            if !line.say(answer.as_bytes()) {
                return;
            }
        }
    });
    let loads = [users(config(first.address), 2), rate(config(first.address), 200.0, 2)];
    for load in loads {
        let before = (first.requests(), second.requests());
        let run = run(&with(requests(beside(load, there), 10), |load| {
            load["scenarios"][0]["steps"] = json!([0]);
            load["routes"][0]["redirects"] = json!(2);
            load["routes"][0]["expect"]["contains"] = json!(["end"]);
            let here = first.address.to_string();
            load["routes"][0]["headers"] = json!([["Host", here], ["X-From", here]]);
        }));
        assert_eq!((run.outcome("ok"), run.sum("sent")), (10, 10), "{:?}", run.examples());
        assert_eq!((first.requests() - before.0, second.requests() - before.1), (20, 10));
    }
}

#[test]
fn cookies_go_to_the_host_that_set_them_at_any_port() {
    let setting = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nContent-Length: 0\r\n\r\n";
    let same_host = wanting("Cookie: a=1\r\n");
    let first = Server::answering(setting);
    let alike = run(&requests(beside(users(config(first.address), 1), same_host.address), 10));
    assert_eq!(alike.outcome("ok"), 10, "{:?}", alike.examples());
    let other_host = Server::at("127.0.0.2:0", |line| {
        while let Some(request) = line.request() {
            let answer: &[u8] = if request.contains("Cookie") { b"HTTP/1.1 400 No\r\n\r\n" } else { FINE };
            if !line.say(answer) {
                return;
            }
        }
    });
    // Another system than Linux may have no such address.
    let Ok(other_host) = other_host else { return };
    let other = run(&requests(beside(users(config(first.address), 1), other_host.address), 10));
    assert_eq!(other.outcome("ok"), 10, "{:?}", other.examples());
}
