"""Check that a server is as fast in a run as when the capacity was measured from which the rate is taken.

A core slows down by half where a neighbour shares it or its clock is throttled, and no counter of a virtual
machine shows that. A request then takes more CPU time, and a load of half the capacity may be all that the
server can do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.estimate import Estimate
from loadrig.base.units import show_duration, show_number

SLOWER = 1.5
"""Ratio of CPU times of a request above which the machine is called slower. A quarter more is usual where the
server is idle in between."""

Estimates = Mapping[str, Estimate]
"""Estimates of a trial, by the measure's name."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """Capacity of a server. rps: good answers a second. cost_s: CPU time of a request, None if not known."""

    rps: float
    cost_s: float | None

    def slowed(self, trials: Sequence[Estimates]) -> str:
        """Return in a clause how much dearer a request was in a trial; "" where it was not."""
        costs = [cost for trial in trials if (cost := _cost_s(trial)) is not None]
        dearest = max(costs, default=0.0)
        if not self.cost_s or dearest <= SLOWER * self.cost_s:
            return ""
        return (
            f"a request took {show_duration(dearest)} of CPU time, and {show_duration(self.cost_s)} when the"
            f" capacity was measured ({show_number(self.rps)}/s): the machine became slower, and the load was"
            " a greater part of the capacity than the plan says"
        )


def of(rps: float, estimates: Estimates) -> Capacity:
    """Return the capacity that a trial of the capacity plan shows, which answered `rps` requests a second."""
    return Capacity(rps, _cost_s(estimates))


def _cost_s(estimates: Estimates) -> float | None:
    estimate = estimates.get("cpu_per_request")
    return None if estimate is None else estimate.value
