//! Requests of a user that are due at once: one visitor, the leader, goes on with the scenario, and each
//! of the others makes one step and leaves. The leader goes on when all of them have ended.

use super::Worker;
use super::visitor::{Phase, Visitor};

impl Worker {
    /// Lets others make the steps that are due at once with the one that the visitor has taken up.
    pub(super) fn bring_others(&mut self, id: u32, due_ns: u64) {
        let person = self.visitors[id].person;
        while let Some(walk) = self.book.beside(&mut self.people[person].user, &mut self.visitors[id].walk) {
            self.visitors[id].beside += 1;
            let other = self.visitors.take(Visitor::default);
            let visitor = &mut self.visitors[other];
            visitor.come(person, due_ns, 1);
            visitor.walk = walk;
            visitor.leader = id;
            // The gap before it is none between arrivals.
            visitor.is_new = false;
            self.soon.push_back(other);
        }
    }

    /// A visitor that made a step at once with its leader's has left: the leader goes on after the last.
    pub(super) fn released(&mut self, leader: u32, end_ns: Option<u64>, pause_ns: u64) {
        let visitor = &mut self.visitors[leader];
        visitor.beside -= 1;
        if visitor.phase != Phase::AwaitingBeside {
            return;
        }
        visitor.exchange.end_ns = visitor.exchange.end_ns.max(end_ns);
        visitor.pause_ns = visitor.pause_ns.max(pause_ns);
        if visitor.beside > 0 {
            return;
        }
        visitor.phase = Phase::Resting;
        if let Some(route) = self.book.latest(&visitor.walk) {
            self.proceed(leader, route);
        }
    }
}
