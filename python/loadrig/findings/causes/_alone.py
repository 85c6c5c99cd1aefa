"""How many requests a server really worked on at once, told from outside.

Little's law: requests in service = throughput × time of service. The time that a request takes when nobody
is in its way is that of the fastest answers of its route; with it, throughput gives how many were worked on
at once, without those that only waited. Of a server with four workers that is four, however many requests
are in flight; of one whose workers wait for a lock, or for anything else that only one can have, it is one.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_number
from loadrig.findings.case import Case
from loadrig.findings.causes._slots import Slots
from loadrig.findings.evidence import Sign
from loadrig.findings.legs import namespaces
from loadrig.findings.load import Load
from loadrig.findings.tier import Tier

FASTEST = 0.001
"""Of the answers: those that met nobody, if any did. Even under full load the first ones met nobody."""

MOST_FAILED_SHARE = 0.3
"""Above it what was answered well says too little of what the server worked on."""


IDLE, ONE_BY_ONE = 0.6, 1.4
"""Requests worked on at once where there is always one and never two: it is 1, less what passes between
two of them, more what the fastest answers waited for all the same (0.99 to 1.21 were seen)."""


ROOM = 0.75
"""Of the slots, at work: below it requests that come as they like hardly wait for one."""


@dataclass(frozen=True, slots=True)
class Alone:
    """What a request takes alone, by route, in seconds, and how many were worked on at once."""

    by_route: dict[str, float]
    at_once: float

    @property
    def fastest_s(self) -> float:
        """Of the quickest route."""
        return min(self.by_route.values())

    @property
    def slowest_s(self) -> float:
        """Of the slowest route."""
        return max(self.by_route.values())


def alone(case: Case) -> Alone | None:
    """Of the loaded server; None where too little was answered well."""
    if "alone" not in case.remembered:
        case.remembered["alone"] = _alone(case.load)
    found: Alone | None = case.remembered["alone"]
    return found


def is_one_by_one(found: Alone, ways: float = 1.0) -> bool:
    """Whether each of so many ways (processes, loops) was always taken by one request, and by no more."""
    return IDLE * ways <= found.at_once <= ONE_BY_ONE * ways


def turned_away(case: Case, tier: Tier, slots: Slots) -> Iterator[Sign]:
    """A sign against too few slots: who is late was not let in, while there were slots to spare.

    He was turned away by the listener and came again a second later, and was in flight meanwhile. That there
    was room is seen where fewer connections are open than there are slots, or all that was due was answered.
    """
    found, host = alone(case), case.tiers.get(tier.host, case.host)
    open_ = host.track("tcp_sockets.established", f"in:{tier.port}")
    is_empty = open_ is not None and open_.mean < ROOM * slots.number
    is_answered = case.load.is_open and not {"short", "queueing"} & set(case.harms)
    has_room = found is not None and is_answered and found.at_once < ROOM * slots.number
    for space in namespaces(case) if is_empty or has_room else ():
        away = space.track("listen_overflows") if space.host == tier.host else None
        if away is None or away.grew <= 0:
            continue
        if is_empty and open_ is not None:
            text = f"{show_number(open_.mean)} connections were open to {show_number(slots.number)} slots"
        else:
            assert found is not None
            text = f"its slots did the work of {show_number(found.at_once)}"
        text += (
            f", with room for the rest of what was due: {show_number(away.grew)} connections were turned away"
            " before they reached one"
        )
        yield Sign(False, text, away.source, 0.0)


def _alone(load: Load) -> Alone | None:
    of_route = load.latency_of_route
    if of_route is None or load.ok_rps <= 0 or load.failed_share > MOST_FAILED_SHARE:
        return None
    seen = {route: of_route(route, FASTEST) for route, rate in load.routes.items() if load.mean(rate) > 0}
    seen = {route: fastest for route, fastest in seen.items() if math.isfinite(fastest)}
    if not seen:
        return None
    # What was fastest before measuring began met nobody, where all that was measured met somebody. What one
    # route waited for at least, all did that stood in the same queue.
    quickest = min(seen.values())
    waited = max(0.0, quickest - _fastest_of_all(load, quickest))
    by_route = {route: max(fastest - waited, quickest - waited) for route, fastest in seen.items()}
    return Alone(by_route, sum(load.mean(load.routes[route]) * taken for route, taken in by_route.items()))


def _fastest_of_all(load: Load, otherwise: float) -> float:
    if load.latency_by_step is None:
        return otherwise
    steps = load.latency_by_step(FASTEST)
    return float(np.nanmin(steps)) if np.isfinite(steps).any() else otherwise
