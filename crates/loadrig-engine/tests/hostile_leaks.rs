//! Hundreds of faults in one process, over and over: no descriptor and no memory may stay behind.
//! Alone in its binary: what is counted is the process's.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use common::server::{FINE, Line, Server};
use common::{config, number, requests, run, users, with};
use serde_json::json;

/// Runs before the memory is looked at, and after.
const ROUNDS_FIRST: usize = 3;
const ROUNDS: usize = 12;

/// Memory that later rounds may need more than the first: none, but for how the allocator cuts it.
/// A head kept for each fault would be 150 MB.
const GROWTH_MOST: u64 = 24 << 20;

/// A fault after the other, each connection another.
fn harm(line: &mut Line, fault: u64) {
    match fault {
        0 => line.reset(),
        1 => {
            line.say(b"HTTP/1.1 200 OK\r\nContent-Le");
        }
        2 => {
            line.say(format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(250_000)).as_bytes());
            line.reset();
        }
        3 => {
            line.say(format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(300_000)).as_bytes());
            line.wait_for_end();
        }
        4 => {
            line.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n80000\r\n");
            line.say(&vec![b'z'; 400_000]);
        }
        5 => {
            line.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ntoo long");
            line.wait_for_end();
        }
        6 => line.wait_for_end(),
        7 => {
            line.say(b"rubbish\r\n\r\n");
        }
        _ => {
            line.say(FINE);
        }
    }
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * rustix::param::page_size() as u64
}

#[test]
fn faults_leave_neither_descriptors_nor_memory() {
    let count = AtomicU64::new(0);
    let server = Server::new(move |line| {
        while line.request().is_some() {
            let fault = count.fetch_add(1, Ordering::Relaxed) % 10;
            harm(line, fault);
            if fault < 8 {
                return;
            }
        }
    });
    let load = with(requests(users(config(server.address), 24), 400), |config| {
        config["timeouts"] = json!({"request_s": 0.2, "connect_s": 5.0, "drain_s": 5.0});
        config["stop"]["after_s"] = json!(15.0);
        // Bodies are wanted, so that they are kept while they come.
        config["routes"][0]["expect"]["contains"] = json!(["ok"]);
    });
    let before = descriptors();
    let mut memory = 0;
    for round in 0..ROUNDS_FIRST + ROUNDS {
        let run = run(&load);
        assert_eq!(run.sum("due"), 400, "{:?}", run.end);
        assert_eq!(number(&run.frames.last().unwrap()["open"]), 0);
        if round + 1 == ROUNDS_FIRST {
            memory = memory_bytes();
        }
    }
    // The server's threads close their side when ours is closed; they are given the time for it.
    let deadline = Instant::now() + Duration::from_secs(10);
    while descriptors() > before && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(descriptors() <= before, "{} descriptors, {before} before", descriptors());
    let grown = memory_bytes().saturating_sub(memory);
    assert!(grown <= GROWTH_MOST, "{} MB more than after the first rounds", grown >> 20);
}
