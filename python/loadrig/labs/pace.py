"""Whether a server was as fast in a run as when the capacity was measured of which its rate is a share.

A core slows down by half where a neighbour shares it or its clock is throttled, and no counter of a virtual
machine tells. A request then takes more CPU time, and half of what the server could do is all that it can.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.base.units import show_duration, show_number

SLOWER = 1.5
"""Times the CPU time of a request: by a quarter it is dearer where the server is idle in between."""

Result = Mapping[str, Any]
"""The result of a trial, schema loadrig.result/1."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a server could do. rps: requests a second answered well; cost_s: CPU time of one, if known."""

    rps: float
    cost_s: float | None

    def slowed(self, trials: Sequence[Result]) -> str:
        """How much dearer a request was in some trial, as a clause; empty where it was not."""
        costs = [cost for one in trials if (cost := _cost_s(one)) is not None]
        dearest = max(costs, default=0.0)
        if not self.cost_s or dearest <= SLOWER * self.cost_s:
            return ""
        return (
            f"a request took {show_duration(dearest)} of CPU time, and {show_duration(self.cost_s)} when the"
            f" capacity was measured ({show_number(self.rps)}/s): the machine became slower, and the load was"
            " a greater part of the capacity than the plan says"
        )


def of(result: Result) -> Capacity:
    """What a trial of the capacity plan says."""
    return Capacity(float(result["load"]["successful_rps"]), _cost_s(result))


def _cost_s(result: Result) -> float | None:
    found = result["estimates"].get("cpu_per_request")
    return None if found is None else float(found["value"])
