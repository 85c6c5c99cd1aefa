"""Servers with known demands as closed queueing networks, and their throughput exactly.

Users think, then ask; a request visits each tier in turn and goes back to its user. A tier has so many places
(cores, threads) and a demand. Its capacity is the speed of all of its places: with a fifth less of it every
request takes a quarter longer there. Throughput comes from the normalisation constant, which is as exact as
mean value analysis and, unlike it, does not lose its digits where a tier has several places.

Sources: Buzen 1973, Commun. ACM 16, 527-531 (the algorithm); Baskett, Chandy, Muntz & Palacios 1975, J. ACM
22, 248-260 (which disciplines and laws it holds for); Reiser & Lavenberg 1980, J. ACM 27, 313-322 (MVA).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

Law = Literal["steady", "exponential", "varied"]
"""Law of service times: a gamma law whose standard deviation is a quarter of its mean, as of requests that
all do the same; exponential, as of a mixture of pages; a mixture of two with twice that spread."""


@dataclass(frozen=True)
class QueueTier:
    """demand_s: of a request at one place. places: how many are served at once.

    is_shared: all that are there share the places in equal parts, as programs share cores; else each takes
    one in the order of arrival, and then the law must be exponential for the throughput to be exact.
    """

    demand_s: float
    places: int = 1
    is_shared: bool = True
    law: Law = "exponential"


@dataclass(frozen=True)
class QueueNetwork:
    """Tiers in the order of a request's way, users, and how long one thinks on average, in seconds."""

    tiers: tuple[QueueTier, ...]
    users: int
    think_s: float

    @property
    def most_per_second(self) -> float:
        """Throughput of the fullest tier at most."""
        return min(tier.places / tier.demand_s for tier in self.tiers)


def throughput(network: QueueNetwork, speeds: Sequence[float] | None = None) -> float:
    """Requests a second in the long run. speeds: of each tier, 1 is as it is."""
    speeds = speeds or [1.0] * len(network.tiers)
    # In units of the longest demand at one place, so that no power overflows.
    demands = [tier.demand_s / speed for tier, speed in zip(network.tiers, speeds, strict=True)]
    unit = max(demand / tier.places for demand, tier in zip(demands, network.tiers, strict=True))
    steps = np.arange(1, network.users + 1)
    sums = _weights(network.think_s / unit / steps)
    for demand, tier in zip(demands, network.tiers, strict=True):
        at_once = np.minimum(steps, tier.places)
        sums = np.convolve(sums, _weights(demand / unit / at_once))[: network.users + 1]
    return float(sums[-2] / sums[-1] / unit)


def elasticity(network: QueueNetwork, tier: int, ratio: float) -> float:
    """Return throughput's elasticity to one tier's capacity C at a ratio: ln(X(ratio C) / X(C)) / ln(ratio).

    Not the derivative: an experiment takes a fifth away and measures what that does.
    """
    changed = [ratio if place == tier else 1.0 for place in range(len(network.tiers))]
    return math.log(throughput(network, changed) / throughput(network)) / math.log(ratio)


def drawn(rng: np.random.Generator) -> QueueNetwork:
    """Return a server at random: 2 to 4 tiers, at least one near the limit, from the knee to far above it."""
    most_per_second = math.exp(rng.uniform(math.log(50), math.log(1000)))
    count = int(rng.integers(2, 5))
    fullness = [1.0, *rng.uniform(0.1, 1.0, count - 1)]
    rng.shuffle(fullness)
    tiers = []
    for full in fullness:
        places = int(rng.choice([1, 1, 2, 4, 16]))
        is_shared = bool(rng.random() < 0.8)
        law: Law = rng.choice(["steady", "steady", "exponential", "varied"]) if is_shared else "exponential"
        tiers.append(QueueTier(full * places / most_per_second, places, is_shared, law))
    think_s = float(rng.choice([0.0, rng.uniform(0.02, 0.3)]))
    alone_s = think_s + sum(tier.demand_s for tier in tiers)
    knee = alone_s * most_per_second
    users = int(np.clip(round(knee * rng.uniform(1.0, 4.0)), 2, 200))
    return QueueNetwork(tuple(tiers), users, think_s)


def _weights(factors: np.ndarray) -> np.ndarray:
    return np.concatenate([[1.0], np.cumprod(factors)])
