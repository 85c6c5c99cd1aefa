//! Configs that make no sense.

use super::*;

#[test]
fn a_hole_that_nothing_fills_is_refused_with_the_nearest_name() {
    let mut get = route("get", "GET", "/{itme}");
    get["extract"] = json!([{"into": "item", "json": "/id"}]);
    let (code, place, mend) = refused(&[get]);
    assert_eq!((code, place.as_str()), ("engine.unknown-hole", "routes[0].target"));
    assert!(mend.contains("{item}"), "{mend}");
    let (_, _, mend) = refused(&[route("get", "GET", "/{quite_another}")]);
    assert!(!mend.contains("did you mean"), "{mend}");
}

#[test]
fn wrong_routes_are_refused_with_code_and_place() {
    let header = |name: &str, value: &str| with(route("r", "GET", "/"), "headers", json!([[name, value]]));
    for (route, code, place) in [
        (route("r", "GET", "/{"), "engine.template", "routes[0].target"),
        (route("r", "GET", "items"), "engine.target", "routes[0].target"),
        (route("r", "GET", ""), "engine.target", "routes[0].target"),
        (route("r", "GET", "/a b"), "engine.target", "routes[0].target"),
        (route("r", "GET", "/a#b"), "engine.target", "routes[0].target"),
        (route("r", "GE T", "/"), "engine.header", "routes[0].method"),
        (header("a b", "x"), "engine.header", "routes[0].headers[0]"),
        (header("", "x"), "engine.header", "routes[0].headers[0]"),
        (header("a", "x\r\nb: y"), "engine.header", "routes[0].headers[0]"),
        (header("a", "{"), "engine.template", "routes[0].headers[0]"),
        (with(route("r", "POST", "/"), "body", json!("{a b}")), "engine.template", "routes[0].body"),
        (
            with(route("r", "POST", "/"), "body", json!({"base64": "!"})),
            "engine.config",
            "routes[0].body.base64",
        ),
        (
            with(route("r", "GET", "/"), "extract", json!([{"into": "x", "regex": "("}])),
            "engine.regex",
            "routes[0].extract[0].regex",
        ),
        (
            with(route("r", "GET", "/"), "extract", json!([{"into": "x", "json": "id"}])),
            "engine.json-place",
            "routes[0].extract[0].json",
        ),
        (
            with(route("r", "GET", "/"), "extract", json!([{"into": "x", "css": "a >"}])),
            "engine.css",
            "routes[0].extract[0].css",
        ),
    ] {
        let (found, at, _) = refused(std::slice::from_ref(&route));
        assert_eq!((found, at.as_str()), (code, place), "{route}");
    }
}

#[test]
fn a_target_may_be_a_star_or_begin_with_a_hole() {
    assert!(scene(&[route("options", "OPTIONS", "*")]).sent().1.starts_with("OPTIONS * HTTP"));
    let mut scene = scene_with(&[route("any", "GET", "{path}")], |config| {
        config["feeds"] = json!([{"name": "path", "order": "sequential", "values": ["/a/b?q=1"]}]);
    });
    assert!(scene.sent().1.starts_with("GET /a/b?q=1 HTTP"));
}

#[test]
fn a_name_is_either_a_feed_or_a_variable() {
    let mut config = small();
    config["feeds"] = json!([{"name": "id", "order": "sequential", "counter": 1}]);
    config["routes"][0]["extract"] = json!([{"into": "id", "json": "/id"}]);
    let config = EngineConfig::parse(&config.to_string()).expect("the shape is right");
    let refusal = Book::compile(&config, Shard::whole()).err().expect("the name is taken");
    assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.name-taken", "routes[0].extract[0].into"));
}
