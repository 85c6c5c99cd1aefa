//! The rhythm of a connection: how many segments come for so many that go, learned while the clock tells.
//!
//! Who reuses connections last in, first out sends the next call within the step of the kernel's clock in
//! which the last answer came. That connection is in a tie for as long as the call takes, however long that
//! is, and what was counted since the last look does not decide once several calls have come and gone. But
//! calls and answers of one kind have as many segments each time: from an instant at which it was known who
//! spoke last, counts that grew in that rhythm lead to the same turn, and any that are ahead to the other.
//!
//! What one connection has taught (`Rhythm`) serves that connection, and what all of a group have (`Habit`)
//! one that was used for too short a time to teach anything.

use crate::stages::flow::{Counts, Flow};
use crate::stages::turn::Turn;

/// Stretches in a row with the same ratio from which on a connection is held to keep it. One may agree by
/// chance, as that of an answer that came in two segments twice.
const AGREED: u8 = 2;

/// The same for all connections of a group, one after the other: they may be used for different things.
const ALL_AGREED: u8 = 8;

/// Segments with data that came and that went, from a look to one with the same turn, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ratio {
    came: u32,
    went: u32,
}

impl Ratio {
    /// None where data went one way only.
    fn of(more: Counts) -> Option<Self> {
        let divisor = common_divisor(more.data_in, more.data_out);
        let (came, went) = (more.data_in / divisor, more.data_out / divisor);
        (came > 0 && went > 0).then_some(Self { came, went })
    }

    /// Lead of what went over what came, since the connection was opened; it is the same whenever the
    /// same side has spoken last.
    fn level(self, counts: Counts) -> i64 {
        i64::from(counts.data_out) * i64::from(self.came) - i64::from(counts.data_in) * i64::from(self.went)
    }
}

/// Something that was the same so many times in a row, beside the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kept<T> {
    value: T,
    agreed: u8,
}

impl<T: PartialEq> Kept<T> {
    /// Whether it was the same again.
    fn note(place: &mut Option<Self>, value: T) -> bool {
        match place {
            Some(kept) if kept.value == value => {
                kept.agreed = kept.agreed.saturating_add(1);
                true
            }
            _ => {
                *place = Some(Self { value, agreed: 0 });
                false
            }
        }
    }
}

/// The turn at a level, given the levels at which data had come last and gone last.
fn turn_at(level: i64, received: Option<i64>, sent: Option<i64>) -> Option<Turn> {
    match (received.map(|at| level - at), sent.map(|at| level - at)) {
        (Some(0), Some(0)) => None,
        (Some(0), _) => Some(Turn::Received),
        (_, Some(0)) => Some(Turn::Sent),
        (Some(ahead), None) if ahead > 0 => Some(Turn::Sent),
        (None, Some(ahead)) if ahead < 0 => Some(Turn::Received),
        // Between both, such as in the middle of an answer, or beyond them.
        _ => None,
    }
}

/// Habit that the connections of a group have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habit {
    ratio: Option<Kept<Ratio>>,
    received: Option<Kept<i64>>,
    sent: Option<Kept<i64>>,
}

impl Habit {
    fn learn(&mut self, ratio: Option<Ratio>) {
        let Some(ratio) = ratio else {
            *self = Self::default();
            return;
        };
        if !Kept::note(&mut self.ratio, ratio) {
            (self.received, self.sent) = (None, None);
        }
    }

    fn note(&mut self, turn: Turn, counts: Counts) {
        if let Some(ratio) = self.ratio() {
            let place = if turn == Turn::Sent { &mut self.sent } else { &mut self.received };
            Kept::note(place, ratio.level(counts));
        }
    }

    fn ratio(&self) -> Option<Ratio> {
        self.ratio.filter(|kept| kept.agreed >= ALL_AGREED).map(|kept| kept.value)
    }

    /// The turn of a connection of which nothing else is known: all begin alike.
    fn turn(&self, counts: Counts) -> Option<Turn> {
        let known =
            |level: Option<Kept<i64>>| level.filter(|kept| kept.agreed >= ALL_AGREED).map(|kept| kept.value);
        turn_at(self.ratio()?.level(counts), known(self.received), known(self.sent))
    }
}

/// Rhythm of a connection, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rhythm {
    /// Counts when data had come last, at the latest look that could tell.
    received: Option<Counts>,
    /// Counts when data had gone last, at the latest look that could tell.
    sent: Option<Counts>,
    ratio: Option<Kept<Ratio>>,
}

impl Rhythm {
    /// The rhythm after another look, from which the habit of its group learns as well. Only what the clock or
    /// a missing acknowledgement tells is learned: what a rhythm decides would always agree with it.
    #[must_use]
    pub fn after(mut self, flow: &Flow, has_sent_all: bool, habit: &mut Habit) -> Self {
        let is_whole = flow.unsent_bytes.is_none_or(|bytes| bytes == 0);
        if let (Some(counts), Some(turn), true) = (flow.counts, Turn::known(flow, has_sent_all), is_whole) {
            self.learn(turn, counts, habit);
        }
        self
    }

    fn learn(&mut self, turn: Turn, counts: Counts, habit: &mut Habit) {
        habit.note(turn, counts);
        let place = if turn == Turn::Sent { &mut self.sent } else { &mut self.received };
        let Some(before) = place.replace(counts) else { return };
        let more = counts.since(before);
        if (more.data_in, more.data_out) == (0, 0) {
            return;
        }
        let ratio = Ratio::of(more);
        habit.learn(ratio);
        let is_kept = ratio.is_some_and(|ratio| Kept::note(&mut self.ratio, ratio));
        if !is_kept {
            // What the other look counted belongs to the rhythm that has ended.
            let (received, sent) = if turn == Turn::Sent { (None, self.sent) } else { (self.received, None) };
            *self = Self { received, sent, ratio: self.ratio.filter(|_| ratio.is_some()) };
        }
    }

    /// The turn at which the counts are by this rhythm or by the habit of its group; None where neither is
    /// known, or kept.
    #[must_use]
    pub fn turn(&self, counts: Counts, habit: &Habit) -> Option<Turn> {
        let own = self.ratio.filter(|kept| kept.agreed >= AGREED).map(|kept| kept.value);
        let ratio = own.or_else(|| habit.ratio())?;
        let level = |counts| ratio.level(counts);
        if self.received.is_none() && self.sent.is_none() {
            return habit.turn(counts);
        }
        turn_at(level(counts), self.received.map(level), self.sent.map(level))
    }
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a.max(1) } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(data_in: u32, data_out: u32) -> Counts {
        // Each segment that went was acknowledged by itself, so nothing else tells.
        Counts { segments_in: data_in + data_out, data_in, data_out }
    }

    fn learned(looks: &[(Turn, u32, u32)]) -> Rhythm {
        let (mut rhythm, mut habit) = (Rhythm::default(), Habit::default());
        for (turn, data_in, data_out) in looks {
            rhythm.learn(*turn, counts(*data_in, *data_out), &mut habit);
        }
        rhythm
    }

    /// The turn by a connection's own rhythm alone.
    fn turn(rhythm: &Rhythm, data_in: u32, data_out: u32) -> Option<Turn> {
        rhythm.turn(counts(data_in, data_out), &Habit::default())
    }

    #[test]
    fn a_rhythm_that_was_kept_decides_and_one_that_was_seen_once_does_not() {
        let sent = [(Turn::Sent, 9, 10), (Turn::Sent, 12, 13), (Turn::Sent, 14, 15), (Turn::Sent, 19, 20)];
        let rhythm = learned(&sent);
        assert_eq!(turn(&rhythm, 30, 31), Some(Turn::Sent));
        assert_eq!(turn(&rhythm, 31, 31), Some(Turn::Received));
        assert_eq!(turn(&rhythm, 30, 32), None, "more calls than it ever had");
        assert_eq!(turn(&learned(&sent[..3]), 30, 31), None);
        assert_eq!(turn(&Rhythm::default(), 30, 31), None);
    }

    #[test]
    fn a_rhythm_that_changes_is_forgotten() {
        let mut rhythm =
            learned(&[(Turn::Sent, 0, 1), (Turn::Sent, 1, 2), (Turn::Sent, 2, 3), (Turn::Sent, 3, 4)]);
        assert_eq!(turn(&rhythm, 9, 10), Some(Turn::Sent));
        rhythm.learn(Turn::Sent, counts(12, 10), &mut Habit::default());
        assert_eq!(turn(&rhythm, 15, 13), None);
    }

    #[test]
    fn in_the_middle_of_an_answer_of_two_segments_it_says_nothing() {
        let rhythm = learned(&[
            (Turn::Received, 2, 1),
            (Turn::Received, 4, 2),
            (Turn::Received, 8, 4),
            (Turn::Sent, 8, 5),
            (Turn::Received, 12, 6),
        ]);
        assert_eq!(turn(&rhythm, 20, 10), Some(Turn::Received));
        assert_eq!(turn(&rhythm, 20, 11), Some(Turn::Sent));
        assert_eq!(turn(&rhythm, 21, 11), None);
    }

    #[test]
    fn a_connection_that_was_hardly_used_is_told_by_the_others_of_its_group() {
        let mut habit = Habit::default();
        for connection in 0..3 {
            let mut rhythm = Rhythm::default();
            for n in 1..9 {
                // A greeting came first.
                rhythm.learn(Turn::Received, counts(connection + n + 1, connection + n), &mut habit);
            }
        }
        let fresh = Rhythm::default();
        assert_eq!(fresh.turn(counts(4, 3), &habit), Some(Turn::Received));
        assert_eq!(fresh.turn(counts(3, 3), &habit), Some(Turn::Sent));
        habit.learn(Ratio::of(counts(2, 1)));
        assert_eq!(fresh.turn(counts(4, 3), &habit), None, "they are not all alike");
    }

    proptest! {
        /// Exchanges of so many segments each way, begun anywhere in a connection's life, looked at between
        /// the speakers' turns: the clock tells at some looks, and what is decided at the others is right.
        #[test]
        fn what_a_kept_rhythm_decides_is_right(
            out in 1_u32..4, back in 1_u32..4, begin in (0_u32..9, 0_u32..9),
            looks in prop::collection::vec((1_u32..9, any::<bool>(), any::<bool>()), 1..80),
        ) {
            let mut now = counts(begin.0, begin.1);
            let (mut rhythm, mut habit) = (Rhythm::default(), Habit::default());
            let (mut is_awaiting, mut told) = (false, 0);
            for (turns, is_known, is_odd) in looks {
                for _ in 0..2 * turns - u32::from(is_odd) {
                    if is_awaiting { now.data_in += back } else { now.data_out += out }
                    is_awaiting = !is_awaiting;
                }
                let truth = if is_awaiting { Turn::Sent } else { Turn::Received };
                if is_known {
                    rhythm.learn(truth, now, &mut habit);
                    told += 1;
                    // Three stretches from look to look with the same turn are among eight looks.
                    prop_assert!(told < 8 || rhythm.turn(now, &habit) == Some(truth));
                } else {
                    let turn = rhythm.turn(now, &habit);
                    prop_assert!(turn.is_none_or(|turn| turn == truth), "{turn:?} {truth:?} {rhythm:?} {now:?}");
                }
            }
        }
    }
}
