"""Latency against load: every level that was offered, the goal, the limit with its interval, the knee."""

import re
from collections.abc import Iterable
from typing import Any

from loadrig.base.units import parse_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.capacity_curve import CapacityCurveTexts
from loadrig.report import numbers
from loadrig.report.capacity import KINDS, VERDICTS, shown
from loadrig.report.model import Cell, Figure, Table, verdict_cell
from loadrig.report.tables import FilledColumn, left, right, table_of
from loadrig.study.capacity.document import CapacityDocument, OfferedLevel

TEXTS = texts_of(CapacityCurveTexts)

SHARES = {"p50": "p50", "p90": "p95", "p95": "p95", "p99": "p99", "p99.9": "p99"}
"""Quantile that is drawn for a goal's quantile: levels have only few quantiles."""

GOAL = re.compile(r"\s*(?:service_)?(?P<measure>p[\d.]+)\s*(?:\{[^}]*\})?\s*<=?\s*(?P<limit>\S+)")


def draw(search: CapacityDocument, goals: Iterable[str]) -> Figure:
    """Return a mark for each level: a dot meets the goals, a cross misses one, a hollow dot is not sure.

    goals: as written.
    """
    measure, limit = _drawn(goals)
    points = [
        {
            "x": numbers.rounded(level.level),
            "y": numbers.rounded(value),
            "verdict": level.verdict,
            "text": f"{shown(search, level.level)}, {KINDS[level.kind]}: {measure}"
            f" {numbers.amount(value, 's')}, {VERDICTS[level.verdict][1]}",
        }
        for level in search.probes
        if (value := level.response.get(measure)) is not None and level.kind != "recovery"
    ]
    saturation, knee = search.saturation, search.knee
    data = {
        "unit": search.unit,
        "measure": measure,
        "points": points,
        "goal": None if limit is None else {"y": limit, "text": TEXTS.goal(numbers.amount(limit, "s"))},
        "capacity": _capacity(search),
        "saturation": None
        if saturation is None or search.unit == "users"
        else {"x": numbers.rounded(saturation.value), "text": TEXTS.answers_no_more},
        "knee": None if knee is None else {"x": numbers.rounded(knee.at), "text": TEXTS.knee},
    }
    about = TEXTS.about(measure)
    if search.value is not None and search.interval is not None:
        about += " " + TEXTS.band_of_capacity
    if knee is not None:
        about += " " + TEXTS.knee_meaning
    return Figure("capacity-curve", "curve", TEXTS.title, about, data, table(search))


def table(search: CapacityDocument) -> Table:
    """Return a table of every level in order."""

    def quantile(name: str) -> FilledColumn[OfferedLevel]:
        return right(name, lambda level: numbers.amount(level.response.get(name), "s"), 1)

    def failed(level: OfferedLevel) -> str:
        return numbers.amount(level.failed / level.ended if level.ended else None, "1")

    def verdict(level: OfferedLevel) -> Cell:
        return verdict_cell(VERDICTS[level.verdict], level.why if level.verdict == "fails" else "")

    return table_of(
        search.probes,
        right(TEXTS.level, lambda level: Cell(shown(search, level.level), "strong")),
        left(TEXTS.reason, lambda level: KINDS[level.kind]),
        right(TEXTS.measured, lambda level: numbers.amount(level.seconds, "s"), 3),
        right(TEXTS.answered, lambda level: numbers.amount(level.throughput, "1/s"), 2),
        *map(quantile, dict.fromkeys(name for level in search.probes for name in level.response)),
        right(TEXTS.failed, failed, 4),
        left(TEXTS.verdict, verdict),
        caption=TEXTS.caption,
        folded=True,
    )


def _drawn(goals: Iterable[str]) -> tuple[str, float | None]:
    """Return the quantile to draw, and its limit in seconds where it is a goal's own."""
    for goal in goals:
        match = GOAL.match(goal)
        if match and match["measure"] in SHARES:
            name = SHARES[match["measure"]]
            return name, _seconds(match["limit"]) if name == match["measure"] else None
    return "p99", None


def _seconds(text: str) -> float | None:
    try:
        return parse_duration(text)
    except ValueError:
        return None


def _capacity(search: CapacityDocument) -> dict[str, Any] | None:
    if search.value is None:
        return None
    low, high = search.interval or (search.value, search.value)
    return {
        "x": numbers.rounded(search.value), "low": numbers.rounded(low), "high": numbers.rounded(high),
        "text": shown(search, search.value),
    }  # fmt: skip
