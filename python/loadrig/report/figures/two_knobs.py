"""Two knobs: what is believed of every pair of their values, those not to be told from the best outlined."""

from typing import Any

from loadrig.base.setting import show_value
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.two_knobs import TwoKnobTexts
from loadrig.report import numbers, words
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.tables import left, right, table_of
from loadrig.report.tuning import TuningResult
from loadrig.study.tuning.document import KnobMap, MapCell

TEXTS = texts_of(TwoKnobTexts)

LIKELY = 0.5


def draw(tuned: TuningResult) -> Figure | None:
    """Return a cell for each pair of values; None where there are not two knobs."""
    drawn = tuned.document.map
    if drawn is None or not drawn.cells:
        return None
    measure = words.measure(tuned.study.measure)
    fixed = ", ".join(f"{name} {show_value(value)}" for name, value in drawn.fixed.items())
    values = [cell.value for cell in drawn.cells if cell.value is not None]
    data = {
        "x": {"knob": drawn.x.knob, "values": [show_value(value) for value in drawn.x.values]},
        "y": {"knob": drawn.y.knob, "values": [show_value(value) for value in drawn.y.values]},
        "low": numbers.rounded(min(values)),
        "high": numbers.rounded(max(values)),
        "unit": tuned.study.unit,
        "better": "higher" if tuned.study.higher_is_better else "lower",
        "measure": measure,
        "cells": [_cell(cell, drawn, tuned) for cell in drawn.cells],
    }
    about = TEXTS.about(measure, f" ({fixed})" if fixed else "")
    title = TEXTS.title(measure.capitalize(), drawn.x.knob, drawn.y.knob)
    return Figure("two-knobs", "pairs", title, about, data, _table(tuned, drawn))


def _cell(cell: MapCell, drawn: KnobMap, tuned: TuningResult) -> dict[str, Any]:
    chosen = tuned.document.setting or {}
    names = (drawn.x.knob, drawn.y.knob)
    is_chosen = bool(chosen) and all(
        chosen.get(name) == value for name, value in zip(names, (cell.x, cell.y), strict=True)
    )
    text = f"{names[0]} {show_value(cell.x)}, {names[1]} {show_value(cell.y)}: "
    text += tuned.shown(cell.value)
    if cell.low is not None:
        text += f" ({_interval(cell, tuned)})"
    text += TEXTS.tried(cell.trials) if cell.trials else TEXTS.not_tried
    is_bad = cell.feasible < LIKELY
    if is_bad:
        text += TEXTS.misses_goal
    elif cell.may_be_best and not is_chosen:
        text += TEXTS.equals_best
    if is_chosen:
        text += TEXTS.recommended
    return {
        "x": drawn.x.values.index(cell.x),
        "y": drawn.y.values.index(cell.y),
        "value": None if cell.value is None else numbers.rounded(cell.value),
        "trials": cell.trials,
        "equal": cell.may_be_best,
        "bad": is_bad,
        "chosen": is_chosen,
        "text": text,
    }


def _interval(cell: MapCell, tuned: TuningResult) -> str:
    """Return the interval of what is believed of a pair; "–" where nothing is known of it."""
    return numbers.known_span(cell.value, cell.low, cell.high, tuned.study.unit) or "–"


def _table(tuned: TuningResult, drawn: KnobMap) -> Table:
    """Return the pairs that may be best and those that were tried, the best first."""
    sign = -1.0 if tuned.study.higher_is_better else 1.0
    rows = [cell for cell in drawn.cells if cell.trials or cell.may_be_best]
    rows.sort(key=lambda cell: (cell.feasible < LIKELY, sign * (cell.value or 0.0)))

    def verdict(cell: MapCell) -> Cell:
        if cell.feasible < LIKELY:
            return Cell(TEXTS.misses, "bad")
        return Cell(TEXTS.may_be_best, "good") if cell.may_be_best else Cell(TEXTS.worse, "quiet")

    return table_of(
        rows,
        right(drawn.x.knob, lambda cell: show_value(cell.x)),
        right(drawn.y.knob, lambda cell: show_value(cell.y)),
        right(words.measure(tuned.study.measure), lambda cell: Cell(tuned.shown(cell.value), "strong")),
        right(TEXTS.interval, lambda cell: Cell(_interval(cell, tuned), "quiet"), 2),
        right(TEXTS.trials, lambda cell: str(cell.trials), 1),
        left("", verdict),
        caption=TEXTS.caption,
        folded=True,
    )
