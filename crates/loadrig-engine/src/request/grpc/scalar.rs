//! A value that is known as a text only once the request is made, as a field of a message.
//!
//! A hole always gives a text; `ProtoJSON` takes a text for every number, and here also for a bool.

use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine as _, GeneralPurpose, GeneralPurposeConfig};
use prost_reflect::Kind;
use prost_reflect::prost::encoding::{encode_varint, encoded_len_varint};

/// Both alphabets, with padding or without: so `ProtoJSON` wants it.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// Types of the wire. Source: <https://protobuf.dev/programming-guides/encoding/>.
const VARINT: u32 = 0;
const FIXED_64: u32 = 1;
pub(super) const DELIMITED: u32 = 2;
pub(super) const GROUP_START: u32 = 3;
pub(super) const GROUP_END: u32 = 4;
const FIXED_32: u32 = 5;

/// Bytes ahead of each value of a field.
pub(super) fn key(number: u32, wire: u32) -> Box<[u8]> {
    let mut key = Vec::new();
    encode_varint(u64::from(number << 3 | wire), &mut key);
    key.into()
}

/// The type on the wire of a field of this kind.
pub(super) fn wire(kind: &Kind) -> u32 {
    match kind {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => FIXED_64,
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => FIXED_32,
        Kind::String | Kind::Bytes | Kind::Message(_) => DELIMITED,
        _ => VARINT,
    }
}

/// A value as it stands on the wire.
pub(super) enum Value {
    Varint(u64),
    Four([u8; 4]),
    Eight([u8; 8]),
    Bytes(Vec<u8>),
}

/// Reads the text of a value of any kind but string and message. None if it is no such value.
pub(super) fn read(kind: &Kind, text: &str) -> Option<Value> {
    Some(match kind {
        Kind::Bool => Value::Varint(u64::from(text.parse::<bool>().ok()?)),
        // Negative numbers are extended to 64 bits, also those of 32.
        Kind::Int32 => Value::Varint(bits(i64::from(text.parse::<i32>().ok()?))),
        Kind::Int64 => Value::Varint(bits(text.parse().ok()?)),
        Kind::Uint32 => Value::Varint(u64::from(text.parse::<u32>().ok()?)),
        Kind::Uint64 => Value::Varint(text.parse().ok()?),
        Kind::Sint32 => Value::Varint(zigzag(i64::from(text.parse::<i32>().ok()?))),
        Kind::Sint64 => Value::Varint(zigzag(text.parse().ok()?)),
        Kind::Fixed32 => Value::Four(text.parse::<u32>().ok()?.to_le_bytes()),
        Kind::Fixed64 => Value::Eight(text.parse::<u64>().ok()?.to_le_bytes()),
        Kind::Sfixed32 => Value::Four(text.parse::<i32>().ok()?.to_le_bytes()),
        Kind::Sfixed64 => Value::Eight(text.parse::<i64>().ok()?.to_le_bytes()),
        // Rust's own reader knows Infinity, -Infinity and NaN.
        Kind::Float => Value::Four(text.parse::<f32>().ok()?.to_le_bytes()),
        Kind::Double => Value::Eight(text.parse::<f64>().ok()?.to_le_bytes()),
        Kind::Enum(values) => {
            let named = values.get_value_by_name(text).map(|value| value.number());
            Value::Varint(bits(i64::from(named.or_else(|| text.parse().ok())?)))
        }
        Kind::Bytes => {
            let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
            Value::Bytes(alphabet.decode(text).ok()?)
        }
        Kind::String | Kind::Message(_) => return None,
    })
}

impl Value {
    /// Appends it.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Varint(number) => encode_varint(*number, out),
            Self::Four(bytes) => out.extend_from_slice(bytes),
            Self::Eight(bytes) => out.extend_from_slice(bytes),
            Self::Bytes(bytes) => {
                encode_varint(bytes.len() as u64, out);
                out.extend_from_slice(bytes);
            }
        }
    }
}

/// A kind in words.
pub(super) fn name(kind: &Kind) -> String {
    match kind {
        Kind::Enum(values) => format!("value of {}", values.full_name()),
        Kind::Message(message) => message.full_name().to_owned(),
        Kind::Bytes => "text in base64".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

/// Small numbers of either sign become small ones without a sign.
fn zigzag(number: i64) -> u64 {
    bits(number << 1 ^ number >> 63)
}

/// The same bits without a sign.
fn bits(number: i64) -> u64 {
    u64::from_ne_bytes(number.to_ne_bytes())
}

/// Appends what `fill` appends, its length ahead of it.
pub(super) fn delimited<E>(
    out: &mut Vec<u8>,
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let at = out.len();
    out.push(0);
    fill(out)?;
    let length = out.len() - at - 1;
    match u8::try_from(length) {
        // Most have a length of one byte, and that has its place.
        Ok(short) if short < 0x80 => out[at] = short,
        _ => {
            let length = length as u64;
            let mut varint = Vec::with_capacity(encoded_len_varint(length));
            encode_varint(length, &mut varint);
            out.splice(at..=at, varint);
        }
    }
    Ok(())
}
