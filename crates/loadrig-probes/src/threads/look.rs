//! State of a thread at an instant, by what may be read of it.

use super::calls::{Blocked, Wait, parse_syscall, uninterruptible_in, wait_in, wait_of};
use super::files::Files;
use super::peers::{Peer, of_descriptor};
use super::state::State;
use rustix::fd::OwnedFd;
use rustix::io::Errno;

/// POLLIN and POLLOUT of `struct pollfd`.
const POLL_IN: i16 = 1;
const POLL_OUT: i16 = 4;

/// Rights to read of a process; less and less, as it is found to be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// The system calls of its threads.
    Calls,
    /// The function of the kernel in which a thread waits.
    Places,
    /// The state letter.
    Letters,
}

/// Facts that could not be seen of a program, and of which of its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// System calls may not be read.
    Calls(i32),
    /// Neither may the place in the kernel.
    Places(i32),
    /// A program for another kind of machine (32 bit), whose calls have other numbers.
    Foreign(i32),
    /// The kernel does not tell of sockets, or not of those in another network namespace.
    Sockets(i32),
    /// The kernel does not count the time in the run queue.
    Delay(i32),
}

/// State in which a thread was seen. Of one that runs or could run it is not told which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) state: State,
    pub(crate) peer: Peer,
}

impl From<State> for Seen {
    fn from(state: State) -> Self {
        Self { state, peer: Peer::Nobody }
    }
}

/// The thread that is looked at.
pub(crate) struct Subject<'a> {
    pub(crate) pid: i32,
    pub(crate) tid: i32,
    /// The network namespace of its process.
    pub(crate) space: u64,
    /// Its file `syscall`, where it is kept open.
    pub(crate) calls: Option<&'a OwnedFd>,
}

/// Looks at a thread; None if it is gone. access: what may be read, made less where it is refused.
pub(crate) fn look(files: &mut Files, subject: &Subject, access: &mut Access) -> Option<Seen> {
    if *access == Access::Calls {
        match calls(files, subject) {
            Ok(Some(blocked)) => return waiting(files, subject, blocked),
            Ok(None) | Err(Errno::SRCH) => return None,
            Err(refused) => {
                // A file that is not there: the thread is gone, or the kernel has no such file.
                files.stat(subject.pid, subject.tid)?;
                *access = if refused == Errno::NOENT { Access::Places } else { left(files, subject.pid) };
            }
        }
    }
    by_letter(files, subject, *access)
}

/// Readings of a process whose system calls may not be read. The place in the kernel is told as "0" to who
/// may not read it; the same right opens the link to its program.
fn left(files: &Files, pid: i32) -> Access {
    match files.link(&format!("{pid}/exe")) {
        Err(Errno::ACCESS | Errno::PERM) => Access::Letters,
        _ => Access::Places,
    }
}

fn calls(files: &mut Files, subject: &Subject) -> rustix::io::Result<Option<Blocked>> {
    let text = match subject.calls {
        Some(file) => files.again(file)?,
        None => files.text(&format!("{}/task/{}/syscall", subject.pid, subject.tid))?,
    };
    Ok(parse_syscall(&text))
}

fn waiting(files: &mut Files, subject: &Subject, blocked: Blocked) -> Option<Seen> {
    let call = match blocked {
        Blocked::No => return Some(State::Running.into()),
        Blocked::Outside => return by_letter(files, subject, Access::Places),
        Blocked::In(call) => call,
    };
    match wait_of(&call) {
        Wait::For(state) => Some(state.into()),
        Wait::On(state, number) => Some(on(files, subject, state, number)),
        Wait::OnOne(address) => Some(on_one(files, subject, address)),
        Wait::Unknown => by_letter(files, subject, Access::Places).map(|seen| match seen.state {
            State::Unseen => State::Other.into(),
            _ => seen,
        }),
    }
}

fn on(files: &Files, subject: &Subject, state: State, number: i32) -> Seen {
    let (state, peer) = of_descriptor(files, subject.pid, subject.space, state, number);
    Seen { state, peer }
}

/// A poll of one socket is how programs wait for an answer with a time-out. Of anything else, and where the
/// list may not be read, it is a poll.
fn on_one(files: &Files, subject: &Subject, address: u64) -> Seen {
    let Ok(entry) = files.memory(subject.pid, address) else { return State::Polling.into() };
    let [a, b, c, d, low, high, ..] = entry;
    let (number, events) = (i32::from_ne_bytes([a, b, c, d]), i16::from_ne_bytes([low, high]));
    let state = match events & (POLL_IN | POLL_OUT) {
        POLL_IN => State::Reading,
        POLL_OUT => State::Writing,
        _ => return State::Polling.into(),
    };
    match on(files, subject, state, number) {
        seen @ Seen { peer: Peer::Socket(..), .. } => seen,
        _ => State::Polling.into(),
    }
}

/// By the letter of its state, and the place in the kernel where that may be read.
fn by_letter(files: &mut Files, subject: &Subject, access: Access) -> Option<Seen> {
    let letter = files.stat(subject.pid, subject.tid)?.state;
    let state = match letter {
        'R' => State::Running,
        'T' | 't' => State::Stopped,
        'Z' | 'X' => return None,
        _ => {
            let place = if access == Access::Letters { None } else { place(files, subject) };
            match (letter, place) {
                ('D', place) => uninterruptible_in(&place.unwrap_or_default()),
                (_, Some(place)) => wait_in(&place).unwrap_or(State::Unseen),
                (_, None) => State::Unseen,
            }
        }
    };
    Some(state.into())
}

/// The place in the kernel; "0" of a thread that has just gone on.
fn place(files: &mut Files, subject: &Subject) -> Option<String> {
    let text = files.text(&format!("{}/task/{}/wchan", subject.pid, subject.tid)).ok()?;
    (text != "0" && !text.is_empty()).then(|| text.into_owned())
}
