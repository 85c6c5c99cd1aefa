//! Reading an Arrow stream, up to where a kill has torn it, or to where it has been written by now.

use crate::error::{SeriesError, guarded};
use crate::rows::{Rows, WORD_COLUMNS, may_lack};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes that are read in one go: a batch of a second has some 20,000.
const READ_BYTES: usize = 256 * 1024;

/// The rows of a stream, in parts: its whole batches one after the other.
///
/// At the end of the file there is no further part until more is written: a stream that grows is followed by
/// asking again. Bytes that are no message are the end for good.
#[derive(Debug)]
pub struct Stream {
    file: File,
    // Not the reader of whole messages, which allocates whatever length a message claims to have.
    decoder: StreamDecoder,
    unread: Buffer,
    rows_a_part: usize,
    is_damaged: bool,
}

impl Stream {
    /// Opens a stream, to be read in parts of at least so many rows, but for the last.
    pub fn open(path: &Path, rows_a_part: usize) -> Result<Self, SeriesError> {
        Ok(Self {
            file: File::open(path)?,
            decoder: StreamDecoder::new(),
            unread: Buffer::default(),
            rows_a_part,
            is_damaged: false,
        })
    }

    fn part(&mut self) -> Result<Rows, SeriesError> {
        let mut rows = Rows::default();
        while rows.len() < self.rows_a_part {
            match self.batch()? {
                Some(batch) => append(&mut rows, &batch)?,
                None => break,
            }
        }
        rows.completed()
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, SeriesError> {
        while !self.is_damaged {
            if self.unread.is_empty() {
                let mut bytes = Vec::with_capacity(READ_BYTES);
                (&self.file).take(READ_BYTES as u64).read_to_end(&mut bytes)?;
                if bytes.is_empty() {
                    return Ok(None);
                }
                self.unread = bytes.into();
            }
            // Bytes that are no message are those that a crash of the machine has left: the end, as well.
            match guarded(|| Ok(self.decoder.decode(&mut self.unread))) {
                Ok(Ok(None)) => {}
                Ok(Ok(batch)) => return Ok(batch),
                Ok(Err(_)) | Err(_) => self.is_damaged = true,
            }
        }
        Ok(None)
    }
}

impl Iterator for Stream {
    type Item = Result<Rows, SeriesError>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.part();
        self.is_damaged |= part.is_err();
        part.map(|rows| (!rows.is_empty()).then_some(rows)).transpose()
    }
}

fn append(rows: &mut Rows, batch: &RecordBatch) -> Result<(), SeriesError> {
    rows.t_ns.extend(numbers(batch, "t_ns", |column| column.as_primitive_opt::<Int64Type>())?.values());
    rows.value.extend(numbers(batch, "value", |column| column.as_primitive_opt::<Float64Type>())?.values());
    for (number, (name, words)) in WORD_COLUMNS.into_iter().zip(&mut rows.words).enumerate() {
        let Some(column) = batch.column_by_name(name) else {
            if may_lack(number) {
                continue;
            }
            return Err(misses(name));
        };
        if column.null_count() > 0 {
            return Err(misses(name));
        }
        if let Some(texts) = column.as_string_opt::<i32>() {
            texts.iter().flatten().try_for_each(|word| words.push(word.as_bytes()))?;
            continue;
        }
        // Before it was written by nanoarrow, a stream had dictionaries.
        let coded =
            column.as_dictionary_opt::<Int32Type>().and_then(DictionaryArray::downcast_dict::<StringArray>);
        let coded = coded.ok_or_else(|| misses(name))?;
        coded.into_iter().flatten().try_for_each(|word| words.push(word.as_bytes()))?;
    }
    Ok(())
}

fn numbers<'a, T>(
    batch: &'a RecordBatch,
    name: &str,
    typed: impl FnOnce(&'a ArrayRef) -> Option<&'a T>,
) -> Result<&'a T, SeriesError> {
    let column = batch.column_by_name(name).filter(|column| column.null_count() == 0);
    column.and_then(typed).ok_or_else(|| misses(name))
}

fn misses(name: &str) -> SeriesError {
    SeriesError::Damaged(format!("it has no column {name} of the right type without gaps"))
}
