"""What the probes saw, taken apart into the arrays of each series."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from loadrig.base.series import Key
from loadrig.recording.series_table import COLUMNS, gathered, row_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray


def arrays(stream: Path, parquet: Path) -> "dict[Key, tuple[NDArray[np.int64], NDArray[np.float64]]]":
    """Return instants and values of each series, in the order of time; those of a probe share their instants.

    From the Parquet file, or where there is none yet from the stream.
    """
    times: dict[Key, list[NDArray[np.int64]]] = {}
    values: dict[Key, bytearray] = {}
    # A part after the other, into buffers that grow in place: hours have millions of rows, and a table of
    # all, or a small array of each part, is several times their size.
    for table in row_groups(parquet) if parquet.is_file() else gathered(stream):
        instants = _Shared()
        for key, t_ns, value in _apart(table):
            times.setdefault(key, []).append(instants.of(key, t_ns))
            values.setdefault(key, bytearray()).extend(value.data)
    # What Arrow has unpacked into is not needed again, and as much as the series themselves.
    pa.default_memory_pool().release_unused()
    found: dict[Key, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
    instants = _Shared()
    for key, pieces in times.items():
        t_ns, value = np.concatenate(pieces), np.frombuffer(values.pop(key), np.float64)
        if np.any(np.diff(t_ns) < 0):
            order = np.argsort(t_ns, kind="stable")
            t_ns, value = t_ns[order], value[order]
        found[key] = instants.of(key, t_ns), value
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


def _apart(table: pa.Table) -> Iterator[tuple[Key, Any, Any]]:
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
