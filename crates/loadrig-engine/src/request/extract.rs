//! Taking a value out of an answer.

use super::cookies;
use super::html::{self, PageFault, Selectors};
use super::json::{JsonMiss, JsonPlace};
use super::worth::Worth;
use crate::config::{self, Refusal, quoted};
use httparse::Header;
use regex::bytes::Regex;
use scraper::Html;
use std::cell::OnceCell;

/// Place of a value in an answer, and the value that stands in where there is none.
#[derive(Debug)]
pub(super) struct Source {
    place: Place,
    /// Number of the match that is taken, from 0.
    nth: usize,
    default: Option<String>,
    /// Whether no value, and no default, is no failure.
    optional: bool,
}

#[derive(Debug)]
enum Place {
    /// A place in a JSON body.
    Json(JsonPlace),
    /// The first group of an expression, else its whole match, in any body.
    Regex(Regex),
    /// The first header of this name.
    Header(String),
    /// A cookie that the answer sets.
    Cookie(String),
    /// An attribute of an element, else its text, in a page of HTML.
    Css { selectors: Selectors, text: String, attribute: Option<String> },
}

/// Body of an answer; read as a page once, however many values are taken from the page.
#[derive(Debug)]
pub(super) struct Content<'a> {
    bytes: &'a [u8],
    page: OnceCell<Result<Html, PageFault>>,
}

impl<'a> Content<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, page: OnceCell::new() }
    }

    /// The body itself.
    pub(super) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    fn page(&self) -> Result<&Html, PageFault> {
        self.page.get_or_init(|| html::page(self.bytes)).as_ref().map_err(|fault| *fault)
    }
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
    /// The expression does not match, or not as often.
    #[error("the body does not match {0}")]
    Regex(String),
    /// No such header.
    #[error("the answer has no header {0}")]
    Header(String),
    /// No such cookie.
    #[error("the answer sets no cookie {0}")]
    Cookie(String),
    /// The body cannot be read as a page.
    #[error(transparent)]
    Page(#[from] PageFault),
    /// The selector selects nothing, or not as much.
    #[error("the page has no element {0}")]
    Element(String),
    /// The selected element lacks the attribute.
    #[error("the element {0} has no attribute {1}")]
    Attribute(String, String),
}

impl Source {
    /// Compiles an extraction, of whose places exactly one is given.
    pub(super) fn of(extract: &config::Extract, place: &str) -> Result<Self, Refusal> {
        let found = match extract.places() {
            [Some(text), ..] => Place::Json(json_place(text, &format!("{place}.json"))?),
            [_, Some(text), ..] => Place::Regex(regex(text, &format!("{place}.regex"))?),
            [_, _, Some(name), ..] => Place::Header(name.clone()),
            [_, _, _, Some(name), _] => Place::Cookie(name.clone()),
            [_, _, _, _, Some(text)] => Place::Css {
                selectors: html::selectors(text, &format!("{place}.css"))?,
                text: text.clone(),
                // So the names of attributes are in a page, however they are written there.
                attribute: extract.attribute.as_ref().map(|name| name.to_ascii_lowercase()),
            },
            [None, None, None, None, None] => {
                return Err(Refusal::config("nothing to extract is named", place));
            }
        };
        let nth = extract.nth.map_or(0, |nth| nth.get() as usize - 1);
        Ok(Self { place: found, nth, default: extract.default.clone(), optional: extract.optional })
    }

    /// Whether the body is looked at.
    pub(super) fn needs_body(&self) -> bool {
        matches!(self.place, Place::Json(_) | Place::Regex(_) | Place::Css { .. })
    }

    /// Puts the value into `out` in place of what was there, and says what it is worth; where there is none
    /// `out` is empty, and that is a miss unless the value is optional.
    pub(super) fn find(
        &self,
        headers: &[Header<'_>],
        content: &Content<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Worth, Miss> {
        out.clear();
        let miss = match self.put(headers, content, out) {
            Ok(worth) => return Ok(worth),
            Err(miss) => miss,
        };
        out.clear();
        if let Some(default) = &self.default {
            out.extend_from_slice(default.as_bytes());
            return Ok(Worth::of_text(out));
        }
        match miss {
            Miss::Null(_) if self.optional => Ok(Worth::Null),
            _ if self.optional => Ok(Worth::Missing),
            miss => Err(miss),
        }
    }

    /// Puts the value into `out`, and says what it is worth, also where there is none; a miss is that the body
    /// is not of the kind that has such places.
    pub(super) fn look(
        &self,
        headers: &[Header<'_>],
        content: &Content<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Worth, Miss> {
        match self.put(headers, content, out) {
            Err(miss @ (Miss::Json(JsonMiss::NotJson) | Miss::Page(_))) => Err(miss),
            Err(Miss::Null(_)) => Ok(Worth::Null),
            Err(_) => Ok(Worth::Missing),
            Ok(worth) => Ok(worth),
        }
    }

    /// The place as a message has it.
    pub(super) fn shown(&self) -> String {
        match &self.place {
            Place::Json(place) => place.text().to_owned(),
            Place::Regex(regex) => self.numbered(&format!("the match of {:?}", regex.as_str())),
            Place::Header(name) => format!("the header {name}"),
            Place::Cookie(name) => format!("the cookie {name}"),
            Place::Css { text, attribute: None, .. } => self.numbered(&format!("the element {text}")),
            Place::Css { text, attribute: Some(name), .. } => {
                format!("the attribute {name} of {}", self.numbered(&format!("the element {text}")))
            }
        }
    }

    fn put(&self, headers: &[Header<'_>], content: &Content<'_>, out: &mut Vec<u8>) -> Result<Worth, Miss> {
        match &self.place {
            Place::Json(place) => {
                let worth = place.find(content.bytes)?.put(out);
                return if worth.is_value() { Ok(worth) } else { Err(Miss::Null(place.text().to_owned())) };
            }
            Place::Regex(regex) => {
                let value = nth_match(regex, content.bytes, self.nth)
                    .ok_or_else(|| Miss::Regex(self.numbered(regex.as_str())))?;
                out.extend_from_slice(value);
            }
            Place::Header(name) => {
                let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
                let header = header.ok_or_else(|| Miss::Header(name.clone()))?;
                out.extend_from_slice(header.value.trim_ascii());
            }
            Place::Cookie(name) => {
                let value = cookies::set_by(headers, name).ok_or_else(|| Miss::Cookie(name.clone()))?;
                out.extend_from_slice(value);
            }
            Place::Css { selectors, text, attribute } => {
                let element = html::nth_selected(content.page()?, selectors, self.nth)?;
                let element = element.ok_or_else(|| Miss::Element(self.numbered(text)))?;
                match attribute {
                    Some(name) => {
                        let value = element.attr(name);
                        let value =
                            value.ok_or_else(|| Miss::Attribute(self.numbered(text), name.clone()))?;
                        out.extend_from_slice(value.as_bytes());
                    }
                    None => html::put_text(element, out),
                }
            }
        }
        Ok(Worth::of_text(out))
    }

    /// What is looked for, with its number where that is not the first.
    fn numbered(&self, text: &str) -> String {
        if self.nth == 0 { text.to_owned() } else { format!("{text}, number {}", self.nth + 1) }
    }
}

/// Compiles an expression of a plan by itself, and refuses one that no config can have.
///
/// kind: `regex`, `json` for a place in JSON, or `css`; of another kind nothing is refused.
pub fn check_expression(kind: &str, text: &str) -> Result<(), Refusal> {
    match kind {
        "regex" => regex(text, kind).map(drop),
        "json" => json_place(text, kind).map(drop),
        "css" => html::selectors(text, kind).map(drop),
        _ => Ok(()),
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
        .worded("no_json_place", [("text", quoted(text)), ("reason", reason.clone())])
    })
}

/// The first group of a match, else the whole match.
fn nth_match<'a>(regex: &Regex, body: &'a [u8], nth: usize) -> Option<&'a [u8]> {
    if regex.captures_len() == 1 {
        // Without a group the cheaper search will do.
        return regex.find_iter(body).nth(nth).map(|found| found.as_bytes());
    }
    let captures = regex.captures_iter(body).nth(nth)?;
    captures.get(1).or_else(|| captures.get(0)).map(|group| group.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Content, Miss, PageFault, Source, Worth};
    use crate::config;
    use httparse::Header;

    const BODY: &[u8] = br#"{"token": "a b", "id": 7, "gone": null} <a href="/items/42">"#;

    fn extract(kind: &str, text: &str) -> config::Extract {
        let mut extract = config::Extract::default();
        let text = Some(text.to_owned());
        match kind {
            "json" => extract.json = text,
            "regex" => extract.regex = text,
            "header" => extract.header = text,
            "css" => extract.css = text,
            _ => extract.cookie = text,
        }
        extract
    }

    fn found(kind: &str, text: &str, body: &[u8]) -> Result<String, Miss> {
        found_by(&extract(kind, text), body)
    }

    fn found_by(extract: &config::Extract, body: &[u8]) -> Result<String, Miss> {
        let headers = [
            Header { name: "X-Id", value: b" first " },
            Header { name: "x-id", value: b"second" },
            Header { name: "Set-Cookie", value: b"sid=abc; Path=/" },
        ];
        let mut out = b"what was there".to_vec();
        let source = Source::of(extract, "here").expect("the source is right");
        let found = source.find(&headers, &Content::new(body), &mut out);
        if found.is_err() {
            assert!(out.is_empty(), "nothing old is left");
        }
        found.map(|_| String::from_utf8(out).expect("a text"))
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

    const PAGE: &str = r#"<!doctype html><title>A &amp; B</title><meta name=csrf-token content="m&lt;1">
<form id=f action=/login><input name=user><input type=hidden NAME="csrf" VALUE="t&quot;1"></form>
<form id=g><input name=csrf value=t2><p class="big one">two<br>lines<script>no()</script> <b>of</b>text</form>
<table><tr><td>1<td>2</table><noscript><i>quiet</i></noscript>"#;

    fn selected(css: &str, attribute: &str, nth: u32) -> Result<String, Miss> {
        let mut extract = extract("css", css);
        extract.attribute = Some(attribute.to_owned()).filter(|name| !name.is_empty());
        extract.nth = std::num::NonZeroU32::new(nth);
        found_by(&extract, PAGE.as_bytes())
    }

    #[test]
    fn a_value_is_taken_by_a_selector() {
        for (css, attribute, nth, value) in [
            ("input[name=csrf]", "value", 1, "t\"1"),
            ("input[name=csrf]", "Value", 2, "t2"),
            ("form#g > input[name^='cs']", "value", 1, "t2"),
            ("form:has(p) input, title", "", 1, "A & B"),
            ("meta[name=csrf-token]", "content", 1, "m<1"),
            ("#f ~ form .one.big", "", 0, "two lines oftext"),
            ("td:nth-child(2)", "", 1, "2"),
            ("td:not(:first-child)", "", 1, "2"),
            ("tr", "", 1, "1 2"),
            ("script", "", 1, "no()"),
            ("noscript i", "", 1, "quiet"),
            ("FORM#f", "action", 1, "/login"),
        ] {
            assert_eq!(selected(css, attribute, nth).as_deref(), Ok(value), "{css}");
        }
    }

    #[test]
    fn a_selector_that_takes_nothing_says_what_is_missing() {
        assert_eq!(selected("a.next", "href", 1), Err(Miss::Element("a.next".to_owned())));
        assert_eq!(selected("form", "", 3), Err(Miss::Element("form, number 3".to_owned())));
        assert_eq!(
            selected("form", "method", 1),
            Err(Miss::Attribute("form".to_owned(), "method".to_owned()))
        );
        assert!(matches!(found("css", "p", b""), Err(Miss::Element(_))));
    }

    #[test]
    fn a_later_match_of_an_expression_is_taken() {
        let mut third = extract("regex", r"(\d)\w");
        third.nth = std::num::NonZeroU32::new(3);
        assert_eq!(found_by(&third, b"1a 2b 3c 4d"), Ok("3".to_owned()));
        let miss = r"(\d)\w, number 3".to_owned();
        assert_eq!(found_by(&third, b"1a 2b"), Err(Miss::Regex(miss)));
    }

    #[test]
    fn a_default_stands_in_for_what_is_not_there() {
        for (kind, text) in [("json", "/a"), ("regex", "x"), ("header", "Y"), ("cookie", "y"), ("css", "p")] {
            let extract = config::Extract { default: Some("none".to_owned()), ..extract(kind, text) };
            assert_eq!(found_by(&extract, br#"{"a": null}"#), Ok("none".to_owned()), "{kind}");
        }
    }

    #[test]
    fn an_optional_value_is_not_missed() {
        let worth_of = |kind: &str, text: &str, body: &[u8]| {
            let extract = config::Extract { optional: true, ..extract(kind, text) };
            let mut out = b"what was there".to_vec();
            let source = Source::of(&extract, "here").expect("the source is right");
            source.find(&[], &Content::new(body), &mut out).map(|worth| (worth, out))
        };
        let body = br#"{"a": null, "b": 0, "c": "0", "d": ""}"#;
        for (kind, text, worth, value) in [
            ("json", "/a", Worth::Null, ""),
            ("json", "/b", Worth::Untrue, "0"),
            ("json", "$..b", Worth::Untrue, "0"),
            ("json", "/c", Worth::True, "0"),
            ("json", "/d", Worth::Untrue, ""),
            ("json", "/e", Worth::Missing, ""),
            ("regex", "x", Worth::Missing, ""),
            ("regex", "b\":( *)0", Worth::True, " "),
            ("header", "Y", Worth::Missing, ""),
            ("css", "p", Worth::Missing, ""),
        ] {
            assert_eq!(worth_of(kind, text, body), Ok((worth, value.as_bytes().to_vec())), "{kind} {text}");
        }
        assert_eq!(worth_of("json", "/a", b"<p>"), Ok((Worth::Missing, Vec::new())));
        let with_default = config::Extract { default: Some("x".to_owned()), ..extract("json", "/e") };
        let with_default = config::Extract { optional: true, ..with_default };
        assert_eq!(found_by(&with_default, body), Ok("x".to_owned()));
    }

    #[test]
    fn a_hostile_page_is_left_in_time() {
        let numbered = |count: usize, text: &str| -> String {
            (0..count).map(|n| text.replace('#', &n.to_string())).collect()
        };
        let (attributes, formats) = (numbered(400_000, " a#"), numbered(200, "<b a#>"));
        // A program that was built for tests needs a second for what is otherwise too large first.
        let too_much: &[PageFault] = &[PageFault::Large, PageFault::Slow];
        for (page, faults) in [
            ("<div>".repeat(200_000), &[PageFault::Deep][..]),
            ("<div><p>".repeat(200_000), &[PageFault::Deep]),
            ("<b></b>".repeat(90_000), &[PageFault::Slow]),
            ("</body></html><!--x--><div>".repeat(10_000), &[PageFault::Deep]),
            (format!("{formats}{}", "<p>x".repeat(100_000)), too_much),
            ("<p>x".repeat(100_000), too_much),
            (format!("<p{attributes}>"), &[PageFault::Slow]),
        ] {
            let begin = std::time::Instant::now();
            let Err(Miss::Page(fault)) = found("css", "q ~ b", page.as_bytes()) else {
                panic!("{}", &page[..20])
            };
            assert!(faults.contains(&fault), "{fault} of {}", &page[..20]);
            // The bound itself, and more for a machine that does something else meanwhile.
            assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{}", &page[..20]);
        }
    }

    #[test]
    fn wrong_sources_are_refused_with_their_place() {
        for css in ["", "a >", "a::before", "a:hover", "a[href=/x]", "<p>", &"a ".repeat(600)] {
            let refusal = Source::of(&extract("css", css), "x").expect_err("no selector");
            assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.css", "x.css"), "{css}");
        }
        for (kind, text, code) in
            [("regex", "(", "engine.regex"), ("json", "a", "engine.json-place"), ("css", "", "engine.css")]
        {
            assert_eq!(super::check_expression(kind, text).expect_err(kind).code, code);
        }
        assert_eq!(super::check_expression("css", "a > b"), Ok(()));
        let refusal = super::regex("a(b", "routes[0].extract[0].regex").expect_err("not closed");
        assert_eq!(refusal.code, "engine.regex");
        assert!(refusal.what.contains("unclosed group"), "{}", refusal.what);
        let refusal = super::json_place("id", "x").expect_err("no place");
        assert_eq!((refusal.code, refusal.where_.as_str()), ("engine.json-place", "x"));
    }
}
