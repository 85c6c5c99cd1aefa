"""Highest level that a person may give a load while it runs."""

from loadrig.plan.model import Plan

MOST_TIMES = 10.0
"""Largest load that may be ordered, over the plan's. More is likely a slip, and the plan can say it."""

FEW_USERS = 100
"""Users who may always be ordered: ten times a handful would be less than a person wants to try."""

MANY_USERS = 5_000
"""Users up to whom a plan's number may be raised, each of whom may need a connection of its own: beyond, the
plan should say it, so that the rig looks at its limits before it begins."""


def most_level(plan: Plan) -> float:
    """Return the highest level that a person may order, in the unit of the plan's load.

    Users are not raised where each keeps a row of a feed, of which there may be no more, nor where the plan
    says how many connections they share.
    """
    work = plan.workload
    level = float(work.arrivals.level or 0.0)
    if not work.arrivals.has_users:
        return MOST_TIMES * level
    keeps_row = any(feed.order == "unique" for feed in work.feeds.values())
    if keeps_row or work.connections.most is not None:
        return level
    return max(level, min(max(MOST_TIMES * level, FEW_USERS), MANY_USERS))
