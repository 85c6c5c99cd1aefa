//! The status of a call: a number of gRPC's own, from a header or a trailer.

use httparse::Header;
use percent_encoding::percent_decode;

/// Names of the codes, each at its number.
///
/// Source: <https://github.com/grpc/grpc/blob/master/doc/statuscodes.md>.
const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The code as a number, if there is one. Trailers come after headers, so the last one counts.
pub(super) fn code(headers: &[Header<'_>]) -> Option<u16> {
    std::str::from_utf8(last(headers, "grpc-status")?.trim_ascii()).ok()?.parse().ok()
}

/// The last header or trailer of a name.
pub(super) fn last<'a>(headers: &[Header<'a>], name: &str) -> Option<&'a [u8]> {
    let found = headers.iter().rev().find(|header| header.name.eq_ignore_ascii_case(name));
    found.map(|header| header.value)
}

/// A bad status in words: the code, its name, and what the server says about it.
pub(super) fn in_words(code: u16, headers: &[Header<'_>]) -> String {
    let mut text = format!("gRPC status {code}");
    if let Some(name) = NAMES.get(usize::from(code)) {
        text.push(' ');
        text.push_str(name);
    }
    let said = last(headers, "grpc-message").unwrap_or_default().trim_ascii();
    if !said.is_empty() {
        let said = percent_decode(said).decode_utf8_lossy();
        text.push_str(": ");
        text.push_str(&said.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    text
}

/// Reason why there is no code, in words.
pub(super) fn none_in_words(headers: &[Header<'_>]) -> String {
    let shown = |value| String::from_utf8_lossy(value).into_owned();
    match (last(headers, "grpc-status"), last(headers, "content-type")) {
        (Some(text), _) => format!("gRPC status {:?} is no number", shown(text)),
        (None, Some(kind)) if !kind.starts_with(b"application/grpc") => {
            format!("no gRPC status; the answer is {}", shown(kind))
        }
        (None, _) => "no gRPC status".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{code, in_words, none_in_words};
    use httparse::Header;

    fn header<'a>(name: &'a str, value: &'a str) -> Header<'a> {
        Header { name, value: value.as_bytes() }
    }

    #[test]
    fn a_trailer_counts_more_than_a_header() {
        assert_eq!(code(&[header("Grpc-Status", "0"), header("grpc-status", " 13 ")]), Some(13));
        assert_eq!(code(&[header("grpc-status", "")]), None);
        assert_eq!(code(&[]), None);
    }

    #[test]
    fn a_status_is_told_with_its_name_and_message() {
        let message = header("grpc-message", "no%20order%0A%E2%82%AC7 %");
        assert_eq!(in_words(5, &[message]), "gRPC status 5 NOT_FOUND: no order €7 %");
        assert_eq!(in_words(16, &[]), "gRPC status 16 UNAUTHENTICATED");
        assert_eq!(in_words(99, &[header("grpc-message", "")]), "gRPC status 99");
    }

    #[test]
    fn a_missing_status_is_told_with_what_came_instead() {
        assert_eq!(none_in_words(&[]), "no gRPC status");
        assert_eq!(none_in_words(&[header("content-type", "application/grpc+proto")]), "no gRPC status");
        let html = [header("content-type", "text/html")];
        assert_eq!(none_in_words(&html), "no gRPC status; the answer is text/html");
        assert_eq!(none_in_words(&[header("grpc-status", "ok")]), "gRPC status \"ok\" is no number");
    }
}
