//! Following a redirect: the same request again, to where the answer says, on the same server.

use super::compose::put_cookies;
use super::user::User;
use super::{Answer, RedirectError};
use crate::config::Server;
use url::Url;

/// The server that a plan allows, as URLs name it.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    /// By the address of the plan, and by what its Host header says: a server builds its
    /// redirects from the latter.
    names: Vec<Url>,
}

/// A request that may be redirected, kept so that the same values are sent again.
#[derive(Debug, Default)]
pub(super) struct Trail {
    method: Vec<u8>,
    headers: Vec<u8>,
    own_cookie: Vec<u8>,
    tail: Vec<u8>,
    hops: u32,
    /// Reason why the last redirect was not followed.
    pub(super) refused: Option<RedirectError>,
}

impl Origin {
    /// The server of the config.
    pub(super) fn new(server: &Server) -> Self {
        let is_v6 = server.host.parse::<std::net::Ipv6Addr>().is_ok();
        let host = if is_v6 { format!("[{}]", server.host) } else { server.host.clone() };
        let authorities = [format!("{host}:{}", server.port), server.host_header.clone()];
        let urls = authorities.iter().map(|authority| format!("{}://{authority}/", server.scheme.as_str()));
        Self { names: urls.filter_map(|url| Url::parse(&url).ok()).collect() }
    }

    /// The target that a Location leads to, from the request with this target.
    pub(super) fn resolve(&self, target: &[u8], location: &[u8]) -> Result<String, RedirectError> {
        let base = self.names.first().ok_or(RedirectError::NoLocation)?;
        // Not `base.join(target)`: it would take `//x` for another host.
        let base = format!("{}{}", base.as_str().trim_end_matches('/'), String::from_utf8_lossy(target));
        let base = Url::parse(&base).map_err(|_| RedirectError::NoLocation)?;
        let location = std::str::from_utf8(location).map_err(|_| RedirectError::NoLocation)?;
        let url = base.join(location.trim()).map_err(|_| RedirectError::NoLocation)?;
        let is_ours = |name: &Url| {
            (name.scheme(), name.host(), name.port_or_known_default())
                == (url.scheme(), url.host(), url.port_or_known_default())
        };
        if !self.names.iter().any(is_ours) {
            return Err(RedirectError::OtherServer);
        }
        Ok(match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        })
    }
}

impl Trail {
    /// A request was composed. method: with the space after it.
    pub(super) fn begin(&mut self, method: &[u8], headers: &[u8], own_cookie: &[u8]) {
        let kept =
            [(&mut self.method, method), (&mut self.headers, headers), (&mut self.own_cookie, own_cookie)];
        for (kept, now) in kept {
            kept.clear();
            kept.extend_from_slice(now);
        }
        self.hops = 0;
        self.refused = None;
    }

    /// Its Content-Length, empty line and body.
    pub(super) fn keep_tail(&mut self, tail: &[u8]) {
        self.tail.clear();
        self.tail.extend_from_slice(tail);
    }

    /// Address that the answer leads to; counts the hop and changes the method if it must.
    pub(super) fn follow(
        &mut self,
        answer: &Answer<'_>,
        origin: &Origin,
        target: &[u8],
        most: u32,
    ) -> Result<String, RedirectError> {
        if !is_redirect(answer.status) {
            return Err(RedirectError::NotOne);
        }
        let location = answer.headers.iter().find(|header| header.name.eq_ignore_ascii_case("location"));
        let location = location.ok_or(RedirectError::NoLocation)?;
        if self.hops >= most {
            return Err(RedirectError::TooMany);
        }
        let next = origin.resolve(target, location.value)?;
        self.hops += 1;
        // RFC 9110, sections 15.4.2 to 15.4.4.
        let becomes_get = match answer.status {
            303 => self.method != b"HEAD ",
            301 | 302 => self.method == b"POST ",
            _ => false,
        };
        if becomes_get {
            self.method = b"GET ".to_vec();
            self.headers = without_content(&self.headers);
            self.tail = b"\r\n".to_vec();
        }
        Ok(next)
    }

    /// Appends the request for the new target.
    pub(super) fn compose(&self, user: &User, target: &[u8], now_ns: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.method);
        out.extend_from_slice(target);
        out.extend_from_slice(&self.headers);
        put_cookies(user, target, now_ns, &self.own_cookie, out);
        out.extend_from_slice(&self.tail);
    }
}

/// Whether an answer with this status leads elsewhere.
pub(super) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Header lines but for those on a body.
fn without_content(headers: &[u8]) -> Vec<u8> {
    let is_kept = |line: &&[u8]| {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default().to_ascii_lowercase();
        !name.starts_with(b"content-") && name != b"transfer-encoding"
    };
    headers.split_inclusive(|byte| *byte == b'\n').filter(is_kept).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::{Origin, Trail};
    use crate::config::EngineConfig;
    use crate::config::tests::small;
    use crate::request::{Answer, RedirectError};
    use httparse::Header;

    fn origin(host_header: &str) -> Origin {
        let mut config = small();
        config["server"]["host_header"] = host_header.into();
        Origin::new(&EngineConfig::parse(&config.to_string()).expect("the config is right").server)
    }

    fn resolved(target: &str, location: &str) -> Result<String, RedirectError> {
        origin("shop.test").resolve(target.as_bytes(), location.as_bytes())
    }

    #[test]
    fn locations_are_resolved_from_the_target() {
        for (location, wanted) in [
            ("/cart", "/cart"),
            ("items?page=2#top", "/shop/items?page=2"),
            ("../x", "/x"),
            ("?b=1", "/shop/list?b=1"),
            ("http://127.0.0.1:8000/a b", "/a%20b"),
            ("http://shop.test/y", "/y"),
            ("//127.0.0.1:8000/z", "/z"),
            ("", "/shop/list?a=1"),
        ] {
            assert_eq!(resolved("/shop/list?a=1", location).as_deref(), Ok(wanted), "{location}");
        }
        assert_eq!(resolved("//evil/x", "y").as_deref(), Ok("//evil/y"));
    }

    #[test]
    fn another_server_is_never_asked() {
        for location in [
            "http://example.org/",
            "https://127.0.0.1:8000/",
            "http://127.0.0.1/",
            "//example.org/",
            "http://127.0.0.2:8000/",
            "file:///etc/passwd",
        ] {
            assert_eq!(resolved("/", location), Err(RedirectError::OtherServer), "{location}");
        }
        assert_eq!(resolved("/", "http://["), Err(RedirectError::NoLocation));
    }

    fn trail(method: &str) -> Trail {
        let mut trail = Trail::default();
        let headers = " HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nX: Content-Y: 1\r\n";
        trail.begin(format!("{method} ").as_bytes(), headers.as_bytes(), b"own=1");
        trail.keep_tail(b"Content-Length: 2\r\n\r\nhi");
        trail
    }

    fn followed(method: &str, status: u16) -> String {
        let mut trail = trail(method);
        let headers = [Header { name: "location", value: b"/there" }];
        let answer = Answer { status, headers: &headers, body: &[], body_bytes: 0, response_ns: 0 };
        let target = trail.follow(&answer, &origin("a"), b"/here", 1).expect("a redirect");
        let mut out = Vec::new();
        trail.compose(&crate::request::user::User::new(1, 0, 0), target.as_bytes(), 0, &mut out);
        assert_eq!(trail.follow(&answer, &origin("a"), b"/there", 1), Err(RedirectError::TooMany));
        String::from_utf8(out).expect("a text")
    }

    const SAME: &str = " /there HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nX: Content-Y: 1\r\n\
                        Cookie: own=1\r\nContent-Length: 2\r\n\r\nhi";
    const GET: &str = "GET /there HTTP/1.1\r\nHost: a\r\nX: Content-Y: 1\r\nCookie: own=1\r\n\r\n";

    #[test]
    fn a_post_becomes_a_get_where_the_standard_says_so() {
        for status in [301, 302, 303] {
            assert_eq!(followed("POST", status), GET, "{status}");
        }
        assert_eq!(followed("PUT", 303), GET);
    }

    #[test]
    fn other_requests_are_sent_again_as_they_were() {
        for (method, status) in [("POST", 307), ("POST", 308), ("PUT", 301), ("PUT", 302)] {
            assert_eq!(followed(method, status), format!("{method}{SAME}"), "{method} {status}");
        }
        assert!(followed("HEAD", 303).starts_with("HEAD /there"));
    }

    #[test]
    fn what_is_no_redirect_is_not_followed() {
        let mut trail = trail("GET");
        let origin = origin("a");
        let mut follow = |status| {
            let answer = Answer { status, headers: &[], body: &[], body_bytes: 0, response_ns: 0 };
            trail.follow(&answer, &origin, b"/", 5)
        };
        assert_eq!(follow(200), Err(RedirectError::NotOne));
        assert_eq!(follow(304), Err(RedirectError::NotOne));
        assert_eq!(follow(302), Err(RedirectError::NoLocation));
    }
}
