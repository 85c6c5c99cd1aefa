"""Notations that people type, and numbers as people read them.

Durations are seconds, rates are events per second, sizes are bytes, shares are 0…1; all of them
floats or ints under a name of their own, so that a signature says its unit.
"""

import math
import re
from fractions import Fraction
from typing import NewType

from loadrig.base.base_texts import texts

Seconds = NewType("Seconds", float)
PerSecond = NewType("PerSecond", float)
Share = NewType("Share", float)
Bytes = NewType("Bytes", int)
Count = NewType("Count", int)

# Fractions, so that a notation means exactly its decimal: 2.3k is 2300, 1.1ms is 0.0011.
_UNIT_S = {
    "ns": Fraction(1, 10**9), "us": Fraction(1, 10**6), "ms": Fraction(1, 10**3),
    "s": Fraction(1), "m": Fraction(60), "h": Fraction(3600),
}  # fmt: skip
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|ms|s|m|h)", re.ASCII)
_COUNT = re.compile(r"(\d+(?:\.\d+)?)([kKmM]?)", re.ASCII)
_COUNT_UNIT = {"": 1, "k": 1_000, "m": 1_000_000}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|[kKMG]B|[KMG]iB)?", re.ASCII)
_SIZE_UNIT = {
    "B": 1, "kB": 1_000, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}  # fmt: skip
_NUMBER = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)


ROUNDING = 1e-9
"""Difference by which sums and products of small numbers may differ by rounding alone, in their unit."""


def parse_duration(text: str) -> Seconds:
    """Return the seconds of a Go duration: "300ms", "1m30s", "2h"; "0" alone needs no unit.

    Raises ValueError, whose text says what is accepted.
    """
    word = text.strip()
    if word == "0":
        return Seconds(0.0)
    plain = word.replace("µ", "u").replace("μ", "u")  # the micro sign and the Greek letter
    position, total = 0, Fraction(0)
    while position < len(plain):
        match = _PART.match(plain, position)
        if not match:
            raise ValueError(texts().no_duration(repr(text)))
        total += Fraction(match[1]) * _UNIT_S[match[2]]
        position = match.end()
    if not word:
        raise ValueError(texts().empty_duration())
    return Seconds(float(total))


def parse_count(text: str) -> Count:
    """Return a whole number with an optional suffix: "200", "10k", "1.5m". Raises ValueError."""
    match = _COUNT.fullmatch(text.strip().replace("_", ""))
    number = Fraction(match[1]) * _COUNT_UNIT[match[2].lower()] if match else Fraction(1, 2)
    if number.denominator != 1:
        raise ValueError(texts().no_count(repr(text)))
    return Count(int(number))


def parse_rate(text: str) -> PerSecond:
    """Return events per second: "1000", "1000/1s", "50/1m", "10k/s"; 0 means as fast as can be.

    Raises ValueError, whose text says what is accepted.
    """
    if text.strip() in ("infinity", "max"):
        return PerSecond(0.0)
    number, slash, span = (part.strip() for part in text.partition("/"))
    try:
        # "/s" is "/1s"; everything else is a duration as it stands.
        per = parse_duration(f"1{span}" if span in _UNIT_S else span) if slash else Seconds(1.0)
        amount = float(number) if _NUMBER.fullmatch(number) else float(parse_count(number))
    except ValueError:
        raise ValueError(texts().no_rate(repr(text))) from None
    if per <= 0 or not math.isfinite(amount / per):
        raise ValueError(texts().no_rate(repr(text)))
    return PerSecond(amount / per)


def parse_share(text: str) -> Share:
    """Return a share, 0 to 1, written as "0.1%", "5 %" or "0.001". Raises ValueError."""
    word = text.strip()
    number, divisor = (word[:-1].strip(), 100) if word.endswith("%") else (word, 1)
    share = Fraction(number) / divisor if _NUMBER.fullmatch(number) else Fraction(2)
    if share > 1:
        raise ValueError(texts().no_share(repr(text)))
    return Share(float(share))


def parse_size(text: str) -> Bytes:
    """Return bytes: "512", "64kB", "1MiB". Raises ValueError."""
    match = _SIZE.fullmatch(text.strip())
    size = Fraction(match[1]) * _SIZE_UNIT[match[2] or "B"] if match else Fraction(1, 2)
    if size.denominator != 1:
        raise ValueError(texts().no_size(repr(text)))
    return Bytes(int(size))


def show_number(value: float) -> str:
    """Return at most three significant digits, thousands kept whole: 0.00123, 4.56, 45.6, 1,235."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    if abs(value) >= 100:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


AN_HOUR_S, IN_MINUTES_S, ROUNDS_UP = 3599.5, 99.5, 0.9995
"""Seconds from which a duration is shown in hours, and in minutes, and share of a unit from which it is shown
in it: what rounds to the larger unit is shown in that."""


def show_duration(seconds: float) -> str:
    """Return a duration as text: "850 ns", "1.25 ms", "41.2 s", "3 min", "3 min 20 s", "1 h 5 min"."""
    if not math.isfinite(seconds):
        return str(seconds)
    if seconds < 0:
        return "-" + show_duration(-seconds)
    if seconds >= AN_HOUR_S:
        return _two(round(seconds / 60), 60, "h", "min")
    if seconds >= IN_MINUTES_S:
        return _two(round(seconds), 60, "min", "s")
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size * ROUNDS_UP:
            return f"{show_number(seconds / size)} {unit}"
    return f"{show_number(seconds * 1e9)} ns" if seconds else "0 s"


def _two(amount: int, in_one: int, large: str, small: str) -> str:
    """Return a whole amount of small units in two units, without a zero part: "3 min 20 s", "3 min"."""
    wholes, rest = divmod(amount, in_one)
    return f"{wholes} {large} {rest} {small}" if rest else f"{wholes} {large}"


def show_size(size_bytes: float) -> str:
    """Return a size as text, in decimal units: "512 B", "64 kB", "1.25 GB"."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(size_bytes) >= size:
            return f"{show_number(size_bytes / size)} {unit}"
    return f"{show_number(size_bytes)} B"


def show_share(share: float) -> str:
    """Return a share as a percentage: 0.00123 -> "0.123 %"."""
    return f"{show_number(share * 100)} %"


def show_cores(cores: float) -> str:
    """Return a number of cores as text: "0.5 cores", "1 core"."""
    return f"{show_number(cores)} {'core' if cores == 1 else 'cores'}"


def show(value: float, unit: str) -> str:
    """Return a value in one of the rig's units as text."""
    match unit:
        case "s":
            return show_duration(value)
        case "B":
            return show_size(value)
        case "1":
            return show_share(value)
        case "1/s":
            return f"{show_number(value)}/s"
        case "":
            return show_number(value)
        case _:
            return f"{show_number(value)} {unit}"
