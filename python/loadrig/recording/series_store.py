"""Samples of the probes: an Arrow stream while it is written, Parquet once sealed.

A long table: t_ns, component, probe, metric, subject, value. The stream is a sequence of whole batches, so
one that was torn by a kill is read up to its last whole batch. It is written by nanoarrow, which checks
nothing of what it reads, so streams are read and compacted by the native module, as is Parquet.
"""

import errno
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig._native import SeriesPart, SeriesParts, pack_series
from loadrig.base import known_secrets, private, user_files
from loadrig.base.later import Later
from loadrig.base.series import Key, Sample, Series
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingSeriesStoreErrors
from loadrig.recording.files import Appender, making, sync_folder
from loadrig.recording.manifest import broken

if TYPE_CHECKING:
    import nanoarrow as na
    from nanoarrow import ipc

    from loadrig.recording.manifest_document import MetricDocument
else:
    na, ipc = Later("nanoarrow"), Later("nanoarrow.ipc")

ERRORS = texts_of(RecordingSeriesStoreErrors)

MOST_BYTES = 4_000_000_000
"""Largest size of the file, in bytes. Four hours of a hundred processes have some 30 MB, packed."""

MOST_ROWS = 1_000_000_000
"""Largest number of rows that are read: 16 GB of numbers. Four hours of a hundred processes have some 20
million; a packed file of a few kilobytes can say that it holds any number."""

ROWS_A_GROUP = 100_000
"""Number of rows of a Parquet row group: about 1 MB compressed, small enough to read a part of hours."""

_ROWS_A_PART = 2 * ROWS_A_GROUP
"""Largest number of rows that are read at once: above every row group of ours, which ends with a batch."""

_OF_SAMPLES = ("probe", "metric", "subject")


class SeriesStream:
    """The stream while a trial runs: samples are kept until `flush`, which writes one batch."""

    def __init__(self, path: Path) -> None:
        self._file = Appender(path)
        self._waiting: list[Sample] = []
        self._components: list[str] = []
        # nanoarrow writes into this buffer, which is then appended to the file in one piece.
        self._out = io.BytesIO()
        self._writer: ipc.StreamWriter | None = None

    def add(self, samples: Sequence[Sample], component: str) -> None:
        """Add samples of one component; they are on the disk after the next flush."""
        self._waiting += samples
        self._components += [component] * len(samples)

    def flush(self) -> None:
        """Write the waiting samples as one batch. Raises VoidError if it cannot be written."""
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
        **{column: na.string(nullable=False) for column in ("component", *_OF_SAMPLES)},
        "value": na.float64(nullable=False),
    }
    values = {
        "t_ns": [sample.t_ns for sample in samples],
        "component": components,
        **{name: [getattr(sample, name) for sample in samples] for name in (*_OF_SAMPLES, "value")},
        # A probe's names come from servers, such as a statement or a path, and may hold a secret.
        "subject": [known_secrets.hidden(sample.subject) for sample in samples],
    }
    columns = [na.c_array(values[name], kind) for name, kind in kinds.items()]
    return na.c_array_from_buffers(
        na.struct(kinds), length=len(samples), buffers=[None], null_count=0, children=columns
    )


def compact(stream: Path, parquet: Path) -> None:
    """Turn a stream into Parquet and remove the stream. Raises VoidError if Parquet cannot be written.

    Until the Parquet file is whole it has another name, so a kill in between loses nothing.
    """
    draft = parquet.with_name(parquet.name + ".draft")
    with making(parquet):
        try:
            os.close(private.opener(str(draft), os.O_WRONLY | os.O_CREAT))
            pack_series(stream, draft, ROWS_A_GROUP)
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            draft.replace(parquet)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        sync_folder(parquet.parent)
        stream.unlink(missing_ok=True)


def read(stream: Path, parquet: Path, metrics: "Mapping[str, MetricDocument]") -> dict[Key, Series]:
    """Return all series of a recording by component, probe, metric and subject, each in the order of time.

    metrics: unit and kind of "probe.metric", from the manifest; a gauge without unit if not there.
    Raises PlanError `recording.broken`.
    """
    from loadrig.recording import series_arrays  # with numpy, which who writes does not need

    arrays = series_arrays.arrays(parts(stream, parquet))
    by_key: dict[Key, Series] = {}
    for key, (t_ns, value) in arrays.items():
        about = metrics.get(f"{key.probe}.{key.metric}")
        by_key[key] = Series(t_ns, value, about.unit if about else "", about.kind if about else "gauge")
    return by_key


def parts(stream: Path, parquet: Path) -> Iterator[SeriesPart]:
    """Yield the rows of a recording's series, some at a time; a recording without series has none.

    Raises PlanError `recording.broken`.
    """
    source, open_parts = (parquet, _parts_of_parquet) if parquet.exists() else (stream, _parts_of_stream)
    try:
        user_files.open_bytes(source, MOST_BYTES).close()  # the native module would wait for a pipe
        yield from open_parts(source)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise broken(source, getattr(error, "strerror", None) or str(error)) from error


def _parts_of_stream(stream: Path) -> SeriesParts:
    return SeriesParts.of_stream(stream, ROWS_A_GROUP)


def _parts_of_parquet(parquet: Path) -> SeriesParts:
    parts = SeriesParts.of_parquet(parquet, _ROWS_A_PART)
    if parts.rows > MOST_ROWS:
        raise OSError(errno.EFBIG, ERRORS.too_many_rows(parts.rows, MOST_ROWS))
    return parts
