//! Steps that are made, or made again, as answers say.

use super::*;

/// Routes `a`, `b`, `c`, … of one scenario; each takes `x` and `y` from its answer.
fn decided(count: usize, passages: &Value) -> Scene {
    let names = ["a", "b", "c", "d", "e"];
    let extract = json!([{"into": "x", "json": "$.x"}, {"into": "y", "json": "$.y"}]);
    let routes: Vec<Value> = names[..count]
        .iter()
        .map(|name| with(route(name, "GET", &format!("/{name}")), "extract", extract.clone()))
        .collect();
    scene_with(&routes, |config| config["scenarios"][0]["passages"] = passages.clone())
}

fn term(variable: &str, value: &str, equal: bool) -> Value {
    json!({"variable": variable, "value": value, "equal": equal})
}

/// That `x` is this text.
fn x_is(value: &str) -> Value {
    json!({"terms": [term("x", value, true)], "holds": true})
}

/// That `x` is another text, or none.
fn x_is_not(value: &str) -> Value {
    json!({"terms": [term("x", value, false)], "holds": true})
}

fn again(when: &Value, most: u32) -> Value {
    json!({"when": when, "most": most})
}

/// The routes of a loop, where the answers have these values of `x`, the last of them for good; none lacks it.
fn made(scene: &mut Scene, answers: &[Option<&str>]) -> String {
    scene.book.again(&mut scene.user, &mut scene.walk);
    let mut made = String::new();
    while let Next::Request(route) = scene.next() {
        assert!(made.len() < 10_000, "it never ends");
        let answer = answers.get(made.len()).or(answers.last()).copied().flatten();
        let body = answer.map_or(json!({"y": "1"}), |x| json!({"x": x, "y": "1"}));
        made.push_str(&scene.book.routes()[route.index()].name);
        scene.compose(route);
        scene.judge(route, 200, &[], &body.to_string());
        // Whoever asks whether that was all changes nothing.
        let is_through = scene.book.is_through(&scene.user, &mut scene.walk);
        assert_eq!(is_through, scene.book.is_through(&scene.user, &mut scene.walk));
    }
    made
}

/// The requests that are made where each answer has this status and body; `None` where none comes.
fn made_with(scene: &mut Scene, status: Option<u16>, body: &str) -> String {
    scene.book.again(&mut scene.user, &mut scene.walk);
    let mut made = String::new();
    while let Next::Request(route) = scene.next() {
        made.push_str(&scene.book.routes()[route.index()].name);
        scene.compose(route);
        match status {
            Some(status) => drop(scene.judge(route, status, &[], body)),
            None => scene.book.lost(&mut scene.user, &mut scene.walk, route),
        }
    }
    made
}

#[test]
fn a_step_is_made_again_until_its_answer_says_so() {
    let until_done = again(&json!({"terms": [term("x", "done", true)], "holds": false}), 10);
    let mut scene = decided(3, &json!([{"first": 1, "last": 1, "again": until_done}]));
    assert_eq!(made(&mut scene, &[None, Some("busy"), None, Some("done")]), "abbbc");
    // A value of the loop before decides nothing: the first round is always made.
    assert_eq!(made(&mut scene, &[Some("done")]), "abc");
}

#[test]
fn rounds_end_at_their_most() {
    let mut scene = decided(2, &json!([{"first": 0, "last": 0, "again": again(&x_is_not("done"), 4)}]));
    assert_eq!(made(&mut scene, &[Some("busy")]), "aaaab");
    assert_eq!(made(&mut scene, &[Some("busy")]), "aaaab", "and begin anew with each loop");
}

#[test]
fn steps_are_gone_through_only_while_a_condition_holds() {
    let passage =
        json!([{"first": 1, "last": 2, "enter": x_is_not("done"), "again": again(&x_is_not("done"), 9)}]);
    let mut scene = decided(4, &passage);
    assert_eq!(made(&mut scene, &[Some("done")]), "ad");
    // What changes within a round is looked at when it is over.
    assert_eq!(made(&mut scene, &[Some("busy"), Some("done"), Some("busy"), Some("done")]), "abcbcd");
}

#[test]
fn steps_are_left_out_where_their_condition_does_not_hold() {
    let mut scene = decided(3, &json!([{"first": 1, "last": 1, "enter": x_is("go")}]));
    assert_eq!(made(&mut scene, &[Some("go")]), "abc");
    assert_eq!(made(&mut scene, &[Some("stop")]), "ac");
    assert_eq!(made(&mut scene, &[None]), "ac", "a variable without a value equals nothing");
    let last = json!([{"first": 1, "last": 2, "enter": x_is("go")}]);
    assert_eq!(made(&mut decided(3, &last), &[Some("stop")]), "a", "also at the end");
    let first = json!([{"first": 0, "last": 0, "enter": x_is("go")}]);
    assert_eq!(made(&mut decided(2, &first), &[Some("go")]), "b", "also at the beginning");
}

#[test]
fn all_parts_of_a_condition_must_be_true() {
    let both = json!({"terms": [term("x", "go", true), term("y", "1", true)], "holds": true});
    let mut scene = decided(3, &json!([{"first": 1, "last": 1, "enter": both}]));
    assert_eq!(made(&mut scene, &[Some("go")]), "abc");
    assert_eq!(made(&mut scene, &[Some("stop")]), "ac");
}

/// Whether step `b` is made where an answer has this value of `x`.
fn is_made(enter: &Value, x: Option<&str>) -> bool {
    made(&mut decided(3, &json!([{"first": 1, "last": 1, "enter": enter}])), &[x]) == "abc"
}

#[test]
fn one_alternative_of_a_part_will_do() {
    let paid_or_free = json!({"variable": "x", "value": "paid", "alternatives": [
        term("x", "free", true), {"variable": "y", "value": "2", "alternatives": [term("x", "lent", true)]},
    ]});
    let enter = json!({"terms": [paid_or_free, term("y", "1", true)], "holds": true});
    for (x, made) in [("paid", true), ("free", true), ("lent", true), ("other", false)] {
        assert_eq!(is_made(&enter, Some(x)), made, "{x}");
    }
}

#[test]
fn values_are_compared_as_numbers_where_that_is_asked_for() {
    let than = |order: &str, value: &str| json!({"terms": [{"variable": "x", "value": value, "order": order}], "holds": true});
    // Of less than 9, 9, more, and what is no number; as texts "10" would come before "9".
    let expected = [
        ("above", [false, false, true]),
        ("at_least", [false, true, true]),
        ("below", [true, false, false]),
        ("at_most", [true, true, false]),
    ];
    for (order, there) in expected {
        for (x, made) in ["-3.5", " 9.0", "10"].into_iter().zip(there) {
            assert_eq!(is_made(&than(order, "9"), Some(x)), made, "{x} {order} 9");
        }
        for x in [None, Some(""), Some("nine"), Some("nan"), Some("inf")] {
            assert!(!is_made(&than(order, "9"), x), "{x:?} {order} 9");
        }
    }
}

#[test]
fn what_a_variable_has_decides() {
    let extract = json!([{"into": "x", "json": "$.x", "optional": true}]);
    // Nothing, null, what is not true though it is there, and what is.
    let bodies = ["{}", r#"{"x": null}"#, r#"{"x": 0}"#, r#"{"x": ""}"#, r#"{"x": false}"#, r#"{"x": "0"}"#];
    for (has, there) in [
        ("value", [false, false, true, true, true, true]),
        ("truth", [false, false, false, false, false, true]),
        ("null", [false, true, false, false, false, false]),
    ] {
        for equal in [true, false] {
            let enter = json!({"terms": [{"variable": "x", "has": has, "equal": equal}], "holds": true});
            let passages = json!([{"first": 1, "last": 1, "enter": enter}]);
            let routes = [
                with(route("a", "GET", "/a"), "extract", extract.clone()),
                route("b", "GET", "/b"),
                route("c", "GET", "/c"),
            ];
            let mut scene = scene_with(&routes, |config| config["scenarios"][0]["passages"] = passages);
            for (body, has_it) in bodies.into_iter().zip(there) {
                let wanted = if has_it == equal { "abc" } else { "ac" };
                assert_eq!(made_with(&mut scene, Some(200), body), wanted, "{has} {equal} {body}");
            }
            // An answer that fails gives nothing, whatever was there before.
            let wanted = if equal { "ac" } else { "abc" };
            assert_eq!(made_with(&mut scene, Some(500), r#"{"x": null}"#), wanted, "{has} {equal}");
        }
    }
}

#[test]
fn how_the_latest_request_ended_decides() {
    let went = |well: bool| json!({"terms": [{"equal": well}], "holds": true});
    for is_good in [true, false] {
        let mut scene = decided(3, &json!([{"first": 1, "last": 1, "enter": went(is_good)}]));
        let mut through = |status| made_with(&mut scene, status, r#"{"x": "1", "y": "1"}"#);
        let (good, bad) = if is_good { ("abc", "ac") } else { ("ac", "abc") };
        assert_eq!(through(Some(200)), good);
        assert_eq!(through(Some(500)), bad);
        assert_eq!(through(None), bad, "no answer at all");
        assert_eq!(through(Some(200)), good);
    }
}

#[test]
fn the_request_before_a_loop_decides_at_its_beginning_and_no_other_visitors() {
    let went = json!({"terms": [{}], "holds": true});
    let mut scene = decided(2, &json!([{"first": 0, "last": 0, "enter": went}]));
    let route = RouteId::of(0);
    scene.book.lost(&mut scene.user, &mut scene.walk, route);
    assert_eq!(made(&mut scene, &[Some("1")]), "b", "the latest of the loop before");
    scene.book.lost(&mut scene.user, &mut scene.walk, route);
    scene.book.come(&mut scene.user, &mut scene.walk, 7);
    assert_eq!(made(&mut scene, &[Some("1")]), "ab", "another arrival");
}

#[test]
fn the_status_of_an_answer_decides_also_where_its_checks_refuse_it() {
    let first = with(
        route("a", "GET", "/a"),
        "extract",
        json!([{"into": "s", "part": "status", "default": "0"}, {"into": "t", "part": "status"}]),
    );
    let below =
        |value: &str| json!({"terms": [{"variable": "s", "value": value, "order": "below"}], "holds": true});
    let is_not_200 = json!({"terms": [term("t", "200", false)], "holds": true});
    let passages = json!([
        {"first": 1, "last": 1, "enter": below("400")},
        {"first": 2, "last": 2, "enter": json!({"terms": [term("s", "404", true)], "holds": true})},
        {"first": 3, "last": 3, "enter": is_not_200},
    ]);
    let routes = [first, route("b", "GET", "/b"), route("c", "GET", "/c"), route("d", "GET", "/d")];
    let mut scene = scene_with(&routes, |config| config["scenarios"][0]["passages"] = passages);
    // The last of no answer at all: `s` has its default, and `t`, without one, no value.
    for (status, expected) in [(Some(200), "ab"), (Some(404), "acd"), (Some(302), "abd"), (None, "abd")] {
        assert_eq!(made_with(&mut scene, status, ""), expected, "{status:?}");
    }
}

#[test]
fn passages_within_each_other_begin_and_end_by_themselves() {
    let inner = json!({"first": 1, "last": 1, "enter": x_is("in")});
    let outer = json!({"first": 0, "last": 1, "again": again(&x_is_not("done"), 3)});
    let mut scene = decided(3, &json!([inner, outer]));
    assert_eq!(made(&mut scene, &[Some("in"), Some("busy"), Some("busy"), Some("done")]), "abaac");
    let rounds = json!([
        {"first": 0, "last": 1, "again": again(&x_is_not("done"), 2)},
        {"first": 1, "last": 1, "again": again(&x_is_not("done"), 3)},
    ]);
    assert_eq!(made(&mut decided(3, &rounds), &[Some("busy")]), "abbbabbbc");
}

#[test]
fn a_round_without_a_request_is_the_last() {
    let inner = json!({"first": 1, "last": 2, "enter": x_is("in")});
    let outer = json!({"first": 1, "last": 2, "again": again(&x_is_not("done"), 1_000)});
    assert_eq!(made(&mut decided(4, &json!([outer, inner])), &[Some("busy")]), "ad");
}

#[test]
fn a_condition_on_what_no_answer_gives_is_refused() {
    let mut config = small();
    let unknown = json!({"terms": [term("z", "1", true)], "holds": true});
    config["scenarios"][0]["steps"] = json!([0, 0]);
    config["scenarios"][0]["passages"] = json!([{"first": 1, "last": 1, "enter": unknown}]);
    let config = EngineConfig::parse(&config.to_string()).expect("the shape is right");
    let refusal = Book::compile(&config, Shard::whole()).err().expect("the book does not compile");
    assert_eq!(refusal.where_, "scenarios[0].passages[0].enter.terms[0].variable");
}

#[test]
fn a_comparison_with_what_is_no_number_is_refused() {
    let mut config = small();
    config["routes"][0]["extract"] = json!([{"into": "x", "json": "$.x"}]);
    let part = json!({"variable": "x", "value": "1", "alternatives": [{"variable": "x", "value": "many", "order": "above"}]});
    config["scenarios"][0]["steps"] = json!([0, 0]);
    config["scenarios"][0]["passages"] =
        json!([{"first": 1, "last": 1, "enter": {"terms": [part], "holds": true}}]);
    let config = EngineConfig::parse(&config.to_string()).expect("the shape is right");
    let refusal = Book::compile(&config, Shard::whole()).err().expect("the book does not compile");
    assert_eq!(refusal.where_, "scenarios[0].passages[0].enter.terms[0].alternatives[0].value");
}

proptest! {
    #[test]
    fn whatever_the_conditions_a_loop_ends_and_makes_what_is_always_made(
        drawn in prop::collection::vec((0_usize..4, 0_usize..4, 0_u8..3, 1_u32..4), 0..4),
        answers in prop::collection::vec(prop::option::of(prop_oneof![Just("go"), Just("done")]), 1..40),
    ) {
        let mut passages: Vec<Value> = Vec::new();
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for (one, other, kind, most) in drawn {
            let (first, last) = (one.min(other), one.max(other));
            let fits = spans.iter().all(|(begin, end)| {
                let (begin, end) = (*begin, *end);
                last < begin || end < first || (begin <= first && last <= end) || (first <= begin && end <= last)
            });
            if !fits {
                continue;
            }
            spans.push((first, last));
            let mut passage = json!({"first": first, "last": last});
            if kind != 0 { passage["enter"] = x_is("go"); }
            if kind != 1 { passage["again"] = again(&x_is_not("done"), most); }
            passages.push(passage);
        }
        // The fifth step is in no passage.
        let made = made(&mut decided(5, &json!(passages)), &answers);
        prop_assert_eq!(made.matches('e').count(), 1);
        prop_assert!(made.ends_with('e'));
    }
}
