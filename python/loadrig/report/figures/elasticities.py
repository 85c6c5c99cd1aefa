"""What moved, and what did not: elasticities of what was changed under load, gains of the rest."""

import math
from collections.abc import Sequence

from loadrig.report import numbers, proof_words, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.proof import Effect, Experiment
from loadrig.stats.elasticity import CLEARED, LIMITS

LEAST, MOST = -0.3, 1.3
"""Ends of the scale of elasticities; longer only where an estimate lies outside.

A wide interval is cut: shown whole it would press what is known into a point.
"""

LEAST_FACTOR, MOST_FACTOR = 0.5, 2.0
"""What the scale of gains shows at least: on a shorter one noise would look like a gain."""

FARTHEST = 4.0
"""Times an estimate, either way: as far as its interval is drawn."""

SMALLEST = 1e-3
"""A factor that is drawn in the place of nothing at all, which has no place among ratios."""


def draw(experiments: Sequence[Experiment]) -> Figure | None:
    """Elasticities with their intervals, those that limit first; None where no capacity was changed."""
    found = [one for one in experiments if one.is_of_capacity]
    if not found:
        return None
    rows = [_row(one, one.elasticity, proof_words.elasticity(one.elasticity)) for one in in_order(found)]
    values = [one.elasticity.value for one in found if one.elasticity is not None]
    data = _intervals.scaled(
        rows,
        tick=lambda number: f"{number:g}",
        zones=(
            _intervals.Zone(None, CLEARED, "moves nothing", "plain"),
            _intervals.Zone(CLEARED, LIMITS, "shares", "warn"),
            _intervals.Zone(LIMITS, None, "limits", "bad"),
        ),
        ticks=(-1.0, 0.0, CLEARED, LIMITS, 1.0, 2.0),
        line=(1.0, "follows one to one"),
        ends=(
            min([LEAST, *(value - 0.2 for value in values)]),
            max([MOST, *(value + 0.2 for value in values)]),
        ),
    )
    data["ticks"] = [{**tick, "is_strong": tick["text"] == "0"} for tick in data["ticks"]]
    about = (
        "By how much the outcome follows what was changed: 1, it is the limit; 0, it has nothing to do with"
        f" it. Dot: estimate; bar: 95 % interval. What lies wholly beyond {LIMITS:g} limits, wholly below"
        f" {CLEARED:g} it moves nothing; a bar across an edge is not sure."
    )
    title = "What moves it: capacities"
    return Figure("elasticities", "intervals", title, about, data, table(found, "Elasticities"))


def gains(experiments: Sequence[Experiment]) -> Figure | None:
    """Gains of knobs and shapes of the load, which were tried in trials of their own; None where none was."""
    found = [one for one in experiments if not one.is_of_capacity and one.gain is not None]
    if not found:
        return None
    rows = [
        _row(one, _drawable(one.gain), proof_words.gained(one), note=_measured(one))
        for one in in_order(found)
    ]
    known = [(row.value, row.low or row.value, row.high or row.value) for row in rows if row.value]
    least = [max(low, value / FARTHEST) / 1.1 for value, low, _ in known]
    most = [min(high, value * FARTHEST) * 1.1 for value, _, high in known]
    data = _intervals.scaled(
        rows,
        tick=lambda number: f"×{number:g}",
        line=(1.0, "no change"),
        is_ratio=True,
        ends=(min([LEAST_FACTOR, *least]), max([MOST_FACTOR, *most])),
    )
    about = (
        "Settings and shapes of the load, tried in trials of their own: the outcome with the change over that"
        " without, on a scale of ratios; ×1 is no change. Dot: estimate; bar: 95 % interval."
    )
    title = "What moves it: settings and load"
    return Figure("gains", "intervals", title, about, data, table(found, "Gains"))


def in_order(experiments: Sequence[Experiment]) -> list[Experiment]:
    """Those that limit first, those that are not sure last; within these the largest effect first."""
    order = ("limits", "shares", "cleared", "unsure")

    def key(one: Experiment) -> tuple[int, float]:
        if one.is_of_capacity and one.elasticity is not None:
            return order.index(one.standing), -one.elasticity.value
        gain = one.gain.value if one.gain is not None else 1.0
        return order.index(one.standing), -abs(math.log(max(gain, SMALLEST)))

    return sorted(experiments, key=key)


def table(experiments: Sequence[Experiment], caption: str) -> Table:
    """Every experiment with what the pictures leave out: medians, blocks, and how it was made."""
    heads = (
        Column("changed", "left"),
        Column("so"),
        Column(
            "elasticity", doc="By how much the outcome follows the capacity, in logarithms: 1 is one to one."
        ),
        Column("gain", doc="The outcome with the change over that without."),
        Column("without"),
        Column("with"),
        Column("blocks", doc="Blocks in which both were measured, in shuffled order."),
        Column("how", "left"),
        Column("says", "left"),
    )
    rows = tuple(
        (
            Cell(one.title),
            Cell("–" if one.ratio is None else numbers.change(one.ratio)),
            Cell(proof_words.elasticity(one.elasticity)),
            Cell(proof_words.gained(one)),
            Cell(numbers.amount(one.unchanged, one.unit)),
            Cell(numbers.amount(one.changed, one.unit)),
            Cell(f"{one.blocks:,}"),
            Cell("while load ran" if one.is_live else "in trials of its own"),
            Cell(" ".join(proof_words.standing(one)[:2]), proof_words.standing(one)[2]),
        )
        for one in in_order(experiments)
    )
    return Table(heads, rows, caption=caption, folded=True)


def _row(one: Experiment, effect: Effect | None, text: str, note: str = "") -> _intervals.Row:
    symbol, word, tone = proof_words.standing(one)
    return _intervals.Row(
        label=one.label,
        value=effect.value if effect else None,
        low=effect.low if effect else None,
        high=effect.high if effect else None,
        text=text,
        verdict=f"{symbol} {word}",
        tone=tone,
        note=note or one.detail,
        hollow=one.standing == "unsure",
    )


def _drawable(effect: Effect | None) -> Effect | None:
    """The factor with nothing at all as something small, to be drawn among ratios."""
    if effect is None:
        return None
    low = None if effect.low is None else max(effect.low, SMALLEST)
    high = None if effect.high is None else max(effect.high, SMALLEST)
    return Effect(max(effect.value, SMALLEST), low, high)


def _measured(one: Experiment) -> str:
    """What was watched, between which values, and which way is better."""
    said = f"{words.measure(one.measure)}, {one.better}"
    if one.unchanged is None or one.changed is None:
        return said
    return f"{said}: {numbers.amount(one.unchanged, one.unit)} to {numbers.amount(one.changed, one.unit)}"
