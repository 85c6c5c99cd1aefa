"""Results of hey: what it prints, and its CSV.

## What is read

The summary on the screen: the length, answers by status, errors by their text, and the times as hey states
them; the run has one stretch, as long as the load.
CSV (`-o csv`): a row for each answer, with its time since the begin.
Neither says when the load was; it is taken to end when the file was last written.

## Routes

One, `requests`: hey does not write the URL.

## What its times count

From when the request was handed to Go's HTTP client to the last byte of the answer, with the making of a
connection.

## Outcomes

Good is a status below 400.
An error's text tells the outcome: timeout, connect_refused, closed and so on, else failed.
The CSV has no rows of requests without an answer.

Source: `requester/report.go` and `print.go` of rakyll/hey.
"""

import re
from collections.abc import Iterator

from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._screens import offset_samples, screen_interval
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, whole_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersHeyErrors

ERRORS = texts_of(ImportersHeyErrors)

TOOL = "hey"
FILES = ERRORS.files
TIMES = ERRORS.times

_HEADER = b"response-time,DNS+dialup,DNS,"
_SCREEN = re.compile(rb"Summary:\s+Total:\s+[\d.]+ secs")


def recognises(head: bytes) -> bool:
    """Return whether the file begins as hey's summary or its CSV does."""
    return head.startswith(_HEADER) or _SCREEN.match(head.lstrip()) is not None


def is_summed(head: bytes) -> bool:
    """Return whether the file is the summary."""
    return not head.startswith(_HEADER)


def samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    """Yield every row of the CSV."""
    return offset_samples(source, remarks, start="offset", took="response-time", status="status-code")


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load as one stretch. Raise PlanError `import.bad-line`."""
    text = whole_text(source)
    try:
        yield screen_interval(text, remarks)
    except (ValueError, OverflowError) as error:
        raise source.bad(str(error), ERRORS.print_anew, line=1) from error
