"""Parameters of OpenAPI as parts of a request: path, query, headers and cookies in their styles.

Source: OpenAPI 3.1.1, 4.8.12.6 (Style Values); RFC 6570.
"""

import json
from collections.abc import Callable
from urllib.parse import quote

from loadrig.converters._document import JsonValue, text_in
from loadrig.converters._secret_holes import HoleText
from loadrig.plan.holes import literal

Encode = Callable[[str], str]

IN_A_PATH = "-._~!$&'()*+,;=:@"
"""Signs of a part of a path that are sent as they are. RFC 3986, section 3.3."""

RESERVED = ":/?[]@!$'()*,;"
"""Signs that `allowReserved` leaves as they are, but for those that would end a value. RFC 3986, 2.2."""


def encoded(text: str, safe: str = "-._~") -> str:
    """Return a text with its signs encoded as in a path or a query."""
    return quote(text, safe=safe)


def template(value: JsonValue, encode: Encode) -> str:
    """Return a value as a template. A list or an object within another is written as JSON."""
    if isinstance(value, HoleText):
        return value
    if isinstance(value, list | dict):
        return literal(encode(json.dumps(value, ensure_ascii=False)))
    return literal(encode(text_in(value)))


def simple(value: JsonValue, *, explode: bool, encode: Encode) -> str:
    """Return a value in the style `simple`: of paths and headers."""
    return _joined(value, ",", explode=explode, encode=encode)


def in_path(name: str, value: JsonValue, style: str, *, explode: bool) -> str:
    """Return a value as a part of a path. style: `simple`, `label` or `matrix`."""

    def encode(text: str) -> str:
        return encoded(text, IN_A_PATH)

    match style:
        case "label":
            return "." + _joined(value, "." if explode else ",", explode=explode, encode=encode)
        case "matrix":
            pairs = _pairs(name, value, explode=explode, between=",", encode=encode)
            return "".join(f";{key}={text}" for key, text in pairs)
        case _:
            return simple(value, explode=explode, encode=encode)


def in_query(name: str, value: JsonValue, style: str, *, explode: bool, encode: Encode) -> str:
    """Return a value as a part of a query. style: `form`, `spaceDelimited`, `pipeDelimited`, `deepObject`."""
    if style == "deepObject" and isinstance(value, dict):
        return "&".join(
            f"{literal(encoded(f'{name}[{key}]'))}={template(item, encode)}" for key, item in value.items()
        )
    between = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}.get(style, ",")
    pairs = _pairs(name, value, explode=explode and between == ",", between=between, encode=encode)
    return "&".join(f"{key}={text}" for key, text in pairs)


def _pairs(
    name: str, value: JsonValue, *, explode: bool, between: str, encode: Encode
) -> list[tuple[str, str]]:
    key = literal(encoded(name))
    match value:
        case dict() if explode:
            return [(literal(encoded(inner)), template(item, encode)) for inner, item in value.items()]
        case list() if explode:
            return [(key, template(item, encode)) for item in value]
        case _:
            return [(key, _joined(value, between, explode=False, encode=encode))]


def _joined(value: JsonValue, between: str, *, explode: bool, encode: Encode) -> str:
    match value:
        case list():
            return between.join(template(item, encode) for item in value)
        case dict():
            sign = "=" if explode else between
            return between.join(
                f"{literal(encode(key))}{sign}{template(item, encode)}" for key, item in value.items()
            )
        case _:
            return template(value, encode)
