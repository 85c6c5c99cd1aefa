//! HTTP/2: many requests on one connection, and what goes wrong with one stream or with all.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use common::http2::{After, Asked, Http2Server};
use common::{Engine, config, rate, requests, route, run, users, whole_sessions, with};
use http::Response;
use serde_json::{Value, json};

/// So many streams at once on each of so many connections.
fn over(config: Value, connections: u32, streams: u32) -> Value {
    with(config, |config| {
        config["connections"] =
            json!({"most": connections, "keep_alive": true, "protocol": "http2", "streams": streams});
    })
}

#[test]
fn many_requests_share_a_connection() {
    let server = Http2Server::fine();
    let run = run(&requests(over(users(config(server.address), 24), 2, 12), 240));
    assert_eq!((run.outcome("ok"), run.sum("opened"), run.sum("reused")), (240, 2, 238));
    assert_eq!(server.connections(), 2);
    assert_eq!(run.histogram("connect").count(), 2);
    assert_eq!(run.sum("sent"), 240);
}

#[test]
fn a_connection_is_filled_before_another_is_opened() {
    let server = Http2Server::fine();
    let run = run(&requests(over(users(config(server.address), 10), 10, 100), 100));
    assert_eq!((run.outcome("ok"), server.connections()), (100, 1));
}

#[test]
fn the_servers_limit_of_streams_is_kept_by_opening_more_connections() {
    let server = Http2Server::new(Some(4), |asked| {
        asked.fine_after(Duration::from_millis(5));
        After::Stay
    });
    let run = run(&requests(over(users(config(server.address), 16), 8, 50), 200));
    assert_eq!(run.outcome("ok"), 200, "{:?}", run.examples());
    assert!(server.connections() >= 4, "{} connections of 4 streams for 16 users", server.connections());
    assert!(run.sum("opened") == server.connections());
}

#[test]
fn fewer_streams_than_users_make_the_others_wait() {
    let server = Http2Server::new(None, |asked| {
        asked.fine_after(Duration::from_millis(10));
        After::Stay
    });
    let run = run(&requests(over(users(config(server.address), 10), 1, 4), 50));
    assert_eq!((run.outcome("ok"), server.connections()), (50, 1));
    assert!(run.sum("capped") > 0, "six of ten had to wait");
    assert!(run.histogram("wait").max_ns() > 8_000_000, "a stream was waited for");
}

#[test]
fn an_open_load_is_spread_over_streams() {
    let server = Http2Server::fine();
    let run = run(&with(over(rate(config(server.address), 500.0, 3), 3, 20), |config| {
        config["stop"]["after_s"] = json!(0.5);
    }));
    assert_eq!(run.outcome("ok"), 250, "{:?}", run.examples());
    assert_eq!(run.histogram("lag").count(), 250);
}

#[test]
fn sessions_bring_connections_of_their_own() {
    let server = Http2Server::fine();
    let run = run(&whole_sessions(over(config(server.address), 100, 10), 10, 50.0));
    assert_eq!((run.outcome("ok"), server.connections()), (30, 10), "{:?}", run.examples());
}

#[test]
fn without_keep_alive_every_request_has_its_own_connection() {
    let server = Http2Server::fine();
    let run = run(&with(requests(over(users(config(server.address), 3), 3, 5), 30), |config| {
        config["connections"]["keep_alive"] = json!(false);
    }));
    assert_eq!((run.outcome("ok"), run.sum("opened"), run.sum("reused")), (30, 30, 0));
}

#[test]
fn the_server_sees_what_the_plan_says() {
    let server = Http2Server::new(None, |asked: Asked| {
        let (head, body) = asked.request.clone().into_parts();
        let is_right = head.method == "POST"
            && head.uri == "http://shop.test/cart?a=%20b"
            && head.headers["x-id"] == "7"
            && head.headers["content-length"] == "300000"
            && !head.headers.contains_key("connection")
            && !head.headers.contains_key("host")
            && body.len() == 300_000;
        let status = if is_right { 200 } else { 400 };
        let shown = format!("{head:?}");
        asked.answer(Response::builder().status(status).body(()).unwrap(), shown.as_bytes(), &[]);
        After::Stay
    });
    let run = run(&with(requests(over(users(config(server.address), 4), 1, 4), 12), |config| {
        let cart = &mut config["routes"][0];
        cart["method"] = json!("POST");
        cart["target"] = json!("/cart?a=%20b");
        cart["headers"] = json!([["Host", "shop.test"], ["X-Id", "7"], ["Connection", "keep-alive"]]);
        cart["body"] = json!("x".repeat(300_000));
    }));
    assert_eq!(run.outcome("ok"), 12, "{:?}", run.examples());
    assert!(run.sum("bytes_out") > 12 * 300_000);
}

#[test]
fn checks_extractions_and_cookies_work_as_they_do_on_http1() {
    let server = Http2Server::new(None, |asked: Asked| {
        let path = asked.request.uri().path().to_owned();
        let has_cookie = asked.request.headers().get("cookie").is_some_and(|cookie| cookie == "sid=abc");
        let response = Response::builder().header("set-cookie", "sid=abc; Path=/").header("X-Next", "42");
        let body = if path == "/begin" || (path == "/items/42" && has_cookie) { "right" } else { "wrong" };
        asked.answer(response.body(()).unwrap(), body.as_bytes(), &[]);
        After::Stay
    });
    let run = run(&with(requests(over(users(config(server.address), 2), 1, 2), 20), |config| {
        let mut begin = route("begin", "/begin");
        begin["extract"] = json!([{"into": "next", "header": "x-next"}]);
        begin["expect"]["contains"] = json!(["right"]);
        let mut item = route("item", "/items/{next}");
        item["expect"]["contains"] = json!(["right"]);
        config["routes"] = json!([begin, item]);
        config["scenarios"] = json!([{"name": "both", "weight": 1.0, "steps": [0, 1]}]);
    }));
    assert_eq!(run.outcome("ok"), 20, "{:?}", run.examples());
}

#[test]
fn a_redirect_is_followed_on_the_same_connection() {
    let server = Http2Server::new(None, |asked: Asked| {
        if asked.request.uri().path() == "/old" {
            asked.answer(
                Response::builder().status(302).header("location", "/new").body(()).unwrap(),
                b"",
                &[],
            );
        } else {
            asked.fine();
        }
        After::Stay
    });
    let run = run(&with(requests(over(users(config(server.address), 2), 1, 2), 10), |config| {
        config["routes"] = json!([route("old", "/old")]);
        config["routes"][0]["redirects"] = json!(2);
    }));
    assert_eq!((run.outcome("ok"), server.connections()), (10, 1), "{:?}", run.examples());
}

#[test]
fn a_reset_stream_fails_alone() {
    let server = Http2Server::new(None, |asked: Asked| {
        if asked.request.uri().path() == "/bad" {
            asked.reset(h2::Reason::REFUSED_STREAM);
        } else {
            asked.fine();
        }
        After::Stay
    });
    let run = run(&with(requests(over(users(config(server.address), 8), 1, 8), 200), |config| {
        config["routes"] = json!([route("good", "/"), route("bad", "/bad")]);
        config["scenarios"] = json!([{"name": "both", "weight": 1.0, "steps": [0, 1]}]);
    }));
    let (good, reset) = (run.outcome("ok"), run.outcome("stream_reset"));
    assert_eq!((good + reset, run.route("good"), server.connections()), (200, good, 1));
    assert!(reset >= 90 && run.sum("stream_resets") == reset, "{reset} of 200");
    assert!(run.examples()[0].to_string().contains("REFUSED_STREAM"), "{:?}", run.examples());
}

#[test]
fn a_connection_that_is_renewed_ends_with_the_last_of_its_streams() {
    let server = Http2Server::new(None, |asked| {
        asked.fine_after(Duration::from_millis(20));
        After::Stay
    });
    let mut engine = Engine::start(&with(over(users(config(server.address), 12), 1, 12), |config| {
        config["stop"]["after_s"] = json!(1.0);
    }));
    engine.next().unwrap();
    engine.tell(&json!({"renew": "an overload is over"}));
    let run = engine.finish();
    assert_eq!((run.sum("opened"), server.connections()), (2, 2), "one after the other");
    assert_eq!(run.outcome("ok"), run.sum("due"), "no request suffers");
}

#[test]
fn after_goaway_another_connection_is_opened() {
    let server = Http2Server::new(None, |asked: Asked| {
        let says_goaway = asked.n == 9;
        asked.fine();
        if says_goaway { After::GoAway } else { After::Stay }
    });
    let run = run(&requests(over(users(config(server.address), 1), 1, 1), 50));
    assert_eq!(run.outcome("ok") + run.outcome("go_away"), 50, "{:?}", run.examples());
    assert!(run.outcome("ok") >= 45, "those under way are answered: {:?}", run.examples());
    assert!(run.sum("goaways") >= 4 && server.connections() >= 4);
}

#[test]
fn a_time_out_cancels_its_stream_and_no_other() {
    let server = Http2Server::new(None, |asked: Asked| {
        if asked.request.uri().path() == "/never" {
            asked.fine_after(Duration::from_secs(60));
        } else {
            asked.fine();
        }
        After::Stay
    });
    let run = run(&with(requests(over(users(config(server.address), 4), 1, 4), 40), |config| {
        let mut never = route("never", "/never");
        never["timeout_s"] = json!(0.05);
        config["routes"] = json!([route("good", "/"), never]);
        config["scenarios"] = json!([{"name": "both", "weight": 1.0, "steps": [0, 1]}]);
    }));
    assert_eq!(run.outcome("ok") + run.outcome("timeout"), 40);
    assert_eq!((run.route("never"), server.connections()), (run.outcome("timeout"), 1));
    assert!(run.outcome("timeout") >= 18);
    assert!(run.examples()[0].to_string().contains("no answer"), "{:?}", run.examples());
}

#[test]
fn an_answer_that_stops_in_the_middle_is_a_time_out_with_that_word() {
    let server = Http2Server::new(None, |asked: Asked| {
        let stream = asked.begin(100, b"half");
        std::mem::forget(stream);
        After::Stay
    });
    let run = run(&with(requests(over(users(config(server.address), 2), 1, 2), 4), |config| {
        config["timeouts"]["request_s"] = json!(0.1);
    }));
    assert_eq!(run.outcome("timeout"), 4);
    assert!(run.examples()[0].to_string().contains("no whole answer"), "{:?}", run.examples());
}

#[test]
fn a_server_that_speaks_http1_is_told_by_name() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
        }
    });
    let run = run(&requests(over(users(config(address), 3), 1, 3), 6));
    assert_eq!(run.outcome("not_http"), 6, "{:?}", run.examples());
    assert!(run.examples()[0].to_string().contains("answers in HTTP/1"), "{:?}", run.examples());
}

#[test]
fn a_closed_connection_fails_all_that_it_carries() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 1024]);
        }
    });
    let run = run(&requests(over(users(config(address), 5), 1, 5), 10));
    let lost = run.outcome("closed") + run.outcome("reset");
    assert_eq!(lost, 10, "{:?}", run.examples());
}

#[test]
fn where_nobody_listens_every_request_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let run = run(&requests(over(users(config(address), 3), 2, 3), 9));
    assert_eq!(run.outcome("connect_refused"), 9, "{:?}", run.examples());
}

#[test]
fn streams_are_refused_where_only_http2_has_them() {
    let config =
        with(config(([127, 0, 0, 1], 9).into()), |config| config["connections"]["streams"] = json!(2));
    let mut engine = common::Engine::prepare(&config);
    let said = engine.next().unwrap();
    assert_eq!(said["refused"]["where"], "connections.streams", "{said}");
}
