"""Steps that are made, or made again, as answers say: by conditions on variables that requests extract."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar, Literal

from loadrig.base.shape import Forms, option
from loadrig.base.units import Count

if TYPE_CHECKING:
    from loadrig.plan.requests import Request

ROUNDS = 100
"""Rounds at most where a plan names no number: an answer that never comes must not hold a user for good."""

MOST_ROUNDS = 100_000
"""Rounds that a plan can ask for: a day with one in each second has fewer."""


Order = Literal["above", "at_least", "below", "at_most"]
"""Place of a number beside another."""

ORDERS: tuple[Order, ...] = ("above", "at_least", "below", "at_most")
"""All of them, in the order in which they are looked for: a comparison has one."""

Having = Literal["is_set", "is_true", "is_null"]
"""Key of a comparison that asks what a variable has, and not for a text or a number."""

HAVINGS: tuple[Having, ...] = ("is_set", "is_true", "is_null")
"""All of them, in the order in which they are looked for: a comparison has one."""

COMPARED = ("is", "is_not", *ORDERS, *HAVINGS)
"""Keys of comparisons of a value; each comparison has one."""


@dataclass(frozen=True, kw_only=True)
class ComparedValue:
    """Comparison of a value with a text or a number, or what it must have.

    Without slots, as a class has only one base with them.
    """

    equal: str | None = option(
        "Text that it must be; without a value it is none.", default=None, key="is", example="done"
    )
    other: str | None = option(
        "Text that it must not be, as it is without a value.", default=None, key="is_not", example="pending"
    )
    above: float | None = option(
        "Number that it must be greater than, which a text is not.", default=None, example="0"
    )
    at_least: float | None = option(
        "Number that it must at least be, which a text is not.", default=None, example="1"
    )
    below: float | None = option(
        "Number that it must be less than, which a text is not.", default=None, example="10"
    )
    at_most: float | None = option(
        "Number that it must at most be, which a text is not.", default=None, example="9"
    )
    is_set: bool | None = option(
        "Whether it must have a value, be that empty, 0 or false; null is none.", default=None, example="true"
    )
    is_true: bool | None = option(
        "Whether it must have a value that JavaScript takes as true: none that is empty, 0 or false of JSON.",
        default=None,
        example="true",
    )
    is_null: bool | None = option(
        "Whether it must be null in the JSON of the answer; what is missing is not.",
        default=None,
        example="true",
    )

    @property
    def having(self) -> tuple[Having, bool] | None:
        """Return what the value must have, or must not; None where it is compared otherwise."""
        answers = ((key, getattr(self, key)) for key in HAVINGS)
        return next(((key, is_so) for key, is_so in answers if is_so is not None), None)

    @property
    def number(self) -> tuple[Order, float] | None:
        """Number that the value is compared with, and how; None where it is compared otherwise."""
        return next(((order, value) for order in ORDERS if (value := getattr(self, order)) is not None), None)


@dataclass(frozen=True, slots=True)
class ComparedVariable:
    """Variable that a comparison is about."""

    variable: str | None = option(
        "Variable that a request extracts from its answer.", default=None, example="state"
    )


@dataclass(frozen=True, slots=True)
class Comparison(ComparedValue, ComparedVariable):
    """Comparison of a variable with a text or a number, what it has, or how the latest request ended."""

    FORMS: ClassVar[Forms] = {"value": (*(("variable", key) for key in COMPARED), ("latest",))}
    latest: Literal["ok", "failed"] | None = option(
        "How the user's latest request must have ended.", default=None, example="ok"
    )


@dataclass(frozen=True, slots=True)
class Condition(Comparison):
    """Comparison of a variable, what it has, or how the latest request ended; or another of these."""

    others: tuple[Comparison, ...] = option(
        "Others, of which one that holds will do instead.",
        default=(), key="or", example="{variable: state, is: failed}",
    )  # fmt: skip

    @classmethod
    def any_of(cls, parts: Sequence[Comparison]) -> "Condition":
        """Return the condition that one of these, of which there is at least one, holds."""
        first, *others = parts
        values = {part.name: getattr(first, part.name) for part in fields(Comparison)}
        return cls(**values, others=tuple(others))

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Comparisons of which one must hold."""
        return (self, *self.others)


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
