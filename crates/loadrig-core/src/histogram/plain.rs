//! The bytes of a histogram before they are decoded: inflated, and looked through for what would
//! take the decoder's memory or bring it down. A recording may come from anybody.
//!
//! Source: the V2 encoding of `HdrHistogram` (cookie, length of the counts, offset, digits, lowest,
//! highest, ratio; then the counts as zig-zag LEB128, a negative one a run of zeros).

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::{DIGITS, DecodeError, HIGHEST_NS, LOWEST_NS};

/// First bytes of plain bytes, and of deflated ones.
const PLAIN: u32 = 0x1c84_9313;
const DEFLATED: u32 = 0x1c84_9314;

/// Bytes before the counts.
const HEAD: usize = 40;

/// Bytes of counts at most: 34,000 buckets, each below 2^35.
const COUNTS_MOST: usize = 34_000 * 5;

/// A run of zeros that is longer than all buckets together.
const RUN_TOO_LONG: u64 = 1 << 17;

/// Bytes of a number at most.
const NUMBER_MOST: usize = 9;

/// The plain bytes, with our bounds and as many counts as they announce.
pub(super) fn of(bytes: &[u8]) -> Result<Cow<'_, [u8]>, DecodeError> {
    let plain = match word(bytes, 0)? {
        PLAIN => Cow::Borrowed(bytes),
        DEFLATED => {
            let mut plain = Vec::new();
            let most = (HEAD + COUNTS_MOST) as u64;
            let packed = bytes.get(8..).ok_or(TOO_SHORT)?;
            ZlibDecoder::new(packed).take(most).read_to_end(&mut plain).map_err(|_| BROKEN)?;
            Cow::Owned(plain)
        }
        _ => return Err(DecodeError::Damaged("it does not begin like one")),
    };
    if word(&plain, 0)? != PLAIN {
        return Err(DecodeError::Damaged("what is deflated in it does not begin like one"));
    }
    let (digits, lowest, highest) = (word(&plain, 12)?, long(&plain, 16)?, long(&plain, 24)?);
    if (lowest, highest, digits) != (LOWEST_NS, HIGHEST_NS, DIGITS.into()) {
        let digits = u8::try_from(digits).unwrap_or(u8::MAX);
        return Err(DecodeError::Bounds { lowest, highest, digits });
    }
    let announced = usize::try_from(word(&plain, 4)?).unwrap_or(usize::MAX);
    let counts = plain.get(HEAD..).and_then(|counts| counts.get(..announced)).ok_or(TOO_SHORT)?;
    check_runs(counts)?;
    Ok(plain)
}

const TOO_SHORT: DecodeError = DecodeError::Damaged("it is shorter than it announces");
const BROKEN: DecodeError = DecodeError::Damaged("it cannot be inflated");

/// No run of zeros is longer than there are buckets.
fn check_runs(mut counts: &[u8]) -> Result<(), DecodeError> {
    while !counts.is_empty() {
        let mut number = 0_u64;
        let mut length = 0;
        for byte in counts.iter().take(NUMBER_MOST) {
            // The last byte of the longest number has eight bits of it, all others seven.
            let is_last = length + 1 == NUMBER_MOST;
            let bits = if is_last { *byte } else { *byte & 0x7f };
            number |= u64::from(bits) << (7 * length);
            length += 1;
            if *byte & 0x80 == 0 {
                break;
            }
        }
        let is_run = number & 1 == 1;
        if is_run && number >> 1 >= RUN_TOO_LONG {
            return Err(DecodeError::Damaged("a run of zeros is longer than there are buckets"));
        }
        counts = &counts[length..];
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> Result<u32, DecodeError> {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or(TOO_SHORT)?;
    Ok(u32::from_be_bytes(*four))
}

fn long(bytes: &[u8], at: usize) -> Result<u64, DecodeError> {
    let eight = bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or(TOO_SHORT)?;
    Ok(u64::from_be_bytes(*eight))
}

#[cfg(test)]
mod tests {
    use super::{DEFLATED, HEAD, PLAIN};
    use crate::histogram::{DIGITS, DecodeError, HIGHEST_NS, Histogram, LOWEST_NS};
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write as _;

    fn plain(announced: u32, highest: u64, counts: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [PLAIN, announced, 0, DIGITS.into()] {
            bytes.extend_from_slice(&word.to_be_bytes());
        }
        bytes.extend_from_slice(&LOWEST_NS.to_be_bytes());
        bytes.extend_from_slice(&highest.to_be_bytes());
        bytes.extend_from_slice(&1.0_f64.to_be_bytes());
        assert_eq!(bytes.len(), HEAD);
        bytes.extend_from_slice(counts);
        bytes
    }

    fn decoded(bytes: &[u8]) -> Result<Histogram, DecodeError> {
        Histogram::decode(&STANDARD.encode(bytes))
    }

    #[test]
    fn plain_and_deflated_bytes_are_read() {
        let plain = plain(2, HIGHEST_NS, &[0, 14]);
        assert_eq!(decoded(&plain).expect("it is right").count(), 7);
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&plain).expect("into memory");
        let packed = packed.finish().expect("into memory");
        let length = u32::try_from(packed.len()).expect("it is short");
        let bytes = [&DEFLATED.to_be_bytes(), &length.to_be_bytes(), packed.as_slice()].concat();
        assert_eq!(decoded(&bytes).expect("it is right").count(), 7);
    }

    #[test]
    fn one_that_announces_gigabytes_takes_none() {
        assert!(matches!(decoded(&plain(u32::MAX, HIGHEST_NS, &[2])), Err(DecodeError::Damaged(_))));
        assert!(matches!(decoded(&plain(1, u64::MAX, &[2])), Err(DecodeError::Bounds { .. })));
    }

    #[test]
    fn a_run_of_zeros_without_end_is_refused() {
        // The longest number there is: minus 2^63, which cannot be negated.
        for run in [[0xff; 9].as_slice(), &[0xff, 0xff, 0xff, 0x7f]] {
            let length = u32::try_from(run.len()).expect("it is short");
            assert!(matches!(decoded(&plain(length, HIGHEST_NS, run)), Err(DecodeError::Damaged(_))));
        }
    }
}
