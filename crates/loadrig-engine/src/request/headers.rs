//! The headers of a bad answer, as they may be shown: who has said no, and when to come again.
//!
//! A header may hold what was given to one user alone, and its name need not tell. So the values of a few
//! that are known to say nothing of a user are shown, and of all others the name.

use super::withheld::Withheld;

/// Headers shown at most.
const SHOWN_MOST: usize = 24;

/// Bytes of a line shown.
const LONGEST: usize = 200;

/// Names whose values say how a server or a proxy on the way is made and what became of the request, and
/// nothing of who asked.
const HARMLESS: [&str; 32] = [
    "age",
    "allow",
    "alt-svc",
    "cache-control",
    "cf-cache-status",
    "connection",
    "content-encoding",
    "content-language",
    "content-length",
    "content-type",
    "date",
    "expires",
    "grpc-status",
    "keep-alive",
    "proxy-status",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
    "retry-after",
    "server",
    "server-timing",
    "transfer-encoding",
    "upgrade",
    "vary",
    "via",
    "x-cache",
    "x-envoy-upstream-service-time",
    "x-powered-by",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-runtime",
];

/// Text in place of a value that is not shown.
const MASK: &str = "***";

/// The headers as lines, in their order and in one writing whatever the version of HTTP.
pub(super) fn shown_headers(headers: &[httparse::Header<'_>], withheld: &Withheld<'_>) -> Vec<String> {
    headers.iter().take(SHOWN_MOST).map(|header| line(header, withheld)).collect()
}

fn line(header: &httparse::Header<'_>, withheld: &Withheld<'_>) -> String {
    let name = header.name.to_ascii_lowercase();
    let is_harmless = HARMLESS.binary_search(&name.as_str()).is_ok();
    let value = if is_harmless { withheld.out_of(header.value) } else { MASK.into() };
    // A server may have made a name of what it was sent, in its own writing or in ours.
    let mut text = withheld.out_of(header.name.as_bytes());
    if text == header.name.as_bytes() {
        text = name.into_bytes();
    }
    text.extend_from_slice(b": ");
    text.extend_from_slice(&value);
    text.truncate(LONGEST);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::HARMLESS;

    #[test]
    fn harmless_names_are_small_and_in_order_as_the_search_needs_them() {
        assert!(HARMLESS.is_sorted());
        assert!(HARMLESS.iter().all(|name| *name == name.to_ascii_lowercase()));
    }
}
