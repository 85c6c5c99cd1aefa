"""Results of k6: its JSON lines, its CSV, and its summary as JSON.

## What is read

JSON lines (`k6 run --out json=FILE`) and CSV (`--out csv=FILE`).
Of both the points of `http_req_duration`, one for each request, with the tags `name`, `method`, `status`,
`expected_response` and `error_code`; `http_req_failed` where a script's tags leave the expected response out.
`vus` says how many users there were.
`dropped_iterations` are told as a warning: k6 itself could not begin them.
Every other metric is passed over.
The CSV stamps requests with whole seconds, unless K6_CSV_TIME_FORMAT asks for more.
The summary (`--summary-export=FILE`, or what `handleSummary` is given, as JSON): counts, and the times as k6
states them; the run has one stretch, as long as the load, and one route, `requests`.

## Routes

The method and the tag `name`: `GET search`.
Where no name was given k6 puts the URL there; then it is the method and the path, without its query.

## What its times count

From the first byte sent to the last byte of the answer (sending, waiting, receiving).
Waiting for a connection and making one (`http_req_blocked`, `http_req_connecting`) are not in it.

## Outcomes

Good is what k6 calls expected (`expected_response`): a status from 200 to 399, unless the script says
otherwise.
A failure of a summary is failed: whether it got an answer is not told.
Without a status the error code tells: 1050 timeout, 1212 connect_refused, 1220 reset and so on, else failed.

Source: `results-output/real-time/json.md` and `javascript-api/error-codes.md` of grafana/k6-docs.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from loadrig.base.clock import NS
from loadrig.importers import _k6_forms
from loadrig.importers._figures import amount, count
from loadrig.importers._outcomes import outcome_of_status, outcome_of_text
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch
from loadrig.importers._times import since_1970
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersK6Errors, ImportersSampleErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS = texts_of(ImportersTexts)
ERRORS, SAMPLE_ERRORS = texts_of(ImportersK6Errors), texts_of(ImportersSampleErrors)

TOOL = "k6"
FILES = ERRORS.files
TIMES = ERRORS.times

OF_CODES = {
    1050: "timeout", 1100: "connect_failed", 1101: "connect_failed", 1110: "connect_failed",
    1111: "connect_failed", 1200: "connect_failed", 1201: "reset", 1210: "connect_failed",
    1211: "connect_timeout", 1212: "connect_refused", 1213: "connect_failed", 1220: "reset",
    1300: "tls_failed", 1310: "tls_failed", 1311: "tls_failed", 1600: "failed", 1610: "go_away",
    1630: "stream_reset", 1650: "closed",
}  # fmt: skip
"""Outcomes by k6's error codes, for requests without a status."""

_WANTED = (b'"http_req_duration"', b'"http_req_failed"', b'"vus"', b'"dropped_iterations"')


class _Waiting(NamedTuple):
    """Request whose line does not say whether it failed: the line of http_req_failed says it."""

    time: str
    sample: RequestSample
    has_status: bool

    def by_status(self, source: ResultsFile) -> RequestSample:
        """Return the request by its status, for want of k6's verdict. Raise PlanError without a status."""
        if not self.has_status:
            raise source.bad(ERRORS.no_verdict, ERRORS.use_system_tags)
        return self.sample


def recognises(head: bytes) -> bool:
    """Return whether the first line has the keys or columns of k6, or the document is a summary of it."""
    head = head.lstrip()
    line = head.partition(b"\n")[0]
    is_lines = line.startswith(b"{") and b'"metric":' in line and (b'"Metric"' in line or b'"Point"' in line)
    return is_lines or head.startswith(_k6_forms.CSV_HEAD) or is_summed(head)


def is_summed(head: bytes) -> bool:
    """Return whether the file is a summary."""
    head = head.lstrip()
    return head.startswith(b"{") and _k6_forms.SUMMARY_HEAD in head and b'"http_req' in head


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load of a summary as one stretch. Raise PlanError `import.bad-line`."""
    return _k6_forms.summary(source, remarks)


def samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    """Yield every request, in the file's order."""
    if source.head_of(source.path).startswith(_k6_forms.CSV_HEAD):
        return _csv_samples(source, remarks)
    return _json_samples(source, remarks)


def _csv_samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    dropped = 0.0
    for row, metric, data, tags in _k6_forms.points(source, remarks):
        try:
            if metric == "http_req_duration":
                yield _sample(data, tags)
            elif metric == "vus":
                remarks.users[since_1970(data["time"]) // NS] = count(data["value"])
            elif metric == "dropped_iterations":
                dropped += amount(data["value"])
        except (ValueError, OverflowError) as error:
            if row.is_last_and_open:
                source.was_torn = True
                break
            raise source.bad(str(error), line=row.line, text=",".join(row.fields)) from error
    if dropped:
        remarks.warn(TEXTS.iterations_dropped(f"{dropped:,.0f}"))


def _json_samples(source: ResultsFile, remarks: RunFacts) -> Iterator[RequestSample]:
    waiting: _Waiting | None = None
    dropped = 0.0
    for line in source.lines():
        # Nine lines of ten are of other metrics: what they hold need not be read to pass them over.
        is_last = not line.endswith(b"\n")
        if not is_last and not any(name in line for name in _WANTED) and line.rstrip().endswith(b"}"):
            continue
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if row["type"] != "Point":
                continue
            metric, data = row["metric"], row["data"]
            if metric == "http_req_duration":
                if waiting is not None:
                    yield waiting.by_status(source)
                    waiting = None
                tags = data.get("tags") or {}
                sample = _sample(data, tags)
                if "expected_response" in tags:
                    yield sample
                else:
                    waiting = _Waiting(data["time"], sample, has_status="status" in tags)
            elif metric == "http_req_failed" and waiting is not None and waiting.time == data["time"]:
                yield _judged(waiting.sample, is_failed=bool(data["value"]))
                waiting = None
            elif metric == "vus":
                remarks.users[since_1970(data["time"]) // 1_000_000_000] = int(data["value"])
            elif metric == "dropped_iterations":
                dropped += float(data["value"])
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            if is_last:
                source.was_torn = True
                break
            what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
            raise source.bad(what, text=line.decode("utf-8", "replace")) from error
    if waiting is not None:
        yield waiting.by_status(source)
    if dropped:
        remarks.warn(TEXTS.iterations_dropped(f"{dropped:,.0f}"))


def route_of(method: str, name: str) -> str:
    """Return the method and the name; where the name is a URL, the method and the path without its query."""
    if name.startswith(("http://", "https://")):
        name = urlsplit(name).path or "/"
    return f"{method} {name}".strip() or "requests"


def _sample(data: Mapping[str, Any], tags: Mapping[str, str]) -> RequestSample:
    took_ns = round(float(data["value"]) * 1e6)
    if took_ns < 0:
        raise ValueError(ERRORS.no_duration(str(data["value"])))
    status = int(tags.get("status") or 0)
    if not 0 <= status < 1000:
        raise ValueError(ERRORS.no_status(str(status)))
    outcome = "ok"
    if status == 0:
        outcome = _without_status(tags)
    elif tags.get("expected_response", "true" if status < 400 else "false") != "true":
        outcome = outcome_of_status(status)
    return RequestSample(
        # k6 stamps a request with the instant at which it ended.
        since_1970(data["time"]) - took_ns,
        took_ns,
        route_of(tags.get("method", ""), tags.get("name") or tags.get("url") or ""),
        outcome,
        status,
    )


def _judged(sample: RequestSample, *, is_failed: bool) -> RequestSample:
    """Return the sample with k6's own verdict, where that verdict differs from what the status suggests."""
    if is_failed == (sample.outcome != "ok"):
        return sample
    return sample._replace(outcome=outcome_of_status(sample.status) if is_failed else "ok")


def _without_status(tags: Mapping[str, str]) -> str:
    code = int(tags.get("error_code") or 0)
    return OF_CODES.get(code) or outcome_of_text(tags.get("error") or "")
