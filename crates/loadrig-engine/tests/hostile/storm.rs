//! The load of these tests, and what must hold after it.
//!
//! Users ask for `/good` and for `/bad`, picked at random, on connections that they keep. The
//! server does to `/bad` whatever is tested. Where the fault comes before any request could be
//! read, every second connection has it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::common::server::{FINE, Line, Server};
use crate::common::{Run, config, histogram, number, requests, route, run, users, with};

/// Users at once.
const USERS: u32 = 24;

/// Requests of a run whose faults are quick.
const REQUESTS: u64 = 240;

/// Requests of a run whose faults each last until the time-out.
const SLOW_REQUESTS: u64 = 96;

/// Time-out of the bad requests in such a run.
const BAD_TIMEOUT_S: f64 = 0.2;

/// A time-out that is seen later than this was forgotten.
const HANG_NS: u64 = 8_000_000_000;

/// Act of a server on a connection.
type Act = Box<dyn Fn(&mut Line) + Send + Sync>;

/// A way to be hostile, and what must come of it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) outcome: &'static str,
    /// Part of the example.
    pub(crate) detail: &'static str,
    act: Act,
    /// The server goes on with the connection after that.
    goes_on: bool,
}

impl Case {
    pub(crate) fn new(
        name: impl Into<String>,
        outcome: &'static str,
        detail: &'static str,
        act: impl Fn(&mut Line) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), outcome, detail, act: Box::new(act), goes_on: false }
    }

    /// The server goes on with the connection, as it does after any good answer.
    pub(crate) fn and_goes_on(self) -> Self {
        Self { goes_on: true, ..self }
    }

    /// Answers with this and goes on with the connection.
    pub(crate) fn answers(answer: impl Into<Vec<u8>>, outcome: &'static str, detail: &'static str) -> Self {
        let answer = answer.into();
        let name = shown(&answer);
        let act = move |line: &mut Line| {
            line.say(&answer);
        };
        Self::new(name, outcome, detail, act).and_goes_on()
    }

    /// Answers with this and then waits for the other side to close.
    pub(crate) fn says(answer: impl Into<Vec<u8>>, outcome: &'static str, detail: &'static str) -> Self {
        let answer = answer.into();
        Self::new(shown(&answer), outcome, detail, move |line| {
            line.say(&answer);
            line.wait_for_end();
        })
    }

    /// Answers with this and closes.
    pub(crate) fn says_and_closes(answer: &'static str, outcome: &'static str, detail: &'static str) -> Self {
        Self::new(format!("{answer:?}, then closes"), outcome, detail, move |line| {
            line.say(answer.as_bytes());
        })
    }

    /// Answers with this and resets the connection.
    pub(crate) fn says_and_resets(answer: &'static str) -> Self {
        Self::new(format!("{answer:?}, then resets"), "reset", "reset", move |line| {
            line.say(answer.as_bytes());
            line.reset();
        })
    }

    /// Runs the storm against it.
    pub(crate) fn strikes(self) -> Run {
        let name = self.name.clone();
        let (outcome, detail) = (self.outcome, self.detail);
        let run = self.run(|_| ());
        judge(&name, &run, outcome, detail);
        run
    }

    /// Runs the storm with a config that is changed once more.
    pub(crate) fn run(self, change: impl FnOnce(&mut Value)) -> Run {
        let is_slow = self.outcome == "timeout";
        let server = beside_good_ones(self.act, self.goes_on);
        run(&with(storm(&server, is_slow), change))
    }
}

/// The first bytes of an answer, as the name of a case.
fn shown(answer: &[u8]) -> String {
    let first = &answer[..answer.len().min(120)];
    format!("{:?} ({} bytes)", String::from_utf8_lossy(first), answer.len())
}

/// A server that answers `/good` well and does something else to `/bad`.
fn beside_good_ones(act: Act, goes_on: bool) -> Server {
    Server::new(move |line| {
        while let Some(request) = line.request() {
            if request.starts_with("GET /good ") {
                line.say(FINE);
                continue;
            }
            act(line);
            if !goes_on {
                return;
            }
        }
    })
}

/// The load of a run.
pub(crate) fn storm(server: &Server, is_slow: bool) -> Value {
    let count = if is_slow { SLOW_REQUESTS } else { REQUESTS };
    with(requests(users(config(server.address), USERS), count), |config| {
        let mut bad = route("bad", "/bad");
        if is_slow {
            bad["timeout_s"] = json!(BAD_TIMEOUT_S);
        }
        config["routes"] = json!([route("good", "/good"), bad]);
        config["scenarios"] = json!([
            {"name": "good", "weight": 1.0, "steps": [0]},
            {"name": "bad", "weight": 1.0, "steps": [1]},
        ]);
        // The good ones must have time on a machine that has none to spare.
        config["timeouts"] = json!({"request_s": 15.0, "connect_s": 15.0, "drain_s": 15.0});
        config["stop"]["after_s"] = json!(15.0);
    })
}

/// The good requests were answered well, the bad ones all came to this outcome, an example says
/// why, and nothing is left open.
pub(crate) fn judge(name: &str, run: &Run, outcome: &str, detail: &str) {
    let found = outcomes(run);
    let good = found.get(&("good".to_owned(), "ok".to_owned())).copied().unwrap_or(0);
    let bad = found.get(&("bad".to_owned(), outcome.to_owned())).copied().unwrap_or(0);
    let examples = run.examples();
    assert!(good > 0 && bad > 0, "{name}: {found:?} {examples:?}");
    assert_eq!(good + bad, run.sum("due"), "{name}: {found:?} {examples:?}");
    assert_eq!(number(&run.frames.last().unwrap()["open"]), 0, "{name}: all connections are closed");
    if outcome != "ok" {
        says_so(name, run, outcome, detail);
    }
    if outcome == "timeout" {
        for row in run.rows().filter(|row| row["route"] == "bad") {
            let longest_ns = histogram(&row["response"]).max_ns();
            assert!(longest_ns < HANG_NS, "{name}: {longest_ns} ns");
        }
    }
}

/// An example of an outcome says why, and there are at most three for each route. On a busy machine
/// another example may come first: a time-out before anything had come.
pub(crate) fn says_so(name: &str, run: &Run, outcome: &str, detail: &str) {
    let examples = run.examples();
    let examples: Vec<_> = examples.iter().filter(|example| example["outcome"] == outcome).collect();
    let first = examples.first().unwrap_or_else(|| panic!("{name}: no example of {outcome}"));
    let of_its_route = examples.iter().filter(|example| example["route"] == first["route"]).count();
    assert!(of_its_route <= 3, "{name}: {examples:?}");
    let says = |example: &Value| example["detail"].as_str().unwrap().contains(detail);
    assert!(examples.iter().any(|example| says(example)), "{name}: {examples:?} say nothing of {detail:?}");
}

/// Number of requests of each route that came to each outcome.
pub(crate) fn outcomes(run: &Run) -> BTreeMap<(String, String), u64> {
    let mut found = BTreeMap::new();
    for row in run.rows() {
        let key = ["route", "outcome"].map(|name| row[name].as_str().unwrap().to_owned());
        *found.entry(key.into()).or_default() += number(&row["count"]);
    }
    found
}

/// A server that treats every second connection badly and the others well.
pub(crate) fn every_second(
    well: impl Fn(&mut Line) + Send + Sync + 'static,
    badly: impl Fn(&mut Line) + Send + Sync + 'static,
) -> Server {
    let count = AtomicU64::new(0);
    Server::new(
        move |line| {
            if count.fetch_add(1, Ordering::Relaxed) % 2 == 0 { well(line) } else { badly(line) }
        },
    )
}

/// As many requests as connections, each on its own.
pub(crate) fn one_connection_each(server: &Server, count: u64) -> Value {
    with(requests(users(config(server.address), USERS), count), |config| {
        config["connections"]["keep_alive"] = json!(false);
        config["routes"][0]["headers"] = json!([["Host", "test"], ["Connection", "close"]]);
        config["timeouts"] = json!({"request_s": 15.0, "connect_s": 15.0, "drain_s": 15.0});
        config["stop"]["after_s"] = json!(15.0);
    })
}

/// Half of the requests were answered well and half came to this outcome, which an example explains.
pub(crate) fn judge_halves(name: &str, run: &Run, outcome: &str, detail: &str) {
    let found = outcomes(run);
    let half = run.sum("due") / 2;
    assert!(half > 0, "{name}: {found:?}");
    assert_eq!(run.outcome("ok"), half, "{name}: {found:?} {:?}", run.examples());
    assert_eq!(run.outcome(outcome), half, "{name}: {found:?} {:?}", run.examples());
    assert_eq!(number(&run.frames.last().unwrap()["open"]), 0, "{name}: all connections are closed");
    says_so(name, run, outcome, detail);
}
