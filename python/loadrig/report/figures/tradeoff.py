"""Memory (or another second measure) against the objective, with the settings that none beats in both."""

from typing import Any

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.tradeoff import TradeoffTexts
from loadrig.report import numbers, words
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.tables import left, right, table_of
from loadrig.report.tuning import TuningResult
from loadrig.study.document import SettingDocument

TEXTS = texts_of(TradeoffTexts)

MEMORY = "memory"


def draw(tuned: TuningResult) -> Figure | None:
    """Return a mark for each setting; None where fewer than three settings have both figures."""
    study = tuned.study
    second = tuned.document.second or MEMORY
    measured = [
        setting
        for setting in study.settings
        if study.value(setting) is not None and second in setting.measures
    ]
    if second == study.measure or len(measured) < 3:
        return None
    unit = measured[0].measures[second].unit
    lower = second not in ("throughput", "capacity")
    front = _front(measured, tuned, second, lower=lower)
    points = [_point(setting, tuned, second, unit, is_front=setting in front) for setting in measured]
    order = ("missed", "other", "front", "chosen")
    data = {
        "x": {"unit": unit, "text": words.measure(second)},
        "y": {"unit": study.unit, "text": words.measure(study.measure)},
        "points": sorted(points, key=lambda point: order.index(point["state"])),
        "line": [
            [numbers.rounded(_value_of(setting, second)), numbers.rounded(study.value(setting) or 0.0)]
            for setting in front
        ],
        "bands": [],
    }
    measure = words.measure(study.measure)
    about = TEXTS.about(measure, words.measure(second))
    title = TEXTS.title(words.measure(second).capitalize(), measure)
    return Figure("tradeoff", "scatter", title, about, data, _table(front, tuned, second, unit))


def _value_of(setting: SettingDocument, name: str) -> float:
    return setting.measures[name].value


def _front(
    measured: list[SettingDocument], tuned: TuningResult, second: str, *, lower: bool
) -> list[SettingDocument]:
    """Return the front's settings, by the second measure: only those that meet the goals."""
    study = tuned.study
    able = [setting for setting in measured if setting.feasible is not False]
    sign = 1.0 if lower else -1.0
    better = -1.0 if study.higher_is_better else 1.0
    able.sort(key=lambda setting: (sign * _value_of(setting, second), better * (study.value(setting) or 0.0)))
    front: list[SettingDocument] = []
    for setting in able:
        if not front or better * (study.value(setting) or 0.0) < better * (study.value(front[-1]) or 0.0):
            front.append(setting)
    return front


def _point(
    setting: SettingDocument, tuned: TuningResult, second: str, unit: str, *, is_front: bool
) -> dict[str, Any]:
    study = tuned.study
    value, beside = study.value(setting) or 0.0, _value_of(setting, second)
    state = (
        "chosen" if setting is study.recommended
        else "missed" if setting.feasible is False
        else "front" if is_front
        else "other"
    )  # fmt: skip
    remarks = {
        "chosen": TEXTS.recommended_remark,
        "missed": TEXTS.misses_goal,
        "front": TEXTS.on_front,
    }
    return {
        "x": numbers.rounded(beside),
        "y": numbers.rounded(value),
        "state": state,
        "text": TEXTS.with_second(
            setting.label, tuned.shown(value), numbers.amount(beside, unit), remarks.get(state, "")
        ),
    }


def _table(front: list[SettingDocument], tuned: TuningResult, second: str, unit: str) -> Table:
    study = tuned.study

    def objective(setting: SettingDocument) -> Cell:
        return Cell(tuned.shown(study.value(setting)), "strong")

    return table_of(
        front,
        left(
            TEXTS.unbeaten,
            lambda setting: Cell(
                setting.label, note=TEXTS.recommended if setting is study.recommended else ""
            ),
        ),
        right(words.measure(study.measure), objective),
        right(words.measure(second), lambda setting: numbers.amount(_value_of(setting, second), unit)),
        caption=TEXTS.caption,
    )
