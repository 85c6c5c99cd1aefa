//! Taking a value out of an answer.

use super::cookies;
use super::json::{JsonMiss, JsonPlace};
use crate::config::{self, Refusal, quoted};
use httparse::Header;
use regex::bytes::Regex;

/// Place of a value in an answer.
#[derive(Debug)]
pub(super) enum Source {
    /// A place in a JSON body.
    Json(JsonPlace),
    /// The first group of an expression, else its whole match, in any body.
    Regex(Regex),
    /// The first header of this name.
    Header(String),
    /// A cookie that the answer sets.
    Cookie(String),
}

/// Reason why there is no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Miss {
    /// Nothing in that place of the body, or no JSON.
    #[error(transparent)]
    Json(#[from] JsonMiss),
    /// The place holds null.
    #[error("{0} is null")]
    Null(String),
    /// The expression does not match.
    #[error("the body does not match {0}")]
    Regex(String),
    /// No such header.
    #[error("the answer has no header {0}")]
    Header(String),
    /// No such cookie.
    #[error("the answer sets no cookie {0}")]
    Cookie(String),
}

impl Source {
    /// Compiles an extraction of a route, of whose four places exactly one is given.
    pub(super) fn of_extract(extract: &config::Extract, place: &str) -> Result<Self, Refusal> {
        let config::Extract { json, regex, header, cookie, .. } = extract;
        Self::of([json, regex, header, cookie], place)
    }

    /// Compiles a source by itself, of whose four places exactly one is given.
    pub(super) fn of_source(source: &config::Source, place: &str) -> Result<Self, Refusal> {
        let config::Source { json, regex, header, cookie } = source;
        Self::of([json, regex, header, cookie], place)
    }

    fn of(given: [&Option<String>; 4], place: &str) -> Result<Self, Refusal> {
        match given {
            [Some(text), _, _, _] => Ok(Self::Json(json_place(text, &format!("{place}.json"))?)),
            [_, Some(text), _, _] => Ok(Self::Regex(regex(text, &format!("{place}.regex"))?)),
            [_, _, Some(name), _] => Ok(Self::Header(name.clone())),
            [_, _, _, Some(name)] => Ok(Self::Cookie(name.clone())),
            [None, None, None, None] => Err(Refusal::config("nothing to extract is named", place)),
        }
    }

    /// Whether the body is looked at.
    pub(super) fn needs_body(&self) -> bool {
        matches!(self, Self::Json(_) | Self::Regex(_))
    }

    /// Puts the value into `out` in place of what was there; on a miss `out` is empty.
    pub(super) fn find(&self, headers: &[Header<'_>], body: &[u8], out: &mut Vec<u8>) -> Result<(), Miss> {
        out.clear();
        match self {
            Self::Json(place) => {
                if !place.find(body)?.put(out) {
                    out.clear();
                    return Err(Miss::Null(place.text().to_owned()));
                }
            }
            Self::Regex(regex) => {
                let value = first_group(regex, body).ok_or_else(|| Miss::Regex(regex.as_str().to_owned()))?;
                out.extend_from_slice(value);
            }
            Self::Header(name) => {
                let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
                let header = header.ok_or_else(|| Miss::Header(name.clone()))?;
                out.extend_from_slice(header.value.trim_ascii());
            }
            Self::Cookie(name) => {
                let value = cookies::set_by(headers, name).ok_or_else(|| Miss::Cookie(name.clone()))?;
                out.extend_from_slice(value);
            }
        }
        Ok(())
    }
}

/// Compiles a regular expression.
pub(super) fn regex(text: &str, place: &str) -> Result<Regex, Refusal> {
    Regex::new(text).map_err(|error| {
        // The message spans lines: the expression, a mark below it, the reason.
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Refusal::new(
            "engine.regex",
            format!("{} is no regular expression: {reason}", quoted(text)),
            place,
            "write it in the syntax of Rust's regex crate: no look-around, no back-references",
        )
        .worded("no_regex", [("text", quoted(text)), ("reason", reason.to_owned())])
    })
}

/// Compiles a place in JSON.
pub(super) fn json_place(text: &str, place: &str) -> Result<JsonPlace, Refusal> {
    JsonPlace::parse(text).map_err(|reason| {
        Refusal::new(
            "engine.json-place",
            format!("{} is no place in JSON: {reason}", quoted(text)),
            place,
            "write a JSON pointer like /data/0/id, or a JSONPath like $.data[0].id",
        )
        .worded("no_json_place", [("text", quoted(text)), ("reason", reason.to_string())])
    })
}

fn first_group<'a>(regex: &Regex, body: &'a [u8]) -> Option<&'a [u8]> {
    if regex.captures_len() == 1 {
        // Without a group the cheaper search will do.
        return regex.find(body).map(|found| found.as_bytes());
    }
    let captures = regex.captures(body)?;
    captures.get(1).or_else(|| captures.get(0)).map(|group| group.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Miss, Source};
    use crate::config;
    use httparse::Header;

    const BODY: &[u8] = br#"{"token": "a b", "id": 7, "gone": null} <a href="/items/42">"#;

    fn source(kind: &str, text: &str) -> Source {
        let mut source = config::Source::default();
        let text = Some(text.to_owned());
        match kind {
            "json" => source.json = text,
            "regex" => source.regex = text,
            "header" => source.header = text,
            _ => source.cookie = text,
        }
        Source::of_source(&source, "here").expect("the source is right")
    }

    fn found(kind: &str, text: &str, body: &[u8]) -> Result<String, Miss> {
        let headers = [
            Header { name: "X-Id", value: b" first " },
            Header { name: "x-id", value: b"second" },
            Header { name: "Set-Cookie", value: b"sid=abc; Path=/" },
        ];
        let mut out = b"what was there".to_vec();
        let found = source(kind, text).find(&headers, body, &mut out);
        if found.is_err() {
            assert!(out.is_empty(), "nothing old is left");
        }
        found.map(|()| String::from_utf8(out).expect("a text"))
    }

    #[test]
    fn a_value_is_taken_from_json() {
        let body = br#"{"token": "a b", "id": 7, "gone": null}"#;
        assert_eq!(found("json", "/token", body), Ok("a b".to_owned()));
        assert_eq!(found("json", "$.id", body), Ok("7".to_owned()));
        assert_eq!(found("json", "/gone", body), Err(Miss::Null("/gone".to_owned())));
        assert!(matches!(found("json", "/nope", body), Err(Miss::Json(_))));
    }

    #[test]
    fn a_value_is_taken_by_an_expression() {
        assert_eq!(found("regex", r#"href="/items/(\d+)""#, BODY), Ok("42".to_owned()));
        assert_eq!(found("regex", r"items/\d", BODY), Ok("items/4".to_owned()));
        assert_eq!(found("regex", "(x)?items", BODY), Ok("items".to_owned()));
        assert_eq!(found("regex", "nope", BODY), Err(Miss::Regex("nope".to_owned())));
    }

    #[test]
    fn a_value_is_taken_from_the_first_header_of_a_name() {
        assert_eq!(found("header", "x-ID", b""), Ok("first".to_owned()));
        assert_eq!(found("header", "X-Nope", b""), Err(Miss::Header("X-Nope".to_owned())));
    }

    #[test]
    fn a_value_is_taken_from_a_cookie() {
        assert_eq!(found("cookie", "sid", b""), Ok("abc".to_owned()));
        assert_eq!(found("cookie", "nope", b""), Err(Miss::Cookie("nope".to_owned())));
    }

    #[test]
    fn wrong_sources_are_refused_with_their_place() {
        let refusal = super::regex("a(b", "routes[0].extract[0].regex").expect_err("not closed");
        assert_eq!(refusal.code, "engine.regex");
        assert!(refusal.what.contains("unclosed group"), "{}", refusal.what);
        let refusal = super::json_place("id", "x").expect_err("no place");
        assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.json-place", "x"));
    }
}
