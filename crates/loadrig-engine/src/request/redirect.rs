//! Following a redirect: the same request again, to where the answer says, on a server of the plan.

use super::compose::put_cookies;
use super::cookies::Site;
use super::user::User;
use super::{Answer, RedirectError};
use crate::config::{EngineConfig, Server};
use url::Url;

/// The servers that a plan allows, by their numbers.
#[derive(Debug, Clone)]
pub(super) struct Origins(Vec<Origin>);

/// A server, as URLs name it.
#[derive(Debug, Clone)]
struct Origin {
    /// By the address of the plan, and by what its Host header says: a server builds its
    /// redirects from the latter.
    names: Vec<Url>,
    host_header: String,
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
    fn new(server: &Server) -> Self {
        let is_v6 = server.host.parse::<std::net::Ipv6Addr>().is_ok();
        let host = if is_v6 { format!("[{}]", server.host) } else { server.host.clone() };
        let authorities = [format!("{host}:{}", server.port), server.host_header.clone()];
        let urls = authorities.iter().map(|authority| format!("{}://{authority}/", server.scheme.as_str()));
        let names = urls.filter_map(|url| Url::parse(&url).ok()).collect();
        Self { names, host_header: server.host_header.clone() }
    }

    fn is_at(&self, url: &Url) -> bool {
        let is_named = |name: &Url| {
            (name.scheme(), name.host(), name.port_or_known_default())
                == (url.scheme(), url.host(), url.port_or_known_default())
        };
        self.names.iter().any(is_named)
    }

    fn is_on_host_of(&self, other: &Self) -> bool {
        self.names.iter().any(|name| other.names.iter().any(|other| name.host() == other.host()))
    }
}

impl Origins {
    /// The servers of the config.
    pub(super) fn new(config: &EngineConfig) -> Self {
        Self(config.servers().map(Origin::new).collect())
    }

    /// The server and the target that a Location leads to, from the request to this server with this target.
    pub(super) fn resolve(
        &self,
        server: usize,
        target: &[u8],
        location: &[u8],
    ) -> Result<(usize, String), RedirectError> {
        let base = self.0[server].names.first().ok_or(RedirectError::NoLocation)?;
        // Not `base.join(target)`: it would take `//x` for another host.
        let base = format!("{}{}", base.as_str().trim_end_matches('/'), String::from_utf8_lossy(target));
        let base = Url::parse(&base).map_err(|_| RedirectError::NoLocation)?;
        let location = std::str::from_utf8(location).map_err(|_| RedirectError::NoLocation)?;
        let url = base.join(location.trim()).map_err(|_| RedirectError::NoLocation)?;
        let mut servers = std::iter::once(server).chain(0..self.0.len());
        let next = servers.find(|next| self.0[*next].is_at(&url)).ok_or(RedirectError::OtherServer)?;
        let target = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        Ok((next, target))
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

    /// Server and target that the answer leads to; counts the hop, and changes method and headers if it must.
    pub(super) fn follow(
        &mut self,
        answer: &Answer<'_>,
        origins: &Origins,
        (server, target): (usize, &[u8]),
        most: u32,
    ) -> Result<(usize, String), RedirectError> {
        if !is_redirect(answer.status) {
            return Err(RedirectError::NotOne);
        }
        let location = answer.headers.iter().find(|header| header.name.eq_ignore_ascii_case("location"));
        let location = location.ok_or(RedirectError::NoLocation)?;
        if self.hops >= most {
            return Err(RedirectError::TooMany);
        }
        let next = origins.resolve(server, target, location.value)?;
        self.hops += 1;
        if next.0 != server {
            self.turn_to(&origins.0[next.0], &origins.0[server]);
        }
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

    /// The next request goes to another server. What lets the user in is for the host that it was made for.
    fn turn_to(&mut self, next: &Origin, before: &Origin) {
        let is_same_host = next.is_on_host_of(before);
        if !is_same_host {
            self.own_cookie.clear();
        }
        let mut headers = Vec::with_capacity(self.headers.len());
        for line in self.headers.split_inclusive(|byte| *byte == b'\n') {
            match name_in(line).as_slice() {
                b"host" => headers.extend_from_slice(format!("Host: {}\r\n", next.host_header).as_bytes()),
                b"authorization" if !is_same_host => {}
                _ => headers.extend_from_slice(line),
            }
        }
        self.headers = headers;
    }

    /// Appends the request for the new target.
    pub(super) fn compose(&self, user: &User, site: &Site, target: &[u8], now_ns: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.method);
        out.extend_from_slice(target);
        out.extend_from_slice(&self.headers);
        put_cookies(user, site, target, now_ns, &self.own_cookie, out);
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
        let name = name_in(line);
        !name.starts_with(b"content-") && name != b"transfer-encoding"
    };
    headers.split_inclusive(|byte| *byte == b'\n').filter(is_kept).flatten().copied().collect()
}

/// Name of the header in a line, in small letters.
fn name_in(line: &[u8]) -> Vec<u8> {
    line.split(|byte| *byte == b':').next().unwrap_or_default().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Origins, Trail};
    use crate::config::EngineConfig;
    use crate::config::tests::small;
    use crate::request::cookies::Site;
    use crate::request::user::User;
    use crate::request::{Answer, RedirectError};
    use httparse::Header;

    /// A server whose Host header says this, and one at auth.test beside it.
    fn origins(host_header: &str) -> Origins {
        let mut config = small();
        config["server"]["host_header"] = host_header.into();
        let mut auth = config["server"].clone();
        auth["host"] = "auth.test".into();
        auth["host_header"] = "auth.test:8000".into();
        config["further_servers"] = [auth].into();
        Origins::new(&EngineConfig::parse(&config.to_string()).expect("the config is right"))
    }

    fn resolved_at(server: usize, target: &str, location: &str) -> Result<(usize, String), RedirectError> {
        origins("shop.test").resolve(server, target.as_bytes(), location.as_bytes())
    }

    fn resolved(target: &str, location: &str) -> Result<String, RedirectError> {
        resolved_at(0, target, location).map(|(_, target)| target)
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

    #[test]
    fn a_location_may_lead_to_any_server_of_the_plan() {
        let there = |server, target: &str| Ok((server, target.to_owned()));
        assert_eq!(resolved_at(0, "/", "http://auth.test:8000/in?a=1"), there(1, "/in?a=1"));
        assert_eq!(resolved_at(1, "/in", "http://shop.test/cart"), there(0, "/cart"));
        assert_eq!(resolved_at(1, "/in", "/out"), there(1, "/out"));
        assert_eq!(resolved_at(1, "/in", "http://auth.test/"), Err(RedirectError::OtherServer));
    }

    #[test]
    fn what_lets_a_user_in_goes_to_no_other_host() {
        let mut trail = Trail::default();
        trail.begin(b"GET ", b" HTTP/1.1\r\nHost: shop.test\r\nAuthorization: x\r\nX: y\r\n", b"own=1");
        trail.keep_tail(b"\r\n");
        let headers = [Header { name: "location", value: b"http://auth.test:8000/in" }];
        let answer = Answer { status: 302, headers: &headers, body: &[], body_bytes: 0, response_ns: 0 };
        let (server, target) =
            trail.follow(&answer, &origins("shop.test"), (0, b"/"), 1).expect("a redirect");
        let mut out = Vec::new();
        let site = Site::new("auth.test", false, 0, 0);
        trail.compose(&User::new(1, 0, 0), &site, target.as_bytes(), 0, &mut out);
        assert_eq!(server, 1);
        assert_eq!(out, b"GET /in HTTP/1.1\r\nHost: auth.test:8000\r\nX: y\r\n\r\n");
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
        let (_, target) = trail.follow(&answer, &origins("a"), (0, b"/here"), 1).expect("a redirect");
        let mut out = Vec::new();
        let site = Site::new("a", false, 0, 0);
        trail.compose(&User::new(1, 0, 0), &site, target.as_bytes(), 0, &mut out);
        assert_eq!(trail.follow(&answer, &origins("a"), (0, b"/there"), 1), Err(RedirectError::TooMany));
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
        let origins = origins("a");
        let mut follow = |status| {
            let answer = Answer { status, headers: &[], body: &[], body_bytes: 0, response_ns: 0 };
            trail.follow(&answer, &origins, (0, b"/"), 5)
        };
        assert_eq!(follow(200), Err(RedirectError::NotOne));
        assert_eq!(follow(304), Err(RedirectError::NotOne));
        assert_eq!(follow(302), Err(RedirectError::NoLocation));
    }
}
