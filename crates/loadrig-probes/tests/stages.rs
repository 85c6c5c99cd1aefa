//! Stages of what a kernel really answered (Linux 6.18; see `tests/probes/record_netlink.py`), of that cut
//! short or damaged, and of this very process.
#![cfg(target_endian = "little")] // as the machine that recorded
#![allow(clippy::unwrap_used)] // in a test it says where it went wrong

use loadrig_probes::stages::flow::Flow;
use loadrig_probes::stages::rhythm::Habit;
use loadrig_probes::stages::stage::{Seen, Side, Stage};
use loadrig_probes::stages::sums::{Mean, Most};
use loadrig_probes::stages::watcher::{Settings, Sight, Watcher};
use loadrig_probes::wire::{Message, Socket, UnixStream, messages, socket, tcp_info, unix_stream};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const STAGES: &[u8] = include_bytes!("recorded/stages.bin");
const UNIX: &[u8] = include_bytes!("recorded/unix_streams.bin");

const LISTEN: u8 = 10;

/// Ports of servers in the recording; those of clients were the kernel's choice.
const SERVED: std::ops::Range<u16> = 18000..18008;

fn payloads(bytes: &[u8]) -> Vec<&[u8]> {
    let of = |message| match message {
        Message::Payload(payload) => Some(payload),
        Message::Done(_) => None,
    };
    messages(bytes, 1).filter_map(of).collect()
}

/// The stage of one end of a recorded connection, at the first look at it.
fn stage(socket: &Socket, flow: Option<&Flow>) -> (Stage, bool) {
    let seen = Seen {
        state: socket.state,
        is_held: socket.inode != 0,
        receive_queue: socket.receive_queue,
        send_queue: socket.send_queue,
        flow,
    };
    let side = if SERVED.contains(&socket.local.port) { Side::Server } else { Side::Client };
    let verdict = side.stage(&seen, None, &mut Habit::default());
    (verdict.stage, verdict.is_tied)
}

/// The stages at the server's and the client's end of the connection to each port, with so many bytes of
/// each `struct tcp_info` as an older kernel would give.
fn ends(port: u16, info_bytes: usize) -> [Option<(Stage, bool)>; 2] {
    let mut found = [None; 2];
    for payload in payloads(STAGES) {
        let socket = socket(payload).unwrap();
        let info = tcp_info(payload).map(|bytes| &bytes[..bytes.len().min(info_bytes)]);
        let flow = info.and_then(Flow::parse);
        if socket.state == LISTEN {
            continue;
        }
        if socket.local.port == port {
            found[0] = Some(stage(&socket, flow.as_ref()));
        } else if socket.remote.port == port {
            found[1] = Some(stage(&socket, flow.as_ref()));
        }
    }
    found
}

#[test]
fn every_recorded_connection_is_in_the_stage_that_it_was_made_for() {
    use Stage::{Abandoned, AnswerUnread, Awaiting, Closing, Idle, InHand, NotAccepted, Sending, Unread};
    let expected = [
        (18000, NotAccepted, Awaiting),
        (18001, Unread, Awaiting),
        (18002, InHand, Awaiting),
        (18003, Sending, AnswerUnread),
        (18004, Idle, Idle),
        (18005, Idle, Idle),
        (18006, Abandoned, Closing),
        (18007, Closing, Closing),
    ];
    for (port, server, client) in expected {
        assert_eq!(ends(port, 1000), [Some((server, false)), Some((client, false))], "port {port}");
    }
}

#[test]
fn a_kernel_that_tells_less_leaves_ties_and_no_wrong_stage() {
    // Without counts of segments the clock and the queues are left, and all of it is in one step of the clock.
    assert_eq!(ends(18002, 104)[0], Some((Stage::InHand, true)));
    assert_eq!(ends(18004, 104), [Some((Stage::InHand, true)), Some((Stage::Awaiting, true))]);
    assert_eq!(ends(18003, 104)[0], Some((Stage::Sending, false)));
    // Without any of it the queues are.
    assert_eq!(ends(18001, 0)[0], Some((Stage::Unread, false)));
    assert_eq!(ends(18000, 0)[0], Some((Stage::NotAccepted, false)));
    assert_eq!(ends(18002, 0)[0], Some((Stage::InHand, true)));
}

#[test]
fn what_sending_waited_for_is_told() {
    let blocked = payloads(STAGES)
        .into_iter()
        .find(|payload| {
            socket(payload).unwrap().local.port == 18003 && socket(payload).unwrap().state != LISTEN
        })
        .unwrap();
    let limits = Flow::parse(tcp_info(blocked).unwrap()).unwrap().limits.unwrap();
    assert!(limits.client_us > 900_000 && limits.client_us <= limits.busy_us, "{limits:?}");
    assert_eq!(limits.buffer_us, 0);
}

#[test]
fn unix_streams_tell_their_peers_and_who_waits() {
    let all: Vec<UnixStream> = payloads(UNIX).into_iter().filter_map(unix_stream).collect();
    let listener = all.iter().find(|one| one.is_listening).unwrap();
    assert_eq!(
        (listener.name.as_deref(), listener.receive_queue, listener.send_queue),
        (Some("app.sock"), 1, 9)
    );
    let servers: Vec<_> = all.iter().filter(|one| !one.is_listening && one.name.is_some()).collect();
    let clients: Vec<_> = all.iter().filter(|one| one.name.is_none()).collect();
    assert_eq!((servers.len(), clients.len()), (2, 3));
    let waiting: Vec<_> = clients.iter().filter(|one| listener.waiting.contains(&one.inode)).collect();
    assert_eq!((waiting.len(), waiting[0].peer), (1, Some(0)), "the server's end has no inode yet");
    for server in &servers {
        let client = clients.iter().find(|one| Some(one.inode) == server.peer).unwrap();
        assert_eq!(client.peer, Some(server.inode));
        // What was sent and not read is counted with its overhead at the sender.
        assert!(client.send_queue >= server.receive_queue);
    }
    let mut unread: Vec<_> = servers.iter().map(|one| one.receive_queue).collect();
    unread.sort_unstable();
    assert_eq!(unread, [0, 7]);
}

/// Recorded bytes with some of them changed and the end cut off.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40);
    (prop::sample::select(vec![STAGES, UNIX]), changes, any::<prop::sample::Index>()).prop_map(
        |(bytes, changes, end)| {
            let mut bytes = bytes.to_vec();
            for (place, value) in changes {
                let place = place.index(bytes.len());
                bytes[place] = value;
            }
            bytes.truncate(end.index(bytes.len()) + 1);
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_answers_are_read_without_a_panic(bytes in damaged()) {
        for payload in payloads(&bytes) {
            let flow = tcp_info(payload).and_then(Flow::parse);
            if let Some(socket) = socket(payload) {
                stage(&socket, flow.as_ref());
            }
            let _ = unix_stream(payload);
        }
    }
}

/// Looks as often as it can: nothing here is about cost.
fn watcher() -> Watcher {
    let most = Most { destinations: 100, ports: 100 };
    Watcher::start(Settings { looks_per_s: 500.0, cpu_share: 1.0, most, seed: 1 }).unwrap()
}

fn me() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

/// Observations of looks that were all begun after this was called.
fn sight(watcher: &Watcher, id: u32) -> Sight {
    let until = Instant::now() + Duration::from_secs(20);
    for _ in 0..2 {
        // A look that is under way may have seen what was before.
        while watcher.take(id).unwrap().looks == 0 {
            assert!(Instant::now() < until, "nobody looks");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    loop {
        std::thread::sleep(Duration::from_millis(20));
        let sight = watcher.take(id).unwrap();
        if sight.looks > 0 {
            return sight;
        }
    }
}

fn group(sight: &Sight, name: &str) -> Mean {
    sight.groups.iter().find(|mean| mean.group == name).unwrap().clone()
}

#[test]
fn both_ends_of_a_connection_of_this_process_are_followed_from_stage_to_stage() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (served, called) = (format!("in:{port}"), format!("out:127.0.0.1:{port}"));
    let watcher = watcher();
    let id = watcher.watch(me(), None, Vec::new()).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let check = |server: Stage, client: Stage| {
        let sight = sight(&watcher, id);
        for (name, stage) in [(&served, server), (&called, client)] {
            let mean = group(&sight, name);
            assert!((mean.in_stage(stage) - 1.0).abs() < 1e-9, "{stage:?} {mean:?}");
            assert!((mean.sockets() - 1.0).abs() < 1e-9, "{mean:?}");
        }
    };
    check(Stage::NotAccepted, Stage::Idle);
    client.write_all(b"request").unwrap();
    check(Stage::NotAccepted, Stage::Awaiting);
    let (mut accepted, _) = listener.accept().unwrap();
    check(Stage::Unread, Stage::Awaiting);
    let mut room = [0; 100];
    assert_eq!(accepted.read(&mut room).unwrap(), 7);
    check(Stage::InHand, Stage::Awaiting);
    accepted.write_all(b"answer").unwrap();
    check(Stage::Idle, Stage::AnswerUnread);
    assert_eq!(client.read(&mut room).unwrap(), 6);
    check(Stage::Idle, Stage::Idle);
    // Both were met before they sent anything.
    let counted = sight(&watcher, id);
    assert_eq!((group(&counted, &served).segments, group(&counted, &called).segments), (1, 1));
    drop(client);
    let closing = group(&sight(&watcher, id), &served).in_stage(Stage::Closing);
    assert!((closing - 1.0).abs() < 1e-9);
}

#[test]
fn a_process_that_is_not_there_is_gone_and_what_is_forgotten_is_not_told_of() {
    let watcher = watcher();
    let (here, gone) =
        (watcher.watch(me(), None, Vec::new()).unwrap(), watcher.watch(me(), Some(1), Vec::new()).unwrap());
    let sight = sight(&watcher, here);
    assert!(!sight.is_gone && !sight.is_refused && sight.failure.is_none() && sight.cpu_s > 0.0);
    let nobody = watcher.take(gone).unwrap();
    assert!(nobody.is_gone && nobody.looks == 0, "its number is another process's");
    watcher.forget(gone);
    assert!(watcher.take(gone).is_none());
    assert!(watcher.take(here).is_some());
}
