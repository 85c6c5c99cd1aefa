"""Goals of the plan, and the settings that keep them."""

from collections.abc import Mapping, Sequence

from loadrig.base.estimate import Estimate
from loadrig.plan.model import Goal
from loadrig.study.trials import DoneTrial, GoalRow


def standing(goal: Goal, trials: Sequence[DoneTrial], measures: Mapping[str, Estimate]) -> GoalRow:
    """Return whether a setting keeps a goal: its estimate does, and no usable trial says otherwise.

    trials: of this setting. A goal for one route, or over stretches, is known to the trials only; its
    value is then the worst of theirs. A trial in which the goal could not be told neither proves nor
    contradicts.
    """
    rows = [row for trial in trials if trial.is_usable for row in trial.goals if row.text == goal.text]
    verdicts = [row.met for row in rows if row.met is not None]
    # Goals over stretches, and goals of one route, are known to the trials only.
    own = measures.get(goal.measure) if goal.route is None and goal.over is None else None
    if own is not None:
        value: float | None = own.value
        verdicts.append(own.value < goal.limit if goal.below else own.value > goal.limit)
    else:
        values = [row.value for row in rows if row.value is not None]
        value = (max(values) if goal.below else min(values)) if values else None
    return GoalRow(goal.text, all(verdicts) if verdicts else None, value)


def is_feasible(goals: Sequence[GoalRow], trials: Sequence[DoneTrial]) -> bool | None:
    """Return whether a setting may be recommended: every goal is met, and the target never failed with it.

    None where a goal could not be told and none was missed, and where no trial was usable.
    """
    if any(trial.validity == "failed" for trial in trials) or any(goal.met is False for goal in goals):
        return False
    if any(goal.met is None for goal in goals) or not any(trial.is_usable for trial in trials):
        return None
    return True
