"""The JSON Schema of plans, for editors: made from the same declarations that the reader uses.

It knows less than the reader: holes, files, knobs of the target and goals on routes are not in it.
What it refuses the reader refuses too.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from loadrig.base import members
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_nouns import PlanSchemaTexts
from loadrig.plan.build import STRATEGIES
from loadrig.plan.forms import forms_of
from loadrig.plan.goals import measures
from loadrig.plan.kinds import (
    Amount,
    Anything,
    Either,
    Field,
    Kind,
    Listed,
    Mapped,
    Member,
    Notation,
    Plain,
    Shaped,
    Words,
    fields_of,
    options_of,
    short_of,
)
from loadrig.plan.model import StudyRules
from loadrig.plan.protocols import VERSIONS
from loadrig.plan.written import WrittenKnob, WrittenPlan

TEXTS = texts_of(PlanSchemaTexts)

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]

_DURATION = r"^\s*(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)\s*$"
_NUMBER = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?"
_AMOUNTS: Mapping[str, Schema] = {
    "duration": {"anyOf": [{"type": "string", "pattern": _DURATION}, {"const": 0}]},
    "rate": {
        "anyOf": [
            {"type": "number", "minimum": 0},
            {"type": "string", "pattern": rf"^\s*({_NUMBER}|[0-9.]+[kKmM])\s*(/\s*[0-9a-zµμ.]+)?\s*$"},
            {"enum": ["infinity", "max"]},
        ]
    },
    "share": {
        "anyOf": [
            {"type": "number", "minimum": 0, "maximum": 1},
            {"type": "string", "pattern": rf"^\s*{_NUMBER}\s*%?\s*$"},
        ]
    },
    "size": {
        "anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*(B|[kKMG]B|[KMG]iB)?\s*$"},
        ]
    },
    "count": {
        "anyOf": [
            {"type": "integer", "minimum": 0},
            {"type": "string", "pattern": r"^\s*[0-9_]+(\.[0-9]+)?[kKmM]?\s*$"},
        ]
    },
}
_SINGLE: Schema = {"type": ["string", "number", "boolean"]}
_PLAIN: Mapping[type, Schema] = {
    str: _SINGLE,  # a number where a text is wanted is taken as it is written
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}


def schema() -> Schema:
    """Return the JSON Schema of a whole plan, with the members that are installed here."""
    builder = _Builder()
    root = builder.shape(WrittenPlan)
    return {
        "$schema": DIALECT,
        "title": TEXTS.plan_of_loadrig,
        **root,
        "$defs": dict(sorted(builder.defs.items())),
    }


class _Builder:
    """Builder of schemas from kinds; each class comes once, under $defs."""

    def __init__(self) -> None:
        self.defs: dict[str, Schema] = {}

    def of(self, kind: Kind, field: Field | None = None) -> Schema:
        match kind:
            case Plain(type=python_type):
                return {**_PLAIN[python_type], **(_bounds(field) if python_type in (int, float) else {})}
            case Amount(name=name):
                return dict(_AMOUNTS[name])
            case Words(words=words):
                return {"enum": list(words)}
            case Listed(item=Member(room=room)):
                return self._many(room)
            case Listed(item=item):
                least = {"minItems": 1} if field is not None and field.is_required else {}
                single = self.of(item, field)
                return {"anyOf": [{"type": "array", "items": single, **least}, single]}
            case Mapped(item=item):
                return {"type": "object", "additionalProperties": self.of(item)}
            case Shaped(cls=cls):
                return self._named(cls)
            case Either(kinds=kinds):
                return {"anyOf": [self.of(inner) for inner in kinds]}
            case Anything():
                return {}
            case Member(room=room):
                return {"anyOf": self._one_of(room, least=1, most=1)}
            case Notation(schema=name):
                return self._notation(name)

    def shape(self, *classes: type[Any]) -> Schema:
        """Return the mapping form of classes whose keys stand in one mapping."""
        fields = [field for cls in classes for field in fields_of(cls)]
        shape: Schema = {
            "type": "object",
            "additionalProperties": False,
            "properties": {field.key: self._field(field) for field in fields},
        }
        required = [field.key for field in fields if field.is_required]
        if required:
            shape["required"] = required
        groups = [_forms(forms) for cls in classes for forms in forms_of(cls).values()]
        if groups:
            shape["allOf"] = groups
        return shape

    def _field(self, field: Field) -> Schema:
        declared = self.of(field.kind, field)
        if field.is_optional:
            declared = {"anyOf": [declared, {"type": "null"}]}
        return {"description": field.about(), **declared}

    def _named(self, cls: type[Any], *more: type[Any]) -> Schema:
        name = f"{cls.__module__.removeprefix('loadrig.')}.{cls.__name__}"
        if name not in self.defs:
            self.defs[name] = {}  # taken before it is filled, for a class that contains itself
            forms = [self.shape(cls, *more)]
            short = short_of(cls)
            if short is not None and _is_enough(cls, short):
                forms.append(self.of(short.kind, short))
            if not forms[0].get("required") and not forms[0].get("allOf"):
                forms.append({"type": "null"})
            self.defs[name] = {"anyOf": forms} if len(forms) > 1 else forms[0]
        return {"$ref": f"#/$defs/{name}"}

    def _one_of(self, room: str, least: int, most: int | None) -> list[Schema]:
        """Return a mapping of members to their options, or the bare name of one that needs no options."""
        mapping: Schema = {
            "type": "object",
            "additionalProperties": False,
            "minProperties": least,
            "properties": {name: self._named(options_of(room, name)) for name in members.names(room)},
        }
        if most is not None:
            mapping["maxProperties"] = most
        bare = [name for name in members.names(room) if not _needs(options_of(room, name))]
        return [mapping, {"enum": bare}] if bare else [mapping]

    def _many(self, room: str) -> Schema:
        several = self._one_of(room, least=0, most=None)
        return {"anyOf": [*several, {"type": "array", "items": {"anyOf": self._one_of(room, 1, 1)}}]}

    def _notation(self, name: str) -> Schema:
        match name:
            case "version":
                return {"const": 1}
            case "goal":
                names = "|".join(sorted(measure.replace(".", r"\.") for measure in measures()))
                return {"type": "string", "pattern": rf"^\s*({names})\s*(\{{[^}}]*\}})?\s*[<>]=?\s*\S.*$"}
            case "knob":
                return {"anyOf": [self._notation("values"), self.shape(WrittenKnob)]}
            case "values":
                return {"anyOf": [_SINGLE, {"type": "array", "items": _SINGLE, "minItems": 1}]}
            case "when":
                return {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {}}]}
            case "study":
                return self._study()
            case "http":
                return {"enum": [1.1, 2, *VERSIONS]}
        raise ValueError(f"there is no schema for the notation {name!r}")

    def _study(self) -> Schema:
        names = list(members.names(STRATEGIES))
        forms: list[Schema] = [{"enum": names}]
        for name in names:
            shape = self.shape(StudyRules, options_of(STRATEGIES, name))
            shape["properties"]["find"] = {
                "const": name,
                "description": shape["properties"]["find"]["description"],
            }
            if name != "one_trial":
                shape["required"] = sorted({*shape.get("required", []), "find"})
            forms.append(shape)
        return {"anyOf": forms}


def _forms(forms: tuple[tuple[str, ...], ...]) -> Schema:
    """Return a schema of exactly one form, whole: its keys are there and those of the others are not."""
    keys = dict.fromkeys(key for form in forms for key in form)
    choices = []
    for form in forms:
        others = [key for key in keys if key not in form]
        choice: Schema = {"required": list(form)} if form else {}
        if others:
            choice["not"] = {"anyOf": [{"required": [key]} for key in others]}
        choices.append(choice)
    return {"oneOf": choices}


def _is_enough(cls: type[Any], short: Field) -> bool:
    """Return whether the short form alone says all that the class's FORMS ask for."""
    return all(() in forms or (short.key,) in forms for forms in forms_of(cls).values())


def _bounds(field: Field | None) -> Schema:
    bounds: Schema = {}
    if field is not None and field.low is not None:
        bounds["minimum"] = field.low
    if field is not None and field.high is not None:
        bounds["maximum"] = field.high
    return bounds


def _needs(cls: type[Any]) -> bool:
    return any(field.default is MISSING and field.default_factory is MISSING for field in fields(cls))
