"""Results of oha: what it prints, its JSON, and its CSV.

## What is read

The summary on the screen (`--no-tui`) and JSON (`--output-format json`): the length, answers by status,
errors by their text, and the times as oha states them; the run has one stretch, as long as the load.
CSV (`--output-format csv`): a row for each answer, with its time since the begin.
None says when the load was; it is taken to end when the file was last written.
Requests that were under way when the load ended are left out.

## Routes

One, `requests`: oha does not write the URL.

## What its times count

From when a request was sent to the last byte of the answer; with `--latency-correction` from when it was due,
which the file does not say.

## Outcomes

Good is a status below 400.
An error's text tells the outcome: timeout, connect_refused, closed and so on, else failed.
The CSV has no rows of requests without an answer.

Source: `src/printer.rs` and `src/result_data.rs` of hatoo/oha.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from loadrig.importers._figures import amount, count
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._screens import offset_samples, screen_interval, sums
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, whole_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersOhaErrors, ImportersSampleErrors

ERRORS, SAMPLE_ERRORS = texts_of(ImportersOhaErrors), texts_of(ImportersSampleErrors)

TOOL = "oha"
FILES = ERRORS.files
TIMES = ERRORS.times

_HEADER = b"request-start,DNS,DNS+dialup,"
_SCREEN = re.compile(rb"Summary:\s+Success rate:")
_JSON = re.compile(rb'\{\s*"summary":\s*\{\s*"successRate":')
_S, _MS = 1e9, 1e3


def recognises(head: bytes) -> bool:
    """Return whether the file begins as one of oha's three forms does."""
    head = head.lstrip()
    return head.startswith(_HEADER) or _SCREEN.match(head) is not None or _JSON.match(head) is not None


def is_summed(head: bytes) -> bool:
    """Return whether the file is the summary, as text or JSON."""
    return not head.startswith(_HEADER)


def samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    """Yield every row of the CSV."""
    return offset_samples(
        source, remarks, start="request-start", took="request-duration", status="status", size="bytes"
    )


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load as one stretch. Raise PlanError `import.bad-line`."""
    text = whole_text(source)
    try:
        is_json = text.lstrip().startswith("{")
        yield _json_interval(json.loads(text), remarks) if is_json else screen_interval(text, remarks)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
        raise source.bad(what, ERRORS.print_anew, line=1) from error


def _json_interval(document: Any, remarks: RunFacts) -> LoadStretch:
    summary = document["summary"]
    mean_s = _seconds(summary["average"])
    times = {"mean": mean_s, "min": _seconds(summary["fastest"]), "max": _seconds(summary["slowest"])}
    for name, value in document["latencyPercentiles"].items():
        times[name.replace(".", "_")] = _seconds(value)
    remarks.state("", **{name: seconds * _MS for name, seconds in times.items() if seconds is not None})
    return sums(
        round(amount(summary["total"]) * _S),
        {str(int(code)): count(number) for code, number in document["statusCodeDistribution"].items()},
        {str(error): count(number) for error, number in document["errorDistribution"].items()},
        (mean_s or 0.0) * _S,
        remarks,
    )


def _seconds(value: object) -> float | None:
    """Return a time; None where nothing was answered, and oha wrote null for it."""
    return None if value is None else amount(value)
