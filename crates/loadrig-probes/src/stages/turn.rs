//! Direction in which data went last over a connection, also where the kernel's clock cannot tell.
//!
//! The clock of `tcp_info` advances every 1 to 10 ms. Data that came and data that went within one such
//! step look as if they were at the same instant. That tie is the rule and no exception: in a closed loop
//! the next request follows the answer at once, and an answer that takes 1 ms leaves an idle connection in
//! a tie for good. Acknowledgements, what was counted since the last look, and the rhythm that a connection
//! keeps decide most of them.

use crate::stages::flow::{Counts, Flow};
use crate::stages::rhythm::{Habit, Rhythm};
use std::cmp::Ordering;

/// Direction in which data went last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// None has gone either way.
    Silent,
    /// In.
    Received,
    /// Out.
    Sent,
    /// Both within one step of the clock, and nothing else decides.
    Tied,
}

/// State of a connection at the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Counts of the connection.
    pub counts: Counts,
    /// Direction in which data had gone last.
    pub turn: Turn,
    /// Rhythm, as far as it was known.
    pub rhythm: Rhythm,
}

impl Turn {
    /// Tells the turn of a connection.
    ///
    /// `has_sent_all`: nothing waits to be sent or acknowledged. past: None at the first look at it. start:
    /// who begins to speak on a new connection waits for nobody: `Sent` at a server's end, `Received` at a
    /// client's. habit: of the group.
    #[must_use]
    pub fn of(flow: &Flow, has_sent_all: bool, past: Option<Past>, start: Self, habit: &Habit) -> Self {
        let counts = flow.counts;
        if counts.is_some_and(|counts| counts.data_in == 0 && counts.data_out == 0) {
            return Self::Silent;
        }
        Self::by_clock(flow)
            .or_else(|| Self::counted(counts?, has_sent_all, past, start))
            .or_else(|| past.map(|past| past.rhythm).unwrap_or_default().turn(counts?, habit))
            .unwrap_or_else(|| Self::acknowledged(flow, has_sent_all))
    }

    /// The turn by the kernel's clock; None in a tie.
    fn by_clock(flow: &Flow) -> Option<Self> {
        match flow.received_ms.cmp(&flow.sent_ms) {
            Ordering::Less => Some(Self::Received),
            Ordering::Greater => Some(Self::Sent),
            Ordering::Equal => None,
        }
    }

    /// The turn where one look by itself tells: by the clock, or as an acknowledgement is missing. What is
    /// not acknowledged went after the data that came last, as an answer acknowledges what it answers. None
    /// in any other tie, and before there was data both ways.
    pub(super) fn known(flow: &Flow, has_sent_all: bool) -> Option<Self> {
        flow.counts.filter(|counts| counts.data_in > 0 && counts.data_out > 0)?;
        Self::by_clock(flow).or((!has_sent_all).then_some(Self::Sent))
    }

    /// By what was counted since the last look, or in the whole life of a connection that is new.
    fn counted(counts: Counts, has_sent_all: bool, past: Option<Past>, start: Self) -> Option<Self> {
        // A client's first segment is the answer to its SYN; what a server's end has counted by then differs.
        let is_client = start == Self::Received;
        let begin = Counts { segments_in: u32::from(is_client), ..Counts::default() };
        let before = past.unwrap_or(Past { counts: begin, turn: start, rhythm: Rhythm::default() });
        let more = counts.since(before.counts);
        match (more.data_in, more.data_out) {
            (0, 0) => before.turn.decided(),
            (_, 0) => Some(Self::Received),
            (0, _) => Some(Self::Sent),
            _ if !has_sent_all => Some(Self::Sent), // see `known`
            // Whatever went out is acknowledged, and no segment came that did only that: the last
            // acknowledgement came with data, which so came after what it acknowledges.
            _ if more.bare_in() == 0 && (is_client || past.is_some()) => Some(Self::Received),
            // One each way, in turns: it is whose turn it was.
            (1, 1) => before.turn.decided(),
            _ => None,
        }
    }

    /// By the last acknowledgement: one that came later than the last data acknowledged what was sent after
    /// that data.
    fn acknowledged(flow: &Flow, has_sent_all: bool) -> Self {
        if !has_sent_all || flow.acknowledged_ms < flow.received_ms { Self::Sent } else { Self::Tied }
    }

    fn decided(self) -> Option<Self> {
        (self != Self::Tied).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(flow: &Flow, has_sent_all: bool, past: Option<Past>, start: Turn) -> Turn {
        Turn::of(flow, has_sent_all, past, start, &Habit::default())
    }

    fn flow(sent_ms: u32, received_ms: u32, acknowledged_ms: u32, counts: Option<Counts>) -> Flow {
        Flow {
            sent_ms,
            received_ms,
            acknowledged_ms,
            unacknowledged: 0,
            lost: 0,
            unsent_bytes: Some(0),
            round_trip_us: 30,
            counts,
            limits: None,
        }
    }

    fn counts(data_in: u32, data_out: u32, bare: u32) -> Counts {
        Counts { segments_in: data_in + bare, data_in, data_out }
    }

    /// The turn of a server's end in a tie, given what was counted before and now.
    fn tied(before: Option<(Counts, Turn)>, now: Counts) -> Turn {
        let past = before.map(|(counts, turn)| Past { counts, turn, rhythm: Rhythm::default() });
        of(&flow(7, 7, 7, Some(now)), true, past, Turn::Sent)
    }

    #[test]
    fn a_clock_that_tells_decides() {
        let many = Some(counts(9, 9, 9));
        assert_eq!(of(&flow(8, 4, 4, many), true, None, Turn::Sent), Turn::Received);
        assert_eq!(of(&flow(4, 8, 4, many), true, None, Turn::Sent), Turn::Sent);
    }

    #[test]
    fn a_connection_without_data_is_silent_whatever_its_clock_says() {
        let none = Some(counts(0, 0, 2));
        for (sent, received) in [(7, 7), (4, 8), (8, 4)] {
            assert_eq!(of(&flow(sent, received, 7, none), true, None, Turn::Sent), Turn::Silent);
        }
    }

    #[test]
    fn what_went_one_way_only_since_the_last_look_decides_a_tie() {
        let before = Some((counts(5, 5, 5), Turn::Tied));
        assert_eq!(tied(before, counts(6, 5, 5)), Turn::Received);
        assert_eq!(tied(before, counts(5, 6, 6)), Turn::Sent);
    }

    #[test]
    fn nothing_since_the_last_look_leaves_the_turn_as_it_was() {
        for turn in [Turn::Received, Turn::Sent] {
            assert_eq!(tied(Some((counts(5, 5, 5), turn)), counts(5, 5, 5)), turn);
        }
        assert_eq!(tied(Some((counts(5, 5, 5), Turn::Tied)), counts(5, 5, 5)), Turn::Tied);
    }

    #[test]
    fn an_answer_that_the_next_request_acknowledged_came_before_it() {
        assert_eq!(tied(Some((counts(5, 5, 0), Turn::Sent)), counts(9, 9, 0)), Turn::Received);
    }

    #[test]
    fn a_client_whose_calls_were_all_acknowledged_by_answers_has_had_the_last_one() {
        let many = |bare| flow(7, 7, 7, Some(counts(9, 9, bare)));
        assert_eq!(of(&many(1), true, None, Turn::Received), Turn::Received);
        assert_eq!(of(&many(2), true, None, Turn::Received), Turn::Tied);
        assert_eq!(of(&many(1), true, None, Turn::Sent), Turn::Tied, "a server's end");
    }

    #[test]
    fn one_segment_each_way_leaves_the_turn_as_it_was() {
        for turn in [Turn::Received, Turn::Sent] {
            assert_eq!(tied(Some((counts(5, 5, 5), turn)), counts(6, 6, 6)), turn);
        }
        assert_eq!(tied(None, counts(1, 1, 1)), Turn::Sent, "a new connection: request, answer");
        let client = of(&flow(7, 7, 7, Some(counts(1, 1, 1))), true, None, Turn::Received);
        assert_eq!(client, Turn::Received);
    }

    #[test]
    fn an_acknowledgement_by_itself_after_the_last_data_is_of_an_answer() {
        let many = Some(counts(9, 9, 9));
        assert_eq!(of(&flow(44, 44, 4, many), true, None, Turn::Sent), Turn::Sent);
        assert_eq!(of(&flow(44, 44, 4, None), true, None, Turn::Sent), Turn::Sent);
        assert_eq!(of(&flow(44, 44, 44, None), true, None, Turn::Sent), Turn::Tied);
        assert_eq!(of(&flow(44, 44, 44, None), false, None, Turn::Sent), Turn::Sent);
    }

    #[test]
    fn what_is_not_acknowledged_went_after_what_came() {
        let past = Some(Past { counts: counts(5, 5, 5), turn: Turn::Received, rhythm: Rhythm::default() });
        let one_each = flow(7, 7, 7, Some(counts(6, 6, 6)));
        assert_eq!(of(&one_each, true, past, Turn::Received), Turn::Received);
        assert_eq!(of(&one_each, false, past, Turn::Received), Turn::Sent);
    }

    #[test]
    fn a_call_that_followed_an_answer_at_once_is_told_by_the_rhythm_of_its_connection() {
        let mut rhythm = Rhythm::default();
        for n in [10, 13, 14, 18] {
            let known = flow(4, 44, 4, Some(counts(n, n + 1, n + 1)));
            rhythm = rhythm.after(&known, true, &mut Habit::default());
        }
        let past = Some(Past { counts: counts(18, 19, 19), turn: Turn::Sent, rhythm });
        let tied = |data_in, data_out| flow(20, 20, 20, Some(counts(data_in, data_out, data_out)));
        assert_eq!(of(&tied(21, 22), true, past, Turn::Received), Turn::Sent);
        assert_eq!(of(&tied(22, 22), true, past, Turn::Received), Turn::Received);
        let unlearned = past.map(|past| Past { rhythm: Rhythm::default(), ..past });
        assert_eq!(of(&tied(21, 22), true, unlearned, Turn::Received), Turn::Tied);
    }

    proptest! {
        /// Requests and answers of one segment each in strict turns, each acknowledged by what comes next
        /// or by itself, looked at now and then: what is decided is right.
        #[test]
        fn what_is_decided_of_strict_turns_is_right(
            bare in prop::collection::vec((any::<bool>(), any::<bool>()), 1..60),
        ) {
            let (mut now, mut past, mut is_in_hand) = (Counts::default(), None, false);
            for (is_bare, is_looked_at) in bare {
                now.segments_in += 1;
                if is_in_hand {
                    now.data_out += 1;
                    // Else the request that comes at once acknowledges it.
                    if !is_bare {
                        now.data_in += 1;
                    }
                    is_in_hand = !is_bare;
                } else {
                    now.data_in += 1;
                    is_in_hand = true;
                }
                if is_looked_at {
                    let turn = of(&flow(7, 7, 7, Some(now)), true, past, Turn::Sent);
                    let truth = if is_in_hand { Turn::Received } else { Turn::Sent };
                    prop_assert!(turn == truth || turn == Turn::Tied, "{turn:?} {truth:?} {now:?} {past:?}");
                    past = Some(Past { counts: now, turn, rhythm: Rhythm::default() });
                }
            }
        }
    }
}
