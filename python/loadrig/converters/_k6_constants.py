"""Constants of a k6 script: functions of its client, lengths of time, and texts made of other texts."""

import base64
import math
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote

from loadrig.converters._locust_values import MixedText

VERBS = {"del": "delete"} | {verb: verb for verb in ("get", "post", "put", "patch", "head", "options")}
"""Functions of the client of HTTP, and the methods by which they ask."""

WITHOUT_BODY = ("get", "head")
"""Functions of the client of HTTP that take no body."""

_UNITS_S = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LENGTH = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[smhd]))+")

_UNESCAPED = "-_.!~*'()"
"""Signs, beside letters and digits, that JavaScript leaves as they are. Source: ECMA-262, `encodeURI`."""


def parsed_seconds(value: object, unit_s: float = 1.0) -> float | None:
    """Return a length in seconds: "1m30s", or a number of units; None for what is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value * unit_s if math.isfinite(value) and value >= 0 else None
    text = value.constant if isinstance(value, MixedText) else None
    if text is None or not _LENGTH.fullmatch(text):
        return None
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|[smhd])", text)
    return sum(float(number) * _UNITS_S[unit] for number, unit in parts)


def _b64encode(text: str, form: str = "std", *_: str) -> str | None:
    """Return what `k6/encoding` makes of a text; None where it knows no such form."""
    if form not in ("std", "rawstd", "url", "rawurl"):
        return None
    content = text.encode("utf-8", "surrogatepass")
    encode = base64.urlsafe_b64encode if form.endswith("url") else base64.b64encode
    encoded = encode(content).decode("ascii")
    return encoded.rstrip("=") if form.startswith("raw") else encoded


def _uri_component(text: str, *_: str) -> str | None:
    return _quoted(text, _UNESCAPED)


def _uri(text: str, *_: str) -> str | None:
    return _quoted(text, _UNESCAPED + ";/?:@&=+$,#")


def _quoted(text: str, signs: str) -> str | None:
    try:
        return quote(text, safe=signs)
    except UnicodeEncodeError:  # half of a pair, at which JavaScript throws
        return None


ENCODINGS: Mapping[str, Callable[..., str | None]] = {
    "b64encode": _b64encode,
    "btoa": lambda text, *_: _b64encode(text) if text.isascii() else None,
    "encodeURI": _uri,
    "encodeURIComponent": _uri_component,
}
"""Functions of a script by their names: each makes a text of texts; None where it would throw."""
