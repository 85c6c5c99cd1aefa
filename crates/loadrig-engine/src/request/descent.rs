//! Following steps down a JSON text while it is read once, keeping nothing but what lies at the end.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// A step down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Into an object.
    Key(String),
    /// Into a list.
    Index(usize),
    /// A pointer does not say which of the two it means.
    Either(String, usize),
}

impl Step {
    fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) | Self::Either(key, _) => Some(key),
            Self::Index(_) => None,
        }
    }

    fn index(&self) -> Option<usize> {
        match self {
            Self::Index(index) | Self::Either(_, index) => Some(*index),
            Self::Key(_) => None,
        }
    }
}

/// Reads one value, following the steps down and passing over all else.
pub(super) struct Descent<'s, 'a> {
    pub(super) steps: &'s [Step],
    /// The value at the end of the steps.
    pub(super) found: &'s mut Option<&'a RawValue>,
}

impl<'a> DeserializeSeed<'a> for Descent<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        if self.steps.is_empty() {
            *self.found = Some(serde::Deserialize::deserialize(reader)?);
            return Ok(());
        }
        reader.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Descent<'_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((key, steps)) = self.steps.split_first().and_then(|(step, rest)| Some((step.key()?, rest)))
        else {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        while let Some(is_it) = map.next_key_seed(IsKey(key))? {
            if is_it {
                *self.found = None;
                map.next_value_seed(Descent { steps, found: self.found })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        let step = self.steps.split_first().and_then(|(step, rest)| Some((step.index()?, rest)));
        if let Some((index, steps)) = step {
            for _ in 0..index {
                if list.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(());
                }
            }
            list.next_element_seed(Descent { steps, found: self.found })?;
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Whether a key is the one.
struct IsKey<'s>(&'s str);

impl<'a> DeserializeSeed<'a> for IsKey<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for IsKey<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}
