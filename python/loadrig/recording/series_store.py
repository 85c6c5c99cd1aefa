"""What the probes saw: an Arrow stream while it is written, Parquet once sealed.

A long table: t_ns, component, probe, metric, subject, value. The stream is a sequence of whole batches, so
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

from loadrig.base import private
from loadrig.base.component import HOST, SERVER
from loadrig.base.later import Later
from loadrig.base.series import Key, Sample, Series
from loadrig.recording.files import Appender, making, sync_folder

if TYPE_CHECKING:
    import nanoarrow as na
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    from nanoarrow import ipc
    from numpy.typing import NDArray
else:
    na, ipc = Later("nanoarrow"), Later("nanoarrow.ipc")
    np, pa, pq = Later("numpy"), Later("pyarrow"), Later("pyarrow.parquet")

_OF_SAMPLES = ("probe", "metric", "subject")

COLUMNS = ("component", *_OF_SAMPLES)
"""The columns of words."""

_HOST_PROBES_OF_FORMAT_1 = frozenset({"system_cpu", "memory", "tcp_sockets"})
"""Recordings of format 1 do not name components: these probes watched the host, all others the server."""

ROWS_A_GROUP = 100_000
"""Rows of a Parquet row group: about 1 MB compressed, small enough to read a part of hours."""


class SeriesStream:
    """The stream while a trial runs: samples are kept until `flush`, which writes one batch."""

    def __init__(self, path: Path) -> None:
        self._file = Appender(path)
        self._waiting: list[Sample] = []
        self._components: list[str] = []
        # What nanoarrow writes is taken out of here and appended in one piece.
        self._out = io.BytesIO()
        self._writer: ipc.StreamWriter | None = None

    def add(self, samples: Sequence[Sample], component: str) -> None:
        """Take samples of one component in; they are on the disk after the next flush."""
        self._waiting += samples
        self._components += [component] * len(samples)

    def flush(self) -> None:
        """Write what is waiting as one batch. Raises VoidError if it cannot be written."""
        waiting, self._waiting = self._waiting, []
        components, self._components = self._components, []
        if self._writer is None:
            self._writer = ipc.StreamWriter.from_writable(self._out)
        elif not waiting:
            return
        self._writer.write_array(_batch(waiting, components))
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
        self._waiting, self._components = [], []
        self._file.close()


def _batch(samples: Sequence[Sample], components: Sequence[str]) -> "na.c_array.CArray":
    kinds = {
        "t_ns": na.int64(nullable=False),
        **{column: na.string(nullable=False) for column in COLUMNS},
        "value": na.float64(nullable=False),
    }
    values = {
        "t_ns": [sample.t_ns for sample in samples],
        "component": components,
        **{name: [getattr(sample, name) for sample in samples] for name in (*_OF_SAMPLES, "value")},
    }
    columns = [na.c_array(values[name], kind) for name, kind in kinds.items()]
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
            # Opened here, as Arrow takes a path with a colon in it for an address.
            os.close(private.opener(str(draft), os.O_WRONLY | os.O_CREAT))
            with (
                pa.OSFile(str(draft), "wb") as target,
                pq.ParquetWriter(
                    target,
                    schema(),
                    compression="zstd",
                    use_dictionary=list(COLUMNS),
                    # Bytes of one place of all numbers together: by a third smaller, whatever was read.
                    column_encoding={"t_ns": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"},
                ) as writer,
            ):
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
    return _with_components(pa.Table.from_batches(found)).cast(schema()).unify_dictionaries()


def _with_components(table: "pa.Table") -> "pa.Table":
    """A table of format 1 with the column that it lacks; any other as it is."""
    if "component" in table.column_names:
        return table
    probes = table["probe"].to_pylist()
    names = [HOST if probe in _HOST_PROBES_OF_FORMAT_1 else SERVER for probe in probes]
    return table.add_column(1, "component", [pa.array(names, pa.string())])


def read(stream: Path, parquet: Path, metrics: Mapping[str, Mapping[str, Any]]) -> dict[Key, Series]:
    """All series of a recording by component, probe, metric and subject, each in the order of time.

    metrics: unit and kind of "probe.metric", from the manifest; a gauge without unit if not there.
    """
    times: dict[Key, list[NDArray[np.int64]]] = {}
    values: dict[Key, bytearray] = {}
    # A part after the other, into buffers that grow in place: hours have millions of rows, and a table of
    # all, or a small array of each part, is several times their size.
    for table in _row_groups(parquet) if parquet.is_file() else _gathered(stream):
        instants = _Shared()
        for key, t_ns, value in _apart(table):
            times.setdefault(key, []).append(instants.of(key, t_ns))
            values.setdefault(key, bytearray()).extend(value.data)
    # What Arrow has unpacked into is not needed again, and as much as the series themselves.
    pa.default_memory_pool().release_unused()
    found: dict[Key, Series] = {}
    instants = _Shared()
    for key, pieces in times.items():
        t_ns, value = np.concatenate(pieces), np.frombuffer(values.pop(key), np.float64)
        if np.any(np.diff(t_ns) < 0):
            order = np.argsort(t_ns, kind="stable")
            t_ns, value = t_ns[order], value[order]
        about = metrics.get(f"{key.probe}.{key.metric}", {})
        unit, kind = str(about.get("unit", "")), str(about.get("kind", "gauge"))
        found[key] = Series(instants.of(key, t_ns), value, unit, kind)
    return found


class _Shared:
    """One array for all series that a probe has read in one go: their instants are the same."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], NDArray[np.int64]] = {}

    def of(self, key: Key, t_ns: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """These instants, or the same in the array of the series before."""
        before = self._last.get((key.component, key.probe))
        if before is None or not np.array_equal(before, t_ns):
            before = self._last[key.component, key.probe] = t_ns
        return before


def _row_groups(parquet: Path) -> "Iterator[pa.Table]":
    # Opened here, as Arrow takes a path with a colon in it for an address.
    with pa.OSFile(str(parquet)) as source, pq.ParquetFile(source) as file:
        for number in range(file.num_row_groups):
            # By one thread: a part is small, and each thread keeps memory of its own.
            yield _with_components(file.read_row_group(number, use_threads=False)).cast(schema())


def _apart(table: "pa.Table") -> "Iterator[tuple[Key, Any, Any]]":
    """The rows of each series, in the order in which they were written."""
    if table.num_rows == 0:
        return
    table = table.unify_dictionaries().combine_chunks()
    times = table["t_ns"].to_numpy()
    values = table["value"].to_numpy()
    words, sizes = [], []
    # One number for each series: sorting by four words and the time takes five times as long.
    number = np.zeros(times.size, dtype=np.int64)
    for column in COLUMNS:
        chunk = table[column].chunk(0)
        words.append(chunk.dictionary.to_pylist())
        sizes.append(len(words[-1]))
        number = number * sizes[-1] + chunk.indices.to_numpy()
    order = np.argsort(number, kind="stable")
    number = number[order]
    cuts = np.flatnonzero(np.diff(number)) + 1
    for rows, code in zip(np.split(order, cuts), number[np.concatenate(([0], cuts))], strict=True):
        key = Key(*(words[i][place] for i, place in enumerate(np.unravel_index(code, sizes))))
        yield key, times[rows], values[rows]
