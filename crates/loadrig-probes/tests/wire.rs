//! The parser on what a kernel really answered (Linux 6.18; see `tests/probes/record_netlink.py`), on that
//! damaged, and on anything at all.
#![cfg(target_endian = "little")] // as the machine that recorded
#![allow(clippy::unwrap_used)] // in a test it says where it went wrong

use loadrig_probes::roles::{LISTEN, Role, Roles};
use loadrig_probes::wire::{Info, Message, Socket, UnixListener, messages, socket, unix_listener};
use proptest::prelude::*;

const ALL: &[u8] = include_bytes!("recorded/all.bin");
const IPV4: &[u8] = include_bytes!("recorded/ipv4.bin");
const IPV6: &[u8] = include_bytes!("recorded/ipv6.bin");
const UNIX: &[u8] = include_bytes!("recorded/unix.bin");

fn payloads(bytes: &[u8]) -> Vec<&[u8]> {
    let of = |message| match message {
        Message::Payload(payload) => Some(payload),
        Message::Done(_) => None,
    };
    messages(bytes, 1).filter_map(of).collect()
}

fn sockets(bytes: &[u8]) -> Vec<Socket> {
    payloads(bytes).into_iter().map(|payload| socket(payload).unwrap()).collect()
}

/// State, local and remote end, as in `ss`.
fn lines(sockets: &[Socket]) -> Vec<String> {
    let mut found: Vec<_> = sockets
        .iter()
        // The ports of the clients were the kernel's choice.
        .map(|one| format!("{} {} {}", one.state, one.local, one.remote))
        .map(|line| mask_free_ports(&line))
        .collect();
    found.sort();
    found
}

fn mask_free_ports(line: &str) -> String {
    let mask = |word: &str| match word.rsplit_once(':') {
        Some((address, port)) if port.parse::<u16>().is_ok_and(|port| port >= 32768) => {
            format!("{address}:*")
        }
        _ => word.to_owned(),
    };
    line.split(' ').map(mask).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_recorded_socket_is_read_with_both_ends_and_ipv4_in_ipv6_is_ipv4() {
    let expected = [
        "1 127.0.0.1:* 127.0.0.1:18000",
        "1 127.0.0.1:* 127.0.0.1:18000",
        "1 127.0.0.1:* 127.0.0.1:18000",
        "1 127.0.0.1:* 127.0.0.1:18001",
        "1 127.0.0.1:18000 127.0.0.1:*",
        "1 127.0.0.1:18000 127.0.0.1:*",
        "1 127.0.0.1:18000 127.0.0.1:*",
        "1 127.0.0.1:18001 127.0.0.1:*",
        "1 [::1]:* [::1]:18001",
        "1 [::1]:18001 [::1]:*",
        "10 127.0.0.1:18000 0.0.0.0:0",
        "10 [::]:18001 [::]:0",
        "6 127.0.0.1:* 127.0.0.1:18000",
        "6 127.0.0.1:18000 127.0.0.1:*",
    ];
    assert_eq!(lines(&sockets(ALL)), expected);
}

#[test]
fn one_walk_finds_what_a_dump_of_each_family_finds() {
    let both = [sockets(IPV4), sockets(IPV6)].concat();
    let mut without_info: Vec<_> = sockets(ALL).into_iter().map(|one| Socket { info: None, ..one }).collect();
    let mut by_family = both.clone();
    for all in [&mut without_info, &mut by_family] {
        all.sort_by_key(|one| one.cookie);
    }
    assert_eq!(without_info, by_family);
}

#[test]
fn a_listener_tells_its_queue_and_its_backlog_and_a_connection_its_bytes() {
    let all = sockets(ALL);
    let queues = |port| all.iter().find(|one| one.state == LISTEN && one.local.port == port).unwrap();
    assert_eq!((queues(18000).receive_queue, queues(18000).send_queue), (3, 5));
    assert_eq!((queues(18001).receive_queue, queues(18001).send_queue), (0, 7));
    let unread: Vec<_> = all.iter().filter(|one| one.state == 1 && one.receive_queue > 0).collect();
    assert_eq!(unread.len(), 1);
    assert_eq!((unread[0].receive_queue, unread[0].local.to_string().as_str()), (5, "[::1]:18001"));
}

#[test]
fn tcp_info_is_of_connections_and_not_of_those_in_time_wait() {
    for one in sockets(ALL) {
        match one.state {
            1 => {
                let Info { retransmits, rtt_us } = one.info.unwrap();
                assert_eq!(retransmits, 0);
                assert!((1..100_000).contains(&rtt_us), "{rtt_us}");
            }
            6 => assert_eq!(one.info, None),
            _ => {}
        }
    }
}

#[test]
fn a_dump_ends_with_done_and_answers_to_another_request_are_passed_over() {
    assert_eq!(messages(ALL, 1).last(), Some(Message::Done(0)));
    assert_eq!(messages(ALL, 2).count(), 0);
}

#[test]
fn a_refusal_tells_its_number() {
    let mut refusal = vec![36, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    refusal.extend((-2_i32).to_le_bytes());
    refusal.extend([0; 16]);
    assert_eq!(messages(&refusal, 1).collect::<Vec<_>>(), [Message::Done(2)]);
}

#[test]
fn unix_listeners_tell_their_names_and_queues() {
    let mut found: Vec<_> = payloads(UNIX).into_iter().filter_map(unix_listener).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    let told: Vec<_> = found
        .iter()
        .map(|UnixListener { name, queue, backlog, .. }| (name.as_str(), *queue, *backlog))
        .collect();
    assert_eq!(told, [("@loadrig", 0, 3), ("app.sock", 1, 9)]);
}

#[test]
fn roles_follow_from_who_listens() {
    let all = sockets(ALL);
    let roles = Roles::default().tell(&all);
    let count = |wanted: &str| roles.iter().flatten().filter(|role| role.to_string() == wanted).count();
    assert_eq!(roles.iter().filter(|role| role.is_none()).count(), 2);
    assert_eq!(count("in:18000"), 4);
    assert_eq!(count("in:18001"), 2);
    assert_eq!(count("out:127.0.0.1:18000"), 4);
    assert_eq!(count("out:127.0.0.1:18001"), 1);
    assert_eq!(count("out:[::1]:18001"), 1);
}

#[test]
fn the_other_end_of_a_connection_within_the_machine_has_the_other_role() {
    let all = sockets(ALL);
    let mut ends: Vec<_> = Roles::default().tell(&all).into_iter().zip(&all).collect();
    ends.retain(|(_, one)| one.state == 1);
    for (role, one) in &ends {
        let other = ends.iter().find(|(_, other)| other.local == one.remote && other.remote == one.local);
        assert_eq!(role.and_then(|role: Role| role.of_other_end(one)), other.unwrap().0);
    }
}

/// Recorded bytes with some of them changed and the end cut off.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let recorded = prop::sample::select(vec![ALL, IPV6, UNIX]);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40);
    (recorded, changes, any::<prop::sample::Index>()).prop_map(|(bytes, changes, end)| {
        let mut bytes = bytes.to_vec();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(end.index(bytes.len()) + 1);
        bytes
    })
}

/// Reads all that there is, and returns how many messages it took.
fn read_all(bytes: &[u8]) -> usize {
    let mut count = 0;
    for message in messages(bytes, 1) {
        count += 1;
        if let Message::Payload(payload) = message {
            let _ = (socket(payload), unix_listener(payload));
        }
    }
    count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn damaged_answers_are_read_without_a_panic_and_come_to_an_end(bytes in damaged()) {
        prop_assert!(read_all(&bytes) <= bytes.len() / 16 + 1);
    }

    #[test]
    fn so_are_bytes_that_never_were_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
        let _ = (socket(&bytes), unix_listener(&bytes));
    }

    #[test]
    fn a_cut_answer_gives_the_sockets_before_the_cut(end in 0..ALL.len()) {
        let whole = sockets(ALL);
        let cut = sockets(&ALL[..end]);
        prop_assert_eq!(&cut[..], &whole[..cut.len()]);
    }
}
