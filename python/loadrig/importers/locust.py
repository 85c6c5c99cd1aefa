"""The CSV of Locust: its history, and its statistics.

## What is read

`PREFIX_stats_history.csv` (`--csv PREFIX`): a row each second, and one for each name with
`--csv-full-history`; its totals grow, and their differences are the requests of each second.
Its quantiles are those of the last ten seconds or so, and are left out.
`PREFIX_stats.csv`: totals, and the times of the whole load as Locust states them; the run has one stretch, as
long as the load.

## Routes

The method and the name: `GET /search`.
A history without names is one route, `requests`.

## What its times count

From when the request was handed to the HTTP client to the last byte of the answer, with the making of a
connection; failed requests are among them.

## Outcomes

Good is what Locust calls no failure; failures are failed: whether they got an answer is not told.

Source: `locust/stats.py` of locustio/locust.
"""

import csv
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loadrig.base.clock import NS
from loadrig.importers._figures import amount, count
from loadrig.importers._rows import CsvRow, rows
from loadrig.importers._sample import RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersLocustErrors, ImportersSampleErrors

ERRORS, SAMPLE_ERRORS = texts_of(ImportersLocustErrors), texts_of(ImportersSampleErrors)

TOOL = "Locust"
FILES = ERRORS.files
TIMES = ERRORS.times

_HISTORY = b"Timestamp,User Count,Type,Name,Requests/s,"
_STATS = b"Type,Name,Request Count,Failure Count,"
_ALL = "Aggregated"
_LATEST = 10**11
"""Seconds since 1970 that are no instant: a file in another unit has more digits."""


class _Total(NamedTuple):
    """Totals of a name until a second: requests, those that failed, the sum of their times in ms."""

    requests: int
    failed: int
    busy_ms: float


def recognises(head: bytes) -> bool:
    """Return whether the first line has the columns of Locust's history, or those of its statistics."""
    return head.startswith((_HISTORY, _STATS))


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield a stretch for each second of a history, or one of statistics. Raise PlanError."""
    if source.head_of(source.path).startswith(_HISTORY):
        return _history(source, remarks)
    return _statistics(source, remarks)


def _history(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the seconds of a history: rows of one second belong together."""
    before: dict[str, _Total] = {}
    now: dict[str, _Total] = {}
    begin: int | None = None
    second, users = -1, 0
    for row, cells in _cells(source):
        try:
            at = count(cells["Timestamp"])
            if at >= _LATEST or (second >= 0 and at < second):
                raise ValueError(ERRORS.no_second(cells["Timestamp"][:40]))
            if at != second:
                # What the first second has came in the time before it, which is told with the second.
                if begin is not None and second > begin:
                    yield _stretch(before, now, second - begin, users)
                    begin = second
                    before, now = {**before, **now}, {}
                second = at
                begin = at if begin is None else begin
                remarks.began_ns = begin * NS if remarks.began_ns is None else remarks.began_ns
            name = _name(cells)
            requests, failed = count(cells["Total Request Count"]), count(cells["Total Failure Count"])
            now[name] = _Total(requests, failed, requests * amount(cells["Total Average Response Time"]))
            users = count(cells["User Count"])
        except (ValueError, KeyError) as error:
            if row.is_last_and_open:
                source.was_torn = True
                break
            raise _bad(source, row, error) from error
    if begin is not None and second > begin:
        yield _stretch(before, now, second - begin, users)


def _stretch(
    before: Mapping[str, _Total], now: Mapping[str, _Total], seconds: int, users: int
) -> LoadStretch:
    """Return what came between two rows of totals. Names are told together too: those are used if alone."""
    names = [name for name in now if name != _ALL] or list(now)
    routes, busy_ms = [], 0.0
    for name in names:
        earlier = before.get(name, _Total(0, 0, 0.0))
        # Locust can be told to count anew once all users are there: totals then fall, and begin again.
        if now[name].requests < earlier.requests:
            earlier = _Total(0, 0, 0.0)
        failed = max(0, now[name].failed - earlier.failed)
        route = "requests" if name == _ALL else name
        routes += [
            RouteSum(route, "ok", max(0, now[name].requests - earlier.requests - failed)),
            RouteSum(route, "failed", failed),
        ]
        busy_ms += max(0.0, now[name].busy_ms - earlier.busy_ms)
    return LoadStretch(max(1, seconds) * NS, tuple(routes), round(busy_ms * 1e6), users=users)


def _statistics(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load of statistics; its length is that over which Locust took its rate."""
    routes: list[RouteSum] = []
    busy_ms = seconds = 0.0
    for row, cells in _cells(source):
        try:
            requests, failed = count(cells["Request Count"]), count(cells["Failure Count"])
            mean_ms, name = amount(cells["Average Response Time"]), _name(cells)
            if requests:
                _state(remarks, "" if name == _ALL else name, cells)
            if name != _ALL:
                good = max(0, requests - failed)
                routes += [RouteSum(name, "ok", good), RouteSum(name, "failed", min(requests, failed))]
                busy_ms += requests * mean_ms
            rate = amount(cells["Requests/s"])
            if rate:
                seconds = max(seconds, requests / rate)
        except (ValueError, KeyError) as error:
            if row.is_last_and_open:
                source.was_torn = True
                break
            raise _bad(source, row, error) from error
    if routes and seconds:
        yield LoadStretch(round(seconds * NS), tuple(routes), round(busy_ms * 1e6))


def _state(remarks: RunFacts, route: str, cells: Mapping[str, str]) -> None:
    remarks.state(
        route,
        mean=amount(cells["Average Response Time"]),
        min=amount(cells["Min Response Time"]),
        max=amount(cells["Max Response Time"]),
    )
    for column, value in cells.items():
        if column.endswith("%") and column != "100%" and value != "N/A":
            remarks.state(route, **{"p" + column.removesuffix("%").replace(".", "_"): amount(value)})


def _name(cells: Mapping[str, str]) -> str:
    return f"{cells['Type']} {cells['Name']}".strip() or "requests"


def _cells(source: ResultsFile) -> Iterator[tuple[CsvRow, Mapping[str, str]]]:
    """Yield each row with its cells by the header; a row of another length has too few for what is asked."""
    header: list[str] = []
    for row in rows(source, csv.excel):
        if header:
            yield row, dict(zip(header, row.fields, strict=False))
        else:
            header = row.fields


def _bad(source: ResultsFile, row: CsvRow, error: Exception) -> Exception:
    what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
    return source.bad(what, line=row.line, text=",".join(row.fields))
