"""Nouns that the errors of `plan` insert into sentences, in English."""

from collections.abc import Mapping
from typing import ClassVar


class PlanNodeTexts:
    """Nouns of `plan.node`: what was written, where it is no single value."""

    nothing = "nothing"
    a_list = "a list"
    a_mapping = "a mapping"


class PlanKindsTexts:
    """Nouns of `plan.kinds`: what a value is called, by its kind."""

    text = "a text"
    whole_number = "a whole number"
    number = "a number"
    true_or_false = "true or false"
    value = "a value"
    mapping = "a mapping"
    some_text = "some text"

    rooms: ClassVar[Mapping[str, str]] = {
        "target": "target",
        "probe": "probe",
        "profiler": "profiler",
        "strategy": "strategy",
    }

    def listed(self, noun: str) -> str:
        return f"{noun} or a list of such"

    def short_or_mapping(self, noun: str) -> str:
        return f"{noun} or a mapping"

    def name_of(self, room: str) -> str:
        return f"the name of a {room}"

    def either(self, others: str, last: str) -> str:
        return f"{others} or {last}"

    def all_of(self, others: str, last: str) -> str:
        return f"{others} and {last}"


class PlanSchemaTexts:
    """Nouns of `plan.schema`."""

    plan_of_loadrig = "A plan of loadrig"


class PlanWrittenTexts:
    """Nouns of `plan.written`: values with a notation of their own."""

    http_version = "1.1 or 2"
    values = "a value or a list of such"
    knob = "a list, a range or a mapping"
    goal = "a goal"
    study = "the name of a strategy or a mapping"
    list_or_range = "a list or a range"
    condition = "a condition"
