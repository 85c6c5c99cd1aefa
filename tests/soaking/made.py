"""Memory of a made-up server, for tests of soaks."""

import numpy as np

from loadrig.judgement.facts.readings import ProcessReadings, RequestCount
from loadrig.stats.arrays import Floats

MB = 1e6
SECONDS, A_SECOND = 2_000, 50.0
T = np.arange(0.0, SECONDS, 2.0)
SERVED = RequestCount.of(T, T * A_SECOND)


def process(
    leak: float = 0.0, fills: float = 0.0, *, seed: int = 1, at: Floats = T, subject: str = "pid:100"
) -> ProcessReadings:
    """Return one process.

    leak: bytes with each request of all; fills: bytes of a cache, full after a third.
    """
    rng = np.random.default_rng(seed)
    level = 80 * MB + leak * at * A_SECOND + fills * (1 - np.exp(-at / (SECONDS / 10)))
    return ProcessReadings(subject, at, level + rng.normal(0, 0.1 * MB, at.size))


def lives(leak: float, *, length_s: float = 100.0, workers: int = 2, seed: int = 1) -> list[ProcessReadings]:
    """Workers that are restarted after a while. leak: bytes with each request of all, in all of them."""
    rng = np.random.default_rng(seed)
    readings = []
    for worker in range(workers):
        births = np.arange(worker * length_s / workers, SECONDS - length_s / 2, length_s)
        for number, birth in enumerate(births):
            at = T[(birth <= T) & (birth + length_s > T)]
            age = (at - birth) * A_SECOND
            level = 60 * MB + leak / workers * age * workers / workers + 2 * MB * (1 - np.exp(-age / 100))
            level += rng.normal(0, 0.1 * MB, at.size) + rng.normal(0, 0.3 * MB)
            readings.append(ProcessReadings(f"pid:{worker}-{number}", at, level, float(birth)))
    return readings
