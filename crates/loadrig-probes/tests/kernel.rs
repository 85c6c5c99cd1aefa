//! The real kernel: connections over loopback, and this very process.
#![allow(clippy::unwrap_used)] // in a test it says where it went wrong

use loadrig_probes::processes::{Memory, process_tree, read_processes};
use loadrig_probes::roles::{LISTEN, Role};
use loadrig_probes::sockets::{Connections, Look, Most, STATES, Sockets};
use loadrig_probes::tasks::read_tasks;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

const PROC: &str = "/proc";

/// More than a machine has: other tests have connections too.
const ALL: Most = Most { destinations: 100_000, ports: 100_000 };

/// Listener and sockets are the test's own; the tests of a machine share its loopback.
fn served() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn server_end(look: &Look, port: u16) -> Connections {
    look.roles.get(&Role::In(port)).cloned().unwrap_or_default()
}

fn client_end(look: &Look, port: u16) -> Connections {
    let role = look.roles.iter().find(|(role, _)| matches!(role, Role::Out(end) if end.port == port));
    role.map(|(_, found)| found.clone()).unwrap_or_default()
}

fn in_state(found: &Connections, state: &str) -> u32 {
    found.states.iter().zip(STATES).filter(|(_, name)| *name == state).map(|(n, _)| n).sum()
}

#[test]
fn a_connection_shows_in_both_roles_and_is_opened_once_in_each() {
    let (listener, port) = served();
    let mut sockets = Sockets::open(None, ALL).unwrap();
    sockets.look(false, &[]).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let (server, _) = listener.accept().unwrap();
    client.write_all(b"unread").unwrap();
    let look = sockets.look(true, &[]).unwrap();
    for end in [server_end(&look, port), client_end(&look, port)] {
        assert_eq!((in_state(&end, "established"), end.opened, end.closed_first), (1, 1, 0));
        assert!(end.rtt_us.is_some());
    }
    assert_eq!(server_end(&look, port).receive_bytes, 6);
    drop((client, server));
}

#[test]
fn who_closes_first_is_told_though_the_connection_was_never_seen() {
    let (listener, port) = served();
    let mut sockets = Sockets::open(None, ALL).unwrap();
    // For a minute after others' connections their ports may be given to this listener, and count as its own.
    let before = sockets.look(false, &[]).unwrap();
    let (server_before, client_before) = (server_end(&before, port), client_end(&before, port));
    for server_first in [true, true, false] {
        let client = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (server, _) = listener.accept().unwrap();
        let (first, second) = if server_first { (server, client) } else { (client, server) };
        drop(first);
        drop(second);
    }
    let look = sockets.look(false, &[]).unwrap();
    let (server, client) = (server_end(&look, port), client_end(&look, port));
    assert_eq!((server.opened, server.closed_first), (3, 2));
    assert_eq!((client.opened, client.closed_first), (3, 1));
    assert_eq!(in_state(&server, "time_wait") - in_state(&server_before, "time_wait"), 2);
    assert_eq!(in_state(&client, "time_wait") - in_state(&client_before, "time_wait"), 1);
    let again = sockets.look(false, &[]).unwrap();
    assert_eq!((server_end(&again, port).opened, server_end(&again, port).closed_first), (3, 2));
}

#[test]
fn a_listener_tells_how_many_wait_and_connections_name_both_ends() {
    let (_listener, port) = served();
    let mut sockets = Sockets::open(None, ALL).unwrap();
    let waiting: Vec<_> = (0..3).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    let look = sockets.look(false, &[]).unwrap();
    let listener = look.listeners.iter().find(|one| one.local.port == port).unwrap();
    assert_eq!((listener.state, listener.receive_queue), (LISTEN, 3));
    assert!(listener.send_queue > 0 && listener.inode > 0);
    let all = sockets.connections().unwrap();
    let clients: Vec<_> = all.iter().filter(|one| one.remote.port == port).collect();
    assert_eq!(clients.len(), 3);
    let local = waiting[0].local_addr().unwrap().port();
    assert!(clients.iter().any(|one| one.local.port == local && one.inode > 0));
}

#[test]
fn destinations_and_ports_beyond_the_allowed_number_are_others_but_those_that_are_watched() {
    let servers: Vec<_> = (0..3).map(|_| served()).collect();
    let port = servers[0].1;
    let far = format!("out:127.0.0.1:{port}").parse().unwrap();
    let mut sockets = Sockets::open(None, Most { destinations: 0, ports: 0 }).unwrap();
    let held: Vec<_> =
        servers.iter().map(|(_, port)| TcpStream::connect(("127.0.0.1", *port)).unwrap()).collect();
    let look = sockets.look(false, &[far, Role::In(port)]).unwrap();
    let told: Vec<_> = look.roles.keys().copied().collect();
    assert_eq!(told, [Role::In(port), far, Role::InOthers, Role::OutOthers]);
    assert_eq!(in_state(&server_end(&look, port), "established"), 1);
    assert_eq!(in_state(&client_end(&look, port), "established"), 1);
    assert!(in_state(&look.roles[&Role::InOthers], "established") >= 2);
    assert!(in_state(&look.roles[&Role::OutOthers], "established") >= 2);
    drop(held);
}

#[test]
fn a_namespace_that_is_not_there_is_refused() {
    assert!(Sockets::open(Some(Path::new("/proc/self/ns/nowhere")), ALL).is_err());
}

#[test]
fn this_process_is_read_with_its_threads_and_its_memory() {
    let me = i32::try_from(std::process::id()).unwrap();
    let facts = read_processes(&[me], 10_000, true, Path::new(PROC)).unwrap().remove(0);
    assert_eq!(facts.stat.pid, me);
    assert!(facts.descriptors.unwrap() >= 3);
    let Memory::Read { pss, uss } = facts.memory else { panic!("{:?}", facts.memory) };
    assert!(uss <= pss && pss > 0);
    assert!(facts.threads.unwrap().iter().any(|thread| thread.state == 'R' && thread.tid > 0));
}

#[test]
fn a_zombie_is_read_as_one_and_a_process_that_is_gone_is_left_out() {
    let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    let me = i32::try_from(std::process::id()).unwrap();
    assert!(process_tree(me, &[], Path::new(PROC)).unwrap().contains(&pid));
    drop(child.stdin.take());
    let state =
        || read_processes(&[pid], 100, false, Path::new(PROC)).unwrap().pop().map(|one| one.stat.state);
    while state() != Some('Z') {
        std::thread::yield_now();
    }
    child.wait().unwrap();
    assert_eq!(state(), None);
    assert!(process_tree(pid, &[pid], Path::new(PROC)).unwrap().is_empty());
}

#[test]
fn too_many_threads_are_not_read_one_by_one() {
    let me = i32::try_from(std::process::id()).unwrap();
    let facts = read_processes(&[me], 0, false, Path::new(PROC)).unwrap().remove(0);
    assert_eq!((facts.threads, facts.memory), (None, Memory::Unread));
}

#[test]
fn threads_are_told_with_their_cores_and_no_more_than_asked_for() {
    let me = i32::try_from(std::process::id()).unwrap();
    let gone = 1 << 22;
    let found = read_tasks(&[gone, me], 10_000, Path::new(PROC)).unwrap();
    assert!(found.iter().any(|task| task.tid == me));
    assert!(found.iter().all(|task| task.pid == me && task.cores.contains(&(task.core as usize))));
    assert!(found.iter().any(|task| task.ran_ns > 0));
    assert_eq!(read_tasks(&[me, me], 1, Path::new(PROC)).unwrap().len(), 1);
}

#[test]
fn a_tree_is_the_same_by_lists_of_children_and_by_all_parents() {
    let script = "sleep 60 & sleep 60 & sh -c 'sleep 60 & wait' & wait";
    let mut child = Command::new("sh").args(["-c", script]).process_group(0).spawn().unwrap();
    let root = i32::try_from(child.id()).unwrap();
    let tree = |known: &[i32]| process_tree(root, known, Path::new(PROC)).unwrap();
    while tree(&[]).len() < 5 {
        std::thread::yield_now();
    }
    // This process is known, lives and is not in the tree: then all processes are looked at.
    let me = i32::try_from(std::process::id()).unwrap();
    let (by_lists, by_parents) = (tree(&[root]), tree(&[me]));
    assert_eq!(by_lists, by_parents);
    assert_eq!((by_lists[0], by_lists.len()), (root, 5));
    Command::new("kill").args(["-9", "--", &format!("-{root}")]).status().unwrap();
    child.wait().unwrap();
    assert!(tree(&by_lists).is_empty());
}
