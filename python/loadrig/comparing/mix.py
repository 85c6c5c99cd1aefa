"""Shares of the routes, and what both sides would be at the same shares.

Where one side was asked more for the slow page, all routes together are slower though no page is. Then both
are weighted alike: each route's own distribution, at the mean of the two mixes (direct standardisation).
Source: Fleiss, Levin & Paik 2003, Statistical Methods for Rates and Proportions, ch. 19; the trap is
Simpson's (1951, J. R. Stat. Soc. B 13, 238-241).
"""

import math
from collections import Counter
from collections.abc import Mapping

import numpy as np

from loadrig.comparing.document import MixDocument, RouteShare
from loadrig.comparing.side import Measured, Side, kind_of
from loadrig.study.yardstick import Yardstick

LEAST = 0.01
"""Least change of a route's share that anybody would act on: one point."""

ERRORS = 3.0
"""Standard errors by which shares that are drawn by lot may differ."""

PER_DECADE = 400
"""Buckets for each factor of ten: 0.6 % wide, and a quantile is read within its bucket."""

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


def weights_of(mix: MixDocument) -> Mapping[str, float]:
    """Return the mix at which both sides are compared: the mean of the two, of routes that both have."""
    both = {share.route: (share.a + share.b) / 2 for share in mix.shares if share.a and share.b}
    total = sum(both.values())
    return {route: share / total for route, share in both.items()} if total else {}


def mix(a: Side, b: Side) -> MixDocument:
    """Return the shares of both sides' requests, in the order of A's routes.

    They differ where they do so by more than lot and a point would do.
    """
    counts = [_counts(side) for side in (a, b)]
    totals = [sum(count.values()) for count in counts]
    if not all(totals):
        return MixDocument(differs=False, shares=())
    shares = tuple(
        RouteShare(route, counts[0][route] / totals[0], counts[1][route] / totals[1])
        for route in dict.fromkeys([*counts[0], *counts[1]])
    )
    return MixDocument(any(_moved(share, totals) for share in shares), shares)


def _counts(side: Side) -> Counter[str]:
    counts: Counter[str] = Counter()
    for trial in side.usable:
        counts.update(trial.counts)
    return counts


def _moved(share: RouteShare, totals: list[int]) -> bool:
    error = math.sqrt(share.a * (1 - share.a) / totals[0] + share.b * (1 - share.b) / totals[1])
    return abs(share.b - share.a) > max(LEAST, ERRORS * error)


def can_be_standardised(by: Yardstick) -> bool:
    """Return whether all routes together follow from single ones: latencies and errors do, throughput not."""
    return kind_of(by.name)[1] in QUANTILES or by.name in ("mean", "errors")


def standardised(trial: Measured, by: Yardstick, weights: Mapping[str, float]) -> float | None:
    """Estimate what the trial would have measured at this mix; None where it does not know every route.

    A quantile is that of the routes' distributions put together by their weights, never a mean of quantiles;
    it needs the trial's recording.
    """
    kind, quantile = kind_of(by.name)
    if quantile in QUANTILES:
        return _quantile(trial, QUANTILES[quantile], kind, weights)
    values = {route: trial.value(by.name, route) for route in weights}
    if any(value is None for value in values.values()):
        return None
    return sum(weight * (values[route] or 0.0) for route, weight in weights.items())


def _quantile(trial: Measured, share: float, kind: str, weights: Mapping[str, float]) -> float | None:
    recording = trial.recording
    if recording is None:
        return None
    window = recording.measured
    edges: list[tuple[float, float, float]] = []
    for route, weight in weights.items():
        histogram = recording.histogram(
            route=route, outcome="ok", kind=kind, from_ns=window.from_ns, to_ns=window.to_ns
        )
        if not histogram.count:
            return None
        edges += [(low, high, weight * n / histogram.count) for low, high, n in histogram.buckets(PER_DECADE)]
    edges.sort()
    cumulated = np.cumsum([weight for _, _, weight in edges])
    place = min(int(np.searchsorted(cumulated, share * cumulated[-1])), len(edges) - 1)
    low, high, weight = edges[place]
    inside = (share * float(cumulated[-1]) - (float(cumulated[place]) - weight)) / weight
    return float(low * (high / low) ** min(1.0, max(0.0, inside))) / 1e9
