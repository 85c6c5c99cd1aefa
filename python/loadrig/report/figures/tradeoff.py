"""Memory (or another second measure) against the objective, with the settings that none beats in both."""

from typing import Any

from loadrig.report import numbers, words
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.run import Json
from loadrig.report.tuning import Found

MEMORY = "memory"


def draw(found: Found) -> Figure | None:
    """A mark a setting; None where fewer than three settings have both figures."""
    study = found.study
    other = str(found.json["second"] or MEMORY)
    known = [one for one in study.settings if study.value(one) is not None and other in one["measures"]]
    if other == study.measure or len(known) < 3:
        return None
    unit = str(known[0]["measures"][other]["unit"])
    lower = other not in ("throughput", "capacity")
    front = _front(known, found, other, lower=lower)
    points = [_point(one, found, other, unit, is_front=one in front) for one in known]
    order = ("missed", "other", "front", "chosen")
    data = {
        "x": {"unit": unit, "text": words.measure(other)},
        "y": {"unit": study.unit, "text": words.measure(study.measure)},
        "points": sorted(points, key=lambda point: order.index(point["state"])),
        "line": [
            [numbers.rounded(_other(one, other)), numbers.rounded(study.value(one) or 0.0)] for one in front
        ],
        "bands": [],
    }
    measure = words.measure(study.measure)
    about = (
        f"A mark a setting that was tried. The line joins those that no other beats in both {measure} and"
        f" {words.measure(other)} (the Pareto front); a cross misses a goal."
    )
    title = f"{words.measure(other).capitalize()} against {measure}"
    return Figure("tradeoff", "scatter", title, about, data, _table(front, found, other, unit))


def _other(setting: Json, name: str) -> float:
    return float(setting["measures"][name]["value"])


def _front(known: list[Json], found: Found, other: str, *, lower: bool) -> list[Json]:
    """The front's settings, by the second measure. Only those that meet the goals."""
    study = found.study
    able = [one for one in known if one["feasible"] is not False]
    sign = 1.0 if lower else -1.0
    better = -1.0 if study.higher_is_better else 1.0
    able.sort(key=lambda one: (sign * _other(one, other), better * (study.value(one) or 0.0)))
    front: list[Json] = []
    for one in able:
        if not front or better * (study.value(one) or 0.0) < better * (study.value(front[-1]) or 0.0):
            front.append(one)
    return front


def _point(one: Json, found: Found, other: str, unit: str, *, is_front: bool) -> dict[str, Any]:
    study = found.study
    value, beside = study.value(one) or 0.0, _other(one, other)
    state = (
        "chosen" if one is study.recommended
        else "missed" if one["feasible"] is False
        else "front" if is_front
        else "other"
    )  # fmt: skip
    said = {"chosen": ", recommended", "missed": ", misses a goal", "front": ", on the front"}.get(state, "")
    return {
        "x": numbers.rounded(beside),
        "y": numbers.rounded(value),
        "state": state,
        "text": f"{one['label']}: {found.shown(value)} with {numbers.amount(beside, unit)}{said}",
    }


def _table(front: list[Json], found: Found, other: str, unit: str) -> Table:
    study = found.study
    return Table(
        (
            Column("no other setting beats it in both", "left"),
            Column(words.measure(study.measure)),
            Column(words.measure(other)),
        ),
        tuple(
            (
                Cell(one["label"], note="recommended" if one is study.recommended else ""),
                Cell(found.shown(study.value(one)), "strong"),
                Cell(numbers.amount(_other(one, other), unit)),
            )
            for one in front
        ),
        caption="Settings that no other beats in both",
    )
