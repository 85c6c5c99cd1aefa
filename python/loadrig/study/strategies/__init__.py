"""How a study chooses its settings: one file a strategy, its name is what a plan's `study: find:` says.

A member has Options (a frozen dataclass of base.shape options) and

    strategy(plan, options) -> loadrig.study.strategy.Strategy

which raises PlanError where the plan does not fit it.
"""

from loadrig.base.errors import PlanError, Problem
from loadrig.plan.model import Plan


def need_knobs(plan: Plan, strategy: str) -> None:
    """Raise PlanError `study.no-knobs` for a plan that leaves a strategy nothing to choose from."""
    if not any(len(set(knob.values) | {knob.base}) > 1 for knob in plan.knobs):
        raise PlanError(
            Problem(
                what=f"study.find is {strategy}, and the plan has no knob with more than one value",
                why="there is only one setting to try",
                mend="give a knob values to try, such as `knobs: {workers: [1, 2, 4]}`, "
                "or leave `find:` away to run one trial",
                code="study.no-knobs",
            )
        )
