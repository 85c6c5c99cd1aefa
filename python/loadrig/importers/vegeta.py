"""Results of vegeta, as `vegeta encode` writes them.

## What is read

JSON lines (`vegeta encode --to json`) and CSV (`--to csv`: twelve columns, no header).
The binary form that `vegeta attack` writes is a stream of Go's own; it is refused with what to type.

## Routes

The method and the path of the URL, without its query: `GET /search`.
Results of a vegeta that did not write the URL are one route, `requests`.

## What its times count

From when the request was handed to Go's HTTP client to the last byte of the answer.
Waiting for a connection and making one is in it, waiting to be sent is not.

## Outcomes

Good is a status from 200 to 399.
Without a status the text of the error tells: timeout, connect_refused, reset and so on, else failed.
Redirects that vegeta followed are one request, as vegeta counts them.

Source: `lib/results.go` of tsenart/vegeta.
"""

import csv
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from loadrig.importers._outcomes import outcome_of_status, outcome_of_text
from loadrig.importers._rows import rows
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._times import since_1970
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors, ImportersVegetaErrors

ERRORS, SAMPLE_ERRORS = texts_of(ImportersVegetaErrors), texts_of(ImportersSampleErrors)

TOOL = "vegeta"
FILES = ERRORS.files
TIMES = ERRORS.times

COLUMNS = (
    "timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body", "attack", "seq", "method",
    "url", "headers",
)  # fmt: skip
"""Columns of the CSV, in their order. Older versions end after `seq`."""

_FEWEST = 9
_CSV = re.compile(rb"\d{19},\d{1,3},\d+,\d+,\d+,")


def recognises(head: bytes) -> bool:
    """Return whether the first line has vegeta's keys, or begins with a time in ns, a status, a latency."""
    line = head.lstrip().partition(b"\n")[0]
    if line.startswith(b"{"):
        return all(f'"{key}":'.encode() in line for key in ("code", "timestamp", "latency", "seq"))
    return _CSV.match(line) is not None


def samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    """Yield every result, in the file's order."""
    del remarks  # vegeta says nothing beside its results
    lines = source.lines()
    first = next(lines, b"")
    if first.lstrip().startswith(b"{"):
        yield from _json_samples(source, first, lines)
        return
    lines.close()  # read again from its beginning: a quoted error may hold a newline
    yield from _csv_samples(source)


def route_of(method: str, url: str) -> str:
    """Return the method and the path without query: "GET /cart" for "GET" and "http://shop/cart?x=1"."""
    if not url:
        return "requests"
    return f"{method or 'GET'} {urlsplit(url).path or '/'}"


def _json_samples(source: ResultsFile, first: bytes, lines: Iterator[bytes]) -> Iterator[RequestSample]:
    line = first
    while line:
        if line.strip():
            try:
                yield _sample(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
                if not line.endswith(b"\n"):
                    source.was_torn = True
                    return
                raise source.bad(_why(error), text=line.decode("utf-8", "replace")) from error
        line = next(lines, b"")


def _csv_samples(source: ResultsFile) -> Iterator[RequestSample]:
    for row in rows(source, csv.excel):
        if len(row.fields) < _FEWEST:
            if row.is_last_and_open:
                source.was_torn = True
                return
            raise source.bad(ERRORS.few_columns(len(row.fields)), line=row.line)
        try:
            yield _sample(dict(zip(COLUMNS, row.fields, strict=False)))
        except (ValueError, KeyError) as error:
            if row.is_last_and_open:
                source.was_torn = True
                return
            raise source.bad(_why(error), line=row.line, text=",".join(row.fields)) from error


def _sample(row: dict[str, Any]) -> RequestSample:
    took_ns, status = int(row["latency"]), int(row["code"])
    if took_ns < 0 or not 0 <= status < 1000:
        raise ValueError(ERRORS.no_request(str(took_ns), str(status)))
    return RequestSample(
        since_1970(row["timestamp"]),
        took_ns,
        route_of(row.get("method") or "", row.get("url") or ""),
        _outcome(status, row.get("error") or ""),
        status,
        int(row["bytes_in"]),
    )


def _outcome(status: int, error: str) -> str:
    if status == 0:
        return outcome_of_text(error)
    return "ok" if 200 <= status < 400 else outcome_of_status(status)


def _why(error: Exception) -> str:
    return SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
