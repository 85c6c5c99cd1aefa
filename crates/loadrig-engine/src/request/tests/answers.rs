//! Results of answers: outcomes and variables.

use super::*;

#[test]
fn statuses_make_outcomes() {
    let mut scene = scene(&[route("home", "GET", "/")]);
    let (route, _) = scene.sent();
    for (status, outcome) in [
        (200, Outcome::Ok),
        (204, Outcome::Ok),
        (302, Outcome::Ok),
        (404, Outcome::Http4xx),
        (503, Outcome::Http5xx),
        (999, Outcome::Http5xx),
    ] {
        assert_eq!(scene.judge(route, status, &[], "").outcome, outcome, "{status}");
    }
}

#[test]
fn an_expected_status_is_the_only_good_one() {
    let mut expects = route("home", "GET", "/");
    expects["expect"]["status"] = json!([404]);
    let mut scene = scene(&[expects]);
    let (route, _) = scene.sent();
    for (status, outcome) in [
        (404, Outcome::Ok),
        (200, Outcome::CheckFailed),
        (302, Outcome::Http3xx),
        (403, Outcome::Http4xx),
        (500, Outcome::Http5xx),
    ] {
        assert_eq!(scene.judge(route, status, &[], "").outcome, outcome, "{status}");
    }
}

#[test]
fn a_value_that_is_not_as_its_check_has_it_fails_the_answer() {
    let mut expects = route("home", "GET", "/");
    expects["extract"] = json!([{"into": "id", "json": "$.id"}]);
    expects["expect"]["values"] = json!([
        {"at": {"json": "$.token"}, "has": "value", "name": "has token"},
        {"at": {"header": "X-Id"}, "order": "above", "value": "1"},
    ]);
    let mut scene = scene(&[expects]);
    let (route, _) = scene.sent();
    let body = r#"{"id": 7, "token": "t"}"#;
    assert_eq!(scene.judge(route, 200, &[("X-Id", "2")], body).outcome, Outcome::Ok);
    for (id, body) in [("2", r#"{"id": 7}"#), ("1", body)] {
        assert_eq!(scene.judge(route, 200, &[("X-Id", id)], body).outcome, Outcome::CheckFailed, "{body}");
    }
}

#[test]
fn details_are_given_for_the_first_few_only() {
    let mut scene = scene(&[route("home", "GET", "/")]);
    let (route, _) = scene.sent();
    let detail = scene.judge(route, 500, &[], "Internal\r\n  Error").detail;
    assert_eq!(detail.as_deref(), Some("status 500: Internal Error"));
    let told = (0..10).filter(|_| scene.judge(route, 500, &[], "").detail.is_some()).count();
    assert_eq!(told, 2);
    assert!(scene.judge(route, 404, &[], "").detail.is_some(), "another outcome has its own few");
    assert_eq!(scene.judge(route, 200, &[], "").detail, None);
}

#[test]
fn a_detail_quotes_no_secret_of_the_plan_and_none_that_the_server_gave() {
    let mut login = route("login", "GET", "/login");
    login["extract"] = json!([{"into": "token", "header": "X-Given"}]);
    let mut scene = scene_with(&[login], |config| config["withheld"] = json!(["hunter2-of-the-plan"]));
    let (route, _) = scene.sent();
    scene.judge(route, 200, &[("X-Given", "given-token-1")], "");
    let body = "no: hunter2-of-the-plan, given-token-1, cookie-value-1";
    let set = [("Set-Cookie", "session=cookie-value-1; Path=/")];
    let detail = scene.judge(route, 500, &set, body).detail;
    assert_eq!(detail.as_deref(), Some("status 500: no: ***, {token}, ***"));
}

#[test]
fn beside_a_detail_stand_the_headers_without_what_was_given_to_a_user() {
    let mut scene = scene_with(&[route("home", "GET", "/")], |config| {
        config["withheld"] = json!(["hunter2-of-the-plan"]);
    });
    let (route, _) = scene.sent();
    let headers = [
        ("Retry-After", "5"),
        ("Server", "shop for hunter2-of-the-plan"),
        ("Set-Cookie", "session=cookie-value-1; Path=/"),
        ("X-hunter2-of-the-plan", "cookie-value-1"),
        ("X-Of-Its-Own", "given-to-anna"),
        ("Via", "cache cookie-value-1"),
    ];
    let shown = ["retry-after: 5", "server: shop for ***", "set-cookie: ***", "X-***: ***"];
    let judgement = scene.judge(route, 503, &headers, "");
    assert_eq!(judgement.headers[..4], shown);
    assert_eq!(judgement.headers[4..], ["x-of-its-own: ***", "via: cache ***"]);
    assert_eq!(scene.judge(route, 200, &headers, "").headers, [""; 0], "of good answers none");
    let many = vec![("A", "b"); 100];
    assert_eq!(scene.judge(route, 503, &many, "").headers.len(), 24);
    assert_eq!(scene.judge(route, 503, &[("Server", &"s".repeat(9_000))], "").headers[0].len(), 200);
    assert_eq!(scene.judge(route, 503, &headers, "").headers, [""; 0], "without a detail none");
}

#[test]
fn the_body_is_kept_only_for_routes_that_look_at_it() {
    let keeps = |change: &dyn Fn(&mut Value)| {
        let mut route = route("r", "GET", "/");
        change(&mut route);
        scene(&[route]).book.routes()[0].keeps_body
    };
    assert!(!keeps(&|_| ()));
    assert!(!keeps(&|route| route["expect"]["size_min"] = json!(1)));
    assert!(!keeps(&|route| route["extract"] = json!([{"into": "x", "header": "X"}])));
    assert!(!keeps(&|route| route["extract"] = json!([{"into": "x", "cookie": "x"}])));
    assert!(keeps(&|route| route["extract"] = json!([{"into": "x", "json": "/x"}])));
    assert!(keeps(&|route| route["extract"] = json!([{"into": "x", "regex": "x"}])));
    assert!(keeps(&|route| route["extract"] = json!([{"into": "x", "css": "x"}])));
    assert!(keeps(&|route| route["expect"]["contains"] = json!(["x"])));
}

#[test]
fn a_gzipped_body_is_inflated_for_its_checks() {
    use std::io::Write as _;
    let mut checks = route("r", "GET", "/");
    checks["expect"]["contains"] = json!(["needle"]);
    let mut scene = scene(&[checks]);
    let (route, _) = scene.sent();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"a needle in the hay").expect("into memory");
    let body = gzip.finish().expect("into memory");
    let headers = [Header { name: "Content-Encoding", value: b"gzip" }];
    let answer = |body| Answer { status: 200, headers: &headers, body, body_bytes: 1, response_ns: 1 };
    let Scene { book, user, walk, .. } = &mut scene;
    assert_eq!(book.judge(user, walk, route, &answer(body.as_slice()), 0).outcome, Outcome::Ok);
    let torn = book.judge(user, walk, route, &answer(&body[..9]), 0);
    assert_eq!(torn.outcome, Outcome::CheckFailed);
    assert!(torn.detail.is_some_and(|detail| detail.contains("cannot be inflated")));
}

#[test]
fn a_value_of_an_answer_fills_a_later_hole() {
    let mut scene = order_then_look();
    let (order, _) = scene.sent();
    assert_eq!(scene.judge(order, 200, &[], r#"{"id": "a/7"}"#).outcome, Outcome::Ok);
    let (look, bytes) = scene.sent();
    assert!(bytes.starts_with("GET /orders/a%2F7 HTTP"), "{bytes}");
    assert_eq!(scene.judge(look, 200, &[], "").outcome, Outcome::Ok);
}

#[test]
fn a_failed_extraction_fails_the_check_and_says_which_variable() {
    let mut scene = order_then_look();
    let (order, _) = scene.sent();
    let judgement = scene.judge(order, 200, &[], r#"{"no": 1}"#);
    assert_eq!(judgement.outcome, Outcome::CheckFailed);
    assert_eq!(judgement.detail.as_deref(), Some("no value for {id}: the body has no $.id"));
}

#[test]
fn a_request_with_an_empty_hole_is_sent_and_judged_failed() {
    let mut scene = order_then_look();
    let (order, _) = scene.sent();
    scene.judge(order, 500, &[], "");
    let (look, bytes) = scene.sent();
    assert!(bytes.starts_with("GET /orders/ HTTP"), "{bytes}");
    let judgement = scene.judge(look, 200, &[], "");
    assert_eq!(judgement.outcome, Outcome::CheckFailed);
    assert!(judgement.detail.is_some_and(|detail| detail.contains("{id} had no value")));
    let bad = scene.judge(look, 404, &[], "");
    assert_eq!(bad.outcome, Outcome::Http4xx);
    assert!(bad.detail.is_some_and(|detail| detail.contains("{id} had no value")));
}

#[test]
fn a_route_may_need_what_its_own_last_answer_said() {
    let next = with(
        route("next", "GET", "/?from={cursor}"),
        "extract",
        json!([{"into": "cursor", "json": "/next"}]),
    );
    let mut scene = scene(&[next]);
    let (next, _) = scene.sent();
    assert_eq!(scene.judge(next, 200, &[], r#"{"next": 7}"#).outcome, Outcome::CheckFailed);
    let (next, bytes) = scene.sent();
    assert!(bytes.starts_with("GET /?from=7 "));
    assert_eq!(scene.judge(next, 200, &[], r#"{"next": 8}"#).outcome, Outcome::Ok);
}

#[test]
fn an_old_value_is_not_used_after_its_request_failed() {
    for fails in [true, false] {
        let mut scene = order_then_look();
        let (order, _) = scene.sent();
        scene.judge(order, 200, &[], r#"{"id": 7}"#);
        let (look, bytes) = scene.sent();
        assert!(bytes.starts_with("GET /orders/7 "));
        scene.judge(look, 200, &[], "");
        let (order, _) = scene.sent();
        if fails {
            scene.judge(order, 200, &[], "{}");
        } else {
            scene.book.lost(&mut scene.user, &mut scene.walk, order);
        }
        assert!(scene.sent().1.starts_with("GET /orders/ "));
    }
}

/// Pieces that change what a reader of HTML does with the next.
const PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "<b a>",
    "<i>",
    "</b>",
    "<a>",
    "</a>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<select>",
    "<option>",
    "<svg>",
    "<math>",
    "<mi>",
    "<foreignObject>",
    "</svg>",
    "<template>",
    "</template>",
    "<form>",
    "</form>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<body x>",
    "</body>",
    "<html y>",
    "</html>",
    "<frameset>",
    "<title>",
    "</title>",
    "<textarea>",
    "<plaintext>",
    "<nobr>",
    "<button>",
    "<li>",
    "<h1>",
    "<![CDATA[",
    "<?",
    "&amp;",
    "&#x0;",
    "\u{0}",
    "x ",
];

proptest! {
    #[test]
    fn no_page_makes_a_selector_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        for selector in ["p", "td, b ~ i", ":has(> a):not(form *)", "*:last-child"] {
            crate::request::fuzzing::css(format!("{selector}\n{}", pieces.concat()).as_bytes());
        }
    }

    #[test]
    fn no_answer_makes_the_judge_panic(status in 100u16..1000, body: Vec<u8>, set: Vec<u8>, coding in "gzip|deflate|br|") {
        let mut checks = route("r", "GET", "/");
        checks["expect"]["json"] = json!([["$.ok", true]]);
        checks["extract"] = json!([{"into": "x", "regex": "(.)"}]);
        let mut scene = scene(&[checks]);
        let (route, _) = scene.sent();
        let headers = [
            Header { name: "Content-Encoding", value: coding.as_bytes() },
            Header { name: "Set-Cookie", value: &set },
        ];
        let answer = Answer { status, headers: &headers, body: &body, body_bytes: 0, response_ns: 0 };
        let judgement = scene.book.judge(&mut scene.user, &mut scene.walk, route, &answer, 0);
        prop_assert_eq!(judgement.detail.is_none(), judgement.outcome == Outcome::Ok);
    }
}
