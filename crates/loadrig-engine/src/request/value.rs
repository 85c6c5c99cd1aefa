//! Checks of values in an answer, in the words of conditions.

use super::comparison::Comparison;
use super::extract::{Content, Miss, Source, regex};
use super::worth::Worth;
use crate::config::{self, Refusal};
use httparse::Header;
use regex::bytes::Regex;
use std::fmt;

/// Bytes of a value that a detail shows. Of a longer one it gives the length, as a secret that is cut in half
/// would not be found in it.
const SHOWN: usize = 200;

/// A check of a value, one of whose alternatives must hold.
#[derive(Debug)]
pub(super) struct ValueCheck {
    name: Option<String>,
    alternatives: Vec<Alternative>,
}

#[derive(Debug)]
struct Alternative {
    source: Source,
    rule: Rule,
}

#[derive(Debug)]
enum Rule {
    Compares(Comparison),
    /// The whole value matches; `written` as the plan has it.
    Matches {
        whole: Regex,
        written: String,
    },
}

/// A check that failed, with what each of its alternatives saw.
#[derive(Debug)]
pub(super) struct ValueFailure<'a> {
    check: &'a ValueCheck,
    sights: Vec<Sight>,
}

/// What an alternative saw in its place.
#[derive(Debug)]
enum Sight {
    Value(Worth, Vec<u8>),
    /// The body is not of the kind that has such places.
    Unreadable(Miss),
}

impl ValueCheck {
    /// Compiles the check at `place`.
    pub(super) fn compile(check: &config::ValueCheck, place: &str) -> Result<Self, Refusal> {
        let mut alternatives = vec![Alternative::compile(check, place)?];
        for (n, other) in check.alternatives.iter().enumerate() {
            alternatives.push(Alternative::compile(other, &format!("{place}.alternatives[{n}]"))?);
        }
        Ok(Self { name: check.name.clone(), alternatives })
    }

    /// Whether the body is looked at.
    pub(super) fn needs_body(&self) -> bool {
        self.alternatives.iter().any(|alternative| alternative.source.needs_body())
    }

    /// What was seen, where no alternative holds.
    pub(super) fn failure(&self, headers: &[Header<'_>], content: &Content<'_>) -> Option<ValueFailure<'_>> {
        let mut sights = Vec::new();
        for alternative in &self.alternatives {
            let mut text = Vec::new();
            sights.push(match alternative.source.look(headers, content, &mut text) {
                Ok(worth) if alternative.rule.holds(worth, &text) => return None,
                Ok(worth) => Sight::Value(worth, text),
                Err(miss) => Sight::Unreadable(miss),
            });
        }
        Some(ValueFailure { check: self, sights })
    }
}

impl Alternative {
    fn compile(check: &config::ValueCheck, place: &str) -> Result<Self, Refusal> {
        let rule = if let Some(written) = &check.matches {
            // Compiled alone first, so that a refusal quotes what the plan has.
            let place = format!("{place}.matches");
            regex(written, &place)?;
            Rule::Matches { whole: regex(&format!("^(?:{written})$"), &place)?, written: written.clone() }
        } else {
            Rule::Compares(Comparison::compile(&check.value, check.equal, check.order, check.has, place)?)
        };
        Ok(Self { source: Source::of(&check.at, &format!("{place}.at"))?, rule })
    }
}

impl Rule {
    fn holds(&self, worth: Worth, text: &[u8]) -> bool {
        match self {
            Self::Compares(comparison) => comparison.holds(worth, text),
            Self::Matches { whole, .. } => worth.is_value() && whole.is_match(text),
        }
    }

    fn wanted(&self) -> String {
        match self {
            Self::Compares(comparison) => comparison.wanted(),
            Self::Matches { written, .. } => format!("a match of {written:?}"),
        }
    }
}

impl Sight {
    /// What is there. A value that is asked for by its worth alone is not repeated.
    fn shown(&self, rule: &Rule) -> String {
        let is_of_worth = matches!(rule, Rule::Compares(Comparison::Worth { .. }));
        match self {
            Self::Unreadable(miss) => miss.to_string(),
            Self::Value(Worth::Missing, _) => "is missing".to_owned(),
            Self::Value(Worth::Null, _) => "is null".to_owned(),
            Self::Value(Worth::Untrue, _) if is_of_worth => "is empty, 0 or false".to_owned(),
            Self::Value(Worth::True, _) if is_of_worth => "has a value".to_owned(),
            Self::Value(_, text) if text.len() > SHOWN => format!("has {} bytes", text.len()),
            Self::Value(_, text) => format!("is {:?}", String::from_utf8_lossy(text)),
        }
    }
}

impl fmt::Display for ValueFailure<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.check.name {
            write!(out, "{name}: ")?;
        }
        let mut before = String::new();
        for (n, (alternative, sight)) in self.check.alternatives.iter().zip(&self.sights).enumerate() {
            let shown = sight.shown(&alternative.rule);
            let there = match sight {
                Sight::Value(..) => format!("{} {shown}", alternative.source.shown()),
                Sight::Unreadable(_) => shown,
            };
            if n > 0 && there == before {
                write!(out, " or {}", alternative.rule.wanted())?;
                continue;
            }
            write!(out, "{}{there}, not {}", if n > 0 { "; " } else { "" }, alternative.rule.wanted())?;
            before = there;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, ValueCheck};
    use crate::config;
    use httparse::Header;
    use serde_json::{Value, json};

    fn failure(check: &Value, body: &str) -> Option<String> {
        let check: config::ValueCheck = serde_json::from_value(check.clone()).expect("a check");
        let check = ValueCheck::compile(&check, "values[0]").expect("the check is right");
        let headers = [Header { name: "X-Id", value: b"7" }];
        let content = Content::new(body.as_bytes());
        check.failure(&headers, &content).map(|failure| failure.to_string())
    }

    #[test]
    fn a_value_is_there_or_missing_as_in_conditions() {
        let bodies = ["{}", r#"{"a": null}"#, r#"{"a": ""}"#, r#"{"a": 0}"#, r#"{"a": "0"}"#, r#"{"a": []}"#];
        for (has, holds) in [
            ("value", [false, false, true, true, true, true]),
            ("truth", [false, false, false, false, true, true]),
            ("null", [false, true, false, false, false, false]),
        ] {
            for (body, is_so) in bodies.into_iter().zip(holds) {
                for equal in [true, false] {
                    let check = json!({"at": {"json": "$.a"}, "has": has, "equal": equal});
                    assert_eq!(failure(&check, body).is_none(), is_so == equal, "{has} {equal} {body}");
                }
            }
        }
    }

    #[test]
    fn a_failure_says_what_is_there_and_what_should_be() {
        let text = |at: Value, value: &str| json!({"at": at, "value": value});
        for (check, detail) in [
            (json!({"at": {"json": "$.id"}, "has": "value"}), "$.id is missing, not a value"),
            (
                json!({"name": "has token", "at": {"json": "/token"}, "has": "value", "equal": false}),
                "has token: /token has a value, not without a value",
            ),
            (json!({"at": {"json": "$.n"}, "has": "truth"}), "$.n is empty, 0 or false, not true"),
            (json!({"at": {"json": "$.n"}, "order": "above", "value": "1.5"}), "$.n is \"0\", not above 1.5"),
            (text(json!({"header": "X-ID"}), "8"), "the header X-ID is \"7\", not \"8\""),
            (json!({"at": {"cookie": "s"}, "has": "value"}), "the cookie s is missing, not a value"),
            (
                json!({"at": {"json": "$.token"}, "matches": "[0-9]+"}),
                "$.token is \"t1\", not a match of \"[0-9]+\"",
            ),
            (
                json!({"at": {"json": "$.n"}, "value": "1", "alternatives": [
                    {"at": {"json": "$.n"}, "value": "2"}, {"at": {"json": "$.m"}, "has": "null"}]}),
                "$.n is \"0\", not \"1\" or \"2\"; $.m is missing, not null",
            ),
        ] {
            assert_eq!(failure(&check, r#"{"token": "t1", "n": 0}"#).as_deref(), Some(detail), "{check}");
        }
    }

    #[test]
    fn one_alternative_will_do() {
        let check = json!({"at": {"json": "$.a"}, "has": "value", "alternatives": [
            {"at": {"json": "$.a"}, "has": "null"}]});
        assert_eq!(failure(&check, r#"{"a": null}"#), None);
        assert_eq!(failure(&check, r#"{"a": 1}"#), None);
        assert!(failure(&check, "{}").is_some());
    }

    #[test]
    fn a_body_that_is_no_json_has_no_values_and_lacks_none() {
        for equal in [true, false] {
            let check = json!({"at": {"json": "$.a"}, "has": "value", "equal": equal});
            assert!(
                failure(&check, "<html>").is_some_and(|detail| detail.starts_with("the body is not JSON"))
            );
        }
    }

    #[test]
    fn a_long_value_is_counted_and_not_shown() {
        let long = json!({"a": "x".repeat(201)}).to_string();
        let check = json!({"at": {"json": "$.a"}, "value": "b"});
        assert_eq!(failure(&check, &long).as_deref(), Some("$.a has 201 bytes, not \"b\""));
    }

    #[test]
    fn a_wrong_check_is_refused_by_its_place() {
        for (check, place) in [
            (json!({"at": {"json": "a"}, "has": "value"}), "v.at.json"),
            (json!({"at": {"json": "$.a"}, "matches": "("}), "v.matches"),
            (json!({"at": {"json": "$.a"}, "order": "above", "value": "x"}), "v.value"),
        ] {
            let config: config::ValueCheck = serde_json::from_value(check).expect("a check");
            assert_eq!(ValueCheck::compile(&config, "v").expect_err(place).where_, place);
        }
    }
}
