//! Requests as they are sent, walks and samples.

use super::*;

#[test]
fn a_request_without_holes_is_the_plans_own_bytes() {
    let mut scene = scene(&[route("home", "GET", "/")]);
    assert_eq!(scene.sent().1, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n");
}

#[test]
fn a_body_announces_its_length_and_nothing_else_is_added() {
    let post = with(route("post", "POST", "/"), "body", json!("{{\"ä\": 1}}"));
    assert_eq!(
        scene(&[post]).sent().1,
        "POST / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Length: 9\r\n\r\n{\"ä\": 1}"
    );
}

#[test]
fn a_post_without_a_body_announces_that() {
    assert!(scene(&[route("post", "POST", "/")]).sent().1.ends_with("\r\nContent-Length: 0\r\n\r\n"));
    assert!(!scene(&[route("delete", "DELETE", "/")]).sent().1.contains("Content-Length"));
}

#[test]
fn a_plan_that_announces_a_length_itself_is_not_contradicted() {
    let mut post = with(route("post", "POST", "/"), "body", json!("hello"));
    post["headers"] = json!([["content-length", "99"]]);
    assert_eq!(scene(&[post]).sent().1, "POST / HTTP/1.1\r\ncontent-length: 99\r\n\r\nhello");
}

#[test]
fn a_body_of_bytes_is_sent_as_it_is() {
    let post = with(route("post", "PUT", "/"), "body", json!({"base64": "e3dvcmR9AA=="}));
    assert!(scene(&[post]).sent().1.ends_with("Content-Length: 7\r\n\r\n{word}\0"));
}

#[test]
fn holes_are_filled_and_encoded_by_their_place() {
    let mut json_post =
        with(route("json", "POST", "/a/{w}?w={w}&u={user}"), "body", json!("{{\"w\": \"{w}\"}}"));
    json_post["headers"] = json!([["X-W", "{w}"], ["Content-Type", "application/vnd.x+json; charset=utf-8"]]);
    let mut form_post = with(route("form", "POST", "/"), "body", json!("w={w}"));
    form_post["headers"] = json!([["Content-Type", "application/x-www-form-urlencoded"]]);
    let plain_post = with(route("plain", "POST", "/"), "body", json!("w={w}"));
    let mut scene = scene_with(&[json_post, form_post, plain_post], |config| {
        config["feeds"] = json!([{"name": "w", "order": "sequential", "values": ["a \"b\"\r\n&"]}]);
    });
    assert_eq!(
        scene.sent().1,
        "POST /a/a%20%22b%22%0D%0A%26?w=a%20%22b%22%0D%0A%26&u=0 HTTP/1.1\r\nX-W: a \"b\"&\r\n\
         Content-Type: application/vnd.x+json; charset=utf-8\r\nContent-Length: 21\r\n\r\n\
         {\"w\": \"a \\\"b\\\"\\r\\n&\"}"
    );
    assert!(scene.sent().1.ends_with("Content-Length: 20\r\n\r\nw=a+%22b%22%0D%0A%26"));
    assert!(scene.sent().1.ends_with("Content-Length: 10\r\n\r\nw=a \"b\"\r\n&"));
}

#[test]
fn a_feed_is_drawn_once_a_request() {
    let twice = route("twice", "GET", "/{n}/{n}");
    let mut scene = scene_with(&[twice], |config| {
        config["feeds"] = json!([{"name": "n", "order": "sequential", "counter": 5}]);
    });
    assert!(scene.sent().1.starts_with("GET /5/5 "));
    assert!(scene.sent().1.starts_with("GET /6/6 "));
}

#[test]
fn a_feed_of_a_loop_gives_all_its_requests_one_row_and_the_next_loop_the_next() {
    let routes = [route("a", "GET", "/{t.x}/{n}"), route("b", "GET", "/{t.y}/{n}")];
    let mut scene = scene_with(&routes, |config| {
        let row = |name: &str, values: Value| json!({"name": name, "row_of": "t", "order": "sequential", "per": "loop", "values": values});
        config["feeds"] = json!([
            row("t.x", json!(["1", "2", "3"])), row("t.y", json!(["one", "two", "three"])),
            {"name": "n", "order": "sequential_per_user", "per": "loop", "counter": 5},
        ]);
    });
    let mut other = scene.book.new_user(1);
    let mut walk = scene.book.begin(&mut other, 1);
    let targets = |scene: &mut Scene| {
        (0..2).map(|_| scene.sent().1.split(' ').nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(targets(&mut scene), ["/1/5", "/one/5"]);
    // Another user's loop is under way between the two of this one.
    let mut first = Vec::new();
    scene.book.compose(&mut other, &mut walk, RouteId::of(0), &mut first);
    assert!(first.starts_with(b"GET /2/5 "), "{}", String::from_utf8_lossy(&first));
    assert_eq!(targets(&mut scene), ["/3/6", "/three/6"]);
    let mut second = Vec::new();
    scene.book.compose(&mut other, &mut walk, RouteId::of(1), &mut second);
    assert!(second.starts_with(b"GET /two/5 "), "{}", String::from_utf8_lossy(&second));
}

#[test]
fn a_sample_shows_the_same_row_in_all_requests() {
    let mut scene = scene_with(&[route("a", "GET", "/{w}"), route("b", "GET", "/{w}")], |config| {
        config["feeds"] = json!([{"name": "w", "order": "sequential", "per": "loop", "values": ["x", "y"]}]);
    });
    assert!(scene.book.sample().iter().all(|(_, bytes)| bytes.starts_with(b"GET /x ")));
}

#[test]
fn what_a_user_sends_does_not_depend_on_the_others() {
    let routes = [route("a", "GET", "/a?{n}"), route("b", "GET", "/b?{n}")];
    let log = |others: u64| {
        let mut scene = scene_with(&routes, |config| {
            config["feeds"] = json!([{"name": "n", "order": "sequential", "random": [0, 1_000_000]}]);
            config["scenarios"] = json!([{"name": "a", "weight": 1.0, "steps": [0]},
                                         {"name": "b", "weight": 1.0, "steps": [1]}]);
        });
        scene.user = scene.book.new_user(3);
        let mut sent = Vec::new();
        for _ in 0..20 {
            for other in 0..others {
                let mut user = scene.book.new_user(other);
                let mut walk = scene.book.begin(&mut user, 0);
                let next = scene.book.next(&mut user, &mut walk, 0);
                let Next::Request(route) = next else { panic!("{next:?}") };
                scene.book.compose(&mut user, &mut walk, route, &mut Vec::new());
            }
            scene.book.again(&mut scene.user, &mut scene.walk);
            let route = scene.route();
            sent.push(scene.compose(route));
        }
        sent
    };
    assert_eq!(log(0), log(2));
}

#[test]
fn a_walk_goes_through_its_steps_and_is_done() {
    let mut scene = scene(&[route("a", "GET", "/a"), route("b", "GET", "/b")]);
    assert_eq!(scene.next(), Next::Request(RouteId::of(0)));
    assert_eq!(scene.next(), Next::Request(RouteId::of(1)));
    assert_eq!(scene.next(), Next::Done);
    assert_eq!(scene.next(), Next::Done);
    scene.book.again(&mut scene.user, &mut scene.walk);
    assert_eq!(scene.next(), Next::Request(RouteId::of(0)));
}

#[test]
fn a_sample_shows_unknown_values_by_their_names() {
    let mut scene = order_then_look();
    let sample = scene.book.sample();
    assert_eq!(sample.len(), 2);
    assert_eq!(sample[1].0, "look");
    assert!(sample[1].1.starts_with(b"GET /orders/{id} HTTP/1.1\r\n"));
}

proptest! {
    #[test]
    fn whatever_the_values_one_request_is_composed(values in proptest::collection::vec(".*", 1..4)) {
        let mut post = with(route("r", "POST", "/{w}?q={w}"), "body", json!("{w}"));
        post["headers"] = json!([["X-W", "a{w}"]]);
        let mut scene = scene_with(&[post], |config| {
            config["feeds"] = json!([{"name": "w", "order": "sequential", "values": values}]);
        });
        for value in &values {
            let (_, bytes) = scene.sent();
            let mut headers = [httparse::EMPTY_HEADER; 8];
            let mut request = httparse::Request::new(&mut headers);
            let parsed = request.parse(bytes.as_bytes());
            let Ok(httparse::Status::Complete(head)) = parsed else {
                return Err(TestCaseError::fail(format!("{parsed:?}: {bytes:?}")));
            };
            prop_assert_eq!(request.headers.len(), 2);
            let length = value.len().to_string();
            prop_assert_eq!(request.headers[1].value, length.as_bytes());
            prop_assert_eq!(&bytes[head..], value.as_str());
        }
    }
}
