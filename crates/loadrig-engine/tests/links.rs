//! Connections of every kind: kept and not, TCP, Unix, TLS, IPv6, from given addresses; redirects
//! and logins over them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod common;

use std::io::{BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::server::{FINE, Server, read_request};
use common::{config, number, rate, requests, route, run, users, with};
use serde_json::{Value, json};

#[test]
fn a_kept_connection_is_opened_once_and_used_again() {
    let server = Server::fine();
    let run = run(&requests(users(config(server.address), 3), 30));
    assert_eq!((run.outcome("ok"), run.sum("opened"), run.sum("reused")), (30, 3, 27));
    assert_eq!(server.connections(), 3);
    assert_eq!(run.histogram("connect").count(), 3);
}

#[test]
fn without_keep_alive_every_request_has_its_own_connection() {
    let server = Server::new(|line| {
        let request = line.request().unwrap_or_default();
        assert!(request.contains("Connection: close"), "{request}");
        line.say(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    });
    for model in [users(config(server.address), 3), rate(config(server.address), 500.0, 10)] {
        let before = server.connections();
        let run = run(&with(requests(model, 30), |config| {
            config["connections"]["keep_alive"] = json!(false);
            config["routes"][0]["headers"] = json!([["Host", "test"], ["Connection", "close"]]);
        }));
        assert_eq!((run.outcome("ok"), run.sum("opened"), run.sum("reused")), (30, 30, 0));
        assert_eq!(server.connections() - before, 30);
    }
}

#[test]
fn a_server_that_does_not_keep_alive_is_seen_in_the_counts() {
    let server = Server::answering("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let run = run(&requests(users(config(server.address), 2), 10));
    assert_eq!((run.outcome("ok"), run.sum("opened"), run.sum("reused")), (10, 10, 0));
}

#[test]
fn an_open_load_uses_no_more_connections_than_it_needs() {
    let server = Server::fine();
    let run = run(&with(rate(config(server.address), 100.0, 50), |config| {
        config["stop"]["after_s"] = json!(0.5);
    }));
    assert_eq!(run.outcome("ok"), 50);
    assert!(run.sum("opened") < 25, "{} connections for 50 requests, one after the other", run.sum("opened"));
}

#[test]
fn a_unix_socket_is_as_good() {
    let folder = std::env::temp_dir().join(format!("loadrig-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("server.sock");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut stream = BufReader::new(stream);
                while read_request(&mut stream).is_some() && stream.get_mut().write_all(FINE).is_ok() {}
            });
        }
    });
    let run = run(&with(requests(users(config(([127, 0, 0, 1], 9).into()), 4), 40), |config| {
        config["server"]["unix"] = json!(path);
        config["server"]["addresses"] = json!([]);
    }));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((run.outcome("ok"), run.sum("opened")), (40, 4));
    assert!(run.frames.iter().all(|frame| frame["ports"] == 0), "a Unix socket takes no port");
}

#[test]
fn a_unix_socket_that_is_not_there_cannot_be_connected_to() {
    let run = run(&with(requests(config(([127, 0, 0, 1], 9).into()), 2), |config| {
        config["server"]["unix"] = json!("/nonexistent/server.sock");
    }));
    assert_eq!(run.outcome("connect_failed"), 2);
}

#[test]
fn a_full_backlog_of_a_unix_socket_is_waited_for() {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
    let folder = std::env::temp_dir().join(format!("loadrig-backlog-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("server.sock");
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener = UnixListener::from(socket);
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut stream = BufReader::new(stream);
                while read_request(&mut stream).is_some() && stream.get_mut().write_all(FINE).is_ok() {}
            });
        }
    });
    let run = run(&with(requests(users(config(([127, 0, 0, 1], 9).into()), 6), 12), |config| {
        config["server"]["unix"] = json!(path);
    }));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(run.outcome("ok"), 12, "{:?}", run.examples());
    assert!(run.histogram("connect").max_ns() > 20_000_000, "some waited for the server to accept");
}

#[test]
fn ipv6_is_as_good() {
    let Ok(server) = Server::at("[::1]:0", |line| while line.request().is_some() && line.say(FINE) {}) else {
        eprintln!(
            "skipped: this machine has no IPv6 loopback [::1] (sysctl net.ipv6.conf.lo.disable_ipv6=0)"
        );
        return;
    };
    let run = run(&requests(users(config(server.address), 2), 10));
    assert_eq!((run.outcome("ok"), run.sum("opened")), (10, 2));
}

#[test]
fn connections_come_from_the_given_addresses_in_turn() {
    let peers = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&peers);
    let server = Server::new(move |line| {
        seen.lock().unwrap().push(line.stream().peer_addr().unwrap().ip().to_string());
        while line.request().is_some() && line.say(FINE) {}
    });
    let run = run(&with(requests(users(config(server.address), 4), 40), |config| {
        config["source_addresses"] = json!(["127.0.0.2", "127.0.0.3"]);
    }));
    assert_eq!(run.outcome("ok"), 40, "{:?}", run.examples());
    let mut peers = peers.lock().unwrap().clone();
    peers.sort();
    assert_eq!(peers, ["127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3"]);
}

#[test]
fn an_address_that_is_not_this_machines_is_refused_before_the_start() {
    let server = Server::fine();
    let mut engine = common::Engine::prepare(&with(config(server.address), |config| {
        config["source_addresses"] = json!(["127.0.0.1", "192.0.2.1"]);
    }));
    let message = engine.next().unwrap();
    assert_eq!(message["refused"]["code"], "engine.source-address", "{message}");
    assert_eq!(message["refused"]["where"], "source_addresses[1]");
}

#[test]
fn the_servers_addresses_are_used_in_turn() {
    let servers = [Server::fine(), Server::fine()];
    let addresses: Vec<String> = servers.iter().map(|server| server.address.to_string()).collect();
    let run = run(&with(requests(users(config(servers[0].address), 6), 60), |config| {
        config["server"]["addresses"] = json!(addresses);
    }));
    assert_eq!(run.outcome("ok"), 60);
    assert_eq!((servers[0].connections(), servers[1].connections()), (3, 3));
}

/// A server behind TLS, and the authority of its certificate as PEM.
fn tls_server(name: &str) -> (Server, String, Arc<AtomicU64>) {
    let certified = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = rustls_pki_types::PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let resumed = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&resumed);
    let server = Server::new(move |line| {
        let session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = BufReader::new(rustls::StreamOwned::new(session, line.stream()));
        let body = "z".repeat(100_000);
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        while read_request(&mut stream).is_some() {
            if stream.get_ref().conn.handshake_kind() == Some(rustls::HandshakeKind::Resumed) {
                count.fetch_add(1, Ordering::Relaxed);
            }
            if stream.get_mut().write_all(answer.as_bytes()).is_err() {
                return;
            }
        }
    });
    (server, certified.cert.pem(), resumed)
}

fn over_tls(server: &Server, tls: &Value, count: u64) -> Value {
    with(requests(users(config(server.address), 2), count), |config| {
        config["server"]["scheme"] = json!("https");
        config["server"]["tls"] = tls.clone();
    })
}

#[test]
fn tls_with_a_known_authority_works_and_connections_are_kept() {
    let (server, pem, _) = tls_server("localhost");
    let run =
        run(&over_tls(&server, &json!({"server_name": "localhost", "insecure": false, "ca_pem": pem}), 20));
    assert_eq!(
        (run.outcome("ok"), run.sum("opened"), run.sum("reused")),
        (20, 2, 18),
        "{:?}",
        run.examples()
    );
    assert_eq!(run.rows().map(|row| number(&row["bytes"])).sum::<u64>(), 20 * 100_000);
}

#[test]
fn each_server_has_tls_with_a_name_and_an_authority_of_its_own() {
    let (first, pem, _) = tls_server("localhost");
    let (second, other_pem, _) = tls_server("auth.test");
    let tls = |name: &str, pem: &str| json!({"server_name": name, "insecure": false, "ca_pem": pem});
    let plain = Server::fine();
    let load = with(over_tls(&first, &tls("localhost", &pem), 30), |load| {
        let mut auth = config(second.address)["server"].clone();
        auth["scheme"] = json!("https");
        auth["tls"] = tls("auth.test", &other_pem);
        load["further_servers"] = json!([auth, config(plain.address)["server"]]);
        load["routes"] = json!([route("first", "/"), route("second", "/"), route("third", "/")]);
        load["routes"][1]["server"] = json!(1);
        load["routes"][2]["server"] = json!(2);
        load["scenarios"][0]["steps"] = json!([0, 1, 2]);
    });
    let run = run(&load);
    assert_eq!((run.outcome("ok"), run.sum("opened")), (30, 6), "{:?}", run.examples());
    assert!(plain.requests() > 0);
}

#[test]
fn tls_sessions_are_resumed_where_connections_are_not_kept() {
    let (server, pem, resumed) = tls_server("localhost");
    let tls = json!({"server_name": "localhost", "insecure": false, "ca_pem": pem});
    let run =
        run(&with(over_tls(&server, &tls, 20), |config| config["connections"]["keep_alive"] = json!(false)));
    assert_eq!((run.outcome("ok"), run.sum("opened")), (20, 20), "{:?}", run.examples());
    assert!(resumed.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_taken_only_if_asked() {
    let (server, _, _) = tls_server("localhost");
    let (_, other, _) = tls_server("localhost");
    let strict =
        run(&over_tls(&server, &json!({"server_name": "localhost", "insecure": false, "ca_pem": other}), 6));
    assert_eq!(strict.outcome("tls_failed"), 6, "{:?}", strict.end);
    assert!(strict.sum("backoffs") > 0);
    let wrong_name = json!({"server_name": "example.org", "insecure": true, "ca_pem": null});
    let lax = run(&over_tls(&server, &wrong_name, 20));
    assert_eq!(lax.outcome("ok"), 20, "{:?}", lax.examples());
}

#[test]
fn an_authority_that_is_none_is_refused() {
    let (server, _, _) = tls_server("localhost");
    let tls = json!({"server_name": "localhost", "insecure": false, "ca_pem": "not a certificate"});
    let mut engine = common::Engine::prepare(&over_tls(&server, &tls, 1));
    let message = engine.next().unwrap();
    assert_eq!(message["refused"]["code"], "engine.tls", "{message}");
}

fn redirecting(connection: &'static str) -> Server {
    Server::new(move |line| {
        while let Some(request) = line.request() {
            let answer = if request.starts_with("GET /end") {
                format!("HTTP/1.1 200 OK\r\nConnection: {connection}\r\nContent-Length: 3\r\n\r\nend")
            } else {
                format!(
                    "HTTP/1.1 302 Found\r\nConnection: {connection}\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n"
                )
            };
            if !line.say(answer.as_bytes()) || connection == "close" {
                return;
            }
        }
    })
}

#[test]
fn a_redirect_is_followed_only_if_asked_and_within_one_request() {
    for connection in ["keep-alive", "close"] {
        let server = redirecting(connection);
        let plain = run(&requests(users(config(server.address), 2), 10));
        assert_eq!((plain.outcome("ok"), server.requests()), (10, 10), "302 is as expected where nothing is");
        let followed = run(&with(requests(users(config(server.address), 2), 10), |config| {
            config["routes"][0]["redirects"] = json!(3);
            config["routes"][0]["expect"]["contains"] = json!(["end"]);
        }));
        assert_eq!(followed.outcome("ok"), 10, "{:?}", followed.examples());
        assert_eq!((followed.sum("due"), followed.sum("sent")), (10, 10));
        assert_eq!(server.requests(), 30, "each of them was two requests on the wire");
        if connection == "close" {
            assert_eq!(followed.sum("opened"), 20);
        }
    }
}

/// Gives out tokens, and takes each for `uses` requests.
fn guarded(uses: u64) -> Server {
    let tokens = AtomicU64::new(0);
    let left = Arc::new(std::sync::Mutex::new(std::collections::HashMap::new()));
    Server::new(move |line| {
        while let Some(request) = line.request() {
            let answer = if request.starts_with("POST /login") {
                let token = format!("t{}", tokens.fetch_add(1, Ordering::Relaxed));
                left.lock().unwrap().insert(token.clone(), uses);
                let body = format!("{{\"token\": \"{token}\"}}");
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            } else {
                let token =
                    request.lines().find_map(|line| line.strip_prefix("Authorization: ")).unwrap_or("");
                let mut left = left.lock().unwrap();
                match left.get_mut(token) {
                    Some(uses) if *uses > 0 => {
                        *uses -= 1;
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_owned()
                    }
                    _ => "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n".to_owned(),
                }
            };
            if !line.say(answer.as_bytes()) {
                return;
            }
        }
    })
}

fn with_login(config: Value) -> Value {
    with(config, |config| {
        let mut login = route("login", "/login");
        login["class"] = json!("login");
        login["method"] = json!("POST");
        login["extract"] = json!([{"into": "token", "json": "$.token"}]);
        config["routes"][0]["headers"] = json!([["Host", "test"], ["Authorization", "{token}"]]);
        config["routes"].as_array_mut().unwrap().push(login);
        config["login"] = json!({"route": 1, "lasts_s": null, "lasts_from": null, "again_on": [401]});
    })
}

#[test]
fn a_user_logs_in_first_and_again_when_its_token_is_refused() {
    let server = guarded(4);
    let run = run(&with_login(requests(config(server.address), 20)));
    // Of every five service requests the fifth is refused, then comes a login.
    assert_eq!((run.route("home"), run.outcome("http_4xx")), (20, 4));
    assert_eq!(run.route("login"), 4);
    assert_eq!((run.sum("logins"), run.sum("logins_again")), (4, 3));
    assert!(run.rows().any(|row| row["class"] == "login" && row["route"] == "login"));
}

#[test]
fn arrivals_of_one_user_wait_for_one_login() {
    let server = guarded(1_000_000);
    let run = run(&with_login(with(rate(config(server.address), 200.0, 20), |config| {
        config["stop"]["after_s"] = json!(0.5);
    })));
    assert_eq!((run.route("login"), run.route("home")), (1, 100), "{:?}", run.examples());
    assert_eq!(run.outcome("ok"), 101);
}

#[test]
fn a_login_that_fails_ends_its_arrival_and_no_more() {
    let server = Server::answering("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
    let run = run(&with_login(with(rate(config(server.address), 100.0, 20), |config| {
        config["stop"]["after_s"] = json!(0.5);
    })));
    assert_eq!(run.route("home"), 0);
    assert_eq!(run.route("login"), 50, "each arrival tries once");
}
