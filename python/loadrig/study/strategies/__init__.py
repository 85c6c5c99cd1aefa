"""Strategies, by which a study chooses its settings: one file each, named as in a plan's `study: find:`.

A member has Options (a frozen dataclass of base.shape options) and

    strategy(plan, options) -> loadrig.study.strategy.Strategy

which raises PlanError where the plan does not fit it. That there are knobs with several values the reader of
plans has seen to, unless the member has NEEDS_KNOBS = False.
"""
