//! Caches: what is asked again, what is asked about, and what is not asked at all.

use super::*;
use crate::config::Cache;

const HOUR: &str = "max-age=3600";

/// A scene with a cache; `change` sees its part of the config.
fn cached(routes: &[Value], change: impl FnOnce(&mut Value)) -> Scene {
    scene_with(routes, |config| {
        config["cache"] = json!({"entries": 100, "fresh": "reuse", "lasts": "user"});
        change(&mut config["cache"]);
    })
}

fn home() -> Scene {
    cached(&[route("home", "GET", "/")], |_| ())
}

impl Scene {
    /// The next request, as a worker sends it; none if the cache has a fresh answer.
    fn asked(&mut self) -> Option<(RouteId, String)> {
        let route = self.route();
        let mut out = Vec::new();
        if !self.book.is_cached(route) {
            return Some((route, self.compose(route)));
        }
        if self.book.look_up(&mut self.user, &mut self.walk, route, &mut out) {
            assert!(out.is_empty());
            return None;
        }
        Some((route, String::from_utf8(out).expect("these requests are texts")))
    }

    /// Makes the next request, which must be one, and answers it.
    fn answer(&mut self, status: u16, headers: &[(&str, &str)], body: &str) -> (String, Judgement) {
        let (route, bytes) = self.asked().expect("a request is made");
        let judgement = self.judge(route, status, headers, body);
        (bytes, judgement)
    }

    fn is_spared(&mut self) -> bool {
        self.asked().is_none()
    }

    fn value(&self, variable: usize) -> &[u8] {
        &self.user.variables[variable].value
    }
}

const PLAIN: &str = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n";

#[test]
fn a_fresh_answer_spares_the_request_until_it_is_stale() {
    let mut scene = home();
    let (bytes, _) = scene.answer(200, &[("Cache-Control", "max-age=10"), ("ETag", "\"a\"")], "");
    assert_eq!(bytes, PLAIN);
    scene.now_ns += 10 * S - 1;
    assert!(scene.is_spared());
    scene.now_ns += 1;
    let (bytes, judgement) = scene.answer(304, &[("Cache-Control", "max-age=10")], "");
    assert_eq!(bytes, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nIf-None-Match: \"a\"\r\n\r\n");
    assert_eq!(judgement.outcome, Outcome::Ok);
    scene.now_ns += 9 * S;
    assert!(scene.is_spared(), "what still holds is fresh again");
}

#[test]
fn an_answer_is_asked_about_by_all_its_validators() {
    let mut scene = home();
    let changed = "Tue, 14 Nov 2023 22:13:20 GMT";
    scene.answer(200, &[("Cache-Control", "no-cache"), ("Last-Modified", changed), ("ETag", "W/\"a\"")], "");
    let (bytes, _) = scene.answer(200, &[("Cache-Control", "no-cache"), ("ETag", "\"b\"")], "");
    let asked = format!("If-Modified-Since: {changed}\r\nIf-None-Match: W/\"a\"\r\n\r\n");
    assert!(bytes.ends_with(&asked), "{bytes}");
    let (bytes, _) = scene.answer(304, &[], "");
    assert!(bytes.ends_with("8000\r\nIf-None-Match: \"b\"\r\n\r\n"), "the newer answer stands: {bytes}");
    let (bytes, _) = scene.answer(304, &[("ETag", "\"c\"")], "");
    assert!(bytes.ends_with("If-None-Match: \"b\"\r\n\r\n"));
    assert!(scene.answer(304, &[], "").0.ends_with("If-None-Match: \"c\"\r\n\r\n"));
}

#[test]
fn where_fresh_answers_are_validated_every_request_is_made() {
    let mut scene = cached(&[route("home", "GET", "/")], |cache| cache["fresh"] = json!("validate"));
    assert_eq!(scene.answer(200, &[("Cache-Control", HOUR), ("ETag", "\"a\"")], "").0, PLAIN);
    let (bytes, judgement) = scene.answer(304, &[], "");
    assert!(bytes.contains("If-None-Match"));
    assert_eq!(judgement.outcome, Outcome::Ok);
}

#[test]
fn what_may_not_be_kept_is_asked_for_as_before() {
    for headers in [
        [("Cache-Control", "no-store, max-age=3600"), ("ETag", "\"a\"")],
        [("Cache-Control", HOUR), ("Vary", "*")],
        [("Cache-Control", HOUR), ("Vary", "Accept, *")],
        [("Cache-Control", "private"), ("X", "y")],
        [("Expires", "0"), ("X", "y")],
    ] {
        let mut scene = home();
        scene.answer(200, &headers, "");
        assert_eq!(scene.answer(200, &[], "").0, PLAIN, "{headers:?}");
    }
    for status in [206, 301, 404, 500] {
        let mut scene = home();
        scene.answer(status, &[("Cache-Control", HOUR), ("ETag", "\"a\"")], "");
        assert_eq!(scene.answer(200, &[], "").0, PLAIN, "{status}");
    }
}

#[test]
fn an_error_leaves_what_is_kept() {
    let mut scene = home();
    scene.answer(200, &[("Cache-Control", "no-cache"), ("ETag", "\"a\"")], "");
    assert_eq!(scene.answer(503, &[], "").1.outcome, Outcome::Http5xx);
    assert!(scene.answer(304, &[], "").0.contains("If-None-Match: \"a\""));
    let (route, _) = scene.asked().expect("a request is made");
    scene.book.lost(&mut scene.user, &mut scene.walk, route);
    assert!(scene.answer(304, &[], "").0.contains("If-None-Match: \"a\""));
}

#[test]
fn a_304_that_nobody_asked_for_is_judged_as_any_answer() {
    let expecting = with(route("home", "GET", "/"), "expect", {
        let mut expect = route("x", "GET", "/")["expect"].clone();
        expect["status"] = json!([200]);
        expect
    });
    let mut scene = cached(&[expecting], |_| ());
    assert_eq!(scene.answer(304, &[("ETag", "\"a\"")], "").1.outcome, Outcome::Http3xx);
    assert_eq!(scene.answer(200, &[("ETag", "\"a\"")], "").0, PLAIN);
    assert_eq!(scene.answer(304, &[], "").1.outcome, Outcome::Ok, "the answer of status 200 still holds");
    let (route, _) = scene.asked().expect("a request is made");
    let answer = Answer { status: 304, headers: &[], body: &[], body_bytes: 0, response_ns: 1 };
    scene.book.judge(&mut scene.user, &mut scene.walk, route, &answer, scene.now_ns);
}

#[test]
fn a_304_that_comes_too_late_fails_and_still_holds() {
    let mut expecting = route("home", "GET", "/");
    expecting["expect"]["time_s"] = json!(1.0);
    expecting["expect"]["size_min"] = json!(2);
    let mut scene = cached(&[expecting], |_| ());
    scene.answer(200, &[("ETag", "\"a\"")], "ok");
    let (route, _) = scene.asked().expect("a request is made");
    let headers = [Header { name: "cache-control", value: HOUR.as_bytes() }];
    let answer = Answer { status: 304, headers: &headers, body: &[], body_bytes: 0, response_ns: 2 * S };
    let judgement = scene.book.judge(&mut scene.user, &mut scene.walk, route, &answer, scene.now_ns);
    assert_eq!(judgement.outcome, Outcome::CheckFailed);
    assert!(scene.is_spared());
}

#[test]
fn a_bad_answer_is_not_kept() {
    let mut expecting = route("home", "GET", "/");
    expecting["expect"]["contains"] = json!(["ok"]);
    let mut scene = cached(&[expecting], |_| ());
    let headers = [("Cache-Control", "no-cache"), ("ETag", "\"a\"")];
    assert_eq!(scene.answer(200, &headers, "no").1.outcome, Outcome::CheckFailed);
    assert_eq!(scene.answer(200, &headers, "ok").0, PLAIN);
    assert!(scene.answer(200, &headers, "no").0.contains("If-None-Match"));
    assert_eq!(scene.answer(200, &headers, "ok").0, PLAIN, "what it would stand for is gone");
}

#[test]
fn values_are_those_of_the_answer_that_stands() {
    let extract = json!([{"into": "id", "json": "$.id"}, {"into": "code", "part": "status"}]);
    let first = with(route("first", "GET", "/{n}"), "extract", extract.clone());
    let second = with(route("second", "GET", "/{n}"), "extract", extract);
    let mut scene = scene_with(&[first, second], |config| {
        config["cache"] = json!({"entries": 100, "fresh": "reuse", "lasts": "user"});
        config["feeds"] = json!([{"name": "n", "order": "sequential", "values": ["a", "b"]}]);
    });
    scene.answer(200, &[("Cache-Control", HOUR)], "{\"id\": 1}");
    scene.answer(203, &[("ETag", "\"b\"")], "{\"id\": 2}");
    assert!(scene.is_spared());
    let code = scene.user.variables.iter().position(|variable| variable.value == b"200");
    let id = scene.user.variables.iter().position(|variable| variable.value == b"1");
    let (code, id) = (code.expect("a status"), id.expect("an id"));
    let (bytes, _) = scene.answer(304, &[], "");
    assert!(bytes.starts_with("GET /b ") && bytes.contains("If-None-Match"));
    assert_eq!((scene.value(id), scene.value(code)), (b"2".as_slice(), b"203".as_slice()));
}

#[test]
fn answers_that_vary_are_kept_for_each_value_of_the_header() {
    let by_tongue = with(route("home", "GET", "/"), "headers", json!([["Accept-Language", "{tongue}"]]));
    let mut scene = scene_with(&[by_tongue], |config| {
        config["cache"] = json!({"entries": 100, "fresh": "reuse", "lasts": "user"});
        config["feeds"] =
            json!([{"name": "tongue", "order": "sequential", "values": ["ko", "en", "ko", "en"]}]);
    });
    let varying = |tag| [("Vary", "Accept-Language, X-Missing"), ("ETag", tag)];
    assert!(!scene.answer(200, &varying("\"ko\""), "").0.contains("If"));
    assert!(!scene.answer(200, &varying("\"en\""), "").0.contains("If"), "another answer");
    let (bytes, _) = scene.answer(304, &[("Cache-Control", HOUR)], "");
    assert!(bytes.contains("If-None-Match: \"ko\""), "{bytes}");
    assert!(scene.answer(304, &[], "").0.contains("If-None-Match: \"en\""));
    assert!(scene.is_spared());
    assert!(scene.answer(304, &[], "").0.contains("If-None-Match: \"en\""));
}

#[test]
fn an_answer_that_depends_on_more_than_can_be_read_is_not_kept() {
    let names: Vec<String> = (0..17).map(|n| format!("X-{n}")).collect();
    let mut scene = home();
    scene.answer(200, &[("Cache-Control", HOUR), ("Vary", &names[1..].join(","))], "");
    assert!(scene.is_spared());
    let mut scene = home();
    scene.answer(200, &[("Cache-Control", HOUR), ("Vary", &names.join(","))], "");
    assert!(!scene.is_spared());
    let headers: Vec<Value> = (0..129).map(|n| json!([format!("X-{n}"), "a"])).collect();
    let mut scene = cached(&[with(route("home", "GET", "/"), "headers", headers.into())], |_| ());
    scene.answer(200, &[("Cache-Control", HOUR)], "");
    assert!(!scene.is_spared());
}

#[test]
fn a_change_forgets_what_it_changes() {
    let item = |method| route(&format!("item {method}"), method, "/item");
    let mut scene = cached(&[item("GET"), item("POST")], |_| ());
    scene.answer(200, &[("Cache-Control", HOUR)], "");
    scene.answer(500, &[], "");
    assert!(scene.is_spared(), "what was refused has changed nothing");
    scene.answer(201, &[], "");
    assert!(!scene.is_spared());
}

#[test]
fn targets_and_servers_are_told_apart() {
    let there = with(route("there", "GET", "/"), "server", json!(1));
    let mut scene =
        scene_with(&[route("home", "GET", "/"), there, route("query", "GET", "/?a=1")], |config| {
            config["cache"] = json!({"entries": 100, "fresh": "reuse", "lasts": "user"});
            config["further_servers"] = json!([config["server"].clone()]);
        });
    for _ in 0..3 {
        scene.answer(200, &[("Cache-Control", HOUR)], "");
    }
    assert!(scene.is_spared() && scene.is_spared() && scene.is_spared());
}

#[test]
fn only_plain_gets_are_looked_up() {
    let own = with(route("own", "GET", "/"), "headers", json!([["If-None-Match", "\"x\""]]));
    let part = with(route("part", "GET", "/"), "headers", json!([["range", "bytes=0-9"]]));
    let body = with(route("body", "GET", "/"), "body", json!("x"));
    let routes =
        [own, part, body, route("head", "HEAD", "/"), route("post", "POST", "/"), route("get", "GET", "/")];
    let scene = cached(&routes, |_| ());
    let is_cached: Vec<bool> = (0..6).map(|n| scene.book.is_cached(RouteId::of(n))).collect();
    assert_eq!(is_cached, [false, false, false, false, false, true]);
    let without = scene_with(&routes, |_| ());
    assert!((0..6).all(|n| !without.book.is_cached(RouteId::of(n))));
}

#[test]
fn a_request_may_want_to_be_asked_or_not_to_be_kept() {
    let controlled =
        |name, value| with(route(name, "GET", "/"), "headers", json!([["Cache-Control", value]]));
    let mut scene =
        cached(&[controlled("a", "no-cache"), controlled("b", "no-store"), route("c", "GET", "/")], |_| ());
    let fresh = [("Cache-Control", HOUR), ("ETag", "\"a\"")];
    scene.answer(200, &fresh, "");
    assert!(!scene.answer(200, &[("Cache-Control", HOUR), ("ETag", "\"b\"")], "").0.contains("If-None"));
    assert!(scene.is_spared());
    assert!(scene.answer(304, &[], "").0.contains("If-None-Match: \"a\""));
}

#[test]
fn a_cache_may_end_with_the_loop() {
    let twice = [route("a", "GET", "/"), route("b", "GET", "/")];
    let mut scene = cached(&twice, |cache| cache["lasts"] = json!("loop"));
    for _ in 0..2 {
        assert_eq!(scene.answer(200, &[("Cache-Control", HOUR)], "").0, PLAIN);
        assert!(scene.is_spared());
    }
}

#[test]
fn a_cache_keeps_no_more_than_it_may() {
    let mut scene = scene_with(&[route("a", "GET", "/{n}")], |config| {
        config["cache"] = json!({"entries": 2, "fresh": "reuse", "lasts": "user"});
        config["feeds"] = json!([{"name": "n", "order": "sequential", "values": ["1", "2", "3", "1", "3"]}]);
    });
    for _ in 0..3 {
        scene.answer(200, &[("Cache-Control", HOUR)], "");
    }
    assert!(!scene.is_spared());
    assert!(scene.is_spared());
}

#[test]
fn a_redirect_leads_into_the_cache() {
    let mut follows = route("go", "GET", "/go");
    follows["redirects"] = json!(3);
    let mut scene = cached(&[follows], |_| ());
    let there = [("Location", "/there")];
    let (route, bytes) = scene.asked().expect("a request is made");
    assert!(bytes.starts_with("GET /go "));
    assert!(scene.redirect(route, 302, &there).is_ok_and(|bytes| bytes.starts_with("GET /there ")));
    scene.judge(route, 200, &[("Cache-Control", "max-age=10"), ("ETag", "\"t\"")], "");
    let (route, bytes) = scene.asked().expect("the redirect itself is not kept");
    assert!(bytes.starts_with("GET /go ") && !bytes.contains("If-None-Match"));
    assert_eq!(scene.redirect(route, 302, &there), Ok(String::new()), "the answer there is fresh");
    scene.now_ns += 10 * S;
    let (route, _) = scene.asked().expect("a request is made");
    let hop = scene.redirect(route, 302, &there).expect("it is followed");
    assert!(hop.starts_with("GET /there ") && hop.contains("If-None-Match: \"t\""), "{hop}");
    assert_eq!(scene.judge(route, 304, &[], "").outcome, Outcome::Ok);
}

#[test]
fn a_request_without_a_value_is_not_looked_up() {
    let order = with(route("order", "POST", "/orders"), "extract", json!([{"into": "id", "json": "$.id"}]));
    let mut scene = cached(&[order, route("look", "GET", "/orders/{id}")], |_| ());
    for _ in 0..2 {
        scene.answer(500, &[], "");
        let (bytes, judgement) = scene.answer(200, &[("Cache-Control", HOUR)], "");
        assert!(bytes.starts_with("GET /orders/ "));
        assert_eq!(judgement.outcome, Outcome::CheckFailed);
    }
}

#[test]
fn a_cache_is_that_of_one_user() {
    let mut scene = home();
    scene.answer(200, &[("Cache-Control", HOUR)], "");
    assert!(scene.is_spared());
    scene.user = scene.book.new_user(1);
    assert!(!scene.is_spared());
}

#[test]
fn a_cache_without_entries_is_refused() {
    let mut config = small();
    config["cache"] = json!({"entries": 0, "fresh": "reuse", "lasts": "user"});
    let refusal = EngineConfig::parse(&config.to_string()).expect_err("it keeps nothing");
    assert_eq!(refusal.where_, "cache.entries");
    config["cache"]["entries"] = json!(1);
    let entries = EngineConfig::parse(&config.to_string())
        .map(|config| config.cache.map(|Cache { entries, .. }| entries));
    assert_eq!(entries.ok().flatten(), Some(1));
}

proptest! {
    /// Whatever a server answers: a request is made, or the latest good answer was fresh.
    #[test]
    fn no_answer_stands_longer_than_it_said(
        lives in prop::collection::vec((0_u64..20, 1_u64..15, any::<bool>()), 1..30),
    ) {
        let mut scene = home();
        let mut until_ns = 0;
        for (life, passes, is_good) in lives {
            let spared = scene.asked();
            prop_assert_eq!(spared.is_none(), scene.now_ns < until_ns);
            if let Some((route, bytes)) = spared {
                let control = format!("max-age={life}");
                let status = match (is_good, bytes.contains("If-None-Match")) {
                    (false, _) => 500,
                    (true, true) => 304,
                    (true, false) => 200,
                };
                scene.judge(route, status, &[("Cache-Control", &control), ("ETag", "\"a\"")], "");
                if is_good {
                    until_ns = scene.now_ns + life * S;
                }
            }
            scene.now_ns += passes * S;
        }
    }
}
