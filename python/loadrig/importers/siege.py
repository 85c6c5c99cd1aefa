"""Results of siege: its log, and the JSON that it prints.

## What is read

The log (`--log=FILE`), a line for each run, of which the last is read: siege appends to a file that is there,
and how many runs stand before it is said.
The JSON on the screen (siege from 4.1 on).
The run has one stretch, as long as the load.

## Routes

One, `requests`: siege does not write the URLs.

## What its times count

From when a request was sent to the last byte of the answer, in hundredths of a second on average.
In flight is siege's own figure of concurrency.

## Outcomes

Good are the transactions that siege calls OK.
Failed ones are failed: whether they got an answer is not told.

Source: `src/log.c` and `src/main.c` of JoeDog/siege.
"""

import json
import re
from collections.abc import Iterator, Mapping

from loadrig.importers._figures import amount, count
from loadrig.importers._sample import RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum, whole_text
from loadrig.importers._times import since_1970
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors, ImportersSiegeErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS = texts_of(ImportersTexts)
ERRORS, SAMPLE_ERRORS = texts_of(ImportersSiegeErrors), texts_of(ImportersSampleErrors)

TOOL = "siege"
FILES = ERRORS.files
TIMES = ERRORS.times

COLUMNS = (
    "date", "trans", "elapsed_time", "data", "response_time", "rate", "throughput", "concurrency",
    "successful_transactions", "failed_transactions",
)  # fmt: skip
"""Columns of the log, by the names of the JSON where that has them."""

_LOG = re.compile(rb"\s*Date & Time,\s*Trans,\s*Elap Time,")
_ROW = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,")
_JSON = re.compile(rb'\{\s*"transactions":\s*\d')
_S, _MS = 1e9, 1e3


def recognises(head: bytes) -> bool:
    """Return whether the file begins as siege's log or its JSON does."""
    return _LOG.match(head) is not None or _JSON.match(head.lstrip()) is not None


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load as one stretch. Raise PlanError `import.bad-line`."""
    is_json = source.head_of(source.path).lstrip().startswith(b"{")
    try:
        if is_json:
            # What siege says of its log stands behind the document.
            yield _interval(json.JSONDecoder().raw_decode(whole_text(source).lstrip())[0], remarks)
            return
        row = _last_row(source, remarks)
        if row is not None:
            interval = _interval(row, remarks)
            # The zone is that of the machine, which is not told; the log is written when the load has ended.
            remarks.began_ns = max(0, since_1970(row["date"].strip() + "Z") - interval.len_ns)
            remarks.note(TEXTS.taken_as_utc)
            yield interval
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
        raise source.bad(what, ERRORS.log_anew) from error


def _last_row(source: ResultsFile, remarks: RunFacts) -> Mapping[str, str] | None:
    """Return the last run of a log; None where it has none. The lines between are marks of users."""
    last, number, runs = "", 0, 0
    for line in source.text_lines():
        if _ROW.match(line):
            if not line.endswith("\n") and line.count(",") < len(COLUMNS) - 1:
                source.was_torn = True
                break
            last, number, runs = line, source.line, runs + 1
    if not runs:
        return None
    if runs > 1:
        remarks.left_out[TEXTS.earlier_runs] += runs - 1
    source.line = number
    return dict(zip(COLUMNS, last.split(","), strict=True))


def _interval(row: Mapping[str, str], remarks: RunFacts) -> LoadStretch:
    len_ns = round(amount(row["elapsed_time"]) * _S)
    routes = (
        RouteSum("requests", "ok", count(row["successful_transactions"])),
        RouteSum("requests", "failed", count(row["failed_transactions"])),
    )
    if routes[0].requests:
        remarks.state("", mean=amount(row["response_time"]) * _MS)
        for name, key in (("min", "shortest_transaction"), ("max", "longest_transaction")):
            if key in row:
                remarks.state("", **{name: amount(row[key]) * _MS})
    return LoadStretch(len_ns, routes, round(amount(row["concurrency"]) * len_ns))
