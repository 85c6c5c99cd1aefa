"""Results that hold sums only: requests counted over stretches of time, without the requests themselves.

What is summed is written as it is: a frame for each stretch that the file tells of, be it a second or the
whole load, with no histogram where none was told. Quantiles that a tool states cannot be added up or
compared as counts can; they stand beside the frames, in the manifest (`imported.stated`).
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from loadrig._native import Histogram
from loadrig.base import private
from loadrig.base.clock import NS
from loadrig.importers._outcomes import ANSWERED
from loadrig.importers._sample import LONGEST_NAME, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._spool import FARTHEST, LONGEST_NS, MOST_ROUTES, OTHERS
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors
from loadrig.language.en.importers import ImportersTexts
from loadrig.recording.files import making

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersSampleErrors)

WHOLE_MOST = 64 * 1024 * 1024
"""Bytes at most of a file that is read whole, as it is one document: a day of Artillery has 20 MB."""


class RouteSum(NamedTuple):
    """Number of requests of a route that ended in one way. times: of each of them, where they were told."""

    route: str
    outcome: str
    requests: int
    times: Histogram | None = None


class LoadStretch(NamedTuple):
    """Stretch of a load, told in sums.

    busy_ns: sum of how long its requests took. status: answers by code.
    """

    len_ns: int
    routes: tuple[RouteSum, ...]
    busy_ns: int
    status: Mapping[str, int] = {}
    users: int | None = None


class SummedFrames:
    """Frames of a file of sums, on the disk until they are written. Iterated as `_written.Frames` is.

    origin_ns: when the load began, in ns since 1970. length_ns: its length. requests: number of them.
    """

    def __init__(
        self, folder: Path, source: ResultsFile, remarks: RunFacts, routes: Mapping[str, str]
    ) -> None:
        """Take the frames of no file. folder: one that exists, and is removed by who made it."""
        self._path = folder / "frames"
        self._source = source
        self._remarks = remarks
        self._routes = routes
        self._names: set[str] = set()
        self.length_ns = self.requests = 0
        self.origin_ns = 0
        self.knows_users = False

    def fill(self, intervals: Iterator[LoadStretch]) -> None:
        """Put the frames of all intervals on the disk. Raise PlanError where one cannot be."""
        with making(self._path), open(self._path, "w", encoding="utf-8", opener=private.opener) as file:
            for number, interval in enumerate(intervals):
                try:
                    file.write(json.dumps(self._frame(number, interval)) + "\n")
                except OverflowError as error:
                    raise self._source.bad(str(error)) from error
        began_ns = self._remarks.began_ns
        if began_ns is None:
            began_ns = max(0, self._source.changed_ns() - self.length_ns)
            self._remarks.note(TEXTS.began_before_file(self._source.path.name))
        self.origin_ns = began_ns

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the frames in order, as a recording keeps them."""
        with open(self._path, encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)

    def _frame(self, number: int, interval: LoadStretch) -> dict[str, Any]:
        counts = [row.requests for row in interval.routes]
        if not 0 < interval.len_ns <= LONGEST_NS or not 0 <= interval.busy_ns < FARTHEST:
            raise OverflowError(ERRORS.numbers_of_nothing)
        if any(not 0 <= count < FARTHEST for count in (*counts, *interval.status.values())):
            raise OverflowError(ERRORS.numbers_of_nothing)
        ended = sum(counts)
        answered = sum(row.requests for row in interval.routes if row.outcome in ANSWERED)
        frame = {
            "n": number, "t_ns": self.length_ns, "len_ns": interval.len_ns,
            "sent": ended, "answered": answered, "failed": ended - answered,
            "in_flight": 0, "in_flight_s": interval.busy_ns / NS,
            "routes": self._rows(interval.routes),
            "status": dict(interval.status),
        }  # fmt: skip
        if interval.users is not None:
            frame["users"] = interval.users
            self.knows_users = True
        self.length_ns += interval.len_ns
        self.requests += ended
        return frame

    def _rows(self, sums: tuple[RouteSum, ...]) -> list[dict[str, Any]]:
        """Return the rows of a frame, one for each route and outcome, and none where nothing ended."""
        counts: dict[tuple[str, str], int] = {}
        times: dict[tuple[str, str], Histogram] = {}
        for row in sums:
            if row.requests:
                key = (self._name(row.route), row.outcome)
                counts[key] = counts.get(key, 0) + row.requests
                if row.times is not None:
                    times.setdefault(key, Histogram()).add(row.times)
        return [
            {"route": route, "class": "service", "outcome": outcome, "count": count}
            | ({"service": times[route, outcome].encode()} if (route, outcome) in times else {})
            for (route, outcome), count in sorted(counts.items())
        ]

    def _name(self, name: str) -> str:
        name = self._routes.get(name, name)
        # A label is foreign text that terminals and pages will show.
        name = "".join(c if c.isprintable() else " " for c in name[:LONGEST_NAME]).strip() or "requests"
        if name not in self._names and len(self._names) >= MOST_ROUTES:
            return OTHERS
        self._names.add(name)
        return name


def whole_text(source: ResultsFile, most: int = WHOLE_MOST) -> str:
    """Return a file that is one document. Raise PlanError where it is larger than that, or no text."""
    pieces, size = [], 0
    for line in source.text_lines():
        size += len(line)
        if size > most:
            raise source.bad(ERRORS.larger_than_most(f"{most >> 20}"))
        pieces.append(line)
    return "".join(pieces)
