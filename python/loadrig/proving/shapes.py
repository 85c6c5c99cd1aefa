"""The loads of a proof: constant, and at the limit where the plan's rate is beyond it."""

from dataclasses import replace

from loadrig.base.units import Count
from loadrig.plan.arrivals import Users
from loadrig.plan.constant import constant
from loadrig.plan.model import Plan, Think

__all__ = ["closed", "constant", "thinks"]


def thinks(think: Think) -> bool:
    """Return whether users wait between an answer and the next request."""
    return bool(think.constant or think.uniform or think.exponential)


def closed(plan: Plan, users: int) -> Plan:
    """Return the same requests by users who never wait: the server is at its limit, and no queue grows."""
    work = replace(plan.workload, arrivals=Users(count=Count(users)), think=Think())
    return replace(plan, workload=work)
