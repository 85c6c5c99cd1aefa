"""Samples of the probes, taken apart into the arrays of each series."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from loadrig._native import SeriesPart
from loadrig.base.series import Key

if TYPE_CHECKING:
    from numpy.typing import NDArray


def arrays(parts: Iterable[SeriesPart]) -> "dict[Key, tuple[NDArray[np.int64], NDArray[np.float64]]]":
    """Return instants and values of each series, in the order of time.

    The series of a probe share their instants.
    """
    times: dict[Key, list[NDArray[np.int64]]] = {}
    values: dict[Key, bytearray] = {}
    # A part after the other, into buffers that grow in place: hours have millions of rows, and a table of
    # all, or a small array of each part, is several times their size.
    for part in parts:
        instants = _SharedInstants()
        for key, t_ns, value in _apart(part):
            times.setdefault(key, []).append(instants.of(key, t_ns))
            values.setdefault(key, bytearray()).extend(value.data)
    by_key: dict[Key, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}
    instants = _SharedInstants()
    for key, pieces in times.items():
        t_ns, value = np.concatenate(pieces), np.frombuffer(values.pop(key), np.float64)
        if np.any(np.diff(t_ns) < 0):
            order = np.argsort(t_ns, kind="stable")
            t_ns, value = t_ns[order], value[order]
        by_key[key] = instants.of(key, t_ns), value
    return by_key


class _SharedInstants:
    """Array of instants for all series that a probe has read at the same times."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], NDArray[np.int64]] = {}

    def of(self, key: Key, t_ns: "NDArray[np.int64]") -> "NDArray[np.int64]":
        """Return these instants, or an equal array that an earlier series has."""
        before = self._last.get((key.component, key.probe))
        if before is None or not np.array_equal(before, t_ns):
            before = self._last[key.component, key.probe] = t_ns
        return before


def _apart(part: SeriesPart) -> Iterator[tuple[Key, Any, Any]]:
    """Yield the rows of each series, in the order in which they were written."""
    times, values = np.frombuffer(part.t_ns, np.int64), np.frombuffer(part.value, np.float64)
    words_of_columns = part.words
    sizes = [len(words) for words in words_of_columns]
    # Sort by one number for each series: sorting by four words and the time takes five times as long.
    number = np.zeros(times.size, dtype=np.int64)
    for size, places in zip(sizes, part.places, strict=True):
        number = number * size + np.frombuffer(places, np.int32)
    order = np.argsort(number, kind="stable")
    number = number[order]
    cuts = np.flatnonzero(np.diff(number)) + 1
    for rows, code in zip(np.split(order, cuts), number[np.concatenate(([0], cuts))], strict=True):
        key = Key(*(words_of_columns[i][place] for i, place in enumerate(np.unravel_index(code, sizes))))
        yield key, times[rows], values[rows]
