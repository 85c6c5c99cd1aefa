//! Checks of values in an answer.

use super::{Extract, Having, Order};
use serde::Deserialize;

/// A check of a value in an answer: what it says itself, or one of its alternatives. What is missing equals
/// nothing, and what is no number is neither above nor below one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueCheck {
    /// Name that a failure is told by.
    #[serde(default)]
    pub name: Option<String>,
    /// Place of the value.
    pub at: Extract,
    /// Text or number that it is compared with.
    #[serde(default)]
    pub value: String,
    /// Whether it must be that text, or have that; else it must not.
    #[serde(default = "as_said")]
    pub equal: bool,
    /// Place on the line of numbers that it must have; none: it is compared as a text.
    #[serde(default)]
    pub order: Option<Order>,
    /// What must be in the place; none: it is compared.
    #[serde(default)]
    pub has: Option<Having>,
    /// Regular expression that the whole value must match; none: it is compared.
    #[serde(default)]
    pub matches: Option<String>,
    /// Alternatives: one that is true will do.
    #[serde(default)]
    pub alternatives: Vec<ValueCheck>,
}

const fn as_said() -> bool {
    true
}
