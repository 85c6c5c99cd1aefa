"""Measured numbers in words: value, interval and n, on the scale of the value.

`41.2 ms (39.8 – 43, n = 18,204)`: one unit for all three numbers, at most three significant digits.
"""

from typing import overload

from loadrig.base import units
from loadrig.base.estimate import Estimate
from loadrig.language import labels
from loadrig.language.choice import texts_of
from loadrig.language.en.report.page import ReportNumbersTexts

TEXTS = texts_of(ReportNumbersTexts)

_DURATIONS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def amount(value: float | None, unit: str) -> str:
    """Return a value with its unit; "–" where there is none."""
    if value is None:
        return "–"
    return f"{units.show_size(value)}/s" if unit == "B/s" else units.show(value, unit)


def span(value: float, low: float, high: float, unit: str) -> str:
    """Return an interval on the scale of its value, without the unit: "39.8 – 43"."""
    if unit == "s" and value >= 99.5:
        return f"{units.show_duration(low)} – {units.show_duration(high)}"
    scale = _scale(value, unit)
    return f"{units.show_number(low / scale)} – {units.show_number(high / scale)}"


def count(number: float, noun: str = "requests") -> str:
    """Return the number of observations: "n = 18,204". noun: named where it is not "requests"."""
    name = "" if noun == "requests" else f" {labels.label(noun)}"
    return f"n = {number:,.0f}{name}"


def known_span(value: float | None, low: float | None, high: float | None, unit: str) -> str:
    """Return an interval as `span` does; "" where one of the three is not known."""
    if value is None or low is None or high is None:
        return ""
    return span(value, low, high, unit)


def interval(estimate: Estimate | None) -> str:
    """Return the interval of an estimate; "–" where there is none."""
    return "–" if estimate is None else _interval(estimate) or "–"


def _interval(estimate: Estimate) -> str:
    return known_span(estimate.value, estimate.low, estimate.high, estimate.unit)


def detail(estimate: Estimate) -> str:
    """Return interval and n of an estimate: "39.8 – 43, n = 18,204"; "" if it has neither."""
    parts = (_interval(estimate), count(estimate.n, estimate.of) if estimate.n else "")
    return ", ".join(part for part in parts if part)


def short(estimate: Estimate) -> str:
    """Return an estimate with its interval alone: "41.2 ms (39.8 – 43)"."""
    text, span = amount(estimate.value, estimate.unit), _interval(estimate)
    return f"{text} ({span})" if span else text


def whole(estimate: Estimate) -> str:
    """Return an estimate with all that it carries: "41.2 ms (39.8 – 43, n = 18,204)"."""
    more = detail(estimate)
    text = amount(estimate.value, estimate.unit)
    return f"{text} ({more})" if more else text


def share_of(part: float, whole: float) -> str:
    """Return a share of a count: "99.8 %"; never "100 %" or "0 %" of what is not all or nothing."""
    text = units.show_share(part / whole) if whole else "–"
    return "> 99.9 %" if text == "100 %" and part < whole else text


_AS_FACTOR = 3.0
"""Ratio from which on a factor is easier to read than a percentage."""


def change(ratio: float, as_factor: float = _AS_FACTOR) -> str:
    """Return a ratio as a change: 1.034 -> "+3.4 %", 0.9 -> "−10 %", 4.2 -> "×4.2"."""
    if ratio >= as_factor:
        # The noise of a single pair may give a number of any size, and no reader needs all its digits.
        return TEXTS.and_more if ratio > 1000 else f"×{units.show_number(ratio)}"
    percent = (ratio - 1) * 100
    text = f"{abs(percent):.1f}" if abs(percent) < 10 else f"{abs(percent):.0f}"
    if float(text) == 0:
        return "0 %"
    return f"{'+' if percent > 0 else '−'}{text.removesuffix('.0')} %"


def change_span(low: float, high: float) -> str:
    """Return an interval of ratios as changes: "−1.2 … +3.4 %"; both as factors if one is."""
    limit = 0.0 if high >= _AS_FACTOR else _AS_FACTOR
    first, second = change(low, limit), change(high, limit)
    if first.endswith(" %") and second.endswith(" %"):
        first = first.removesuffix(" %")
    return f"{first} … {second}"


def points(difference: float) -> str:
    """Return a difference of shares in percentage points: 0.0012 -> "+0.12 points"."""
    sign = "+" if difference > 0 else "−" if difference < 0 else ""
    return TEXTS.points(sign, units.show_number(abs(difference) * 100))


def effect(value: float, is_ratio: bool) -> str:
    """Return an effect as a change: of a ratio in percent, of a difference of shares in points."""
    return change(value) if is_ratio else points(value)


def effect_span(low: float, high: float, is_ratio: bool) -> str:
    """Return an interval of effects: "−1.2 … +3.4 %", "−0.1 … +0.2 points"."""
    return change_span(low, high) if is_ratio else f"{points(low).removesuffix(' points')} … {points(high)}"


def whole_effect(value: float | None, interval: tuple[float, float] | None, is_ratio: bool) -> str:
    """Return an effect with its interval: "−4.8 % (−6.1 … −3.5 %)"; "–" where there is none."""
    if value is None:
        return "–"
    span = "" if interval is None else f" ({effect_span(*interval, is_ratio)})"
    return f"{effect(value, is_ratio)}{span}"


def margin(equal_within: float, is_ratio: bool) -> str:
    """Return a difference that does not matter, in words: "3 %", "0.1 points"."""
    share = amount(equal_within, "1")
    return share if is_ratio else TEXTS.number_of_points(share.removesuffix(" %"))


@overload
def rounded(value: float, digits: int = 4) -> float: ...
@overload
def rounded(value: float | None, digits: int = 4) -> float | None: ...
def rounded(value: float | None, digits: int = 4) -> float | None:
    """Return the value with so many significant digits: what a chart needs, and a third of the bytes."""
    if value is None:
        return None
    short = float(f"{value:.{digits}g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def capital(text: str) -> str:
    """Return the text with a capital, to begin a sentence."""
    return text[:1].upper() + text[1:]


def plural(number: int, word: str, words: str | None = None) -> str:
    """Write a count with its word: "1 trial", "3 trials"."""
    return labels.counted(number, word, words)


def listed(items: list[str], limit: int = 3) -> str:
    """Write a list: "a, b and c"; past the limit "a, b, c and 4 more"."""
    if len(items) > limit + 1:
        return TEXTS.items_and_more(", ".join(items[:limit]), str(len(items) - limit))
    return TEXTS.joined(", ".join(items[:-1]), items[-1]) if len(items) > 1 else "".join(items)


def _scale(value: float, unit: str) -> float:
    """Return what one step of the printed unit is worth, as base.units.show chooses it."""
    if unit == "1":
        return 0.01
    if unit == "s":
        return next((size for size, _ in _DURATIONS if value >= size * 0.9995), 1e-9)
    if unit in ("B", "B/s"):
        return next((size for size, _ in _SIZES if abs(value) >= size), 1.0)
    return 1.0
