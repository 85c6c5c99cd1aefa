//! A process that may have few descriptors. Alone in its binary: the limit is the process's.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use common::server::FINE;
use common::{config, requests, run, users};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::io::{BufRead as _, BufReader, Write as _};

#[test]
fn running_out_of_descriptors_is_an_outcome_of_its_own() {
    // The limit holds for the server as well, which takes one connection at a time, out of a table of its
    // own: from a shared one the engine may take the last descriptor, and none would ever be served.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        // SAFETY: this thread uses the listener, of which its table has a copy, and what it accepts itself.
        unsafe { unshare_unsafe(UnshareFlags::FILES) }.unwrap();
        ready.send(()).unwrap();
        for stream in listener.incoming().map_while(Result::ok) {
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let _ = stream.get_mut().write_all(FINE);
        }
    });
    is_ready.recv().unwrap();
    let few = Rlimit { current: Some(48), maximum: Some(48) };
    setrlimit(Resource::Nofile, few).unwrap();
    let run = run(&requests(users(config(address), 60), 120));
    assert!(run.outcome("no_descriptors") > 0, "{:?}", run.examples());
    assert!(run.outcome("ok") > 0, "those who got one were served: {:?}", run.end);
    assert!(run.sum("backoffs") >= run.outcome("no_descriptors"));
}
