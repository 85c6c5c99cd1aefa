"""Choice of the transport that the rules of a plan ask for: where the generators of a fleet run."""

import importlib.util
import math
from pathlib import Path

from loadrig.base.errors import PlanError, Span
from loadrig.fleet.hosts import Hosts
from loadrig.fleet.local import LocalHosts
from loadrig.fleet.local_groups import LocalGroups
from loadrig.fleet.ray_hosts import RayHosts
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.fleet import FleetPlacesErrors
from loadrig.plan.fleet_rules import FleetRules

ERRORS = texts_of(FleetPlacesErrors)


ALONE_MOST = 1_500
"""Largest number of generators whose frames one process puts together: each takes 0.5 to 0.6 ms a second of
its core (`python -m bench fleet_merge`), so that there is room for some 1,700, and a little to spare."""

BUNDLE = 1_000
"""Number of generators of one merger among several: half of its core, three quarters where other work shares
it, so that a slower one has room."""


def mergers_of(rules: FleetRules) -> int:
    """Return how many mergers put frames together on their way; 0 where one process does it alone."""
    if rules.mergers is not None:
        return 0 if rules.mergers == 1 else min(rules.mergers, rules.generators)
    return 0 if rules.generators <= ALONE_MOST else math.ceil(rules.generators / BUNDLE)


def hosts_of(rules: FleetRules, log: Path) -> Hosts:
    """Return the hosts of a fleet. log: file for what generators of this machine write to a person.

    Raises PlanError where they cannot be had.
    """
    if rules.ray is None:
        mergers = mergers_of(rules)
        return LocalGroups(log, mergers) if mergers else LocalHosts(log)
    # Without importing it: that takes a second, and another process uses it.
    if importlib.util.find_spec("ray") is None:
        where = Span(f"fleet.ray: {rules.ray}")
        raise PlanError.of(ERRORS.no_ray(rules.ray), code="fleet.no-ray", where=where)
    return RayHosts(rules, log, mergers=mergers_of(rules))
