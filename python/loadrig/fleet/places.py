"""Choice of the transport that the rules of a plan ask for: where the generators of a fleet run."""

from pathlib import Path

from loadrig.base.errors import PlanError, Span
from loadrig.fleet.hosts import Hosts
from loadrig.fleet.local import LocalHosts
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.fleet import FleetPlacesErrors
from loadrig.plan.fleet_rules import FleetRules

ERRORS = texts_of(FleetPlacesErrors)


def hosts_of(rules: FleetRules, log: Path) -> Hosts:
    """Return the hosts of a fleet. log: file for what generators of this machine write to a person.

    Raises PlanError where they cannot be had.
    """
    if rules.ray is not None:
        where = Span(f"fleet.ray: {rules.ray}")
        raise PlanError.of(ERRORS.no_ray(rules.ray), code="fleet.no-ray", where=where)
    return LocalHosts(log)
