//! Caches of users: what is not asked again is no request, over HTTP/1.1 and HTTP/2.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use common::http2::{After, Asked, Http2Server};
use common::server::Server;
use common::{config, rate, requests, route, run, users, whole_sessions, with};
use http::Response;
use serde_json::{Value, json};

/// A config whose users have caches, and go through these targets so often.
fn cached(config: Value, targets: &[&str], loops: u64) -> Value {
    with(config, |config| {
        config["cache"] = json!({"entries": 100, "fresh": "reuse", "lasts": "user"});
        config["routes"] = targets.iter().map(|target| route(target, target)).collect();
        config["scenarios"][0]["steps"] = (0..targets.len()).collect();
        if config["arrivals"]["users"].is_object() {
            config["arrivals"]["users"]["loops"] = json!(loops);
        }
    })
}

/// Headers and status by the target: `/fresh` is good for an hour, `/asked` is asked about each time.
fn answer(target: &str, is_conditional: bool) -> (u16, &'static str, &'static str) {
    match target {
        "/fresh" => (200, "Cache-Control", "max-age=3600"),
        "/asked" if is_conditional => (304, "ETag", "\"a\""),
        "/asked" => (200, "ETag", "\"a\""),
        _ => (200, "Cache-Control", "no-store"),
    }
}

/// A server, and the first lines of what it was asked, with `?` behind those that have a condition.
fn serving() -> (Server, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let server = Server::new(move |line| {
        while let Some(request) = line.request() {
            let target = request.split(' ').nth(1).unwrap().to_owned();
            let is_conditional = request.contains("If-None-Match: \"a\"\r\n");
            let (status, name, value) = answer(&target, is_conditional);
            seen.lock().unwrap().push(format!("{target}{}", if is_conditional { "?" } else { "" }));
            let body = if status == 304 { "" } else { "Content-Length: 2\r\n\r\nok" };
            let end = if status == 304 { "\r\n" } else { "" };
            if !line.say(format!("HTTP/1.1 {status} x\r\n{name}: {value}\r\n{body}{end}").as_bytes()) {
                return;
            }
        }
    });
    (server, asked)
}

#[test]
fn a_user_asks_for_what_is_fresh_once_and_about_the_rest_each_time() {
    let (server, asked) = serving();
    let run = run(&cached(config(server.address), &["/page", "/fresh", "/asked"], 3));
    let first = ["/page", "/fresh", "/asked"];
    let later = ["/page", "/asked?"];
    assert_eq!(*asked.lock().unwrap(), [first.as_slice(), &later, &later].concat());
    assert_eq!((run.sum("due"), run.outcome("ok"), run.sum("from_cache")), (7, 7, 2));
    assert_eq!((run.route("/fresh"), run.sum("reused")), (1, 6));
    assert_eq!(run.why(), "loops");
    let not_modified: u64 = run.frames.iter().filter_map(|frame| frame["status"]["304"].as_u64()).sum();
    assert_eq!(not_modified, 2);
}

#[test]
fn each_user_has_a_cache_of_its_own() {
    let (server, _) = serving();
    let run = run(&cached(users(config(server.address), 4), &["/page", "/fresh"], 5));
    assert_eq!((run.route("/page"), run.route("/fresh"), run.sum("from_cache")), (20, 4, 16));
}

#[test]
fn without_a_cache_everything_is_asked() {
    let (server, _) = serving();
    let run = run(&with(cached(config(server.address), &["/fresh", "/asked"], 3), |config| {
        config["cache"] = Value::Null;
    }));
    assert_eq!((run.sum("due"), run.sum("from_cache")), (6, 0));
}

#[test]
fn answers_from_the_cache_do_not_count_for_a_limit_of_requests() {
    let (server, _) = serving();
    let run = run(&requests(cached(config(server.address), &["/page", "/fresh"], 1_000), 12));
    assert_eq!((run.sum("due"), run.route("/page"), run.why()), (12, 11, "requests"));
}

#[test]
fn a_user_who_needs_nothing_keeps_the_generator_idle() {
    let (server, _) = serving();
    let run = run(&with(cached(config(server.address), &["/fresh"], 1_000_000), |config| {
        config["stop"]["after_s"] = json!(1.0);
    }));
    assert_eq!(run.sum("due"), 1);
    // A pause of a millisecond follows each loop, so that there are no more of them than milliseconds.
    assert!((2..=1_000).contains(&run.sum("from_cache")), "{}", run.sum("from_cache"));
}

#[test]
fn steps_that_are_due_at_once_are_looked_up_too() {
    let (server, _) = serving();
    let run = run(&with(cached(config(server.address), &["/page", "/fresh", "/asked", "/a"], 4), |config| {
        config["connections"]["most"] = json!(3);
        config["scenarios"][0]["beside"] = json!([1, 2]);
    }));
    let routes = ["/page", "/fresh", "/asked", "/a"].map(|name| run.route(name));
    assert_eq!((routes, run.sum("from_cache")), ([4, 1, 4, 4], 3));
}

#[test]
fn a_step_before_others_at_once_may_be_the_one_that_is_fresh() {
    let (server, _) = serving();
    let run = run(&with(cached(config(server.address), &["/fresh", "/asked", "/a"], 4), |config| {
        config["connections"]["most"] = json!(3);
        config["scenarios"][0]["beside"] = json!([1]);
    }));
    let routes = ["/fresh", "/asked", "/a"].map(|name| run.route(name));
    assert_eq!((routes, run.sum("from_cache")), ([1, 4, 4], 3));
}

#[test]
fn arrivals_share_the_caches_of_their_users_and_sessions_have_new_ones() {
    let (server, _) = serving();
    let open =
        run(&with(cached(rate(config(server.address), 100.0, 4), &["/page", "/fresh"], 0), |config| {
            config["arrivals"]["rate"]["identities"] = json!(2);
            config["stop"]["after_s"] = json!(0.5);
        }));
    // Answers may be under way when a user's next arrival asks.
    assert_eq!(open.route("/page"), 50);
    assert_eq!(open.route("/fresh") + open.sum("from_cache"), 50);
    assert!(open.sum("from_cache") > 0);
    let sessions = run(&with(cached(config(server.address), &["/fresh", "/page"], 0), |config| {
        let sized = whole_sessions(config.clone(), 5, 50.0);
        config["arrivals"] = sized["arrivals"].clone();
        config["connections"]["most"] = json!(5);
        config["stop"] = json!({"after_s": 20.0, "requests": 20});
    }));
    assert_eq!((sessions.route("/page"), sessions.route("/fresh")), (15, 5));
    assert_eq!(sessions.sum("from_cache"), 10);
}

#[test]
fn over_http2_it_is_the_same() {
    let conditions = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&conditions);
    let server = Http2Server::new(None, move |asked: Asked| {
        let is_conditional = asked.request.headers().get("if-none-match").is_some_and(|tag| tag == "\"a\"");
        count.fetch_add(u64::from(is_conditional), Ordering::Relaxed);
        let (status, name, value) = answer(asked.request.uri().path(), is_conditional);
        let response = Response::builder().status(status).header(name, value).body(()).unwrap();
        asked.answer(response, if status == 304 { b"" } else { b"ok" }, &[]);
        After::Stay
    });
    let run =
        run(&with(cached(users(config(server.address), 3), &["/page", "/fresh", "/asked"], 4), |config| {
            config["connections"] = json!({"most": 1, "keep_alive": true, "protocol": "http2", "streams": 3});
        }));
    let routes = ["/page", "/fresh", "/asked"].map(|name| run.route(name));
    assert_eq!((routes, run.sum("from_cache")), ([12, 3, 12], 9), "{:?}", run.examples());
    assert_eq!((conditions.load(Ordering::Relaxed), run.sum("reused")), (9, 26));
    assert_eq!(run.outcome("ok"), 27);
}

#[test]
fn a_redirect_to_a_fresh_answer_ends_with_it() {
    let server = Server::new(|line| {
        while let Some(request) = line.request() {
            let answer = if request.starts_with("GET /go ") {
                "302 x\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n"
            } else {
                "200 x\r\nCache-Control: max-age=3600\r\nContent-Length: 2\r\n\r\nok"
            };
            if !line.say(format!("HTTP/1.1 {answer}").as_bytes()) {
                return;
            }
        }
    });
    let run = run(&with(cached(config(server.address), &["/go"], 4), |config| {
        config["routes"][0]["redirects"] = json!(2);
        config["routes"][0]["expect"]["status"] = json!([200]);
    }));
    assert_eq!(
        (run.outcome("ok"), server.requests(), run.sum("from_cache")),
        (4, 5, 0),
        "{:?}",
        run.examples()
    );
}
