//! Undoing a body's content coding, for those few routes whose checks look into the body.

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use std::io::Read;

/// Bytes of an inflated body that are kept: a small answer can inflate to gigabytes.
pub(super) const CAP: u64 = 8 << 20;

/// Reason why a body cannot be looked into.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum InflateError {
    /// The bytes are not what the header says.
    #[error("the body is announced as {0}, but cannot be inflated")]
    Broken(String),
    /// A coding that loadrig does not know.
    #[error("the body is encoded as {0}; loadrig knows gzip and deflate")]
    Unknown(String),
}

/// The body without its content coding; `room` is used for what is inflated, and reused.
///
/// coding: the value of Content-Encoding, empty for none. Of a longer body the first [`CAP`]
/// bytes are given.
pub(super) fn inflated<'a>(
    coding: &[u8],
    body: &'a [u8],
    room: &'a mut Vec<u8>,
) -> Result<&'a [u8], InflateError> {
    if coding.is_empty() || coding.eq_ignore_ascii_case(b"identity") || body.is_empty() {
        return Ok(body);
    }
    let name = || String::from_utf8_lossy(coding).into_owned();
    room.clear();
    let read = if coding.eq_ignore_ascii_case(b"gzip") || coding.eq_ignore_ascii_case(b"x-gzip") {
        MultiGzDecoder::new(body).take(CAP).read_to_end(room)
    } else if coding.eq_ignore_ascii_case(b"deflate") {
        // RFC 9110 says zlib; some servers send bare deflate, and all browsers take both.
        if is_zlib(body) {
            ZlibDecoder::new(body).take(CAP).read_to_end(room)
        } else {
            DeflateDecoder::new(body).take(CAP).read_to_end(room)
        }
    } else {
        return Err(InflateError::Unknown(name()));
    };
    match read {
        Ok(_) => Ok(room),
        Err(_) => Err(InflateError::Broken(name())),
    }
}

/// The two bytes that every zlib stream begins with. Source: RFC 1950, section 2.2.
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..]
        if method & 0x0f == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0)
}

#[cfg(test)]
mod tests {
    use super::{CAP, InflateError, inflated};
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(plain).expect("into memory");
        encoder.finish().expect("into memory")
    }

    proptest! {
        #[test]
        fn every_coding_comes_back(plain: Vec<u8>) {
            let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
            zlib.write_all(&plain)?;
            let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
            bare.write_all(&plain)?;
            let mut twice = gzip(&plain);
            twice.extend(gzip(b"!"));
            let end = [plain.as_slice(), b"!"].concat();
            let cases = [
                (b"gzip".as_slice(), gzip(&plain), &plain),
                (b"Deflate", zlib.finish()?, &plain),
                (b"deflate", bare.finish()?, &plain),
                (b"", plain.clone(), &plain),
                (b"x-gzip", twice, &end),
            ];
            let mut room = Vec::new();
            for (coding, body, wanted) in cases {
                prop_assert_eq!(inflated(coding, &body, &mut room), Ok(wanted.as_slice()));
            }
        }

        #[test]
        fn no_body_makes_the_inflater_panic(body: Vec<u8>) {
            let mut room = Vec::new();
            let _ = inflated(b"gzip", &body, &mut room);
            let _ = inflated(b"deflate", &body, &mut room);
        }
    }

    #[test]
    fn a_bomb_is_cut() {
        let bomb = gzip(&vec![0; usize::try_from(CAP).expect("8 MiB") + 1]);
        let mut room = Vec::new();
        let length = inflated(b"gzip", &bomb, &mut room).map(<[u8]>::len);
        assert_eq!(length.map(|length| length as u64), Ok(CAP));
    }

    #[test]
    fn what_cannot_be_inflated_is_said() {
        let mut room = Vec::new();
        let torn = &gzip(b"hello, hello, hello")[..12];
        assert_eq!(inflated(b"gzip", torn, &mut room), Err(InflateError::Broken("gzip".to_owned())));
        assert_eq!(inflated(b"br", b"x", &mut room), Err(InflateError::Unknown("br".to_owned())));
    }
}
