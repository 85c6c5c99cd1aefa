"""Text that wrk and wrk2 print.

## What is read

The text on the screen: how many requests in how long, errors of sockets, answers that are neither 2xx nor
3xx, and the times, with `--latency` their quantiles.
The run has one stretch, as long as the load: what happened within it is not told.
From the percentile spectrum of wrk2 a histogram is made again, each value at the upper end of its step; only
where all answers were good, as the spectrum holds all of them.

## Routes

The path of the URL, without its query.

## What its times count

wrk: from when a request was sent to the last byte of the answer.
wrk2: from when a request was due; with `-U` from when it was sent, and then those times are read.

## Outcomes

Good is a status below 400; which others there were is not told, so they are check_failed.
A connection that could not be made is connect_failed, one that broke failed.
Timeouts are told as a warning: wrk counts a slow request again at each look.

Source: `src/wrk.c` of wg/wrk and giltene/wrk2.
"""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from loadrig._native import Histogram
from loadrig.importers._figures import amount, behind, count, time_ns
from loadrig.importers._sample import RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum, whole_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersWrkErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersWrkErrors)

TOOL = "wrk"
FILES = ERRORS.files
TIMES = ERRORS.times

_MS = 1e6
_RUNNING = re.compile(rb"Running \S+ test @ \S+")
_UNCORRECTED = "Uncorrected Latency"
_SPECTRUM = re.compile(r"^ +([\d.]+) +([\d.]+) +(\d+) +(?:[\d.]+|inf)$", re.MULTILINE)
_QUANTILE = re.compile(r"^ *([\d.]+)% +([\d.]+\w+)$", re.MULTILINE)
_ERRORS = re.compile(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)")


def recognises(head: bytes) -> bool:
    """Return whether the text begins as that of wrk does."""
    return _RUNNING.match(head.lstrip()) is not None


def totals(source: ResultsFile, remarks: RunFacts) -> Iterator[LoadStretch]:
    """Yield the whole load as one stretch. Raise PlanError `import.bad-line`."""
    text = whole_text(source)
    try:
        yield _interval(text, remarks)
    except (ValueError, OverflowError) as error:
        raise source.bad(str(error), ERRORS.print_anew, line=1) from error


def _interval(text: str, remarks: RunFacts) -> LoadStretch:
    path = urlsplit(behind(r"test @ (\S+)", text, "test @ URL")[1]).path or "/"
    summary = behind(r"^ *(\d+) requests in ([\d.]+\w+),", text, "requests in")
    requests, len_ns = count(summary[1]), round(time_ns(summary[2]))
    latency = behind(r"^ *Latency +([\d.]+\w+) +([\d.]+\w+|-?nan) +([\d.]+\w+)", text, "Latency")
    mean_ns = time_ns(latency[1])
    other = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    odd = min(requests, count(other[1])) if other else 0
    failures = _ERRORS.search(text)
    connect, broken = (count(failures[1]), count(failures[2]) + count(failures[3])) if failures else (0, 0)
    if failures and count(failures[4]):
        remarks.warn(TEXTS.wrk_timeouts(f"{count(failures[4]):,}"))
    part = _times_part(text, remarks)
    remarks.state("", mean=mean_ns / _MS, max=time_ns(latency[3]) / _MS)
    remarks.state("", **_quantiles(part))
    times = None if odd or broken or connect else _histogram(part)
    if times is not None:
        remarks.note(TEXTS.steps_of_spectrum)
    routes = (
        RouteSum(path, "ok", requests - odd, times),
        RouteSum(path, "check_failed", odd),
        RouteSum(path, "connect_failed", connect),
        RouteSum(path, "failed", broken),
    )
    return LoadStretch(len_ns, routes, round(mean_ns * requests))


def _times_part(text: str, remarks: RunFacts) -> str:
    """Return the part of the text with the times that are used, and remark what they count."""
    if _UNCORRECTED in text:
        return text[text.index(_UNCORRECTED) :]
    if "Recorded Latency" in text:
        remarks.times, remarks.from_due = ERRORS.times_when_due, True
    return text


def _quantiles(text: str) -> dict[str, float]:
    return {
        "p" + f"{amount(match[1]):g}".replace(".", "_"): time_ns(match[2]) / _MS
        for match in _QUANTILE.finditer(text)
        if amount(match[1]) < 100
    }


def _histogram(text: str) -> Histogram | None:
    """Return the histogram of a percentile spectrum; None where there is none."""
    times, before = Histogram(), 0
    for match in _SPECTRUM.finditer(text):
        so_far = count(match[3])
        if so_far < before:
            raise ValueError(ERRORS.falling_count(so_far))
        times.record(max(1, round(amount(match[1]) * _MS)), so_far - before)
        before = so_far
    return times if before else None
