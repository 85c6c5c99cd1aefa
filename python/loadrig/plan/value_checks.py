"""Checks of values in an answer: places that values are taken from, and comparisons of what is there.

These classes are also the declaration of what may be written (see base.shape).
"""

from dataclasses import dataclass
from typing import ClassVar

from loadrig.base.shape import Forms, option
from loadrig.base.units import Count
from loadrig.plan.passages import COMPARED, ComparedValue

PLACES: tuple[tuple[str, ...], ...] = (
    ("json",), ("regex",), ("regex", "match"), ("header",), ("cookie",),
    ("css",), ("css", "attribute"), ("css", "match"), ("css", "attribute", "match"),
)  # fmt: skip
"""Keys that name a place in an answer together."""


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Place of a value in an answer, of exactly one kind."""

    json: str | None = option("JSON pointer (/a/0) or JSONPath ($.a[0]).", default=None, example='"$.a[0]"')
    regex: str | None = option(
        "Regular expression; its first group, else the match.",
        default=None,
        example='\'name="t" value="([^"]+)"\'',
    )
    header: str | None = option("Name of a header.", default=None, example="X-Token")
    cookie: str | None = option("Name of a cookie that the answer sets.", default=None, example="session")
    css: str | None = option(
        "CSS selector of an element of a page.", default=None, example="'form#login input[name=\"csrf\"]'"
    )
    attribute: str | None = option("Its attribute, instead of its text.", default=None, example="value")
    match: Count | None = option("Which match, instead of the first.", default=None, low=1, example="2")


@dataclass(frozen=True, slots=True)
class ValueComparison(ComparedValue, ValuePlace):
    """Comparison of a value in an answer with a text, a number or a pattern, or what must be there."""

    FORMS: ClassVar[Forms] = {
        "source": PLACES,
        "value": (*((key,) for key in COMPARED), ("matches",)),
    }
    pattern: str | None = option(
        "Regular expression that the whole value must match, which none does without a value.",
        default=None, key="matches", example="'[0-9]+'",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ValueCheck(ValueComparison):
    """Check of a value in an answer: a comparison, or another of these."""

    others: tuple[ValueComparison, ...] = option(
        "Others, of which one that holds will do instead.",
        default=(), key="or", example="{json: $.token, is_null: true}",
    )  # fmt: skip
    name: str | None = option(
        "Name of the check, which its failures are told by.", default=None, example="has token"
    )

    @property
    def comparisons(self) -> tuple[ValueComparison, ...]:
        """Comparisons of which one must hold."""
        return (self, *self.others)
