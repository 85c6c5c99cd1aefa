//! Steps that a user's cache answers: no request is made, and none is counted.

use loadrig_core::exchange::Exchange;
use loadrig_core::outcome::Outcome;

use super::Worker;
use crate::request::RouteId;

/// Pause after a loop of which the cache has answered every step: a user without pauses would keep the generator
/// busy with nothing. Browsers need about as long to find an answer in their cache.
pub(super) const NOTHING_ASKED_NS: u64 = 1_000_000;

impl Worker {
    /// Whether the visitor's cache has answered the step that is due. Else its request is ready to go out.
    pub(super) fn is_answered_by_cache(&mut self, id: u32, route: RouteId) -> bool {
        let visitor = &mut self.visitors[id];
        visitor.hop.clear();
        visitor.is_ahead = true;
        let user = &mut self.people[visitor.person].user;
        if !self.book.look_up(user, &mut visitor.walk, route, &mut visitor.hop) {
            return false;
        }
        let due_ns = visitor.due_ns;
        visitor.route = Some(route);
        visitor.exchange = Exchange::taken(due_ns, self.now_ns);
        visitor.exchange.end_ns = Some(self.now_ns);
        self.ledger.live.counts.from_cache += 1;
        self.bring_others(id, due_ns);
        self.go_on_after(id, route, Outcome::Ok);
        true
    }
}
