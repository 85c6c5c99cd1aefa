//! A level over time, made of straight pieces, and its integral.

/// A level (users, or arrivals a second) over time: linear between its points, a step where two
/// times are equal, and held after the last. Before the first point its level holds too.
///
/// Times in seconds from the start, levels not negative.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    knots: Vec<Knot>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Knot {
    t_s: f64,
    level: f64,
    /// The integral of the level from 0 to here.
    area: f64,
}

impl Line {
    /// The line through these points, whose times must not decrease.
    ///
    /// # Panics
    /// If there is no point.
    #[must_use]
    pub fn new(points: &[(f64, f64)]) -> Self {
        let &(_, first_level) = points.first().expect("a line needs at least one point");
        let mut knots: Vec<Knot> = vec![Knot { t_s: 0.0, level: first_level, area: 0.0 }];
        for &(t_s, level) in points {
            let last = knots[knots.len() - 1];
            let area = last.area + (t_s - last.t_s) * f64::midpoint(level, last.level);
            knots.push(Knot { t_s, level, area });
        }
        Self { knots }
    }

    /// A level that never changes.
    #[must_use]
    pub fn level(level: f64) -> Self {
        Self::new(&[(0.0, level)])
    }

    /// The level at this time; at a step, the one after it.
    #[must_use]
    pub fn at(&self, t_s: f64) -> f64 {
        let place = self.knots.partition_point(|knot| knot.t_s <= t_s).max(1);
        let from = self.knots[place - 1];
        match self.knots.get(place) {
            Some(to) => from.level + slope(from, *to) * (t_s - from.t_s).max(0.0),
            None => from.level,
        }
    }

    /// The same line up to this time, and from then on this level.
    ///
    /// The line before this time keeps its integral, so that arrivals that are due already stay due.
    #[must_use]
    pub fn turned(&self, t_s: f64, level: f64) -> Self {
        let t_s = t_s.max(0.0);
        let mut points: Vec<(f64, f64)> =
            self.knots.iter().filter(|knot| knot.t_s <= t_s).map(|knot| (knot.t_s, knot.level)).collect();
        points.extend([(t_s, self.at(t_s)), (t_s, level)]);
        Self::new(&points)
    }

    /// The highest level.
    #[must_use]
    pub fn highest(&self) -> f64 {
        self.knots.iter().map(|knot| knot.level).fold(0.0, f64::max)
    }

    /// The integral of the level from 0 to this time: how many arrivals are due by then.
    #[must_use]
    pub fn integral(&self, t_s: f64) -> f64 {
        let place = self.knots.partition_point(|knot| knot.t_s <= t_s).max(1);
        let from = self.knots[place - 1];
        let dt = (t_s - from.t_s).max(0.0);
        let slope = self.knots.get(place).map_or(0.0, |to| slope(from, *to));
        from.area + dt * (from.level + slope * dt / 2.0)
    }

    /// The time at which the integral grows past `area`; none if it never does.
    ///
    /// In a time of level 0 the result is the end of that time: 10 arrivals a second for a
    /// second, then a pause, are the arrivals 0 to 9; number 10 comes after the pause.
    #[inline]
    #[must_use]
    pub fn inverse(&self, area: f64) -> Option<f64> {
        let place = self.knots.partition_point(|knot| knot.area <= area).max(1);
        let from = self.knots[place - 1];
        let missing = area - from.area;
        if let Some(to) = self.knots.get(place) {
            // The root of level·x + slope·x²/2 = missing, in the form that does not subtract
            // two numbers that are nearly equal.
            let slope = slope(from, *to);
            let root = (from.level * from.level + 2.0 * slope * missing).max(0.0).sqrt();
            let x = if missing > 0.0 { 2.0 * missing / (from.level + root) } else { 0.0 };
            return Some((from.t_s + x).min(to.t_s));
        }
        (from.level > 0.0).then(|| from.t_s + missing / from.level)
    }

    /// The times at which the line may bend or step, increasing.
    pub(super) fn bends(&self) -> impl Iterator<Item = f64> + '_ {
        self.knots.iter().map(|knot| knot.t_s)
    }

    /// Rise per second right after this time.
    pub(super) fn slope_at(&self, t_s: f64) -> f64 {
        let place = self.knots.partition_point(|knot| knot.t_s <= t_s).max(1);
        self.knots.get(place).map_or(0.0, |to| slope(self.knots[place - 1], *to))
    }
}

fn slope(from: Knot, to: Knot) -> f64 {
    if to.t_s > from.t_s { (to.level - from.level) / (to.t_s - from.t_s) } else { 0.0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::Line;
    use proptest::prelude::*;

    /// Lines of up to six points, with steps and pauses.
    pub(in super::super) fn lines(highest: f64) -> impl Strategy<Value = Line> {
        let length = prop_oneof![Just(0.0), 0.01..20.0_f64];
        let level = prop_oneof![Just(0.0), 0.0..highest];
        prop::collection::vec((length, level), 1..6).prop_map(|pieces| {
            let mut t_s = 0.0;
            let points: Vec<(f64, f64)> = pieces
                .into_iter()
                .map(|(length, level)| {
                    t_s += length;
                    (t_s, level)
                })
                .collect();
            Line::new(&points)
        })
    }

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-6 * (1.0 + left.abs().max(right.abs()))
    }

    #[test]
    fn a_step_holds_its_new_level_from_its_very_time() {
        let line = Line::new(&[(0.0, 50.0), (3.0, 50.0), (3.0, 70.0)]);
        assert!(close(line.at(2.999), 50.0));
        assert!(close(line.at(3.0), 70.0));
        assert!(close(line.at(1e9), 70.0));
    }

    #[test]
    fn a_ramp_is_half_of_its_rectangle() {
        let line = Line::new(&[(0.0, 0.0), (10.0, 100.0)]);
        assert!(close(line.integral(10.0), 500.0));
        assert!(close(line.at(2.5), 25.0));
        assert!(close(line.inverse(125.0).unwrap_or(0.0), 5.0));
    }

    #[test]
    fn the_arrival_after_a_pause_comes_after_the_pause() {
        let line = Line::new(&[(0.0, 10.0), (1.0, 10.0), (1.0, 0.0), (5.0, 0.0), (5.0, 10.0)]);
        assert!(close(line.inverse(9.0).unwrap_or(0.0), 0.9));
        assert!(close(line.inverse(10.0).unwrap_or(0.0), 5.0));
    }

    #[test]
    fn nothing_arrives_where_the_level_stays_at_zero() {
        assert_eq!(Line::level(0.0).inverse(0.0), None);
        assert_eq!(Line::new(&[(0.0, 4.0), (1.0, 0.0)]).inverse(2.0), None);
    }

    proptest! {
        #[test]
        fn a_turn_leaves_what_is_behind_it_and_holds_its_level(
            line in lines(1000.0), t_s in 0.0..100.0_f64, level in 0.0..1000.0_f64, share in 0.0..1.0_f64,
        ) {
            let turned = line.turned(t_s, level);
            let (behind, ahead) = (t_s * share, t_s + 100.0 * share);
            prop_assert!(close(turned.integral(behind), line.integral(behind)));
            prop_assert!(close(turned.at(ahead), level));
            prop_assert!(close(turned.integral(ahead), line.integral(t_s) + level * (ahead - t_s)));
        }

        #[test]
        fn integral_and_inverse_agree(line in lines(1000.0), share in 0.0..1.0_f64) {
            let area = line.integral(150.0) * share;
            if let Some(t_s) = line.inverse(area) {
                prop_assert!(close(line.integral(t_s), area), "{area} at {t_s}");
            }
        }

        #[test]
        fn the_integral_never_falls(line in lines(1000.0), a in 0.0..150.0_f64, b in 0.0..150.0_f64) {
            prop_assert!(line.integral(a.min(b)) <= line.integral(a.max(b)) + 1e-9);
        }

        #[test]
        fn the_level_is_the_slope_of_the_integral(line in lines(100.0), t_s in 0.0..150.0_f64) {
            let dt = 1e-4;
            let bends = line.bends().any(|bend| (bend - t_s).abs() <= 2.0 * dt);
            let rise = (line.integral(t_s + dt) - line.integral(t_s - dt)) / (2.0 * dt);
            prop_assert!(bends || t_s < dt || (rise - line.at(t_s)).abs() < 1e-2);
        }
    }
}
