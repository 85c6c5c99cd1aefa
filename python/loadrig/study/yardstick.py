"""What a study judges by: a measure, which way is better, and how small a difference does not matter."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loadrig.base import members
from loadrig.base.errors import PlanError, Problem
from loadrig.engine.compile import model_name
from loadrig.plan.model import Plan

if TYPE_CHECKING:  # with scipy it takes a second to import
    from loadrig.stats.verdict import Scale

ROOM = "loadrig.measures"
CLOSED = ("users", "saturate")
"""Load models in which the server's answers set the pace of the requests."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Measure to judge by. equal_within: of a ratio the share, of a difference in the measure's own unit.

    A share (errors) may be zero and is compared by difference; everything else by ratio.
    """

    name: str
    unit: str
    better: Literal["higher", "lower"]
    equal_within: float

    @property
    def scale(self) -> "Scale":
        """Return how two values are compared."""
        return "difference" if self.unit == "1" else "ratio"

    @property
    def is_latency(self) -> bool:
        """Return whether the measure is a time that a request takes."""
        return self.unit == "s" and self.better == "lower" and self.name != "cpu_per_request"


def deciding(plan: Plan) -> Yardstick:
    """Return the measure that decides: the plan's, else throughput in a closed and p95 in an open model.

    Raises PlanError `study.unknown-measure` with the nearest name.
    """
    name = plan.study.by or ("throughput" if is_closed(plan) else "p95")
    member = _member(name)
    within = plan.study.equal_within
    # Read from the file, not imported: with what a measure is computed from that takes 10 ms before the load.
    unit, better, usual = (
        members.constant(ROOM, member, constant) for constant in ("UNIT", "BETTER", "EQUAL_WITHIN")
    )
    return Yardstick(name, unit, better, float(usual if within is None else within))


def is_closed(plan: Plan) -> bool:
    """Return whether requests wait for answers: then a slow server is asked less."""
    return model_name(plan) in CLOSED


def _member(name: str) -> str:
    """Return the member that is the measure of this name."""
    file = name.replace(".", "_")
    if file in members.names(ROOM) and _name_of(file) == name:
        return file
    known = {_name_of(member): member for member in members.names(ROOM)}
    if name in known:
        return known[name]
    close = members.nearest(name, list(known))
    raise PlanError(
        Problem(
            what=f"study.by names a measure that does not exist: {name}",
            mend=f"did you mean {close}?" if close else f"use one of {', '.join(sorted(known))}",
            code="study.unknown-measure",
        )
    )


def _name_of(member: str) -> str:
    """Return a measure's name as typed in a plan: "p99.9" is no name for a file."""
    return str(members.constant(ROOM, member, "NAME") or member)
