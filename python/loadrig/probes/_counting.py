"""Figures that a server keeps of itself: named, continued over its restarts, the costliest told apart."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from loadrig.base.series import Metric

Key = TypeVar("Key", bound=Hashable)

Found = dict[tuple[str, str], float]
"""Values by metric and subject."""

OTHERS = "others"
"""The subject of all that has no name of its own."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: what the server calls it, the metric that it becomes, and what it is multiplied by."""

    source: str
    name: str
    metric: Metric
    factor: float = 1.0


def gauge(source: str, name: str, unit: str, doc: str, otel: str = "", factor: float = 1.0) -> Figure:
    """A level."""
    return Figure(source, name, Metric(unit, "gauge", doc, otel), factor)


def counter(source: str, name: str, unit: str, doc: str, otel: str = "", factor: float = 1.0) -> Figure:
    """What only grows while the server runs."""
    return Figure(source, name, Metric(unit, "counter", doc, otel), factor)


def metrics(figures: Iterable[Figure]) -> dict[str, Metric]:
    """The figures' part of METRICS."""
    return {figure.name: figure.metric for figure in figures}


class Counters(Generic[Key]):
    """What a server counts, made to grow for ever: what it had before a restart is added."""

    def __init__(self) -> None:
        self._kept: dict[Key, float] = {}
        self._last: dict[Key, float] = {}

    def begin_anew(self) -> None:
        """The server was started again: its counters began at zero."""
        for key, last in self._last.items():
            self._kept[key] = self._kept.get(key, 0.0) + last
        self._last.clear()

    def go_on(self, key: Key, value: float) -> float:
        """The count since the first server began, given what the present one says."""
        last = self._last.get(key, 0.0)
        if value < last / 2:  # reset by somebody: it began at zero
            self._kept[key] = self._kept.get(key, 0.0) + last
            last = 0.0
        # A table that is read while it is written may fall a little, which is no reset.
        self._last[key] = max(value, last)
        return self._kept.get(key, 0.0) + self._last[key]


def figured(figures: Iterable[Figure], values: Mapping[str, float], counters: Counters[str]) -> Found:
    """The figures that the server gives, by metric; those that it does not have are left out."""
    found: Found = {}
    for figure in figures:
        value = values.get(figure.source)
        if value is not None:
            value *= figure.factor
            is_counter = figure.metric.kind == "counter"
            found[figure.name, ""] = counters.go_on(figure.name, value) if is_counter else value
    return found


class Tops:
    """What each kind of work has cost since the first look: the costliest by name, the rest together.

    most: names given in all. per_look: of those, names given at one look, to what cost most since the
    look before: so that what becomes hot later still finds room. by: the metric that tells the cost.
    A name once given stays, and the figure of the others never falls.
    """

    def __init__(self, by: str, *, most: int = 12, per_look: int = 3) -> None:
        self._by, self._most, self._per_look = by, most, per_look
        self._last: dict[str, Mapping[str, float]] | None = None
        self._starts_at_zero = False
        self._named: dict[str, dict[str, float]] = {}

    def begin_anew(self) -> None:
        """The server was started again: whatever it shows has begun at zero."""
        self._last, self._starts_at_zero = {}, True

    def add(self, found: Mapping[str, Mapping[str, float]], *, is_complete: bool = True) -> Found:
        """Take the counts of now, by kind and metric. Returns what grew since the first look.

        is_complete: whether these are all kinds; where they are a part, a kind that appears at the next
        look may be an old one, and is counted from then on.
        """
        grown = {kind: self._growth(kind, costs) for kind, costs in found.items()}
        self._last = {**(self._last or {}), **found}
        self._starts_at_zero = is_complete
        newcomers = [kind for kind in grown if kind not in self._named and grown[kind][self._by] > 0]
        newcomers.sort(key=lambda kind: -grown[kind][self._by])
        room = self._most - sum(1 for kind in self._named if kind != OTHERS)
        for kind in newcomers[: min(room, self._per_look)]:
            self._named[kind] = {}
        for kind, growth in grown.items():
            if kind in self._named or growth[self._by] > 0:
                sums = self._named.setdefault(kind if kind in self._named else OTHERS, {})
                for metric, value in growth.items():
                    sums[metric] = sums.get(metric, 0.0) + value
        return {(metric, kind): value for kind, sums in self._named.items() for metric, value in sums.items()}

    def _growth(self, kind: str, costs: Mapping[str, float]) -> dict[str, float]:
        if self._last is None:
            return dict.fromkeys(costs, 0.0)
        before = self._last.get(kind)
        if before is None:
            before = {} if self._starts_at_zero else costs
        return {
            metric: value - before.get(metric, 0.0) if value >= before.get(metric, 0.0) else value
            for metric, value in costs.items()
        }
