"""Documents: what is written to disk or printed as JSON, as frozen types with their descriptions and schema.

A document is a class that derives from `Document` with `frozen=True`. A field's meaning is the description in
its annotation: `total_ms: Annotated[float, Says("how long a request takes")]`. A field that may be left out
of the JSON has the type `T | Absent` and the value `ABSENT`. Reading ignores fields that it does not know, so
that a document of a newer loadrig can be read as far as it is known.
"""

import inspect
import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from loadrig.base.base_texts import texts
from loadrig.base.errors import PlanError

T = TypeVar("T")

Absent = msgspec.UnsetType
ABSENT = msgspec.UNSET


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """Part of what is written as JSON: an object with these fields."""


def Says(description: str) -> msgspec.Meta:  # noqa: N802  it stands where a class stands, in an annotation
    """Return the description of a field, for its annotation, the schema and the reference."""
    return msgspec.Meta(description=description)


def finite(value: float | None) -> float | None:
    """Return a number as JSON has it: None where it is infinite or no number."""
    return float(value) if value is not None and math.isfinite(value) else None


def plain(document: Any) -> Any:
    """Return a document, or a collection of documents, as dictionaries, tuples and values that JSON has."""
    return msgspec.to_builtins(document, enc_hook=_as_float)


def _as_float(value: Any) -> float:
    """Return a number of another library that is a float by inheritance as a float, as JSON has it."""
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no place in a document")


def typed(kind: type[T], value: Any, where: str) -> T:
    """Return plain data as a document of a kind.

    where: file, or file and place in it, for the error. Raises PlanError (`recording.broken`) where a field
    is missing or has another type.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        wording = texts().unreadable_document(where, str(error))
        raise PlanError.of(wording, code="recording.broken") from error


def schema_of(kind: type[Document]) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a kind of document."""
    schema: dict[str, Any] = msgspec.json.schema(kind)
    for inner in schema["$defs"].values():
        if "description" in inner:
            inner["description"] = inspect.cleandoc(inner["description"])
    return schema


def descriptions_of(kind: type[Any]) -> Mapping[str, str]:
    """Return the description of each field that has one, by name, in the order of the fields.

    kind: a document, or a dataclass in it.
    """
    hints = msgspec.inspect.type_info(kind)
    if not isinstance(hints, msgspec.inspect.StructType | msgspec.inspect.DataclassType):
        raise TypeError(f"{kind} is no document")
    return {
        field.encode_name: str(field.type.extra_json_schema["description"])
        for field in hints.fields
        if isinstance(field.type, msgspec.inspect.Metadata)
        and field.type.extra_json_schema
        and "description" in field.type.extra_json_schema
    }


def fields_of(kind: type[Document]) -> Iterator[tuple[str, str]]:
    """Yield the path and the meaning of every field of a document, and of the documents in it.

    The fields of a document that stands at several places come after the first one; the others point there.
    NAME in a path is a key of a mapping.
    """
    schemas = schema_of(kind)["$defs"]
    first_places: dict[str, str] = {}

    def fields(name: str, above: str) -> Iterator[tuple[str, str]]:
        for field, schema in schemas[name]["properties"].items():
            path, meaning = f"{above}{field}", str(schema.get("description", ""))
            inner, key = _document_in(schema)
            if inner in first_places:
                yield path, f"{meaning}; in the form of `{first_places[inner]}`"
                continue
            yield path, meaning
            if inner:
                first_places[inner] = path + key
                yield from fields(inner, f"{path}{key}.")

    return fields(kind.__name__, "")


def _document_in(schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return the name of the document that a field holds, or "", and what of its path follows the field."""
    match schema:
        case {"$ref": str(reference)}:
            return reference.rpartition("/")[2], ""
        case {"items": dict(items)}:
            return _document_in(items)
        case {"additionalProperties": dict(values)}:
            inner, key = _document_in(values)
            return inner, f".NAME{key}"
        case {"anyOf": list(options)}:
            return next((place for option in options if (place := _document_in(option))[0]), ("", ""))
    return "", ""
