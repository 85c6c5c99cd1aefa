"""Conditions on one answer as what a request expects of it: its status, and values in it."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from loadrig.converters._clauses import Clauses, NotSaid
from loadrig.plan.passages import ComparedValue, Comparison, Order
from loadrig.plan.requests import Expect, Extract
from loadrig.plan.value_checks import ValueCheck, ValueComparison, ValuePlace

_STATUSES = frozenset(range(100, 600))
_FINAL = range(200, 600)
"""Statuses of answers; those below are of messages before them."""

_GOOD = frozenset(range(200, 400))
"""Statuses of answers that are good where a plan names none."""

MOST_STATUSES = 100
"""Statuses that a check allows and a plan lists, at most."""

_SIGNS: Mapping[Order, Callable[[float, float], bool]] = {
    "above": operator.gt, "at_least": operator.ge, "below": operator.lt, "at_most": operator.le,
}  # fmt: skip


def with_values(expect: Expect, clauses: Clauses, places: Mapping[str, Extract], name: str = "") -> Expect:
    """Return what is expected where clauses must hold, too. Raise NotSaid where a plan cannot say them.

    places: those of the variables that the clauses compare. name: of the check.
    """
    allowed, values = _STATUSES, list[ValueCheck]()
    for clause in clauses:
        pairs = [(part, places.get(part.variable or "")) for part in clause]
        placed = [(part, place) for part, place in pairs if place is not None]
        kinds = {place.part for _, place in placed}
        if len(placed) < len(pairs) or len(kinds) != 1:
            raise NotSaid
        if kinds == {"status"}:
            allowed &= {status for status in _STATUSES if any(_allows(part, status) for part in clause)}
        else:
            first, *others = (_compared_at(part, place) for part, place in placed)
            alternatives = tuple(ValueComparison(**other) for other in others)
            values.append(ValueCheck(**first, others=alternatives, name=name or None))
    return replace(expect, status=_statuses(expect.status, allowed), values=(*expect.values, *values))


def _statuses(status: tuple[int, ...], allowed: frozenset[int]) -> tuple[int, ...]:
    """Return the statuses that a plan lists where these are allowed. Raise NotSaid for too many."""
    if allowed == _STATUSES or allowed & frozenset(_FINAL) == _GOOD:
        return status
    both = allowed & frozenset(status or _FINAL)
    if not both or len(both) > MOST_STATUSES:
        raise NotSaid
    return tuple(sorted(both))


def _allows(part: Comparison, status: int) -> bool:
    """Return whether a comparison of a status allows this one."""
    if (number := part.number) is not None:
        order, bound = number
        return _SIGNS[order](status, bound)
    return str(status) == part.equal if part.equal is not None else str(status) != part.other


def _compared_at(part: Comparison, place: Extract) -> dict[str, Any]:
    """Return the parts of the comparison of a value in its place of the answer."""
    own = {key.name: getattr(part, key.name) for key in fields(ComparedValue)}
    return own | {key.name: getattr(place, key.name) for key in fields(ValuePlace)}
