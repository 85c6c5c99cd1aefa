//! This room's part of [`crate::fuzzing`].

use std::cell::RefCell;

use httparse::{Header, Status};
use loadrig_core::outcome::Outcome;
use loadrig_core::schedule::Shard;
use serde_json::Value;

use super::cookies::{Jar, Site, set_by};
use super::extract::{Content, Source};
use super::inflate::{CAP, inflated};
use super::json::JsonPlace;
use super::redirect::Origins;
use super::template::{Piece, parse};
use super::{Answer, Book, Next};
use crate::config::{EngineConfig, Extract};
use crate::protocol::{Asked, Reply, Whole};

/// The first line names a place, the rest is the body: what is found there must be what the whole
/// tree has there.
///
/// # Panics
/// If it is not.
pub fn json(data: &[u8]) {
    let (place, body) = first_line(data);
    let Ok(text) = std::str::from_utf8(place) else { return };
    let Ok(place) = JsonPlace::parse(text) else { return };
    let found = place.find(body);
    let mut out = Vec::new();
    if let Ok(found) = &found {
        let _ = found.put(&mut out);
    }
    // A tree is more particular: about depth, about numbers, about texts that nobody looks at.
    let Ok(tree) = serde_json::from_slice::<Value>(body) else { return };
    let wanted = if text.starts_with('$') {
        let query = serde_json_path::JsonPath::parse(text).expect("it was taken as one");
        query.query(&tree).first().cloned()
    } else {
        tree.pointer(text).cloned()
    };
    match (found, wanted) {
        (Ok(found), Some(wanted)) => {
            if let super::json::Found::One(_) = found {
                assert_eq!(found.other_than(&wanted), None, "{text} of {tree}");
            }
        }
        (Err(_), None) => {}
        (found, wanted) => panic!("{text} of {tree}: {found:?} instead of {wanted:?}"),
    }
}

/// The first line is a selector, the rest a page: what is taken from it, if anything, has no white space
/// around it, and is taken again when its page is read once more.
///
/// # Panics
/// If it is not.
pub fn css(data: &[u8]) {
    let (text, page) = first_line(data);
    let Ok(text) = std::str::from_utf8(text) else { return };
    let extract = Extract { css: Some(text.to_owned()), ..Extract::default() };
    let Ok(source) = Source::of(&extract, "") else { return };
    let mut values = [Vec::new(), Vec::new()];
    let misses = values.each_mut().map(|value| source.find(&[], &Content::new(page), value));
    assert_eq!(misses[0], misses[1], "{text}");
    assert_eq!(values[0], values[1], "{text}");
    let value = std::str::from_utf8(&values[0]).expect("a text");
    assert_eq!(value.trim(), value, "{text}");
}

/// A template: written again from its pieces it is the same.
///
/// # Panics
/// If it is not.
pub fn template(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(pieces) = parse(text) else { return };
    let again: String = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            Piece::Hole(name) => format!("{{{name}}}"),
        })
        .collect();
    assert_eq!(again, text);
}

/// The first line is a target, each further line a Set-Cookie header for it: what is sent back
/// must be able to stand in a header.
///
/// # Panics
/// If it cannot.
pub fn cookies(data: &[u8]) {
    let (target, headers) = first_line(data);
    let site = Site::new("shop.example.org", false, 1_700_000_000, 0);
    let mut jar = Jar::default();
    for header in headers.split(|byte| *byte == b'\n').filter(|header| may_come(header)) {
        jar.keep(header, &site, target, 0);
        let headers = [Header { name: "Set-Cookie", value: header }];
        let _ = set_by(&headers, "a");
    }
    let mut out = Vec::new();
    let has_some = jar.put(&site, target, 0, &mut out);
    assert_eq!(has_some, !out.is_empty());
    assert!(may_come(&out), "{:?}", String::from_utf8_lossy(&out));
}

/// The first line is the target of a request, the rest the Location that its answer names: where
/// it leads must be able to stand in a request line.
///
/// # Panics
/// If it cannot.
pub fn redirect(data: &[u8]) {
    let (target, location) = first_line(data);
    thread_local!(static ORIGINS: Origins = Origins::new(&curious()));
    if !may_come(location) || !target.starts_with(b"/") {
        return;
    }
    if let Ok((_, next)) = ORIGINS.with(|origins| origins.resolve(0, target, location)) {
        assert!(next.starts_with('/'), "{next:?}");
        assert!(next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'), "{next:?}");
    }
}

/// The first byte chooses a coding, the rest is the body: it stays within its bounds.
///
/// # Panics
/// If it does not.
pub fn inflate(data: &[u8]) {
    let Some((choice, body)) = data.split_first() else { return };
    let codings: [&[u8]; 4] = [b"gzip", b"deflate", b"identity", b"br"];
    let coding = codings[usize::from(*choice) % codings.len()];
    let mut room = Vec::new();
    if let Ok(plain) = inflated(coding, body, &mut room) {
        assert!(plain.len() as u64 <= CAP.max(body.len() as u64));
    }
}

/// An answer as it comes from the network, to a request from which all that can be taken is
/// taken: whatever it says, the next requests are one request each, with the fields of the plan.
///
/// # Panics
/// If they are not.
pub fn exchange(data: &[u8]) {
    // Made once: to make it takes longer than all the rest.
    thread_local!(static BOOK: RefCell<Book> = RefCell::new(book()));
    BOOK.with_borrow_mut(|book| one_exchange(book, data));
}

fn one_exchange(book: &mut Book, data: &[u8]) {
    // So that what is wrong is put into words each time.
    book.told.fill([0; Outcome::COUNT]);
    let mut user = book.new_user(0);
    let mut walk = book.begin(&mut user, 0);
    let mut request = Vec::new();
    let Next::Request(route) = book.next(&mut user, &mut walk, 1) else { panic!("the login comes first") };
    book.compose(&mut user, &mut walk, route, &mut request);
    must_be_one_request(&request, "login");
    let mut reply = Reply::default();
    reply.begin(Asked { is_head: false, keeps_body: true });
    let mut read = |whole: &Whole<'_>| {
        let answer = Answer {
            status: whole.status,
            headers: whole.fields,
            body: whole.body,
            body_bytes: whole.body_bytes,
            response_ns: 1,
        };
        let mut hop = Vec::new();
        if book.redirect(&mut user, &mut walk, route, &answer, &mut hop).is_ok() {
            must_be_one_request(&hop, "hop");
        }
        let judgement = book.judge(&mut user, &mut walk, route, &answer, 2);
        assert_eq!(judgement.outcome == Outcome::Ok, judgement.detail.is_none());
        assert_eq!(judgement.login.is_some(), judgement.outcome == Outcome::Ok);
    };
    match reply.feed(data, &mut read) {
        Ok(Some(())) => {}
        Ok(None) if reply.end(&mut read).is_some() => {}
        Ok(None) | Err(_) => book.lost(&mut user, &mut walk, route),
    }
    for now_ns in 3..6 {
        match book.next(&mut user, &mut walk, now_ns) {
            Next::Request(route) => {
                request.clear();
                book.compose(&mut user, &mut walk, route, &mut request);
                let fields = must_be_one_request(&request, "next");
                // Host, X-Value, Content-Type, Content-Length, and Cookie if there is one.
                assert!(fields <= 5, "{:?}", String::from_utf8_lossy(&request));
                book.lost(&mut user, &mut walk, route);
            }
            Next::Wait => panic!("nobody else logs in"),
            Next::Done => book.again(&mut user, &mut walk),
        }
    }
}

/// Checks that the bytes are one whole HTTP request, and says how many fields it has.
///
/// # Panics
/// If they are not.
pub(crate) fn must_be_one_request(request: &[u8], what: &str) -> usize {
    let mut room = vec![httparse::EMPTY_HEADER; 1024];
    let mut parsed = httparse::Request::new(&mut room);
    let head = match parsed.parse(request) {
        Ok(Status::Complete(head)) => head,
        // A plan may say more than our room holds.
        Err(httparse::Error::TooManyHeaders) => return 0,
        other => panic!("{what}: {other:?} of {:?}", String::from_utf8_lossy(request)),
    };
    let length = parsed.headers.iter().find(|field| field.name == "Content-Length");
    let announces = parsed.headers.iter().any(|field| field.name.eq_ignore_ascii_case("transfer-encoding"));
    if let Some(length) = length.filter(|_| !announces) {
        let length = std::str::from_utf8(length.value).ok().and_then(|length| length.parse::<usize>().ok());
        if let Some(length) = length.filter(|_| what == "next") {
            assert_eq!(request.len() - head, length, "{what}: {:?}", String::from_utf8_lossy(request));
        }
    }
    parsed.headers.len()
}

fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n');
    end.map_or((data, &[]), |end| (&data[..end], &data[end + 1..]))
}

/// Whether these bytes can come out of the parser as the value of a field.
fn may_come(value: &[u8]) -> bool {
    value.iter().all(|byte| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7f))
}

fn book() -> Book {
    Book::compile(&curious(), Shard::whole()).expect("the book compiles")
}

/// A login from which a value is taken in every way, and then requests with that value in every
/// place.
fn curious() -> EngineConfig {
    use serde_json::json;
    let expect = json!({"status": [], "contains": [], "matches": [], "json": [],
                        "size_min": null, "size_max": null, "time_s": null});
    let route = |name: &str, class: &str, target: &str, kind: &str, body: Value| {
        json!({
            "name": name, "class": class, "timeout_s": null, "method": "POST", "target": target,
            "headers": [["Host", "a.test"], ["X-Value", "{header}{cookie}{json}{regex}{css}"], ["Content-Type", kind]],
            "body": body, "expect": expect, "extract": [], "think": null, "redirects": 3
        })
    };
    let mut login = route("login", "login", "/login", "text/plain", json!("x"));
    login["headers"] = json!([["Host", "a.test"]]);
    login["extract"] = json!([
        {"into": "header", "header": "X-Token"}, {"into": "cookie", "cookie": "sid"},
        {"into": "json", "json": "$.data[0].id"}, {"into": "regex", "regex": "id=([^&]*)|."},
        {"into": "css", "css": "a[href], p", "default": ""},
    ]);
    let form = "application/x-www-form-urlencoded";
    let config = json!({
        "version": 1, "seed": 1, "threads": 1, "cpus": [],
        "server": {"scheme": "http", "host": "a.test", "port": 80, "addresses": ["127.0.0.1:80"],
                   "host_header": "a.test", "unix": null, "tls": null},
        "source_addresses": [],
        "connections": {"most": 1, "keep_alive": true},
        "arrivals": {"users": {"line": [[0.0, 1.0]], "loops": null}},
        "stop": {"after_s": 1.0, "requests": null},
        "timeouts": {"request_s": 30.0, "connect_s": 5.0, "drain_s": 30.0},
        "frame_s": 1.0, "gap_sample": 200, "cookies": true, "feeds": [],
        "routes": [
            login,
            route("json", "service", "/{header}?q={json}", "application/json", json!("{{\"id\": \"{json}{regex}\"}}")),
            route("form", "service", "{regex}", form, json!("a={cookie}&b={header}")),
            route("plain", "service", "/a/{cookie}", "text/plain", json!("{regex}")),
        ],
        "scenarios": [{"name": "all", "weight": 1.0, "steps": [1, 2, 3]}],
        "login": {"route": 0, "lasts_s": null, "lasts_from": {"header": "X-Lasts"}, "again_on": [401]},
        "think": {"constant": 0.0}
    });
    EngineConfig::parse(&config.to_string()).expect("the config is right")
}
