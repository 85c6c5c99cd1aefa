//! Instant at which users log in.

use super::*;

/// Route 0 asks with a token, route 1 gets one.
fn login_scene(login: &Value) -> Scene {
    let asks = with(route("ask", "GET", "/"), "headers", json!([["Authorization", "Bearer {token}"]]));
    let mut enter =
        with(route("enter", "POST", "/login"), "extract", json!([{"into": "token", "json": "/token"}]));
    enter["class"] = json!("login");
    scene_with(&[asks, enter], |config| {
        config["scenarios"][0]["steps"] = json!([0, 0]);
        config["think"] = json!({"constant": 3.0});
        config["login"] = json!({"route": 1, "lasts_s": null, "lasts_from": null, "again_on": [401]});
        for (key, value) in login.as_object().expect("an object") {
            config["login"][key] = value.clone();
        }
    })
}

impl Scene {
    /// Logs in with this token, which must be what comes next.
    fn enter(&mut self, token: &str) -> Option<LoginMark> {
        let route = self.route();
        assert_eq!(route, RouteId::of(1), "a login comes next");
        self.compose(route);
        self.judge(route, 200, &[], &json!({"token": token, "life": 5}).to_string()).login
    }

    /// Asks, which must be what comes next, and gets this status.
    fn ask(&mut self, status: u16) -> (String, Outcome) {
        let route = self.route();
        assert_eq!(route, RouteId::of(0), "no login comes next");
        let bytes = self.compose(RouteId::of(0));
        (bytes, self.judge(RouteId::of(0), status, &[], "").outcome)
    }
}

#[test]
fn a_login_comes_before_the_first_request_and_only_then() {
    let mut scene = login_scene(&json!({}));
    assert_eq!(scene.enter("t1"), Some(LoginMark::First));
    for _ in 0..5 {
        let (bytes, outcome) = scene.ask(200);
        assert!(bytes.contains("Authorization: Bearer t1\r\n"));
        assert_eq!(outcome, Outcome::Ok);
    }
}

#[test]
fn a_refused_token_is_got_again_before_the_next_request() {
    let mut scene = login_scene(&json!({}));
    scene.enter("t1");
    assert_eq!(scene.ask(401).1, Outcome::Http4xx, "the refusal itself counts");
    assert_eq!(scene.enter("t2"), Some(LoginMark::Again));
    assert!(scene.ask(200).0.contains("Bearer t2"));
    assert_eq!(scene.ask(403).1, Outcome::Http4xx);
    assert!(scene.ask(200).0.contains("Bearer t2"), "403 says nothing about the token");
}

#[test]
fn a_token_lives_as_long_as_the_plan_says() {
    let mut scene = login_scene(&json!({"lasts_s": 12.0}));
    scene.enter("t1");
    scene.now_ns += 12 * S - 1;
    scene.ask(200);
    scene.now_ns += 1;
    assert_eq!(scene.enter("t2"), Some(LoginMark::Again));
}

#[test]
fn a_token_lives_as_long_as_its_answer_says() {
    let mut scene = login_scene(&json!({"lasts_s": 12.0, "lasts_from": {"json": "/life"}}));
    scene.enter("t1");
    scene.now_ns += 5 * S - 1;
    scene.ask(200);
    scene.now_ns += 1;
    assert_eq!(scene.enter("t2"), Some(LoginMark::Again));
}

/// Seconds after which each of 200 users logs in again whose tokens all live 12 s from the same moment on.
fn renewals(jitter: f64) -> Vec<f64> {
    let mut scene = login_scene(&json!({"lasts_s": 12.0, "jitter": jitter}));
    let began_ns = scene.now_ns;
    let mut found = Vec::new();
    for index in 0..200 {
        scene.user = scene.book.new_user(index);
        scene.walk = scene.book.begin(&mut scene.user, 0);
        scene.now_ns = began_ns;
        scene.enter("t");
        // A tenth of a second between its requests.
        loop {
            scene.now_ns += S / 10;
            if scene.route() == RouteId::of(1) {
                break;
            }
            scene.judge(RouteId::of(0), 200, &[], "");
        }
        found.push((scene.now_ns - began_ns) as f64 / 1e9);
    }
    found
}

#[test]
fn users_with_jitter_renew_at_their_own_times_and_none_after_its_end() {
    let found = renewals(0.5);
    assert!(found.iter().all(|at| (6.0..=12.0).contains(at)), "{found:?}");
    for second in 6..12 {
        let within = |at: &&f64| (f64::from(second)..f64::from(second + 1)).contains(*at);
        let count = found.iter().filter(within).count();
        // A sixth of 200 is 33, with a deviation of 5.3.
        assert!((12..55).contains(&count), "{count} in second {second}");
    }
    assert_eq!(found, renewals(0.5), "the same seed gives the same times");
}

#[test]
fn users_without_jitter_renew_together() {
    assert!(renewals(0.0).iter().all(|at| (*at - 12.0).abs() < 1e-6));
}

#[test]
fn a_login_that_does_not_say_its_life_has_failed() {
    for (body, reason) in [
        (r#"{"token": "t"}"#, "the body has no /life"),
        (r#"{"token": "t", "life": "soon"}"#, "no number of seconds"),
        (r#"{"token": "t", "life": -1}"#, "no number of seconds"),
    ] {
        let mut scene = login_scene(&json!({"lasts_from": {"json": "/life"}}));
        let route = scene.route();
        let judgement = scene.judge(route, 200, &[], body);
        assert_eq!((judgement.outcome, judgement.login), (Outcome::CheckFailed, None));
        assert!(judgement.detail.is_some_and(|detail| detail.contains(reason)));
        assert_eq!(scene.route(), RouteId::of(1), "it is tried again");
    }
}

#[test]
fn a_login_that_fails_is_tried_again() {
    let mut scene = login_scene(&json!({}));
    let login = scene.route();
    assert_eq!(scene.judge(login, 500, &[], "").login, None);
    let login = scene.route();
    assert_eq!(login, RouteId::of(1));
    scene.book.lost(&mut scene.user, &mut scene.walk, login);
    assert_eq!(scene.enter("t1"), Some(LoginMark::First));
}

#[test]
fn other_walks_of_a_user_wait_for_its_login() {
    let mut scene = login_scene(&json!({}));
    let mut other = scene.book.begin(&mut scene.user, 0);
    let login = scene.route();
    assert_eq!(scene.book.next(&mut scene.user, &mut other, 0), Next::Wait);
    assert_eq!(scene.next(), Next::Wait);
    scene.judge(login, 200, &[], r#"{"token": "t"}"#);
    assert_eq!(scene.book.next(&mut scene.user, &mut other, 0), Next::Request(RouteId::of(0)));
}

#[test]
fn a_late_refusal_of_an_old_token_leaves_the_new_one() {
    let mut scene = login_scene(&json!({}));
    scene.enter("t1");
    let mut late = scene.book.begin(&mut scene.user, 0);
    scene.book.next(&mut scene.user, &mut late, 0);
    scene.book.compose(&mut scene.user, &mut late, RouteId::of(0), &mut Vec::new());
    scene.ask(401);
    scene.enter("t2");
    let refusal = Answer { status: 401, headers: &[], body: &[], body_bytes: 0, response_ns: 1 };
    scene.book.judge(&mut scene.user, &mut late, RouteId::of(0), &refusal, scene.now_ns);
    assert!(scene.ask(200).0.contains("Bearer t2"));
}

#[test]
fn a_user_thinks_after_answers_but_not_after_its_login() {
    let mut scene = login_scene(&json!({}));
    let login = scene.route();
    scene.judge(login, 500, &[], "");
    assert_eq!(scene.book.think_ns(&mut scene.user, login), 3 * S, "a failed login is no rush");
    scene.enter("t");
    assert_eq!(scene.book.think_ns(&mut scene.user, login), 0);
    assert_eq!(scene.book.think_ns(&mut scene.user, RouteId::of(0)), 3 * S);
}

#[test]
fn a_route_may_have_a_pause_of_its_own() {
    let quick = with(route("r", "GET", "/"), "think", json!({"constant": 0.5}));
    let mut scene = scene(&[quick]);
    assert_eq!(scene.book.think_ns(&mut scene.user, RouteId::of(0)), S / 2);
}
