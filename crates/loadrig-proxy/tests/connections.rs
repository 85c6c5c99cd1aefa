//! Beginnings and ends of connections through the proxy: as they would be without it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails, and says where")]

mod parent;

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::net::{self, AddressFamily, SocketType, sockopt};
use serde_json::json;

use parent::{PATIENCE, Proxy, ask, dependency, echo};

/// Closes a connection as one that has failed.
fn reset(stream: TcpStream) {
    sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
    drop(stream);
}

/// An address at which nobody listens, nor will as long as the socket lives that is bound to it.
///
/// Of a port that is free again the proxy could be the next listener, and would then talk to itself without
/// end.
fn nobody() -> (OwnedFd, SocketAddr) {
    let socket = net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = net::getsockname(&socket).unwrap().try_into().unwrap();
    (socket, address)
}

#[test]
fn much_passes_both_ways_at_once_and_unchanged() {
    let proxy = Proxy::before(echo());
    let client = proxy.client();
    let sent: Vec<u8> = (0..2_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let mut uplink = client.try_clone().unwrap();
    let expected = sent.clone();
    let writer = std::thread::spawn(move || {
        uplink.write_all(&sent).unwrap();
        uplink.shutdown(Shutdown::Write).unwrap();
    });
    let mut got = Vec::new();
    (&client).read_to_end(&mut got).unwrap();
    writer.join().unwrap();
    assert!(got == expected, "{} bytes came back of {}", got.len(), expected.len());
}

#[test]
fn many_connections_at_once_are_kept_apart() {
    let mut proxy = Proxy::before(echo());
    proxy.set(&json!({"delay_s": 0.001}));
    let mut clients: Vec<TcpStream> = (0..100).map(|_| proxy.client()).collect();
    for round in 0..5_u8 {
        for (n, client) in clients.iter_mut().enumerate() {
            client.write_all(&[round, u8::try_from(n).unwrap()]).unwrap();
        }
        for (n, client) in clients.iter_mut().enumerate() {
            let mut answer = [0; 2];
            client.read_exact(&mut answer).unwrap();
            assert_eq!(answer, [round, u8::try_from(n).unwrap()]);
        }
    }
    assert_eq!((proxy.count("open"), proxy.count("round_trips")), (100, 500));
    drop(clients);
    proxy.await_count("open", 0);
    ask(&mut proxy.client(), b"and others after them");
    assert_eq!((proxy.count("accepted"), proxy.count("refused")), (101, 0));
}

#[test]
fn who_speaks_first_may_be_the_dependency() {
    let greets = dependency(|mut stream| {
        stream.write_all(b"welcome").unwrap();
        let _ = stream.read(&mut [0; 8]);
        let _ = stream.write_all(b"bye");
    });
    let mut proxy = Proxy::before(greets);
    let mut client = proxy.client();
    let mut said = [0; 7];
    client.read_exact(&mut said).unwrap();
    assert_eq!(&said, b"welcome");
    client.write_all(b"thanks").unwrap();
    client.read_exact(&mut [0; 3]).unwrap();
    assert_eq!(proxy.count("round_trips"), 1);
}

#[test]
fn a_client_that_has_said_all_still_gets_its_answer() {
    // Answers only when the question is at its end.
    let patient = dependency(|mut stream| {
        let mut question = Vec::new();
        stream.read_to_end(&mut question).unwrap();
        stream.write_all(&question).unwrap();
    });
    for settings in [json!({}), json!({"delay_s": 0.01}), json!({"bytes_per_s": 1e6})] {
        let mut proxy = Proxy::before(patient);
        proxy.set(&settings);
        let mut client = proxy.client();
        client.write_all(&[7; 10_000]).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert_eq!(answer, [7; 10_000]);
        proxy.await_count("open", 0);
    }
}

#[test]
fn a_client_of_a_dependency_that_is_down_is_turned_away() {
    let (_bound, address) = nobody();
    let mut proxy = Proxy::before(address);
    for n in 1..=3 {
        // The connection is made and broken at once, perhaps before it has seen that it was made.
        let seen = TcpStream::connect(("127.0.0.1", proxy.port)).and_then(|mut client| {
            client.set_read_timeout(Some(PATIENCE))?;
            client.read(&mut [0; 1])
        });
        assert!(seen.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionReset), "{seen:?}");
        proxy.await_count("refused", n);
    }
    assert_eq!((proxy.count("accepted"), proxy.count("open")), (3, 0));
}

#[test]
fn what_was_said_before_a_failure_arrives_and_the_failure_after_it() {
    let fails = dependency(|mut stream| {
        let _ = stream.read(&mut [0; 64]);
        stream.write_all(b"last words").unwrap();
        reset(stream);
    });
    let mut proxy = Proxy::before(fails);
    for _ in 0..20 {
        let mut client = proxy.client();
        client.write_all(b"hello").unwrap();
        let mut said = [0; 10];
        client.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"last words");
        assert_eq!(client.read(&mut [0; 1]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    }
    proxy.await_count("open", 0);
}

#[test]
fn a_client_that_fails_is_a_failure_for_the_dependency() {
    let (tell, told) = std::sync::mpsc::channel();
    let hears = dependency(move |mut stream| {
        let mut said = Vec::new();
        let end = stream.read_to_end(&mut said);
        tell.send((said, end.map_err(|error| error.kind()))).unwrap();
    });
    let mut proxy = Proxy::before(hears);
    let mut client = proxy.client();
    client.write_all(b"hello").unwrap();
    proxy.await_count("bytes_to", 5);
    reset(client);
    let (said, end) = told.recv_timeout(PATIENCE).unwrap();
    assert_eq!((said.as_slice(), end), (b"hello".as_slice(), Err(ErrorKind::ConnectionReset)));
    proxy.await_count("open", 0);
}

#[test]
fn an_answer_to_a_client_that_has_gone_harms_nobody_else() {
    let slow = dependency(|mut stream| {
        let mut question = [0; 4];
        while stream.read_exact(&mut question).is_ok() {
            std::thread::sleep(Duration::from_millis(20));
            if stream.write_all(&vec![7; 100_000]).is_err() {
                return;
            }
        }
    });
    let mut proxy = Proxy::before(slow);
    for _ in 0..5 {
        let mut hasty = proxy.client();
        hasty.write_all(b"gone").unwrap();
        drop(hasty);
    }
    let mut patient = proxy.client();
    patient.write_all(b"wait").unwrap();
    patient.read_exact(&mut vec![0; 100_000]).unwrap();
    drop(patient);
    proxy.await_count("open", 0);
}

#[test]
fn it_ends_when_its_parent_is_gone_and_takes_its_connections_with_it() {
    let mut proxy = Proxy::before(echo());
    let mut client = proxy.client();
    ask(&mut client, b"hello");
    proxy.set(&json!({"delay_s": 60.0}));
    client.write_all(b"held").unwrap();
    proxy.await_count("bytes_to", 9);
    let port = proxy.port;
    assert_eq!(proxy.leave(), 0);
    let end = client.read(&mut [0; 1]);
    assert!(matches!(&end, Ok(0) | Err(_)), "{end:?}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn a_beginning_that_makes_no_sense_is_refused() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for (line, why) in [
        (json!({"listen": port, "to": "127.0.0.1:1"}).to_string(), "cannot listen on 127.0.0.1"),
        (json!({"listen": 0, "to": "redis"}).to_string(), "socket address"),
        (json!({"to": "127.0.0.1:1"}).to_string(), "listen"),
        ("nonsense".to_owned(), "line 1"),
    ] {
        let mut proxy = Proxy::told(&line);
        let answer = proxy.hear();
        let what = answer["refused"]["what"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(what.contains(why), "{what}");
        assert_eq!(proxy.ends(), 1);
    }
}

#[test]
fn a_parent_that_says_nothing_at_all_leaves_nothing_behind() {
    let proxy = Proxy::told("");
    assert_eq!(proxy.leave(), 1);
}

#[test]
fn it_listens_where_it_is_told_to() {
    let start = json!({"listen": 0, "host": "127.0.0.7", "to": echo().to_string()});
    let mut proxy = Proxy::told(&start.to_string());
    let port: u16 = proxy.hear()["ready"]["port"].as_u64().unwrap().try_into().unwrap();
    let mut client = TcpStream::connect(("127.0.0.7", port)).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    ask(&mut client, b"hello");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert_eq!(proxy.leave(), 0);
}
