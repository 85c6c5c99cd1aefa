"""Addresses of requests of a k6 script: their server, and path and query as Go's library writes them."""

import base64
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from loadrig.converters._listed import server_and_target
from loadrig.converters._locust_values import MixedText

Parts = Iterable[tuple[str, bool]]

_SERVER = re.compile(r"(https?://[^/?#]+)(.*)", re.DOTALL | re.IGNORECASE)

_VALID_PATH = re.compile(r"(?:[\w\-.~!$&'()*+,;=:@\[\]/]|%[0-9A-Fa-f]{2})*", re.ASCII)
"""Paths that Go's library sends as they are written (url.validEncoded); it writes all others anew."""

_KEPT_IN_PATHS = "$&+,/:;=@~"
"""Signs that Go's library does not escape where it writes a path anew (url.shouldEscape)."""

_KEPT_IN_QUERIES = "".join(sign for sign in map(chr, range(0x21, 0x7F)) if sign not in '"#<>')
"""Signs of a query that are sent as they are. k6 sends every sign so, also those that no query may hold."""


@dataclass(frozen=True, slots=True)
class ScriptAddress:
    """Address of a request. target: template of its path and query. login: value of `Authorization`.

    is_escaped: whether the query had to be escaped, where k6 sends what no request may hold.
    """

    server: str
    target: str
    login: str = ""
    is_escaped: bool = False


def address_in(url: MixedText) -> ScriptAddress | None:
    """Return the address that a text is; None where the text does not tell the server."""
    joined, number = "", 0
    while number < len(url.parts) and not url.parts[number][1]:
        joined += url.parts[number][0]
        number += 1
    match = _SERVER.fullmatch(joined)
    where = server_and_target(match[1]) if match is not None else None
    if match is None or where is None or (not match[2] and number < len(url.parts)):
        return None
    server, _, login = where
    path, query = _halves(((match[2], False), *url.parts[number:]))
    sent_query = _escaped(query, _KEPT_IN_QUERIES)
    target = MixedText(_sent_path(path)).template.replace("://", "%3A//")
    if not target.startswith("/"):
        target = f"/{target}"
    if query:
        target += MixedText(sent_query).template
    basic = f"Basic {base64.b64encode(login.encode()).decode()}" if login else ""
    return ScriptAddress(server, target, basic, sent_query != query)


def _halves(parts: Parts) -> tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]:
    """Return the parts of the path and those of the query with its sign, without the fragment."""
    path, query = list[tuple[str, bool]](), list[tuple[str, bool]]()
    for text, is_hole in parts:
        shown, sign, _ = (text, "", "") if is_hole else text.partition("#")
        if is_hole or query:
            (query or path).append((shown, is_hole))
        else:
            before, mark, after = shown.partition("?")
            path.append((before, False))
            query += [(mark + after, False)] if mark else []
        if sign:
            break
    return tuple(path), tuple(query)


def _sent_path(path: tuple[tuple[str, bool], ...]) -> tuple[tuple[str, bool], ...]:
    if all(is_hole or _VALID_PATH.fullmatch(text) for text, is_hole in path):
        return path
    decoded = tuple((text, True) if is_hole else (unquote_to_bytes(text), False) for text, is_hole in path)
    return tuple(
        (part if isinstance(part, str) else quote(part, safe=_KEPT_IN_PATHS), is_hole)
        for part, is_hole in decoded
    )


def _escaped(parts: Parts, safe: str) -> tuple[tuple[str, bool], ...]:
    return tuple((text if is_hole else quote(text, safe=safe), is_hole) for text, is_hole in parts)
