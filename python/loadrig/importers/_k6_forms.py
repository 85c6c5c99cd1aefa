"""Forms of k6 beside its JSON lines: its CSV, and the summary at the end."""

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any

from loadrig.base.clock import MS, NS
from loadrig.importers._figures import amount, count
from loadrig.importers._rows import CsvRow, rows
from loadrig.importers._sample import RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum, whole_text
from loadrig.importers._times import since_1970
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersK6Errors, ImportersSampleErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS = texts_of(ImportersTexts)
ERRORS, SAMPLE_ERRORS = texts_of(ImportersK6Errors), texts_of(ImportersSampleErrors)

CSV_HEAD = b"metric_name,timestamp,metric_value,"
SUMMARY_HEAD = b'"root_group":'

_UNITS = ((11, NS), (14, 1_000_000), (17, 1_000), (19, 1))
"""Nanoseconds of the unit of an instant, by the most digits that it has today (K6_CSV_TIME_FORMAT)."""

_NAMES = {"avg": "mean", "med": "p50", "min": "min", "max": "max"}


Point = tuple[CsvRow, str, dict[str, Any], dict[str, str]]
"""Row of the CSV, its metric, its instant and value, and its tags."""


def points(source: ResultsFile, remarks: RunFacts) -> Iterator[Point]:
    """Yield each row of the CSV with its metric, its instant and value, and its tags, as in a JSON line.

    Raise PlanError `import.bad-line` where a row has no instant.
    """
    header: list[str] = []
    for row in rows(source, csv.excel):
        if not header:
            header = row.fields
            continue
        cells = dict(zip(header, row.fields, strict=False))
        tags = {name: value for name, value in cells.items() if value}
        try:
            time = _instant(cells["timestamp"], remarks)
            yield row, cells["metric_name"], {"time": time, "value": cells["metric_value"]}, tags
        except (ValueError, KeyError) as error:
            if row.is_last_and_open:
                source.was_torn = True
                return
            what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
            raise source.bad(what, line=row.line, text=",".join(row.fields)) from error


def _instant(text: str, remarks: RunFacts) -> str:
    """Return an instant as digits of ns since 1970."""
    if not text.isdecimal():
        return str(since_1970(text))
    unit_ns = next((unit for digits, unit in _UNITS if len(text) <= digits), 0)
    if not unit_ns:
        raise ValueError(SAMPLE_ERRORS.no_instant(repr(text[:40])))
    if unit_ns == NS:
        remarks.note(TEXTS.ends_at_whole_seconds)
    return str(int(text) * unit_ns)


def summary(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load of a summary. Raise PlanError `import.bad-line`."""
    text = whole_text(source)
    try:
        document = json.loads(text)
        metrics = {name: _values(metric) for name, metric in document["metrics"].items()}
        requests = metrics["http_reqs"]
        number, failed = count(requests["count"]), metrics["http_req_failed"]
        state = document.get("state") or {}
        length_ms = state.get("testRunDurationMs")
        len_ns = (
            round(amount(length_ms) * MS)
            if length_ms is not None
            else round(number / max(amount(requests["rate"]), 1e-9) * NS)
        )
        # The rate is of failures: what passes it has failed.
        bad = min(number, count(failed["passes"]))
        times = metrics["http_req_duration"]
        for key, value in times.items():
            if name := _NAMES.get(key) or _quantile(key):
                remarks.state("", **{name: amount(value)})
        if lost := amount(metrics.get("dropped_iterations", {"count": 0})["count"]):
            remarks.warn(TEXTS.iterations_dropped(f"{lost:,.0f}"))
        users = metrics.get("vus_max", {}).get("max")
        routes = (RouteSum("requests", "ok", number - bad), RouteSum("requests", "failed", bad))
        yield LoadStretch(
            len_ns, routes, round(amount(times["avg"]) * number * MS),
            users=None if users is None else count(users),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        what = SAMPLE_ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        raise source.bad(what, ERRORS.summary_anew, line=line) from error


def _values(metric: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the figures of a metric: handleSummary has them one level deeper than --summary-export."""
    values = metric.get("values", metric)
    if not isinstance(values, dict):
        raise TypeError(ERRORS.no_metric)
    return values


def _quantile(key: str) -> str:
    if key.startswith("p(") and key.endswith(")"):
        return "p" + key[2:-1].replace(".", "_")
    return ""
