//! Worth of what an answer has in a place: whether it is there, and whether JavaScript takes it as true.

/// Worth of a value, as JavaScript tells values apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Worth {
    /// Nothing is there.
    #[default]
    Missing,
    /// Null of JSON.
    Null,
    /// An empty text, and the false and the number 0 of JSON.
    Untrue,
    /// Any other value; the texts "false" and "0" are among them, lists and objects also where they are empty.
    True,
}

impl Worth {
    /// Worth of a text.
    pub(super) const fn of_text(text: &[u8]) -> Self {
        if text.is_empty() { Self::Untrue } else { Self::True }
    }

    /// Worth of a value of JSON that is no string.
    pub(super) fn of_json(text: &str) -> Self {
        match text {
            "null" => Self::Null,
            "false" => Self::Untrue,
            // A number that is too small for a float is 0 in JavaScript, too.
            _ if text.parse::<f64>().is_ok_and(|number| number == 0.0) => Self::Untrue,
            _ => Self::True,
        }
    }

    /// Whether there is a value: neither nothing nor null.
    pub(super) const fn is_value(self) -> bool {
        matches!(self, Self::Untrue | Self::True)
    }
}

#[cfg(test)]
mod tests {
    use super::Worth;

    #[test]
    fn values_are_worth_what_javascript_takes_them_for() {
        for text in ["false", "0", "-0", "0.00", "0e9", "1e-999"] {
            assert_eq!(Worth::of_json(text), Worth::Untrue, "{text}");
        }
        for text in ["true", "1", "-0.1", "[]", "{}", "[0]", "1e999"] {
            assert_eq!(Worth::of_json(text), Worth::True, "{text}");
        }
        assert_eq!(Worth::of_json("null"), Worth::Null);
        assert_eq!(Worth::of_text(b""), Worth::Untrue);
        for text in [" ", "0", "false", "null"] {
            assert_eq!(Worth::of_text(text.as_bytes()), Worth::True, "{text}");
        }
    }
}
