//! Bodies that are cut off, too long, wrongly framed, or bombs.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::io::Write as _;
use std::time::Duration;

use crate::storm::{Case, judge};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

#[test]
fn a_body_that_ends_early_is_closed_in_the_middle() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nnot all of it",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nnot all of it",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ] {
        Case::says_and_closes(answer, "closed", "in the middle of the answer").strikes();
    }
}

#[test]
fn a_body_that_stops_or_drips_is_a_timeout() {
    let stops = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell";
    Case::says(stops, "timeout", "no whole answer").strikes();
    Case::says(format!("{CHUNKED}5\r\nhello\r\n0\r\n"), "timeout", "no whole answer").strikes();
    Case::new("chunks that drip", "timeout", "no whole answer", |line| {
        let mut goes_on = line.say(CHUNKED.as_bytes());
        while goes_on {
            std::thread::sleep(Duration::from_millis(5));
            goes_on = line.say(b"1\r\nx\r\n");
        }
    })
    .strikes();
}

#[test]
fn more_than_was_announced_is_excess() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nx",
        "HTTP/1.1 204 No Content\r\n\r\nbody",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nx",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    ] {
        let run = Case::says(answer, "excess_body", "more bytes came than the answer announced").strikes();
        assert!(run.sum("opened") >= run.outcome("excess_body"), "such a connection is of no use any more");
    }
}

#[test]
fn chunks_that_are_none_are_not_http() {
    for chunks in [
        "xyz\r\nhello\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        " 5\r\nhello\r\n0\r\n\r\n",
        "\r\nhello\r\n0\r\n\r\n",
        "5\nhello\n0\n\n",
        "4\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello0\r\n\r\n",
        "11111111111111111\r\nhello",
        "00000000000000000000005\r\nhello\r\n0\r\n\r\n",
        "5;\nhello\r\n0\r\n\r\n",
        ";a=b\r\nhello\r\n0\r\n\r\n",
    ] {
        Case::says(format!("{CHUNKED}{chunks}"), "not_http", "the chunks of the body are malformed")
            .strikes();
    }
}

#[test]
fn an_answer_that_ends_with_the_connection_ends_well_or_is_reset() {
    Case::says_and_closes("HTTP/1.0 200 OK\r\n\r\nall of it", "ok", "").strikes();
    Case::says_and_closes("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nall of it", "ok", "").strikes();
    Case::says_and_resets("HTTP/1.1 200 OK\r\n\r\nnot all of it").strikes();
}

fn gzip(plain: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..times {
        encoder.write_all(plain).unwrap();
    }
    encoder.finish().unwrap()
}

fn announced(fields: &str, body: &[u8]) -> Vec<u8> {
    let mut answer =
        format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    answer.extend_from_slice(body);
    answer
}

#[test]
fn a_body_that_is_looked_into_may_be_anything() {
    let bomb = gzip(&vec![b'x'; 1 << 20], 64);
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)).into_bytes();
    for (name, answer, detail) in [
        ("a bomb", announced("Content-Encoding: gzip\r\n", &bomb), "not JSON"),
        ("torn gzip", announced("Content-Encoding: gzip\r\n", &bomb[..15]), "cannot be inflated"),
        ("no gzip", announced("Content-Encoding: gzip\r\n", b"plain"), "cannot be inflated"),
        ("unknown coding", announced("Content-Encoding: br\r\n", b"x"), "loadrig knows gzip and deflate"),
        ("deeply nested JSON", announced("", &nested), "has no $.id"),
        ("no UTF-8", announced("", b"{\"id\": \"\xff\xfe\"}"), "not JSON"),
        ("empty", announced("", b""), "not JSON"),
        ("another type", announced("", b"{\"id\": null}"), "is null"),
    ] {
        let run = Case::answers(answer, "check_failed", "").run(|config| {
            config["routes"][1]["extract"] = json!([{"into": "id", "json": "$.id"}]);
        });
        judge(name, &run, "check_failed", detail);
    }
    for (name, page, detail) in [
        ("no page", "{\"id\": 1}".to_owned(), "no element input"),
        ("a deeply nested page", "<div>".repeat(100_000), "more than 256 deep"),
        ("a cut page", "<form><input name=".to_owned(), "no element input"),
    ] {
        let answer = announced("Content-Type: text/html\r\n", page.as_bytes());
        let run = Case::answers(answer, "check_failed", "").run(|config| {
            config["routes"][1]["extract"] = json!([{"into": "id", "css": "input", "attribute": "value"}]);
        });
        judge(name, &run, "check_failed", detail);
    }
}

#[test]
fn redirects_that_lead_nowhere_or_in_a_circle_end() {
    for (location, detail) in [
        ("/bad", "too many redirects"),
        ("http://192.0.2.1/", "another server"),
        ("//example.org/", "another server"),
        ("http://[", "no usable Location"),
        ("\u{ff}\u{fe}", "too many redirects"),
    ] {
        let answer = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        let run = Case::answers(answer, "http_3xx", "").run(|config| {
            config["routes"][1]["redirects"] = json!(5);
        });
        judge(location, &run, "http_3xx", detail);
    }
}

#[test]
fn a_flood_of_cookies_is_kept_within_bounds() {
    let cookies: Vec<String> =
        (0..100).map(|n| format!("Set-Cookie: c{n}={}; Path=/\r\n", "v".repeat(1000))).collect();
    let cookies = cookies.concat();
    let answer = format!("HTTP/1.1 200 OK\r\n{cookies}Content-Length: 2\r\n\r\nok");
    Case::answers(answer, "ok", "").strikes();
}
