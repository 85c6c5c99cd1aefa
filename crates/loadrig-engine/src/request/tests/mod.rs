//! The room through its door: whole requests composed and whole answers judged.

mod answers;
mod caching;
mod cookies;
mod dealt;
mod grpc;
mod grpc_answers;
mod logins;
mod passages;
mod refusals;
mod requests;

use super::{Answer, Book, Judgement, LoginMark, Next, RedirectError, RouteId, User, Walk};
use crate::config::EngineConfig;
use crate::config::tests::{route, small};
use httparse::Header;
use loadrig_core::outcome::Outcome;
use loadrig_core::schedule::Shard;
use proptest::prelude::*;
use serde_json::{Value, json};

const S: u64 = 1_000_000_000;

/// A book with one user in one walk, which most tests need.
struct Scene {
    book: Book,
    user: User,
    walk: Walk,
    now_ns: u64,
}

/// Routes become one scenario, in order; `change` sees the whole config.
fn scene_with(routes: &[Value], change: impl FnOnce(&mut Value)) -> Scene {
    let mut config = small();
    config["routes"] = routes.into();
    config["scenarios"][0]["steps"] = (0..routes.len()).collect();
    change(&mut config);
    let config = EngineConfig::parse(&config.to_string()).expect("the config is right");
    let mut book = Book::compile(&config, Shard::whole()).expect("the book compiles");
    let mut user = book.new_user(0);
    let walk = book.begin(&mut user, 0);
    Scene { book, user, walk, now_ns: 1_000 * S }
}

fn scene(routes: &[Value]) -> Scene {
    scene_with(routes, |_| ())
}

fn refused(routes: &[Value]) -> (&'static str, String, String) {
    let mut config = small();
    config["routes"] = routes.into();
    let config = EngineConfig::parse(&config.to_string()).expect("the shape is right");
    let refusal = Book::compile(&config, Shard::whole()).err().expect("the book does not compile");
    (refusal.code, refusal.where_, refusal.mend)
}

impl Scene {
    fn next(&mut self) -> Next {
        self.book.next(&mut self.user, &mut self.walk, self.now_ns)
    }

    /// The route that comes next, starting over when the loop is through.
    fn route(&mut self) -> RouteId {
        let mut next = self.next();
        if next == Next::Done {
            self.book.again(&mut self.user, &mut self.walk);
            next = self.next();
        }
        match next {
            Next::Request(route) => route,
            other => panic!("{other:?} instead of a request"),
        }
    }

    fn compose(&mut self, route: RouteId) -> String {
        let mut out = Vec::new();
        self.book.compose(&mut self.user, &mut self.walk, route, &mut out);
        String::from_utf8(out).expect("these requests are texts")
    }

    /// The next request.
    fn sent(&mut self) -> (RouteId, String) {
        let route = self.route();
        let bytes = self.compose(route);
        (route, bytes)
    }

    fn judge(&mut self, route: RouteId, status: u16, headers: &[(&str, &str)], body: &str) -> Judgement {
        let headers: Vec<Header<'_>> =
            headers.iter().map(|(name, value)| Header { name, value: value.as_bytes() }).collect();
        let body = body.as_bytes();
        let answer =
            Answer { status, headers: &headers, body, body_bytes: body.len() as u64, response_ns: 1 };
        self.book.judge(&mut self.user, &mut self.walk, route, &answer, self.now_ns)
    }

    fn redirect(
        &mut self,
        route: RouteId,
        status: u16,
        headers: &[(&str, &str)],
    ) -> Result<String, RedirectError> {
        let headers: Vec<Header<'_>> =
            headers.iter().map(|(name, value)| Header { name, value: value.as_bytes() }).collect();
        let answer = Answer { status, headers: &headers, body: &[], body_bytes: 0, response_ns: 1 };
        let mut out = Vec::new();
        let _ = self.book.redirect(&mut self.user, &mut self.walk, route, &answer, &mut out)?;
        Ok(String::from_utf8(out).expect("these requests are texts"))
    }
}

fn with(mut route: Value, key: &str, value: Value) -> Value {
    route[key] = value;
    route
}

/// Route 0 takes an id from its answer, route 1 needs it.
fn order_then_look() -> Scene {
    let order = with(route("order", "POST", "/orders"), "extract", json!([{"into": "id", "json": "$.id"}]));
    scene(&[order, route("look", "GET", "/orders/{id}")])
}
