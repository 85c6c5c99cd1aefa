//! The stage that a connection is in.

use crate::stages::flow::Flow;
use crate::stages::rhythm::{Habit, Rhythm};
use crate::stages::turn::{Past, Turn};

/// States of `include/net/tcp_states.h`.
mod state {
    pub(super) const ESTABLISHED: u8 = 1;
    pub(super) const SYN_SENT: u8 = 2;
    pub(super) const SYN_RECV: u8 = 3;
    pub(super) const FIN_WAIT1: u8 = 4;
    pub(super) const CLOSE_WAIT: u8 = 8;
    pub(super) const LAST_ACK: u8 = 9;
    pub(super) const CLOSING: u8 = 11;
    pub(super) const NEW_SYN_RECV: u8 = 12;
}

/// All states of a connection and LISTEN, without `TIME_WAIT` (6), of which there may be many.
pub const STATES: u32 = crate::wire::ALL_STATES & !(1 << 6);

/// Number of stages.
pub const STAGES: usize = 13;

/// Bytes that a FIN takes in either queue.
const FIN: u32 = 1;

/// Stage of a request, as far as its socket tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// At a server: the handshake is not complete, or held up by a full accept queue.
    Opening,
    /// At a server: no process has accepted the connection.
    NotAccepted,
    /// At a server: bytes have come that no process has read.
    Unread,
    /// At a server: data came in after data last went out, and all of it was read.
    InHand,
    /// At a server: an answer waits to be sent, was lost, or is on its way.
    Sending,
    /// At a server: the answer was sent, longer than a round trip ago, and is not acknowledged.
    Unacknowledged,
    /// At a client: the handshake is not complete.
    Connecting,
    /// At a client: data went out after data last came in.
    Awaiting,
    /// At a client: bytes have come that the process has not read.
    AnswerUnread,
    /// Open, and nothing is under way.
    Idle,
    /// Closed by one end, and nothing is under way.
    Closing,
    /// At a server: the client has closed its end while its request waits or is in hand.
    Abandoned,
    /// A Unix socket with empty queues: it bears no times, so in hand and idle cannot be told apart.
    Unclear,
}

/// Stages by number, with the names that metrics have.
pub const NAMES: [(Stage, &str); STAGES] = [
    (Stage::Opening, "opening"),
    (Stage::NotAccepted, "not_accepted"),
    (Stage::Unread, "unread"),
    (Stage::InHand, "in_hand"),
    (Stage::Sending, "sending"),
    (Stage::Unacknowledged, "unacknowledged"),
    (Stage::Connecting, "connecting"),
    (Stage::Awaiting, "awaiting"),
    (Stage::AnswerUnread, "answer_unread"),
    (Stage::Idle, "idle"),
    (Stage::Closing, "closing"),
    (Stage::Abandoned, "abandoned"),
    (Stage::Unclear, "unclear"),
];

/// End of a connection that a socket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Made by a listener.
    Server,
    /// Made by connecting.
    Client,
}

/// Facts on a TCP socket that decide its stage.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// As in `include/net/tcp_states.h`.
    pub state: u8,
    /// Whether a process holds it, or has held it: not so before it is accepted.
    pub is_held: bool,
    /// Bytes not yet read.
    pub receive_queue: u32,
    /// Bytes not yet acknowledged, or not yet sent.
    pub send_queue: u32,
    /// None where the kernel does not tell.
    pub flow: Option<&'a Flow>,
}

/// A stage, and how it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Stage of the request. In a tie the stage in which something is under way.
    pub stage: Stage,
    /// Whether it may as well be idle, which nothing can tell: count half of it as that.
    pub is_tied: bool,
    /// Direction in which data went last, to be remembered for the next look.
    pub turn: Turn,
    /// Rhythm of the connection, to be remembered as well.
    pub rhythm: Rhythm,
}

impl Verdict {
    /// The verdict given the stage at the connection's other end, which decides a tie: what the one end
    /// awaits is at the other. The same where it is no tie, or the other end does not tell either.
    #[must_use]
    pub(crate) fn given(self, side: Side, other: Stage) -> Self {
        let is_under_way = match other {
            Stage::Idle | Stage::AnswerUnread => false,
            Stage::NotAccepted | Stage::Unread | Stage::InHand | Stage::Sending | Stage::Awaiting => true,
            _ => return self,
        };
        let (stage, turn) = match (side, is_under_way) {
            _ if !self.is_tied => return self,
            (Side::Server, true) => (Stage::InHand, Turn::Received),
            (Side::Server, false) => (Stage::Idle, Turn::Sent),
            (Side::Client, true) => (Stage::Awaiting, Turn::Sent),
            (Side::Client, false) => (Stage::Idle, Turn::Received),
        };
        Self { stage, is_tied: false, turn, ..self }
    }
}

impl Seen<'_> {
    /// Bytes of data that are not read.
    fn unread(&self) -> u32 {
        if self.state == state::CLOSE_WAIT {
            self.receive_queue.saturating_sub(FIN)
        } else {
            self.receive_queue
        }
    }
}

impl Side {
    /// Tells the stage of a TCP connection. past: of the last look at it. habit: of its group, which learns.
    #[must_use]
    pub fn stage(self, seen: &Seen<'_>, past: Option<Past>, habit: &mut Habit) -> Verdict {
        let has_sent_all = seen.send_queue == 0;
        let start = if self == Self::Server { Turn::Sent } else { Turn::Received };
        let turn = match seen.flow {
            // What was not read came last, as far as it concerns who looks. A FIN is no data.
            _ if seen.unread() > 0 => Turn::Received,
            Some(flow) => Turn::of(flow, has_sent_all, past, start, habit),
            None if !has_sent_all => Turn::Sent,
            None => Turn::Tied,
        };
        let (stage, is_tied) = match self {
            Self::Server => served(seen, turn),
            Self::Client => called(seen, turn),
        };
        let mut rhythm = past.map(|past| past.rhythm).unwrap_or_default();
        // What is read in part may be the middle of a message.
        if let Some(flow) = seen.flow.filter(|_| seen.unread() == 0) {
            rhythm = rhythm.after(flow, has_sent_all, habit);
        }
        Verdict { stage, is_tied, turn, rhythm }
    }
}

/// The stage at a server's end, and whether it may as well be idle.
fn served(seen: &Seen<'_>, turn: Turn) -> (Stage, bool) {
    let stage = match seen.state {
        state::SYN_RECV | state::NEW_SYN_RECV => Stage::Opening,
        state::ESTABLISHED if !seen.is_held => Stage::NotAccepted,
        state::ESTABLISHED if seen.unread() > 0 => Stage::Unread,
        state::ESTABLISHED if seen.send_queue > 0 => leaving(seen, turn),
        state::ESTABLISHED if turn == Turn::Tied => return (Stage::InHand, true),
        state::ESTABLISHED if turn == Turn::Received => Stage::InHand,
        state::ESTABLISHED => Stage::Idle,
        state::CLOSE_WAIT if !seen.is_held || seen.unread() > 0 => Stage::Abandoned,
        state::CLOSE_WAIT if seen.send_queue > 0 => leaving(seen, turn),
        state::CLOSE_WAIT if turn == Turn::Received => Stage::Abandoned,
        state::FIN_WAIT1 | state::LAST_ACK | state::CLOSING if seen.send_queue > FIN => leaving(seen, turn),
        _ => Stage::Closing,
    };
    (stage, false)
}

/// The stage of an answer that is not acknowledged yet.
fn leaving(seen: &Seen<'_>, turn: Turn) -> Stage {
    let Some(flow) = seen.flow else { return Stage::Sending };
    if waits_to_be_sent(seen) {
        return Stage::Sending;
    }
    if turn == Turn::Received && seen.state == state::ESTABLISHED {
        return Stage::InHand; // the next request has crossed its acknowledgement
    }
    // All of it is on the way. Beyond a round trip it has arrived, and the client takes its time to say so
    // (40 ms and more of delayed acknowledgement), which nobody waits for.
    let is_on_its_way = flow.sent_ms <= flow.round_trip_us.div_ceil(1000);
    if is_on_its_way { Stage::Sending } else { Stage::Unacknowledged }
}

/// Whether some of what a program has written was not yet sent, or was sent in vain.
fn waits_to_be_sent(seen: &Seen<'_>) -> bool {
    let is_waiting = |flow: &Flow| flow.lost > 0 || flow.unsent_bytes.is_none_or(|bytes| bytes > 0);
    seen.send_queue > 0 && seen.flow.is_none_or(is_waiting)
}

/// The stage at a client's end, and whether it may as well be idle.
fn called(seen: &Seen<'_>, turn: Turn) -> (Stage, bool) {
    let stage = match seen.state {
        state::SYN_SENT | state::SYN_RECV | state::NEW_SYN_RECV => Stage::Connecting,
        state::ESTABLISHED | state::CLOSE_WAIT if seen.unread() > 0 => Stage::AnswerUnread,
        state::ESTABLISHED if waits_to_be_sent(seen) => Stage::Awaiting,
        state::ESTABLISHED if turn == Turn::Tied => return (Stage::Awaiting, true),
        state::ESTABLISHED if turn == Turn::Sent => Stage::Awaiting,
        state::ESTABLISHED => Stage::Idle,
        _ => Stage::Closing,
    };
    (stage, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages::flow::Counts;
    use proptest::prelude::*;

    const QUIET: Flow = Flow {
        sent_ms: 100,
        received_ms: 200,
        acknowledged_ms: 100,
        unacknowledged: 0,
        lost: 0,
        unsent_bytes: Some(0),
        round_trip_us: 50,
        counts: Some(Counts { segments_in: 20, data_in: 10, data_out: 10 }),
        limits: None,
    };

    fn seen(state: u8, receive_queue: u32, send_queue: u32, flow: &Flow) -> Seen<'_> {
        Seen { state, is_held: true, receive_queue, send_queue, flow: Some(flow) }
    }

    /// At the first look at a connection.
    fn first(side: Side, seen: &Seen<'_>) -> Verdict {
        side.stage(seen, None, &mut Habit::default())
    }

    fn server(state: u8, receive_queue: u32, send_queue: u32, flow: &Flow) -> Stage {
        first(Side::Server, &seen(state, receive_queue, send_queue, flow)).stage
    }

    fn client(state: u8, receive_queue: u32, send_queue: u32, flow: &Flow) -> Stage {
        first(Side::Client, &seen(state, receive_queue, send_queue, flow)).stage
    }

    #[test]
    fn a_request_goes_from_the_accept_queue_by_hand_to_the_network() {
        let asked = Flow { received_ms: 10, ..QUIET };
        let not_held = Seen { is_held: false, ..seen(1, 90, 0, &asked) };
        assert_eq!(first(Side::Server, &not_held).stage, Stage::NotAccepted);
        assert_eq!(server(1, 90, 0, &asked), Stage::Unread);
        assert_eq!(server(1, 0, 0, &asked), Stage::InHand);
        let answered = Flow { sent_ms: 0, ..asked };
        assert_eq!(server(1, 0, 500, &answered), Stage::Sending);
        assert_eq!(server(1, 0, 0, &answered), Stage::Idle);
    }

    #[test]
    fn an_answer_that_has_arrived_and_is_not_acknowledged_is_not_being_sent() {
        let late = Flow { sent_ms: 12, unacknowledged: 1, ..QUIET };
        assert_eq!(server(1, 0, 500, &late), Stage::Unacknowledged);
        assert_eq!(server(1, 0, 500, &Flow { unsent_bytes: Some(1), ..late }), Stage::Sending);
        assert_eq!(server(1, 0, 500, &Flow { lost: 1, ..late }), Stage::Sending);
        assert_eq!(server(1, 0, 500, &Flow { round_trip_us: 80_000, ..late }), Stage::Sending);
        assert_eq!(server(1, 0, 500, &Flow { unsent_bytes: None, ..late }), Stage::Sending);
        assert_eq!(server(4, 0, 500, &late), Stage::Unacknowledged, "closed behind the answer");
        assert_eq!(server(4, 0, 1, &late), Stage::Closing, "nothing but the FIN");
    }

    #[test]
    fn a_client_that_gave_up_is_told_from_one_that_left_an_idle_connection() {
        let asked = Flow { received_ms: 10, ..QUIET };
        assert_eq!(server(8, 0, 0, &asked), Stage::Abandoned);
        assert_eq!(server(8, 1, 0, &asked), Stage::Abandoned, "only the FIN is unread");
        assert_eq!(server(8, 91, 0, &asked), Stage::Abandoned);
        assert_eq!(server(8, 1, 0, &QUIET), Stage::Closing, "only the FIN is unread");
        assert_eq!(server(8, 0, 0, &QUIET), Stage::Closing);
        let unheld = Seen { is_held: false, ..seen(8, 1, 0, &QUIET) };
        assert_eq!(first(Side::Server, &unheld).stage, Stage::Abandoned);
    }

    #[test]
    fn a_call_connects_is_awaited_and_read() {
        let asked = Flow { sent_ms: 10, received_ms: 20, ..QUIET };
        let answered = Flow { sent_ms: 20, received_ms: 10, ..QUIET };
        assert_eq!(client(2, 0, 1, &QUIET), Stage::Connecting);
        assert_eq!(client(1, 0, 0, &asked), Stage::Awaiting);
        assert_eq!(client(1, 0, 90, &asked), Stage::Awaiting);
        assert_eq!(client(1, 0, 90, &Flow { unsent_bytes: Some(90), ..answered }), Stage::Awaiting);
        assert_eq!(client(1, 300, 0, &answered), Stage::AnswerUnread);
        assert_eq!(client(1, 0, 0, &answered), Stage::Idle);
        assert_eq!(client(8, 1, 0, &answered), Stage::Closing, "closed by the other side, not yet noticed");
    }

    #[test]
    fn the_other_end_decides_a_tie_and_nothing_else() {
        let tie = Flow { sent_ms: 50, received_ms: 50, acknowledged_ms: 50, ..QUIET };
        for (side, other, stage, turn) in [
            (Side::Client, Stage::Idle, Stage::Idle, Turn::Received),
            (Side::Client, Stage::InHand, Stage::Awaiting, Turn::Sent),
            (Side::Client, Stage::NotAccepted, Stage::Awaiting, Turn::Sent),
            (Side::Server, Stage::AnswerUnread, Stage::Idle, Turn::Sent),
            (Side::Server, Stage::Awaiting, Stage::InHand, Turn::Received),
        ] {
            let verdict = first(side, &seen(1, 0, 0, &tie)).given(side, other);
            assert_eq!((verdict.stage, verdict.is_tied, verdict.turn), (stage, false, turn));
            let clear = first(side, &seen(1, 0, 0, &QUIET));
            assert_eq!(clear.given(side, other), clear);
        }
        let undecided = first(Side::Client, &seen(1, 0, 0, &tie));
        assert_eq!(undecided.given(Side::Client, Stage::Closing), undecided);
    }

    #[test]
    fn a_tie_is_told_as_one_and_a_connection_without_data_is_idle() {
        let tie = Flow { sent_ms: 50, received_ms: 50, acknowledged_ms: 50, ..QUIET };
        for (side, stage) in [(Side::Server, Stage::InHand), (Side::Client, Stage::Awaiting)] {
            let verdict = first(side, &seen(1, 0, 0, &tie));
            assert_eq!((verdict.stage, verdict.is_tied), (stage, true));
            let fresh = Flow { counts: Some(Counts::default()), ..tie };
            let verdict = first(side, &seen(1, 0, 0, &fresh));
            assert_eq!((verdict.stage, verdict.is_tied), (Stage::Idle, false));
        }
    }

    #[test]
    fn what_was_unread_at_the_last_look_and_is_read_now_is_in_hand() {
        let tie = Flow { sent_ms: 50, received_ms: 50, acknowledged_ms: 50, ..QUIET };
        let before = first(Side::Server, &seen(1, 90, 0, &tie));
        let past = QUIET.counts.map(|counts| Past { counts, turn: before.turn, rhythm: before.rhythm });
        let verdict = Side::Server.stage(&seen(1, 0, 0, &tie), past, &mut Habit::default());
        assert_eq!((verdict.stage, verdict.is_tied), (Stage::InHand, false));
    }

    #[test]
    fn each_stage_has_its_number_and_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = NAMES.iter().map(|(_, name)| name).collect();
        assert_eq!(names.len(), STAGES);
        assert!(NAMES.iter().enumerate().all(|(n, (stage, _))| *stage as usize == n));
        assert_eq!(STATES & (1 << 6), 0);
        assert_ne!(STATES & (1 << 10), 0);
    }

    proptest! {
        #[test]
        fn every_socket_has_a_stage_of_its_side_and_only_open_ones_are_tied(
            state in 0_u8..20, is_held in any::<bool>(), receive_queue in 0_u32..3, send_queue in 0_u32..3,
            times in prop::option::of((0_u32..3, 0_u32..3, 0_u32..3)), is_server in any::<bool>(),
        ) {
            let flow = times.map(|(sent_ms, received_ms, acknowledged_ms)| {
                Flow { sent_ms, received_ms, acknowledged_ms, ..QUIET }
            });
            let seen = Seen { state, is_held, receive_queue, send_queue, flow: flow.as_ref() };
            let side = if is_server { Side::Server } else { Side::Client };
            let verdict = first(side, &seen);
            let of_clients = [Stage::Connecting, Stage::Awaiting, Stage::AnswerUnread];
            let of_both = [Stage::Idle, Stage::Closing];
            prop_assert!(of_both.contains(&verdict.stage) || of_clients.contains(&verdict.stage) != is_server);
            prop_assert!(!verdict.is_tied || (state == 1 && receive_queue == 0));
        }
    }
}
