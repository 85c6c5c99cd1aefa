"""Parallel coordinates: a line a setting through all its knobs to what it reached."""

from collections.abc import Sequence

from loadrig.base.setting import Value, show_value
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.knob_lines import KnobLineTexts
from loadrig.report import numbers, words
from loadrig.report.model import Figure
from loadrig.report.tables import left, right, table_of
from loadrig.report.tuning import TuningResult

TEXTS = texts_of(KnobLineTexts)

LEAST_KNOBS = 3


def draw(tuned: TuningResult) -> Figure | None:
    """Return an axis for each knob and one for the objective; None for fewer than three knobs."""
    knobs = tuned.knobs
    if len(knobs) < LEAST_KNOBS:
        return None
    study = tuned.study
    lines = []
    for setting in study.settings:
        value = study.value(setting)
        if value is None:
            continue
        places = [_place(knob.values, setting.setting.get(knob.name)) for knob in knobs]
        is_chosen = setting is study.recommended
        state = (
            "chosen" if is_chosen
            else "missed" if setting.feasible is False
            else "equal" if setting.standing in ("best", "indistinguishable")
            else "other"
        )  # fmt: skip
        lines.append(
            {
                "places": places,
                "value": numbers.rounded(value),
                "state": state,
                "text": f"{setting.label}: {tuned.shown(value)}"
                + (TEXTS.recommended if is_chosen else TEXTS.misses_goal if state == "missed" else ""),
            }
        )
    if not lines:
        return None
    measure = words.measure(study.measure)
    data = {
        "knobs": [
            {"name": knob.name, "values": [show_value(value) for value in knob.values]} for knob in knobs
        ],
        "measure": measure,
        "unit": study.unit,
        # The recommended setting is drawn last, over the others.
        "lines": sorted(lines, key=lambda line: ORDER.index(str(line["state"]))),
    }
    reached = [(setting, value) for setting in study.settings if (value := study.value(setting)) is not None]
    table = table_of(
        sorted(reached, key=lambda row: row[1], reverse=study.higher_is_better),
        left(TEXTS.setting, lambda row: row[0].label),
        right(measure, lambda row: tuned.shown(row[1])),
        caption=TEXTS.title,
        folded=True,
    )
    return Figure("knob-lines", "parallel", TEXTS.title, TEXTS.about(measure), data, table)


ORDER = ("missed", "other", "equal", "chosen")


def _place(values: Sequence[Value], value: Value | None) -> float | None:
    """Return a value's place on its axis, 0…1 in the plan's order; None where the knob does not apply."""
    if value is None or value not in values:
        return None
    return values.index(value) / (len(values) - 1)
