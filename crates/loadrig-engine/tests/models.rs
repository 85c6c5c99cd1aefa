//! The arrival models, and how runs end.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::server::{FINE, Line, Server};
use common::{Engine, config, number, rate, requests, route, run, users, whole_sessions, with};
use loadrig_core::clock::{Clock as _, Monotonic};
use serde_json::{Value, json};

#[test]
fn users_make_their_loops_and_leave() {
    let server = Server::fine();
    for threads in [1, 2] {
        let run = run(&with(users(config(server.address), 5), |config| {
            config["threads"] = json!(threads);
            config["arrivals"]["users"]["loops"] = json!(3);
            config["routes"] = json!([route("first", "/1"), route("second", "/2")]);
            config["scenarios"][0]["steps"] = json!([0, 1]);
        }));
        assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("loops", 30, 30));
        assert_eq!((run.route("first"), run.route("second")), (15, 15));
        assert_eq!(run.sum("opened"), 5, "a user keeps its connection");
        assert_eq!(run.frames.last().unwrap()["threads"].as_array().unwrap().len(), threads);
    }
}

#[test]
fn a_number_of_requests_is_kept_exactly_by_all_threads_together() {
    let server = Server::fine();
    for (threads, count) in [(1, 1), (2, 101)] {
        let run = run(&with(requests(users(config(server.address), 3), count), |config| {
            config["threads"] = json!(threads);
        }));
        assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("requests", count, count));
    }
}

#[test]
fn users_come_and_go_with_the_line() {
    let server = Server::fine();
    let run = run(&with(users(config(server.address), 6), |config| {
        config["arrivals"]["users"]["line"] =
            json!([[0, 2], [0.5, 2], [0.5, 6], [1.0, 6], [1.0, 1], [1.5, 1], [1.5, 0]]);
        config["think"] = json!({"constant": 0.02});
    }));
    assert_eq!(run.why(), "all_users_done");
    // Frames are a quarter of a second long; the level at a frame's end is that after a step there.
    let levels: Vec<u64> = run.frames.iter().take(6).map(|frame| number(&frame["users"])).collect();
    assert_eq!(levels[0], 2);
    assert_eq!(levels[2], 6);
    assert_eq!(levels[4], 1);
    assert_eq!(run.sum("opened"), 6);
}

#[test]
fn a_think_time_lies_between_a_users_requests() {
    let server = Server::fine();
    let run = run(&with(config(server.address), |config| {
        config["arrivals"]["users"]["loops"] = json!(4);
        config["think"] = json!({"constant": 0.1});
    }));
    let span: u64 = run.frames.iter().map(|frame| number(&frame["len_ns"])).sum();
    assert_eq!(run.sum("due"), 4);
    assert!(span >= 300_000_000, "three pauses lie between four requests: {span}");
}

#[test]
fn a_part_that_is_taken_over_goes_on_where_it_was_lost_and_what_nobody_made_is_missed() {
    let server = Server::fine();
    for threads in [1, 2] {
        let mut engine = Engine::prepare(&with(rate(config(server.address), 200.0, 10), |config| {
            config["threads"] = json!(threads);
            config["stop"]["after_s"] = json!(2.0);
            config["resume_s"] = json!(0.5);
        }));
        assert!(engine.next().unwrap()["ready"].is_object());
        let start_ns = Monotonic.now_ns() - 1_000_000_000;
        engine.tell(&json!({"start_at_ns": start_ns}));
        let run = engine.finish();
        assert_eq!((run.why(), run.sum("due")), ("time", 300));
        let missed: u64 =
            run.frames.iter().map(|frame| frame["unsent_why"]["missed"].as_u64().unwrap_or(0)).sum();
        assert!((100..300).contains(&missed), "{missed}");
        assert_eq!((run.sum("unsent"), run.outcome("ok")), (missed, 300 - missed));
        assert_eq!(number(&run.frames[0]["t_ns"]), start_ns + 500_000_000);
        assert!(run.histogram("lag").max_ns() < 400_000_000, "what was missed is not sent late");
    }
}

#[test]
fn no_load_that_answers_pace_can_be_taken_over() {
    let server = Server::fine();
    for config in [users(config(server.address), 2), requests(rate(config(server.address), 5.0, 1), 9)] {
        let mut engine = Engine::prepare(&with(config, |config| config["resume_s"] = json!(0.5)));
        assert_eq!(engine.next().unwrap()["refused"]["code"], "engine.config");
    }
}

#[test]
fn an_even_rate_makes_as_many_requests_as_it_says() {
    let server = Server::fine();
    for threads in [1, 2] {
        let run = run(&with(rate(config(server.address), 200.0, 10), |config| {
            config["threads"] = json!(threads);
            config["stop"]["after_s"] = json!(1.0);
        }));
        assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("time", 200, 200));
        let gaps: Vec<u64> = run.frames.iter().flat_map(gaps).collect();
        assert!(!gaps.is_empty());
        assert_eq!(run.histogram("lag").count(), 200);
        assert_eq!(run.histogram("wait").count(), 200);
    }
}

fn gaps(frame: &Value) -> Vec<u64> {
    frame["gaps_ns"].as_array().unwrap().iter().map(number).collect()
}

#[test]
fn poisson_arrivals_come_at_their_rate() {
    let server = Server::fine();
    let run = run(&with(rate(config(server.address), 1000.0, 50), |config| {
        config["arrivals"]["rate"]["spacing"] = json!("poisson");
        config["threads"] = json!(2);
        config["stop"]["after_s"] = json!(1.0);
    }));
    // Five standard deviations of a Poisson number of mean 1000; the seed is fixed besides.
    assert!(run.sum("due").abs_diff(1000) < 160, "{}", run.sum("due"));
    assert_eq!(run.outcome("ok"), run.sum("due"));
}

#[test]
fn a_load_takes_the_level_that_it_is_told() {
    let server = Server::fine();
    for threads in [1, 2] {
        let mut engine = Engine::start(&with(rate(config(server.address), 100.0, 10), |config| {
            config["threads"] = json!(threads);
            config["stop"]["after_s"] = json!(3.5);
        }));
        let first = engine.next().unwrap();
        let start_ns = number(&first["frame"]["t_ns"]);
        // Told 1.75 s before its time: other tests may have the cores meanwhile.
        engine.tell(&json!({"level": {"to": 400.0, "at_ns": start_ns + 2_000_000_000}}));
        engine.tell(&json!({"level": {"to": 0.0, "at_ns": start_ns + 2_500_000_000}}));
        engine.tell(&json!({"level": {"to": 50.0, "at_ns": start_ns + 3_000_000_000}}));
        let run = engine.finish();
        // 100/s for two seconds, then 400/s, nothing, and 50/s, for half a second each.
        assert_eq!((run.why(), run.sum("due")), ("time", 200 + 200 + 25));
        // Frames are a quarter of a second long; the level is that at a frame's end.
        let planned = |n: usize| run.frames[n]["planned"].as_f64();
        assert_eq!([planned(0), planned(8), planned(10), planned(12)], [100.0, 400.0, 0.0, 50.0].map(Some));
    }
}

#[test]
fn users_come_and_go_as_they_are_told() {
    let server = Server::fine();
    let mut engine = Engine::start(&with(users(config(server.address), 1), |config| {
        config["think"] = json!({"constant": 0.02});
        config["connections"]["most"] = json!(6);
        config["level_most"] = json!(6);
        config["stop"]["after_s"] = json!(3.0);
    }));
    let start_ns = number(&engine.next().unwrap()["frame"]["t_ns"]);
    engine.tell(&json!({"level": {"to": 6.0, "at_ns": start_ns + 2_000_000_000}}));
    engine.tell(&json!({"level": {"to": 2.0, "at_ns": start_ns + 2_500_000_000}}));
    let run = engine.finish();
    let users: Vec<u64> = run.frames.iter().take(12).map(|frame| number(&frame["users"])).collect();
    assert_eq!((users[0], users[8], users[10]), (1, 6, 2), "{users:?}");
    assert_eq!(run.sum("opened"), 6, "each user has a connection of its own");
}

#[test]
fn connections_are_made_anew_when_it_is_told() {
    let server = Server::fine();
    let mut engine = Engine::start(&with(users(config(server.address), 3), |config| {
        config["think"] = json!({"constant": 0.02});
        config["stop"]["after_s"] = json!(1.0);
    }));
    engine.next().unwrap();
    engine.tell(&json!({"renew": "an overload is over"}));
    let run = engine.finish();
    assert_eq!(run.sum("opened"), 2 * 3, "each user has a connection of its own, and then another");
    assert_eq!(run.outcome("ok"), run.sum("due"), "no request suffers");
}

#[test]
fn what_is_no_level_is_told_to_a_person_and_changes_nothing() {
    let server = Server::fine();
    let mut engine = Engine::start(&with(rate(config(server.address), 100.0, 10), |config| {
        config["stop"]["after_s"] = json!(0.5);
    }));
    engine.tell(&json!({"level": {"to": -1.0, "at_ns": 0}}));
    assert_eq!(engine.finish().outcome("ok"), 50);
}

#[test]
fn an_arrival_walks_through_its_scenario() {
    let server = Server::fine();
    let run = run(&with(rate(config(server.address), 40.0, 10), |config| {
        config["stop"]["after_s"] = json!(0.5);
        config["routes"] = json!([route("first", "/1"), route("second", "/2")]);
        config["scenarios"][0]["steps"] = json!([0, 1]);
    }));
    assert_eq!(run.route("first"), 20);
    // The last arrival's second step may be due only after the end.
    assert!((19..=20).contains(&run.route("second")), "{}", run.route("second"));
}

#[test]
fn sessions_come_loop_and_leave_with_their_connections() {
    let server = Server::fine();
    let run = run(&with(whole_sessions(config(server.address), 20, 20.0), |config| {
        config["connections"]["most"] = json!(50);
        config["think"] = json!({"constant": 0.01});
    }));
    let ended = run.histogram("session");
    assert_eq!(run.sum("opened"), 20, "each session has a connection of its own");
    // The last request ends the load, and a session that waits for its last answer then is not counted.
    assert!(run.sum("due") == 60 && ended.count() >= 18, "{} {}", run.sum("due"), ended.count());
    assert!(ended.quantile_ns(0.0) >= 20_000_000 * 999 / 1000, "two pauses lie in a session");
    assert_eq!(run.frames.last().unwrap()["open"], 0);
}

#[test]
fn sessions_stay_by_chance() {
    let server = Server::fine();
    let run = run(&with(config(server.address), |config| {
        config["arrivals"] =
            json!({"sessions": {"line": [[0, 200]], "spacing": "poisson", "loops": null, "stay": 0.75}});
        config["connections"]["most"] = json!(500);
        config["stop"]["after_s"] = json!(1.0);
    }));
    let sessions = run.sum("opened");
    // A stay of 0.75 is four loops in the mean.
    let loops = run.sum("due") as f64 / sessions as f64;
    assert!((3.0..5.0).contains(&loops), "{loops} loops in each of {sessions} sessions");
}

#[test]
fn a_list_of_times_is_replayed_whole() {
    let server = Server::fine();
    for threads in [1, 3] {
        let run = run(&with(config(server.address), |config| {
            config["arrivals"] = json!({"replay": {"times_s": [0.0, 0.1, 0.1, 0.15, 0.4]}});
            config["connections"]["most"] = json!(6);
            config["threads"] = json!(threads);
        }));
        assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("list_done", 5, 5));
        let span: u64 = run.frames.iter().map(|frame| number(&frame["len_ns"])).sum();
        assert!(span >= 400_000_000, "{span}");
    }
}

#[test]
fn a_replay_sends_the_scenario_of_each_time_also_where_arrivals_wait_for_a_connection() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let server = Server::new(move |line| {
        while let Some(request) = line.request() {
            let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
            seen.lock().expect("nobody has panicked").push(target);
            std::thread::sleep(Duration::from_millis(10));
            line.say(FINE);
        }
    });
    let scenarios = [2, 0, 0, 1, 2, 1, 0, 2];
    let run = run(&with(config(server.address), |config| {
        config["arrivals"] = json!({"replay": {"times_s": vec![0.0; 8], "scenarios": scenarios}});
        config["connections"]["most"] = json!(1);
        config["feeds"] = json!([{"name": "row", "order": "arrival", "values":
            ["a", "b", "c", "d", "e", "f", "g", "h"]}]);
        let routes: Vec<Value> = (0..3).map(|n| route(&format!("r{n}"), &format!("/{n}/{{row}}"))).collect();
        config["routes"] = json!(routes);
        config["scenarios"] =
            (0..3).map(|n| json!({"name": format!("r{n}"), "weight": 1.0, "steps": [n]})).collect();
    }));
    assert_eq!((run.why(), run.outcome("ok")), ("list_done", 8));
    let wanted: Vec<String> =
        scenarios.iter().zip("abcdefgh".chars()).map(|(n, row)| format!("/{n}/{row}")).collect();
    assert_eq!(*asked.lock().expect("nobody has panicked"), wanted);
}

#[test]
fn arrivals_beyond_the_connections_queue_and_give_up_in_time() {
    let server = Server::new(Line::wait_for_end);
    let run = run(&with(rate(config(server.address), 50.0, 2), |config| {
        config["stop"]["after_s"] = json!(0.5);
        config["timeouts"]["request_s"] = json!(0.2);
    }));
    assert_eq!(run.sum("due"), 25);
    let no_connection: u64 =
        run.frames.iter().map(|frame| number(&frame["unsent_why"]["no_connection"])).sum();
    assert!(no_connection > 0, "{:?}", run.end);
    assert!(run.sum("capped") >= no_connection);
    assert_eq!(run.outcome("timeout") + run.sum("unsent"), 25);
}

#[test]
fn a_queue_is_served_in_order_when_connections_are_freed() {
    let server = Server::new(|line| {
        while line.request().is_some() {
            std::thread::sleep(Duration::from_millis(10));
            line.say(FINE);
        }
    });
    let run = run(&with(rate(config(server.address), 200.0, 1), |config| {
        config["stop"]["after_s"] = json!(0.2);
    }));
    assert_eq!((run.sum("due"), run.outcome("ok"), run.sum("opened")), (40, 40, 1));
    assert!(run.histogram("wait").max_ns() > 100_000_000, "the last of the queue waited long");
    // The response counts from when it was due, so that the queue shows; the service does not.
    let (mut response, mut service) = (0, 0);
    for row in run.rows() {
        response = response.max(common::histogram(&row["response"]).max_ns());
        service = service.max(common::histogram(&row["service"]).quantile_ns(0.5));
    }
    assert!(response > 3 * service, "{response} {service}");
}

#[test]
fn more_users_than_connections_share_them() {
    let server = Server::fine();
    let run = run(&with(requests(users(config(server.address), 6), 60), |config| {
        config["connections"]["most"] = json!(2);
    }));
    assert_eq!((run.outcome("ok"), run.sum("opened")), (60, 2));
    assert!(run.sum("capped") > 0);
}

#[test]
fn what_is_under_way_at_the_end_is_waited_for() {
    let server = Server::new(|line| {
        while line.request().is_some() {
            std::thread::sleep(Duration::from_millis(300));
            line.say(FINE);
        }
    });
    let run = run(&with(users(config(server.address), 3), |config| {
        config["stop"]["after_s"] = json!(0.1);
    }));
    assert_eq!((run.why(), run.sum("due"), run.outcome("ok")), ("time", 3, 3));
}

#[test]
fn what_does_not_come_within_the_drain_is_a_timeout_or_unsent() {
    let server = Server::new(Line::wait_for_end);
    let run = run(&with(rate(config(server.address), 50.0, 2), |config| {
        config["stop"]["after_s"] = json!(0.2);
        config["timeouts"]["drain_s"] = json!(0.1);
    }));
    assert_eq!((run.sum("due"), run.outcome("timeout"), run.sum("unsent")), (10, 2, 8));
    let end: u64 = run.frames.iter().map(|frame| number(&frame["unsent_why"]["end"])).sum();
    assert_eq!(end, 8);
}

#[test]
fn a_stop_message_ends_gracefully() {
    let server = Server::fine();
    let mut engine = Engine::start(&with(users(config(server.address), 2), |config| {
        config["stop"]["after_s"] = json!(3600.0);
    }));
    let frame = engine.next().unwrap();
    assert!(number(&frame["frame"]["answered"]) > 0, "{frame}");
    engine.tell(&json!({"stop": "the test has seen enough"}));
    let mut last = frame;
    while let Some(message) = engine.next() {
        last = message;
    }
    assert_eq!(last["end"]["why"], "stopped");
    assert_eq!(last["end"]["totals"]["failed"], 0);
}

#[test]
fn a_parent_that_is_gone_ends_everything_at_once() {
    let server = Server::new(Line::wait_for_end);
    let mut engine = Engine::start(&with(users(config(server.address), 2), |config| {
        config["stop"]["after_s"] = json!(3600.0);
        config["timeouts"] = json!({"request_s": 3600.0, "connect_s": 2.0, "drain_s": 3600.0});
    }));
    engine.next().unwrap();
    engine.leave();
    let mut why = Value::Null;
    while let Some(message) = engine.next() {
        why = message["end"]["why"].clone();
    }
    assert_eq!(why, "stopped");
}

#[test]
fn a_stop_before_the_start_is_an_end_without_frames() {
    let server = Server::fine();
    let mut engine = Engine::prepare(&config(server.address));
    assert!(engine.next().unwrap()["ready"]["pid"].is_u64());
    engine.tell(&json!({"stop": "changed my mind"}));
    let run = engine.finish();
    assert_eq!((run.why(), run.frames.len(), server.connections()), ("stopped", 0, 0));
}

#[test]
fn a_config_that_is_wrong_is_refused_with_its_place() {
    let mut engine = Engine::prepare(&json!({"version": 1}));
    let message = engine.next().unwrap();
    let refused = &message["refused"];
    assert_eq!(refused["code"], "engine.config", "{message}");
    assert!(refused["mend"].is_string() && refused["where"].is_string(), "{message}");
    assert!(engine.next().is_none());
}

#[test]
fn threads_that_would_have_no_connection_are_left_out_with_a_warning() {
    let server = Server::fine();
    let mut engine = Engine::prepare(&with(config(server.address), |config| config["threads"] = json!(4)));
    let ready = engine.next().unwrap();
    assert_eq!(ready["ready"]["threads"], 1);
    assert!(ready["ready"]["warnings"][0].as_str().unwrap().contains("1 of 4"), "{ready}");
    engine.leave();
    while engine.next().is_some() {}
}

#[test]
fn the_generator_testifies_about_itself() {
    let server = Server::fine();
    let run = run(&with(users(config(server.address), 4), |config| {
        config["stop"]["after_s"] = json!(0.6);
    }));
    let frame = &run.frames[1];
    assert!(number(&frame["process_cpu_ns"]) > 0);
    assert!(number(&frame["threads"][0]["cpu_ns"]) > 0);
    assert!(frame["threads"][0]["busy_share"].as_f64().unwrap() > 0.0);
    assert!(number(&frame["rss_bytes"]) > 0 && number(&frame["fds"]) >= 4);
    assert!(number(&frame["fds_limit"]) > 0 && number(&frame["ports_range"]) > 0);
    assert_eq!((number(&frame["ports"]), number(&frame["open"])), (4, 4));
    // Four users without pause are always four requests in flight.
    let in_flight = frame["in_flight_s"].as_f64().unwrap();
    let expected = 4.0 * number(&frame["len_ns"]) as f64 / 1e9;
    assert!((in_flight / expected - 1.0).abs() < 0.05, "{in_flight} of {expected}");
    assert!(number(&run.end["max_rss_bytes"]) >= number(&frame["rss_bytes"]));
}

#[test]
fn an_arrival_that_gave_up_its_first_request_goes_on_with_its_next() {
    let server = Server::new(Line::wait_for_end);
    let run = run(&with(rate(config(server.address), 50.0, 1), |config| {
        config["stop"]["after_s"] = json!(0.5);
        config["timeouts"]["request_s"] = json!(0.1);
        config["scenarios"][0]["steps"] = json!([0, 0]);
    }));
    // 25 arrive; those of the first 0.4 s have given up before the end, and have a second request.
    assert!(run.sum("due") > 25, "second requests are due, too: {:?}", run.end);
    assert_eq!(run.outcome("timeout") + run.sum("unsent"), run.sum("due"));
}

#[test]
fn what_waits_in_the_queue_at_the_end_is_unsent() {
    let server = Server::new(Line::wait_for_end);
    let run = run(&with(rate(config(server.address), 100.0, 1), |config| {
        config["stop"]["after_s"] = json!(0.2);
        config["timeouts"]["drain_s"] = json!(0.1);
    }));
    let end: u64 = run.frames.iter().map(|frame| number(&frame["unsent_why"]["end"])).sum();
    assert_eq!((run.sum("due"), end, run.outcome("timeout")), (20, 19, 1));
    let most = run.frames.iter().map(|frame| number(&frame["queued"])).max();
    assert!(most <= Some(19), "{most:?}");
}
