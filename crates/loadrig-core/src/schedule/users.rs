//! Number of users over time, in the closed model.

use super::{Line, Shard};
use crate::units::{ns_from_s, s_from_ns};

/// A level this near below a whole number counts as that number: a ramp that ends at 50 has 50
/// users at its end, whatever the last bit of the division says.
const NEARLY: f64 = 1e-9;

/// The users of one shard along a line of users, rounded down. User i is there while the line is
/// at i + 1 or above; users are shared out to the shards by number.
#[derive(Debug, Clone)]
pub struct Users {
    line: Line,
    shard: Shard,
}

impl Users {
    /// The users of `shard`; `line` is the whole load's.
    #[must_use]
    pub fn new(line: Line, shard: Shard) -> Self {
        Self { line, shard }
    }

    /// From this time on there are so many users.
    pub fn turn(&mut self, t_s: f64, level: f64) {
        self.line = self.line.turned(t_s, level);
    }

    /// Number of users that this shard has at this time; they are its numbers 0 up to that.
    #[must_use]
    pub fn at(&self, t_ns: u64) -> u64 {
        self.shard.share(self.all_at(t_ns))
    }

    /// Largest number of users that this shard has.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.shard.share(whole(self.line.highest()))
    }

    /// The first instant after this one at which the number of users of the whole load is
    /// another; none if it stays as it is.
    #[must_use]
    pub fn next_change_ns(&self, after_ns: u64) -> Option<u64> {
        let now = self.all_at(after_ns);
        let mut from_s = s_from_ns(after_ns);
        let bends: Vec<f64> = self.line.bends().filter(|bend| *bend > from_s).collect();
        for bend_s in bends {
            let bend_ns = not_before_s(bend_s).max(after_ns + 1);
            if let Some(crossing_ns) = self.crossing_ns(from_s, now) {
                // The formula may be off by the last bits; walk on until the number has changed.
                let mut candidate = crossing_ns.max(after_ns + 1);
                let mut step = 1;
                while candidate < bend_ns {
                    if self.all_at(candidate) != now {
                        return Some(candidate);
                    }
                    candidate += step;
                    step *= 2;
                }
            }
            if self.all_at(bend_ns) != now {
                return Some(bend_ns);
            }
            from_s = bend_s;
        }
        None
    }

    /// Instant at which the straight piece that begins at `from_s` would leave the levels that count as `now`
    /// users.
    fn crossing_ns(&self, from_s: f64, now: u64) -> Option<u64> {
        let slope = self.line.slope_at(from_s);
        let edge = if slope > 0.0 { now as f64 + 1.0 } else { now as f64 } - NEARLY;
        (slope != 0.0).then(|| ns_from_s(from_s + (edge - self.line.at(from_s)) / slope))
    }

    fn all_at(&self, t_ns: u64) -> u64 {
        whole(self.line.at(s_from_ns(t_ns)))
    }
}

/// The first nanosecond that is not before this time.
fn not_before_s(t_s: f64) -> u64 {
    let nearest = ns_from_s(t_s);
    if s_from_ns(nearest) < t_s { nearest + 1 } else { nearest }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a level is not negative, and a cast from float to integer saturates"
)]
fn whole(level: f64) -> u64 {
    (level + NEARLY) as u64
}

#[cfg(test)]
mod tests {
    use super::super::line::tests::lines;
    use super::Users;
    use crate::schedule::{Line, Shard};
    use crate::units::ns_from_s;
    use proptest::prelude::*;

    fn changes(users: &Users) -> Vec<(u64, u64)> {
        let mut now = 0;
        let mut seen = vec![(0, users.at(0))];
        while let Some(next) = users.next_change_ns(now) {
            seen.push((next, users.at(next)));
            now = next;
        }
        seen
    }

    #[test]
    fn a_flat_line_has_its_users_at_once_and_never_changes() {
        let users = Users::new(Line::level(64.0), Shard::whole());
        assert_eq!(changes(&users), [(0, 64)]);
    }

    #[test]
    fn steps_of_twenty_come_at_their_times() {
        let users = Users::new(
            Line::new(&[(0.0, 50.0), (180.0, 50.0), (180.0, 70.0), (360.0, 70.0), (360.0, 90.0)]),
            Shard::whole(),
        );
        let expected = [(0, 50), (ns_from_s(180.0), 70), (ns_from_s(360.0), 90)];
        assert_eq!(changes(&users), expected);
    }

    #[test]
    fn a_ramp_up_and_down_meets_every_number_once_each_way() {
        let users = Users::new(Line::new(&[(0.0, 0.0), (1.0, 10.0), (4.0, 0.0)]), Shard::whole());
        let numbers: Vec<u64> = changes(&users).into_iter().map(|(_, count)| count).collect();
        let expected: Vec<u64> = (0..=10).chain((0..10).rev()).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn user_i_comes_when_the_line_reaches_i_plus_one() {
        let users = Users::new(Line::new(&[(0.0, 0.0), (10.0, 100.0)]), Shard::whole());
        for (count, (t_ns, seen)) in changes(&users).into_iter().enumerate() {
            assert_eq!(seen, count as u64);
            assert!(t_ns.abs_diff(count as u64 * 100_000_000) <= 2, "user {count} at {t_ns}");
        }
    }

    #[test]
    fn a_turn_is_one_more_change() {
        let mut users = Users::new(Line::level(3.0), Shard::whole());
        users.turn(2.0, 7.0);
        assert_eq!(changes(&users), [(0, 3), (ns_from_s(2.0), 7)]);
    }

    proptest! {
        #[test]
        fn no_change_is_missed(line in lines(30.0), t_s in 0.0..100.0_f64) {
            let users = Users::new(line, Shard::whole());
            let t_ns = ns_from_s(t_s);
            let (_, count) = changes(&users)
                .into_iter()
                .rfind(|(from_ns, _)| *from_ns <= t_ns)
                .expect("the first is at 0");
            prop_assert_eq!(count, users.at(t_ns));
        }

        #[test]
        fn the_shards_together_have_all_users(line in lines(30.0), t_s in 0.0..100.0_f64, of in 1_u32..5) {
            let t_ns = ns_from_s(t_s);
            let parts: u64 = (0..of)
                .map(|index| Users::new(line.clone(), Shard::new(index, of)).at(t_ns))
                .sum();
            prop_assert_eq!(parts, Users::new(line, Shard::whole()).at(t_ns));
        }
    }
}
