//! The engine as its parent sees it, for tests: a config goes in, messages come out.
#![allow(dead_code, reason = "every test binary has this module and uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

pub(crate) mod http2;
pub(crate) mod server;

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;
use std::time::Duration;

use loadrig_core::clock::{Clock as _, Monotonic};
use loadrig_core::histogram::Histogram;
use serde_json::{Value, json};

/// A run that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(20);

/// A config for one user at one address, as fast as the answers come, for at most 5 seconds.
pub(crate) fn config(address: SocketAddr) -> Value {
    let host = address.to_string();
    json!({
        "version": 1, "seed": 1, "threads": 1, "cpus": [],
        "server": {"scheme": "http", "host": address.ip().to_string(), "port": address.port(),
                   "addresses": [host], "host_header": host, "unix": null, "tls": null},
        "source_addresses": [],
        "connections": {"most": 1, "keep_alive": true},
        "arrivals": {"users": {"line": [[0.0, 1.0]], "loops": null}},
        "stop": {"after_s": 5.0, "requests": null},
        "timeouts": {"request_s": 5.0, "connect_s": 2.0, "drain_s": 5.0},
        "frame_s": 0.25, "gap_sample": 200, "cookies": true, "feeds": [],
        "routes": [route("home", "/")],
        "scenarios": [{"name": "home", "weight": 1.0, "steps": [0]}],
        "login": null,
        "think": {"constant": 0.0}
    })
}

/// A GET that expects nothing in particular.
pub(crate) fn route(name: &str, target: &str) -> Value {
    json!({
        "name": name, "class": "service", "timeout_s": null, "method": "GET", "target": target,
        "headers": [["Host", "test"]], "body": null,
        "expect": {"status": [], "contains": [], "matches": [], "json": [],
                   "size_min": null, "size_max": null, "time_s": null},
        "extract": [], "think": null, "redirects": 0
    })
}

/// Changes a config in place, for use in one expression.
pub(crate) fn with(mut config: Value, change: impl FnOnce(&mut Value)) -> Value {
    change(&mut config);
    config
}

/// `count` users.
pub(crate) fn users(config: Value, count: u32) -> Value {
    with(config, |config| {
        config["arrivals"] = json!({"users": {"line": [[0.0, count]], "loops": null}});
        config["connections"]["most"] = json!(count);
    })
}

/// Arrivals at an even rate over so many connections.
pub(crate) fn rate(config: Value, per_second: f64, most: u32) -> Value {
    with(config, |config| {
        config["arrivals"] =
            json!({"rate": {"line": [[0.0, per_second]], "spacing": "constant", "identities": 1}});
        config["connections"]["most"] = json!(most);
    })
}

/// So many sessions of three loops at an even rate, of which each runs to its end however slow the machine is:
/// the load ends with the last session's last request.
pub(crate) fn whole_sessions(config: Value, count: u32, per_second: f64) -> Value {
    let for_s = f64::from(count) / per_second;
    let line = json!([[0.0, per_second], [for_s, per_second], [for_s, 0.0]]);
    with(config, |config| {
        config["arrivals"] =
            json!({"sessions": {"line": line, "spacing": "constant", "loops": 3, "stay": null}});
        config["stop"] = json!({"after_s": 20.0, "requests": 3 * count});
    })
}

/// Ends after so many requests.
pub(crate) fn requests(config: Value, count: u64) -> Value {
    with(config, |config| config["stop"]["requests"] = json!(count))
}

/// An engine that runs.
pub(crate) struct Engine {
    parent: Option<UnixStream>,
    messages: Receiver<Value>,
    thread: Option<JoinHandle<i32>>,
    /// All that it has said so far.
    run: Run,
}

impl Engine {
    /// Gives the engine its config.
    pub(crate) fn prepare(config: &Value) -> Self {
        let (mut parent, input) = UnixStream::pair().unwrap();
        let (output, heard) = UnixStream::pair().unwrap();
        let thread = std::thread::spawn(move || loadrig_engine::run::serve(BufReader::new(input), output));
        let (say, messages) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(heard).lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("every line is a JSON object");
                if say.send(message).is_err() {
                    return;
                }
            }
        });
        parent.write_all(format!("{config}\n").as_bytes()).unwrap();
        Self { parent: Some(parent), messages, thread: Some(thread), run: Run::default() }
    }

    /// Gives it its config and lets it start at once.
    pub(crate) fn start(config: &Value) -> Self {
        let mut engine = Self::prepare(config);
        let ready = engine.next().expect("it answers");
        assert!(ready["ready"].is_object(), "it is ready: {ready}");
        engine.tell(&json!({"start_at_ns": Monotonic.now_ns()}));
        engine
    }

    /// Tells it something.
    pub(crate) fn tell(&mut self, message: &Value) {
        let parent = self.parent.as_mut().expect("we are still there");
        parent.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Ends its input, as when we die.
    pub(crate) fn leave(&mut self) {
        self.parent = None;
    }

    /// Its next message; none when it has ended.
    pub(crate) fn next(&mut self) -> Option<Value> {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => {
                self.run.hear(&message);
                Some(message)
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the engine says nothing for {PATIENCE:?}"),
        }
    }

    /// All that it has said and says until its end, with the accounts checked.
    pub(crate) fn finish(mut self) -> Run {
        while self.next().is_some() {}
        let mut run = std::mem::take(&mut self.run);
        assert!(run.end.is_object(), "the last word is the end");
        run.code = self.thread.take().map_or(-1, |thread| thread.join().expect("the engine does not panic"));
        run.check_accounts();
        run
    }
}

/// Runs a config to its end.
pub(crate) fn run(config: &Value) -> Run {
    Engine::start(config).finish()
}

/// All that a run has said.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) frames: Vec<Value>,
    pub(crate) end: Value,
    pub(crate) code: i32,
}

impl Run {
    fn hear(&mut self, message: &Value) {
        assert!(self.end.is_null(), "something follows the end: {message}");
        if message["frame"].is_object() {
            self.frames.push(message["frame"].clone());
        } else if message["end"].is_object() {
            self.end = message["end"].clone();
        } else {
            assert!(self.frames.is_empty(), "neither a frame nor the end: {message}");
        }
    }

    /// Due = answered + failed + unsent + in flight in every frame, and what follows from it.
    fn check_accounts(&self) {
        let mut sums = [0; 4];
        let mut until = None;
        for frame in &self.frames {
            for (sum, name) in sums.iter_mut().zip(["due", "answered", "failed", "unsent"]) {
                *sum += number(&frame[name]);
            }
            let [due, answered, failed, unsent] = sums;
            assert_eq!(due, answered + failed + unsent + number(&frame["in_flight"]), "{frame}");
            assert!(number(&frame["queued"]) <= number(&frame["in_flight"]), "{frame}");
            let t_ns = number(&frame["t_ns"]);
            assert!(until.is_none_or(|until| t_ns == until), "frames leave no gap: {frame}");
            until = Some(t_ns + number(&frame["len_ns"]));
            let rows = frame["routes"].as_array().unwrap();
            let rows: u64 = rows.iter().map(|row| number(&row["count"])).sum();
            assert_eq!(rows, number(&frame["answered"]) + number(&frame["failed"]), "{frame}");
            for row in frame["routes"].as_array().unwrap() {
                assert_eq!(histogram(&row["response"]).count(), number(&row["count"]), "{row}");
            }
            let why = &frame["unsent_why"];
            let missed = why["missed"].as_u64().unwrap_or(0);
            assert_eq!(
                number(&frame["unsent"]),
                number(&why["no_connection"]) + number(&why["end"]) + missed
            );
        }
        let [due, answered, failed, unsent] = sums;
        assert_eq!(due, answered + failed + unsent, "nothing is in flight at the end");
        let totals = &self.end["totals"];
        let said = ["due", "answered", "failed", "unsent"].map(|name| number(&totals[name]));
        assert_eq!(said, sums);
        assert_eq!(number(&totals["sent"]), self.sum("sent"));
    }

    /// Sum of a count over all frames.
    pub(crate) fn sum(&self, name: &str) -> u64 {
        self.frames.iter().map(|frame| number(&frame[name])).sum()
    }

    /// Number of requests of all routes that came to this outcome.
    pub(crate) fn outcome(&self, outcome: &str) -> u64 {
        let rows = self.rows().filter(|row| row["outcome"] == outcome);
        rows.map(|row| number(&row["count"])).sum()
    }

    /// Number of requests of this route that came to any outcome.
    pub(crate) fn route(&self, name: &str) -> u64 {
        self.rows().filter(|row| row["route"] == name).map(|row| number(&row["count"])).sum()
    }

    /// All rows of all frames.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Value> {
        self.frames.iter().flat_map(|frame| frame["routes"].as_array().unwrap())
    }

    /// A histogram of the frames, added up.
    pub(crate) fn histogram(&self, name: &str) -> Histogram {
        let mut sum = Histogram::new();
        for frame in self.frames.iter().filter(|frame| !frame[name].is_null()) {
            sum.add(&histogram(&frame[name]));
        }
        sum
    }

    /// All examples.
    pub(crate) fn examples(&self) -> Vec<&Value> {
        self.frames.iter().flat_map(|frame| frame["examples"].as_array().unwrap()).collect()
    }

    /// Reason why it ended.
    pub(crate) fn why(&self) -> &str {
        self.end["why"].as_str().unwrap()
    }
}

/// A count of a message.
pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is a count"))
}

/// A histogram of a message.
pub(crate) fn histogram(value: &Value) -> Histogram {
    Histogram::decode(value.as_str().unwrap()).unwrap()
}
