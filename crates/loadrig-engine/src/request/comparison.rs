//! Comparison of a value with a text or a number, or what the value must be worth.

use super::worth::Worth;
use crate::config::{Having, Order, Refusal};

/// Comparison of a value.
#[derive(Debug)]
pub(super) enum Comparison {
    /// It is this text, or is not.
    Text { value: Box<[u8]>, equal: bool },
    /// It is a number that lies there.
    Number { value: f64, order: Order },
    /// It is worth that, or is not.
    Worth { has: Having, equal: bool },
}

impl Comparison {
    /// Compiles the comparison at `place`, whose parts are those of a term.
    pub(super) fn compile(
        value: &str,
        equal: bool,
        order: Option<Order>,
        has: Option<Having>,
        place: &str,
    ) -> Result<Self, Refusal> {
        if let Some(has) = has {
            return Ok(Self::Worth { has, equal });
        }
        let Some(order) = order else {
            return Ok(Self::Text { value: value.as_bytes().into(), equal });
        };
        let number = number(value.as_bytes())
            .ok_or_else(|| Refusal::config(format!("{value:?} is no number"), format!("{place}.value")))?;
        Ok(Self::Number { value: number, order })
    }

    /// Whether it holds of a value. text: of a value that is missing or null it does not count.
    pub(super) fn holds(&self, worth: Worth, text: &[u8]) -> bool {
        match self {
            Self::Text { value, equal } => (worth.is_value() && *text == **value) == *equal,
            Self::Number { value, order } => {
                let there = worth.is_value().then(|| number(text)).flatten();
                there.is_some_and(|there| match order {
                    Order::Above => there > *value,
                    Order::AtLeast => there >= *value,
                    Order::Below => there < *value,
                    Order::AtMost => there <= *value,
                })
            }
            Self::Worth { has, equal } => {
                let is_so = match has {
                    Having::Value => worth.is_value(),
                    Having::Truth => worth == Worth::True,
                    Having::Null => worth == Worth::Null,
                };
                is_so == *equal
            }
        }
    }

    /// What it asks for, in words that follow "not".
    pub(super) fn wanted(&self) -> String {
        match self {
            Self::Text { value, equal: true } => format!("{:?}", String::from_utf8_lossy(value)),
            Self::Text { value, equal: false } => {
                format!("another than {:?}", String::from_utf8_lossy(value))
            }
            Self::Number { value, order } => match order {
                Order::Above => format!("above {value}"),
                Order::AtLeast => format!("at least {value}"),
                Order::Below => format!("below {value}"),
                Order::AtMost => format!("at most {value}"),
            },
            Self::Worth { has: Having::Value, equal: true } => "a value".to_owned(),
            Self::Worth { has: Having::Value, equal: false } => "without a value".to_owned(),
            Self::Worth { has: Having::Truth, equal: true } => "true".to_owned(),
            Self::Worth { has: Having::Truth, equal: false } => "missing, null, empty, 0 or false".to_owned(),
            Self::Worth { has: Having::Null, equal: true } => "null".to_owned(),
            Self::Worth { has: Having::Null, equal: false } => "other than null".to_owned(),
        }
    }
}

/// The number that a text is, with blanks around it; none of a text that is anything else.
fn number(text: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
    number.is_finite().then_some(number)
}
