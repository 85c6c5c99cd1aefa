//! The request that asks for a WebSocket, and the message that follows it.
//!
//! They are composed as one: the head is that of the upgrade, the body is the message. The head is
//! sent only when the connection is to become a WebSocket.
//!
//! Source: RFC 6455, section 4.1.

/// The fields that ask for the upgrade, but for the key, which is another for each connection.
pub(super) const FIELDS: &[u8] =
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";

/// Head, with the empty line at its end, and message of a composed request.
pub(crate) fn parted(request: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memmem::find(request, b"\r\n\r\n").map_or(request.len(), |at| at + 4);
    request.split_at(end)
}

/// Appends the head with the key.
pub(crate) fn put_head(head: &[u8], key: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(head.strip_suffix(b"\r\n").unwrap_or(head));
    out.extend_from_slice(b"Sec-WebSocket-Key: ");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\r\n\r\n");
}

#[cfg(test)]
mod tests {
    use super::{parted, put_head};

    #[test]
    fn the_key_is_the_last_field_of_the_head_and_the_message_is_what_follows() {
        let (head, message) = parted(b"GET / HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\nthere");
        assert_eq!(message, b"hello\r\n\r\nthere");
        let mut out = Vec::new();
        put_head(head, "abc", &mut out);
        assert_eq!(out, b"GET / HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Key: abc\r\n\r\n");
    }
}
