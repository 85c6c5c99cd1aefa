"""Results of ab, ApacheBench: what it prints, and the rows that it writes for gnuplot.

## What is read

The text on the screen: how many requests in how long, how many failed, and the times with their quantiles;
the run has one stretch, as long as the load.
It does not say when the load was; it is taken to end when the file was last written.
Rows of `-g`: a request each, in whole milliseconds, with the second in which it began.
The file of `-e` has quantiles and no counts, which make no run; it is refused with what to type.

## Routes

The document's path, without its query; of rows of `-g` `requests`.

## What its times count

From the begin of connecting to the last byte of the answer.

## Outcomes

An answer that is not 2xx is check_failed: ab does not say which status it had.
An answer of another length than the first is good: dynamic pages differ in length, and ab calls them failed;
the run says how many there were.
Connections that could not be made are connect_failed, answers that broke off failed.
Rows of `-g` do not say how requests ended: all of them count as good, and the run says so.

Source: `support/ab.c` of apache/httpd.
"""

import csv
import re
from collections.abc import Iterator

from loadrig.importers._figures import amount, behind, count, time_ns
from loadrig.importers._rows import rows
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum, whole_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersAbErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersAbErrors)

TOOL = "ab"
FILES = ERRORS.files
TIMES = ERRORS.times

COLUMNS = ["starttime", "seconds", "ctime", "dtime", "ttime", "wait"]
"""Columns of `-g`."""

_ROWS = b"starttime\tseconds\tctime\tdtime\tttime\twait"
_QUANTILES = b"Percentage served,Time in ms"
_S, _MS = 1_000_000_000, 1_000_000


class _GnuplotRows(csv.excel_tab):
    """Form of `-g`: the date in words has neither tabs nor quotes."""

    quoting = csv.QUOTE_NONE


def recognises(head: bytes) -> bool:
    """Return whether the file begins as one of ab's three forms does."""
    return head.startswith((b"This is ApacheBench", _ROWS, _QUANTILES))


def is_summed(head: bytes) -> bool:
    """Return whether the file is not the rows of `-g`."""
    return not head.startswith(_ROWS)


def samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    """Yield every row of `-g`."""
    remarks.note(TEXTS.whole_seconds)
    remarks.lacks_outcomes("ab -g")
    for row in rows(source, _GnuplotRows):
        if row.fields == COLUMNS:
            continue
        try:
            _, seconds, _, _, total, _ = row.fields
            if not seconds.isdecimal() or len(seconds) > 12:
                raise ValueError(ERRORS.no_second(repr(seconds)[:60]))
            yield RequestSample(int(seconds) * _S, count(total) * _MS, "requests", "ok")
        except ValueError as error:
            if row.is_last_and_open:
                source.was_torn = True
                return
            raise source.bad(str(error), line=row.line, text="\t".join(row.fields)) from error


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load as one stretch. Raise PlanError `import.bad-line`."""
    text = whole_text(source)
    if text.startswith(_QUANTILES.decode()):
        raise source.bad(ERRORS.quantiles_only, ERRORS.print_anew, line=1)
    try:
        yield _interval(text, remarks)
    except (ValueError, OverflowError) as error:
        raise source.bad(str(error), ERRORS.print_anew, line=1) from error


def _interval(text: str, remarks: RunFacts) -> LoadStretch:
    path = behind(r"^Document Path: +(\S+)", text, "Document Path:")[1].partition("?")[0]
    len_ns = round(time_ns(behind(r"^Time taken for tests: +([\d.]+ \w+)", text, "Time taken for tests:")[1]))
    complete = count(behind(r"^Complete requests: +(\d+)", text, "Complete requests:")[1])
    other = re.search(r"^Non-2xx responses: +(\d+)", text, re.MULTILINE)
    failures = re.search(r"\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)", text)
    kinds = failures.groups() if failures else ("0",) * 4
    connect, receive, length, exceptions = (count(number) for number in kinds)
    if length:
        remarks.note(TEXTS.other_length(f"{length:,}"))
    odd = min(complete, count(other[1])) if other else 0
    broken = min(complete - odd, receive)
    # The first such line is the mean of a request, the second is the length over the number of requests.
    mean_ms = amount(behind(r"^Time per request: +([\d.]+) \[ms\]", text, "Time per request:")[1])
    remarks.state("", mean=mean_ms)
    for percent, ms in re.findall(r"^ +(\d\d?)% +(\d+)$", text, re.MULTILINE):
        remarks.state("", **{f"p{percent}": float(ms)})
    if longest := re.search(r"^ *100% +(\d+) \(longest request\)", text, re.MULTILINE):
        remarks.state("", max=float(longest[1]))
    routes = (
        RouteSum(path, "ok", complete - odd - broken),
        RouteSum(path, "check_failed", odd),
        RouteSum(path, "connect_failed", connect),
        RouteSum(path, "failed", broken + exceptions),
    )
    return LoadStretch(len_ns, routes, round(mean_ms * _MS * complete))
