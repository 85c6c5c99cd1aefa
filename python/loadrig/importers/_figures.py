"""Figures that tools print: numbers with units, and what stands behind a label."""

import math
import re
from re import Match

from loadrig.base.clock import NS
from loadrig.importers._spool import FARTHEST
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors

ERRORS = texts_of(ImportersSampleErrors)

_UNITS_NS = {
    "ns": 1, "us": 1_000, "µs": 1_000, "μs": 1_000, "ms": 1_000_000, "s": NS, "sec": NS, "secs": NS,
    "seconds": NS, "m": 60 * NS, "min": 60 * NS, "h": 3600 * NS,
}  # fmt: skip
"""Nanoseconds of a unit, by the words that the tools have for it."""

_TIME = re.compile(r"([\d.]+)\s*([a-zµμ]+)")


def amount(value: object) -> float:
    """Return a number from 0 on, of a text or of JSON. Raise ValueError for all else, also for infinity."""
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < FARTHEST:
        raise ValueError(ERRORS.no_amount(repr(value)[:60]))
    return number


def count(value: object) -> int:
    """Return a whole number from 0 on; a part of one, as averages have it, is rounded. Raise ValueError."""
    return round(amount(value))


def time_ns(text: str) -> float:
    """Return the nanoseconds of "3.40ms", "2.00s" or "0.0073 secs". Raise ValueError."""
    match = _TIME.fullmatch(text.strip())
    if match is None or match[2] not in _UNITS_NS:
        raise ValueError(ERRORS.no_amount(repr(text)[:60]))
    return amount(match[1]) * _UNITS_NS[match[2]]


def behind(pattern: str, text: str, label: str) -> Match[str]:
    """Return where a pattern stands in a text. Raise ValueError that names the label where it does not."""
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise ValueError(ERRORS.no_figure(label))
    return match
