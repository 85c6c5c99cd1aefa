//! Writing and reading Parquet, a row group after the other.

use crate::error::{SeriesError, guarded};
use crate::rows::{Rows, WORD_COLUMNS, Words, may_lack};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const SCHEMA: &str = "message series {
    required int64 t_ns;
    required binary component (UTF8);
    required binary probe (UTF8);
    required binary metric (UTF8);
    required binary subject (UTF8);
    required double value;
}";

/// Number of rows of one column that are decoded or encoded in one go: words need 32 bytes for each.
const ROWS_A_STEP: usize = 8192;

/// Writes parts into a Parquet file, which is there already, a row group for each.
pub fn pack(parts: impl Iterator<Item = Result<Rows, SeriesError>>, path: &Path) -> Result<(), SeriesError> {
    let file = File::options().write(true).truncate(true).open(path)?;
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties()))?;
    for part in parts {
        let rows = part?;
        let mut group = writer.next_row_group()?;
        write_next(group.next_column()?, |column| write_all::<Int64Type>(column, &rows.t_ns))?;
        for words in &rows.words {
            write_next(group.next_column()?, |column| write_words(column, words))?;
        }
        write_next(group.next_column()?, |column| write_all::<DoubleType>(column, &rows.value))?;
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

fn properties() -> WriterProperties {
    let (t_ns, value) = (ColumnPath::from("t_ns"), ColumnPath::from("value"));
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_column_dictionary_enabled(t_ns.clone(), false)
        .set_column_encoding(t_ns, Encoding::DELTA_BINARY_PACKED)
        // Bytes of one place of all numbers together: by a third smaller, whatever was read.
        .set_column_dictionary_enabled(value.clone(), false)
        .set_column_encoding(value, Encoding::BYTE_STREAM_SPLIT)
        // Nothing is looked for by page: an index of pages would be a tenth of a short file.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build()
}

fn write_next(
    column: Option<SerializedColumnWriter<'_>>,
    write: impl FnOnce(&mut SerializedColumnWriter<'_>) -> Result<(), SeriesError>,
) -> Result<(), SeriesError> {
    let mut column = column.expect("the schema has as many columns as a part");
    write(&mut column)?;
    Ok(column.close()?)
}

fn write_all<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
) -> Result<(), SeriesError> {
    column.typed::<T>().write_batch(values, None, None)?;
    Ok(())
}

fn write_words(column: &mut SerializedColumnWriter<'_>, words: &Words) -> Result<(), SeriesError> {
    let different: Vec<ByteArray> = words.different().iter().map(|word| word.as_str().into()).collect();
    for places in words.places().chunks(ROWS_A_STEP) {
        let values: Vec<_> = places.iter().map(|place| different[*place as usize].clone()).collect();
        write_all::<ByteArrayType>(column, &values)?;
    }
    Ok(())
}

/// The rows of a Parquet file, in parts: its row groups one after the other, large ones in several parts.
pub struct Packed {
    file: SerializedFileReader<File>,
    rows: u64,
    rows_a_part: usize,
    groups_read: usize,
    rows_read: u64,
    columns: Option<Columns>,
    has_ended: bool,
}

impl Packed {
    /// Opens a file, to be read in parts of at most so many rows.
    pub fn open(path: &Path, rows_a_part: usize) -> Result<Self, SeriesError> {
        let file = File::open(path)?;
        let file = guarded(|| Ok(SerializedFileReader::new(file)?))?;
        let rows = u64::try_from(file.metadata().file_metadata().num_rows())
            .map_err(|_| SeriesError::Damaged("it holds less than no rows".to_owned()))?;
        Ok(Self { file, rows, rows_a_part, groups_read: 0, rows_read: 0, columns: None, has_ended: false })
    }

    /// Number of rows that the file says it holds. It is an error if it holds others.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn part(&mut self) -> Result<Option<Rows>, SeriesError> {
        loop {
            let columns = match &mut self.columns {
                Some(columns) => columns,
                None if self.groups_read == self.file.num_row_groups() => break,
                None => {
                    self.groups_read += 1;
                    self.columns.insert(Columns::of(&self.file, self.groups_read - 1)?)
                }
            };
            let part = columns.part(self.rows_a_part)?;
            self.rows_read += part.len() as u64;
            if self.rows_read > self.rows {
                break;
            }
            if !part.is_empty() {
                return Ok(Some(part));
            }
            self.columns = None;
        }
        if self.rows_read == self.rows {
            return Ok(None);
        }
        Err(SeriesError::Damaged(format!("it says that it holds {} rows, and holds others", self.rows)))
    }
}

impl Iterator for Packed {
    type Item = Result<Rows, SeriesError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let part = guarded(|| self.part());
        self.has_ended = !matches!(part, Ok(Some(_)));
        part.transpose()
    }
}

/// Rest of a row group that is still to be read.
struct Columns {
    t_ns: ColumnReaderImpl<Int64Type>,
    value: ColumnReaderImpl<DoubleType>,
    words: [Option<ColumnReaderImpl<ByteArrayType>>; WORD_COLUMNS.len()],
}

impl Columns {
    fn of(file: &SerializedFileReader<File>, group: usize) -> Result<Self, SeriesError> {
        let schema = file.metadata().file_metadata().schema_descr();
        let group = file.get_row_group(group)?;
        let reader = |name: &str| match place_of(schema, name) {
            Some(place) => group.get_column_reader(place).map(Some),
            None => Ok(None),
        };
        let Some(ColumnReader::Int64ColumnReader(t_ns)) = reader("t_ns")? else { return Err(misses("t_ns")) };
        let Some(ColumnReader::DoubleColumnReader(value)) = reader("value")? else {
            return Err(misses("value"));
        };
        let mut words = [const { None }; WORD_COLUMNS.len()];
        for (number, name) in WORD_COLUMNS.into_iter().enumerate() {
            words[number] = match reader(name)? {
                Some(ColumnReader::ByteArrayColumnReader(column)) => Some(column),
                None if may_lack(number) => None,
                _ => return Err(misses(name)),
            };
        }
        Ok(Self { t_ns, value, words })
    }

    fn part(&mut self, most_rows: usize) -> Result<Rows, SeriesError> {
        let mut rows = Rows::default();
        read(&mut self.t_ns, most_rows, |values| {
            rows.t_ns.extend(values);
            Ok(())
        })?;
        read(&mut self.value, most_rows, |values| {
            rows.value.extend(values);
            Ok(())
        })?;
        for (column, words) in self.words.iter_mut().zip(&mut rows.words) {
            if let Some(column) = column {
                read(column, most_rows, |values| {
                    values.iter().try_for_each(|value| words.push(value.data()))
                })?;
            }
        }
        rows.completed()
    }
}

/// The place of a column that has one value in each row, and no columns within.
fn place_of(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    schema.columns().iter().position(|column| column.path().parts() == [name] && column.max_rep_level() == 0)
}

/// Hands on the next values of a column, some at a time. A row without a value is an error.
fn read<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    most_rows: usize,
    mut take: impl FnMut(&[T::T]) -> Result<(), SeriesError>,
) -> Result<(), SeriesError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut rows_left = most_rows;
    while rows_left > 0 {
        values.clear();
        levels.clear();
        let most = rows_left.min(ROWS_A_STEP);
        let (rows, _, _) = column.read_records(most, Some(&mut levels), None, &mut values)?;
        if rows == 0 {
            break;
        }
        if values.len() != rows {
            return Err(SeriesError::Damaged("it has rows without a value".to_owned()));
        }
        rows_left -= rows;
        take(&values)?;
    }
    Ok(())
}

fn misses(name: &str) -> SeriesError {
    SeriesError::Damaged(format!("it has no column {name} of the right type"))
}
