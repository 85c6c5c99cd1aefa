//! Texts with holes: `{name}` is a hole, `{{` and `}}` are braces.

use std::borrow::Cow;

/// A part of a template, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text that is sent as it is.
    Text(Cow<'a, str>),
    /// A hole, by name.
    Hole(&'a str),
}

/// Mistake in a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TemplateError {
    /// A hole without an end.
    #[error("the brace at character {0} is not closed")]
    Open(usize),
    /// An end without a hole.
    #[error("the brace at character {0} closes nothing")]
    Close(usize),
    /// Text between the braces that is no name.
    #[error("{0:?} is no name for a hole")]
    Name(String),
}

/// The pieces of a template: no two texts in a row, none of them empty.
pub(super) fn parse(template: &str) -> Result<Vec<Piece<'_>>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from_brace) = rest.split_at(at);
        let place = || template[..template.len() - from_brace.len()].chars().count() + 1;
        push_text(&mut pieces, before);
        if from_brace.starts_with("{{") || from_brace.starts_with("}}") {
            push_text(&mut pieces, &from_brace[..1]);
            rest = &from_brace[2..];
        } else if from_brace.starts_with('}') {
            return Err(TemplateError::Close(place()));
        } else {
            let end = from_brace.find('}').ok_or_else(|| TemplateError::Open(place()))?;
            let name = &from_brace[1..end];
            if !is_name(name) {
                return Err(TemplateError::Name(name.to_owned()));
            }
            pieces.push(Piece::Hole(name));
            rest = &from_brace[end + 1..];
        }
    }
    push_text(&mut pieces, rest);
    Ok(pieces)
}

/// Whether a hole may bear this name: letters, digits and `_ - .`, the first no digit.
///
/// The dot is that of a column of a table (`item.id`).
pub(super) fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}

fn push_text<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if text.is_empty() {
        return;
    }
    if let Some(Piece::Text(before)) = pieces.last_mut() {
        before.to_mut().push_str(text);
    } else {
        pieces.push(Piece::Text(Cow::Borrowed(text)));
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, TemplateError, is_name, parse};
    use proptest::prelude::*;

    fn text(text: &str) -> Piece<'_> {
        Piece::Text(text.into())
    }

    #[test]
    fn holes_and_texts_come_in_order() {
        let pieces = parse("/items/{item.id}?q={word}&all").expect("the template is right");
        let expected =
            [text("/items/"), Piece::Hole("item.id"), text("?q="), Piece::Hole("word"), text("&all")];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn double_braces_are_braces() {
        assert_eq!(parse(r#"{{"a": {{}}}}"#), Ok(vec![text(r#"{"a": {}}"#)]));
        let pieces = parse("{{{name}}}").expect("a hole between braces");
        assert_eq!(pieces, [text("{"), Piece::Hole("name"), text("}")]);
    }

    #[test]
    fn a_hole_without_an_end_is_told_with_its_place() {
        assert_eq!(parse("/ä/{word"), Err(TemplateError::Open(4)));
        assert_eq!(parse("/a}b"), Err(TemplateError::Close(3)));
    }

    #[test]
    fn what_is_no_name_is_no_hole() {
        for wrong in ["{}", "{ word }", "{1}", "{a b}", "{\"a\": 1}"] {
            assert!(matches!(parse(wrong), Err(TemplateError::Name(_))), "{wrong}");
        }
    }

    fn written(piece: &Piece<'_>) -> String {
        match piece {
            Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
            Piece::Hole(name) => format!("{{{name}}}"),
        }
    }

    proptest! {
        #[test]
        fn any_text_with_its_braces_doubled_comes_back(original in ".*") {
            let template = written(&text(&original));
            let pieces = parse(&template).map_err(|e| TestCaseError::fail(e.to_string()))?;
            let back: String = pieces.iter().map(|piece| match piece {
                Piece::Text(text) => text.as_ref(),
                Piece::Hole(_) => "a hole",
            }).collect();
            prop_assert_eq!(back, original);
        }

        #[test]
        fn a_template_written_from_its_pieces_is_the_template(
            parts in proptest::collection::vec(prop_oneof!["[a-z{} ]{1,5}", "[a-z_][a-z0-9_.-]{0,5}"], 0..8)
        ) {
            // Parts with a space or a brace become texts, the others holes.
            let template: String = parts.iter().map(|part| {
                if is_name(part) { format!("{{{part}}}") } else { written(&text(part)) }
            }).collect();
            let pieces = parse(&template).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(pieces.iter().map(written).collect::<String>(), template);
        }

        #[test]
        fn no_template_makes_the_parser_panic(template in ".*") {
            let _ = parse(&template);
        }
    }
}
