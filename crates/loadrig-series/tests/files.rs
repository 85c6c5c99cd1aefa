//! Streams and Parquet files as they are written, as older versions wrote them, and damaged.

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::StreamWriter;
use loadrig_series::{Packed, Rows, SeriesError, Stream, WORD_COLUMNS, pack};
use proptest::prelude::*;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

type Row = (i64, [String; 4], f64);

fn row(t_ns: i64, probe: &str) -> Row {
    let words = ["server", probe, "cpu_s", ""].map(str::to_owned);
    (t_ns, words, 0.5)
}

fn table(rows: &[Row], words: impl Fn(Vec<&str>) -> ArrayRef) -> RecordBatch {
    let t_ns: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|row| row.0)));
    let value: ArrayRef = Arc::new(Float64Array::from_iter_values(rows.iter().map(|row| row.2)));
    let column = |place: usize| words(rows.iter().map(|row| row.1[place].as_str()).collect());
    let named = WORD_COLUMNS.into_iter().enumerate().map(|(place, name)| (name, column(place)));
    let columns = [("t_ns", t_ns), ("value", value)].into_iter().chain(named);
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn texts(words: Vec<&str>) -> ArrayRef {
    Arc::new(StringArray::from(words))
}

fn coded(words: Vec<&str>) -> ArrayRef {
    Arc::new(words.into_iter().collect::<DictionaryArray<Int32Type>>())
}

fn write_stream(folder: &TempDir, batches: &[RecordBatch]) -> PathBuf {
    let path = folder.path().join("series.arrow");
    let file = fs::File::create(&path).expect("a folder of our own");
    let mut writer = StreamWriter::try_new(file, &batches[0].schema()).expect("a schema");
    batches.iter().try_for_each(|batch| writer.write(batch)).expect("room for a test");
    writer.finish().expect("room for a test");
    path
}

fn packed(folder: &TempDir, stream: &Path, rows_a_group: usize) -> PathBuf {
    let path = folder.path().join("series.parquet");
    fs::write(&path, b"").expect("a folder of our own");
    pack(Stream::open(stream, rows_a_group).expect("a stream"), &path).expect("a whole stream");
    path
}

fn rows_of(part: &Rows) -> Vec<Row> {
    let word = |column: usize, row: usize| {
        let words = &part.words[column];
        words.different()[words.places()[row] as usize].clone()
    };
    let words = |row: usize| std::array::from_fn(|column| word(column, row));
    (0..part.len()).map(|row| (part.t_ns[row], words(row), part.value[row])).collect()
}

fn read(parts: impl Iterator<Item = Result<Rows, SeriesError>>) -> Result<Vec<Row>, SeriesError> {
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    Ok(parts.iter().flat_map(rows_of).collect())
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let words = prop::array::uniform4("[a-c]{0,2}|\\PC{0,8}");
    prop::collection::vec((any::<i64>(), words, -1e300..1e300), 1..60)
}

proptest! {
    #[test]
    fn every_row_comes_back_from_the_stream_and_from_parquet(
        expected in rows(), rows_a_batch in 1usize..20, rows_a_group in 1usize..40, rows_a_part in 1usize..40,
    ) {
        let folder = TempDir::new().expect("room for a test");
        let batches: Vec<_> = expected.chunks(rows_a_batch).map(|rows| table(rows, texts)).collect();
        let stream = write_stream(&folder, &batches);
        prop_assert_eq!(&read(Stream::open(&stream, rows_a_group).expect("a stream")).expect("whole"), &expected);
        let parquet = packed(&folder, &stream, rows_a_group);
        let parts = Packed::open(&parquet, rows_a_part).expect("a file");
        prop_assert_eq!(parts.rows(), expected.len() as u64);
        prop_assert_eq!(&read(parts).expect("whole"), &expected);
    }
}

#[test]
fn a_stream_that_grows_by_any_pieces_is_followed_to_its_end() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let all: Vec<Row> = (0..30).map(|number| row(number, "process")).collect();
    let batches: Vec<RecordBatch> = all.chunks(10).map(|rows| table(rows, texts)).collect();
    let content = fs::read(write_stream(&folder, &batches)).expect("the stream");
    for piece in [1, 7, 64, 1000] {
        let path = folder.path().join(format!("growing-{piece}"));
        let mut file = fs::File::create(&path).expect("a folder of our own");
        let mut stream = Stream::open(&path, usize::MAX).expect("a stream");
        let mut followed = Vec::new();
        for bytes in content.chunks(piece) {
            std::io::Write::write_all(&mut file, bytes).expect("room for a test");
            followed.extend(read(&mut stream).expect("whole batches"));
        }
        assert_eq!(followed, all, "by {piece} bytes");
    }
}

#[test]
fn a_stream_with_dictionaries_is_read_as_one_without() {
    let folder = TempDir::new().expect("room for a test");
    let expected = [row(1, "process"), row(2, "memory"), row(3, "process")];
    let stream = write_stream(&folder, &[table(&expected, coded)]);
    assert_eq!(read(Stream::open(&stream, 10).expect("a stream")).expect("whole"), expected);
}

#[test]
fn rows_without_components_are_of_the_server_or_of_the_host() {
    let folder = TempDir::new().expect("room for a test");
    let mut batch = table(&[row(1, "process"), row(2, "memory")], texts);
    batch.remove_column(batch.schema().index_of("component").expect("a column"));
    let stream = write_stream(&folder, &[batch]);
    let rows = read(Stream::open(&stream, 10).expect("a stream")).expect("whole");
    let components: Vec<_> = rows.iter().map(|row| row.1[0].as_str()).collect();
    assert_eq!(components, ["server", "host"]);
}

#[test]
fn a_stream_of_something_else_is_refused() {
    let folder = TempDir::new().expect("room for a test");
    let batch = RecordBatch::try_from_iter([("t_ns", texts(vec!["a"]))]).expect("a column");
    let stream = write_stream(&folder, &[batch]);
    let refused = read(Stream::open(&stream, 10).expect("a stream"));
    assert!(matches!(refused, Err(SeriesError::Damaged(_))));
}

#[test]
fn a_full_disk_is_told_by_its_number() {
    let folder = TempDir::new().expect("room for a test");
    let stream = write_stream(&folder, &[table(&[row(1, "process")], texts)]);
    let refused = pack(Stream::open(&stream, 10).expect("a stream"), Path::new("/dev/full"));
    assert!(matches!(refused, Err(SeriesError::Io(error)) if error.kind() == ErrorKind::StorageFull));
}

#[test]
fn whatever_byte_of_a_file_is_flipped_it_is_read_or_refused() {
    let folder = TempDir::new().expect("room for a test");
    let expected: Vec<_> =
        (0..40).map(|t_ns| row(t_ns, if t_ns % 3 == 0 { "memory" } else { "process" })).collect();
    let stream = write_stream(&folder, &[table(&expected, texts)]);
    let parquet = packed(&folder, &stream, 40);
    let (whole_stream, whole_parquet) = (fs::read(&stream).expect("it"), fs::read(&parquet).expect("it"));
    let flipped = |whole: &[u8], at: usize| {
        let mut bytes = whole.to_vec();
        bytes[at] ^= 0xff;
        bytes
    };
    for at in 0..whole_stream.len() {
        fs::write(&stream, flipped(&whole_stream, at)).expect("room for a test");
        let _ = read(Stream::open(&stream, 10).expect("a file"));
    }
    for at in 0..whole_parquet.len() {
        fs::write(&parquet, flipped(&whole_parquet, at)).expect("room for a test");
        let _ = Packed::open(&parquet, 10).and_then(read);
    }
}
