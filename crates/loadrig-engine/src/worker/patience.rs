//! Time for which nothing happens by itself, and how the waiting ends in time.

use loadrig_core::clock::{Clock as _, Monotonic};

use super::{State, Worker};
use crate::poll::Event;
use crate::timers::NEVER;

/// Time before a request is due a thread that has a processor of its own is awake.
///
/// A sleeping processor takes its time to wake, 30 to 70 µs on the virtual machines that we know, and
/// every request would be as late. Who is woken early looks at the sockets until the time has come:
/// what the waking takes is not burnt, only what is left of this.
const LEAD_NS: u64 = 50_000;

/// Time that one look at the sockets takes at most, usually a third of a microsecond. One that took
/// longer was interrupted by somebody else, and was not processor time of ours.
const LOOK_MOST_NS: u64 = 10_000;

impl Worker {
    /// Time before a request is due from which on to be awake. Only a processor that was given to us by name
    /// (`cpus`) may be burnt: on another one somebody else may want the time, the server above all.
    pub(super) fn lead_ns(cpus: &[usize]) -> u64 {
        if cpus.is_empty() { 0 } else { LEAD_NS }
    }

    /// Waits until something happens or is due. What happened is appended.
    pub(super) fn await_events(&mut self, events: &mut Vec<Event>) {
        let now_ns = Monotonic.now_ns();
        let (due_ns, else_ns) = self.next_ns();
        let awake_ns = due_ns.saturating_sub(self.settings.lead_ns).min(else_ns);
        if let Err(error) = self.poll.wait(awake_ns.saturating_sub(now_ns), events) {
            // It fails only for arguments that are wrong, which would be our own fault.
            panic!("waiting for sockets: {error}");
        }
        if events.is_empty() && awake_ns <= now_ns && now_ns < due_ns.min(else_ns) {
            let looked_ns = Monotonic.now_ns().saturating_sub(now_ns);
            if looked_ns <= LOOK_MOST_NS {
                self.reporter.witness.was_free(looked_ns);
            }
        }
    }

    /// Instant at which the next request is due, as far as that is known, and of the next other thing to do.
    fn next_ns(&self) -> (u64, u64) {
        if !self.soon.is_empty() || !self.unread.is_empty() {
            return (0, 0);
        }
        let start_ns = self.settings.start_ns;
        let mut due_ns = self.wakes.next_ns();
        let else_ns = self.timeouts.next_ns().min(self.backlog.next_ns()).min(self.next_cut_ns());
        let end_ns = match self.state {
            State::Running => {
                let arrival_ns = self.model.next_ns().map_or(NEVER, |at_ns| start_ns.saturating_add(at_ns));
                due_ns = due_ns.min(arrival_ns);
                self.stop.at_ns
            }
            State::Draining { until_ns, .. } => until_ns,
        };
        (due_ns, else_ns.min(end_ns))
    }
}
