"""The highest rates of a server's counts over a tenth of a second, which a rate over a second hides."""

from collections.abc import Mapping

from loadrig.base.series import Metric
from loadrig.probes._counting import SubjectValues

WINDOW_NS = 100_000_000
"""Shortest time of a rate: over a millisecond a single eviction would be a thousand a second."""


def peak_metrics(rates: Mapping[str, str]) -> dict[str, Metric]:
    """Return the metrics of highest rates. rates: the metric of a rate, by the server's name of the count."""
    return {
        name: Metric(
            "1/s", "gauge", f"Highest rate of `{name.removesuffix('_peak_per_s')}` over a tenth of a second."
        )
        for name in rates.values()
    }


class Peaks:
    """Highest rate of counts, which are taken at any instants, since the last `take`.

    metrics: the metric of a rate, by the server's name of the count.
    """

    def __init__(self, metrics: Mapping[str, str]) -> None:
        self._metrics = metrics
        self._last: tuple[int, Mapping[str, float]] | None = None
        self._highest: dict[str, float] = {}

    def add(self, t_ns: int, counts: Mapping[str, float]) -> None:
        """Take the counts of an instant. A count that fell (the server was started anew) has no rate."""
        if self._last is not None:
            before_ns, before = self._last
            if t_ns - before_ns < WINDOW_NS:
                return
            passed_s = (t_ns - before_ns) / 1e9
            for source, metric in self._metrics.items():
                if source in counts and counts[source] >= before.get(source, counts[source]):
                    rate = (counts[source] - before.get(source, counts[source])) / passed_s
                    self._highest[metric] = max(rate, self._highest.get(metric, 0.0))
        self._last = (t_ns, counts)

    def take(self) -> SubjectValues:
        """Return the highest rates since the last call; none if no time of a rate has ended since."""
        rates: SubjectValues = {(metric, ""): rate for metric, rate in self._highest.items()}
        self._highest = {}
        return rates
