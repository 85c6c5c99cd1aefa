"""Figures of a run while it goes on, the same for every receiver."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from loadrig._native import Histogram
from loadrig.following.document import HappeningDocument, SecondDocument, TrialNewsDocument


class LiveFigure(NamedTuple):
    """Figure of one second. name: with its unit at its end, as Prometheus wants it."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class LiveNews:
    """Figures of a trial since the last look. times: response times by route and outcome, since it began."""

    trial: TrialNewsDocument
    times: Mapping[tuple[str, str], Histogram] = field(default_factory=dict)

    @property
    def seconds(self) -> tuple[SecondDocument, ...]:
        """Seconds of the load that are new, in order."""
        return self.trial.seconds

    @property
    def ended(self) -> Mapping[str, int]:
        """Number of requests by outcome, since the trial began."""
        return self.trial.outcomes

    @property
    def has_sums(self) -> bool:
        """Whether sums have grown, be it by less than a second: a load ends at no whole one."""
        return self.trial.has_counted

    @property
    def counted_to_s(self) -> float:
        """Instant until which the sums count, in seconds since 1970."""
        return self.trial.counted_to_s

    @property
    def happenings(self) -> tuple[HappeningDocument, ...]:
        """Events that are new, in order."""
        return self.trial.happenings

    def tiers(self) -> Iterator[LiveFigure]:
        """Yield what the components use now."""
        for tier in self.trial.tiers:
            labels = {"component": tier.name}
            if tier.cores is not None:
                yield LiveFigure("cores", labels, tier.cores)
            if tier.memory_bytes is not None:
                yield LiveFigure("memory_bytes", labels, tier.memory_bytes)


class NewsReceiver(Protocol):
    """Receiver that has been begun."""

    def take(self, news: LiveNews) -> None:
        """Tell it what is new. Raises OSError where it is gone."""


def figures(second: SecondDocument) -> Iterator[LiveFigure]:
    """Yield the figures of a second; times that nobody measured are left out."""
    yield LiveFigure("due_per_second", {}, second.due)
    yield LiveFigure("good_per_second", {}, second.ok)
    yield LiveFigure("failed_per_second", {}, second.failed)
    yield LiveFigure("in_flight", {}, second.in_flight)
    yield LiveFigure("users", {}, second.users)
    for quantile, value in (("0.5", second.p50_s), ("0.95", second.p95_s), ("0.99", second.p99_s)):
        if value is not None:
            yield LiveFigure("response_seconds", {"quantile": quantile}, value)
