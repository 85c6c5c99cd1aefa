from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords


class PlanAmountsErrors:
    """Errors of `plan.amounts`."""

    nouns: ClassVar[Mapping[str, str]] = {
        "duration": "a duration",
        "rate": "a rate",
        "share": "a share",
        "size": "a size",
        "count": "a count",
    }
    forms: ClassVar[Mapping[str, str]] = {
        "duration": "300ms, 10s, 1m30s or 2h",
        "rate": "1000, 1000/1s or 50/1m",
        "share": "5% or 0.05",
        "size": "512, 64kB or 1MiB",
        "count": "200, 10k or 1m",
    }

    def short_or_long(self, number: str) -> str:
        return f"{number}ms or {number}s"

    def long_or_other(self, number: str) -> str:
        return f"{number}s (or {number}ms, {number}m)"

    def not_that_amount(self, key: str, shown: str, noun: str, forms: str) -> ErrorWords:
        return ErrorWords(what=f"{key} is {shown}, not {noun}", mend=f"write {forms}")

    def negative_amount(self, key: str, text: str, noun: str, forms: str) -> ErrorWords:
        return ErrorWords(what=f"{key} is {text}; {noun} cannot be negative", mend=f"write {forms}")

    def too_great(self, key: str, text: str, noun: str, most: str) -> ErrorWords:
        return ErrorWords(
            what=f"{key} is {text}; {noun} is at most {most}",
            mend=f"write at most {most}",
            why="the generator cannot count further",
        )

    def no_unit(self, key: str, number: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"{key} is {number} without a unit",
            mend=f"write {meant}",
            why="a duration is written with its unit, so that no one has to guess",
        )

    def share_above_one(self, key: str, number: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"{key} is {number}; a share is 0 to 1, or a percentage", mend=f"write {meant}"
        )

    def other_amount(self, key: str, text: str, other_noun: str, noun: str, forms: str) -> ErrorWords:
        return ErrorWords(what=f"{key} is {text}, {other_noun}; it takes {noun}", mend=f"write {forms}")

    def broken_count(self, key: str, number: str, forms: str) -> ErrorWords:
        return ErrorWords(what=f"{key} is {number}; a count is a whole number", mend=f"write {forms}")
