"""Forms that hey and oha have in common: the summary on the screen, and rows since a begin."""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping

from loadrig.importers._figures import amount, behind, count, time_ns
from loadrig.importers._outcomes import outcome_of_status, outcome_of_text
from loadrig.importers._rows import rows
from loadrig.importers._sample import RequestSample, RunFacts
from loadrig.importers._source import ResultsFile
from loadrig.importers._summed import LoadStretch, RouteSum
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors
from loadrig.language.en.importers import ImportersTexts

TEXTS, ERRORS = texts_of(ImportersTexts), texts_of(ImportersSampleErrors)

ROUTE = "requests"
"""Name of the only route: neither tool writes the URL."""

_S, _MS = 1_000_000_000, 1e6
_STATUS = re.compile(r"^[ \t]*\[(\d{3})\]\s+(\d+) responses", re.MULTILINE)
_ERROR = re.compile(r"^[ \t]*\[(\d+)\]\s+(.+)$", re.MULTILINE)
_QUANTILE = re.compile(r"^[ \t]*([\d.]+)%+ in ([\d.]+ \w+)$", re.MULTILINE)
_ENDED = "aborted due to deadline"
"""Words of oha for requests that were under way when the load ended."""


def outcome_of(status: int) -> str:
    """Return the outcome of an answer by its status: good below 400."""
    return "ok" if status < 400 else outcome_of_status(status)


def screen_interval(text: str, remarks: RunFacts) -> LoadStretch:
    """Return the whole load of a summary. Raise ValueError that names what is not in it."""
    len_ns = round(time_ns(behind(r"^[ \t]*Total:\s+([\d.]+ \w+)$", text, "Total:")[1]))
    mean_ns = _time(text, "Average")
    times = {"mean": mean_ns, "min": _time(text, "Fastest"), "max": _time(text, "Slowest")}
    remarks.state("", **{name: ns / _MS for name, ns in times.items() if ns is not None})
    quantiles = {_quantile(match[1]): time_ns(match[2]) / _MS for match in _QUANTILE.finditer(text)}
    remarks.state("", **quantiles)
    status = Counter({match[1]: count(match[2]) for match in _STATUS.finditer(text)})
    _, _, below = text.partition("Error distribution:")
    errors = Counter[str]()
    for match in _ERROR.finditer(below):
        errors[match[2].strip()] += count(match[1])
    return sums(len_ns, status, errors, mean_ns or 0.0, remarks)


def sums(
    len_ns: int, status: Mapping[str, int], errors: Mapping[str, int], mean_ns: float, remarks: RunFacts
) -> LoadStretch:
    """Return a load of counts by status and by error. mean_ns: of the answers; errors have no times."""
    by_outcome = Counter[str]()
    for code, number in status.items():
        by_outcome[outcome_of(int(code))] += number
    for error, number in errors.items():
        if _ENDED in error:
            remarks.left_out[TEXTS.under_way_at_end] += number
        else:
            by_outcome[outcome_of_text(error)] += number
    routes = tuple(RouteSum(ROUTE, outcome, number) for outcome, number in by_outcome.items())
    return LoadStretch(len_ns, routes, round(mean_ns * sum(status.values())), dict(status))


def offset_samples(
    source: ResultsFile, remarks: RunFacts, *, start: str, took: str, status: str, size: str = ""
) -> Iterator[RequestSample]:
    """Yield the rows of a CSV by its columns' names, times in seconds since a begin that is not told."""
    columns = (start, took, status, size)
    longest_ns = max((begin + length for begin, length, _, _ in _rows(source, *columns)), default=0)
    began_ns = max(0, source.changed_ns() - longest_ns)
    remarks.note(TEXTS.began_before_file(source.path.name))
    remarks.note(TEXTS.no_failed_rows)
    for begin_ns, took_ns, code, received in _rows(source, *columns):
        yield RequestSample(began_ns + begin_ns, took_ns, ROUTE, outcome_of(code), code, received)


def _rows(
    source: ResultsFile, start: str, took: str, status: str, size: str
) -> Iterator[tuple[int, int, int, int]]:
    source.was_torn = False
    header: list[str] = []
    for row in rows(source, csv.excel):
        if not header:
            header = row.fields
            continue
        try:
            cells = dict(zip(header, row.fields, strict=True))
            code = count(cells[status])
            if not 0 <= code < 1000:
                raise ValueError(ERRORS.no_amount(cells[status][:60]))
            yield (
                round(amount(cells[start]) * _S), round(amount(cells[took]) * _S), code,
                count(cells[size]) if size else -1,
            )  # fmt: skip
        except (ValueError, KeyError) as error:
            if row.is_last_and_open:
                source.was_torn = True
                return
            what = ERRORS.key_missing(str(error)) if isinstance(error, KeyError) else str(error)
            raise source.bad(what, line=row.line, text=",".join(row.fields)) from error


def _time(text: str, label: str) -> float | None:
    """Return a time in ns; None where nothing was answered, and the tool wrote no number."""
    match = re.search(rf"^[ \t]*{label}:\s+([\d.]+ \w+)$", text, re.MULTILINE)
    return None if match is None else time_ns(match[1])


def _quantile(percent: str) -> str:
    return "p" + f"{amount(percent):g}".replace(".", "_")
