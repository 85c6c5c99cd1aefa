//! Cookies and redirects.

use super::*;

#[test]
fn cookies_come_back_in_one_header() {
    let mut scene = scene(&[route("cart", "GET", "/cart/show"), route("home", "GET", "/")]);
    let (cart, _) = scene.sent();
    scene.judge(cart, 200, &[("Set-Cookie", "sid=1; Path=/"), ("set-cookie", "cart=2")], "");
    assert_eq!(scene.sent().1, "GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nCookie: sid=1\r\n\r\n");
    let (_, bytes) = scene.sent();
    assert!(
        bytes.ends_with("Cookie: cart=2; sid=1\r\n\r\n"),
        "the folder of the request is the path: {bytes}"
    );
}

#[test]
fn the_folder_of_a_target_with_holes_is_that_of_what_was_sent() {
    let mut scene = scene_with(&[route("a", "GET", "/{w}/x"), route("b", "GET", "/one/y")], |config| {
        config["feeds"] = json!([{"name": "w", "order": "sequential", "values": ["one", "two"]}]);
    });
    let (a, _) = scene.sent();
    scene.judge(a, 200, &[("Set-Cookie", "c=1")], "");
    assert!(scene.sent().1.contains("Cookie: c=1"));
    assert!(!scene.sent().1.contains("Cookie"), "the second draw leads to /two");
}

#[test]
fn the_plans_own_cookies_share_the_header() {
    let own = with(route("own", "GET", "/"), "headers", json!([["Cookie", "a={user}"], ["X", "y"]]));
    let mut scene = scene(&[own]);
    let (route, bytes) = scene.sent();
    assert_eq!(bytes, "GET / HTTP/1.1\r\nX: y\r\nCookie: a=0\r\n\r\n");
    scene.judge(route, 200, &[("Set-Cookie", "b=2; Path=/elsewhere")], "");
    assert!(scene.sent().1.ends_with("Cookie: a=0\r\n\r\n"));
    scene.judge(route, 200, &[("Set-Cookie", "b=2; Path=/")], "");
    assert!(scene.sent().1.ends_with("Cookie: a=0; b=2\r\n\r\n"));
}

#[test]
fn without_cookies_none_are_kept() {
    let mut scene = scene_with(&[route("home", "GET", "/")], |config| {
        config["cookies"] = json!(false);
    });
    let (route, first) = scene.sent();
    scene.judge(route, 200, &[("Set-Cookie", "a=1")], "");
    assert_eq!(scene.sent().1, first);
}

#[test]
fn a_redirect_is_followed_with_its_cookies() {
    let mut form = with(route("form", "POST", "/login?{n}"), "body", json!("u={n}"));
    form["redirects"] = json!(2);
    let mut scene = scene_with(&[form], |config| {
        config["feeds"] = json!([{"name": "n", "order": "sequential", "counter": 1}]);
    });
    let (route, bytes) = scene.sent();
    assert!(bytes.starts_with("POST /login?1 ") && bytes.ends_with("u=1"));
    let kept = scene.redirect(route, 307, &[("Location", "/again"), ("Set-Cookie", "sid=9; Path=/")]);
    let kept = kept.expect("a redirect");
    assert!(
        kept.starts_with("POST /again ")
            && kept.ends_with("\r\nCookie: sid=9\r\nContent-Length: 3\r\n\r\nu=1")
    );
    let got = scene.redirect(route, 303, &[("Location", "home")]).expect("a redirect");
    assert_eq!(got, "GET /home HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nCookie: sid=9\r\n\r\n");
    let more = scene.redirect(route, 302, &[("Location", "/more")]);
    assert_eq!(more, Err(RedirectError::TooMany));
    let judgement = scene.judge(route, 302, &[("Location", "/more")], "");
    assert_eq!(judgement.outcome, Outcome::Http3xx);
    assert!(judgement.detail.is_some_and(|detail| detail.contains("too many redirects")));
    assert!(scene.sent().1.starts_with("POST /login?2 "), "following has drawn nothing");
}

#[test]
fn a_redirect_to_another_server_is_judged_as_it_is() {
    let follows = with(route("r", "GET", "/"), "redirects", json!(5));
    let mut scene = scene(&[follows]);
    let (route, _) = scene.sent();
    let refused = scene.redirect(route, 302, &[("Location", "http://example.org/")]);
    assert_eq!(refused, Err(RedirectError::OtherServer));
    assert_eq!(scene.judge(route, 302, &[], "").outcome, Outcome::Http3xx);
}

#[test]
fn a_route_that_does_not_follow_is_not_followed() {
    let mut scene = scene(&[route("r", "GET", "/")]);
    let (route, _) = scene.sent();
    assert!(scene.redirect(route, 302, &[("Location", "/x")]).is_err());
    assert_eq!(scene.judge(route, 302, &[("Location", "/x")], "").outcome, Outcome::Ok);
}
