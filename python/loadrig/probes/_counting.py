"""Figures that a server keeps of itself: named, continued over restarts, the costliest kept apart."""

from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from loadrig.base.series import Metric

Key = TypeVar("Key", bound=Hashable)

SubjectValues = dict[tuple[str, str], float]
"""Values by metric and subject."""

OTHERS = "others"
"""Subject of all kinds of work that have no name of their own."""


@dataclass(frozen=True, slots=True)
class ServerFigure:
    """A figure. source: its name at the server; metric: what it becomes; factor: to the metric's unit."""

    source: str
    name: str
    metric: Metric
    factor: float = 1.0


def gauge(source: str, name: str, unit: str, doc: str, otel: str = "", factor: float = 1.0) -> ServerFigure:
    """Return a figure of a level."""
    return ServerFigure(source, name, Metric(unit, "gauge", doc, otel), factor)


def counter(source: str, name: str, unit: str, doc: str, otel: str = "", factor: float = 1.0) -> ServerFigure:
    """Return a figure of a count, which only grows while the server runs."""
    return ServerFigure(source, name, Metric(unit, "counter", doc, otel), factor)


def metrics(figures: Iterable[ServerFigure]) -> dict[str, Metric]:
    """Return the metrics of figures by name, for METRICS."""
    return {figure.name: figure.metric for figure in figures}


class Counters(Generic[Key]):
    """Counts of a server that go on growing: the counts from before a restart are added."""

    def __init__(self) -> None:
        self._before: dict[Key, float] = {}
        self._last: dict[Key, float] = {}

    def begin_anew(self) -> None:
        """Take note that the server was started again: its counters began at zero."""
        for key, last in self._last.items():
            self._before[key] = self._before.get(key, 0.0) + last
        self._last.clear()

    def go_on(self, key: Key, value: float) -> float:
        """Return the count since the first server began. value: the count of the present server."""
        last = self._last.get(key, 0.0)
        if value < last / 2:  # somebody has reset it: it began at zero
            self._before[key] = self._before.get(key, 0.0) + last
            last = 0.0
        # A table that is written while it is read may fall a little, which is no reset.
        self._last[key] = max(value, last)
        return self._before.get(key, 0.0) + self._last[key]

    def continued(
        self: "Counters[tuple[str, str]]", values: SubjectValues, metrics: Mapping[str, Metric]
    ) -> SubjectValues:
        """Return values, by metric and subject, in which each counter goes on."""
        return {
            key: self.go_on(key, value) if metrics[key[0]].kind == "counter" else value
            for key, value in values.items()
        }


def figured(
    figures: Iterable[ServerFigure], values: Mapping[str, float], counters: Counters[str]
) -> SubjectValues:
    """Return the figures that the server gives, by metric; those that the server lacks are left out.

    values: by the server's names.
    """
    samples: SubjectValues = {}
    for figure in figures:
        value = values.get(figure.source)
        if value is not None:
            value *= figure.factor
            is_counter = figure.metric.kind == "counter"
            samples[figure.name, ""] = counters.go_on(figure.name, value) if is_counter else value
    return samples


def numbers(texts: Iterable[tuple[object, object]]) -> dict[str, float]:
    """Return the values that are numbers, by name; versions, "OFF" and the like are left out."""
    values = {}
    for name, text in texts:
        with suppress(ValueError):
            values[str(name)] = float(str(text))
    return values


def summed_costs(costs: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """Return costs by subject; costs of the same subject are added up, metric by metric."""
    sums: dict[str, dict[str, float]] = {}
    for subject, values in costs:
        of_subject = sums.setdefault(subject, {})
        for metric, value in values.items():
            of_subject[metric] = of_subject.get(metric, 0.0) + value
    return sums


class HitShare:
    """Share of what was asked for since the last reading that was in memory."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None

    def add(self, asked: float, missed: float) -> float | None:
        """Take the present counts. Return the share, 0 to 1; None where nothing was asked for."""
        last, self._last = self._last, (asked, missed)
        if last is None or asked <= last[0]:
            return None
        return min(1.0, max(0.0, 1 - (missed - last[1]) / (asked - last[0])))


class Tops:
    """Cost of each kind of work since the first look: the costliest by name, the rest together.

    most: names given in all. per_look: names given at a look, to the kinds that cost most since
    the look before: a kind that becomes costly later then still finds room. by: metric of the cost.
    A name once given stays, and the figure of the others never falls.
    """

    def __init__(self, by: str, *, most: int = 12, per_look: int = 3) -> None:
        self._by, self._most, self._per_look = by, most, per_look
        self._last: dict[str, Mapping[str, float]] | None = None
        self._starts_at_zero = False
        self._named: dict[str, dict[str, float]] = {}

    def begin_anew(self) -> None:
        """Take note that the server was started again: whatever appears now has begun at zero."""
        self._last, self._starts_at_zero = {}, True

    def add(self, counts: Mapping[str, Mapping[str, float]], *, is_complete: bool = True) -> SubjectValues:
        """Take the present counts, by kind and metric. Return what has grown since the first look.

        is_complete: whether these are all kinds; where they are a part, a kind that appears at the next
        look may be an old one, and is counted from then on.
        """
        grown = {kind: self._growth(kind, costs) for kind, costs in counts.items()}
        self._last = {**(self._last or {}), **counts}
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
