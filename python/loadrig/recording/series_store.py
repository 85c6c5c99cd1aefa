"""What the probes saw: an Arrow stream while it is written, Parquet once sealed.

A long table: t_ns, probe, metric, subject, value. The stream is a sequence of whole batches, so
one that was torn by a kill is read up to its last whole batch.
"""

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from loadrig.base.series import Sample, Series
from loadrig.recording.files import Appender, making, sync_folder

WORDS = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        pa.field("t_ns", pa.int64(), nullable=False),
        pa.field("probe", WORDS, nullable=False),
        pa.field("metric", WORDS, nullable=False),
        pa.field("subject", WORDS, nullable=False),
        pa.field("value", pa.float64(), nullable=False),
    ]
)
COLUMNS = ("probe", "metric", "subject")
ROWS_A_GROUP = 100_000
"""Rows of a Parquet row group: about 1 MB compressed, small enough to read a part of hours."""

Key = tuple[str, str, str]
"""Probe, metric, subject."""


class SeriesStream:
    """The stream while a trial runs: samples are kept until `flush`, which writes one batch."""

    def __init__(self, path: Path) -> None:
        self._file = Appender(path)
        # Arrow writes a batch in several pieces; they are put together so that it is whole or absent.
        self._piece = io.BytesIO()
        # The dictionaries only grow: each batch carries what is new in them.
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        self._stream = pa.ipc.new_stream(self._piece, SCHEMA, options=options)
        self._words: dict[str, dict[str, int]] = {column: {} for column in COLUMNS}
        self._waiting: list[Sample] = []

    def add(self, samples: Sequence[Sample]) -> None:
        """Take samples in; they are on the disk after the next flush."""
        self._waiting += samples

    def flush(self) -> None:
        """Write what is waiting as one batch. Raises VoidError if it cannot be written."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._stream.write_batch(self._batch(waiting))
        self._write_out()

    def close(self) -> None:
        """Flush, mark the end of the stream, close the file."""
        try:
            self.flush()
            self._stream.close()
            self._write_out()
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Close the file as it is, after a failure. Does nothing after `close`."""
        self._waiting = []
        self._file.close()

    def _write_out(self) -> None:
        piece = self._piece.getvalue()
        self._piece.seek(0)
        self._piece.truncate()
        if piece:
            self._file.append(piece)

    def _batch(self, samples: Sequence[Sample]) -> pa.RecordBatch:
        columns: list[Any] = [pa.array([s.t_ns for s in samples], pa.int64())]
        for column in COLUMNS:
            known = self._words[column]
            codes = [known.setdefault(getattr(s, column), len(known)) for s in samples]
            words = pa.array(list(known), pa.string())
            columns.append(pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), words))
        columns.append(pa.array([s.value for s in samples], pa.float64()))
        return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def batches(path: Path) -> Iterator[pa.RecordBatch]:
    """The whole batches of a stream; what a kill has torn off is left out."""
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


def compact(stream: Path, parquet: Path) -> None:
    """Turn a stream into Parquet and remove it. Raises VoidError if that cannot be written.

    Until the Parquet file is whole it has another name, so a kill in between loses nothing.
    """
    draft = parquet.with_name(parquet.name + ".draft")
    with making(parquet):
        try:
            with pq.ParquetWriter(draft, SCHEMA, compression="zstd") as writer:
                for table in _gathered(stream):
                    writer.write_table(table)
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            draft.replace(parquet)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        sync_folder(parquet.parent)
        stream.unlink(missing_ok=True)


def _gathered(stream: Path) -> Iterator[pa.Table]:
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


def _table(found: Sequence[pa.RecordBatch]) -> pa.Table:
    """Batches as one table. Their dictionaries grew on the way: one for all is made."""
    return pa.Table.from_batches(found, SCHEMA).unify_dictionaries()


def read(stream: Path, parquet: Path, metrics: Mapping[str, Mapping[str, Any]]) -> dict[Key, Series]:
    """All series of a recording by probe, metric and subject, each in the order of time.

    metrics: unit and kind of "probe.metric", from the manifest; a gauge without unit if not there.
    """
    if parquet.is_file():
        table = pq.read_table(parquet, read_dictionary=list(COLUMNS))
    else:
        table = pa.Table.from_batches(batches(stream), SCHEMA)
    if table.num_rows == 0:
        return {}
    table = table.unify_dictionaries().combine_chunks()
    times = table["t_ns"].to_numpy()
    values = table["value"].to_numpy()
    words, codes = [], []
    for column in COLUMNS:
        chunk = table[column].chunk(0)
        words.append(chunk.dictionary.to_pylist())
        codes.append(chunk.indices.to_numpy())
    order = np.lexsort((times, *reversed(codes)))
    sorted_codes = np.stack([code[order] for code in codes])
    cuts = np.flatnonzero(np.any(np.diff(sorted_codes, axis=1) != 0, axis=0)) + 1
    found: dict[Key, Series] = {}
    for rows in np.split(order, cuts):
        probe, metric, subject = (words[i][codes[i][rows[0]]] for i in range(3))
        about = metrics.get(f"{probe}.{metric}", {})
        found[probe, metric, subject] = Series(
            times[rows], values[rows], str(about.get("unit", "")), str(about.get("kind", "gauge"))
        )
    return found
