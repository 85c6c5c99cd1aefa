//! The traffic of a TCP connection, as `struct tcp_info` tells it.
//!
//! The struct has only ever grown at its end, so each field is read if the kernel gives that many bytes.
//! Source: `include/uapi/linux/tcp.h`, and `tcp_get_info` in `net/ipv4/tcp.c` for the meaning.

use crate::wire::number_at;

/// Places in the struct, in bytes. The first four of these are as old as Linux 2.4.
const UNACKED: usize = 24;
const LOST: usize = 32;
const RETRANSMITTED: usize = 36;
const LAST_DATA_SENT: usize = 44;
const LAST_DATA_RECEIVED: usize = 52;
const LAST_ACK_RECEIVED: usize = 56;
const SMOOTHED_ROUND_TRIP: usize = 68;
/// Since Linux 4.2.
const SEGMENTS_IN: usize = 140;
/// Since Linux 4.6.
const NOT_SENT_BYTES: usize = 144;
const LEAST_ROUND_TRIP: usize = 148;
const DATA_SEGMENTS_IN: usize = 152;
const DATA_SEGMENTS_OUT: usize = 156;
/// Since Linux 4.9.
const BUSY_TIME: usize = 168;
const CLIENT_LIMITED: usize = 176;
const BUFFER_LIMITED: usize = 184;

/// The least round trip of a connection that has measured none.
const UNKNOWN_ROUND_TRIP: u32 = u32::MAX;

/// Flow over a connection, and when it went last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Milliseconds since data was last sent (also again), in steps of the kernel's clock: 1 to 10 ms.
    pub sent_ms: u32,
    /// Milliseconds since data last came in.
    pub received_ms: u32,
    /// Milliseconds since an acknowledgement last came in, with data or without.
    pub acknowledged_ms: u32,
    /// Segments that were sent and are not acknowledged.
    pub unacknowledged: u32,
    /// Segments that are held to be lost, or are sent again just now.
    pub lost: u32,
    /// Bytes that wait to be sent; None where the kernel does not tell.
    pub unsent_bytes: Option<u32>,
    /// The least round trip in microseconds, the smoothed one where the kernel does not tell the least.
    pub round_trip_us: u32,
    /// Segments in the connection's life; None where the kernel does not tell.
    pub counts: Option<Counts>,
    /// Waits of sending; None where the kernel does not tell.
    pub limits: Option<Limits>,
}

/// Segments of a connection since it was opened. They wrap around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Segments that came in.
    pub segments_in: u32,
    /// Number of the segments with data.
    pub data_in: u32,
    /// Segments with data that were sent, also again.
    pub data_out: u32,
}

/// Times in microseconds since the connection was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// While anything was being sent.
    pub busy_us: u64,
    /// Part of that time in which the other end's receive window was full: it does not read.
    pub client_us: u64,
    /// Part of that time in which the send buffer was too small.
    pub buffer_us: u64,
}

impl Flow {
    /// Reads the bytes of a `struct tcp_info`; None where they are too few even for the oldest fields.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let number = |place| number_at(bytes, place);
        let least = number(LEAST_ROUND_TRIP).filter(|us| *us != UNKNOWN_ROUND_TRIP);
        Some(Self {
            sent_ms: number(LAST_DATA_SENT)?,
            received_ms: number(LAST_DATA_RECEIVED)?,
            acknowledged_ms: number(LAST_ACK_RECEIVED)?,
            unacknowledged: number(UNACKED)?,
            lost: number(LOST)?.saturating_add(number(RETRANSMITTED)?),
            round_trip_us: least.or_else(|| number(SMOOTHED_ROUND_TRIP))?,
            unsent_bytes: number(NOT_SENT_BYTES),
            counts: counts(bytes),
            limits: limits(bytes),
        })
    }
}

fn counts(bytes: &[u8]) -> Option<Counts> {
    Some(Counts {
        segments_in: number_at(bytes, SEGMENTS_IN)?,
        data_in: number_at(bytes, DATA_SEGMENTS_IN)?,
        data_out: number_at(bytes, DATA_SEGMENTS_OUT)?,
    })
}

fn limits(bytes: &[u8]) -> Option<Limits> {
    let number = |place: usize| bytes.get(place..)?.first_chunk().map(|chunk| u64::from_ne_bytes(*chunk));
    Some(Limits {
        busy_us: number(BUSY_TIME)?,
        client_us: number(CLIENT_LIMITED)?,
        buffer_us: number(BUFFER_LIMITED)?,
    })
}

impl Counts {
    /// Segments since `before`.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            segments_in: self.segments_in.wrapping_sub(before.segments_in),
            data_in: self.data_in.wrapping_sub(before.data_in),
            data_out: self.data_out.wrapping_sub(before.data_out),
        }
    }

    /// Segments that came in with nothing but an acknowledgement.
    #[must_use]
    pub fn bare_in(self) -> u32 {
        self.segments_in.wrapping_sub(self.data_in)
    }
}

impl Limits {
    /// Times since `before`; nothing is ever taken back.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            busy_us: self.busy_us.saturating_sub(before.busy_us),
            client_us: self.client_us.saturating_sub(before.client_us),
            buffer_us: self.buffer_us.saturating_sub(before.buffer_us),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A struct in which the 32-bit number at each place is the place.
    fn numbered(length: usize) -> Vec<u8> {
        (0..length.div_ceil(4) * 4)
            .step_by(4)
            .flat_map(|place| u32::try_from(place).unwrap_or(0).to_ne_bytes())
            .take(length)
            .collect()
    }

    #[test]
    fn a_shorter_struct_has_the_fields_that_fit_into_it() {
        let known = |length| {
            let flow = Flow::parse(&numbered(length))?;
            Some((flow.round_trip_us, flow.unsent_bytes, flow.counts.is_some(), flow.limits.is_some()))
        };
        assert_eq!(known(71), None);
        assert_eq!(known(104), Some((68, None, false, false)));
        assert_eq!(known(148), Some((68, Some(144), false, false)));
        assert_eq!(known(160), Some((148, Some(144), true, false)));
        assert_eq!(known(191), Some((148, Some(144), true, false)));
        assert_eq!(known(280), Some((148, Some(144), true, true)));
    }

    #[test]
    fn each_field_is_read_at_its_place() {
        let flow = Flow::parse(&numbered(280));
        let times = flow.map(|flow| (flow.sent_ms, flow.received_ms, flow.acknowledged_ms));
        assert_eq!(times, Some((44, 52, 56)));
        let segments = flow.map(|flow| (flow.unacknowledged, flow.lost, flow.counts));
        let counts = Counts { segments_in: 140, data_in: 152, data_out: 156 };
        assert_eq!(segments, Some((24, 32 + 36, Some(counts))));
    }

    #[test]
    fn a_connection_that_has_measured_no_least_round_trip_has_the_smoothed_one() {
        let mut bytes = numbered(280);
        bytes[LEAST_ROUND_TRIP..LEAST_ROUND_TRIP + 4].fill(0xff);
        assert_eq!(Flow::parse(&bytes).map(|flow| flow.round_trip_us), Some(68));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_and_more_of_them_never_tell_less(
            bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0_usize..300,
        ) {
            let short = Flow::parse(bytes.get(..cut).unwrap_or(&bytes));
            let long = Flow::parse(&bytes);
            prop_assert!(short.is_none() || long.is_some());
            prop_assert!(short.and_then(|flow| flow.counts) == long.and_then(|flow| flow.counts)
                || short.and_then(|flow| flow.counts).is_none());
        }

        #[test]
        fn counts_that_wrapped_around_have_grown(before in any::<u32>(), more in 0_u32..1000) {
            let at = |n: u32| Counts { segments_in: n, data_in: n, data_out: n };
            let grown = at(before.wrapping_add(more)).since(at(before));
            prop_assert_eq!(grown, at(more));
        }
    }
}
