//! Rows of the table in memory.

use crate::error::SeriesError;
use std::collections::HashMap;

/// Names of the columns of words, in their order.
pub const WORD_COLUMNS: [&str; 4] = ["component", "probe", "metric", "subject"];

const COMPONENT: usize = 0;

/// Probes that watched the host in recordings of format 1, which do not name components; all other probes
/// watched the server.
const HOST_PROBES_OF_FORMAT_1: [&str; 3] = ["system_cpu", "memory", "tcp_sockets"];

/// A column of words, each kept once.
#[derive(Debug, Default)]
pub struct Words {
    different: Vec<String>,
    places: Vec<u32>,
    place_of: HashMap<Vec<u8>, u32>,
}

impl Words {
    /// The different words, in the order in which they first occur.
    #[must_use]
    pub fn different(&self) -> &[String] {
        &self.different
    }

    /// For each row, the place of its word among the different ones.
    #[must_use]
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// Adds a row. Fails if the word is not UTF-8.
    pub fn push(&mut self, word: &[u8]) -> Result<(), SeriesError> {
        // Most rows have the word of the row before, which is compared in less time than it is looked up.
        let last = self.places.last().copied();
        if let Some(place) = last.filter(|place| self.different[*place as usize].as_bytes() == word) {
            self.places.push(place);
            return Ok(());
        }
        let place = if let Some(place) = self.place_of.get(word) {
            *place
        } else {
            let text = std::str::from_utf8(word).map_err(|error| SeriesError::Damaged(error.to_string()))?;
            let place = u32::try_from(self.different.len())
                .map_err(|_| SeriesError::Damaged("it holds too many different words".to_owned()))?;
            self.different.push(text.to_owned());
            self.place_of.insert(word.to_owned(), place);
            place
        };
        self.places.push(place);
        Ok(())
    }
}

/// Some rows of the table, in the order in which they were written. All columns have the same length.
#[derive(Debug, Default)]
pub struct Rows {
    /// Instants in ns.
    pub t_ns: Vec<i64>,
    /// Readings of that instant.
    pub value: Vec<f64>,
    /// The columns of `WORD_COLUMNS`.
    pub words: [Words; WORD_COLUMNS.len()],
}

impl Rows {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.t_ns.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.t_ns.is_empty()
    }

    /// Gives rows of format 1 the components that they lack, and returns the rows if they are whole then.
    pub(crate) fn completed(mut self) -> Result<Self, SeriesError> {
        let [component, probe, ..] = &mut self.words;
        if component.places.is_empty() {
            for place in &probe.places {
                let is_host = HOST_PROBES_OF_FORMAT_1.contains(&probe.different[*place as usize].as_str());
                component.push(if is_host { b"host" } else { b"server" })?;
            }
        }
        let rows = self.t_ns.len();
        if self.value.len() == rows && self.words.iter().all(|column| column.places.len() == rows) {
            Ok(self)
        } else {
            Err(SeriesError::Damaged("its columns differ in length".to_owned()))
        }
    }
}

/// Whether a file may lack this column of words, as those of format 1 do.
pub(crate) fn may_lack(column: usize) -> bool {
    column == COMPONENT
}
