"""Records of Gatling's simulation.log, text or binary, as one kind of tuple.

The binary form has no lines, so a bad record is told by its byte. Its strings are those of Java: bytes and a
coder, 0 for ISO 8859-1, 1 for UTF-16; most are written once and then named by a number.
Source: `LogFileDataWriter` and `LogFileReader` of gatling/gatling.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from loadrig.base.errors import PlanError
from loadrig.importers._source import ResultsFile
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersGatlingErrors

ERRORS = texts_of(ImportersGatlingErrors)

RUN, REQUEST, USER, GROUP, ERROR = range(5)
"""First byte of a record of the binary form."""

LONGEST_STRING = 1 << 20
"""Bytes of a string at most. Gatling cuts none, and its longest hold an answer's body in a failed check."""

MOST_STRINGS = 100_000
"""Number of different strings of a log at most. Names are few; each message of a failed check may differ."""

SHOWN = 500
"""Letters of a string that are used: what follows in a message is an answer's body."""

MOST_GROUPS = 1_000
"""Depth of groups within each other at most, and number of scenarios and assertions of a simulation."""

_INT, _LONG = struct.Struct(">i"), struct.Struct(">q")
_CODERS = {0: "latin-1", 1: "utf-16-le"}


class LogRecord(NamedTuple):
    """Record of a log. kind: REQUEST, USER, GROUP or ERROR. Times in ms since 1970.

    is_good: of a request that it was well, of a user that it began. end_ms: of a user when it began or ended.
    """

    kind: int
    name: str = ""
    start_ms: int = 0
    end_ms: int = 0
    is_good: bool = False
    message: str = ""


class _EndsWithinError(Exception):
    """End of the file within a record."""


class BinaryLog:
    """Reader of the binary form, block by block."""

    def __init__(self, source: ResultsFile) -> None:
        self._source = source
        self._blocks = source.blocks()
        self._rest = b""
        self._place = 0
        self._before = 0
        self._strings: dict[int, str] = {}
        self._began_ms = 0

    def records(self) -> Iterator[LogRecord]:
        """Yield every record but the first. Raise PlanError `import.bad-line` at one that is none."""
        try:
            if self._byte() != RUN:
                raise self._bad(ERRORS.no_run_record)
            self._run()
            while True:
                begin = self._before + self._place
                kind = self._next_kind()
                if kind < 0:
                    return
                yield self._record(kind, begin)
        except _EndsWithinError:
            self._source.was_torn = True

    def _record(self, kind: int, begin: int) -> LogRecord:
        if kind == REQUEST:
            names = [*self._groups(), self._cached()]
            start, end = self._int(), self._int()
            is_good = bool(self._byte())
            began = self._began_ms
            return LogRecord(REQUEST, " / ".join(names), began + start, began + end, is_good, self._cached())
        if kind == USER:
            self._int()
            is_start = bool(self._byte())
            return LogRecord(USER, end_ms=self._began_ms + self._int(), is_good=is_start)
        if kind == GROUP:
            self._groups()
            self._take(13)  # when it began and ended, the sum of its times, whether it was well
            return LogRecord(GROUP)
        if kind == ERROR:
            self._cached()
            self._int()
            return LogRecord(ERROR)
        raise self._bad(ERRORS.no_record(kind), begin)

    def _run(self) -> None:
        self._string()
        self._string()
        self._began_ms = _LONG.unpack(self._take(8))[0]
        self._string()
        for _ in range(self._number(MOST_GROUPS)):
            self._string()
        for _ in range(self._number(MOST_GROUPS)):
            self._take(self._number(LONGEST_STRING))

    def _groups(self) -> list[str]:
        return [self._cached() for _ in range(self._number(MOST_GROUPS))]

    def _cached(self) -> str:
        number = self._int()
        if number >= 0:
            if len(self._strings) >= MOST_STRINGS:
                raise self._bad(ERRORS.many_strings(f"{MOST_STRINGS:,}"))
            self._strings[number] = self._string()[:SHOWN]
            return self._strings[number]
        try:
            return self._strings[-number]
        except KeyError:
            raise self._bad(ERRORS.no_string(-number)) from None

    def _string(self) -> str:
        length = self._number(LONGEST_STRING)
        if not length:
            return ""
        letters = self._take(length)
        coder = _CODERS.get(self._byte())
        if coder is None:
            raise self._bad(ERRORS.no_text)
        return letters.decode(coder, "replace")

    def _number(self, most: int) -> int:
        number = self._int()
        if not 0 <= number <= most:
            raise self._bad(ERRORS.no_length(f"{number:,}"))
        return number

    def _int(self) -> int:
        return int(_INT.unpack(self._take(4))[0])

    def _byte(self) -> int:
        return self._take(1)[0]

    def _next_kind(self) -> int:
        try:
            return self._byte()
        except _EndsWithinError:
            return -1

    def _take(self, size: int) -> bytes:
        while len(self._rest) - self._place < size:
            block = next(self._blocks, b"")
            if not block:
                raise _EndsWithinError
            self._before += self._place
            self._rest = self._rest[self._place :] + block
            self._place = 0
        begin = self._place
        self._place += size
        return self._rest[begin : self._place]

    def _bad(self, what: str, at: int | None = None) -> PlanError:
        return self._source.bad_byte(what, self._before + self._place if at is None else at)


def text_records(source: ResultsFile) -> Iterator[LogRecord]:
    """Yield the records of the text form but those of the run. Raise PlanError `import.bad-line`."""
    for line in source.text_lines():
        fields = line.rstrip("\r\n").split("\t")
        try:
            record = _text_record(fields)
        except (ValueError, IndexError) as error:
            if not line.endswith("\n"):
                source.was_torn = True
                return
            what = ERRORS.few_fields(len(fields)) if isinstance(error, IndexError) else str(error)
            raise source.bad(what, text=line) from error
        if record is not None:
            yield record


def _text_record(fields: list[str]) -> LogRecord | None:
    """Return the record of a line; None where the line is of the run. Raise ValueError, IndexError."""
    match fields[0]:
        case "REQUEST":
            # Older versions have the scenario and the user before the groups: the end is the same in all.
            groups, name, start, end, status, message = fields[-6:]
            names = [*(groups.split(",") if groups.strip() else ()), name]
            return LogRecord(
                REQUEST, " / ".join(names), _ms(start), _ms(end), _is_good(status), message[:SHOWN].strip()
            )
        case "USER":
            is_start = "START" in fields[2:]
            place = fields.index("START" if is_start else "END", 2)
            return LogRecord(
                USER, end_ms=_ms(fields[place + 1] if is_start else fields[-1]), is_good=is_start
            )
        case "GROUP":
            return LogRecord(GROUP)
        case "ERROR":
            return LogRecord(ERROR)
        case "RUN" | "ASSERTION" | "":
            return None
    raise ValueError(ERRORS.no_line_kind(repr(fields[0][:40])))


def _ms(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > 20:
        raise ValueError(ERRORS.no_time(repr(text[:40])))
    return int(text)


def _is_good(text: str) -> bool:
    if text not in ("OK", "KO"):
        raise ValueError(ERRORS.no_verdict(repr(text[:40])))
    return text == "OK"
