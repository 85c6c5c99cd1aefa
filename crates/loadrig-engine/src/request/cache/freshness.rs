//! Freshness of an answer (RFC 9111, section 4.2): how long it may stand for the next one.

use cookie::Cookie;

/// Seconds that stand for any number which is too large (RFC 9111, section 1.2.2).
const LONGEST_S: u64 = 1 << 31;

/// Share of the time since the last change for which an answer that names no other time is fresh
/// (RFC 9111, section 4.2.2). Browsers and `JMeter` take the same.
const HEURISTIC_DIVISOR: i128 = 10;

const SECOND_NS: i128 = 1_000_000_000;

/// The directives of a Cache-Control header that a private cache acts on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::request) struct Directives {
    /// Nothing of it may be kept.
    pub no_store: bool,
    /// It may not be used without asking. Also where it names fields (RFC 9111, section 5.2.2.4).
    pub no_cache: bool,
    /// Seconds for which it is fresh; 0 where what is written is no number (RFC 9111, section 4.2.1).
    pub max_age_s: Option<u64>,
}

impl Directives {
    /// Reads the value of the header; of several with one name the first counts.
    pub(in crate::request) fn read(header: &[u8]) -> Self {
        let mut directives = Self::default();
        for directive in parts(header) {
            let (name, value) = match directive.iter().position(|byte| *byte == b'=') {
                Some(equals) => (&directive[..equals], &directive[equals + 1..]),
                None => (directive, [].as_slice()),
            };
            match name.trim_ascii().to_ascii_lowercase().as_slice() {
                b"no-store" => directives.no_store = true,
                b"no-cache" => directives.no_cache = true,
                b"max-age" => {
                    directives.max_age_s.get_or_insert(seconds(value).unwrap_or(0));
                }
                _ => {}
            }
        }
        directives
    }
}

/// Header values of an answer on which its freshness depends, and by which it is validated. A header that an
/// answer has not is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::request) struct Fields {
    pub cache_control: Option<Box<[u8]>>,
    pub expires: Option<Box<[u8]>>,
    pub last_modified: Option<Box<[u8]>>,
    pub etag: Option<Box<[u8]>>,
}

impl Fields {
    /// The values of an answer, those of several lines of one header as a list (RFC 9110, section 5.3).
    pub(in crate::request) fn of(headers: &[httparse::Header<'_>]) -> Self {
        Self {
            cache_control: joined(headers, "cache-control"),
            expires: first(headers, "expires").map(Into::into),
            last_modified: first(headers, "last-modified").map(Into::into),
            etag: first(headers, "etag").map(Into::into),
        }
    }

    /// These values, and those of an older answer where there are none (RFC 9111, section 3.2).
    pub(in crate::request) fn over(self, older: &Self) -> Self {
        Self {
            cache_control: self.cache_control.or_else(|| older.cache_control.clone()),
            expires: self.expires.or_else(|| older.expires.clone()),
            last_modified: self.last_modified.or_else(|| older.last_modified.clone()),
            etag: self.etag.or_else(|| older.etag.clone()),
        }
    }

    /// The directives of its Cache-Control.
    pub(in crate::request) fn directives(&self) -> Directives {
        self.cache_control.as_deref().map(Directives::read).unwrap_or_default()
    }

    /// Whether the server can be asked if it still holds.
    pub(in crate::request) fn has_validator(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }

    /// Bytes of all values.
    pub(in crate::request) fn size(&self) -> usize {
        let all = [&self.cache_control, &self.expires, &self.last_modified, &self.etag];
        all.into_iter().flatten().map(|value| value.len()).sum()
    }

    /// Time for which the answer is fresh from its Date on, in ns.
    fn lifetime_ns(&self, date_ns: i128) -> i128 {
        let directives = self.directives();
        if directives.no_cache {
            return 0;
        }
        if let Some(max_age_s) = directives.max_age_s {
            return i128::from(max_age_s) * SECOND_NS;
        }
        if let Some(expires) = &self.expires {
            // RFC 9111, section 5.3: what is no date, such as 0, is a time in the past.
            return wall_ns(expires).map_or(0, |expires_ns| expires_ns - date_ns);
        }
        let last_modified_ns = self.last_modified.as_deref().and_then(wall_ns);
        last_modified_ns.map_or(0, |changed_ns| (date_ns - changed_ns) / HEURISTIC_DIVISOR)
    }
}

/// Instants of an exchange on the monotonic clock, and how far the wall clock is ahead of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "each says its unit")]
pub(in crate::request) struct Instants {
    pub asked_ns: u64,
    pub answered_ns: u64,
    pub wall_ahead_ns: i64,
}

/// Instant on the monotonic clock until which an answer is fresh; none if it is not at all.
///
/// headers: of the answer, for its Date and Age (RFC 9111, section 4.2.3).
pub(in crate::request) fn fresh_until_ns(
    fields: &Fields,
    headers: &[httparse::Header<'_>],
    at: Instants,
) -> Option<u64> {
    let answered_ns = i128::from(at.answered_ns);
    let answered_wall_ns = answered_ns + i128::from(at.wall_ahead_ns);
    let date_ns = first(headers, "date").and_then(wall_ns).unwrap_or(answered_wall_ns);
    let apparent_ns = (answered_wall_ns - date_ns).max(0);
    // RFC 9111, section 5.1: an Age that is no number is passed over.
    let stated_s = first(headers, "age").and_then(seconds).unwrap_or(0);
    let delay_ns = i128::from(at.answered_ns.saturating_sub(at.asked_ns));
    let age_ns = apparent_ns.max(i128::from(stated_s) * SECOND_NS + delay_ns);
    let until_ns = answered_ns + fields.lifetime_ns(date_ns) - age_ns;
    (until_ns > answered_ns).then(|| u64::try_from(until_ns).unwrap_or(u64::MAX))
}

/// The first header of this name.
pub(in crate::request) fn first<'a>(headers: &[httparse::Header<'a>], name: &str) -> Option<&'a [u8]> {
    let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
    Some(header.value.trim_ascii())
}

/// All headers of this name as one list.
pub(in crate::request) fn joined(headers: &[httparse::Header<'_>], name: &str) -> Option<Box<[u8]>> {
    let alike = headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let values: Vec<&[u8]> = alike.map(|header| header.value).collect();
    (!values.is_empty()).then(|| values.join(b", ".as_slice()).into())
}

/// The parts of a list: between commas that stand in no quotes.
pub(in crate::request) fn parts(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let parts = list.split(move |byte| {
        let was_escaped = std::mem::replace(&mut is_escaped, false);
        match byte {
            _ if was_escaped => {}
            b'\\' => is_escaped = is_quoted,
            b'"' => is_quoted = !is_quoted,
            b',' => return !is_quoted,
            _ => {}
        }
        false
    });
    parts.map(<[u8]>::trim_ascii).filter(|part| !part.is_empty())
}

/// Seconds as a header writes them, with or without quotes.
fn seconds(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let text = text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text);
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(text).ok().filter(|_| is_number)?;
    // Digits that do not fit are more than the longest time.
    Some(text.parse().unwrap_or(LONGEST_S).min(LONGEST_S))
}

/// The instant of a date in one of the three formats of RFC 9110, section 5.6.7, in ns since 1970.
///
/// The dates of cookies have the same formats, and the library that reads those is here.
fn wall_ns(date: &[u8]) -> Option<i128> {
    let date = std::str::from_utf8(date).ok().filter(|date| !date.contains(';'))?;
    let cookie = Cookie::parse(format!("date=; Expires={date}")).ok()?;
    Some(cookie.expires_datetime()?.unix_timestamp_nanos())
}

#[cfg(test)]
mod tests {
    use super::{Directives, Fields, Instants, LONGEST_S, fresh_until_ns, wall_ns};
    use httparse::Header;
    use proptest::prelude::*;

    const S: u64 = 1_000_000_000;
    /// 2023-11-14 22:13:20 UTC, when the answer comes.
    const NOW: &str = "Tue, 14 Nov 2023 22:13:20 GMT";
    const AT: Instants = Instants {
        asked_ns: 100 * S,
        answered_ns: 100 * S,
        wall_ahead_ns: 1_700_000_000_000_000_000 - 100_000_000_000,
    };

    /// Seconds for which an answer with these headers is fresh.
    fn fresh_s(headers: &[(&str, &str)], at: Instants) -> Option<u64> {
        let headers: Vec<Header<'_>> =
            headers.iter().map(|(name, value)| Header { name, value: value.as_bytes() }).collect();
        Some((fresh_until_ns(&Fields::of(&headers), &headers, at)? - at.answered_ns) / S)
    }

    #[test]
    fn max_age_says_how_long_an_answer_is_fresh() {
        assert_eq!(fresh_s(&[("Cache-Control", "private, max-age=60")], AT), Some(60));
        assert_eq!(fresh_s(&[("cache-control", "Max-Age=\"60\" , must-revalidate")], AT), Some(60));
        assert_eq!(fresh_s(&[("Cache-Control", "public"), ("Cache-Control", "max-age=5")], AT), Some(5));
        assert_eq!(fresh_s(&[("Cache-Control", "max-age=0")], AT), None);
        for wrong in ["max-age=soon", "max-age=-1", "max-age=", "max-age", "max-age=1.5"] {
            assert_eq!(fresh_s(&[("Cache-Control", wrong)], AT), None, "{wrong}");
        }
        assert_eq!(fresh_s(&[("Cache-Control", "max-age=99999999999999999999999")], AT), Some(LONGEST_S));
    }

    #[test]
    fn max_age_counts_for_more_than_expires() {
        let past = ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(fresh_s(&[past, ("Cache-Control", "max-age=60")], AT), Some(60));
        let later = ("Expires", "Tue, 14 Nov 2023 23:13:20 GMT");
        assert_eq!(fresh_s(&[later, ("Cache-Control", "max-age=0")], AT), None);
        assert_eq!(fresh_s(&[later, ("Cache-Control", "no-cache")], AT), None);
        assert_eq!(fresh_s(&[later, ("Cache-Control", "no-cache=\"Set-Cookie\"")], AT), None);
    }

    #[test]
    fn a_shared_caches_age_is_no_matter_to_a_user() {
        assert_eq!(fresh_s(&[("Cache-Control", "s-maxage=600, max-age=6")], AT), Some(6));
        assert_eq!(fresh_s(&[("Cache-Control", "s-maxage=600")], AT), None);
    }

    #[test]
    fn expires_counts_from_the_servers_own_date() {
        let expires = ("Expires", "Tue, 14 Nov 2023 22:14:20 GMT");
        assert_eq!(fresh_s(&[expires], AT), Some(60));
        assert_eq!(fresh_s(&[expires, ("Date", NOW)], AT), Some(60));
        // The server's clock is 30 s ahead: its answer is not old, and is fresh for 30 s.
        assert_eq!(fresh_s(&[expires, ("Date", "Tue, 14 Nov 2023 22:13:50 GMT")], AT), Some(30));
        for wrong in ["0", "-1", "soon", "", "Tue, 14 Foo 2023 22:14:20 GMT"] {
            assert_eq!(
                fresh_s(&[("Expires", wrong), ("Last-Modified", "Mon, 13 Nov 2023 22:13:20 GMT")], AT),
                None
            );
        }
        assert_eq!(fresh_s(&[("Expires", "Thu, 01 Jan 1970 00:00:00 GMT")], AT), None);
    }

    #[test]
    fn an_answer_may_be_old_when_it_comes() {
        let hour = ("Cache-Control", "max-age=3600");
        assert_eq!(fresh_s(&[hour, ("Age", "600")], AT), Some(3000));
        assert_eq!(fresh_s(&[hour, ("Age", "3600")], AT), None);
        assert_eq!(fresh_s(&[hour, ("Age", "old")], AT), Some(3600));
        assert_eq!(fresh_s(&[hour, ("Date", "Tue, 14 Nov 2023 22:03:20 GMT")], AT), Some(3000));
        assert_eq!(fresh_s(&[hour, ("Date", "not a date")], AT), Some(3600));
        // What it took to come is a part of its age.
        let late = Instants { asked_ns: 90 * S, ..AT };
        assert_eq!(fresh_s(&[hour, ("Age", "600")], late), Some(2990));
    }

    #[test]
    fn an_answer_that_says_nothing_is_fresh_for_a_tenth_of_its_time_unchanged() {
        let changed = ("Last-Modified", "Tue, 14 Nov 2023 12:13:20 GMT");
        assert_eq!(fresh_s(&[changed, ("Date", NOW)], AT), Some(3600));
        assert_eq!(fresh_s(&[changed], AT), Some(3600));
        assert_eq!(fresh_s(&[("Last-Modified", "Wed, 15 Nov 2023 12:13:20 GMT")], AT), None);
        assert_eq!(fresh_s(&[("Last-Modified", "yesterday")], AT), None);
        assert_eq!(fresh_s(&[("ETag", "\"a\"")], AT), None);
        assert_eq!(fresh_s(&[], AT), None);
    }

    #[test]
    fn directives_in_quotes_are_no_directives() {
        let read = |text: &str| Directives::read(text.as_bytes());
        assert!(read("private, No-Store").no_store);
        assert!(!read("private=\"a, no-store\"").no_store);
        assert!(!read("x=\"\\\", no-store\"").no_store);
        assert!(!read("no-storage").no_store);
        assert!(read("no-cache=\"Set-Cookie\", max-age=1").no_cache);
        assert_eq!(read("max-age=1, max-age=2").max_age_s, Some(1));
    }

    #[test]
    fn all_formats_of_dates_are_read() {
        // RFC 9110, section 5.6.7: the same instant three times.
        for date in
            ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        {
            assert_eq!(wall_ns(date.as_bytes()), Some(784_111_777 * i128::from(S)), "{date}");
        }
        assert_eq!(wall_ns(b"Sun, 06 Nov 1994 08:49:37 GMT; Expires=0"), None);
        assert_eq!(wall_ns(b"\xff"), None);
    }

    proptest! {
        #[test]
        fn whatever_the_headers_are_freshness_ends_after_the_answer(
            control in "[a-z0-9=\", \\\\-]{0,40}", age in ".{0,12}", date in ".{0,30}", delay in 0..u64::MAX,
        ) {
            let headers = [("Cache-Control", control), ("Age", age), ("Date", date)];
            let headers: Vec<Header<'_>> = headers
                .iter()
                .map(|(name, value)| Header { name, value: value.as_bytes() })
                .collect();
            let at = Instants { asked_ns: 0, answered_ns: delay, wall_ahead_ns: 0 };
            if let Some(until_ns) = fresh_until_ns(&Fields::of(&headers), &headers, at) {
                prop_assert!(until_ns > delay);
            }
        }

        #[test]
        fn an_older_answer_is_fresh_for_less_long(life in 1_u64..100_000, age in 0_u64..200_000) {
            let control = format!("max-age={life}");
            let fresh = fresh_s(&[("Cache-Control", &control), ("Age", &age.to_string())], AT);
            prop_assert_eq!(fresh, life.checked_sub(age).filter(|left| *left > 0));
        }
    }
}
