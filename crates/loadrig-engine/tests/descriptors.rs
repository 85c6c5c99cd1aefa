//! A process that may have few descriptors. Alone in its binary: the limit is the process's.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use common::server::FINE;
use common::{config, requests, run, users};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io::{BufRead as _, BufReader, Write as _};

#[test]
fn running_out_of_descriptors_is_an_outcome_of_its_own() {
    // The server has the same few descriptors: it takes one connection at a time.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let _ = stream.get_mut().write_all(FINE);
        }
    });
    let few = Rlimit { current: Some(48), maximum: Some(48) };
    setrlimit(Resource::Nofile, few).unwrap();
    let run = run(&requests(users(config(address), 60), 120));
    assert!(run.outcome("no_descriptors") > 0, "{:?}", run.examples());
    assert!(run.outcome("ok") > 0, "those who got one were served: {:?}", run.end);
    assert!(run.sum("backoffs") >= run.outcome("no_descriptors"));
}
