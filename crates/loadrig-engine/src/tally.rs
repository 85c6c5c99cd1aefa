//! Number of requests in flight, and the integral of that over time.

/// Requests in flight from when they were due to their end, and the area under their number.
///
/// The area is the sum of the response times so far, of those that have ended and of those that
/// are under way. So Little's law holds for it exactly, whatever the times between two looks.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    in_flight: u64,
    /// Sum of (end - due) of all that have ended.
    ended_ns: u128,
    /// Sum of due of all that are in flight.
    due_ns: u128,
    /// The area at the last cut.
    cut_ns: u128,
}

impl Tally {
    /// A request was taken up.
    #[inline]
    pub(crate) fn begin(&mut self, due_ns: u64) {
        self.in_flight += 1;
        self.due_ns += u128::from(due_ns);
    }

    /// A request has ended, in whatever way.
    #[inline]
    pub(crate) fn end(&mut self, due_ns: u64, end_ns: u64) {
        self.in_flight -= 1;
        self.due_ns -= u128::from(due_ns);
        self.ended_ns += u128::from(end_ns.saturating_sub(due_ns));
    }

    /// Requests in flight now.
    #[inline]
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// The area since the last cut, in request-nanoseconds.
    pub(crate) fn cut(&mut self, now_ns: u64) -> u128 {
        let under_way = (u128::from(self.in_flight) * u128::from(now_ns)).saturating_sub(self.due_ns);
        let area = self.ended_ns + under_way;
        let since = area.saturating_sub(self.cut_ns);
        self.cut_ns = area;
        since
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use proptest::prelude::*;

    #[test]
    fn one_request_of_a_second_is_one_request_second_however_it_is_cut() {
        let mut tally = Tally::default();
        tally.begin(1_000);
        assert_eq!(tally.cut(1_300), 300);
        assert_eq!(tally.cut(1_900), 600);
        tally.end(1_000, 2_000);
        assert_eq!(tally.cut(5_000), 100);
        assert_eq!(tally.in_flight(), 0);
    }

    proptest! {
        #[test]
        fn the_area_is_the_sum_of_the_response_times(
            spans in prop::collection::vec((0_u64..1000, 0_u64..1000), 0..30), cuts in prop::collection::vec(0_u64..2500, 0..10),
        ) {
            // Begin and end in order of time, with cuts between them.
            let mut acts: Vec<(u64, u8, u64)> = Vec::new();
            for (due, length) in &spans {
                acts.push((*due, 0, *due));
                acts.push((due + length, 1, *due));
            }
            acts.extend(cuts.iter().map(|at| (*at, 2, 0)));
            acts.sort_unstable();
            let mut tally = Tally::default();
            let mut area = 0;
            for (at, act, due) in acts {
                match act {
                    0 => tally.begin(due),
                    1 => tally.end(due, at),
                    _ => area += tally.cut(at),
                }
            }
            area += tally.cut(3000);
            prop_assert_eq!(area, spans.iter().map(|(_, length)| u128::from(*length)).sum::<u128>());
        }
    }
}
