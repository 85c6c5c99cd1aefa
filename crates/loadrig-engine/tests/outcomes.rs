//! Servers that misbehave, and what the engine makes of them. The accounts are checked in every
//! run (`Run::check_accounts`), whatever the server does.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::net::TcpListener;
use std::time::Duration;

use common::server::{FINE, Server};
use common::{Run, config, histogram, rate, requests, run, users, with};
use serde_json::json;

/// 8 requests of 2 users to this server.
fn eight(server: &Server) -> Run {
    run(&requests(users(config(server.address), 2), 8))
}

fn all_are(run: &Run, outcome: &str) {
    let rows: Vec<_> = run.rows().map(|row| (row["outcome"].clone(), row["count"].clone())).collect();
    assert_eq!(run.outcome(outcome), 8, "{rows:?} {:?}", run.examples());
    assert_eq!(run.sum("due"), 8, "{rows:?}");
}

#[test]
fn a_good_answer_is_ok() {
    let run = eight(&Server::fine());
    all_are(&run, "ok");
    assert_eq!((run.code, run.why()), (0, "requests"));
    assert_eq!(run.sum("answered"), 8);
    let status: u64 = run.frames.iter().filter_map(|frame| frame["status"]["200"].as_u64()).sum();
    assert_eq!(status, 8);
}

#[test]
fn chunked_and_slow_answers_are_ok() {
    let server = Server::new(|line| {
        while line.request().is_some() {
            for piece in [
                "HTTP/1.1 200 OK\r\nTransfer-",
                "Encoding: chunked\r\n\r\n3\r\na",
                "bc\r\n",
                "0\r\nT: 1\r\n\r\n",
            ] {
                std::thread::sleep(Duration::from_millis(2));
                if !line.say(piece.as_bytes()) {
                    return;
                }
            }
        }
    });
    let run = eight(&server);
    all_are(&run, "ok");
    assert_eq!(run.rows().map(|row| common::number(&row["bytes"])).sum::<u64>(), 8 * 3);
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_body_that_ends_with_the_connection_is_ok() {
    let server = Server::new(|line| {
        line.request();
        line.say(b"HTTP/1.1 200 OK\r\n\r\nall of it");
    });
    let run = eight(&server);
    all_are(&run, "ok");
    assert_eq!(run.sum("opened"), 8);
    assert_eq!(run.sum("reused"), 0);
}

#[test]
fn a_large_answer_and_a_large_request_go_through() {
    let body = "x".repeat(3_000_000);
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let server = Server::answering(answer);
    let run = run(&with(requests(users(config(server.address), 2), 8), |config| {
        config["routes"][0]["method"] = json!("POST");
        config["routes"][0]["body"] = json!("y".repeat(2_000_000));
    }));
    all_are(&run, "ok");
    assert!(run.sum("bytes_in") > 8 * 3_000_000);
    assert!(run.sum("bytes_out") > 8 * 2_000_000);
}

#[test]
fn statuses_are_answers_by_class() {
    for (status, outcome) in [(404, "http_4xx"), (503, "http_5xx")] {
        let server = Server::answering(format!("HTTP/1.1 {status} No\r\nContent-Length: 3\r\n\r\nwhy"));
        let run = eight(&server);
        all_are(&run, outcome);
        assert_eq!(run.sum("answered"), 8);
        let examples = run.examples();
        assert_eq!(examples.len(), 3, "at most three of each kind are shown: {examples:?}");
        assert!(examples[0]["detail"].as_str().unwrap().contains("why"), "{}", examples[0]);
    }
}

#[test]
fn nobody_listening_is_refused_and_users_pause() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = run(&requests(users(config(address), 2), 8));
    all_are(&run, "connect_refused");
    assert_eq!(run.sum("backoffs"), 8);
    assert_eq!(run.sum("sent"), 0);
    assert!(run.rows().all(|row| row["service"].is_null()), "nothing was sent, so nothing was served");
    // 2 users, 4 each: pauses of 10, 20 and 40 ms lie between a user's four requests.
    let span: u64 = run.frames.iter().map(|frame| common::number(&frame["len_ns"])).sum();
    assert!(span >= 70_000_000, "{span}");
}

#[test]
fn an_open_load_does_not_pause_where_nobody_listens() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = run(&requests(rate(config(address), 400.0, 4), 8));
    all_are(&run, "connect_refused");
    assert_eq!(run.sum("backoffs"), 0);
}

#[test]
fn a_server_whose_backlog_is_full_is_a_connect_timeout() {
    use rustix::net::{AddressFamily, SocketType};
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &std::net::SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    // A backlog of 0 holds one connection; later ones are not answered until there is room.
    let held: Vec<_> =
        (0..3).map(|_| std::net::TcpStream::connect_timeout(&address, Duration::from_millis(100))).collect();
    assert!(held.iter().any(Result::is_err), "the backlog is full");
    let run = run(&with(requests(users(config(address), 2), 4), |config| {
        config["timeouts"]["connect_s"] = json!(0.1);
    }));
    assert_eq!(run.outcome("connect_timeout"), 4);
    assert_eq!(run.sum("opened"), 0);
}

#[test]
fn a_server_that_closes_at_once_is_counted() {
    let server = Server::new(|_| {});
    let run = eight(&server);
    // Whether the request was written before the close was seen is a matter of microseconds.
    assert_eq!(run.outcome("closed") + run.outcome("reset") + run.outcome("connect_reset"), 8);
}

#[test]
fn a_server_that_never_answers_is_a_timeout_from_when_it_was_due() {
    let server = Server::new(common::server::Line::wait_for_end);
    let run = run(&with(requests(users(config(server.address), 2), 4), |config| {
        config["timeouts"]["request_s"] = json!(0.15);
    }));
    assert_eq!(run.outcome("timeout"), 4);
    for row in run.rows() {
        assert!(histogram(&row["response"]).quantile_ns(0.0) >= 150_000_000 * 999 / 1000, "{row}");
    }
    assert_eq!(run.sum("opened"), 4, "a connection that owes an answer is of no use any more");
}

#[test]
fn a_route_has_its_own_timeout() {
    let server = Server::new(common::server::Line::wait_for_end);
    let run = run(&with(requests(config(server.address), 1), |config| {
        config["routes"][0]["timeout_s"] = json!(0.1);
    }));
    assert_eq!(run.outcome("timeout"), 1);
}

#[test]
fn a_late_rest_of_an_answer_is_a_timeout_too() {
    let server = Server::new(|line| {
        line.request();
        line.say(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell");
        line.wait_for_end();
    });
    let run = run(&with(requests(config(server.address), 1), |config| {
        config["timeouts"]["request_s"] = json!(1.0);
    }));
    assert_eq!(run.outcome("timeout"), 1);
    assert!(run.examples()[0]["detail"].as_str().unwrap().contains("whole"));
}

#[test]
fn an_answer_that_comes_before_the_whole_request_was_sent_counts() {
    let server = Server::new(|line| {
        line.say(b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        line.end();
        line.wait_for_end();
    });
    let run = run(&with(requests(users(config(server.address), 2), 8), |config| {
        config["routes"][0]["method"] = json!("POST");
        config["routes"][0]["body"] = json!("y".repeat(8_000_000));
    }));
    all_are(&run, "http_4xx");
}

#[test]
fn a_connection_that_the_server_closes_while_idle_is_dropped_without_harm() {
    let server = Server::new(|line| {
        line.request();
        line.say(FINE);
    });
    let run = run(&with(requests(users(config(server.address), 1), 4), |config| {
        // Long enough for the server to close, also where other tests have the cores.
        config["think"] = json!({"constant": 0.5});
    }));
    assert_eq!(run.outcome("ok"), 4, "{:?}", run.examples());
    assert_eq!(run.sum("opened"), 4);
}

#[test]
fn all_kinds_of_trouble_at_once_leave_the_accounts_right() {
    let count = std::sync::atomic::AtomicU64::new(0);
    let server = Server::new(move |line| {
        while line.request().is_some() {
            match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 9 {
                0 => return,
                1 => return line.reset(),
                2 => return line.wait_for_end(),
                3 => drop(line.say(b"rubbish\r\n\r\n")),
                4 => drop(line.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ntoo long")),
                5 => drop(line.say(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")),
                6 => {
                    line.say(b"HTTP/1.1 200 OK\r\nContent-Le");
                    return line.end();
                }
                _ => drop(line.say(FINE)),
            }
        }
    });
    for threads in [1, 2] {
        let run = run(&with(rate(config(server.address), 600.0, 12), |config| {
            config["threads"] = json!(threads);
            config["stop"]["after_s"] = json!(1.0);
            config["timeouts"] = json!({"request_s": 0.3, "connect_s": 0.3, "drain_s": 0.2});
        }));
        assert_eq!(run.sum("due"), 600);
        assert!(run.outcome("ok") > 0 && run.outcome("timeout") > 0, "{:?}", run.end);
        assert_eq!(run.frames.last().unwrap()["open"], 0);
    }
}
