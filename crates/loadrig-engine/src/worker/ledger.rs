//! What a worker writes down of requests: the counts of the interval that runs, who is in flight, and
//! examples of what went wrong.

use loadrig_core::exchange::Exchange;
use loadrig_core::outcome::Outcome;

use super::ending::Unsent;
use crate::live::Live;
use crate::request::RouteId;
use crate::tally::Tally;

/// Examples of failures of each route and outcome that a thread hands on, as many as are shown.
const EXAMPLES_MOST: u8 = 3;

/// The books of one thread.
pub(super) struct Ledger {
    /// Counts of the interval that runs.
    pub live: Box<Live>,
    tally: Tally,
    /// Examples handed on so far, by route and outcome.
    told: Vec<u8>,
    /// Gaps sampled in an interval at most.
    gaps_most: usize,
    /// When the last first send of an arrival was, for the sample of gaps.
    last_send_ns: Option<u64>,
}

impl Ledger {
    pub(super) fn new(routes: usize, gaps_most: usize) -> Self {
        Self {
            live: Box::new(Live::new(routes)),
            tally: Tally::default(),
            told: vec![0; routes * Outcome::COUNT],
            gaps_most,
            last_send_ns: None,
        }
    }

    /// A request was taken up.
    #[inline]
    pub(super) fn taken(&mut self, exchange: &Exchange) {
        self.live.counts.due += 1;
        self.live.lag.record(exchange.lag_ns());
        self.tally.begin(exchange.due_ns);
    }

    /// A request has ended with or without an answer.
    #[inline]
    pub(super) fn ended(
        &mut self,
        route: RouteId,
        outcome: Outcome,
        exchange: &Exchange,
        end_ns: u64,
        bytes: u64,
    ) {
        self.tally.end(exchange.due_ns, end_ns);
        self.live.ended(route, outcome, exchange, bytes);
    }

    /// A request was due while nobody made this part of the load.
    pub(super) fn missed(&mut self) {
        self.live.counts.due += 1;
        self.live.counts.unsent_missed += 1;
    }

    /// A request has ended that was never sent.
    pub(super) fn unsent(&mut self, why: Unsent, due_ns: u64, end_ns: u64) {
        self.tally.end(due_ns, end_ns);
        match why {
            Unsent::NoConnection => self.live.counts.unsent_no_connection += 1,
            Unsent::End => self.live.counts.unsent_end += 1,
        }
    }

    /// Whether another example of this route and outcome is welcome; it counts as given.
    pub(super) fn may_tell(&mut self, route: RouteId, outcome: Outcome) -> bool {
        let told = &mut self.told[route.index() * Outcome::COUNT + outcome.index()];
        let is_welcome = *told < EXAMPLES_MOST;
        *told += u8::from(is_welcome);
        is_welcome
    }

    /// The gaps between first sends of arrivals, in a run that begins with the interval.
    pub(super) fn sample_gap(&mut self, now_ns: u64) {
        if self.live.gaps_ns.len() < self.gaps_most {
            if let Some(last_ns) = self.last_send_ns {
                self.live.gaps_ns.push(now_ns.saturating_sub(last_ns));
            }
            self.last_send_ns = Some(now_ns);
        } else {
            self.last_send_ns = None;
        }
    }

    /// Requests whose answer is still to come, or that wait for a connection.
    pub(super) fn in_flight(&self) -> u64 {
        self.tally.in_flight()
    }

    /// Ends the interval: its counts, in exchange for empty ones.
    pub(super) fn cut(&mut self, now_ns: u64, fresh: Box<Live>) -> Box<Live> {
        let mut live = std::mem::replace(&mut self.live, fresh);
        live.counts.in_flight_ns = self.tally.cut(now_ns);
        self.last_send_ns = None;
        live
    }
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES_MOST, Ledger};
    use crate::live::Live;
    use crate::request::RouteId;
    use crate::worker::ending::Unsent;
    use loadrig_core::exchange::Exchange;
    use loadrig_core::outcome::Outcome;

    #[test]
    fn what_is_taken_is_in_flight_until_it_has_ended_in_whatever_way() {
        let mut ledger = Ledger::new(1, 0);
        for due_ns in [100, 200, 300] {
            ledger.taken(&Exchange::taken(due_ns, 400));
        }
        ledger.ended(RouteId::of(0), Outcome::Ok, &Exchange::taken(100, 400), 500, 1);
        ledger.unsent(Unsent::End, 200, 500);
        assert_eq!(ledger.in_flight(), 1);
        let live = ledger.cut(600, Box::new(Live::new(1)));
        assert_eq!((live.counts.due, live.counts.unsent_end), (3, 1));
        assert_eq!(live.counts.in_flight_ns, 400 + 300 + 300);
        assert_eq!(ledger.live.counts.due, 0);
    }

    #[test]
    fn a_gap_is_between_two_sends_of_one_interval_and_no_more_are_kept_than_asked_for() {
        let mut ledger = Ledger::new(1, 2);
        for now_ns in [10, 30, 60, 100] {
            ledger.sample_gap(now_ns);
        }
        assert_eq!(ledger.cut(110, Box::new(Live::new(1))).gaps_ns, [20, 30]);
        ledger.sample_gap(120);
        assert!(ledger.live.gaps_ns.is_empty());
    }

    #[test]
    fn of_each_route_and_outcome_so_many_examples_are_told_and_no_more() {
        let mut ledger = Ledger::new(2, 0);
        let welcome = |ledger: &mut Ledger, route| {
            (0..10).filter(|_| ledger.may_tell(RouteId::of(route), Outcome::Timeout)).count()
        };
        assert_eq!(welcome(&mut ledger, 0), usize::from(EXAMPLES_MOST));
        assert_eq!(welcome(&mut ledger, 1), usize::from(EXAMPLES_MOST));
    }
}
