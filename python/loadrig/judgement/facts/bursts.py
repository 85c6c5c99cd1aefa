"""Waiting that the load's own arrival times bring about, however well the server works.

Requests that come one after the other at even or random intervals hardly wait at a server with room; the
same number that comes all at once stands in a queue. How long it stands there follows from the instants at
which requests were sent and from the time that the server's nearest limit takes for each.
Source: Lindley 1952, Mathematical Proceedings of the Cambridge Philosophical Society 48, 277-289.
"""

from dataclasses import dataclass

import numpy as np

from loadrig.judgement.facts.case import Case
from loadrig.recording.steps import Floats


@dataclass(frozen=True, slots=True)
class BurstWaits:
    """Mean waits in seconds: of requests that come when they came, and of as many at random.

    utilisation: share of the nearest limit that they use, 0 to 1.
    """

    as_sent_s: float
    at_random_s: float
    utilisation: float


def burst_waits(case: Case, service_s: float) -> BurstWaits | None:
    """Return how long requests wait in one queue of this service time; None where that is not known.

    That is of an open load, whose instants do not depend on answers, and of a queue that does not grow.
    """
    load = case.load
    utilisation = load.offered_rps * service_s
    if not load.is_open or not load.gaps_s or not 0 < utilisation < 1:
        return None
    waits = np.concatenate([_waits(gaps_s, service_s) for gaps_s in load.gaps_s])
    # Of a queue with random arrivals and a service time that is always the same (Pollaczek and Khinchine).
    at_random_s = utilisation * service_s / (2 * (1 - utilisation))
    return BurstWaits(float(waits.mean()), at_random_s, utilisation)


def _waits(gaps_s: Floats, service_s: float) -> Floats:
    """Return the wait of each request of a run, of which the first finds nobody there."""
    late = np.concatenate([[0.0], np.cumsum(service_s - gaps_s)])
    waits: Floats = late - np.minimum.accumulate(late)
    return waits
