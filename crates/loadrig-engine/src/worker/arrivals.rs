//! Coming and going of visitors, by the arrival model.

use super::model::{Closed, Model, Slot};
use super::visitor::{Person, Phase, Visitor};
use super::{ARRIVALS_MOST, State, Why, Worker};
use crate::slab::NONE;

impl Worker {
    /// Lets in everybody who is due by now.
    pub(super) fn welcome(&mut self) {
        if self.state != State::Running {
            return;
        }
        if let Model::Closed(_) = self.model {
            self.follow_the_line();
            return;
        }
        let start_ns = self.settings.start_ns;
        for _ in 0..ARRIVALS_MOST {
            let Some(coming) = self.model.coming() else { return };
            let Some(due_ns) = coming.next_ns().map(|at_ns| start_ns.saturating_add(at_ns)) else {
                return;
            };
            if due_ns > self.now_ns || due_ns >= self.stop.at_ns || self.stop.is_used_up() {
                return;
            }
            let Some(arrival) = coming.take() else { return };
            self.arrive(arrival.n, due_ns);
            self.tick();
        }
    }

    /// Goes on where another generator was lost: what it made is left out, what nobody made until now is missed.
    pub(super) fn take_over(&mut self) {
        let Some(resume_ns) = self.settings.resume_ns else { return };
        let (start_ns, end_ns) = (self.settings.start_ns, self.stop.at_ns);
        self.reporter.skip_to(self.now_ns.saturating_sub(start_ns) / self.settings.frame_ns);
        let Some(coming) = self.model.coming() else { return };
        while let Some(at_ns) = coming.next_ns() {
            let due_ns = start_ns.saturating_add(at_ns);
            if due_ns > self.now_ns || due_ns >= end_ns {
                return;
            }
            coming.take();
            if at_ns >= resume_ns {
                self.ledger.missed();
            }
        }
    }

    fn arrive(&mut self, n: u64, due_ns: u64) {
        let (person, loops) = match &mut self.model {
            Model::Closed(_) => return,
            Model::Sessions(sessions) => {
                sessions.here += 1;
                let loops = sessions.stays.draw();
                (self.new_person(n), loops)
            }
            Model::Open(open) => {
                let (identity, known) = open.person(n);
                let known = *known;
                let person = if known == NONE { self.new_person(identity) } else { known };
                if let Model::Open(open) = &mut self.model {
                    *open.person(n).1 = person;
                }
                (person, 1)
            }
        };
        if self.put_off(person, n, due_ns) {
            return;
        }
        let id = self.come(person, n, due_ns, loops);
        self.begin(id);
    }

    /// Makes the users of the closed model as many as the line says now.
    fn follow_the_line(&mut self) {
        let start_ns = self.settings.start_ns;
        while let Model::Closed(closed) = &mut self.model
            && let Some(change_ns) = closed.change_ns
            && start_ns.saturating_add(change_ns) <= self.now_ns
        {
            closed.change_ns = closed.users.next_change_ns(change_ns);
            let wanted = usize::try_from(closed.users.at(change_ns)).unwrap_or(usize::MAX);
            self.have_users(wanted, start_ns + change_ns);
        }
    }

    fn have_users(&mut self, wanted: usize, at_ns: u64) {
        let Model::Closed(closed) = &mut self.model else { return };
        if closed.slots.len() < wanted {
            closed.slots.resize(wanted, Slot::Away);
        }
        for place in 0..closed.slots.len() {
            let Model::Closed(Closed { slots, shard, loops, here, .. }) = &mut self.model else { return };
            match (slots[place], place < wanted) {
                (Slot::Away, true) => {
                    *here += 1;
                    let (number, loops) = (shard.number(place as u64), *loops);
                    let person = self.new_person(number);
                    let id = self.come(person, number, at_ns, loops);
                    self.visitors[id].place = place;
                    if let Model::Closed(closed) = &mut self.model {
                        closed.slots[place] = Slot::Here(id);
                    }
                    self.soon.push_back(id);
                }
                (Slot::Here(id), true) => self.visitors[id].is_leaving = false,
                (Slot::Here(id), false) => {
                    let visitor = &mut self.visitors[id];
                    visitor.is_leaving = true;
                    if matches!(visitor.phase, Phase::Resting | Phase::AwaitingLogin) {
                        self.leave(id);
                    }
                }
                (Slot::Away, false) | (Slot::Done, _) => {}
            }
        }
    }

    fn new_person(&mut self, index: u64) -> u32 {
        let user = self.book.new_user(index);
        let mut fresh = Some(user);
        let person =
            self.people.take(|| Person { user: fresh.take().expect("it is made once"), waiting: Vec::new() });
        if let Some(user) = fresh {
            self.people[person].user = user;
        }
        person
    }

    /// A new visitor. `n`: number of the arrival, the session or the user, over all shards.
    pub(super) fn come(&mut self, person: u32, n: u64, arrived_ns: u64, loops: u64) -> u32 {
        let id = self.visitors.take(Visitor::default);
        let visitor = &mut self.visitors[id];
        visitor.come(person, arrived_ns, loops);
        self.book.come(&mut self.people[person].user, &mut visitor.walk, n);
        id
    }

    /// A visitor has made all its loops.
    pub(super) fn finished(&mut self, id: u32) {
        let visitor = &self.visitors[id];
        match &mut self.model {
            Model::Open(_) => {}
            Model::Sessions(_) => {
                let end_ns = visitor.exchange.end_ns.unwrap_or(visitor.arrived_ns);
                self.ledger.live.session.record(end_ns.saturating_sub(visitor.arrived_ns));
            }
            Model::Closed(closed) => closed.slots[visitor.place] = Slot::Done,
        }
        self.leave(id);
    }

    /// A visitor goes; it has no request under way.
    pub(super) fn leave(&mut self, id: u32) {
        let visitor = &mut self.visitors[id];
        let (person, place, leader) = (visitor.person, visitor.place, visitor.leader);
        let (end_ns, pause_ns) = (visitor.exchange.end_ns, visitor.pause_ns);
        let was_waiting = visitor.phase == Phase::AwaitingLogin;
        visitor.phase = Phase::Gone;
        self.wakes.clear(id);
        self.timeouts.clear(id);
        if was_waiting {
            self.people[person].waiting.retain(|other| *other != id);
        }
        while let Some(connection) = self.visitors[id].take_connection() {
            self.close(connection);
        }
        match &mut self.model {
            _ if leader != NONE => {}
            Model::Open(_) => {}
            Model::Sessions(sessions) => {
                sessions.here -= 1;
                self.people.give_back(person);
            }
            Model::Closed(closed) => {
                closed.here -= 1;
                if closed.slots[place] != Slot::Done {
                    closed.slots[place] = Slot::Away;
                }
                self.people.give_back(person);
            }
        }
        self.visitors.give_back(id);
        if leader != NONE {
            self.released(leader, end_ns, pause_ns);
        }
    }

    /// Ends arrivals at the time limit, at the limit of requests, or when nobody can come.
    pub(super) fn end_arrivals_if_due(&mut self) {
        if self.state != State::Running {
            return;
        }
        let start_ns = self.settings.start_ns;
        if self.stop.is_used_up() {
            self.drain(Why::Requests);
        } else if self.now_ns >= self.stop.at_ns {
            // Arrivals that are late by our own fault are still taken up.
            let next_ns = self.model.coming().and_then(|coming| coming.next_ns());
            let is_late = next_ns.is_some_and(|at_ns| start_ns.saturating_add(at_ns) < self.stop.at_ns);
            if !is_late {
                self.drain(Why::Time);
            }
        } else if self.visitors.len() == 0
            && self.backlog.len() == 0
            && let Some(why) = self.nobody_can_come()
        {
            self.drain(why);
        }
    }

    fn nobody_can_come(&self) -> Option<Why> {
        match &self.model {
            Model::Closed(closed) => {
                if closed.change_ns.is_some() {
                    return None;
                }
                let is_done = closed.slots.contains(&Slot::Done);
                Some(if is_done { Why::Loops } else { Why::AllUsersDone })
            }
            Model::Open(open) => (open.is_list && open.coming.next_ns().is_none()).then_some(Why::ListDone),
            Model::Sessions(_) => None,
        }
    }
}
