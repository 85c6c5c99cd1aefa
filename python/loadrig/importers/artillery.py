"""The JSON report of Artillery.

## What is read

`artillery run -o FILE`: the periods of ten seconds (`intermediate`), each a stretch of the run, with requests
by status and errors by their code; the first begins and the last ends with what was counted in it.
The times of the whole load (`aggregate`) are as Artillery states them.
What plugins count (`plugins.…`), and users, are left out: users are created and not counted while they stay.

## Routes

One, `requests`: only a plugin counts by endpoint, and it does not tell failures of all of them.

## What its times count

`http.response_time`: from when a request was sent to the first byte of the answer.

## Outcomes

Good is a status below 400.
An error's code tells the outcome: ETIMEDOUT timeout, ECONNREFUSED connect_refused, ECONNRESET reset and so
on, else failed.
Failed checks (`errors.Failed capture or match`) are of requests that were answered, and are a warning.

Source: `packages/artillery/lib/core/ssms.ts` of artilleryio/artillery.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from loadrig.base.clock import MS
from loadrig.importers._figures import amount, count
from loadrig.importers._outcomes import outcome_of_text
from loadrig.importers._sample import RunFacts
from loadrig.importers._screens import ROUTE, outcome_of
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum, whole_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersArtilleryErrors, ImportersSampleErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS = texts_of(ImportersTexts)
ERRORS, SAMPLE_ERRORS = texts_of(ImportersArtilleryErrors), texts_of(ImportersSampleErrors)

TOOL = "Artillery"
FILES = ERRORS.files
TIMES = ERRORS.times

OF_CODES = {
    "ETIMEDOUT": "timeout", "ESOCKETTIMEDOUT": "timeout", "ECONNREFUSED": "connect_refused",
    "ECONNRESET": "reset", "EPIPE": "reset", "ENOTFOUND": "connect_failed", "EAI_AGAIN": "connect_failed",
    "EHOSTUNREACH": "connect_failed", "ENETUNREACH": "connect_failed", "EADDRNOTAVAIL": "no_ports",
    "EADDRINUSE": "no_ports", "EMFILE": "no_descriptors", "EPROTO": "tls_failed",
}  # fmt: skip
"""Outcomes by the codes of Node.js, for requests without an answer."""

PERIOD_MS = 10_000
"""Length of a period of the report, in ms."""

_HEAD = re.compile(rb'\{\s*"aggregate":\s*\{\s*"(counters|rates)":')
_QUANTILES = ("p50", "p75", "p90", "p95", "p99")


def recognises(head: bytes) -> bool:
    """Return whether the document begins with Artillery's aggregate."""
    return _HEAD.match(head.lstrip()) is not None


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the periods of the report. Raise PlanError `import.bad-line`."""
    text = whole_text(source)
    try:
        yield from _periods(json.loads(text), remarks)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise source.bad(what, ERRORS.report_anew, line=line) from error


def _periods(document: Any, remarks: RunFacts) -> Iterator[LoadStretch]:
    whole = document["aggregate"]
    times = whole["summaries"].get("http.response_time")
    if times:
        names = {"mean": "mean", "min": "min", "max": "max", **{name: name for name in _QUANTILES}}
        remarks.state("", **{name: amount(times[key]) for name, key in names.items() if key in times})
        if "p999" in times:
            remarks.state("", p99_9=amount(times["p999"]))
    periods = sorted(document["intermediate"], key=lambda period: count(period["period"]))
    before_ms: int | None = None
    for number, period in enumerate(periods, 1):
        if before_ms is None:
            before_ms = count(period["firstMetricAt"])
            remarks.began_ns = before_ms * MS
        is_last = number == len(periods)
        end_ms = count(period["lastMetricAt"]) if is_last else count(period["period"]) + PERIOD_MS
        # A period can be of one instant only, and a stretch needs a length.
        end_ms = max(end_ms, before_ms + 1)
        yield _interval(period, end_ms - before_ms, remarks)
        before_ms = end_ms


def _interval(period: Any, length_ms: int, remarks: RunFacts) -> LoadStretch:
    status: dict[str, int] = {}
    outcomes: Counter[str] = Counter()
    for name, value in period["counters"].items():
        if name.startswith("http.codes."):
            code = str(int(name.removeprefix("http.codes.")))
            status[code] = count(value)
            outcomes[outcome_of(int(code))] += status[code]
        elif name.startswith("errors."):
            error = name.removeprefix("errors.")
            if error.startswith("Failed"):
                remarks.warn(TEXTS.failed_checks)
            else:
                outcomes[OF_CODES.get(error) or outcome_of_text(error)] += count(value)
    times = period["summaries"].get("http.response_time") or {"mean": 0, "count": 0}
    busy_ns = round(amount(times["mean"]) * count(times["count"]) * MS)
    routes = tuple(RouteSum(ROUTE, outcome, number) for outcome, number in outcomes.items())
    return LoadStretch(length_ms * MS, routes, busy_ns, status)
