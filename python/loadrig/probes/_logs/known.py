"""Lines of known programs that tell which of a server's resources is used up: known.toml, a table.

A row is of one sentence of one program, in the words of its source; the tests have a recorded line of each.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A known sentence of a program's log.

    system: the program. resource: the resource meant (`pool`, `workers`, `connections`, `descriptors`,
    `ports`, `memory`, `threads`, `locks`, `disk`, `dependency`). what: what became of it. mark: a text that
    every such line has, so that all other lines cost no regular expression. fact: the name of what the line
    tells (language.en.log_facts). numbers: a pattern whose groups
    are numbers, named with their units, without which the line does not count; "" for none.
    """

    system: str
    resource: str
    what: str
    mark: str
    fact: str
    numbers: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """Fact that a line tells. numbers: by name, with the unit at its end where it has one."""

    message: KnownMessage
    numbers: dict[str, float]


def _read() -> tuple[KnownMessage, ...]:
    document = tomllib.loads(Path(__file__).with_name("known.toml").read_text(encoding="utf-8"))
    return tuple(KnownMessage(*row) for row in document["rows"])


TABLE = _read()


@lru_cache(maxsize=len(TABLE))
def _compiled(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern)


QUOTED_CODE = re.compile(r"\s*(raise|throw)\s")
"""Beginning of a line of source code that a traceback quotes: the message in it is told by the line below,
with who tells it."""


def fact_in(text: str) -> Fact | None:
    """Return the fact that a line tells, or None. A row whose pattern does not match does not count."""
    if QUOTED_CODE.match(text):
        return None
    for message in TABLE:
        if message.mark not in text:
            continue
        if not message.numbers:
            return Fact(message, {})
        # A pattern may be empty where a version of the program does not write its numbers: the longest match
        # counts.
        best = max(_compiled(message.numbers).finditer(text), key=lambda match: len(match[0]), default=None)
        if best is not None:
            numbers = {name: float(value) for name, value in best.groupdict().items() if value is not None}
            return Fact(message, numbers)
    return None
