//! Values that are never quoted: secrets of the plan, and what users were given by the server.
//!
//! A bad answer is shown with its first bytes, and a server may say in them what it was sent: its error
//! page repeats a header, its message names the token. So values go before a text is cut, as half of a
//! password is still half of a password.

use super::user::User;

/// Bytes of the shortest value taken out of a text. What is shorter stands in many words by chance.
const SHORTEST: usize = 6;

/// Stands for a value that has no name.
const MASK: &str = "***";

/// The values that belong to one answer, longest first: a value may be a part of another.
pub(super) struct Withheld<'a>(Vec<(&'a [u8], String)>);

impl<'a> Withheld<'a> {
    /// Secrets of the plan, of a user, and of the cookies that an answer sets.
    ///
    /// planned: values that the config names. names: of the variables.
    pub(super) fn of(
        planned: &'a [String],
        user: &'a User,
        names: &[String],
        headers: &'a [httparse::Header<'a>],
    ) -> Self {
        let planned = planned.iter().map(|value| (value.as_bytes(), MASK.to_owned()));
        let taken = user.variables.iter().zip(names).filter(|(variable, _)| variable.is_set());
        let taken = taken.map(|(variable, name)| (variable.value.as_slice(), format!("{{{name}}}")));
        let kept = user.jar.values().map(|value| (value.as_bytes(), MASK.to_owned()));
        let set = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("set-cookie"));
        let set = set.filter_map(|header| cookie_value(header.value)).map(|value| (value, MASK.to_owned()));
        let mut values: Vec<_> = planned
            .chain(taken)
            .chain(kept)
            .chain(set)
            .filter(|(value, _)| value.len() >= SHORTEST)
            .collect();
        values.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        Self(values)
    }

    /// The text without the values; each is replaced by the name of its variable, or by a mask.
    pub(super) fn out_of(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(&first) = rest.first() {
            // Of a text that was cut, the end may be the beginning of a value.
            let begins =
                |value: &[u8]| rest.starts_with(value) || rest.len() >= SHORTEST && value.starts_with(rest);
            if let Some((value, shown)) = self.0.iter().find(|(value, _)| begins(value)) {
                out.extend_from_slice(shown.as_bytes());
                rest = &rest[value.len().min(rest.len())..];
            } else {
                out.push(first);
                rest = &rest[1..];
            }
        }
        out
    }
}

/// The value in a Set-Cookie header: from the first `=` to the first `;`.
fn cookie_value(header: &[u8]) -> Option<&[u8]> {
    let pair = header.split(|byte| *byte == b';').next()?;
    let sign = pair.iter().position(|byte| *byte == b'=')?;
    Some(pair[sign + 1..].trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::Withheld;
    use proptest::prelude::*;

    fn withheld<'a>(values: &[(&'a str, &str)]) -> Withheld<'a> {
        Withheld(values.iter().map(|(value, shown)| (value.as_bytes(), (*shown).to_owned())).collect())
    }

    #[test]
    fn a_value_that_holds_another_goes_whole() {
        let both = withheld(&[("abcdef-123", "***"), ("abcdef", "{token}")]);
        assert_eq!(both.out_of(b"<abcdef-123> <abcdef>"), b"<***> <{token}>");
    }

    #[test]
    fn the_beginning_of_a_value_at_the_end_of_a_text_goes_too() {
        let token = withheld(&[("token-0123456789", "{token}")]);
        assert_eq!(token.out_of(b"unknown: token-0123"), b"unknown: {token}");
        assert_eq!(token.out_of(b"a token"), b"a token");
    }

    proptest! {
        #[test]
        fn no_value_is_left_wherever_it_stood(
            before in "[a-z ]{0,9}", value in "[A-Z0-9]{6,20}", after in "[a-z ]{0,9}"
        ) {
            let text = format!("{before}{value}{after}{value}");
            let out = withheld(&[(&value, "***")]).out_of(text.as_bytes());
            prop_assert_eq!(out, format!("{before}***{after}***").into_bytes());
        }
    }
}
