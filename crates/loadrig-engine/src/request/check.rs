//! Checks of an answer.

use super::extract::{Content, json_place, regex};
use super::json::{JsonMiss, JsonPlace};
use super::value::{ValueCheck, ValueFailure};
use super::{Answer, NO_STATUS};
use crate::config::{Expect, Refusal};
use loadrig_core::units::ns_from_s;
use memchr::memmem::Finder;
use regex::bytes::Regex;
use serde_json::Value;

/// The checks of one route.
#[derive(Debug)]
pub(super) struct Checks {
    status: Vec<u16>,
    size_min: Option<u64>,
    size_max: Option<u64>,
    time_ns: Option<u64>,
    contains: Vec<Finder<'static>>,
    matches: Vec<Regex>,
    json: Vec<(JsonPlace, Value)>,
    values: Vec<ValueCheck>,
}

/// A check that failed; shown only for the first few.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure<'a> {
    /// Fewer bytes than allowed.
    #[error("the body has {0} bytes, fewer than {1}")]
    Small(u64, u64),
    /// More bytes than allowed.
    #[error("the body has {0} bytes, more than {1}")]
    Large(u64, u64),
    /// Slower than allowed.
    #[error("it took {:.1} ms, more than {:.1}", ms(*.0), ms(*.1))]
    Slow(u64, u64),
    /// A text is missing.
    #[error("the body does not contain {:?}", String::from_utf8_lossy(.0))]
    Lacks(&'a [u8]),
    /// An expression does not match.
    #[error("the body does not match {0:?}")]
    Matches(&'a str),
    /// Nothing in that place of the body, or no JSON.
    #[error(transparent)]
    Json(#[from] JsonMiss),
    /// A JSON value is another.
    #[error("{0} is {1}, not {2}")]
    Differs(&'a str, Value, &'a Value),
    /// A value is not as its check has it.
    #[error("{0}")]
    Value(ValueFailure<'a>),
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

impl Checks {
    /// Compiles the checks of the route at `place`.
    pub(super) fn compile(expect: &Expect, place: &str) -> Result<Self, Refusal> {
        let matches = expect.matches.iter().enumerate();
        let json = expect.json.iter().enumerate();
        let values = expect.values.iter().enumerate();
        Ok(Self {
            status: expect.status.clone(),
            size_min: expect.size_min,
            size_max: expect.size_max,
            time_ns: expect.time_s.map(ns_from_s),
            contains: expect.contains.iter().map(|text| Finder::new(text).into_owned()).collect(),
            matches: matches
                .map(|(n, text)| regex(text, &format!("{place}.matches[{n}]")))
                .collect::<Result<_, _>>()?,
            json: json
                .map(|(n, (text, value))| {
                    Ok((json_place(text, &format!("{place}.json[{n}]"))?, value.clone()))
                })
                .collect::<Result<_, Refusal>>()?,
            values: values
                .map(|(n, check)| ValueCheck::compile(check, &format!("{place}.values[{n}]")))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Whether the body is looked at.
    pub(super) fn needs_body(&self) -> bool {
        !(self.contains.is_empty() && self.matches.is_empty() && self.json.is_empty())
            || self.values.iter().any(ValueCheck::needs_body)
    }

    /// Whether the plan names the statuses that are good.
    pub(super) fn names_statuses(&self) -> bool {
        !self.status.is_empty()
    }

    /// Whether the status is good. Where there is none, nothing is wrong with it.
    pub(super) fn allows(&self, status: u16) -> bool {
        if status == NO_STATUS {
            return true;
        }
        if self.status.is_empty() { (200..400).contains(&status) } else { self.status.contains(&status) }
    }

    /// The check of the time, if the answer fails it.
    pub(super) fn delay(&self, answer: &Answer<'_>) -> Option<Failure<'_>> {
        let longest = self.time_ns.filter(|longest| answer.response_ns > *longest)?;
        Some(Failure::Slow(answer.response_ns, longest))
    }

    /// The first check, cheapest first, that the answer fails. content: body without content coding.
    pub(super) fn failure(&self, answer: &Answer<'_>, content: &Content<'_>) -> Option<Failure<'_>> {
        let body = content.bytes();
        let size = answer.body_bytes;
        if let Some(least) = self.size_min.filter(|least| size < *least) {
            return Some(Failure::Small(size, least));
        }
        if let Some(most) = self.size_max.filter(|most| size > *most) {
            return Some(Failure::Large(size, most));
        }
        if let Some(failure) = self.delay(answer) {
            return Some(failure);
        }
        if let Some(lacking) = self.contains.iter().find(|finder| finder.find(body).is_none()) {
            return Some(Failure::Lacks(lacking.needle()));
        }
        if let Some(regex) = self.matches.iter().find(|regex| !regex.is_match(body)) {
            return Some(Failure::Matches(regex.as_str()));
        }
        let differing = self.json.iter().find_map(|(place, wanted)| match place.find(body) {
            Ok(found) => {
                let other = found.other_than(wanted)?;
                Some(Failure::Differs(place.text(), other, wanted))
            }
            Err(miss) => Some(Failure::Json(miss)),
        });
        differing.or_else(|| {
            let failed = self.values.iter().find_map(|check| check.failure(answer.headers, content));
            failed.map(Failure::Value)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Checks;
    use crate::config::{Expect, Extract, Having, ValueCheck};
    use crate::request::Answer;
    use crate::request::extract::Content;
    use serde_json::json;

    fn failure(expect: &Expect, body: &str) -> Option<String> {
        let answer = Answer {
            status: 200,
            headers: &[],
            body: body.as_bytes(),
            body_bytes: body.len() as u64,
            response_ns: 20_000_000,
        };
        let checks = Checks::compile(expect, "routes[0].expect").expect("the checks are right");
        checks.failure(&answer, &Content::new(body.as_bytes())).map(|failure| failure.to_string())
    }

    #[test]
    fn without_a_list_200_to_399_are_good() {
        let checks = Checks::compile(&Expect::default(), "x").expect("no checks");
        assert_eq!([199, 200, 399, 400].map(|status| checks.allows(status)), [false, true, true, false]);
        let only = Expect { status: vec![404, 201], ..Expect::default() };
        let checks = Checks::compile(&only, "x").expect("statuses");
        assert_eq!([200, 201, 404].map(|status| checks.allows(status)), [false, true, true]);
    }

    #[test]
    fn texts_must_be_in_the_body() {
        let expect = Expect { contains: vec!["cart".into(), "total".into()], ..Expect::default() };
        assert_eq!(failure(&expect, "the total of the cart"), None);
        assert_eq!(failure(&expect, "the cart").as_deref(), Some("the body does not contain \"total\""));
    }

    #[test]
    fn expressions_must_match() {
        let expect = Expect { matches: vec![r"^\d+ items$".into()], ..Expect::default() };
        assert_eq!(failure(&expect, "12 items"), None);
        assert!(failure(&expect, "no items").is_some());
    }

    #[test]
    fn json_values_must_be_those_wanted() {
        let expect = Expect { json: vec![("$.ok".into(), json!(true))], ..Expect::default() };
        assert_eq!(failure(&expect, r#"{"ok": true}"#), None);
        assert_eq!(failure(&expect, r#"{"ok": false}"#).as_deref(), Some("$.ok is false, not true"));
        assert_eq!(failure(&expect, "{}").as_deref(), Some("the body has no $.ok"));
        assert_eq!(failure(&expect, "<html>").as_deref(), Some("the body is not JSON"));
    }

    #[test]
    fn sizes_are_bounds_that_may_be_reached() {
        let expect = Expect { size_min: Some(3), size_max: Some(4), ..Expect::default() };
        assert_eq!(failure(&expect, "abc"), None);
        assert_eq!(failure(&expect, "abcd"), None);
        assert_eq!(failure(&expect, "ab").as_deref(), Some("the body has 2 bytes, fewer than 3"));
        assert_eq!(failure(&expect, "abcde").as_deref(), Some("the body has 5 bytes, more than 4"));
    }

    #[test]
    fn the_time_is_a_bound() {
        let within = |time_s| Expect { time_s: Some(time_s), ..Expect::default() };
        assert_eq!(failure(&within(0.02), ""), None);
        assert_eq!(failure(&within(0.019), "").as_deref(), Some("it took 20.0 ms, more than 19.0"));
    }

    fn there(at: Extract) -> ValueCheck {
        let (name, value, equal, order, matches) = (None, String::new(), true, None, None);
        let (has, alternatives) = (Some(Having::Value), Vec::new());
        ValueCheck { name, at, value, equal, order, has, matches, alternatives }
    }

    #[test]
    fn only_checks_of_the_body_need_it() {
        let needs = |expect: &Expect| Checks::compile(expect, "x").expect("right").needs_body();
        assert!(!needs(&Expect { size_min: Some(1), time_s: Some(1.0), ..Expect::default() }));
        assert!(needs(&Expect { contains: vec!["x".into()], ..Expect::default() }));
        assert!(needs(&Expect { matches: vec!["x".into()], ..Expect::default() }));
        assert!(needs(&Expect { json: vec![(String::new(), json!(1))], ..Expect::default() }));
        let json = Extract { json: Some("$.a".into()), ..Extract::default() };
        let header = Extract { header: Some("X-Id".into()), ..Extract::default() };
        assert!(needs(&Expect { values: vec![there(json)], ..Expect::default() }));
        assert!(!needs(&Expect { values: vec![there(header)], ..Expect::default() }));
    }
}
