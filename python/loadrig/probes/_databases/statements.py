"""What the probes of SQL databases share: statements without their values, and questions asked sparingly."""

import re
import time

MOST_TEXT = 60

DUTY = 50
"""A question about all statements rests for so many times as long as it took: it takes 2 % of the time."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|--[^\n]*", re.DOTALL)
_QUOTED = re.compile(r"[eExXbBnN]?'(?:[^'\\]|''|\\.)*(?:'|\Z)|\$(\w*)\$.*?(?:\$\1\$|\Z)", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w$])\d[\w.]*")
_WHOLE = ("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "WITH", "CALL", "VALUES")


def statement(text: str) -> str:
    """The first characters of a statement, without comments and without any value in it.

    Servers replace the values of queries themselves, but not those of all other statements, and
    `CREATE ROLE … PASSWORD '…'` is one: of those only the first two words are kept.
    """
    plain = _COMMENT.sub(" ", text)
    plain = _NUMBER.sub("?", _QUOTED.sub("?", plain)).replace("`", "")
    plain = re.sub(r"\s*([.(])\s*|\s+(?=[,)])", r"\1", " ".join(plain.split()))
    words = plain.split()
    if words and words[0].upper() not in _WHOLE:
        plain = " ".join(re.sub(r"\W.*", "", word) for word in words[:2])
    return plain if len(plain) <= MOST_TEXT else plain[: MOST_TEXT - 1] + "…"


class Paced:
    """Lets a question be asked at every reading while it is cheap, and seldom where it is not."""

    def __init__(self) -> None:
        self._next_at = 0.0
        self._began = 0.0

    def is_due(self) -> bool:
        """Whether to ask now; the answer's time is taken from here."""
        self._began = time.monotonic()
        return self._began >= self._next_at

    def done(self) -> None:
        """The answer has come."""
        now = time.monotonic()
        took = now - self._began
        self._next_at = now + (took * DUTY if took > 0.01 else 0.0)


class Levels:
    """Counts by subject that are zero, not unknown, when a subject that was there is there no more.

    At most so many subjects by name; the first seen keep theirs, the rest are "others".
    """

    def __init__(self, most: int = 12) -> None:
        self._most = most
        self._named: list[str] = []

    def add(self, counts: dict[str, float]) -> dict[str, float]:
        """Take the counts of now. Returns one for every subject that there ever was."""
        for subject in sorted(counts, key=lambda subject: -counts[subject]):
            if subject not in self._named and len(self._named) < self._most:
                self._named.append(subject)
        found = dict.fromkeys(self._named, 0.0)
        for subject, count in counts.items():
            name = subject if subject in found else "others"
            found[name] = found.get(name, 0.0) + count
        return found
