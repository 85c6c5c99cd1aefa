"""Number of requests that a server really worked on at once, as seen from outside.

Little's law: requests in service = throughput × time of service. The time that a request takes when nobody
is in its way is that of the fastest answers of its route; with it, throughput gives how many were worked on
at once, without those that only waited. A server with four workers works on four, however many requests are
in flight; a server whose workers wait for a lock, or for anything else that only one can have, works on one.
"""

import math
from dataclasses import dataclass

import numpy as np

from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.facts.case import Case, once_a_case
from loadrig.judgement.facts.load import Load

FASTEST = 0.001
"""Quantile of the latency, 0 to 1, at which answers met no other request, if any did. Even under full load
the first ones met none."""

MOST_FAILED_SHARE = 0.3
"""Share of requests that failed, 0 to 1. Above it good answers say too little of what the server worked
on."""

KEPT_S = 1.0
"""Seconds that a request keeps a connection, from which on a server is slow, where none was answered well
enough to tell how long one takes alone."""

IDLE_SLOTS_SHARE, ONE_BY_ONE = 0.6, 1.4
"""Requests worked on at once, least and most, of a server that always works on exactly one: one, less the
gaps between two requests, more what even the fastest answers waited for (0.99 to 1.21 were seen)."""


@dataclass(frozen=True, slots=True)
class Alone:
    """Time that a request takes alone, by route, in seconds, and the number of requests worked on at once."""

    by_route: dict[str, float]
    at_once: float

    @property
    def fastest_s(self) -> float:
        """Time of a request alone on the fastest route, in seconds."""
        return min(self.by_route.values())


@once_a_case
def alone(case: Case) -> Alone | None:
    """Return what requests to the loaded server take alone; None where too little was answered well."""
    return answered_alone(case) if case.load.failed_share <= MOST_FAILED_SHARE else None


@once_a_case
def answered_alone(case: Case) -> Alone | None:
    """Return what requests to the loaded server take alone, also where many gave up waiting.

    None where too much was refused: then good answers say too little of what the server worked on.
    """
    load, of_route = case.load, case.load.latency_of_route
    if of_route is None or load.ok_rps <= 0 or _refused_share(load) > MOST_FAILED_SHARE:
        return None
    before = load.latency_before_of_route
    least = {route: of_route(route, FASTEST) for route, rate in load.routes.items() if load.mean(rate) > 0}
    if before is not None:
        # Where all that was measured waits for a lock, only the very first request met nobody.
        least = {route: min(fastest, _or(before(route, 0.0), fastest)) for route, fastest in least.items()}
    least = {route: fastest for route, fastest in least.items() if math.isfinite(fastest)}
    if not least:
        return None
    # The fastest answer before the measured part met no other request, even where all measured answers did.
    # The least time that one route waited, all routes in the same queue waited.
    quickest = min(least.values())
    waited = max(0.0, quickest - _fastest_of_all(load, quickest))
    by_route = {route: max(fastest - waited, quickest - waited) for route, fastest in least.items()}
    return Alone(by_route, sum(load.mean(load.routes[route]) * time_s for route, time_s in by_route.items()))


def are_kept_busy(case: Case) -> bool:
    """Return whether the loaded server keeps an open load's connections busy: they are all there may be.

    Answers then take far longer than one alone, or none comes at all. Where a request takes hardly longer,
    there are too few connections for the load.
    """
    load = case.load
    if load.connections is None or load.capped_share < MOSTLY:
        return False
    served, connections = answered_alone(case), load.mean(load.connections)
    if served is not None:
        return served.at_once <= MOSTLY * connections
    return connections >= KEPT_S * load.ended_rps


def _refused_share(load: Load) -> float:
    """Return the share of requests that failed, without those that gave up: they stood in a queue."""
    return (load.total(load.failed) - load.count("timeout")) / load.finished if load.finished > 0 else 0.0


def works_one_by_one(served: Alone, ways: float = 1.0) -> bool:
    """Return whether each of `ways` processes or loops worked on one request at any time, and on no more."""
    return IDLE_SLOTS_SHARE * ways <= served.at_once <= ONE_BY_ONE * ways


def _or(latency_s: float, otherwise_s: float) -> float:
    return latency_s if math.isfinite(latency_s) else otherwise_s


def _fastest_of_all(load: Load, otherwise: float) -> float:
    if load.latency_by_step is None:
        return otherwise
    steps = load.latency_by_step(FASTEST)
    return float(np.nanmin(steps)) if np.isfinite(steps).any() else otherwise
