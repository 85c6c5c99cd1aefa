//! Calls of gRPC: messages made, statuses and answers judged.

use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};
use std::path::PathBuf;
use std::sync::LazyLock;

/// The set of `tests/protos/shop.proto`.
static SET: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protos"));
    loadrig_protos::compile(&[folder.join("shop.proto")], &[folder]).expect("the file is right")
});

static POOL: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(SET.as_slice()).expect("a whole set"));

/// A call with this template of an order or whatever type is named.
pub(super) fn call(message: &str, template: &str) -> Value {
    let mut call = route("call", "POST", "/shop.v1.Orders/Place");
    call["protocol"] = json!("grpc");
    call["headers"] = json!([["content-type", "application/grpc"], ["te", "trailers"]]);
    call["messages"] = json!([format!("shop.v1.{message}"), "shop.v1.Receipt"]);
    call["body"] = json!(template);
    call
}

pub(super) fn calls_with(calls: &[Value], change: impl FnOnce(&mut Value)) -> Scene {
    scene_with(calls, |config| {
        config["protos"] = json!(BASE64.encode(&*SET));
        config["connections"]["protocol"] = json!("http2");
        change(config);
    })
}

pub(super) fn calls(calls: &[Value]) -> Scene {
    calls_with(calls, |_| ())
}

pub(super) fn feed(name: &str, values: &[&str]) -> Value {
    json!({"name": name, "order": "sequential", "values": values})
}

/// The message of a composed call, taken out of its prefix.
pub(super) fn unwrapped(request: &[u8]) -> &[u8] {
    let head = request.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let (prefix, message) = request[head + 4..].split_at(5);
    assert_eq!(prefix[0], 0, "not compressed");
    assert_eq!(prefix[1..], u32::try_from(message.len()).expect("a short message").to_be_bytes());
    message
}

pub(super) fn composed(scene: &mut Scene) -> Vec<u8> {
    let route = scene.route();
    let mut out = Vec::new();
    scene.book.compose(&mut scene.user, &mut scene.walk, route, &mut out);
    out
}

/// A message that shows itself as JSON: as Rust it would show its type, and an item that has items
/// never ends.
#[derive(PartialEq)]
pub(super) struct Shown(pub(super) DynamicMessage);

impl std::fmt::Debug for Shown {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(&serde_json::to_string(&self.0).expect("a message is JSON"))
    }
}

pub(super) fn message(kind: &str, bytes: &[u8]) -> Shown {
    let kind = POOL.get_message_by_name(&format!("shop.v1.{kind}")).expect("the type is there");
    Shown(DynamicMessage::decode(kind, bytes).expect("a message of this type"))
}

/// The message that a JSON text means, by way of the library alone, as it arrives.
pub(super) fn meant(kind: &str, json: &Value) -> Shown {
    let of_kind = POOL.get_message_by_name(&format!("shop.v1.{kind}")).expect("the type is there");
    let made = DynamicMessage::deserialize(of_kind, json).expect("JSON of this type");
    message(kind, &made.encode_to_vec())
}

/// JSON as a template without holes.
pub(super) fn literal(json: &Value) -> String {
    json.to_string().replace('{', "{{").replace('}', "}}")
}

/// The message that goes out for a template with values in its holes.
pub(super) fn sent(kind: &str, template: &str, values: &[(&str, &str)]) -> Shown {
    let mut scene = calls_with(&[call(kind, template)], |config| {
        config["feeds"] = values.iter().map(|(name, value)| feed(name, &[value])).collect();
    });
    message(kind, unwrapped(&composed(&mut scene)))
}

pub(super) fn refused_call(call: &Value, change: impl FnOnce(&mut Value)) -> crate::config::Refusal {
    let mut config = small();
    config["routes"] = json!([call]);
    config["protos"] = json!(BASE64.encode(&*SET));
    config["connections"]["protocol"] = json!("http2");
    change(&mut config);
    let config = EngineConfig::parse(&config.to_string()).expect("the shape is right");
    Book::compile(&config, Shard::whole()).err().expect("the book does not compile")
}

/// A message in its prefix.
pub(super) fn wrapped(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a short message").to_be_bytes();
    [&[flag], length.as_slice(), message].concat()
}

pub(super) fn receipt(json: &Value) -> Vec<u8> {
    wrapped(0, &meant("Receipt", json).0.encode_to_vec())
}

pub(super) fn judged(scene: &mut Scene, status: u16, headers: &[(&str, &str)], body: &[u8]) -> Judgement {
    let headers: Vec<_> =
        headers.iter().map(|(name, value)| Header { name, value: value.as_bytes() }).collect();
    let answer = Answer { status, headers: &headers, body, body_bytes: body.len() as u64, response_ns: 1 };
    let route = scene.route();
    scene.book.compose(&mut scene.user, &mut scene.walk, route, &mut Vec::new());
    scene.book.judge(&mut scene.user, &mut scene.walk, route, &answer, 0)
}

pub(super) const OK: &[(&str, &str)] = &[("content-type", "application/grpc"), ("grpc-status", "0")];

/// An order with something in every field.
pub(super) fn full() -> Value {
    json!({
        "userName": "ü \"quoted\"", "items": [{"id": "a", "count": "9007199254740993", "kind": "KIND_BOOK"},
            {"id": "b", "kind": -1, "rank": 0, "part": {"id": "c", "part": {"id": "d"}}}, {}],
        "tags": {"x": "y", "": "empty"}, "shelves": {"-3": {"id": "e"}}, "flags": {"true": "1", "false": "-1"},
        "numbers": [1, "-2", 0], "words": ["", "two"], "cash": "12",
        "at": "2024-02-29T12:00:00.500Z", "within": "1.500s",
        "extra": {"a": [1.5, null, {"b": true}]}, "note": "", "anyValue": [1, "x"]
    })
}

/// A call that expects this of a place in its answer.
pub(super) fn expects(place: &str, value: &Value) -> Value {
    let mut call = call("Order", "{{}}");
    call["expect"]["json"] = json!([[place, value]]);
    call
}

#[test]
fn a_message_without_holes_is_encoded_once_and_for_all() {
    let mut scene = calls(&[call("Order", &literal(&full()))]);
    let first = composed(&mut scene);
    assert!(first.starts_with(
        b"POST /shop.v1.Orders/Place HTTP/1.1\r\ncontent-type: application/grpc\r\nte: trailers\r\n\r\n\0"
    ));
    assert_eq!(message("Order", unwrapped(&first)), meant("Order", &full()));
    assert_eq!(composed(&mut scene), first);
}

#[test]
fn no_body_is_a_message_without_fields() {
    let mut empty = call("Order", "");
    empty["body"] = json!(null);
    assert!(composed(&mut calls(&[empty])).ends_with(b"\r\n\r\n\0\0\0\0\0"));
}

#[test]
fn holes_are_filled_in_every_kind_of_field() {
    let template = r#"{{"userName": "<{w}>", "items": [{{"id": "{w}", "count": "{n}", "kind": "{kind}"}},
        {{"rank": "{n}", "part": {{"part": {{"id": "{w}", "count": 4}}}}}}, {{"id": "fixed"}}],
        "tags": {{"{w}": "{w}", "b": "c"}}, "shelves": {{"{n}": {{"id": "{w}"}}, "8": {{"count": "{n}"}}}},
        "flags": {{"true": "{n}", "{no}": "2"}},
        "numbers": [1, "{n}", 3], "words": ["{w}", "", "-{w}"], "cash": "{n}",
        "at": "{at}", "within": "{n}s", "extra": {{"a": ["{w}", 1]}}, "note": "{w}", "anyValue": "{w}"}}"#;
    let w = "ä\"b\\\n";
    let values =
        [("w", w), ("n", "-7"), ("kind", "KIND_LOSS"), ("no", "false"), ("at", "2024-02-29T12:00:00Z")];
    let wanted = json!({
        "userName": format!("<{w}>"), "items": [{"id": w, "count": -7, "kind": "KIND_LOSS"},
            {"rank": -7, "part": {"part": {"id": w, "count": 4}}}, {"id": "fixed"}],
        "tags": {w: w, "b": "c"}, "shelves": {"-7": {"id": w}, "8": {"count": -7}},
        "flags": {"true": -7, "false": "2"},
        "numbers": [1, -7, 3], "words": [w, "", format!("-{w}")], "cash": -7,
        "at": "2024-02-29T12:00:00Z", "within": "-7s", "extra": {"a": [w, 1]}, "note": w, "anyValue": w
    });
    assert_eq!(sent("Order", template, &values), meant("Order", &wanted));
}

#[test]
fn a_message_longer_than_one_byte_can_say_has_its_length_right() {
    for letters in [127, 128, 16_383, 16_384, 70_000] {
        let long = "x".repeat(letters);
        let template = r#"{{"items": [{{"id": "{w}", "part": {{"id": "{w}"}}}}], "words": ["{w}", "{w}"]}}"#;
        let wanted = json!({"items": [{"id": long, "part": {"id": long}}], "words": [long, long]});
        assert_eq!(sent("Order", template, &[("w", &long)]), meant("Order", &wanted), "{letters}");
    }
}

#[test]
fn a_value_of_zero_is_left_out_unless_it_says_something() {
    let bytes = |template: &str| {
        let mut scene = calls_with(&[call("Order", template)], |config| {
            config["feeds"] = json!([feed("none", &[""]), feed("zero", &["0"])]);
        });
        unwrapped(&composed(&mut scene)).to_vec()
    };
    assert_eq!(bytes(r#"{{"userName": "{none}"}}"#), b"");
    assert_eq!(bytes(r#"{{"cash": "{zero}"}}"#), b"\x48\0", "a choice was made");
    assert_eq!(bytes(r#"{{"words": ["{none}"]}}"#), b"\x3a\0", "the list has an item");
    assert_eq!(bytes(r#"{{"items": [{{"rank": "{zero}", "count": "{zero}"}}]}}"#), b"\x12\x02\x20\0");
}

#[test]
fn a_value_of_an_answer_fills_a_later_message() {
    let mut place = call("Order", "{{}}");
    place["extract"] = json!([{"into": "id", "json": "$.orderId"}, {"into": "total", "json": "/total"}]);
    let mut look = call("Item", r#"{{"id": "{id}", "count": "{total}"}}"#);
    look["name"] = json!("look");
    let mut scene = calls(&[place, look]);
    let good = judged(&mut scene, 200, OK, &receipt(&json!({"orderId": "o/7", "total": 12})));
    assert_eq!(good.outcome, Outcome::Ok, "{good:?}");
    let bytes = composed(&mut scene);
    assert_eq!(message("Item", unwrapped(&bytes)), meant("Item", &json!({"id": "o/7", "count": 12})));
}

#[test]
fn a_message_whose_value_does_not_fit_is_sent_empty_and_judged_failed() {
    let counts = call("Item", r#"{{"id": "x", "count": "{n}"}}"#);
    let mut scene = calls_with(&[counts], |config| config["feeds"] = json!([feed("n", &["1", "many"])]));
    assert!(composed(&mut scene).ends_with(b"\0\0\0\0\x05\x0a\x01x\x10\x01"));
    let judgement = judged(&mut scene, 200, &[("grpc-status", "3")], b"");
    assert_eq!(judgement.outcome, Outcome::CheckFailed);
    assert_eq!(
        judgement.detail.as_deref(),
        Some(
            "an empty message was sent, as this one could not be made: \
             shop.v1.Item.count: \"many\" is no int64"
        )
    );
    assert!(composed(&mut scene).ends_with(b"\x10\x01"), "the next one is whole again");
    assert!(composed(&mut scene).ends_with(b"\r\n\r\n\0\0\0\0\0"));
    assert_eq!(judged(&mut scene, 200, OK, &receipt(&json!({}))).outcome, Outcome::Ok);
}

#[test]
fn a_time_that_does_not_fit_is_told_with_its_text() {
    let times = call("Order", r#"{{"at": "{at}"}}"#);
    let mut scene = calls_with(&[times], |config| {
        config["feeds"] = json!([feed("at", &["2024-02-29T12:00:00Z", "noon"])]);
    });
    composed(&mut scene);
    let detail = judged(&mut scene, 200, OK, &receipt(&json!({}))).detail.expect("a detail");
    assert!(detail.contains("noon") && detail.contains("google.protobuf.Timestamp"), "{detail}");
}

#[test]
fn a_hole_without_a_value_is_told_whether_the_message_could_be_made_or_not() {
    for (field, detail) in [
        ("count", "an empty message was sent, as the hole {id} had no value"),
        ("id", "the hole {id} had no value when the request was made"),
    ] {
        let mut first = call("Order", "{{}}");
        first["extract"] = json!([{"into": "id", "json": "/orderId"}]);
        let mut second = call("Item", &format!(r#"{{{{"{field}": "{{id}}"}}}}"#));
        second["name"] = json!("second");
        let mut scene = calls(&[first, second]);
        judged(&mut scene, 200, &[("grpc-status", "13")], b"");
        let judgement = judged(&mut scene, 200, OK, &receipt(&json!({})));
        assert_eq!(judgement.outcome, Outcome::CheckFailed);
        assert_eq!(judgement.detail.as_deref(), Some(detail));
        judged(&mut scene, 200, &[("grpc-status", "13")], b"");
        let judgement = judged(&mut scene, 200, &[("grpc-status", "3")], b"");
        assert!(judgement.detail.is_some_and(|detail| detail.contains("{id} had no value")));
    }
}

#[test]
fn messages_that_make_no_sense_are_refused_with_their_place() {
    for (template, wanted) in [
        ("{{", "is no JSON"),
        (r#"{{"userName": {w}}}"#, "is no JSON"),
        (
            r#"{{"username": "a"}}"#,
            "does not fit at $.username: shop.v1.Order has no such field; did you mean userName?",
        ),
        (r#"{{"{w}": "a"}}"#, "at $.{…}: shop.v1.Order has no such field"),
        (r#"{{"items": [{{"id": "{w}", "count": "x"}}]}}"#, "at $.items[0].count: "),
        (
            r#"{{"items": [{{"id": "{w}"}}, {{"part": {{"rank": 1.5}}}}]}}"#,
            "at $.items[1].part.rank: int32 is wanted",
        ),
        (r#"{{"items": {{"id": "{w}"}}}}"#, "at $.items: a list is wanted here"),
        (r#"{{"items": ["{w}"]}}"#, "at $.items[0]: shop.v1.Item is wanted"),
        (r#"{{"tags": ["{w}"]}}"#, "at $.tags: a map is wanted"),
        (r#"{{"userName": ["{w}"]}}"#, "at $.userName: string is wanted"),
        (r#"{{"card": "{w}", "cash": 1}}"#, "at $.cash: shop.v1.Order.payment already has another value"),
        ("{{\"card\": \"{w}\", \"userName\": \"\u{f0001}\"}}", "plane 15"),
        (r#"{{"cash": "{w}"}}"#, "first values of its holes: shop.v1.Order.cash: \"w\" is no int64"),
        (r#"{{"at": "{w}"}}"#, "first values of its holes: "),
    ] {
        let refusal = refused_call(&call("Order", template), |config| {
            config["feeds"] = json!([feed("w", &["w"])]);
        });
        assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.grpc-message", "routes[0].body"));
        assert!(refusal.what.contains(wanted), "{}", refusal.what);
    }
}

#[test]
fn types_that_are_not_there_are_refused() {
    let order = call("Order", "{{}}");
    let refusal = refused_call(&with(order.clone(), "messages", json!(["shop.v1.Ordr", "x.Y"])), |_| ());
    assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.protos", "routes[0].messages[0]"));
    assert_eq!(refusal.mend, "did you mean shop.v1.Order?");
    let unlike = with(order.clone(), "messages", json!(["shop.v1.Order", "x.Y"]));
    let refusal = refused_call(&unlike, |_| ());
    assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.protos", "routes[0].messages[1]"));
    for protos in ["!", "/w=="] {
        let refusal = refused_call(&order, |config| config["protos"] = json!(protos));
        assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.protos", "protos"), "{protos}");
    }
}

/// Any value of a field of `Scalars`, as the text that fills its hole and as JSON.
fn scalar() -> impl Strategy<Value = (&'static str, String)> {
    fn texts<T: std::fmt::Display + std::fmt::Debug + Arbitrary + 'static>(
        names: &'static [&'static str],
    ) -> BoxedStrategy<(&'static str, String)> {
        (prop::sample::select(names), any::<T>().prop_map(|value| value.to_string())).boxed()
    }
    prop_oneof![
        texts::<f64>(&["aDouble"]),
        texts::<f32>(&["aFloat"]),
        texts::<i32>(&["anInt32", "aSint32", "aSfixed32"]),
        texts::<i64>(&["anInt64", "aSint64", "aSfixed64"]),
        texts::<u32>(&["aUint32", "aFixed32"]),
        texts::<u64>(&["aUint64", "aFixed64"]),
        texts::<String>(&["aString"]),
        prop::collection::vec(any::<u8>(), 0..9)
            .prop_map(|bytes| ("someBytes", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes))),
        prop::sample::select(&["KIND_NONE", "KIND_BOOK", "KIND_LOSS"])
            .prop_map(|name| ("aKind", name.to_owned())),
    ]
}

/// An item in items, and a template that makes the same one with its texts in holes.
fn item() -> impl Strategy<Value = (Value, String)> {
    prop::collection::vec((0..4_usize, any::<i64>()), 1..6).prop_map(|levels| {
        let empty = (json!(null), "null".to_owned());
        levels.into_iter().fold(empty, |(part, template), (letters, count)| {
            let id = "x".repeat(letters);
            (
                json!({"id": id, "count": count, "part": part}),
                format!(r#"{{{{"id": "{{w{letters}}}", "count": "{count}", "part": {template}}}}}"#),
            )
        })
    })
}

proptest! {
    #[test]
    fn a_filled_scalar_is_the_one_that_json_means((name, text) in scalar()) {
        // The library takes a zero with a minus sign for one that can be left out; it cannot.
        prop_assume!(text != "-0");
        let filled = sent("Scalars", &format!(r#"{{{{"{name}": "{{v}}"}}}}"#), &[("v", &text)]);
        prop_assert_eq!(filled, meant("Scalars", &json!({name: text})));
    }

    #[test]
    fn filled_messages_are_those_that_json_means(items in prop::collection::vec(item(), 0..4)) {
        let (items, templates): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let template = format!(r#"{{{{"items": [{}]}}}}"#, templates.join(", "));
        let words = [("w0", ""), ("w1", "x"), ("w2", "xx"), ("w3", "xxx")];
        prop_assert_eq!(sent("Order", &template, &words), meant("Order", &json!({"items": items})));
    }

    #[test]
    fn no_value_makes_the_composer_panic(values in prop::collection::vec(".*", 1..4)) {
        // A variable, as it may be any text; one that does not fit is judged so.
        let mut first = call("Order", "{{}}");
        first["extract"] = json!([{"into": "v", "json": "/orderId"}]);
        let holes = r#"{{"anInt32": "{v}", "aKind": "{v}", "someBytes": "{v}", "aString": "{v}"}}"#;
        let mut second = call("Scalars", holes);
        second["name"] = json!("second");
        let mut scene = calls(&[first, second]);
        for value in values {
            let body = receipt(&json!({"orderId": value}));
            prop_assert_eq!(judged(&mut scene, 200, OK, &body).outcome, Outcome::Ok);
            message("Scalars", unwrapped(&composed(&mut scene)));
        }
    }

    #[test]
    fn no_template_makes_the_compiler_panic(template in r#"[\[\]{}",:a-z0-9]{0,24}"#) {
        let mut config = small();
        config["routes"] = json!([call("Order", &template)]);
        config["protos"] = json!(BASE64.encode(&*SET));
        config["connections"]["protocol"] = json!("http2");
        let config = EngineConfig::parse(&config.to_string()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let _ = Book::compile(&config, Shard::whole());
    }

    #[test]
    fn no_answer_to_a_call_makes_the_judge_panic(
        status in prop::sample::select(&[200u16, 500]), code in "[0-9a-z]{0,2}", flag in 0u8..3, body: Vec<u8>,
        is_wrapped: bool, coding in "gzip|deflate|br|identity|",
    ) {
        let mut scene = calls(&[expects("/lines", &json!(3))]);
        let body = if is_wrapped { wrapped(flag, &body) } else { body };
        let headers = [("grpc-encoding", coding.as_str()), ("grpc-status", code.as_str())];
        let judgement = judged(&mut scene, status, &headers, &body);
        prop_assert_eq!(judgement.detail.is_none(), judgement.outcome == Outcome::Ok);
    }
}
