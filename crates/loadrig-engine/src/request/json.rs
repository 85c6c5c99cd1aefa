//! Finding a value in a JSON body without building the whole of it.
//!
//! Most places that people name lead straight down (`/data/0/id`, `$.data[0].id`). Those are
//! followed while the body is read once, keeping nothing; only other paths (filters,
//! wildcards, slices) need the whole body as a tree.

use super::descent::{Descent, Step};
use super::worth::Worth;
use serde::de::DeserializeSeed as _;
use serde_json::Value;
use serde_json::value::RawValue;
use serde_json_path::JsonPath;

/// A place in a JSON text: a JSON pointer (RFC 6901) or a `JSONPath` (RFC 9535).
#[derive(Debug)]
pub(super) struct JsonPlace {
    text: String,
    way: Way,
}

#[derive(Debug)]
enum Way {
    Steps(Vec<Step>),
    Query(JsonPath),
}

/// Escapes that have begun and not ended. Whole ones have four digits, and a quote after them.
const CUT_ESCAPES: [&str; 3] = ["\\u", "\\uD", "\\ud"];

/// Filters of a path at most. To read one within the other takes twice as long with each, and more:
/// with thirty, minutes.
const FILTERS_MOST: usize = 8;

/// Value in a place.
#[derive(Debug)]
pub(super) enum Found<'a> {
    /// The JSON text of the one value.
    One(&'a RawValue),
    /// The values that a query gave, at least one.
    Several(Vec<Value>),
}

/// Reason why nothing was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum JsonMiss {
    /// The body is no JSON.
    #[error("the body is not JSON")]
    NotJson,
    /// JSON that has nothing in that place.
    #[error("the body has no {0}")]
    Nothing(String),
}

impl JsonPlace {
    /// Reads a place. The error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let way = if text.starts_with('$') {
            // The query's own reader panics where such a text ends.
            if CUT_ESCAPES.iter().any(|escape| text.ends_with(escape)) {
                return Err("it ends in the middle of an escape".to_owned());
            }
            if text.matches("[?").count() > FILTERS_MOST {
                return Err(format!("it has more than {FILTERS_MOST} filters"));
            }
            let query = JsonPath::parse(text).map_err(|error| error.to_string())?;
            straight_path(text).map_or(Way::Query(query), Way::Steps)
        } else if text.is_empty() || text.starts_with('/') {
            Way::Steps(pointer(text))
        } else {
            return Err("a place begins with `/` (JSON pointer) or `$` (JSONPath)".to_owned());
        };
        Ok(Self { text: text.to_owned(), way })
    }

    /// As it was written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Value of the body in this place. Of a key that comes twice the last one counts.
    pub(super) fn find<'a>(&self, body: &'a [u8]) -> Result<Found<'a>, JsonMiss> {
        match &self.way {
            Way::Steps(steps) => {
                let mut found = None;
                let mut reader = serde_json::Deserializer::from_slice(body);
                let seed = Descent { steps, found: &mut found };
                seed.deserialize(&mut reader).map_err(|_| JsonMiss::NotJson)?;
                reader.end().map_err(|_| JsonMiss::NotJson)?;
                found.map(Found::One).ok_or_else(|| JsonMiss::Nothing(self.text.clone()))
            }
            Way::Query(query) => {
                let tree: Value = serde_json::from_slice(body).map_err(|_| JsonMiss::NotJson)?;
                let values: Vec<Value> = query.query(&tree).all().into_iter().cloned().collect();
                if values.is_empty() {
                    return Err(JsonMiss::Nothing(self.text.clone()));
                }
                Ok(Found::Several(values))
            }
        }
    }
}

impl Found<'_> {
    /// Appends the (first) value as a text: of a string its content, of anything else its JSON.
    /// Says what the value is worth.
    pub(super) fn put(&self, out: &mut Vec<u8>) -> Worth {
        match self {
            Self::One(raw) => {
                let text = raw.get();
                if text.starts_with('"') {
                    // It was read as a string before, so it is one.
                    let content: std::borrow::Cow<'_, str> = serde_json::from_str(text).unwrap_or_default();
                    out.extend_from_slice(content.as_bytes());
                    Worth::of_text(content.as_bytes())
                } else {
                    out.extend_from_slice(text.as_bytes());
                    Worth::of_json(text)
                }
            }
            Self::Several(values) => match values.first() {
                None => Worth::Missing,
                Some(Value::String(text)) => {
                    out.extend_from_slice(text.as_bytes());
                    Worth::of_text(text.as_bytes())
                }
                Some(value) => {
                    let text = value.to_string();
                    out.extend_from_slice(text.as_bytes());
                    Worth::of_json(&text)
                }
            },
        }
    }

    /// The first value that differs from the one wanted, if any does.
    pub(super) fn other_than(&self, wanted: &Value) -> Option<Value> {
        match self {
            Self::One(raw) => {
                let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                (!is_same(&value, wanted)).then_some(value)
            }
            Self::Several(values) => values.iter().find(|value| !is_same(value, wanted)).cloned(),
        }
    }
}

/// Equality as a person means it: 1 and 1.0 are the same number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a_number), Value::Number(b_number)) => {
            a == b || (a_number.is_f64() || b_number.is_f64()) && a_number.as_f64() == b_number.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

fn pointer(text: &str) -> Vec<Step> {
    let tokens = text.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
    tokens
        .map(|token| {
            // RFC 6901, section 4: an index has no leading zeros.
            let is_index = token == "0" || (!token.starts_with(['0', '+']) && !token.is_empty());
            match token.parse() {
                Ok(index) if is_index => Step::Either(token, index),
                _ => Step::Key(token),
            }
        })
        .collect()
}

/// The steps of a `JSONPath` that only goes straight down by names and indices from the front.
/// None for any other, and for names with escapes: those are left to the query.
fn straight_path(text: &str) -> Option<Vec<Step>> {
    let mut rest = text.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('[') {
            let end = after.find(']')?;
            let inside = &after[..end];
            let quoted =
                ['\'', '"'].into_iter().find_map(|quote| inside.strip_prefix(quote)?.strip_suffix(quote));
            steps.push(match quoted {
                Some(name) if !name.contains(['\\', '\'', '"']) => Step::Key(name.to_owned()),
                Some(_) => return None,
                None => Step::Index(inside.parse().ok()?),
            });
            rest = &after[end + 1..];
        } else {
            let after = rest.strip_prefix('.')?;
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let name = &after[..end];
            if name.is_empty() || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
                return None;
            }
            steps.push(Step::Key(name.to_owned()));
            rest = &after[end..];
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::{JsonMiss, JsonPlace, Way};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const BODY: &[u8] = br#"{"data": [{"id": 12345678901234567890123, "name": "a\"b\u00e4"},
        {"id": 2, "tags": ["x", "y"]}], "0": "zero", "none": null, "ok": true, "n": 1.50, "a/b": 7}"#;

    fn found(place: &str) -> Option<String> {
        let place = JsonPlace::parse(place).expect("the place is right");
        let mut out = Vec::new();
        let found = place.find(BODY).ok()?;
        found.put(&mut out).is_value().then(|| String::from_utf8(out).expect("JSON is text"))
    }

    #[test]
    fn pointers_and_straight_paths_lead_down() {
        for (place, value) in [
            ("/data/0/name", "a\"bä"),
            ("$.data[0].name", "a\"bä"),
            ("$['data'][1][\"id\"]", "2"),
            ("/data/1/tags", r#"["x", "y"]"#),
            ("/data/1/tags/1", "y"),
            ("/0", "zero"),
            ("/ok", "true"),
            ("/n", "1.50"),
            ("/a~1b", "7"),
        ] {
            assert_eq!(found(place).as_deref(), Some(value), "{place}");
        }
    }

    #[test]
    fn a_long_number_keeps_all_its_digits() {
        assert_eq!(found("/data/0/id").as_deref(), Some("12345678901234567890123"));
    }

    #[test]
    fn the_empty_pointer_is_the_whole_body() {
        let place = JsonPlace::parse("").expect("the empty pointer");
        let mut out = Vec::new();
        place.find(b"[1, 2]").expect("a list").put(&mut out);
        assert_eq!(out, b"[1, 2]");
    }

    #[test]
    fn other_paths_give_their_first_value() {
        assert_eq!(found("$..tags[?@ == 'y']").as_deref(), Some("y"));
        assert_eq!(found("$.data[-1].id").as_deref(), Some("2"));
        assert_eq!(found("$.data[?@.tags].id").as_deref(), Some("2"));
    }

    #[test]
    fn nothing_and_null_are_no_value() {
        for place in ["/data/2", "/data/x", "$.data.id", "/ok/deeper", "/none", "$.data[*].nope", "/data/00"]
        {
            assert_eq!(found(place), None, "{place}");
        }
    }

    #[test]
    fn what_is_not_json_is_told_apart_from_what_is_not_there() {
        let place = JsonPlace::parse("/a").expect("a pointer");
        let miss = |body: &[u8]| place.find(body).expect_err("nothing to find");
        assert_eq!(miss(b"<html>"), JsonMiss::NotJson);
        assert_eq!(miss(b""), JsonMiss::NotJson);
        assert_eq!(miss(br#"{"a": 1"#), JsonMiss::NotJson);
        assert_eq!(miss(br#"{"a": 1} x"#), JsonMiss::NotJson);
        assert_eq!(miss(br#"{"b": 1}"#), JsonMiss::Nothing("/a".to_owned()));
    }

    #[test]
    fn wrong_places_are_refused() {
        assert!(JsonPlace::parse("a.b").is_err());
        assert!(JsonPlace::parse("$.a[").is_err());
        assert!(JsonPlace::parse("$[?(").is_err());
        assert!(JsonPlace::parse(&format!("${}", ".a[?$..b".repeat(30))).is_err());
        for cut in ["$['\\u", "$[\"\\uD", "$['\\uD83D\\u", "$['\\uD83D\\ud", "$['\\u00"] {
            assert!(JsonPlace::parse(cut).is_err(), "{cut}");
        }
    }

    #[test]
    fn values_are_compared_as_a_person_would() {
        let differs = |place: &str, body: &[u8], wanted: Value| {
            let place = JsonPlace::parse(place).expect("the place is right");
            place.find(body).expect("it is there").other_than(&wanted)
        };
        assert_eq!(differs("/a", br#"{"a": 1.0}"#, json!(1)), None);
        assert_eq!(differs("/a", br#"{"a": [1, {"b": 2.0}]}"#, json!([1.0, {"b": 2}])), None);
        assert_eq!(differs("/a", br#"{"a": "1"}"#, json!(1)), Some(json!("1")));
        assert_eq!(differs("/a", br#"{"a": null}"#, Value::Null), None);
        // Of several values all must be the one wanted.
        assert_eq!(differs("$[*]", b"[true, true]", json!(true)), None);
        assert_eq!(differs("$[*]", b"[true, 0]", json!(true)), Some(json!(0)));
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z\"\\\\ä]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[ab0]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_way_down_finds_what_the_tree_has(
            tree in any_json(), steps in proptest::collection::vec("[ab01]", 0..4)
        ) {
            let text = steps.iter().fold(String::new(), |text, step| text + "/" + step);
            let place = JsonPlace::parse(&text).map_err(TestCaseError::fail)?;
            let body = tree.to_string();
            let found = place.find(body.as_bytes()).ok();
            match tree.pointer(&text) {
                Some(wanted) => prop_assert!(found.is_some_and(|found| found.other_than(wanted).is_none())),
                None => prop_assert!(found.is_none()),
            }
        }

        #[test]
        fn a_straight_path_finds_what_the_query_finds(
            tree in any_json(), steps in proptest::collection::vec("\\.[ab]|\\[[01]\\]|\\['[ab0]'\\]", 0..4)
        ) {
            let text = format!("${}", steps.concat());
            let place = JsonPlace::parse(&text).map_err(TestCaseError::fail)?;
            prop_assert!(matches!(place.way, Way::Steps(_)));
            let query = serde_json_path::JsonPath::parse(&text)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            let body = tree.to_string();
            let found = place.find(body.as_bytes()).ok();
            match query.query(&tree).first() {
                Some(wanted) => prop_assert!(found.is_some_and(|found| found.other_than(wanted).is_none())),
                None => prop_assert!(found.is_none()),
            }
        }
    }
}
