"""Errors of `plan.reader`, `plan.forms` and `plan.synonyms` in English."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from loadrig.base.error_words import ErrorWords


class PlanReaderErrors:
    value_of_flag = "the value"
    only_true_and_false = "only true and false are yes and no in YAML 1.2"

    def item(self, number: int, name: str) -> str:
        return f"item {number} of {name}"

    def brace_is_mapping(self, key: str) -> str:
        return f'a text that begins with a brace is a mapping to YAML; quote it: "{{{key}}}"'

    def out_of_range(self, name: str, text: str, low: str, high: str) -> ErrorWords:
        bounds = (
            f"between {low} and {high}" if low and high else f"at least {low}" if low else f"at most {high}"
        )
        return ErrorWords(what=f"{name} is {text}; it must be {bounds}", mend=f"write a value {bounds}")

    def unknown_word(self, name: str, shown: str, words: str, close: str | None) -> ErrorWords:
        return ErrorWords(what=f"{name} is {shown}; it must be {words}", mend=f"write {close or words}")

    def no_value(self, name: str, noun: str, why: str, example: str) -> ErrorWords:
        return ErrorWords(what=f"{name} has no value; it takes {noun}", mend=f"write {example}", why=why)

    def other_kind(self, name: str, shown: str, noun: str, why: str, example: str) -> ErrorWords:
        return ErrorWords(what=f"{name} is {shown}, not {noun}", mend=f"write {example}", why=why)

    def empty_list(self, name: str, example: str) -> ErrorWords:
        return ErrorWords(what=f"{name} is empty", mend=f"write at least one: {example}")

    def missing_key(self, name: str, key: str, example: str, doc: str) -> ErrorWords:
        return ErrorWords(what=f"{name} lacks {key}", mend=f"add {key}: {example}", why=doc)

    def unknown_key(self, name: str, key: str, keys: str, close: str | None, elsewhere: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} has no key {key}",
            mend=f"write {close}" if close else elsewhere or "leave it out",
            why=f"its keys are {keys}" if keys else "it takes no keys",
        )

    def not_exactly_one_member(self, name: str, count: int, members: str, example: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} names {count or 'none'}; it takes exactly one",
            mend=f"write one of them: {example}",
            why=f"there are {members}",
        )

    def unknown_member(self, room: str, name: str, members: Sequence[str], close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"there is no {room} {name!r}",
            mend=f"write {close or ' or '.join(members)}",
            why=f"there are {', '.join(members)}",
        )


class PlanFormsErrors:
    groups: ClassVar[Mapping[str, str]] = {
        "arrivals": "arrivals",
        "body": "body",
        "end": "end",
        "length": "length",
        "method": "method",
        "number": "number",
        "rate": "rate",
        "requests": "requests",
        "server": "server",
        "source": "source",
        "value": "value",
    }

    def key_with_others(self, key: str, others: str) -> str:
        return f"{key} with {others}"

    def missing_group(self, name: str, group: str, forms: str) -> ErrorWords:
        return ErrorWords(what=f"{name} does not say its {group}", mend=f"add {forms}")

    def group_twice(
        self, name: str, group: str, written: str, first: str, first_line: str, forms: str
    ) -> ErrorWords:
        return ErrorWords(
            what=f"{name} says its {group} twice: {written}",
            mend=f"keep one: {forms}",
            why=f"{first} stands at line {first_line}" if first_line else "",
        )

    def incomplete_form(self, name: str, missing: str, form: str, addition: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name} lacks {missing}",
            mend=f"add {addition}",
            why=f"{form} go together",
        )


class PlanSynonymsErrors:
    """Advice of `plan.synonyms`: where a key of another tool stands in a plan."""

    def at_the_top(self, example: str) -> str:
        return f"write at the top of the plan: {example}"

    def in_the_load(self, example: str) -> str:
        return f"write it in the load: {example}"
