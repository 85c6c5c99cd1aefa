//! The requests of one connection that are under way, each on a stream, and what has come of them.

use std::collections::VecDeque;
use std::mem::size_of;

use httparse::Header;
use libnghttp2_sys as sys;

use crate::protocol::{Asked, Whole};

/// Fields of an answer at most, as of HTTP/1; what more come are not kept.
const FIELDS_MOST: usize = 128;

/// Bytes of the fields of an answer that are kept at most; nghttp2 bounds what is sent by itself.
const FIELDS_BYTES_MOST: usize = 256 * 1024;

/// Reason why a stream has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The whole answer has come.
    Answered,
    /// The server has reset the stream, for this reason (RFC 9113, section 7).
    Reset(u32),
    /// The server has said GOAWAY and has not taken the request up.
    NotTaken,
    /// Breach of the protocol by what came, with the reason.
    Broken(u32),
}

/// A request on a stream. Used again for the next one, with its memory.
#[derive(Debug)]
pub(super) struct Lane {
    /// Number of the stream; 0 while the lane is free.
    pub stream: i32,
    /// Owner of the request.
    pub owner: u32,
    /// Whether the server has reset it, and why.
    pub reset: Option<u32>,
    /// Instant at which the first byte of the answer came.
    pub first_byte_ns: Option<u64>,
    /// Whether the frame with the request's head was handed to the connection.
    pub is_written: bool,
    /// End of the stream.
    pub fate: Option<Fate>,
    asked: Asked,
    status: u16,
    /// Names and values of the answer's fields, end to end.
    text: Vec<u8>,
    spans: Vec<Span>,
    body: Vec<u8>,
    body_bytes: u64,
    /// The request's body, and how much of it was taken.
    out: Vec<u8>,
    taken: usize,
}

/// Place of a field in the text.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u32,
    name_end: u32,
    end: u32,
}

impl Lane {
    const FREE: Self = Self {
        stream: 0,
        owner: u32::MAX,
        reset: None,
        first_byte_ns: None,
        is_written: false,
        fate: None,
        asked: Asked { is_head: false, keeps_body: false },
        status: 0,
        text: Vec::new(),
        spans: Vec::new(),
        body: Vec::new(),
        body_bytes: 0,
        out: Vec::new(),
        taken: 0,
    };

    fn begin(&mut self, owner: u32, asked: Asked, body: &[u8]) {
        self.owner = owner;
        self.reset = None;
        self.first_byte_ns = None;
        self.is_written = false;
        self.fate = None;
        self.asked = asked;
        self.status = 0;
        self.text.clear();
        self.spans.clear();
        self.body.clear();
        self.body_bytes = 0;
        self.out.clear();
        self.out.extend_from_slice(body);
        self.taken = 0;
    }

    /// Whether all of the request's body was handed to the connection.
    pub(super) fn is_sent(&self) -> bool {
        self.taken == self.out.len()
    }

    /// Copies more of the request's body; how much, and whether that was all.
    pub(super) fn take_body(&mut self, room: &mut [u8]) -> (usize, bool) {
        let rest = &self.out[self.taken..];
        let count = rest.len().min(room.len());
        room[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        (count, self.is_sent())
    }

    /// A head begins: that of the answer, in place of an interim one; or its trailers.
    pub(super) fn begin_head(&mut self, now_ns: u64) {
        self.first_byte_ns.get_or_insert(now_ns);
        if self.status < 200 {
            self.status = 0;
            self.text.clear();
            self.spans.clear();
        }
    }

    /// A field of the answer or of its trailers.
    pub(super) fn field(&mut self, name: &[u8], value: &[u8]) {
        if name == b":status" {
            // nghttp2 lets only three digits pass.
            self.status = value.iter().fold(0, |status, digit| status * 10 + u16::from(digit - b'0'));
            return;
        }
        if self.spans.len() == FIELDS_MOST || self.text.len() + name.len() + value.len() > FIELDS_BYTES_MOST {
            return;
        }
        let place = |text: &Vec<u8>| u32::try_from(text.len()).unwrap_or(u32::MAX);
        let start = place(&self.text);
        self.text.extend_from_slice(name);
        let name_end = place(&self.text);
        self.text.extend_from_slice(value);
        self.spans.push(Span { start, name_end, end: place(&self.text) });
    }

    /// Bytes of the answer's body.
    pub(super) fn data(&mut self, bytes: &[u8]) {
        self.body_bytes += bytes.len() as u64;
        let room = self.asked.keeps_most(self.status).saturating_sub(self.body.len());
        self.body.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Hands the answer over, trailers after the other fields.
    pub(super) fn hand_over<R>(&self, keeps_alive: bool, read: impl FnOnce(&Whole<'_>) -> R) -> R {
        let mut room = [httparse::EMPTY_HEADER; FIELDS_MOST];
        for (field, span) in room.iter_mut().zip(&self.spans) {
            let name = &self.text[span.start as usize..span.name_end as usize];
            // nghttp2 lets only names of RFC 9110 pass, which are ASCII.
            let name = std::str::from_utf8(name).unwrap_or_default();
            *field = Header { name, value: &self.text[span.name_end as usize..span.end as usize] };
        }
        read(&Whole {
            status: self.status,
            fields: &room[..self.spans.len()],
            body: &self.body,
            body_bytes: self.body_bytes,
            keeps_alive,
            has_excess: false,
        })
    }

    /// Forgets the request, and gives back memory that only a large answer needed.
    fn end(&mut self) {
        self.stream = 0;
        for buffer in [&mut self.text, &mut self.body, &mut self.out] {
            if buffer.capacity() > KEPT_ROOM {
                *buffer = Vec::new();
            }
        }
    }
}

/// Bytes of a buffer that are kept for the next request of a lane.
const KEPT_ROOM: usize = 16 * 1024;

const _: () = assert!(size_of::<Lane>() <= 208, "a lane is small: there are 20,000 x 100 of them at most");

/// All that the callbacks of one connection write to.
#[derive(Debug, Default)]
pub(super) struct Streams {
    lanes: Vec<Lane>,
    free: Vec<u32>,
    /// Lanes whose fate is known and was not asked for yet, with their streams.
    ended: VecDeque<(u32, i32)>,
    /// Requests whose head was handed to the connection, with the place of its first byte among all
    /// bytes of the connection.
    written: VecDeque<(u64, u32, i32)>,
    /// Bytes handed to the connection so far.
    pub handed: u64,
    /// The instant of the bytes that are being read.
    pub now_ns: u64,
    /// Whether the server has said what it allows.
    pub is_greeted: bool,
    /// The last stream that the server takes up, once it has said GOAWAY.
    pub last_taken: Option<i32>,
    /// `RST_STREAM` and GOAWAY frames that came.
    pub resets: u64,
    pub goaways: u64,
    /// Last message of nghttp2 on what is wrong.
    pub complaint: String,
}

impl Streams {
    /// Lanes that are in use.
    pub(super) fn busy(&self) -> usize {
        self.lanes.len() - self.free.len()
    }

    /// A lane for a request, whose stream has no number yet.
    pub(super) fn take(&mut self, owner: u32, asked: Asked, body: &[u8]) -> u32 {
        let lane = self.free.pop().unwrap_or_else(|| {
            self.lanes.push(Lane::FREE);
            u32::try_from(self.lanes.len() - 1).unwrap_or(u32::MAX)
        });
        self.lanes[lane as usize].begin(owner, asked, body);
        lane
    }

    /// Gives a lane back.
    pub(super) fn free(&mut self, lane: u32) {
        self.lanes[lane as usize].end();
        self.free.push(lane);
    }

    pub(super) fn lane(&mut self, lane: u32) -> &mut Lane {
        &mut self.lanes[lane as usize]
    }

    /// The lane of this number, if it is the stream's still.
    pub(super) fn lane_of(&mut self, lane: Option<u32>, stream: i32) -> Option<&mut Lane> {
        self.lanes.get_mut(lane? as usize).filter(|lane| lane.stream == stream)
    }

    /// Settles how a stream has ended; the first word counts.
    pub(super) fn settle(&mut self, lane: Option<u32>, stream: i32, fate: Fate) {
        let Some(place) = lane else { return };
        let Some(lane) = self.lane_of(lane, stream).filter(|lane| lane.fate.is_none()) else { return };
        // nghttp2 lets any three digits pass.
        let is_none = fate == Fate::Answered && lane.status < 100;
        lane.fate = Some(if is_none { Fate::Broken(sys::NGHTTP2_PROTOCOL_ERROR) } else { fate });
        self.ended.push_back((place, stream));
    }

    /// The next lane whose fate is known.
    pub(super) fn next_ended(&mut self) -> Option<u32> {
        while let Some((lane, stream)) = self.ended.pop_front() {
            if self.lanes[lane as usize].stream == stream {
                return Some(lane);
            }
        }
        None
    }

    /// The head of a request is handed to the connection now.
    pub(super) fn write(&mut self, lane: u32, stream: i32) {
        if let Some(written) = self.lane_of(Some(lane), stream) {
            written.is_written = true;
            self.written.push_back((self.handed, lane, stream));
        }
    }

    /// The owner of the next request whose first byte is among the first `sent` of the connection.
    pub(super) fn next_sent(&mut self, sent: u64) -> Option<u32> {
        while let Some((start, lane, stream)) = self.written.front().copied() {
            if start >= sent {
                return None;
            }
            self.written.pop_front();
            let lane = &self.lanes[lane as usize];
            if lane.stream == stream {
                return Some(lane.owner);
            }
        }
        None
    }

    /// The lane of the latest request whose head was not handed to the connection yet.
    pub(super) fn last_unwritten(&self) -> Option<u32> {
        let waiting = |lane: &&Lane| lane.stream != 0 && !lane.is_written && lane.fate.is_none();
        let last = self.lanes.iter().filter(waiting).map(|lane| lane.stream).max()?;
        let place = self.lanes.iter().position(|lane| lane.stream == last)?;
        u32::try_from(place).ok()
    }

    /// Owners of the requests that are under way.
    pub(super) fn owners(&self) -> impl Iterator<Item = u32> {
        self.lanes.iter().filter(|lane| lane.stream != 0).map(|lane| lane.owner)
    }
}
