//! The body of an HTTP/1 answer, however the bytes are cut: counted, and kept where asked for.
//!
//! Source: RFC 9112 (HTTP/1.1), sections 6.3 and 7.1.

use super::head::Framing;
use super::http1::Wrong;

/// A body in the course of being read. Used again for the next one, with its memory.
#[derive(Debug, Default)]
pub(super) struct Body {
    rest: Rest,
    /// Bytes of the body so far, without those of the chunks' frames.
    pub bytes: u64,
    /// The first bytes of the body, at most as many as asked for.
    pub kept: Vec<u8>,
    keeps_most: usize,
}

/// Part of a body that is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Rest {
    /// Nothing.
    #[default]
    Nothing,
    /// This many bytes.
    Bytes(u64),
    /// Chunks.
    Chunks(Chunk),
    /// Whatever comes until the end.
    All,
}

/// Place of the next byte in a chunked body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunk {
    /// In the size of a chunk, of which so many digits were read.
    Size { value: u64, digits: u8 },
    /// In what follows the size on its line, which means nothing to us.
    Extension { size: u64 },
    /// After the CR of that line.
    SizeEnd { size: u64 },
    /// In the chunk's bytes, of which so many are missing.
    Data { left: u64 },
    /// Before the CR after the chunk's bytes.
    DataCr,
    /// Before the LF after the chunk's bytes.
    DataLf,
    /// At the start of a line of the trailer.
    TrailerStart,
    /// In a line of the trailer.
    Trailer,
    /// After the CR of the empty line that ends everything.
    End,
}

/// Hexadecimal digits of a chunk's size at most: as many as 64 bits have.
const SIZE_DIGITS: u8 = 16;

impl Body {
    /// Begins a body of which up to `keeps_most` bytes are kept.
    pub(super) fn begin(&mut self, framing: Framing, keeps_most: usize) {
        self.bytes = 0;
        self.kept.clear();
        self.keeps_most = keeps_most;
        self.rest = match framing {
            Framing::Length(0) => Rest::Nothing,
            Framing::Length(length) => Rest::Bytes(length),
            Framing::Chunked => Rest::Chunks(Chunk::Size { value: 0, digits: 0 }),
            Framing::UntilClose => Rest::All,
        };
    }

    /// Whether the body is whole.
    pub(super) fn is_whole(&self) -> bool {
        self.rest == Rest::Nothing
    }

    /// Whether the end of the connection would make it whole.
    pub(super) fn ends_with_connection(&self) -> bool {
        self.rest == Rest::All
    }

    /// Takes the next bytes and says how many of them were the body's.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<usize, Wrong> {
        match self.rest {
            Rest::Nothing => Ok(0),
            Rest::All => {
                self.take(bytes);
                Ok(bytes.len())
            }
            Rest::Bytes(left) => {
                let taken = shorter(bytes, left);
                self.take(taken);
                let left = left - taken.len() as u64;
                self.rest = if left == 0 { Rest::Nothing } else { Rest::Bytes(left) };
                Ok(taken.len())
            }
            Rest::Chunks(chunk) => self.chunks(chunk, bytes),
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = self.keeps_most - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn chunks(&mut self, mut chunk: Chunk, bytes: &[u8]) -> Result<usize, Wrong> {
        let mut at = 0;
        while at < bytes.len() {
            if let Chunk::Data { left } = chunk {
                let taken = shorter(&bytes[at..], left);
                self.take(taken);
                at += taken.len();
                let left = left - taken.len() as u64;
                chunk = if left == 0 { Chunk::DataCr } else { Chunk::Data { left } };
                continue;
            }
            let byte = bytes[at];
            at += 1;
            let Some(next) = chunk.step(byte)? else {
                self.rest = Rest::Nothing;
                return Ok(at);
            };
            chunk = next;
        }
        self.rest = Rest::Chunks(chunk);
        Ok(at)
    }
}

impl Chunk {
    /// A byte that is no chunk's data; none when it was the last of the body.
    fn step(self, byte: u8) -> Result<Option<Self>, Wrong> {
        let next = match (self, byte) {
            (Self::Size { value, digits }, _) if byte.is_ascii_hexdigit() && digits < SIZE_DIGITS => {
                Self::Size { value: value << 4 | u64::from(hex(byte)), digits: digits + 1 }
            }
            (Self::Size { value, digits: 1.. }, b';' | b' ' | b'\t') => Self::Extension { size: value },
            (Self::Size { value, digits: 1.. } | Self::Extension { size: value }, b'\r') => {
                Self::SizeEnd { size: value }
            }
            (Self::Extension { size }, _) if byte != b'\n' => Self::Extension { size },
            (Self::SizeEnd { size: 0 } | Self::Trailer, b'\n') => Self::TrailerStart,
            (Self::SizeEnd { size }, b'\n') => Self::Data { left: size },
            (Self::DataCr, b'\r') => Self::DataLf,
            (Self::DataLf, b'\n') => Self::Size { value: 0, digits: 0 },
            (Self::TrailerStart, b'\r') => Self::End,
            (Self::TrailerStart, b'\n') => return Err(Wrong::Chunk),
            (Self::TrailerStart | Self::Trailer, _) => Self::Trailer,
            (Self::End, b'\n') => return Ok(None),
            _ => return Err(Wrong::Chunk),
        };
        Ok(Some(next))
    }
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

/// The first bytes, at most `most` of them.
fn shorter(bytes: &[u8], most: u64) -> &[u8] {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    &bytes[..bytes.len().min(most)]
}
