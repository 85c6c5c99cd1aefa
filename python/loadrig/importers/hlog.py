"""Interval logs of HdrHistogram (`.hlog`), of whatever program wrote them, loadrig too.

## What is read

Each line's histogram, by its tag; lines of the same interval are told together.
Where a log leaves a time out, it belongs to the interval after it.
Values are taken as nanoseconds, as HdrHistogram's own tools take them: the log does not say their unit.

## Routes

The tag; a line without one is of `requests`.
Of a log of loadrig the route in its tag, and of its lines those of service times; the others are left out.

## What its times count

What the program measured, which the log does not say; of loadrig's own from the send to the last byte.

## Outcomes

All are good: a log does not say how requests ended, and the run says so.
Of a log of loadrig the outcome in its tag.

Source: `HistogramLogWriter` and `HistogramLogReader` of HdrHistogram/HdrHistogram.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.importers._figures import amount
from loadrig.importers._outcomes import OUTCOMES
from loadrig.importers._sample import RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersHlogErrors
from loadrig.language.en.importers import ImportersTexts
from loadrig.recording.hlog import ENGINE, parse_tag

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersHlogErrors)

TOOL = "HdrHistogram"
FILES = ERRORS.files
TIMES = ERRORS.times

_HEAD = (
    b"#[Histogram log format version",
    b'"StartTimestamp","Interval_Length"',
    b"#[StartTime:",
    b"#[BaseTime:",
)
_SINCE = re.compile(r"#\[(StartTime|BaseTime): ([\d.]+) \(seconds since epoch\)")
_YEAR_S = 365 * 86_400
"""Seconds by which a line's start must lie before the log's to count from it: as HdrHistogram reads it."""


class _Line(NamedTuple):
    """Line of a log, read. Times in ns; from_ns since the log's base."""

    from_ns: int
    len_ns: int
    row: RouteSum


def recognises(head: bytes) -> bool:
    """Return whether the first lines are those of an interval log."""
    lines = head.splitlines()[:20]
    return any(line.startswith(_HEAD) for line in lines) and all(
        line.startswith((b"#", b'"')) or line.count(b",") >= 3 or not line for line in lines[:-1]
    )


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield a stretch for each interval. Raise PlanError `import.bad-line`."""
    base_s: dict[str, float] = {}
    rows: list[RouteSum] = []
    begin_ns = end_ns = 0
    is_first = True
    for text in source.text_lines():
        try:
            if text.startswith(("#", '"')) or not text.strip():
                if match := _SINCE.match(text):
                    base_s[match[1]] = amount(match[2])
                continue
            line = _line(text.rstrip("\r\n"), remarks)
            if is_first:
                is_first, begin_ns, end_ns = False, line.from_ns, line.from_ns + line.len_ns
                remarks.began_ns = _began_ns(line, base_s)
            if line.from_ns >= end_ns:
                yield _interval(end_ns - begin_ns, rows)
                begin_ns, end_ns, rows = end_ns, line.from_ns + line.len_ns, []
            elif line.from_ns < begin_ns:
                raise ValueError(ERRORS.goes_back(f"{line.from_ns / NS:.3f}"))
            end_ns = max(end_ns, line.from_ns + line.len_ns)
            rows.append(line.row)
        except (ValueError, OverflowError) as error:
            if not text.endswith("\n"):
                source.was_torn = True
                break
            raise source.bad(str(error), text=text) from error
    if rows and end_ns > begin_ns:
        yield _interval(end_ns - begin_ns, rows)


def _line(text: str, remarks: RunFacts) -> _Line:
    tag = ""
    if text.startswith("Tag="):
        tag, _, text = text.removeprefix("Tag=").partition(",")
    fields = text.split(",")
    if len(fields) != 4:
        raise ValueError(ERRORS.few_fields(len(fields)))
    histogram = Histogram.decode(fields[3])
    from_ns, len_ns = round(amount(fields[0]) * NS), round(amount(fields[1]) * NS)
    return _Line(from_ns, max(1, len_ns), _row(tag, histogram, remarks))


def _row(tag: str, histogram: Histogram, remarks: RunFacts) -> RouteSum:
    """Return the requests of a line; none where it counts something else than they took."""
    if "|" in tag:
        own = parse_tag(tag)
        if own.route != ENGINE and own.kind == "service":
            outcome = own.outcome if own.outcome in OUTCOMES else "failed"
            return RouteSum(own.route, outcome, histogram.count, histogram)
        if own.kind in ("response", "lag", "wait", "connect", "session"):
            remarks.left_out[TEXTS.other_histograms] += 1
            return RouteSum("", "ok", 0)
    remarks.note(TEXTS.taken_as_ns)
    remarks.lacks_outcomes(".hlog")
    return RouteSum(tag or "requests", "ok", histogram.count, histogram)


def _began_ns(line: _Line, base_s: dict[str, float]) -> int | None:
    """Return when the first interval began, in ns since 1970; None where the log does not say it."""
    if "BaseTime" in base_s:
        return round(base_s["BaseTime"] * NS) + line.from_ns
    start_s = base_s.get("StartTime")
    if start_s is not None and line.from_ns / NS < start_s - _YEAR_S:
        return round(start_s * NS) + line.from_ns
    # Without a base, lines count from 1970, or from an instant that nobody wrote down.
    return line.from_ns if line.from_ns > _YEAR_S * NS else None


def _interval(len_ns: int, rows: list[RouteSum]) -> LoadStretch:
    busy_ns = sum(row.times.mean_ns * row.requests for row in rows if row.times is not None)
    return LoadStretch(len_ns, tuple(rows), round(busy_ns))
