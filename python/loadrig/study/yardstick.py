"""Yardstick of a study: a measure, which way is better, and how small a difference does not matter."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.study import StudyYardstickErrors
from loadrig.plan.model import Plan

if TYPE_CHECKING:  # with scipy it takes a second to import
    from loadrig.stats.verdict import Scale

ERRORS = texts_of(StudyYardstickErrors)

ROOM = "loadrig.measures"


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
    name = plan.study.by or ("throughput" if plan.workload.arrivals.is_closed else "p95")
    _check(name)
    within = plan.study.equal_within
    # Read from the file, not imported: with what a measure is computed from that takes 10 ms before the load.
    unit, better, usual = (
        members.constant(ROOM, name, constant) for constant in ("UNIT", "BETTER", "EQUAL_WITHIN")
    )
    return Yardstick(name, unit, better, float(usual if within is None else within))


def _check(name: str) -> None:
    """Raise PlanError for a measure that does not exist."""
    measures = members.names(ROOM)
    if name not in measures:
        close = members.nearest(name, measures)
        wording = ERRORS.unknown_measure(name, close or "", ", ".join(measures))
        raise PlanError.of(wording, code="study.unknown-measure")
