"""The plan's goals in the form in which a level is judged: shares, a least throughput, the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.plan.model import Goal

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
"""Quantiles of the response time by measure, as shares; with `service_` before the name: of the service
time."""


@dataclass(frozen=True, slots=True)
class ShareGoal:
    """Goal that at most a share of requests may break.

    "p99 < 200ms": at most 0.01 of the good answers of `route` (None: of all) later than limit_s; "errors <
    0.1%": at most 0.001 of all that ended, limit_s None. is_service: counted from when it was sent, not from
    when it was due.
    """

    text: str
    most: float
    limit_s: float | None = None
    route: str | None = None
    is_service: bool = False


@dataclass(frozen=True, slots=True)
class Goals:
    """Goals by how they are judged. shares: in this order in each tick.

    throughput: at least so many good answers a second. beside: goals, as written, that a few seconds at a
    level cannot tell: a throughput with a ceiling, a mean, memory.
    """

    shares: tuple[ShareGoal, ...]
    throughput: float | None = None
    beside: tuple[str, ...] = ()


def split(goals: Sequence[Goal]) -> Goals:
    """Return each goal as what it can be judged by."""
    shares: list[ShareGoal] = []
    beside: list[str] = []
    least: list[float] = []
    for goal in goals:
        is_service = goal.measure.startswith("service_")
        quantile = QUANTILES.get(goal.measure.removeprefix("service_"))
        if goal.below and quantile is not None:
            most = round(1 - quantile, 9)
            shares.append(ShareGoal(goal.text, most, goal.limit, goal.route, is_service))
        elif goal.below and goal.measure == "errors":
            shares.append(ShareGoal(goal.text, goal.limit, None, goal.route))
        elif not goal.below and goal.measure == "throughput" and goal.route is None:
            least.append(goal.limit)
        else:
            beside.append(goal.text)
    return Goals(tuple(shares), max(least, default=None), tuple(beside))
