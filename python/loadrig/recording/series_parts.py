"""Rows of the series as raw columns: made by the Arrow library, and the source of the arrays.

It needs neither that library nor numpy, so that a process has only the one that it works with.
"""

from typing import Any, NamedTuple


class Part(NamedTuple):
    """Rows, one after the other as they were written. Numbers are in the machine's own order of bytes.

    t_ns, value: int64 and float64, of bytes or of what has a buffer. words: for each column of words its
    different words; places: for each column of words, the index of every row's word, int32.
    """

    t_ns: Any
    value: Any
    words: tuple[list[str], ...]
    places: tuple[Any, ...]

    def copied(self) -> "Part":
        """Return the part with bytes of its own, which can be sent to another process."""
        return Part(
            bytes(self.t_ns), bytes(self.value), self.words, tuple(bytes(column) for column in self.places)
        )
