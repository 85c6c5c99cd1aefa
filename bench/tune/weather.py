"""Figures that trials give on a surface: its truth, and noise as real machines have it.

Three parts, of ln(throughput): between runs (a fresh process lies elsewhere in memory), which a longer trial
does not lower; within a run, which falls with the root of its length; and drift, which neighbouring trials
share. A level of 3 % means: one trial of 60 s has an sd of 3 % about the drift, and the drift 2 %.

The trials that a surface was recorded from are not drawn from again: whoever tries a setting often would come
to the mean of the same three, and not to what is true of it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bench.tune.surface import Surface
from loadrig.base.estimate import Estimate

BETWEEN_SHARE = 0.6
"""Share of the variance of a trial of 60 s that a longer trial does not lower."""

FULL_S = 60.0
DRIFT_SHARE, DRIFT_S = 0.7, 600.0
"""Sd of the drift beside that of a trial, and the time in which it forgets itself."""

TAIL = 2.0
"""p99 is so much noisier than throughput, in logs."""

MEMORY_SD = 0.01
UNITS = {"throughput": "1/s", "errors": "1", "memory": "B", "p99": "s", "cpu_per_request": "s"}


@dataclass
class TuningWeather:
    """The noise of one replay. level: sd of ln(throughput) of a trial of 60 s. seed: of all its noise."""

    level: float
    seed: int

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng([self.seed, 4711])
        self._drift, self._at = self._rng.normal(0, self.level * DRIFT_SHARE), 0.0

    def trial(
        self, surface: Surface, number: int, measured_s: float, takes_s: float
    ) -> Mapping[str, Estimate] | None:
        """Return what a trial of a setting gives; None where the server does not work with it.

        takes_s: with start and settling; the drift goes on meanwhile.
        """
        self._pass(takes_s)
        truth = surface.truth[number]
        if truth is None:
            return None
        within = self.level * math.sqrt((1 - BETWEEN_SHARE) * FULL_S / measured_s)
        own = self._rng.normal(0, self.level * math.sqrt(BETWEEN_SHARE)) + self._rng.normal(0, within)
        return self._estimates(truth, own + self._drift, within, measured_s)

    def _estimates(
        self, means: Mapping[str, float], apart: float, within: float, measured_s: float
    ) -> Mapping[str, Estimate]:
        estimates = {}
        per_second = means["throughput"] * math.exp(apart)
        for name, mean in means.items():
            unit = UNITS.get(name, "")
            if name == "errors":
                requests = max(1, round(per_second * measured_s))
                value = self._rng.binomial(requests, min(max(mean, 0.0), 1.0)) / requests
                estimates[name] = Estimate(value, unit, n=requests)
                continue
            sd = {"throughput": 0.0, "memory": MEMORY_SD, "p99": TAIL * within}.get(name, 0.3 * within)
            sign = -1.0 if name == "p99" else 1.0 if name == "throughput" else 0.0
            value = mean * math.exp(sign * apart + self._rng.normal(0, sd))
            half = 1.96 * (within if name == "throughput" else sd)
            estimates[name] = Estimate(value, unit, value * math.exp(-half), value * math.exp(half), n=1000)
        return estimates

    def _pass(self, seconds: float) -> None:
        """Let time pass: an Ornstein-Uhlenbeck process."""
        keeps = math.exp(-seconds / DRIFT_S)
        fresh = self.level * DRIFT_SHARE * math.sqrt(1 - keeps**2)
        self._drift = self._drift * keeps + self._rng.normal(0, fresh)
        self._at += seconds
