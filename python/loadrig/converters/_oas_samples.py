"""Values for a schema of OpenAPI: those that the document gives, else made up with the right type and format.

Source: OpenAPI 3.0.4, 4.7.24 (Schema Object) and 3.1.1, 4.8.24; JSON Schema 2020-12.
"""

import math
from collections.abc import Iterator

from loadrig.base.masks import is_secret_name
from loadrig.converters._document import JsonValue, list_of, object_of, text_in
from loadrig.converters._jmx_text import MOST_NUMBER
from loadrig.converters._oas_refs import DocumentReferences
from loadrig.converters._secret_holes import secret_hole

MOST_MADE = 500
"""Values that are made up for one body at most: schemas that name each other mean any number."""

DEEPEST_MADE = 16
"""Depth of a made-up value at most."""

MOST_ITEMS = 10
"""Items of a made-up list at most."""

MOST_LETTERS = 1_000
"""Letters of a made-up text at most."""


class Nothing:
    """Absence of a value: a schema that has none without end, or outside the document."""


NOTHING = Nothing()

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "PT1M",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "email": "user@example.com",
    "idn-email": "user@example.com",
    "uri": "http://example.com/",
    "url": "http://example.com/",
    "iri": "http://example.com/",
    "uri-reference": "/",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": "bG9hZHJpZw==",
    "json-pointer": "/a",
    "regex": "a",
}
"""Made-up texts by the format that a schema wants. Addresses are those that standards set aside."""

_TEXT = "text"


class SchemaSampler:
    """Maker of one value. made: places whose values are made up; unlike: those that follow no pattern.

    secrets: places that a person has to fill in. part_headers: fields of a form whose headers are left out.
    is_cut: whether something was left out to have an end.
    """

    def __init__(self, references: DocumentReferences) -> None:
        self.made: list[str] = []
        self.unlike: list[str] = []
        self.secrets: list[str] = []
        self.part_headers: list[str] = []
        self.is_cut = False
        self._references = references
        self._left = MOST_MADE
        self._within: list[str] = []

    def followed(self, part: JsonValue) -> dict[str, JsonValue]:
        """Return a part of the document, or the one that it refers to."""
        return self._references.followed(part)

    def example(self, part: JsonValue) -> JsonValue | Nothing:
        """Return the example of a parameter or of a type of content; the first of several."""
        part = object_of(part)
        if "example" in part:
            return part["example"]
        for example in object_of(part.get("examples")).values():
            meant = self._references.followed(example)
            if "value" in meant:
                return meant["value"]
        return NOTHING

    def value(self, schema: JsonValue, place: str, depth: int = 0) -> JsonValue | Nothing:
        """Return a value for a schema. place: its name, by which notes call it."""
        self._left -= 1
        if self._left < 0 or depth > DEEPEST_MADE:
            self.is_cut = True
            return NOTHING
        before = len(self._within)
        flat = self._flat(schema, depth)
        try:
            return NOTHING if flat is None else self._of_flat(flat, place, depth)
        finally:
            del self._within[before:]

    def _of_flat(self, flat: dict[str, JsonValue], place: str, depth: int) -> JsonValue | Nothing:
        for key in ("example", "const", "default"):
            if key in flat:
                return flat[key]
        for key in ("examples", "enum"):
            if values := [value for value in list_of(flat.get(key)) if value is not None]:
                return values[0]
        match _type_of(flat):
            case "object":
                return self._object(flat, place, depth)
            case "array":
                return self._array(flat, place, depth)
            case "boolean":
                self.made.append(place)
                return True
            case "integer" | "number":
                self.made.append(place)
                return _number(flat)
            case "null":
                return None
            case _:
                return self._text(flat, place)

    def _flat(self, schema: JsonValue, depth: int) -> dict[str, JsonValue] | None:
        """Return a schema with what it refers to and what it is made of; None where it means itself."""
        self._left -= 1
        if self._left < 0 or depth > 2 * DEEPEST_MADE:
            self.is_cut = True
            return None
        flat = dict(object_of(schema))
        if isinstance(name := flat.pop("$ref", None), str):
            if name in self._within:
                self.is_cut = True
                return None
            target = self._references.target(name)
            if target is None:
                return None
            self._within.append(name)
            inner = self._flat(target, depth + 1)
            return None if inner is None else {**inner, **flat}
        for part in list_of(flat.pop("allOf", None)):
            if (inner := self._flat(part, depth + 1)) is not None:
                flat = _both(flat, inner)
        return self._chosen(flat, depth)

    def _chosen(self, flat: dict[str, JsonValue], depth: int) -> dict[str, JsonValue]:
        """Return a schema with the first of its choices that has a value."""
        for key in ("oneOf", "anyOf"):
            for option in list_of(flat.pop(key, None)):
                before = len(self._within)
                inner = self._flat(option, depth + 1)
                if inner is None or inner.get("type") == "null":
                    del self._within[before:]
                    continue
                chosen = _both(flat, inner)
                told_apart = object_of(flat.get("discriminator")).get("propertyName")
                if isinstance(told_apart, str) and (name := object_of(option).get("$ref")):
                    word = _discriminating(object_of(flat["discriminator"]), text_in(name))
                    own = {told_apart: {"const": word}}
                    chosen["properties"] = {**object_of(chosen.get("properties")), **own}
                return chosen
        return flat

    def _object(self, flat: dict[str, JsonValue], place: str, depth: int) -> dict[str, JsonValue]:
        properties = object_of(flat.get("properties"))
        required = [name for name in list_of(flat.get("required")) if isinstance(name, str)]
        values: dict[str, JsonValue] = {}
        for name in _wanted(properties, required):
            schema = properties.get(name, {})
            if object_of(schema).get("readOnly") is True:
                continue
            value = self.value(schema, f"{place}.{name}" if place else name, depth + 1)
            if not isinstance(value, Nothing):
                values[name] = value
        return values

    def _array(self, flat: dict[str, JsonValue], place: str, depth: int) -> list[JsonValue]:
        least, most = (_whole(flat.get(key)) for key in ("minItems", "maxItems"))
        count = min(max(1, least or 0), MOST_ITEMS if most is None else most, MOST_ITEMS)
        schemas = [*list_of(flat.get("prefixItems")), *[flat.get("items", {})] * count][:count]
        values = [
            self.value(schema, f"{place}[{number}]", depth + 1) for number, schema in enumerate(schemas)
        ]
        return [value for value in values if not isinstance(value, Nothing)]

    def _text(self, flat: dict[str, JsonValue], place: str) -> str:
        form = text_in(flat.get("format"))
        name = place.rpartition(".")[2]
        if form == "password" or (not form and is_secret_name(name)):
            self.secrets.append(name)
            return secret_hole(name)
        self.made.append(place)
        if "pattern" in flat:
            self.unlike.append(place)
        text = _FORMATS.get(form, _TEXT)
        least, most = (_whole(flat.get(key)) for key in ("minLength", "maxLength"))
        if form not in _FORMATS:
            text = text.ljust(min(least or 0, MOST_LETTERS), "x")[:most]
        return text


def _both(schema: dict[str, JsonValue], other: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return two schemas that hold together as one; the first decides where they differ."""
    merged = {**other, **schema}
    properties = {**object_of(other.get("properties")), **object_of(schema.get("properties"))}
    required = [*list_of(other.get("required")), *list_of(schema.get("required"))]
    return {
        **merged,
        **({"properties": properties} if properties else {}),
        **({"required": required} if required else {}),
    }


def _discriminating(discriminator: dict[str, JsonValue], reference: str) -> str:
    """Return the word by which a choice is told apart."""
    for word, target in object_of(discriminator.get("mapping")).items():
        if target in (reference, reference.rpartition("/")[2]):
            return word
    return reference.rpartition("/")[2]


def _wanted(properties: dict[str, JsonValue], required: list[str]) -> Iterator[str]:
    """Yield the properties that are sent: required ones and those with an example, else all."""
    if not required:
        yield from properties
        return
    yield from dict.fromkeys(required)
    for name, schema in properties.items():
        if name not in required and object_of(schema).keys() & {"example", "examples"}:
            yield name


def _type_of(flat: dict[str, JsonValue]) -> str:
    """Return the type of a schema: the first that is not null, or what its other keys speak of."""
    types = flat.get("type")
    for kind in types if isinstance(types, list) else [types]:
        if isinstance(kind, str) and (kind != "null" or types == "null"):
            return kind
    if flat.keys() & {"properties", "required", "additionalProperties"}:
        return "object"
    if flat.keys() & {"items", "prefixItems"}:
        return "array"
    if flat.keys() & {"minimum", "maximum", "multipleOf"}:
        return "number"
    return "string"


def _number(flat: dict[str, JsonValue]) -> int | float:
    """Return a number within the bounds of a schema, a whole one where that is possible."""
    low, high = _lowest(flat), _highest(flat)
    value: int | float = 1
    if low is not None and value < low:
        value = math.ceil(low)
    if high is not None and value > high:
        value = math.floor(high)
    if low is not None and high is not None and not low <= value <= high:
        value = (low + high) / 2
    step = _real(flat.get("multipleOf"))
    if step is not None and step > 0 and abs(value) / step < MOST_NUMBER:
        value = math.ceil(value / step) * step
        value = int(value) if value == int(value) else value
    return value


_STEP = 1
"""Distance from a bound that is itself not allowed."""


def _lowest(flat: dict[str, JsonValue]) -> int | float | None:
    """Return the least number of a schema. `exclusiveMinimum` is a word of 3.0, and a number of 3.1."""
    low, beyond = _real(flat.get("minimum")), flat.get("exclusiveMinimum")
    if low is not None and beyond is True:
        return low + _STEP
    if (open_bound := _real(beyond)) is not None:
        return open_bound + _STEP
    return low


def _highest(flat: dict[str, JsonValue]) -> int | float | None:
    """Return the greatest number of a schema."""
    high, beyond = _real(flat.get("maximum")), flat.get("exclusiveMaximum")
    if high is not None and beyond is True:
        return high - _STEP
    if (open_bound := _real(beyond)) is not None:
        return open_bound - _STEP
    return high


def _real(value: JsonValue) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
