"""Checks of a plan's hosts of Ray: keys that mean nothing without Ray, and addresses that cannot be one."""

from loadrig.base.errors import Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_checks import PlanCheckFleetErrors
from loadrig.plan.draft import Draft
from loadrig.plan.fleet_rules import FleetRules
from loadrig.plan.node import Scalar

ERRORS = texts_of(PlanCheckFleetErrors)

AUTO = "auto"
"""Word in place of an address, for the cluster that this machine belongs to."""

PORT_MOST = 65_535
"""Largest port of TCP."""


def check_fleet(draft: Draft) -> None:
    """Refuse what a fleet on this machine cannot have, and an address of a head that is none."""
    if draft.fleet is not None and draft.fleet.ray is None:
        _check_without_ray(draft, draft.fleet)
    for key in ("fleet", "nodes"):
        written = draft.node(key, "ray")
        if isinstance(written, Scalar) and isinstance(written.value, str) and not _is_head(written.value):
            draft.reader.reject(
                ERRORS.no_address(f"{key}.ray", written.value), code="plan.url", where=written.span
            )


def _check_without_ray(draft: Draft, rules: FleetRules) -> None:
    """Refuse keys that only Ray obeys: generators that are processes of this machine have no other host."""
    wanting: dict[str, Span] = {}
    if rules.spread == "strict" and rules.generators > 1:
        wanting["spread: strict"] = draft.place("fleet", "spread")
    if draft.node("fleet", "cpus") is not None:
        wanting["cpus"] = draft.place("fleet", "cpus")
    for key, where in wanting.items():
        draft.reader.reject(ERRORS.only_with_ray(key), code="plan.not-together", where=where)


def _is_head(address: str) -> bool:
    """Return whether an address is HOST:PORT, or the word in its place."""
    if address == AUTO:
        return True
    host, _, port = address.rpartition(":")
    return bool(host) and port.isascii() and port.isdigit() and 0 < int(port) <= PORT_MOST
