//! Encoding of a value in a request, by the place where it stands.
//!
//! A value may come from the server or from a file. Wherever it stands, it must stay one value:
//! never a new header, a second parameter, or the end of a JSON text.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_encode};
use std::io::Write as _;
use url::form_urlencoded;

/// Place of a value in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At the very start of the target: the value is a whole path, perhaps with a query.
    TargetStart,
    /// Elsewhere in the target.
    Target,
    /// In the value of a header.
    Header,
    /// In a text of a JSON body.
    Json,
    /// In an `application/x-www-form-urlencoded` body.
    Form,
    /// In a text of a gRPC message.
    Utf8,
    /// In any other body.
    Plain,
}

/// All but the unreserved characters of RFC 3986, section 2.3.
const NOT_UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Characters that cannot stand in a request line at all, or would begin a fragment.
const NOT_IN_A_TARGET: &AsciiSet = &CONTROLS.add(b' ').add(b'#').add(b'"').add(b'<').add(b'>');

/// Appends a value, encoded for its place.
pub(super) fn put(place: Place, value: &[u8], out: &mut Vec<u8>) {
    match place {
        Place::TargetStart => {
            if !value.starts_with(b"/") {
                out.push(b'/');
            }
            put_percent(value, NOT_IN_A_TARGET, out);
        }
        Place::Target => put_percent(value, NOT_UNRESERVED, out),
        Place::Header => out.extend(value.iter().filter(|byte| may_stand_in_a_header(**byte))),
        Place::Json => put_json(value, out),
        Place::Form => {
            for part in form_urlencoded::byte_serialize(value) {
                out.extend_from_slice(part.as_bytes());
            }
        }
        Place::Utf8 => {
            // Bytes that are no UTF-8 become the replacement character, as in JSON.
            for chunk in value.utf8_chunks() {
                out.extend_from_slice(chunk.valid().as_bytes());
                if !chunk.invalid().is_empty() {
                    out.extend_from_slice("\u{fffd}".as_bytes());
                }
            }
        }
        Place::Plain => out.extend_from_slice(value),
    }
}

/// RFC 9110, section 5.5: no control characters but the tab. CR and LF would end the header, NUL
/// ends texts in C.
pub(super) fn may_stand_in_a_header(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// A literal target with everything encoded that cannot stand in one.
pub(super) fn mended_target(target: &str) -> String {
    percent_encode(target.as_bytes(), NOT_IN_A_TARGET).to_string()
}

fn put_percent(value: &[u8], set: &'static AsciiSet, out: &mut Vec<u8>) {
    for part in percent_encode(value, set) {
        out.extend_from_slice(part.as_bytes());
    }
}

fn put_json(value: &[u8], out: &mut Vec<u8>) {
    // Bytes that are no UTF-8 cannot stand in JSON; they become the replacement character.
    for chunk in value.utf8_chunks() {
        let text = chunk.valid().as_bytes();
        let mut done = 0;
        for (at, byte) in text.iter().enumerate() {
            let short: &[u8] = match byte {
                b'"' => b"\\\"",
                b'\\' => b"\\\\",
                b'\n' => b"\\n",
                b'\r' => b"\\r",
                b'\t' => b"\\t",
                0..=0x1f => b"",
                _ => continue,
            };
            out.extend_from_slice(&text[done..at]);
            done = at + 1;
            if short.is_empty() {
                // Writing into a Vec cannot fail.
                let _ = write!(out, "\\u{byte:04x}");
            } else {
                out.extend_from_slice(short);
            }
        }
        out.extend_from_slice(&text[done..]);
        if !chunk.invalid().is_empty() {
            out.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, put};
    use proptest::prelude::*;

    fn encoded(place: Place, value: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        put(place, value, &mut out);
        out
    }

    fn text(place: Place, value: &str) -> String {
        String::from_utf8(encoded(place, value.as_bytes())).expect("text in, text out")
    }

    #[test]
    fn a_value_in_a_target_stays_one_segment_and_one_parameter() {
        assert_eq!(text(Place::Target, "a b/c?d&e=f#g"), "a%20b%2Fc%3Fd%26e%3Df%23g");
        assert_eq!(text(Place::Target, "A-z.0_9~"), "A-z.0_9~");
        assert_eq!(text(Place::Target, "ü"), "%C3%BC");
    }

    #[test]
    fn a_value_at_the_start_of_a_target_is_a_path_with_its_query() {
        assert_eq!(text(Place::TargetStart, "/a/b?q=x%20y z"), "/a/b?q=x%20y%20z");
        assert_eq!(text(Place::TargetStart, "a\r\nHost: b"), "/a%0D%0AHost:%20b");
    }

    #[test]
    fn a_value_in_a_form_is_form_encoded() {
        assert_eq!(text(Place::Form, "a b&c=d+e"), "a+b%26c%3Dd%2Be");
    }

    #[test]
    fn a_value_in_a_plain_body_is_left_alone() {
        assert_eq!(encoded(Place::Plain, b"\r\n\xff{"), b"\r\n\xff{");
    }

    proptest! {
        #[test]
        fn no_value_can_end_a_header(value: Vec<u8>) {
            let out = encoded(Place::Header, &value);
            let mut head = b"GET / HTTP/1.1\r\nX-Value: ".to_vec();
            head.extend_from_slice(&out);
            head.extend_from_slice(b"\r\n\r\n");
            let mut headers = [httparse::EMPTY_HEADER; 4];
            let mut request = httparse::Request::new(&mut headers);
            let parsed = request.parse(&head);
            prop_assert_eq!(parsed, Ok(httparse::Status::Complete(head.len())));
            prop_assert_eq!(request.headers.len(), 1);
        }

        #[test]
        fn no_value_can_end_a_request_line(value: Vec<u8>) {
            for place in [Place::Target, Place::TargetStart] {
                let out = encoded(place, &value);
                prop_assert!(out.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'#'));
            }
        }

        #[test]
        fn a_value_in_a_target_comes_back(value: Vec<u8>) {
            let out = encoded(Place::Target, &value);
            let back: Vec<u8> = percent_encoding::percent_decode(&out).collect();
            prop_assert_eq!(back, value);
        }

        #[test]
        fn a_text_escaped_for_json_comes_back(value: String) {
            let mut json = b"\"".to_vec();
            put(Place::Json, value.as_bytes(), &mut json);
            json.push(b'"');
            let back: String = serde_json::from_slice(&json).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(back, value);
        }

        #[test]
        fn any_bytes_escaped_for_json_are_valid_json(value: Vec<u8>) {
            let mut json = b"\"".to_vec();
            put(Place::Json, &value, &mut json);
            json.push(b'"');
            let back: String = serde_json::from_slice(&json).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let lossy = String::from_utf8_lossy(&value);
            prop_assert_eq!(back.as_str(), lossy.as_ref());
        }

        #[test]
        fn a_value_in_a_form_comes_back_as_one_pair(value: String) {
            let mut form = b"a=".to_vec();
            put(Place::Form, value.as_bytes(), &mut form);
            let pairs: Vec<_> = url::form_urlencoded::parse(&form).collect();
            prop_assert_eq!(pairs, vec![("a".into(), value.into())]);
        }
    }
}
