//! Reason why a config cannot be run, said so that a person can mend it.

use std::collections::BTreeMap;

use serde::Serialize;

/// A thing that is wrong with a config, in the words of whoever wrote the plan.
///
/// Goes to the parent as `{"refused": {"what", "where", "mend", "code", "words", "values"}}`: it says in
/// each language what it has a sentence for, and else repeats `what` and `mend`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{where_}: {what} ({code}; mend: {mend})")]
pub struct Refusal {
    /// Mistake, as one sentence without a full stop, with the value that was given.
    pub what: String,
    /// A JSON path in the config, or a file.
    #[serde(rename = "where")]
    pub where_: String,
    /// Something to type or to do.
    pub mend: String,
    /// Stable, `engine.kebab-case`; each has a page in `loadrig explain`.
    pub code: &'static str,
    /// Name of the sentence in the parent's catalogue; empty where it has none.
    pub words: &'static str,
    /// Texts that fill the holes of that sentence, by their names.
    pub values: BTreeMap<&'static str, String>,
}

impl Refusal {
    /// A refusal with its place.
    pub fn new(
        code: &'static str,
        what: impl Into<String>,
        place: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            where_: place.into(),
            mend: mend.into(),
            code,
            words: "",
            values: BTreeMap::new(),
        }
    }

    /// The same refusal with the name of its sentence, and what fills the holes of that.
    pub(crate) fn worded<const N: usize>(
        mut self,
        words: &'static str,
        values: [(&'static str, String); N],
    ) -> Self {
        self.words = words;
        self.values = values.into();
        self
    }

    /// The config itself is malformed. Plans are checked before they become configs, so this is
    /// a hand-made config or two versions that do not belong together.
    pub(crate) fn config(what: impl Into<String>, place: impl Into<String>) -> Self {
        Self::new(
            "engine.config",
            what,
            place,
            "let loadrig make the config: `loadrig run PLAN`; if it did, report this",
        )
    }
}

/// Letters of a text that are shown; a body may have thousands.
const SHOWN: usize = 80;

/// A text of the plan's between quotes, on one line, as it was written as far as that goes.
pub(crate) fn quoted(text: &str) -> String {
    let mut shown = String::from("\"");
    for letter in text.chars().take(SHOWN) {
        if letter.is_control() {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown.push_str(if text.chars().nth(SHOWN).is_some() { "…\"" } else { "\"" });
    shown
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_quoted_text_stays_on_its_line() {
        assert_eq!(quoted(r#"id="(\d+)""#), r#""id="(\d+)"""#);
        assert_eq!(quoted("a\r\nb"), r#""a\r\nb""#);
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(quoted(&"ä".repeat(81)), format!("\"{}…\"", "ä".repeat(80)));
        assert_eq!(quoted(&"ä".repeat(80)), format!("\"{}\"", "ä".repeat(80)));
    }
}
