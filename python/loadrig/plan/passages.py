"""Steps that are made, or made again, as answers say: by conditions on variables that requests extract."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from loadrig.base.shape import Forms, option
from loadrig.base.units import Count

if TYPE_CHECKING:
    from loadrig.plan.model import Request

ROUNDS = 100
"""Rounds at most where a plan names no number: an answer that never comes must not hold a user for good."""

MOST_ROUNDS = 100_000
"""Rounds that a plan can ask for: a day with one in each second has fewer."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Value that a variable has, or has not. A variable without a value equals nothing."""

    FORMS: ClassVar[Forms] = {"value": (("is",), ("is_not",))}
    variable: str = option("Variable that a request extracts from its answer.", example="state")
    equal: str | None = option("Text that it must be.", default=None, key="is", example="done")
    other: str | None = option("Text that it must not be.", default=None, key="is_not", example="pending")

    @property
    def value(self) -> str:
        """Text that the variable is compared with."""
        return self.equal if self.equal is not None else self.other or ""


Conditions = tuple[Condition, ...]
"""Conditions that must all hold."""


@dataclass(frozen=True, slots=True)
class When:
    """Condition under which a step, and those behind it up to another one, are made."""

    holds: Conditions = option("What must hold before them.", example="{variable: state, is: ready}")
    through: str | None = option(
        "Name of the last of these steps; by default there is only this one.", default=None, example="pay"
    )


@dataclass(frozen=True, slots=True)
class Repeat:
    """Rounds through a step, and those behind it up to another one, which answers end."""

    FORMS: ClassVar[Forms] = {"end": (("while",), ("until",))}
    going: Conditions = option(
        "What must hold before each round, the first one included.",
        default=(), key="while", example="{variable: state, is_not: done}",
    )  # fmt: skip
    until: Conditions = option(
        "What must hold after a round for it to be the last; the first round is always made.",
        default=(), example="{variable: state, is: done}",
    )  # fmt: skip
    through: str | None = option(
        "Name of the last step of a round; by default there is only this one.", default=None, example="poll"
    )
    at_most: Count = option(
        "Rounds at most: after them the user goes on.", default=Count(ROUNDS), low=1, high=MOST_ROUNDS
    )


@dataclass(frozen=True, slots=True)
class Passage:
    """Steps of a scenario by their places. rule: what decides about them."""

    first: int
    last: int
    rule: When | Repeat

    @property
    def may_be_left_out(self) -> bool:
        """Whether there are loops in which it is not made at all."""
        return isinstance(self.rule, When) or bool(self.rule.going)


def passages(steps: Sequence["Request"]) -> Iterator[Passage]:
    """Yield the passages of a scenario; one whose last step is not among those behind its first has none.

    Its `last` is then -1.
    """
    for first, step in enumerate(steps):
        for rule in (step.when, step.repeat):
            if rule is not None:
                behind = range(first, len(steps)) if rule.through else (first,)
                named = (place for place in behind if rule.through in (None, steps[place].name))
                yield Passage(first, next(named, -1), rule)
