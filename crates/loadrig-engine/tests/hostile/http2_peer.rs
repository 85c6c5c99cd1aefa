//! A server that puts its HTTP/2 frames together by hand, so that they can be wrong.
//!
//! A request without a body is answered well; one with a body gets whatever is tested. So nothing
//! of what the client says about its requests has to be unpacked.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;

use crate::common::server::{Line, Server};

// Kinds of frames: RFC 9113, section 6.
pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const PRIORITY: u8 = 2;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PUSH_PROMISE: u8 = 5;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

// Flags.
pub(crate) const ACK: u8 = 1;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;
pub(crate) const PADDED: u8 = 8;

/// Settings by their numbers.
pub(crate) const ENABLE_PUSH: u16 = 2;
pub(crate) const MAX_CONCURRENT_STREAMS: u16 = 3;
pub(crate) const INITIAL_WINDOW_SIZE: u16 = 4;
pub(crate) const MAX_FRAME_SIZE: u16 = 5;

/// `:status: 200`, from the static table.
pub(crate) const STATUS_200: &[u8] = &[0x88];

/// A field that is not put into the table, its name spelled out.
pub(crate) fn field(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0];
    for text in [name, value] {
        bytes.push(u8::try_from(text.len()).expect("these are short"));
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// `:status`, spelled out.
pub(crate) fn status(code: &str) -> Vec<u8> {
    field(":status", code)
}

/// A connection, as this server has it.
pub(crate) struct Peer {
    stream: BufReader<TcpStream>,
    /// Number of the connection of the server, from 0.
    pub(crate) n: u64,
}

/// A frame that came.
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
}

impl Peer {
    pub(crate) fn new(line: &mut Line, n: u64) -> Self {
        Self { stream: BufReader::new(line.stream()), n }
    }

    /// Reads the client's preface; false if there is none.
    pub(crate) fn preface(&mut self) -> bool {
        let mut preface = [0; 24];
        self.stream.read_exact(&mut preface).is_ok() && preface.starts_with(b"PRI * HTTP/2.0")
    }

    /// The next frame; none at the end.
    pub(crate) fn frame(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        self.stream.read_exact(&mut vec![0; length]).ok()?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]) & 0x7fff_ffff;
        Some(Frame { kind: head[3], flags: head[4], stream })
    }

    /// Says any bytes; false if nobody listens.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> bool {
        self.stream.get_mut().write_all(bytes).is_ok()
    }

    /// Says a frame; false if nobody listens.
    pub(crate) fn say(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        self.raw(&frame(kind, flags, stream, payload))
    }

    /// Says a setting.
    pub(crate) fn set(&mut self, id: u16, value: u32) -> bool {
        let entry = [id.to_be_bytes().as_slice(), &value.to_be_bytes()].concat();
        self.say(SETTINGS, 0, 0, &entry)
    }

    /// Answers well.
    pub(crate) fn fine(&mut self, stream: u32) -> bool {
        let head = frame(HEADERS, END_HEADERS, stream, STATUS_200);
        self.raw(&[head, frame(DATA, END_STREAM, stream, b"ok")].concat())
    }

    /// Ends the connection with a reset.
    pub(crate) fn reset(&mut self) {
        let socket = self.stream.get_ref();
        rustix::net::sockopt::set_socket_linger(socket, Some(std::time::Duration::ZERO)).unwrap();
    }

    /// Says no more, and closes when the other side has.
    pub(crate) fn close(&mut self) {
        let _ = self.stream.get_mut().shutdown(std::net::Shutdown::Write);
        self.wait_for_end();
    }

    /// Waits until the other side closes, whatever it says.
    pub(crate) fn wait_for_end(&mut self) {
        let _ = std::io::copy(&mut self.stream, &mut std::io::sink());
    }

    /// Serves until the end; false from `bad` leaves the rest of the connection unserved.
    pub(crate) fn serve(&mut self, bad: &dyn Fn(&mut Self, u32) -> bool) {
        while let Some(frame) = self.frame() {
            let goes_on = match (frame.kind, frame.flags) {
                (SETTINGS, 0) => self.say(SETTINGS, ACK, 0, &[]),
                (HEADERS, flags) if flags & END_STREAM != 0 => self.fine(frame.stream),
                (DATA, flags) if flags & END_STREAM != 0 => bad(self, frame.stream),
                _ => true,
            };
            if !goes_on {
                return;
            }
        }
    }
}

/// A frame, its length as it is.
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut bytes = vec![length[1], length[2], length[3], kind, flags];
    bytes.extend_from_slice(&stream.to_be_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// A server that greets as it should, answers requests without a body well, and does something else
/// to those with one.
pub(crate) fn server(bad: impl Fn(&mut Peer, u32) -> bool + Send + Sync + 'static) -> Server {
    greeting(|peer| peer.say(SETTINGS, 0, 0, &[]), bad)
}

/// The same with a greeting of its own.
pub(crate) fn greeting(
    greets: impl Fn(&mut Peer) -> bool + Send + Sync + 'static,
    bad: impl Fn(&mut Peer, u32) -> bool + Send + Sync + 'static,
) -> Server {
    let count = std::sync::atomic::AtomicU64::new(0);
    Server::new(move |line| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut peer = Peer::new(line, n);
        if peer.preface() && greets(&mut peer) {
            peer.serve(&bad);
        }
    })
}
