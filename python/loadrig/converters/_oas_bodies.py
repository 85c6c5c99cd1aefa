"""Bodies of OpenAPI's operations: JSON, forms, and texts that have an example."""

import json
from dataclasses import dataclass
from typing import Any

from loadrig.converters._address import one_line
from loadrig.converters._document import JsonValue, object_of, text_in
from loadrig.converters._jmx_bodies import encoded_form
from loadrig.converters._jmx_multipart import BOUNDARY, FormField, FormFile, body_of
from loadrig.converters._oas_parameters import RESERVED, encoded, in_query, template
from loadrig.converters._oas_samples import Nothing, SchemaSampler
from loadrig.converters._pieces import Hole, Piece
from loadrig.converters._secret_holes import HoleText
from loadrig.plan.holes import literal

DEEPEST_JSON = 30
"""Depth of a body that a plan writes as `json`, at most; a deeper one is a text."""

MADE_FILE = b"loadrig\n"
"""Content of a file that is made up for a form."""

FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"

JSON_KINDS = ("application/json", "application/*", "*/*")


@dataclass(frozen=True, slots=True)
class DocumentBody:
    """Body of a request: a part of `WrittenRequest`, and its type; an empty type where the part says it."""

    parts: dict[str, Any]
    kind: str = ""


def is_json(kind: str) -> bool:
    """Return whether a type of content is JSON."""
    bare = kind.partition(";")[0].strip().lower()
    return bare in JSON_KINDS or bare.endswith("+json")


def preferred(kinds: list[str]) -> list[str]:
    """Return the types of a body's content, those first that a plan writes best."""
    return sorted(kinds, key=lambda kind: (not is_json(kind), FORM not in kind, MULTIPART not in kind))


def body(kind: str, media: JsonValue, sampler: SchemaSampler) -> DocumentBody | None:
    """Return a body of a type; None where there is no value for it."""
    media = object_of(media)
    value = sampler.example(media)
    bare = kind.partition(";")[0].strip().lower()
    can_be_made = is_json(kind) or bare in (FORM, MULTIPART)
    if isinstance(value, Nothing) and "schema" in media:
        sample = sampler.value(media["schema"], "")
        if can_be_made or not (sampler.made or sampler.secrets):
            value = sample
    if isinstance(value, Nothing):
        return None
    if is_json(kind):
        return _json_body(kind, value)
    if bare == FORM:
        return _form(value, media, sampler)
    if bare == MULTIPART:
        return _multipart(value, media, sampler)
    return DocumentBody({"body": template(value, str)}, kind) if isinstance(value, str) and value else None


def json_template(value: JsonValue) -> str:
    """Return data as a text of JSON with its braces doubled, in which holes stay."""
    match value:
        case dict():
            inner = ", ".join(
                f"{literal(json.dumps(key, ensure_ascii=False))}: {json_template(item)}"
                for key, item in value.items()
            )
            return "{{" + inner + "}}"
        case list():
            return "[" + ", ".join(map(json_template, value)) + "]"
        case HoleText():
            return f'"{value}"'
        case _:
            return literal(json.dumps(value, ensure_ascii=False))


def templates(value: JsonValue) -> JsonValue:
    """Return data whose texts are templates."""
    match value:
        case dict():
            return {literal(key): templates(item) for key, item in value.items()}
        case list():
            return [templates(item) for item in value]
        case HoleText():
            return str(value)
        case str():
            return literal(value)
        case _:
            return value


def _json_body(kind: str, value: JsonValue) -> DocumentBody:
    own = "" if kind in JSON_KINDS else kind
    if isinstance(value, dict | list) and _depth(value) <= DEEPEST_JSON:
        return DocumentBody({"json": templates(value)}, own)
    if isinstance(value, str) and not isinstance(value, HoleText) and value.lstrip()[:1] in ("{", "["):
        # An example of JSON is often written as the text that is sent.
        return DocumentBody({"body": literal(value)}, own or JSON_KINDS[0])
    return DocumentBody({"body": json_template(value)}, own or JSON_KINDS[0])


def _encodings(media: dict[str, JsonValue], sampler: SchemaSampler) -> dict[str, dict[str, JsonValue]]:
    """Return how the fields of a form are written, by their names, as far as a description says so."""
    return {name: sampler.followed(entry) for name, entry in object_of(media.get("encoding")).items()}


def _styled(name: str, value: JsonValue, encoding: dict[str, JsonValue]) -> str:
    """Return a field of a form in the style of its encoding, as a parameter of a query has one."""
    safe = f"-._~{RESERVED}" if encoding.get("allowReserved") is True else "-._~"
    style = text_in(encoding.get("style")) or "form"
    explode = encoding.get("explode", style == "form") is True
    return in_query(name, value, style, explode=explode, encode=lambda text: encoded(text, safe))


def _form(value: JsonValue, media: dict[str, JsonValue], sampler: SchemaSampler) -> DocumentBody:
    fields = object_of(value)
    styled = {
        name: encoding
        for name, encoding in _encodings(media, sampler).items()
        if encoding.keys() & {"style", "explode", "allowReserved"}
    }
    if not styled.keys() & fields and all(isinstance(item, str | int | float) for item in fields.values()):
        form = {literal(name): template(item, str) for name, item in fields.items()}
        return DocumentBody({"form": form} if form else {}, "" if form else FORM)
    pairs = [
        pair
        for name, items in fields.items()
        for pair in (
            [_styled(name, items, styled[name])]
            if name in styled
            else [
                f"{literal(encoded_form(name))}={template(item, encoded_form)}"
                for item in (items if isinstance(items, list) else [items])
            ]
        )
        if pair
    ]
    return DocumentBody({"body": "&".join(pairs)}, FORM)


def _multipart(value: JsonValue, media: dict[str, JsonValue], sampler: SchemaSampler) -> DocumentBody:
    schema = object_of(sampler.followed(media.get("schema")))
    encodings = _encodings(media, sampler)
    fields: list[FormField] = []
    files: list[FormFile] = []
    for name, items in object_of(value).items():
        declared = sampler.followed(object_of(schema.get("properties")).get(name))
        inner = sampler.followed(declared.get("items"))
        kind = _kind_of_part(encodings.get(name, {}))
        if encodings.get(name, {}).get("headers"):
            sampler.part_headers.append(name)
        for item in items if isinstance(items, list) else [items]:
            if "binary" in (declared.get("format"), inner.get("format")) or "contentMediaType" in declared:
                file_name = f"{len(files) + 1}.txt"
                files.append(FormFile(name, file_name, kind or "text/plain", MADE_FILE, is_bare=True))
            elif isinstance(item, dict):
                text = json.dumps(item, ensure_ascii=False)
                fields.append(FormField([name], [text], kind or JSON_KINDS[0], is_bare=True))
            else:
                fields.append(FormField([name], [_piece(item)], kind, is_bare=True))
    return DocumentBody({"body": body_of(fields, files)}, f"{MULTIPART}; boundary={BOUNDARY}")


def _kind_of_part(encoding: dict[str, JsonValue]) -> str:
    """Return the type of a part that its encoding names, the first of several; empty for none, or a range."""
    kind = one_line(text_in(encoding.get("contentType"))).partition(",")[0].strip()
    return "" if "*" in kind else kind


def _piece(value: JsonValue) -> Piece:
    return Hole(value[1:-1]) if isinstance(value, HoleText) else text_in(value)


def _depth(value: JsonValue) -> int:
    depth, level = 0, [value]
    while level and depth <= DEEPEST_JSON:
        level = [
            inner
            for outer in level
            for inner in (
                outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ()
            )
        ]
        depth += 1
    return depth
