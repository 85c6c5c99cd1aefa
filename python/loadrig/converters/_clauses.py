"""Conditions of a test that are joined by "and", "or" and "not", as a plan has them.

A condition is a sequence of clauses, which must all hold, each by one of its comparisons at least.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace

from loadrig.plan.passages import Comparison, Condition, Conditions, Having, Order

MOST_ALTERNATIVES = 16
"""Conditions of a plan that one of a test becomes at most, and alternatives of each: brackets multiply
them."""

Clauses = tuple[tuple[Comparison, ...], ...]
"""Alternatives, of each of which one must hold: none of them always holds, and one that is empty never."""

ALWAYS: Clauses = ()
NEVER: Clauses = ((),)
"""Clauses that hold whatever answers say, and those that never do."""

_OPPOSITE: Mapping[Order, Order] = {
    "above": "at_most", "at_most": "above", "below": "at_least", "at_least": "below",
}  # fmt: skip


class NotSaid(ValueError):
    """Part of a condition that a plan cannot say."""


def as_conditions(clauses: Clauses) -> Conditions:
    """Return clauses as a plan has them; none where one of them never holds."""
    return tuple(map(Condition.any_of, clauses)) if all(clauses) else ()


def opposite(conditions: Conditions) -> Conditions:
    """Return conditions that hold where not all of these do; none where they would be too many."""
    try:
        return as_conditions(negated(tuple(condition.comparisons for condition in conditions)))
    except NotSaid:
        return ()


def negated(clauses: Clauses) -> Clauses:
    """Return clauses that hold where not all of these do. Raise NotSaid where they would be too many."""
    # Counted first: brackets within brackets may mean any number.
    if math.prod(map(len, clauses)) > MOST_ALTERNATIVES:
        raise NotSaid
    choices = itertools.product(*clauses)
    return _bounded(tuple(tuple(opposite_of(part) for part in choice) for choice in choices))


def either(some: Clauses, others: Clauses) -> Clauses:
    """Return clauses that hold where all of one or of the other do. Raise NotSaid where they are too many."""
    return _bounded(tuple(clause + other for clause in some for other in others))


def both(some: Clauses, others: Clauses) -> Clauses:
    """Return clauses that hold where all of these do. Raise NotSaid where they are too many."""
    return _bounded(some + others)


def _bounded(clauses: Clauses) -> Clauses:
    if len(clauses) > MOST_ALTERNATIVES or any(len(clause) > MOST_ALTERNATIVES for clause in clauses):
        raise NotSaid
    return clauses


def opposite_of(part: Comparison) -> Comparison:
    """Return the comparison that holds where this one does not."""
    if part.latest is not None:
        return Comparison(latest="failed" if part.latest == "ok" else "ok")
    if (having := part.having) is not None:
        key, is_so = having
        return having_of(part.variable, key, is_so=not is_so)
    if (number := part.number) is not None:
        order, value = number
        return placed(part.variable, _OPPOSITE[order], value)
    return replace(part, equal=part.other, other=part.equal)


def having_of(variable: str | None, key: Having, *, is_so: bool) -> Comparison:
    """Return the comparison that asks whether a variable has a value, one that is true, or null."""
    match key:
        case "is_set":
            return Comparison(variable, is_set=is_so)
        case "is_true":
            return Comparison(variable, is_true=is_so)
        case "is_null":
            return Comparison(variable, is_null=is_so)


def placed(variable: str | None, order: Order, number: float) -> Comparison:
    """Return the comparison of a variable with a number by its place."""
    match order:
        case "above":
            return Comparison(variable, above=number)
        case "at_least":
            return Comparison(variable, at_least=number)
        case "below":
            return Comparison(variable, below=number)
        case "at_most":
            return Comparison(variable, at_most=number)
