"""A surface: every setting of a space, with what is true there.

A recorded one is a table (CSV or Parquet) with a column for each knob, `replicate`, `seconds`, and one for
each measure by its name in plans; a column whose name begins with `knob.` or that stands before `replicate`
is a knob. Beside it lies NAME.json: what was recorded, on which machine, when, and `synthetic: false`.
"""

import csv
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow.parquet as pq

from bench.tune.smooth import smoothed
from loadrig.base.setting import Knob, Setting, Value
from loadrig.plan.model import Goal, PlannedKnob
from loadrig.study.space import key

REPLICATE, SECONDS, SPEED, BUSY = "replicate", "seconds", "core_speed", "server_cpu"


@dataclass(frozen=True)
class Surface:
    """settings: the base first. truth: of each setting every measure's true mean, None where it fails.

    replicates: of each setting what single trials gave; empty for a synthetic surface.
    cores: that the server may use, None where it is not known.
    """

    name: str
    is_synthetic: bool
    knobs: tuple[PlannedKnob, ...]
    catalogue: Mapping[str, Knob]
    goals: tuple[Goal, ...]
    settings: tuple[Setting, ...]
    truth: tuple[Mapping[str, float] | None, ...]
    by: str = "throughput"
    cores: float | None = None
    replicates: tuple[tuple[Mapping[str, float], ...], ...] = ()
    note: str = ""

    def number(self, setting: Setting) -> int:
        """Return the position of a setting. Raises KeyError if it is not on the surface."""
        return self._places[key(setting)]

    @property
    def _places(self) -> Mapping[str, int]:
        places: dict[str, int] | None = self.__dict__.get("places")
        if places is None:
            places = {key(setting): number for number, setting in enumerate(self.settings)}
            self.__dict__["places"] = places
        return places

    def keeps_goals(self, number: int) -> bool:
        """Return whether a setting truly keeps every goal."""
        truth = self.truth[number]
        return truth is not None and all(is_met(goal, truth[goal.measure]) for goal in self.goals)

    @property
    def best(self) -> int:
        """The best setting that keeps the goals. Raises ValueError if none does."""
        able = [number for number in range(len(self.settings)) if self.keeps_goals(number)]
        if not able:
            raise ValueError(f"no setting of {self.name} keeps its goals")
        return max(able, key=lambda number: (self.truth[number] or {})[self.by])

    def regret(self, number: int) -> float:
        """Return how far a setting is below the best, as a share; infinite where it misses a goal."""
        truth, best = self.truth[number], self.truth[self.best]
        if truth is None or best is None or not self.keeps_goals(number):
            return math.inf
        return 1 - truth[self.by] / best[self.by]


def is_met(goal: Goal, value: float) -> bool:
    """Return whether a value keeps a goal."""
    return value < goal.limit if goal.below else value > goal.limit


def read(path: Path, goals: Sequence[Goal] = (), catalogue: Mapping[str, Knob] | None = None) -> Surface:
    """Return a recorded surface. What is true of a setting is the mean of its replicates.

    Of `by` it is the mean as it would be had the cores been equally fast (see evened), made smooth over
    settings that differ in numbers only (see bench.tune.smooth).

    Raises ValueError for a table without the columns that it needs.
    """
    rows = _rows(path)
    facts: dict[str, Any] = {}
    beside = path.with_suffix(".json")
    if beside.is_file():
        facts = json.loads(beside.read_text(encoding="utf-8"))
    if not rows or REPLICATE not in rows[0] or SECONDS not in rows[0]:
        raise ValueError(f"{path.name} is no recorded surface: it needs {REPLICATE} and {SECONDS}")
    columns = list(rows[0])
    names = columns[: columns.index(REPLICATE)]
    measures = [name for name in columns if name not in (*names, REPLICATE, SECONDS)]
    figures_by_setting: defaultdict[str, list[Mapping[str, float]]] = defaultdict(list)
    settings: dict[str, Setting] = {}
    for row in rows:
        setting = {name: value for name in names if (value := _value(row[name])) is not None}
        settings.setdefault(key(setting), setting)
        figures = {name: float(row[name]) for name in measures if row[name] not in (None, "")}
        figures_by_setting[key(setting)].append(figures)
    order = _base_first(list(settings.values()), facts.get("base"))
    replicates = tuple(tuple(figures_by_setting[key(setting)]) for setting in order)
    by = str(facts.get("by", "throughput"))
    even = evened(replicates, by)
    smooth = smoothed(order, even, by)
    truth = tuple(_means(rows, {by: smooth[at]} if at in smooth else {}) for at, rows in enumerate(even))
    return Surface(
        name=str(facts.get("name", path.stem)),
        is_synthetic=bool(facts.get("synthetic", False)),
        knobs=_knobs(order, facts.get("when", {})),
        catalogue=catalogue or {},
        goals=tuple(goals),
        settings=order,
        truth=truth,
        by=by,
        cores=facts.get("cores"),
        replicates=replicates,
        note=str(facts.get("note", "")),
    )


def evened(replicates: Sequence[Sequence[Mapping[str, float]]], by: str) -> list[list[Mapping[str, float]]]:
    """Replicates as if all had run on cores as fast as in the median one.

    How a measure follows the speed is told by the replicates of the same settings alone: the slope of its
    logarithm about each setting's mean, over that of the speed's (analysis of covariance). A server follows
    it as far as it is busy: one that waits most of the time gains nothing of a faster core. Replicates
    without a speed stay as they are.
    """
    with_speed = [[row for row in rows if row.get(SPEED) and row.get(by)] for rows in replicates]
    busy = [sum(row.get(BUSY, 1.0) for row in rows) / len(rows) if rows else 1.0 for rows in with_speed]
    pairs = [
        (share * (math.log(row[SPEED]) - _log_mean(rows, SPEED)), math.log(row[by]) - _log_mean(rows, by))
        for rows, share in zip(with_speed, busy, strict=True)
        for row in rows
    ]
    spread = sum(x * x for x, _ in pairs)
    if not spread:
        return [list(rows) for rows in replicates]
    slope = sum(x * y for x, y in pairs) / spread
    usual = median(math.log(row[SPEED]) for rows in with_speed for row in rows)
    return [
        [
            {**row, by: row[by] * math.exp(slope * share * (usual - math.log(row[SPEED])))}
            if row.get(SPEED) and row.get(by)
            else row
            for row in rows
        ]
        for rows, share in zip(replicates, busy, strict=True)
    ]


def _log_mean(rows: Sequence[Mapping[str, float]], name: str) -> float:
    return sum(math.log(row[name]) for row in rows) / len(rows)


def _rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        table: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return table
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _value(text: Any) -> Value | None:
    """Return a knob's value from a table; None where the knob does not apply."""
    if text is None or text == "":
        return None
    if not isinstance(text, str):
        value: Value = text
        return value
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _means(rows: Sequence[Mapping[str, float]], better: Mapping[str, float]) -> Mapping[str, float] | None:
    """Return the mean of each measure, or what is known better; None where no trial worked."""
    worked = [row for row in rows if "throughput" in row]
    if not worked:
        return None
    return {name: sum(row[name] for row in worked) / len(worked) for name in worked[0]} | dict(better)


def _base_first(settings: list[Setting], base: Setting | None) -> tuple[Setting, ...]:
    if base is None:
        return tuple(settings)
    return tuple(sorted(settings, key=lambda setting: key(setting) != key(base)))


def _knobs(
    settings: Sequence[Setting], when: Mapping[str, Mapping[str, list[Value]]]
) -> tuple[PlannedKnob, ...]:
    """Knobs with the values that occur, in order; conditions are as the facts beside the table say."""
    names = list(dict.fromkeys(name for setting in settings for name in setting))
    planned = []
    for name in names:
        values = list(dict.fromkeys(setting[name] for setting in settings if name in setting))
        numbers = [value for value in values if isinstance(value, int | float)]
        ordered: list[Value] = [*sorted(numbers)] if len(numbers) == len(values) else list(values)
        base = settings[0].get(name, ordered[0])
        allowed = {other: tuple(each) for other, each in when.get(name, {}).items()}
        planned.append(PlannedKnob(name, tuple(ordered), base, allowed))
    return tuple(planned)
