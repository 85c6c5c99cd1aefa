//! A request and what came back, as instants on the monotonic clock.
//!
//! ```text
//!    due ─── taken ─── ready ─── sent ─── first byte ─── last byte
//!     └─ lag ──┘        │         └──────── service ─────────┘
//!              └─ wait ─┘
//!     └───────────────────── response ───────────────────────┘
//! ```
//!
//! Response counts from when the request was due, not from when it could be sent. Requests that
//! queue behind a stall would otherwise each report only their own short service time, and the
//! stall, the thing we came to see, would vanish from the tail.

/// The instants of one request, in ns. Made when the request is taken up, filled in by the
/// connection that carries it. A redirect that is followed stays in the same exchange: sent is
/// the first hop's, the last byte is the last hop's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exchange {
    /// Instant at which the schedule wanted it.
    pub due_ns: u64,
    /// Instant at which the loop took it up; later than due by our own fault only.
    pub taken_ns: u64,
    /// Instant at which it had a connection that was ready to carry it.
    pub ready_ns: Option<u64>,
    /// Instant at which its first byte was written.
    pub sent_ns: Option<u64>,
    /// Instant at which the answer's first byte was read.
    pub first_byte_ns: Option<u64>,
    /// Instant at which it was over: the answer's last byte was read, or it had failed.
    pub end_ns: Option<u64>,
}

impl Exchange {
    /// A request that is taken up. One that is taken up early counts as taken when it was due.
    #[must_use]
    pub fn taken(due_ns: u64, now_ns: u64) -> Self {
        Self { due_ns, taken_ns: now_ns.max(due_ns), ..Self::default() }
    }

    /// From due to taken up: the generator's own lateness.
    #[must_use]
    pub fn lag_ns(&self) -> u64 {
        self.taken_ns.saturating_sub(self.due_ns)
    }

    /// From taken up to a connection being ready: the server's or the pool's part.
    #[must_use]
    pub fn wait_ns(&self) -> Option<u64> {
        Some(self.ready_ns?.saturating_sub(self.taken_ns))
    }

    /// From due to the end: what a user of the server would have felt.
    #[must_use]
    pub fn response_ns(&self) -> Option<u64> {
        Some(self.end_ns?.saturating_sub(self.due_ns))
    }

    /// From the first byte written to the end; none if nothing was sent.
    #[must_use]
    pub fn service_ns(&self) -> Option<u64> {
        Some(self.end_ns?.saturating_sub(self.sent_ns?))
    }
}

#[cfg(test)]
mod tests {
    use super::Exchange;
    use proptest::prelude::*;

    #[test]
    fn what_was_not_sent_has_no_service_time() {
        let refused = Exchange { end_ns: Some(9), ..Exchange::taken(3, 4) };
        assert_eq!(refused.response_ns(), Some(6));
        assert_eq!(refused.service_ns(), None);
        assert_eq!(refused.wait_ns(), None);
    }

    #[test]
    fn a_request_that_is_under_way_has_no_response_time() {
        assert_eq!(Exchange::taken(3, 4).response_ns(), None);
    }

    proptest! {
        #[test]
        fn the_parts_are_never_longer_than_the_whole(
            due: u32, steps in prop::array::uniform5(0_u32..1_000_000),
        ) {
            let mut now = u64::from(due);
            let mut instants = steps.iter().map(|step| { now += u64::from(*step); now });
            let mut next = || instants.next();
            let mut exchange = Exchange::taken(u64::from(due), next().unwrap_or(0));
            exchange.ready_ns = next();
            exchange.sent_ns = next();
            exchange.first_byte_ns = next();
            exchange.end_ns = next();
            let response = exchange.response_ns().unwrap_or(0);
            let parts = exchange.lag_ns()
                + exchange.wait_ns().unwrap_or(0)
                + exchange.service_ns().unwrap_or(0);
            prop_assert!(parts <= response, "{exchange:?}");
        }
    }
}
