"""What the probes saw: an Arrow stream while it is written, Parquet once sealed.

A long table: t_ns, probe, metric, subject, value. The stream is a sequence of whole batches, so
one that was torn by a kill is read up to its last whole batch. It is written by nanoarrow, which is
there in the tenth of the time of the Arrow library, as the load may have begun; that one is for who
reads and compacts.
"""

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadrig.base.later import Later
from loadrig.base.series import Sample, Series
from loadrig.recording.files import Appender, making, sync_folder

if TYPE_CHECKING:
    import nanoarrow as na
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from nanoarrow import ipc
else:
    na, ipc = Later("nanoarrow"), Later("nanoarrow.ipc")
    np, pa, pq = Later("numpy"), Later("pyarrow"), Later("pyarrow.parquet")

COLUMNS = ("probe", "metric", "subject")
"""The columns of words."""

ROWS_A_GROUP = 100_000
"""Rows of a Parquet row group: about 1 MB compressed, small enough to read a part of hours."""

Key = tuple[str, str, str]
"""Probe, metric, subject."""


class SeriesStream:
    """The stream while a trial runs: samples are kept until `flush`, which writes one batch."""

    def __init__(self, path: Path) -> None:
        self._file = Appender(path)
        self._waiting: list[Sample] = []
        # What nanoarrow writes is taken out of here and appended in one piece.
        self._out = io.BytesIO()
        self._writer: ipc.StreamWriter | None = None

    def add(self, samples: Sequence[Sample]) -> None:
        """Take samples in; they are on the disk after the next flush."""
        self._waiting += samples

    def flush(self) -> None:
        """Write what is waiting as one batch. Raises VoidError if it cannot be written."""
        waiting, self._waiting = self._waiting, []
        if self._writer is None:
            self._writer = ipc.StreamWriter.from_writable(self._out)
        elif not waiting:
            return
        self._writer.write_array(_batch(waiting))
        self._append()

    def _append(self) -> None:
        self._file.append(self._out.getvalue())
        self._out.seek(0)
        self._out.truncate()

    def close(self) -> None:
        """Flush, mark the end of the stream, close the file."""
        try:
            self.flush()
            if self._writer is not None:
                self._writer.close()
                self._append()
        finally:
            self._file.close()

    def abandon(self) -> None:
        """Close the file as it is, after a failure. Does nothing after `close`."""
        self._waiting = []
        self._file.close()


def _batch(samples: Sequence[Sample]) -> "na.c_array.CArray":
    kinds = {
        "t_ns": na.int64(nullable=False),
        **{column: na.string(nullable=False) for column in COLUMNS},
        "value": na.float64(nullable=False),
    }
    columns = [
        na.c_array([getattr(sample, name) for sample in samples], kind) for name, kind in kinds.items()
    ]
    return na.c_array_from_buffers(
        na.struct(kinds), length=len(samples), buffers=[None], null_count=0, children=columns
    )


@cache
def schema() -> "pa.Schema":
    """The table's columns, as Arrow names them."""
    words = pa.dictionary(pa.int32(), pa.string())
    kinds = {"t_ns": pa.int64(), **dict.fromkeys(COLUMNS, words), "value": pa.float64()}
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])


def batches(path: Path) -> "Iterator[pa.RecordBatch]":
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
            with pq.ParquetWriter(draft, schema(), compression="zstd") as writer:
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


def _gathered(stream: Path) -> "Iterator[pa.Table]":
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


def _table(found: "Sequence[pa.RecordBatch]") -> "pa.Table":
    """Batches as one table, with a dictionary for each column of words."""
    return pa.Table.from_batches(found).cast(schema()).unify_dictionaries()


def read(stream: Path, parquet: Path, metrics: Mapping[str, Mapping[str, Any]]) -> dict[Key, Series]:
    """All series of a recording by probe, metric and subject, each in the order of time.

    metrics: unit and kind of "probe.metric", from the manifest; a gauge without unit if not there.
    """
    if parquet.is_file():
        table = pq.read_table(parquet, read_dictionary=list(COLUMNS))
    else:
        whole = list(batches(stream))
        table = _table(whole) if whole else schema().empty_table()
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
