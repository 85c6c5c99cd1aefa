//! Servers that are hard to reach: that take their time to accept, or go away and come back.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType};
use serde_json::json;

use crate::common::server::{FINE, Server, read_request};
use crate::common::{Engine, config, number, rate, run, users, with};

/// A socket that listens with so small a backlog.
fn listening(address: SocketAddr, backlog: i32) -> TcpListener {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::sockopt::set_socket_reuseaddr(&socket, true).unwrap();
    rustix::net::bind(&socket, &address).unwrap();
    rustix::net::listen(&socket, backlog).unwrap();
    TcpListener::from(socket)
}

/// Serves one connection until it ends.
fn serve(stream: TcpStream) {
    use std::io::Write as _;
    let mut stream = std::io::BufReader::new(stream);
    while read_request(&mut stream).is_some() && stream.get_mut().write_all(FINE).is_ok() {}
}

#[test]
fn a_server_that_is_slow_to_accept_is_waited_for() {
    let listener = listening(([127, 0, 0, 1], 0).into(), 2);
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::sleep(Duration::from_millis(20));
            std::thread::spawn(move || serve(stream));
        }
    });
    let run = run(&with(users(config(address), 12), |config| {
        config["stop"]["requests"] = json!(600);
        config["stop"]["after_s"] = json!(15.0);
        config["timeouts"] = json!({"request_s": 15.0, "connect_s": 15.0, "drain_s": 15.0});
    }));
    assert_eq!((run.outcome("ok"), run.sum("due")), (600, 600), "{:?}", run.examples());
    assert!(run.sum("opened") >= 3, "more than the backlog holds: {:?}", run.end);
}

/// A server that can go away, with all its connections, and come back at the same address.
struct Comer {
    address: SocketAddr,
    open: Arc<Mutex<Vec<TcpStream>>>,
    server: Option<Server>,
}

impl Comer {
    /// At an address where no other test will take the port while it is away.
    fn new() -> Self {
        let mut comer = Self { address: ([127, 0, 77, 1], 0).into(), open: Arc::default(), server: None };
        comer.come();
        comer.address = comer.server.as_ref().unwrap().address;
        comer
    }

    fn come(&mut self) {
        let open = Arc::clone(&self.open);
        let server = Server::at(&self.address.to_string(), move |line| {
            open.lock().unwrap().push(line.stream());
            while line.request().is_some() && line.say(FINE) {}
        });
        self.server = Some(server.unwrap());
    }

    /// Resets all connections and stops to listen.
    fn go(&mut self) {
        self.server = None;
        for stream in self.open.lock().unwrap().drain(..) {
            rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

#[test]
fn a_server_that_goes_away_and_comes_back_is_used_again() {
    for model in ["users", "rate"] {
        let mut comer = Comer::new();
        let load = config(comer.address);
        let load = if model == "users" { users(load, 16) } else { rate(load, 1000.0, 16) };
        let mut engine = Engine::start(&with(load, |config| {
            config["stop"]["after_s"] = json!(60.0);
            config["frame_s"] = json!(0.1);
        }));
        let until = |engine: &mut Engine, outcome: &str| {
            // Deadline: the engine's `next` gives up when nothing is said, and 300 frames are 30 s.
            for _ in 0..300 {
                let message = engine.next().expect("the run goes on");
                let rows = message["frame"]["routes"].as_array().cloned().unwrap_or_default();
                if rows.iter().any(|row| row["outcome"] == outcome && number(&row["count"]) >= 5) {
                    return;
                }
            }
            panic!("{model}: no {outcome} in 30 s");
        };
        until(&mut engine, "ok");
        for _ in 0..2 {
            comer.go();
            until(&mut engine, "connect_refused");
            comer.come();
            until(&mut engine, "ok");
        }
        engine.tell(&json!({"stop": "seen enough"}));
        let run = engine.finish();
        assert_eq!(run.why(), "stopped");
        if model == "users" {
            let cut_off = run.outcome("reset") + run.outcome("closed");
            assert!(cut_off > 0, "those on their way when it went: {:?}", run.examples());
        }
    }
}
