"""Charts of what moved, and what did not: elasticities of what was changed under load, gains of the rest."""

import math
from collections.abc import Sequence

from msgspec.structs import replace

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.elasticities import ElasticityFigureTexts
from loadrig.proving.document import BoundedEstimate
from loadrig.report import numbers, proof_words, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Figure, Table, verdict_cell
from loadrig.report.proof import ShownExperiment
from loadrig.report.tables import left, right, table_of
from loadrig.stats.elasticity import CLEARED, LIMITS

TEXTS = texts_of(ElasticityFigureTexts)

LEAST, MOST = -0.3, 1.3
"""Ends of the scale of elasticities; longer only where an estimate lies outside.

A wide interval is cut: shown whole it would press what is known into a point.
"""

LEAST_FACTOR, MOST_FACTOR = 0.5, 2.0
"""Least range of the scale of gains: on a shorter one noise would look like a gain."""

FARTHEST = 4.0
"""Multiple of an estimate, either way, as far as which its interval is drawn."""

SMALLEST = 1e-3
"""Factor drawn in place of zero, which has no place among ratios."""


def draw(experiments: Sequence[ShownExperiment]) -> Figure | None:
    """Return elasticities with intervals, limiting ones first; None where no capacity was changed."""
    shown = [experiment for experiment in experiments if experiment.is_of_capacity]
    if not shown:
        return None
    rows = [
        _row(experiment, experiment.elasticity, proof_words.elasticity(experiment.elasticity))
        for experiment in in_order(shown)
    ]
    values = [experiment.elasticity.value for experiment in shown if experiment.elasticity is not None]
    scale = _intervals.scaled(
        rows,
        tick=lambda number: f"{number:g}",
        zones=(
            _intervals.Zone(None, CLEARED, TEXTS.moves_nothing, "plain"),
            _intervals.Zone(CLEARED, LIMITS, TEXTS.shares, "warn"),
            _intervals.Zone(LIMITS, None, TEXTS.limits, "bad"),
        ),
        ticks=(-1.0, 0.0, CLEARED, LIMITS, 1.0, 2.0),
        line=(1.0, TEXTS.follows),
        ends=(
            min([LEAST, *(value - 0.2 for value in values)]),
            max([MOST, *(value + 0.2 for value in values)]),
        ),
    )
    scale = replace(scale, ticks=tuple(replace(tick, is_strong=tick.text == "0") for tick in scale.ticks))
    about = TEXTS.about(f"{LIMITS:g}", f"{CLEARED:g}")
    return Figure(
        "elasticities", "intervals", TEXTS.title, about, scale.data, table(shown, TEXTS.elasticities)
    )


def gains(experiments: Sequence[ShownExperiment]) -> Figure | None:
    """Return gains of knobs and shapes of the load, tried in trials of their own; None without gains."""
    shown = [experiment for experiment in experiments if not experiment.is_of_capacity]
    if not shown:
        return None
    rows = [
        _row(
            experiment, _drawable(experiment.gain), proof_words.gained(experiment), note=_measured(experiment)
        )
        for experiment in in_order(shown)
    ]
    drawn = [(row.value, row.low or row.value, row.high or row.value) for row in rows if row.value]
    least = [max(low, value / FARTHEST) / 1.1 for value, low, _ in drawn]
    most = [min(high, value * FARTHEST) * 1.1 for value, _, high in drawn]
    scale = _intervals.scaled(
        rows,
        tick=lambda number: f"×{number:g}",
        line=(1.0, _intervals.TEXTS.no_change),
        is_ratio=True,
        ends=(min([LEAST_FACTOR, *least]), max([MOST_FACTOR, *most])),
    )
    return Figure(
        "gains", "intervals", TEXTS.gains_title, TEXTS.about_gains, scale.data, table(shown, TEXTS.gains)
    )


def in_order(experiments: Sequence[ShownExperiment]) -> list[ShownExperiment]:
    """Return experiments by standing, limiting ones first and unsure ones last, then by size of effect."""
    order = ("limits", "shares", "cleared", "unsure")

    def key(experiment: ShownExperiment) -> tuple[int, float]:
        size = abs(math.log(max(experiment.gain.value, SMALLEST)))
        if experiment.is_of_capacity and experiment.elasticity is not None:
            size = experiment.elasticity.value
        return order.index(experiment.standing), -size

    return sorted(experiments, key=key)


def table(experiments: Sequence[ShownExperiment], caption: str) -> Table:
    """Return every experiment with what the pictures leave out: medians, blocks, and how it was made."""
    return table_of(
        in_order(experiments),
        left(TEXTS.changed, lambda tried: tried.title),
        right(TEXTS.by, lambda tried: "–" if tried.ratio is None else numbers.change(tried.ratio)),
        right(
            TEXTS.elasticity,
            lambda tried: proof_words.elasticity(tried.elasticity),
            doc=TEXTS.elasticity_meaning,
        ),
        right(TEXTS.gain, proof_words.gained, doc=TEXTS.gain_meaning),
        right(TEXTS.without, lambda tried: numbers.amount(tried.unchanged, tried.shown_unit)),
        right(TEXTS.with_change, lambda tried: numbers.amount(tried.changed, tried.shown_unit)),
        right(
            TEXTS.blocks,
            lambda tried: f"{tried.blocks:,}",
            doc=TEXTS.blocks_meaning,
        ),
        left(TEXTS.how, lambda tried: TEXTS.while_load_ran if tried.is_live else TEXTS.in_own_trials),
        left(TEXTS.says, lambda tried: verdict_cell(proof_words.standing(tried))),
        caption=caption,
        folded=True,
    )


def _row(
    experiment: ShownExperiment, effect: BoundedEstimate | None, text: str, note: str = ""
) -> _intervals.IntervalRow:
    symbol, word, tone = proof_words.standing(experiment)
    return _intervals.IntervalRow(
        label=experiment.label,
        value=effect.value if effect else None,
        low=effect.low if effect else None,
        high=effect.high if effect else None,
        text=text,
        verdict=f"{symbol} {word}",
        tone=tone,
        note=note or experiment.detail,
        hollow=experiment.standing == "unsure",
    )


def _drawable(effect: BoundedEstimate) -> BoundedEstimate:
    """Return an effect in which zero is replaced by a small factor, to be drawn among ratios."""
    low = None if effect.low is None else max(effect.low, SMALLEST)
    high = None if effect.high is None else max(effect.high, SMALLEST)
    return BoundedEstimate(max(effect.value, SMALLEST), low, high)


def _measured(experiment: ShownExperiment) -> str:
    """Return what was watched, between which values, and which way is better."""
    text = TEXTS.measured(words.measure(experiment.measure), experiment.better)
    if experiment.unchanged is None or experiment.changed is None:
        return text
    unchanged, changed = (
        numbers.amount(value, experiment.shown_unit) for value in (experiment.unchanged, experiment.changed)
    )
    return TEXTS.measured_between(text, unchanged, changed)
