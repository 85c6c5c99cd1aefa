"""The output.csv of nGrinder.

## What is read

A row for each sampling: tests, errors, the mean time of a test, users, and the rate.
Stretches lie between the instants of the rows; the first is as long as its rate says.
The instants have no zone, and are taken as UTC.
`Test_Time_Standard_Deviation_(ms)` and the means of parts of a request are left out.

## Routes

The description of each test, where there are several; else one route, `requests`.

## What its times count

A test, from its begin to its end: what the script put in it, most often one request.

## Outcomes

Good are tests, failed are errors: whether those got an answer is not told.

Source: `SingleConsole.java` of naver/ngrinder.
"""

import csv
from collections.abc import Iterator
from typing import NamedTuple

from loadrig.base.clock import MS, NS
from loadrig.importers._figures import amount, count
from loadrig.importers._rows import rows
from loadrig.importers._sample import RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum
from loadrig.importers._times import since_1970
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersNgrinderErrors, ImportersSampleErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS = texts_of(ImportersTexts)
ERRORS, SAMPLE_ERRORS = texts_of(ImportersNgrinderErrors), texts_of(ImportersSampleErrors)

TOOL = "nGrinder"
FILES = ERRORS.files
TIMES = ERRORS.times

_TESTS, _ERRORS, _MEAN, _RATE = "Tests", "Errors", "Mean_Test_Time_(ms)", "TPS"


class _Row(NamedTuple):
    """Row of a sampling, read. at_ns: when it was taken."""

    at_ns: int
    routes: tuple[RouteSum, ...]
    busy_ns: int
    users: int | None
    rate: float


def recognises(head: bytes) -> bool:
    """Return whether the first line has nGrinder's columns."""
    line = head.partition(b"\n")[0]
    return line.startswith(b"DateTime,") and b",Tests,Errors,Mean_Test_Time_(ms)," in line


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield a stretch for each sampling. Raise PlanError `import.bad-line`."""
    remarks.note(TEXTS.taken_as_utc)
    header: list[str] = []
    before_ns: int | None = None
    routes: tuple[RouteSum, ...] = ()
    busy_ns = 0
    for line in rows(source, csv.excel):
        if not header:
            header = line.fields
            continue
        try:
            row = _row(header, line.fields)
            if before_ns is None:
                tests = sum(each.requests for each in row.routes if each.outcome == "ok")
                first_ns = round(tests / row.rate * NS) if row.rate and tests else NS
                before_ns = row.at_ns - first_ns
                remarks.began_ns = max(0, before_ns)
            if row.at_ns < before_ns:
                raise ValueError(ERRORS.goes_back(line.fields[0][:40]))
        except (ValueError, KeyError) as error:
            if line.is_last_and_open:
                source.was_torn = True
                break
            what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
            raise source.bad(what, line=line.line, text=",".join(line.fields)) from error
        # Instants are whole seconds: samplings of the same second are told together with the next.
        routes, busy_ns = routes + row.routes, busy_ns + row.busy_ns
        if row.at_ns > before_ns:
            yield LoadStretch(row.at_ns - before_ns, routes, busy_ns, users=row.users)
            before_ns, routes, busy_ns = row.at_ns, (), 0
    if routes and before_ns is not None:
        yield LoadStretch(NS, routes, busy_ns)


def _row(header: list[str], fields: list[str]) -> _Row:
    cells = dict(zip(header, fields, strict=False))
    at_ns = since_1970(cells["DateTime"] + "Z")
    users = count(cells["vuser"]) if "vuser" in cells else None
    # Every test has a column of its description, all of the same name, before its own figures.
    names = [field for column, field in zip(header, fields, strict=False) if column == "Description"]
    tests = [(name, f"-{number}") for number, name in enumerate(names, 1)] or [("requests", "")]
    routes: list[RouteSum] = []
    busy_ms = 0.0
    for name, suffix in tests:
        good, bad = count(cells[_TESTS + suffix]), count(cells[_ERRORS + suffix])
        routes += [RouteSum(name, "ok", good), RouteSum(name, "failed", bad)]
        busy_ms += good * amount(cells[_MEAN + suffix])
    return _Row(at_ns, tuple(routes), round(busy_ms * MS), users, amount(cells[_RATE]))
