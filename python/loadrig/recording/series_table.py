"""Samples of the probes, as tables of the Arrow library: read from stream and Parquet, and compacted.

Without numpy, which the library does not need for this: it is 11 MB less where only this is done.
"""

import errno
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from loadrig.base.component import HOST, SERVER
from loadrig.recording.series_parts import Part

COLUMNS = ("component", "probe", "metric", "subject")
"""Names of the columns of words."""

_HOST_PROBES_OF_FORMAT_1 = frozenset({"system_cpu", "memory", "tcp_sockets"})
"""Probes that watched the host in recordings of format 1, which do not name components; all other probes
watched the server."""

MOST_ROWS = 1_000_000_000
"""Largest number of rows that are read: 16 GB of numbers. Four hours of a hundred processes have some 20
million; a packed file of a few kilobytes can say that it holds any number."""

MOST_ROWS_CODED = 20_000
"""Largest number of rows whose words are coded here, in some 20 ms: a minute of fifteen processes."""

ROWS_A_GROUP = 100_000
"""Number of rows of a Parquet row group: about 1 MB compressed, small enough to read a part of hours."""


@cache
def schema() -> pa.Schema:
    """Return the table's columns, as Arrow names them."""
    words = pa.dictionary(pa.int32(), pa.string())
    kinds = {"t_ns": pa.int64(), **dict.fromkeys(COLUMNS, words), "value": pa.float64()}
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


def batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the whole batches of a stream; what a kill has torn off is left out."""
    try:
        source = pa.OSFile(str(path))
    except FileNotFoundError:
        return
    with source:
        try:
            stream = pa.ipc.open_stream(source)
            while True:
                yield stream.read_next_batch()
        except StopIteration:
            return
        except (pa.ArrowInvalid, OSError) as error:
            # Arrow says "OSError" without a number when the file ends in the middle of a message.
            if getattr(error, "errno", None) is not None:
                raise
            return


def write(stream: Path, parquet: Path) -> None:
    """Write a stream as a Parquet file, which is there already and empty. Raises OSError."""
    # Opened here, as Arrow takes a path with a colon in it for an address.
    with (
        pa.OSFile(str(parquet), "wb") as target,
        pq.ParquetWriter(
            target,
            schema(),
            compression="zstd",
            use_dictionary=list(COLUMNS),
            # Bytes of one place of all numbers together: by a third smaller, whatever was read.
            column_encoding={"t_ns": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"},
        ) as writer,
    ):
        for table in gathered(stream):
            writer.write_table(table)


def gathered(stream: Path) -> Iterator[pa.Table]:
    """Yield the rows of a stream, in tables of about ROWS_A_GROUP rows."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches(stream):
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= ROWS_A_GROUP:
            yield _table(waiting)
            waiting, rows = [], 0
    if waiting:
        yield _table(waiting)


def _table(record_batches: Sequence[pa.RecordBatch]) -> pa.Table:
    """Return batches as one table, with a dictionary for each column of words.

    A short table is coded here: the library's cast loads 8 MB of its own, which a command of one trial would
    have beside all else. A long one is worth them.
    """
    table = _with_components(pa.Table.from_batches(record_batches))
    if table.num_rows > MOST_ROWS_CODED or any(pa.types.is_dictionary(field.type) for field in table.schema):
        return table.cast(schema()).unify_dictionaries()
    columns = [_coded(table[name]) if name in COLUMNS else table[name] for name in schema().names]
    return pa.Table.from_arrays(columns, schema=schema())


def _coded(words: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column of words as places in the list of those that occur, in the order in which they do."""
    places: dict[str, int] = {}
    indices = [places.setdefault(word, len(places)) for chunk in words.chunks for word in chunk.to_pylist()]
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(list(places), pa.string()))


def _with_components(table: pa.Table) -> pa.Table:
    """Return a table of format 1 with the column that it lacks; any other table as it is."""
    if "component" in table.column_names:
        return table
    probes = table["probe"].to_pylist()
    names = [HOST if probe in _HOST_PROBES_OF_FORMAT_1 else SERVER for probe in probes]
    return table.add_column(1, "component", [pa.array(names, pa.string())])


def row_groups(parquet: Path) -> Iterator[pa.Table]:
    """Yield the row groups of a Parquet file, one after the other."""
    # Opened here, as Arrow takes a path with a colon in it for an address.
    with pa.OSFile(str(parquet)) as source, pq.ParquetFile(source) as file:
        rows = file.metadata.num_rows
        if rows > MOST_ROWS:
            raise OSError(errno.EFBIG, f"it holds {rows:,} rows, and at most {MOST_ROWS:,} are read")
        for number in range(file.num_row_groups):
            # By one thread: a part is small, and each thread keeps memory of its own.
            table = _with_components(file.read_row_group(number, use_threads=False))
            # A cast loads 17 MB of library, and only files of format 1 need it.
            yield table if table.schema.equals(schema()) else table.cast(schema())


def parts(stream: Path, parquet: Path) -> Iterator[Part]:
    """Yield all rows as raw columns, from the Parquet file, or where there is none yet from the stream."""
    # A part after the other: hours have millions of rows.
    for table in row_groups(parquet) if parquet.is_file() else gathered(stream):
        if table.num_rows:
            yield _part(table.unify_dictionaries().combine_chunks())
    # The memory into which Arrow has unpacked is not needed again, and is as large as the series themselves.
    pa.default_memory_pool().release_unused()


def _part(table: pa.Table) -> Part:
    words = [table[column].chunk(0) for column in COLUMNS]
    return Part(
        _raw(table["t_ns"].chunk(0)),
        _raw(table["value"].chunk(0)),
        tuple(array.dictionary.to_pylist() for array in words),
        tuple(_raw(array.indices) for array in words),
    )


def _raw(column: pa.Array) -> memoryview:
    """Return the numbers of a column that has no nulls."""
    bytes_each = column.type.bit_width // 8
    begin = column.offset * bytes_each
    return memoryview(column.buffers()[1])[begin : begin + len(column) * bytes_each]
