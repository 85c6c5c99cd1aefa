"""Rows of the series as raw columns: what the Arrow library gives, and what the arrays are made of.

It needs neither that library nor numpy, so that a process has only the one that it works with.
"""

from typing import Any, NamedTuple


class Part(NamedTuple):
    """Some rows, one after the other as they were written. Numbers are in the machine's own order of bytes.

    t_ns, value: int64 and float64, of bytes or of what has a buffer. words: for each of the columns of words
    the different ones in it; places: for each of these columns, of every row which word it has, int32.
    """

    t_ns: Any
    value: Any
    words: tuple[list[str], ...]
    places: tuple[Any, ...]

    def copied(self) -> "Part":
        """The same with bytes of its own, which can be sent to another process."""
        return Part(bytes(self.t_ns), bytes(self.value), self.words, tuple(bytes(one) for one in self.places))
