"""Numbers as people write them, with advice on what a wrong one may have meant.

`30` for a time, `10s` for a rate, `5` for a share: the message names the notation that was probably meant,
not only the expected one.
"""

import math
import re
from collections.abc import Callable, Mapping

from loadrig.base import units
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_amounts import PlanAmountsErrors
from loadrig.plan.node import Scalar

ERRORS = texts_of(PlanAmountsErrors)

WRONG_UNIT = "plan.wrong-unit"


_PARSERS: Mapping[str, Callable[[str], float]] = {
    "duration": units.parse_duration,
    "rate": units.parse_rate,
    "share": units.parse_share,
    "size": units.parse_size,
    "count": units.parse_count,
}

UNIT_NOTATION = {"s": "duration", "1/s": "rate", "1": "share", "B": "size"}
"""Notation in which a limit is written, by one of the rig's units; a limit in another unit is a bare
number."""

MOST: Mapping[str, tuple[float, str]] = {
    "duration": (100 * 365.25 * 86400, "876600h"),
    "rate": (1e9, "1000000000/1s"),
    "size": (2.0**50, "1048576GiB"),
    "count": (1e15, "1000000000m"),
}
"""Greatest amount that can be meant, and how it is written.

Durations end at a century, as the generator's clock counts nanoseconds in 64 bits, which are three. Rates end
at a request a nanosecond, the clock's step. Counts and sizes end below 2**53, up to which every number that
is handed on as JSON is exact.
"""

_LONG_UNITS = {
    "ns": "ns|nsec|nanoseconds?", "us": "us|usec|microseconds?", "ms": "ms|msecs?|milliseconds?|millis",
    "s": "s|secs?|seconds?", "m": "m|mins?|minutes?", "h": "h|hrs?|hours?",
}  # fmt: skip
LONGEST_SHOWN = 40
"""Letters of a number that is too great that are shown, at most."""

_LONG = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")


def read_amount(name: str, node: Scalar, key: str) -> float | Problem:
    """Return the number in base units (seconds, events per second, share, bytes, count), or what is wrong.

    name: name of the notation, as in kinds.Amount. key: what the user calls the value.
    """
    parse, text = _PARSERS[name], node.text.strip()
    noun, forms = ERRORS.nouns[name], ERRORS.forms[name]
    if isinstance(node.value, float) and not math.isfinite(node.value):
        return _problem(ERRORS.not_that_amount(key, text, noun, forms), node)
    if text.startswith("-") and _fits(name, text[1:].strip()):
        return Problem.of(
            ERRORS.negative_amount(key, text, noun, forms), code="plan.out-of-range", where=node.span
        )
    try:
        amount = float(parse(text)) if name in ("duration", "rate", "share") else parse(text)
    except OverflowError:
        amount = math.inf
    except ValueError:
        return _problem(_explained(name, text, key), node)
    most, written = MOST.get(name, (math.inf, ""))
    if amount > most:
        wording = ERRORS.too_great(key, text[:LONGEST_SHOWN], noun, written)
        return Problem.of(wording, code="plan.out-of-range", where=node.span)
    return amount


def meant_amount(name: str, text: str) -> str | None:
    """Return the amounts that a text may mean, with its own number: "500ms or 500s"; None if it has none.

    name: name of the notation. text: one that is not written in it.
    """
    if name == "duration" and _is_number(text):
        return ERRORS.short_or_long(text) if float(text) >= 100 else ERRORS.long_or_other(text)
    if name == "duration":
        return _shortened(text)
    if name == "share" and _is_number(text) and float(text) <= 100:
        return f"{text}%"
    return None


def _explained(name: str, text: str, key: str) -> ErrorWords:
    """Return what is wrong with a text that is not written in a notation."""
    noun, forms = ERRORS.nouns[name], ERRORS.forms[name]
    meant = meant_amount(name, text)
    if _is_number(text):
        if name == "duration":
            return ERRORS.no_unit(key, text, meant or forms)
        if name == "share":
            return ERRORS.share_above_one(key, text, meant or forms)
        if name == "count":
            return ERRORS.broken_count(key, text, forms)
    elif meant is None:
        fitting = next((other for other in _PARSERS if other != name and _fits(other, text)), None)
        if fitting is not None:
            return ERRORS.other_amount(key, text, ERRORS.nouns[fitting], noun, forms)
    return ERRORS.not_that_amount(key, repr(text), noun, meant or forms)


def _shortened(text: str) -> str | None:
    """Return the short form of an amount, such as 10s for "10 sec".

    None if it is not a number and a unit's name.
    """
    match = _LONG.fullmatch(text)
    if not match:
        return None
    for unit, words in _LONG_UNITS.items():
        if re.fullmatch(words, match[2], re.IGNORECASE):
            return f"{match[1]}{unit}"
    return None


def _fits(name: str, text: str) -> bool:
    try:
        _PARSERS[name](text)
    except ValueError:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def _problem(wording: ErrorWords, node: Scalar) -> Problem:
    return Problem.of(wording, code=WRONG_UNIT, where=node.span)
