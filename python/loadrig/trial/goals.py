"""Goals of a plan: whether a trial met them, as far as its disturbances let that be decided.

A disturbance makes no server faster: a goal that was met is met. One that was missed by no more than what
the disturbance can account for is not decided. Where the server did not have the load that was asked for,
only what it did wrong can be held against it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from loadrig.base import members
from loadrig.base.estimate import Estimate
from loadrig.recording.manifest_document import AskedGoal
from loadrig.recording.reader import Recording
from loadrig.trial.validity import Validity
from loadrig.trial.widening import factors_of

ROOM = "loadrig.measures"


@dataclass(frozen=True, slots=True)
class GoalResult:
    """A goal and whether this trial met it; None where that cannot be decided."""

    text: str
    measure: str
    is_met: bool | None
    value: float | None
    unit: str


def goals_of(
    recording: Recording, measures: Mapping[str, Estimate], validity: Validity
) -> tuple[GoalResult, ...]:
    """Return the result of every goal of the plan, in its order.

    measures: those of the recording, by name.
    """
    return tuple(_judged(recording, goal, measures, validity) for goal in recording.manifest.goals)


def _judged(
    recording: Recording, goal: AskedGoal, measures: Mapping[str, Estimate], validity: Validity
) -> GoalResult:
    is_met, value = _measured(recording, goal, measures)
    if is_met is not None and value is not None:
        is_met = _met_if_undisturbed(recording, goal, validity, is_met=is_met, value=value)
    return GoalResult(goal.text, goal.measure, is_met, value, goal.unit)


def _measured(
    recording: Recording, goal: AskedGoal, measures: Mapping[str, Estimate]
) -> tuple[bool | None, float | None]:
    """Return whether the figure meets the goal, and the figure: None where there is none."""
    if goal.over_s:
        # Not at the top: the import brings the modules that judge soaks, and few plans need them.
        from loadrig.soaking.read import goal_in_stretches

        # The goal is met if it is met in every stretch; the value is that of the worst stretch.
        over = goal_in_stretches(recording, goal)
        return over.met, over.worst
    if goal.route is None:
        estimate = measures.get(goal.measure)
    else:
        estimate = members.load(ROOM, goal.measure).estimate(recording, route=goal.route)
    if estimate is None:
        return None, None
    is_met = estimate.value < goal.limit if goal.below else estimate.value > goal.limit
    return is_met, estimate.value


def _met_if_undisturbed(
    recording: Recording, goal: AskedGoal, validity: Validity, *, is_met: bool, value: float
) -> bool | None:
    module = members.load(ROOM, goal.measure)
    if not validity.has_load and (is_met or getattr(module, "CLAIM", "times") not in ("facts", "ratios")):
        return None
    if is_met:
        return True
    factors = factors_of(recording, validity, module)
    undisturbed = value * (factors.low if goal.below else factors.high)
    could_be_met = undisturbed < goal.limit if goal.below else undisturbed > goal.limit
    return None if could_be_met else False
