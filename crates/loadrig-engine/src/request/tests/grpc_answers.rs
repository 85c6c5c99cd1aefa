//! Results of the answers of gRPC calls.

use super::grpc::{OK, call, calls, calls_with, expects, feed, judged, meant, receipt, wrapped};
use super::*;
use prost_reflect::prost::Message as _;

#[test]
fn the_status_of_a_call_decides_its_outcome() {
    let mut scene = calls(&[call("Order", "{{}}")]);
    let body = receipt(&json!({}));
    for (headers, outcome, detail) in [
        (OK, Outcome::Ok, None),
        (
            &[("grpc-status", "5"), ("grpc-message", "no%20such order")],
            Outcome::GrpcError,
            Some("gRPC status 5 NOT_FOUND: no such order"),
        ),
        (&[], Outcome::GrpcError, Some("no gRPC status")),
        (
            &[("grpc-status", "0"), ("Grpc-Status", "16")],
            Outcome::GrpcError,
            Some("gRPC status 16 UNAUTHENTICATED"),
        ),
    ] {
        let judgement = judged(&mut scene, 200, headers, &body);
        assert_eq!((judgement.outcome, judgement.detail.as_deref()), (outcome, detail));
    }
}

#[test]
fn an_http_status_other_than_200_is_one_of_http() {
    let mut scene = calls(&[call("Order", "{{}}")]);
    for (status, outcome) in [
        (503, Outcome::Http5xx),
        (404, Outcome::Http4xx),
        (302, Outcome::Http3xx),
        (204, Outcome::CheckFailed),
    ] {
        assert_eq!(judged(&mut scene, status, OK, &receipt(&json!({}))).outcome, outcome, "{status}");
    }
}

#[test]
fn an_expected_code_is_the_only_good_one_and_comes_without_a_message() {
    let expects = with(
        call("Order", "{{}}"),
        "expect",
        json!({"status": [5], "contains": [], "matches": [],
        "json": [], "size_min": null, "size_max": null, "time_s": null}),
    );
    let mut scene = calls(&[expects]);
    assert_eq!(judged(&mut scene, 200, &[("grpc-status", "5")], b"").outcome, Outcome::Ok);
    assert_eq!(judged(&mut scene, 200, OK, &receipt(&json!({}))).outcome, Outcome::GrpcError);
}

#[test]
fn checks_see_the_answer_as_json_with_its_zeros() {
    let json = json!({"orderId": "7", "total": "12", "at": "2024-02-29T12:00:00Z", "extra": {"a": 1},
                      "gift": {"id": "g"}});
    let body = receipt(&json);
    for (place, value) in [
        ("/orderId", json!("7")),
        ("/total", json!("12")),
        ("$.lines", json!(0)),
        ("$.paid", json!(false)),
        ("$.words", json!([])),
        ("$.at", json!("2024-02-29T12:00:00Z")),
        ("/gift/id", json!("g")),
        ("$.extra.a", json!(1)),
    ] {
        let judgement = judged(&mut calls(&[expects(place, &value)]), 200, OK, &body);
        assert_eq!(judgement.outcome, Outcome::Ok, "{place}: {:?}", judgement.detail);
    }
    let judgement = judged(&mut calls(&[expects("/orderId", &json!("8"))]), 200, OK, &body);
    assert_eq!(judgement.detail.as_deref(), Some("/orderId is \"7\", not \"8\""));
}

#[test]
fn an_answer_is_decoded_only_where_something_looks_at_it() {
    let idle = calls(&[call("Order", "{{}}")]);
    assert!(!idle.book.routes()[0].keeps_body);
    let broken = wrapped(0, b"\xff\xff");
    assert_eq!(judged(&mut { idle }, 200, OK, &broken).outcome, Outcome::Ok);
    let mut looks = calls(&[expects("/lines", &json!(0))]);
    assert!(looks.book.routes()[0].keeps_body);
    let judgement = judged(&mut looks, 200, OK, &broken);
    assert_eq!(judgement.outcome, Outcome::CheckFailed);
    assert!(judgement.detail.is_some_and(|detail| detail.starts_with("the answer is no shop.v1.Receipt")));
}

#[test]
fn an_answer_that_is_not_exactly_one_message_fails_the_check() {
    let one = receipt(&json!({"lines": 3}));
    for (body, wanted) in [
        (b"".to_vec(), "0 bytes, where one message has at least 5"),
        (b"\0\0\0\0".to_vec(), "4 bytes"),
        (one[..one.len() - 1].to_vec(), "announces a message of 2 bytes, but 1 came"),
        ([one.clone(), one.clone()].concat(), "announces a message of 2 bytes, but 9 came"),
        (wrapped(2, b""), "begins with 2"),
        (wrapped(1, b"x"), "no grpc-encoding"),
    ] {
        let judgement = judged(&mut calls(&[expects("/lines", &json!(3))]), 200, OK, &body);
        assert_eq!(judgement.outcome, Outcome::CheckFailed);
        let detail = judgement.detail.expect("a detail");
        assert!(detail.contains(wanted), "{detail}");
    }
    let judgement = judged(&mut calls(&[call("Order", "{{}}")]), 200, OK, b"");
    assert_eq!(judgement.outcome, Outcome::CheckFailed, "also where nobody looks at it");
}

fn gzipped(plain: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(plain).expect("into memory");
    gzip.finish().expect("into memory")
}

#[test]
fn a_compressed_message_is_inflated() {
    let message = meant("Receipt", &json!({"lines": 3})).0.encode_to_vec();
    let headers = [("grpc-encoding", "gzip"), ("grpc-status", "0")];
    let mut scene = calls(&[expects("/lines", &json!(3))]);
    assert_eq!(judged(&mut scene, 200, &headers, &wrapped(1, &gzipped(&message))).outcome, Outcome::Ok);
    assert_eq!(
        judged(&mut scene, 200, &headers, &wrapped(0, &message)).outcome,
        Outcome::Ok,
        "one may be plain"
    );
    let torn = judged(&mut scene, 200, &headers, &wrapped(1, &message));
    assert!(torn.detail.is_some_and(|detail| detail.contains("cannot be inflated")));
    let bomb = judged(&mut scene, 200, &headers, &wrapped(1, &gzipped(&vec![0; 9 << 20])));
    assert!(bomb.detail.is_some_and(|detail| detail.contains("more than 8 MiB")));
}

#[test]
fn a_code_of_grpc_can_say_that_a_token_is_no_longer_good() {
    let mut login = route("login", "POST", "/login");
    login["class"] = json!("login");
    let mut scene = calls_with(&[call("Order", "{{}}"), login], |config| {
        config["scenarios"][0]["steps"] = json!([0]);
        config["login"] = json!({"route": 1, "lasts_s": null, "lasts_from": null, "again_on": [16]});
    });
    let (route, _) = scene.sent();
    assert_eq!(route.index(), 1);
    assert_eq!(scene.judge(route, 200, &[], "").login, Some(LoginMark::First));
    assert_eq!(judged(&mut scene, 200, &[("grpc-status", "16")], b"").outcome, Outcome::GrpcError);
    assert_eq!(scene.route().index(), 1, "it logs in again");
}

#[test]
fn a_sample_shows_the_message_as_json() {
    let mut first = call("Order", "{{}}");
    first["extract"] = json!([{"into": "id", "json": "/orderId"}]);
    let mut second = call("Item", r#"{{"id": "{w}", "count": "{id}"}}"#);
    second["name"] = json!("second");
    let mut scene = calls_with(&[first, second], |config| config["feeds"] = json!([feed("w", &["ä"])]));
    let shown: Vec<_> = scene.book.sample().into_iter().map(|(_, bytes)| bytes).collect();
    assert!(shown[0].ends_with(b"te: trailers\r\n\r\n{}"));
    assert!(shown[1].ends_with("\r\n\r\n{\"id\": \"ä\", \"count\": \"{id}\"}".as_bytes()));
}
