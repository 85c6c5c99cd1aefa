//! The generator's one config: what the parent sends as the first line, as plain data.
//!
//! The shape is strict (an unknown key is refused) and nothing is filled in here: whoever makes
//! the config has decided everything. What the shape cannot say is in [`check`]. Templates,
//! expressions and feeds are looked into by [`crate::request`], which compiles them.

mod cache;
mod check;
mod load;
mod refusal;
mod route;
mod value;

pub use cache::{Cache, Freshness, Keeping};
pub use load::{Arrivals, Connections, Part, Point, Protocol, Scheme, Server, Spacing, Stop, Timeouts, Tls};
pub use refusal::Refusal;
pub(crate) use refusal::quoted;
pub use route::{
    Again, AnswerPart, Body, Condition, Expect, Extract, Feed, FeedOrder, FeedSpan, Having, Login, Order,
    Passage, Route, RouteClass, RouteProtocol, Scenario, Term, Think,
};
pub use value::ValueCheck;

use loadrig_core::schedule::{self, Shard};
use serde::Deserialize;

/// The version of the config that this engine understands.
pub const VERSION: u32 = 1;

/// Everything a generator process needs to know for one trial.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineConfig {
    /// Version of this format.
    pub version: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// The part of the load that this generator makes; the whole where nothing is said.
    #[serde(default)]
    pub part: Part,
    /// Where this generator takes a part over from another one: end of what that one made, in seconds from the
    /// start of the load. Arrivals before it are left out, those until this generator starts are due and unsent.
    #[serde(default)]
    pub resume_s: Option<f64>,
    /// Threads that send; each owns its connections.
    pub threads: u32,
    /// Thread i is pinned to `cpus[i % len]`; empty pins nothing.
    pub cpus: Vec<usize>,
    /// Target of the requests.
    pub server: Server,
    /// Servers beside the target, which routes name by number: the first of them is number 1.
    #[serde(default)]
    pub further_servers: Vec<Server>,
    /// Local IP addresses to connect from, in turn; empty leaves it to the kernel.
    pub source_addresses: Vec<std::net::IpAddr>,
    /// Use of connections.
    pub connections: Connections,
    /// Instant at which requests are due.
    pub arrivals: Arrivals,
    /// The highest level that the load may be told to have while it runs, beyond its own line.
    #[serde(default)]
    pub level_most: Option<f64>,
    /// End of the load.
    pub stop: Stop,
    /// Times to wait.
    pub timeouts: Timeouts,
    /// Length of a frame in seconds.
    pub frame_s: f64,
    /// Gaps between sends that a frame carries at most.
    pub gap_sample: usize,
    /// Whether users keep the cookies that answers set.
    pub cookies: bool,
    /// Cache of each user; none where nothing is said.
    #[serde(default)]
    pub cache: Option<Cache>,
    /// Sources of the values of holes.
    pub feeds: Vec<Feed>,
    /// Values that are never quoted, in whatever form an answer may hold them.
    #[serde(default)]
    pub withheld: Vec<String>,
    /// The message types that gRPC routes name: a serialised `google.protobuf.FileDescriptorSet`
    /// in base64 (RFC 4648, section 4), with all that it imports.
    #[serde(default)]
    pub protos: Option<String>,
    /// Requests.
    pub routes: Vec<Route>,
    /// In which order the routes are asked.
    pub scenarios: Vec<Scenario>,
    /// The step that gets a token, if there is one.
    pub login: Option<Login>,
    /// The pause between an answer and the next request, where a route names none.
    pub think: Think,
}

impl EngineConfig {
    /// Reads and checks a config.
    ///
    /// Refuses with code `engine.config` and the JSON path of the first thing that is wrong.
    pub fn parse(json: &str) -> Result<Self, Refusal> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let config: Self = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            Refusal::config(without_place(&error.into_inner()), path)
        })?;
        reader.end().map_err(|error| Refusal::config(without_place(&error), "."))?;
        check::check(&config)?;
        Ok(config)
    }

    /// All servers by their numbers, the target first.
    pub fn servers(&self) -> impl Iterator<Item = &Server> {
        std::iter::once(&self.server).chain(&self.further_servers)
    }

    /// Threads that are used: no more than a generator has connections. Every generator of a fleet has as many.
    #[must_use]
    pub fn threads_used(&self) -> u32 {
        self.threads.min(self.connections.most / self.part.of)
    }

    /// The shards of the load that this generator makes, one for each thread that is used.
    pub fn shards(&self) -> impl Iterator<Item = Shard> + use<> {
        let part = schedule::Part { index: self.part.index, of: self.part.of };
        let threads = self.threads_used();
        (0..threads).map(move |thread| Shard::in_part(part, thread, threads))
    }

    /// Requests that this generator makes at most: those below the limit of the whole load that are its own.
    #[must_use]
    pub fn requests_most(&self) -> Option<u64> {
        let all = self.stop.requests?;
        Some(self.shards().map(|shard| shard.share(all)).sum())
    }
}

/// The message alone: the JSON is one line that nobody has seen, and a path says where.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::EngineConfig;
    use serde_json::{Value, json};

    /// A whole small config, for tests to change and parse.
    pub(crate) fn small() -> Value {
        json!({
            "version": 1, "seed": 1, "threads": 1, "cpus": [],
            "server": {"scheme": "http", "host": "127.0.0.1", "port": 8000,
                       "addresses": ["127.0.0.1:8000"], "host_header": "127.0.0.1:8000",
                       "unix": null, "tls": null},
            "source_addresses": [],
            "connections": {"most": 4, "keep_alive": true},
            "arrivals": {"users": {"line": [[0.0, 4.0]], "loops": null}},
            "stop": {"after_s": 1.0, "requests": null},
            "timeouts": {"request_s": 30.0, "connect_s": 5.0, "drain_s": 30.0},
            "frame_s": 1.0, "gap_sample": 200, "cookies": true, "feeds": [],
            "routes": [route("home", "GET", "/")],
            "scenarios": [{"name": "home", "weight": 1.0, "steps": [0]}],
            "login": null,
            "think": {"constant": 0.0}
        })
    }

    /// A route that asks for a target and expects nothing in particular.
    pub(crate) fn route(name: &str, method: &str, target: &str) -> Value {
        json!({
            "name": name, "class": "service", "timeout_s": null, "method": method, "target": target,
            "headers": [["Host", "127.0.0.1:8000"]], "body": null,
            "expect": {"status": [], "contains": [], "matches": [], "json": [],
                       "size_min": null, "size_max": null, "time_s": null},
            "extract": [], "think": null, "redirects": 0
        })
    }

    fn refused(change: impl FnOnce(&mut Value)) -> (String, String) {
        let mut config = small();
        change(&mut config);
        let refusal = EngineConfig::parse(&config.to_string()).expect_err("the config is wrong");
        assert_eq!(refusal.code, "engine.config");
        (refusal.what, refusal.where_)
    }

    #[test]
    fn a_whole_config_is_read() {
        let config = EngineConfig::parse(&small().to_string()).expect("the small config is right");
        assert_eq!(config.routes[0].name, "home");
    }

    /// The small config as each generator of a fleet gets it.
    fn parts(of: u32, change: impl Fn(&mut Value)) -> Vec<EngineConfig> {
        let part = |index| {
            let mut config = small();
            change(&mut config);
            config["part"] = json!({"index": index, "of": of});
            EngineConfig::parse(&config.to_string()).expect("the config is right")
        };
        (0..of).map(part).collect()
    }

    #[test]
    fn a_config_without_a_part_is_that_of_a_fleet_of_one() {
        let alone = EngineConfig::parse(&small().to_string()).expect("the small config is right");
        assert_eq!(parts(1, |_| {}), [alone]);
    }

    #[test]
    fn a_part_that_is_none_is_refused() {
        for part in [json!({"index": 0, "of": 0}), json!({"index": 2, "of": 2})] {
            assert_eq!(refused(|config| config["part"] = part).1, "part");
        }
    }

    #[test]
    fn fewer_connections_than_generators_are_refused() {
        let part = |of: u32| {
            let mut config = small();
            config["part"] = json!({"index": 0, "of": of});
            EngineConfig::parse(&config.to_string()).map_err(|refusal| refusal.code)
        };
        assert!(part(4).is_ok());
        assert_eq!(part(5), Err("engine.fleet-too-large"));
    }

    #[test]
    fn the_parts_together_have_all_connections_requests_and_shards() {
        for of in 1..=4 {
            let fleet = parts(of, |config| {
                config["threads"] = json!(3);
                config["connections"]["most"] = json!(11);
                config["stop"]["requests"] = json!(1000);
            });
            let threads = fleet[0].threads_used();
            assert!(fleet.iter().all(|config| config.threads_used() == threads));
            let requests: u64 = fleet.iter().filter_map(EngineConfig::requests_most).sum();
            assert_eq!(requests, 1000);
            let shards: Vec<_> = fleet.iter().flat_map(EngineConfig::shards).collect();
            assert!(shards.iter().all(|shard| shard.share(11) >= 1 && shard.of() == u64::from(threads * of)));
            assert_eq!(shards.iter().map(|shard| shard.share(11)).sum::<u64>(), 11);
        }
    }

    #[test]
    fn every_arrival_model_is_read() {
        for arrivals in [
            json!({"rate": {"line": [[0.0, 10.0]], "spacing": "poisson", "identities": 3}}),
            json!({"sessions": {"line": [[0.0, 10.0]], "spacing": "constant", "loops": 3, "stay": null}}),
            json!({"sessions": {"line": [[0.0, 10.0]], "spacing": "constant", "loops": null, "stay": 0.5}}),
            json!({"replay": {"times_s": [0.0, 0.5, 0.5]}}),
            json!({"replay": {"times_s": [0.0, 0.5], "scenarios": [0, 0]}}),
        ] {
            let mut config = small();
            config["arrivals"] = arrivals;
            EngineConfig::parse(&config.to_string()).expect("the arrivals are right");
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_place() {
        let (what, place) = refused(|config| config["connections"]["moist"] = json!(3));
        assert!(what.contains("moist"), "{what}");
        assert!(place.starts_with("connections"), "{place}");
    }

    #[test]
    fn a_line_that_goes_back_in_time_is_refused() {
        let (what, place) = refused(|config| {
            config["arrivals"]["users"]["line"] = json!([[1.0, 1.0], [0.5, 2.0]]);
        });
        assert!(what.contains("before"), "{what}");
        assert_eq!(place, "arrivals.users.line[1]");
    }

    #[test]
    fn a_step_to_a_route_that_does_not_exist_is_refused() {
        let (_, place) = refused(|config| config["scenarios"][0]["steps"] = json!([0, 7]));
        assert_eq!(place, "scenarios[0].steps[1]");
    }

    #[test]
    fn a_replay_has_a_scenario_for_each_time_or_says_none() {
        for (scenarios, wanted) in [
            (json!([0]), "arrivals.replay.scenarios"),
            (json!([0, 0, 0]), "arrivals.replay.scenarios"),
            (json!([0, 1]), "arrivals.replay.scenarios[1]"),
        ] {
            let (_, place) = refused(|config| {
                config["arrivals"] = json!({"replay": {"times_s": [0.0, 0.5], "scenarios": scenarios}});
            });
            assert_eq!(place, wanted);
        }
    }

    #[test]
    fn passages_that_cross_or_leave_nothing_are_refused() {
        let condition = json!({"terms": [{"variable": "x", "value": "1", "equal": true}], "holds": true});
        let passage = |first: usize, last: usize| json!({"first": first, "last": last, "enter": condition});
        for (passages, wanted) in [
            (json!([passage(2, 1)]), "scenarios[0].passages[0]"),
            (json!([passage(1, 4)]), "scenarios[0].passages[0]"),
            (json!([passage(0, 1), passage(1, 2)]), "scenarios[0].passages[1]"),
            (json!([passage(0, 1), passage(2, 3)]), "scenarios[0].passages"),
            (
                json!([{"first": 0, "last": 0, "again": {"when": condition, "most": 0}}]),
                "scenarios[0].passages[0].again.most",
            ),
        ] {
            let (_, place) = refused(|config| {
                config["scenarios"][0]["steps"] = json!([0, 0, 0, 0]);
                config["scenarios"][0]["passages"] = passages;
            });
            assert_eq!(place, wanted);
        }
    }

    #[test]
    fn a_step_beside_another_does_not_leave_a_passage_or_enter_it() {
        for beside in [1, 3] {
            let (_, place) = refused(|config| {
                config["scenarios"][0]["steps"] = json!([0, 0, 0, 0]);
                config["scenarios"][0]["beside"] = json!([beside]);
                config["scenarios"][0]["passages"] = json!([{"first": 1, "last": 2}]);
            });
            assert_eq!(place, "scenarios[0].passages[0]");
        }
    }

    #[test]
    fn a_session_with_both_loops_and_stay_is_refused() {
        let (_, place) = refused(|config| {
            config["arrivals"] =
                json!({"sessions": {"line": [[0.0, 1.0]], "spacing": "poisson", "loops": 1, "stay": 0.5}});
        });
        assert_eq!(place, "arrivals.sessions");
    }

    #[test]
    fn a_jitter_is_a_share_and_nothing_where_it_is_not_said() {
        let with_jitter = |jitter: Option<f64>| {
            let mut config = small();
            config["routes"].as_array_mut().expect("a list").push(route("login", "POST", "/login"));
            config["routes"][1]["class"] = json!("login");
            config["login"] = json!({"route": 1, "lasts_s": 9.0, "lasts_from": null, "again_on": []});
            if let Some(jitter) = jitter {
                config["login"]["jitter"] = json!(jitter);
            }
            EngineConfig::parse(&config.to_string())
        };
        let jitter = |config: EngineConfig| config.login.expect("a login").jitter;
        assert!(with_jitter(None).is_ok_and(|config| jitter(config) <= 0.0));
        assert!(with_jitter(Some(1.0)).is_ok_and(|config| jitter(config) >= 1.0));
        for wrong in [-0.1, 1.5] {
            assert_eq!(with_jitter(Some(wrong)).expect_err("no share").where_, "login.jitter");
        }
    }

    #[test]
    fn https_without_tls_options_is_refused() {
        let (_, place) = refused(|config| config["server"]["scheme"] = json!("https"));
        assert_eq!(place, "server.tls");
    }

    #[test]
    fn a_route_goes_to_a_server_that_there_is() {
        let (_, place) = refused(|config| config["routes"][0]["server"] = json!(1));
        assert_eq!(place, "routes[0].server");
        let (_, place) = refused(|config| {
            let mut further = config["server"].clone();
            further["addresses"] = json!([]);
            config["further_servers"] = json!([further]);
        });
        assert_eq!(place, "further_servers[0].addresses");
        let mut config = small();
        config["further_servers"] = json!([config["server"]]);
        config["routes"][0]["server"] = json!(1);
        let config = EngineConfig::parse(&config.to_string()).expect("there is such a server");
        assert_eq!((config.routes[0].server, config.servers().count()), (1, 2));
    }

    #[test]
    fn a_grpc_route_needs_its_messages_and_their_types() {
        let grpc = |config: &mut Value| {
            config["protos"] = json!("");
            config["connections"]["protocol"] = json!("http2");
            config["routes"][0]["protocol"] = json!("grpc");
            config["routes"][0]["method"] = json!("POST");
            config["routes"][0]["messages"] = json!(["a.B", "a.C"]);
        };
        let mut config = small();
        grpc(&mut config);
        EngineConfig::parse(&config.to_string()).expect("all that it needs is there");
        for (key, value, wanted) in [
            ("messages", json!(null), "routes[0].messages"),
            ("method", json!("GET"), "routes[0].method"),
            ("redirects", json!(1), "routes[0].redirects"),
            ("body", json!({"base64": ""}), "routes[0].body"),
            ("protocol", json!("http"), "routes[0].messages"),
        ] {
            let (what, place) = refused(|config| {
                grpc(config);
                config["routes"][0][key] = value;
            });
            assert_eq!(place, wanted, "{what}");
        }
        let (_, place) = refused(|config| {
            grpc(config);
            config["protos"] = json!(null);
        });
        assert_eq!(place, "protos");
        let (_, place) = refused(|config| {
            grpc(config);
            config["connections"]["protocol"] = json!("http1");
        });
        assert_eq!(place, "connections.protocol");
    }

    #[test]
    fn a_websocket_is_opened_by_get() {
        let (what, place) = refused(|config| {
            config["routes"][0]["protocol"] = json!("websocket");
            config["routes"][0]["method"] = json!("POST");
        });
        assert_eq!(place, "routes[0].method");
        assert!(what.contains("GET"), "{what}");
    }

    #[test]
    fn something_after_the_config_is_refused() {
        let text = format!("{} {{}}", small());
        assert!(EngineConfig::parse(&text).is_err());
    }
}
