//! Messages over a `WebSocket`: the upgrade, echoes, what servers do wrong.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]
#![allow(clippy::result_large_err, reason = "the library wants its callback to return that")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{config, rate, requests, route, run, users, whole_sessions, with};
use serde_json::{Value, json};
use tungstenite::handshake::server::{Request, Response};
use tungstenite::{Message, WebSocket};

/// A server that hands every WebSocket to `serve`, and counts them.
struct SocketServer {
    address: SocketAddr,
    opened: Arc<AtomicU64>,
}

impl SocketServer {
    fn new(serve: impl Fn(WebSocket<TcpStream>, Request) + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let opened = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&opened);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (serve, counted) = (serve.clone(), Arc::clone(&counted));
                std::thread::spawn(move || {
                    stream.set_nodelay(true).unwrap();
                    let mut asked = None;
                    let accepted =
                        tungstenite::accept_hdr(stream, |request: &Request, response: Response| {
                            asked = Some(request.clone());
                            Ok(response)
                        });
                    let accepted = accepted.ok();
                    if let (Some(socket), Some(asked)) = (accepted, asked) {
                        counted.fetch_add(1, Ordering::SeqCst);
                        serve(socket, asked);
                    }
                });
            }
        });
        Self { address, opened }
    }

    /// Says back what it hears.
    fn echo() -> Self {
        Self::new(|mut socket, _| {
            while let Ok(message) = socket.read() {
                if (message.is_text() || message.is_binary()) && socket.send(message).is_err() {
                    return;
                }
            }
        })
    }

    fn opened(&self) -> u64 {
        self.opened.load(Ordering::SeqCst)
    }
}

fn socket(target: &str, message: &str) -> Value {
    let mut route = route("chat", target);
    route["protocol"] = json!("websocket");
    route["body"] = json!(message);
    route
}

fn chat(address: SocketAddr, count: u32, message: &str) -> Value {
    with(users(config(address), count), |config| config["routes"] = json!([socket("/chat", message)]))
}

#[test]
fn each_user_opens_one_socket_and_sends_all_its_messages_over_it() {
    let server = SocketServer::echo();
    let run = run(&with(requests(chat(server.address, 5, "hello {word}"), 100), |config| {
        config["feeds"] = json!([{"name": "word", "order": "sequential", "values": ["there"]}]);
        config["routes"][0]["expect"]["contains"] = json!(["hello there"]);
    }));
    assert_eq!(
        (run.outcome("ok"), run.sum("opened"), run.sum("reused")),
        (100, 5, 95),
        "{:?}",
        run.examples()
    );
    assert_eq!(server.opened(), 5);
    assert_eq!((run.sum("sent"), run.histogram("connect").count()), (100, 5));
    let statuses: Vec<_> =
        run.frames.iter().filter_map(|frame| frame["status"].as_object()).flatten().collect();
    assert!(statuses.is_empty(), "messages have no status: {statuses:?}");
}

#[test]
fn the_upgrade_asks_as_the_plan_says() {
    let server = SocketServer::new(|mut socket, asked| {
        let id = asked.headers().get("x-id").map(|id| id.to_str().unwrap().to_owned());
        while let Ok(message) = socket.read() {
            if message.is_text() {
                socket.send(Message::text(format!("{} {id:?}", asked.uri()))).unwrap();
            }
        }
    });
    let run = run(&with(requests(chat(server.address, 2, "x"), 10), |config| {
        config["routes"][0]["target"] = json!("/room/{user}?a=b");
        config["routes"][0]["headers"] = json!([["Host", "test"], ["X-Id", "user {user}"]]);
        config["routes"][0]["expect"]["matches"] = json!([r#"^/room/(\d)\?a=b Some\("user (\d)"\)$"#]);
    }));
    assert_eq!(run.outcome("ok"), 10, "{:?}", run.examples());
}

#[test]
fn messages_of_any_size_and_kind_come_back() {
    let server = SocketServer::echo();
    let large = "long ".repeat(200_000);
    let run = run(&with(requests(chat(server.address, 3, &large), 12), |config| {
        config["routes"][0]["expect"]["size_min"] = json!(1_000_000);
        config["routes"][0]["expect"]["size_max"] = json!(1_000_000);
        let mut binary = socket("/chat", "");
        binary["name"] = json!("binary");
        binary["body"] = json!({"base64": "/wD/AA=="});
        binary["expect"]["size_max"] = json!(4);
        config["routes"].as_array_mut().unwrap().push(binary);
        config["scenarios"][0]["steps"] = json!([0, 1]);
    }));
    assert_eq!((run.outcome("ok"), server.opened()), (12, 3), "{:?}", run.examples());
}

#[test]
fn requests_and_messages_of_one_user_have_a_connection_each() {
    // Answers requests, and echoes where it is asked to upgrade.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let opened = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&opened);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            counted.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || {
                let mut seen = [0; 5];
                while stream.peek(&mut seen).is_ok_and(|count| count < 5 && count > 0) {}
                if &seen == b"GET /" && is_upgrade(&stream) {
                    let mut socket = tungstenite::accept(stream).unwrap();
                    while let Ok(message) = socket.read() {
                        if message.is_text() && socket.send(message).is_err() {
                            return;
                        }
                    }
                } else {
                    let mut reader = std::io::BufReader::new(stream);
                    while common::server::read_request(&mut reader).is_some() {
                        reader.get_mut().write_all(common::server::FINE).unwrap();
                    }
                }
            });
        }
    });
    let run = run(&with(config(address), |config| {
        config["arrivals"] = json!({"users": {"line": [[0.0, 2]], "loops": 5}});
        config["connections"]["most"] = json!(4);
        config["routes"] = json!([route("home", "/"), socket("/chat", "hello")]);
        config["scenarios"][0]["steps"] = json!([0, 1]);
    }));
    assert_eq!(run.outcome("ok"), 20, "{:?}", run.examples());
    assert_eq!((opened.load(Ordering::SeqCst), run.sum("opened")), (4, 4));
}

/// Whether the request that waits on the stream asks for an upgrade.
fn is_upgrade(stream: &TcpStream) -> bool {
    let mut head = [0; 1024];
    let count = stream.peek(&mut head).unwrap();
    String::from_utf8_lossy(&head[..count]).contains("Upgrade: websocket")
}

#[test]
fn pings_are_answered_and_messages_nobody_waits_for_are_dropped() {
    let server = SocketServer::new(|mut socket, _| {
        let mut pongs = 0;
        loop {
            match socket.read() {
                Ok(Message::Pong(_)) => pongs += 1,
                Ok(Message::Text(_)) => {
                    socket.send(Message::text(format!("pongs: {pongs}"))).unwrap();
                    socket.send(Message::Ping(b"are you there"[..].into())).unwrap();
                    socket.send(Message::text("news")).unwrap();
                }
                Ok(_) => {}
                Err(_) => return,
            }
        }
    });
    let run = run(&with(requests(chat(server.address, 1, "x"), 10), |config| {
        config["think"] = json!({"constant": 0.02});
        config["routes"][0]["extract"] = json!([{"into": "pongs", "regex": r"pongs: (\d+)"}]);
        config["routes"][0]["expect"]["contains"] = json!(["pongs: "]);
    }));
    assert_eq!(run.outcome("ok"), 10, "{:?}", run.examples());
}

#[test]
fn sessions_and_arrivals_bring_sockets_of_their_own() {
    let server = SocketServer::echo();
    let chat = || chat(server.address, 100, "x");
    for (arrivals, sockets) in
        [(whole_sessions(chat(), 10, 50.0), 10), (requests(rate(chat(), 150.0, 100), 30), 30)]
    {
        let before = server.opened();
        let run = run(&arrivals);
        assert_eq!(
            (run.outcome("ok"), server.opened() - before, run.sum("opened")),
            (30, sockets, sockets),
            "{:?}",
            run.examples()
        );
    }
}

#[test]
fn a_refused_upgrade_is_what_its_status_says() {
    for (answer, outcome) in [
        ("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "http_4xx"),
        ("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n", "http_5xx"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "check_failed"),
        (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: no\r\n\r\n",
            "not_http",
        ),
        ("SSH-2.0-OpenSSH\r\n", "not_http"),
        ("", "closed"),
    ] {
        let server = common::server::Server::new(move |line| {
            if line.request().is_some() {
                line.say(answer.as_bytes());
            }
        });
        let run = run(&requests(chat(server.address, 2, "x"), 4));
        assert_eq!(run.outcome(outcome), 4, "{answer:?}: {:?}", run.examples());
        assert!(!run.examples().is_empty());
    }
}

#[test]
fn a_socket_that_the_server_closes_fails_its_message_and_is_opened_again() {
    let server = SocketServer::new(|mut socket, _| {
        // The first message is answered, the second is not.
        if socket.read().is_ok() && socket.send(Message::text("one")).is_ok() && socket.read().is_ok() {
            let _ = socket.close(None);
            while socket.read().is_ok() {}
        }
    });
    let run = run(&requests(chat(server.address, 1, "x"), 10));
    assert_eq!((run.outcome("ok"), run.outcome("closed")), (5, 5), "{:?}", run.examples());
    assert_eq!((server.opened(), run.sum("opened")), (5, 5));
}

#[test]
fn bytes_that_are_no_frames_are_not_taken_for_an_answer() {
    let server = SocketServer::new(|socket, _| {
        let mut stream = socket.into_inner();
        let _ = stream.read(&mut [0; 64]);
        // A reserved kind of frame.
        let _ = stream.write_all(&[0x83, 0x02, 0x00, 0x00]);
        let _ = stream.read(&mut [0; 64]);
    });
    let run = run(&requests(chat(server.address, 2, "x"), 6));
    assert_eq!(run.outcome("not_http"), 6, "{:?}", run.examples());
}

#[test]
fn a_message_without_an_answer_takes_too_long() {
    let server = SocketServer::new(|mut socket, _| while socket.read().is_ok() {});
    let run = run(&with(requests(chat(server.address, 2, "x"), 4), |config| {
        config["timeouts"]["request_s"] = json!(0.1);
    }));
    assert_eq!(run.outcome("timeout"), 4, "{:?}", run.examples());
}
