"""Aim of a tuning: a figure to make as good as can be, and goals that must hold.

Everything is put on a scale on which more is better and noise is even: logs of what is positive, square
roots of shares. A goal becomes a slack: how far inside its limit a trial was; negative is a miss.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.base.estimate import Estimate
from loadrig.plan.model import Goal
from loadrig.study.trials import DoneTrial

GIB = float(1 << 30)
Z95 = 1.959964

COST = "cost_per_request"
"""Objective that no measure reads: what a request costs of cores and memory."""

FALLS_BACK: Mapping[str, str] = {"capacity": "throughput"}
"""Measures by the objective that they stand in for.
Where trials do not look for the capacity, the throughput under a load that waits for answers is meant."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a core for a second, and of a GiB for a second, in a currency of one's own."""

    core: float = 1.0
    gib: float = 0.1


PRICES = Prices()


@dataclass(frozen=True, slots=True)
class Objective:
    """Measure to raise or to lower. is_share: it lies in 0…1 and may be 0, so no logs are taken.

    prices: of what `cost_per_request` counts.
    """

    name: str
    better: Literal["higher", "lower"]
    is_share: bool = False
    prices: Prices = Prices()

    def read(self, trial: DoneTrial) -> tuple[float, float] | None:
        """Return a trial's place on the scale on which more is better, and its variance within the trial.

        None where the trial does not say, or says what has no logarithm.

        """
        if not trial.is_usable:
            return None
        estimate = self.estimate(trial.measures)
        if (
            estimate is None
            or not math.isfinite(estimate.value)
            or (estimate.value <= 0 and not self.is_share)
        ):
            return None
        sign = 1.0 if self.better == "higher" else -1.0
        return sign * self.place(estimate.value), self._variance(estimate)

    def place(self, value: float) -> float:
        """Return a value on the scale of comparison, whichever way is better."""
        return math.sqrt(max(value, 0.0)) if self.is_share else math.log(value)

    def estimate(self, measures: Mapping[str, Estimate]) -> Estimate | None:
        """Return the figure itself, in its own unit."""
        if self.name == COST:
            return cost_per_request(measures, self.prices)
        estimate = measures.get(self.name)
        return measures.get(FALLS_BACK.get(self.name, "")) if estimate is None else estimate

    def _variance(self, estimate: Estimate) -> float:
        low, high = estimate.low, estimate.high
        if low is None or high is None or (low <= 0 and not self.is_share):
            return 0.0
        return ((self.place(high) - self.place(low)) / (2 * Z95)) ** 2


def cost_per_request(measures: Mapping[str, Estimate], prices: Prices = PRICES) -> Estimate | None:
    """Estimate what a good answer costs: (cores x price of a core + memory x price of a GiB) / throughput.

    The cost is in units of `prices` for a core-second. Its interval is that of the throughput alone, the
    noisiest of the three.
    """
    cores, memory = measures.get("server_cpu"), measures.get("memory")
    throughput = measures.get("throughput")
    if cores is None or memory is None or throughput is None or throughput.value <= 0:
        return None
    a_second = cores.value * prices.core + memory.value / GIB * prices.gib

    def cost(per_second: float | None) -> float | None:
        return a_second / per_second if per_second else None

    return Estimate(
        a_second / throughput.value, "core·s", cost(throughput.high), cost(throughput.low), n=throughput.n
    )


def slack(goal: Goal, value: float) -> float:
    """Return how far inside a goal a value lies; 0 at its limit, negative beyond.

    It is the log of the ratio to the limit; for shares, and where a logarithm does not exist, the difference
    of square roots.
    """
    sign = 1.0 if goal.below else -1.0
    if goal.unit == "1" or goal.limit <= 0 or value <= 0:
        return sign * (math.sqrt(max(goal.limit, 0.0)) - math.sqrt(max(value, 0.0)))
    return sign * math.log(goal.limit / value)


def slacks(goals: Sequence[Goal], trial: DoneTrial) -> tuple[float, ...]:
    """Return the slack of each goal in a trial; nan where it was not told."""
    values = {row.text: row.value for row in trial.goals}
    slack_by_goal = []
    for goal in goals:
        value = values.get(goal.text)
        slack_by_goal.append(math.nan if value is None or not math.isfinite(value) else slack(goal, value))
    return tuple(slack_by_goal)


def front(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return positions of points that no other beats in both: the Pareto front, by the first figure.

    Both figures: more is better. Of equal points the first stands.
    """
    order = sorted(range(len(points)), key=lambda at: (-points[at][0], -points[at][1], at))
    undominated: list[int] = []
    best = -math.inf
    for at in order:
        if points[at][1] > best:
            undominated.append(at)
            best = points[at][1]
    return tuple(undominated)
