//! Number of users of a load, for those feeds that give each a value of its own.

use crate::config::{Arrivals, Point};

/// Largest number of users, so that each can have a value of its own. Of random sessions it
/// is the expected number: should more come, the last ones share values with the first.
///
/// `level_most`: what the load may be told to have beyond its own line.
pub(super) fn users_at_most(arrivals: &Arrivals, level_most: Option<f64>, after_s: f64) -> u64 {
    let told = level_most.unwrap_or(0.0);
    match arrivals {
        Arrivals::Users { line, .. } => whole(line.iter().map(|point| point.level).fold(told, f64::max)),
        Arrivals::Rate { identities, .. } => *identities,
        Arrivals::Sessions { line, .. } => whole(area(line, after_s).max(told * after_s)),
        Arrivals::Replay { .. } => 1,
    }
}

/// Rounded down; levels and areas are not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn whole(number: f64) -> u64 {
    number as u64
}

/// Area under a line from 0 to `end`.
fn area(line: &[Point], end: f64) -> f64 {
    let Some(last) = line.last() else {
        return 0.0;
    };
    let before = line[0].t_s.min(end) * line[0].level;
    let held = (end - last.t_s).max(0.0) * last.level;
    let pieces = line.windows(2).map(|pair| {
        let length = pair[1].t_s.min(end) - pair[0].t_s.min(end);
        let whole = pair[1].t_s - pair[0].t_s;
        if length <= 0.0 {
            return 0.0;
        }
        let level_at_end = pair[0].level + (pair[1].level - pair[0].level) * length / whole;
        length * f64::midpoint(pair[0].level, level_at_end)
    });
    before + pieces.sum::<f64>() + held
}

#[cfg(test)]
mod tests {
    use super::users_at_most;
    use crate::config::{Arrivals, Point, Spacing};

    fn line(points: &[(f64, f64)]) -> Vec<Point> {
        points.iter().map(|point| Point::from(*point)).collect()
    }

    #[test]
    fn users_are_counted_at_their_most() {
        let users = |points| Arrivals::Users { line: line(points), loops: None };
        assert_eq!(users_at_most(&users(&[(0.0, 2.0), (5.0, 9.9), (6.0, 3.0)]), None, 60.0), 9);
        assert_eq!(users_at_most(&users(&[(0.0, 2.0)]), Some(40.0), 60.0), 40);
    }

    #[test]
    fn an_open_load_has_its_identities() {
        let rate = Arrivals::Rate { line: line(&[(0.0, 500.0)]), spacing: Spacing::Poisson, identities: 7 };
        assert_eq!(users_at_most(&rate, Some(900.0), 60.0), 7);
        assert_eq!(
            users_at_most(&Arrivals::Replay { times_s: vec![0.0; 50], scenarios: None }, None, 60.0),
            1
        );
    }

    #[test]
    fn sessions_are_the_area_under_their_line() {
        let sessions = |points: &[(f64, f64)], end| {
            let arrivals = Arrivals::Sessions {
                line: line(points),
                spacing: Spacing::Constant,
                loops: Some(1),
                stay: None,
            };
            users_at_most(&arrivals, None, end)
        };
        // From 0 to 10 a second in 2 s, then held.
        let ramp = [(0.0, 0.0), (2.0, 10.0)];
        assert_eq!(sessions(&ramp, 5.0), 40);
        // Halfway up the ramp it has 5 a second.
        assert_eq!(sessions(&ramp, 1.0), 2);
        // A step from 10 to 1 at 3 s; the first level holds before the first point.
        assert_eq!(sessions(&[(1.0, 10.0), (3.0, 10.0), (3.0, 1.0)], 5.0), 32);
    }
}
