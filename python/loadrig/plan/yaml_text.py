"""Rules of YAML text for every reader: where a character stands, what a bare value means."""

import bisect
import re

from loadrig.base.errors import Span

# The core schema of YAML 1.2, section 10.3.2: `on`, `yes`, `1_000` and `10:30` are texts.
_INT = re.compile(r"[-+]?[0-9]+", re.ASCII)
_BASED = {"0o": 8, "0x": 16}
_BASED_INT = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?", re.ASCII)
_SPECIAL = re.compile(r"([-+]?)\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
MOST_DIGITS = 400
"""Largest number of letters of a number; a longer one is a text. Python writes no whole number of more than
4,300 digits."""

_NULL = ("", "~", "null", "Null", "NULL")
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")


class LinePlaces:
    """Places of characters. Lines are counted as editors do: by line feeds."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self._file = text, file
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def span(self, start: int, end: int) -> Span:
        """Return the place from one character to another; a place over several lines ends with its first."""
        start = min(start, len(self.text))
        line = bisect.bisect_right(self._starts, start) - 1
        first = self._starts[line]
        text = self.text[first:].split("\n", 1)[0].rstrip("\r")
        end_of_line = first + len(text.rstrip())
        length = max(1, min(end, end_of_line) - start)
        return Span(self._file, line + 1, start - first + 1, length, text)


def core(text: str) -> str | int | float | bool | None:
    """Return the value of an unquoted scalar by the YAML 1.2 core schema."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if len(text) > MOST_DIGITS:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _BASED_INT.fullmatch(text):
        return int(text[2:], _BASED[text[:2]])
    if _FLOAT.fullmatch(text):
        return float(text)
    special = _SPECIAL.fullmatch(text)
    if special:
        return float("nan") if special[3] else float(f"{special[1]}inf")
    return text
