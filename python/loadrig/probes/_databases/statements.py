"""Statements of SQL databases without their values, and questions that are asked sparingly."""

import re
import time
from collections.abc import Mapping

MOST_TEXT, HEAD_TEXT = 200, 50
"""Characters of a statement that are kept, and those of them before the gap where it is longer: what is read
and how it is chosen (FROM, WHERE, GROUP BY) follows a list of columns, which may be long."""

DUTY = 50
"""Rest after a question about all statements, in lengths of that question: it takes 2 % of the time."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|--[^\n]*", re.DOTALL)
_QUOTED = re.compile(r"[eExXbBnN]?'(?:[^'\\]|''|\\.)*(?:'|\Z)|\$(\w*)\$.*?(?:\$\1\$|\Z)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w$])\d[\w.]*")
_WHOLE = ("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "WITH", "CALL", "VALUES")


def statement(text: str) -> str:
    """Return a statement without comments and without any value, its middle left out where it is long.

    Servers replace the values of queries themselves, but not those of all other statements, and
    `CREATE ROLE … PASSWORD '…'` is one: of all such statements only the first two words are kept.
    """
    plain = _COMMENT.sub(" ", text)
    plain = _NUMBER.sub("?", _QUOTED.sub("?", plain)).replace("`", "")
    plain = re.sub(r"\s*([.(])\s*|\s+(?=[,)])", r"\1", " ".join(plain.split()))
    words = plain.split()
    if words and words[0].upper() not in _WHOLE:
        plain = " ".join(re.sub(r"\W.*", "", word) for word in words[:2])
    if len(plain) <= MOST_TEXT:
        return plain
    return f"{plain[:HEAD_TEXT]} … {plain[HEAD_TEXT + 3 - MOST_TEXT :]}"


class QuestionPace:
    """Pace of a question: at every reading while the question is cheap, more rarely where it is not."""

    def __init__(self) -> None:
        self._next_at = 0.0
        self._began = 0.0

    def is_due(self) -> bool:
        """Return whether to ask now; the time of the answer counts from this call."""
        self._began = time.monotonic()
        return self._began >= self._next_at

    def done(self) -> None:
        """Note that the answer has come."""
        now = time.monotonic()
        took_s = now - self._began
        self._next_at = now + (took_s * DUTY if took_s > 0.01 else 0.0)


class Levels:
    """Counts by subject: a subject that was seen before and is gone counts zero, not unknown.

    At most `most` subjects are named, the first that were seen; the rest are "others".
    """

    def __init__(self, most: int = 12) -> None:
        self._most = most
        self._named: list[str] = []

    def add(self, counts: Mapping[str, float]) -> dict[str, float]:
        """Take the present counts. Return a count for every subject that was ever named."""
        for subject in sorted(counts, key=lambda subject: -counts[subject]):
            if subject not in self._named and len(self._named) < self._most:
                self._named.append(subject)
        totals = dict.fromkeys(self._named, 0.0)
        for subject, count in counts.items():
            name = subject if subject in totals else "others"
            totals[name] = totals.get(name, 0.0) + count
        return totals
