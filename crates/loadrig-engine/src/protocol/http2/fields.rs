//! A composed request, which is written as HTTP/1 has it, as the fields and the body of HTTP/2.
//!
//! Source: RFC 9113, sections 8.2 and 8.3.

use std::mem::MaybeUninit;

use httparse::{Header, Request, Status};
use libnghttp2_sys::{NGHTTP2_NV_FLAG_NONE, nghttp2_nv};

/// Fields of a request at most.
const FIELDS_MOST: usize = 128;

/// Fields that speak about an HTTP/1 connection and have no place in HTTP/2.
const OF_HTTP1: [&str; 5] = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];

/// Makes the fields of a request, in `fields`, and returns its body. They point into `request` and
/// are good as long as it is. None if it is no request, which the composer would have to answer for.
pub(super) fn fields<'a>(
    request: &'a [u8],
    scheme: &'static str,
    fields: &mut Vec<nghttp2_nv>,
) -> Option<&'a [u8]> {
    let mut room: [MaybeUninit<Header<'_>>; FIELDS_MOST] = [const { MaybeUninit::uninit() }; FIELDS_MOST];
    let mut parsed = Request::new(&mut []);
    let Ok(Status::Complete(head)) = parsed.parse_with_uninit_headers(request, &mut room) else {
        return None;
    };
    let host = parsed.headers.iter().find(|header| header.name.eq_ignore_ascii_case("host"))?;
    fields.clear();
    fields.push(field(b":method", parsed.method?.as_bytes()));
    fields.push(field(b":scheme", scheme.as_bytes()));
    fields.push(field(b":authority", host.value));
    fields.push(field(b":path", parsed.path?.as_bytes()));
    for header in parsed.headers.iter() {
        let is = |name: &&str| header.name.eq_ignore_ascii_case(name);
        if !is(&"host") && !OF_HTTP1.iter().any(is) {
            fields.push(field(header.name.as_bytes(), header.value));
        }
    }
    Some(&request[head..])
}

/// nghttp2 copies name and value and makes the name's letters small.
fn field(name: &[u8], value: &[u8]) -> nghttp2_nv {
    nghttp2_nv {
        name: name.as_ptr().cast_mut(),
        value: value.as_ptr().cast_mut(),
        namelen: name.len(),
        valuelen: value.len(),
        #[expect(clippy::cast_possible_truncation, reason = "the flag is 0")]
        flags: NGHTTP2_NV_FLAG_NONE as u8,
    }
}
