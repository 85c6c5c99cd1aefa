//! The cookies of one user, by the rules of RFC 6265 as far as the servers of a load need them.
//!
//! A cookie belongs to a host, whatever its port: servers on one host share their cookies, as in browsers
//! (RFC 6265, section 8.5).

use cookie::Cookie;

/// Cookies of one user at most; then one goes for each that comes. Browsers keep 150 to 180 a
/// site, and a server that makes up names must not make the generator grow.
const MOST: usize = 150;

/// Bytes of name and value at most, as in browsers (RFC 6265, section 6.1).
const LONGEST: usize = 4096;

/// A server as cookies see it, and how its clock of dates relates to ours.
#[derive(Debug, Clone)]
pub(super) struct Site {
    host: String,
    is_ip: bool,
    is_secure: bool,
    /// Wall time minus monotonic time; cookies expire by dates.
    wall_ahead_s: i64,
}

/// The cookies of one user.
#[derive(Debug, Clone, Default)]
pub(super) struct Jar {
    kept: Vec<Kept>,
}

#[derive(Debug, Clone)]
struct Kept {
    name: String,
    value: String,
    path: String,
    /// The host that set it, or the domain that it is for.
    domain: String,
    /// Whether it goes to that host alone.
    is_host_only: bool,
    is_secure: bool,
    /// On the monotonic clock; none ends with the user.
    expires_s: Option<i64>,
}

impl Site {
    /// host: as in the plan, without a port. `wall_s`, `now_ns`: the same instant on both clocks.
    pub(super) fn new(host: &str, is_secure: bool, wall_s: i64, now_ns: u64) -> Self {
        let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        Self {
            is_ip: host.parse::<std::net::IpAddr>().is_ok(),
            host,
            is_secure,
            wall_ahead_s: wall_s - seconds(now_ns),
        }
    }

    /// RFC 6265, section 5.1.3: the host itself, or a parent of it.
    fn is_in(&self, domain: &str) -> bool {
        if self.host == domain {
            return true;
        }
        let Some(before) = self.host.strip_suffix(domain) else {
            return false;
        };
        !self.is_ip && !domain.is_empty() && before.ends_with('.')
    }
}

impl Kept {
    /// Whether it may go to this server.
    fn is_for(&self, site: &Site) -> bool {
        let is_there = site.host == self.domain || (!self.is_host_only && site.is_in(&self.domain));
        is_there && (site.is_secure || !self.is_secure)
    }
}

impl Jar {
    /// Keeps, replaces or removes the cookie of a Set-Cookie header; passes over what is none.
    ///
    /// target: of the request that was answered; its folder is the cookie's path if it names none.
    pub(super) fn keep(&mut self, header: &[u8], site: &Site, target: &[u8], now_ns: u64) {
        let text = String::from_utf8_lossy(header);
        let Ok(cookie) = Cookie::parse(text.as_ref()) else {
            return;
        };
        if cookie.name().len() + cookie.value().len() > LONGEST {
            return;
        }
        let domain = cookie.domain().map(str::to_ascii_lowercase).filter(|domain| !domain.is_empty());
        let is_host_only = domain.is_none();
        let domain = domain.unwrap_or_else(|| site.host.clone());
        if !site.is_in(&domain) {
            return;
        }
        let is_secure = cookie.secure().unwrap_or(false);
        if is_secure && !site.is_secure {
            return;
        }
        let now = seconds(now_ns);
        let expires_s = cookie
            .max_age()
            .map(|age| now.saturating_add(age.whole_seconds()))
            .or_else(|| Some(cookie.expires_datetime()?.unix_timestamp().saturating_sub(site.wall_ahead_s)));
        let path = cookie.path().filter(|path| path.starts_with('/'));
        let path = path.map_or_else(|| folder_of(target), str::to_owned);
        let place = self.kept.iter().position(|kept| {
            let is_alike = kept.name == cookie.name() && kept.path == path;
            is_alike && kept.is_host_only == is_host_only && kept.domain == domain
        });
        if expires_s.is_some_and(|expires| expires <= now) {
            place.map(|place| self.kept.remove(place));
            return;
        }
        if let Some(place) = place {
            let kept = &mut self.kept[place];
            kept.value.clear();
            kept.value.push_str(cookie.value());
            kept.is_secure = is_secure;
            kept.expires_s = expires_s;
            return;
        }
        if self.kept.len() >= MOST {
            self.kept.remove(0);
        }
        let (name, value) = (cookie.name().to_owned(), cookie.value().to_owned());
        self.kept.push(Kept { name, value, path, domain, is_host_only, is_secure, expires_s });
        // RFC 6265, section 5.4: longer paths first, else in the order of their coming (the sort
        // is stable).
        self.kept.sort_by_key(|kept| std::cmp::Reverse(kept.path.len()));
    }

    /// Appends what the Cookie header says for a target of a server: `a=1; b=2`. False if there is nothing.
    pub(super) fn put(&self, site: &Site, target: &[u8], now_ns: u64, out: &mut Vec<u8>) -> bool {
        let path = path_of(target);
        let now = seconds(now_ns);
        let mut is_first = true;
        for kept in &self.kept {
            let is_over = kept.expires_s.is_some_and(|expires| expires <= now);
            if is_over || !is_below(path, kept.path.as_bytes()) || !kept.is_for(site) {
                continue;
            }
            if !is_first {
                out.extend_from_slice(b"; ");
            }
            is_first = false;
            out.extend_from_slice(kept.name.as_bytes());
            out.push(b'=');
            out.extend_from_slice(kept.value.as_bytes());
        }
        !is_first
    }

    /// Whether there is nothing to send.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The values of all cookies, whomever they are for.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().map(|cookie| cookie.value.as_str())
    }
}

/// The value of the cookie of this name among Set-Cookie headers; of several the last.
pub(super) fn set_by<'a>(headers: &[httparse::Header<'a>], name: &str) -> Option<&'a [u8]> {
    let set = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("set-cookie"));
    set.filter_map(|header| {
        let pair = header.value.split(|byte| *byte == b';').next()?;
        let equals = pair.iter().position(|byte| *byte == b'=')?;
        let (key, value) = pair.split_at(equals);
        (key.trim_ascii() == name.as_bytes()).then(|| value[1..].trim_ascii())
    })
    .next_back()
}

fn seconds(ns: u64) -> i64 {
    // 2^64 ns are 585 years: the seconds fit.
    i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX)
}

fn path_of(target: &[u8]) -> &[u8] {
    let end = target.iter().position(|byte| matches!(byte, b'?' | b'#'));
    &target[..end.unwrap_or(target.len())]
}

/// RFC 6265, section 5.1.4: the path up to its last slash.
fn folder_of(target: &[u8]) -> String {
    let path = path_of(target);
    let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    if end == 0 { "/".to_owned() } else { String::from_utf8_lossy(&path[..end]).into_owned() }
}

/// RFC 6265, section 5.1.4: whether a path lies below (or is) that of a cookie.
fn is_below(path: &[u8], cookie: &[u8]) -> bool {
    path.strip_prefix(cookie)
        .is_some_and(|rest| rest.is_empty() || cookie.ends_with(b"/") || rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::{Jar, MOST, Site, set_by};
    use httparse::Header;

    const SECOND: u64 = 1_000_000_000;
    /// 2023-11-14 22:13:20 UTC.
    const WALL_S: i64 = 1_700_000_000;

    fn site() -> Site {
        Site::new("shop.example.org", false, WALL_S, 100 * SECOND)
    }

    fn jar(set: &[&str]) -> Jar {
        let mut jar = Jar::default();
        for header in set {
            jar.keep(header.as_bytes(), &site(), b"/cart/items?x=1", 100 * SECOND);
        }
        jar
    }

    fn sent(jar: &Jar, target: &str, now_s: u64) -> String {
        sent_to(&site(), jar, target, now_s)
    }

    fn sent_to(site: &Site, jar: &Jar, target: &str, now_s: u64) -> String {
        let mut out = Vec::new();
        jar.put(site, target.as_bytes(), now_s * SECOND, &mut out);
        String::from_utf8(out).expect("cookies are texts")
    }

    #[test]
    fn a_cookie_goes_where_its_path_leads() {
        let jar = jar(&["a=1; Path=/", "b=2", "c=3; Path=/cart", "d=4; Path=/cart/items/"]);
        assert_eq!(sent(&jar, "/", 100), "a=1");
        assert_eq!(sent(&jar, "/cart", 100), "b=2; c=3; a=1");
        assert_eq!(sent(&jar, "/cart/items/7?q=/", 100), "d=4; b=2; c=3; a=1");
        assert_eq!(sent(&jar, "/cartoon", 100), "a=1");
        assert_eq!(sent(&jar, "/?/cart", 100), "a=1");
    }

    #[test]
    fn a_new_value_replaces_the_old_one() {
        assert_eq!(sent(&jar(&["a=1; Path=/", "a=2; Path=/; HttpOnly; SameSite=Lax"]), "/", 100), "a=2");
    }

    #[test]
    fn values_are_sent_as_they_came() {
        assert_eq!(sent(&jar(&["a=\"x=y z\"; Path=/", "b=; Path=/"]), "/", 100), "a=\"x=y z\"; b=");
    }

    #[test]
    fn a_cookie_ends_with_its_age_or_date() {
        let jar = jar(&[
            "age=1; Path=/; Max-Age=10",
            "date=2; Path=/; Expires=Tue, 14 Nov 2023 22:13:25 GMT",
            "both=3; Path=/; Max-Age=20; Expires=Tue, 14 Nov 2023 22:13:25 GMT",
        ]);
        assert_eq!(sent(&jar, "/", 104), "age=1; date=2; both=3");
        assert_eq!(sent(&jar, "/", 105), "age=1; both=3");
        assert_eq!(sent(&jar, "/", 110), "both=3");
        assert_eq!(sent(&jar, "/", 120), "");
    }

    #[test]
    fn a_server_removes_a_cookie_by_letting_it_end() {
        assert!(jar(&["a=1; Path=/", "a=; Path=/; Max-Age=0"]).is_empty());
        assert!(jar(&["a=1; Path=/", "a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"]).is_empty());
    }

    #[test]
    fn a_cookie_for_another_host_is_not_kept() {
        assert!(jar(&["a=1; Domain=example.com", "b=2; Domain=op.example.org"]).is_empty());
        assert_eq!(sent(&jar(&["a=1; Path=/; Domain=.Example.org"]), "/", 100), "a=1");
        let mut at_ip = Jar::default();
        at_ip.keep(b"a=1; Domain=0.0.1; Path=/", &Site::new("127.0.0.1", false, 0, 0), b"/", 0);
        assert!(at_ip.is_empty());
        at_ip.keep(b"a=1; Domain=127.0.0.1; Path=/", &Site::new("127.0.0.1", false, 0, 0), b"/", 0);
        assert!(!at_ip.is_empty());
    }

    #[test]
    fn a_secure_cookie_is_only_kept_over_tls() {
        assert!(jar(&["a=1; Secure; Path=/"]).is_empty());
        let mut jar = Jar::default();
        let over_tls = Site::new("h", true, 0, 0);
        jar.keep(b"a=1; Secure; Path=/", &over_tls, b"/", 0);
        assert_eq!(sent_to(&over_tls, &jar, "/", 0), "a=1");
        assert_eq!(sent_to(&Site::new("h", false, 0, 0), &jar, "/", 0), "");
    }

    #[test]
    fn a_cookie_goes_to_the_host_that_set_it_or_to_the_domain_that_it_names() {
        let at = |host| Site::new(host, false, WALL_S, 100 * SECOND);
        let mut jar = jar(&["a=1; Path=/", "b=2; Path=/; Domain=example.org"]);
        jar.keep(b"a=3; Path=/", &at("auth.example.org"), b"/", 100 * SECOND);
        assert_eq!(sent(&jar, "/", 100), "a=1; b=2");
        assert_eq!(sent_to(&at("auth.example.org"), &jar, "/", 100), "b=2; a=3");
        assert_eq!(sent_to(&at("example.org"), &jar, "/", 100), "b=2");
        assert_eq!(sent_to(&at("elsewhere.test"), &jar, "/", 100), "");
    }

    #[test]
    fn a_jar_does_not_grow_without_end() {
        let mut jar = Jar::default();
        for n in 0..2 * MOST {
            jar.keep(format!("c{n}=1; Path=/").as_bytes(), &site(), b"/", 0);
        }
        let all = sent(&jar, "/", 0);
        assert_eq!(all.split("; ").count(), MOST);
        assert!(all.starts_with(&format!("c{MOST}=1")));
    }

    #[test]
    fn what_is_no_cookie_is_passed_over() {
        assert!(jar(&["", "=1", "; Path=/", "novalue"]).is_empty());
    }

    #[test]
    fn the_value_of_a_cookie_is_found_in_the_headers() {
        let header = |value: &'static str| Header { name: "Set-Cookie", value: value.as_bytes() };
        let headers = [header("a=1; Path=/"), header("sid = x=y ; HttpOnly"), header("a=2")];
        assert_eq!(set_by(&headers, "sid"), Some(b"x=y".as_slice()));
        assert_eq!(set_by(&headers, "a"), Some(b"2".as_slice()));
        assert_eq!(set_by(&headers, "Path"), None);
    }
}
