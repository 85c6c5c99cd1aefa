"""Values that an answer gives and a later request sends back: what a user has to take from answers anew.

A value stands in a request as one sign that no text has, until the request is a template.
"""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from loadrig.base.masks import is_secret_name
from loadrig.converters._har_reading import MOST_ANSWER, HarEntry, json_of
from loadrig.plan.requests import Extract

MOST_VALUES = 5_000
"""Values of one answer that are remembered, at most: lists of thousands of rows are no tokens."""

MOST_REMEMBERED = 200_000
"""Values of all answers that are remembered, at most."""

MOST_HOLES = 500
"""Values that become holes, at most; a session has some ten."""

SHORTEST, SHORTEST_NAMED, LONGEST = 8, 6, 8_192
"""Letters of a token: at least, at least where its name speaks of a secret, and at most."""

LONG = 20
"""Letters from which on a text of small and capital letters is a token without a digit."""

_SIGNS = re.compile(r"[A-Za-z0-9._~+/=:|-]+", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?|\d+(?:[.,:/-]\d+)*[a-z%]{0,3}")
_NAMED = re.compile(r"csrf|xsrf|nonce|state|session|verif|ticket|viewstate|authenticity", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]{1,60})["']?\s*[=:]\s*(["'])([^"'\s<>]{6,8192})\2""")
_NAME_BESIDE = re.compile(r"""\b(?:name|id|property)\s*=\s*["']([^"'<>]{1,60})["']""", re.IGNORECASE)
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_COOKIE = re.compile(r"\s*([^=;\s]+)=([^;]*)")
_CONTEXTS = (30, 80, 200)
"""Letters before a value that find it, tried one after the other."""

_FIRST_SIGN = 0xE000
"""First of the signs that stand for holes: private ones, which `TokenFinder` takes out of foreign texts."""

_PRIVATE = re.compile("[\ue000-\uf8ff]")
_NOT_LOOKED_AT = frozenset(
    [
        "accept",
        "accept-encoding",
        "accept-language",
        "cache-control",
        "content-type",
        "host",
        "origin",
        "pragma",
        "priority",
        "referer",
        "user-agent",
        "if-none-match",
        "if-modified-since",
        "range",
    ]
)


JsonPath = tuple[str | int, ...]
"""Keys and places that lead to a part of a document."""


@dataclass(frozen=True, slots=True)
class PageValue:
    """Value in a page: the page, and where the value stands between its quotes."""

    text: str
    begin: int
    end: int
    quote: str

    def extract(self) -> Extract | None:
        """Return the pattern that finds the value before any other; None where no short one does."""
        tag = self.text.rfind("<", max(0, self.begin - _CONTEXTS[-1]), self.begin)
        begins = [tag] if tag >= 0 else []
        for begin in (*begins, *(max(0, self.begin - length) for length in _CONTEXTS)):
            context = self.text[begin : self.begin]
            pattern = re.sub(r"(?:\\?\s)+", r"\\s+", re.escape(context)) + f"([^{self.quote}]+)"
            first = re.search(pattern, self.text)
            if first is not None and first.span(1) == (self.begin, self.end):
                return Extract(regex=pattern)
        return None


@dataclass(frozen=True, slots=True)
class TokenSource:
    """Place of a value: the entry whose answer has it, a name for it, and how it is taken."""

    number: int
    name: str
    place: Extract | PageValue


@dataclass(frozen=True, slots=True)
class FilledHole:
    """A hole, and what fills it: the number of an entry, and a place in its answer."""

    name: str
    number: int
    extract: Extract


class TokenFinder:
    """Finder of the tokens of a recording, given its entries in order."""

    def __init__(self) -> None:
        self._sources: dict[str, TokenSource] = {}
        self._signs: dict[str, str] = {}
        self.holes: dict[str, FilledHole] = {}

    def remember(self, entry: HarEntry) -> None:
        """Take note of the values in an answer. The first answer that gives a value counts."""
        answer = entry.answer
        for name, value in answer.headers:
            if name.lower() == "set-cookie" and (match := _COOKIE.match(value)):
                self._note(match[2], entry.number, match[1], Extract(cookie=match[1]))
            elif name.lower() not in ("date", "etag", "last-modified", "expires", "set-cookie"):
                self._note(value, entry.number, name, Extract(header=name))
        text = answer.content
        if not isinstance(text, str) or len(text) > MOST_ANSWER:
            return
        kind = answer.kind.lower()
        if "json" in kind or text[:1] in "{[":
            document = json_of(text)
            for count, (path, value) in enumerate(_texts_in(document)):
                if count >= MOST_VALUES:
                    break
                self._note(value, entry.number, _name_of(path), Extract(json=_written(path)))
        elif "html" in kind or text.lstrip()[:1] == "<":
            for count, match in enumerate(_ATTRIBUTE.finditer(text)):
                if count >= MOST_VALUES:
                    break
                self._note_of_page(text, match, entry.number)

    def in_header(self, name: str, value: str) -> str:
        """Return the value of a header with signs in the place of tokens."""
        value = without_signs(value)
        if name.lower() in _NOT_LOOKED_AT:
            return value
        scheme, blank, rest = value.partition(" ")
        if blank and scheme.isalpha():
            return f"{scheme} {self._sign_of(rest, name)}"
        return self._sign_of(value, name)

    def in_path(self, path: str) -> str:
        """Return a path with signs in the place of segments that are tokens."""
        segments = without_signs(path).split("/")
        return "/".join(self._sign_of(segment, "") for segment in segments)

    def in_pairs(self, text: str) -> str:
        """Return a query or a form with signs in the place of values that are tokens."""
        pairs = []
        for pair in without_signs(text).split("&"):
            name, sign, value = pair.partition("=")
            token = self._sign_of(unquote_plus(value), unquote_plus(name))
            pairs.append(f"{name}{sign}{token if len(token) == 1 and token in self.holes else value}")
        return "&".join(pairs)

    def in_json(self, text: str) -> str:
        """Return a JSON body with signs in the place of texts that are tokens."""
        text = without_signs(text)
        if len(text) > MOST_ANSWER:
            return text
        replaced = set()
        for count, (path, value) in enumerate(_texts_in(json_of(text))):
            if count >= MOST_VALUES:
                break
            token = self._sign_of(value, _name_of(path))
            if token != value and value not in replaced:
                replaced.add(value)
                text = text.replace(f'"{value}"', f'"{token}"')
        return text

    # --- signs ------------------------------------------------------------------------------------

    def _sign_of(self, value: str, name: str) -> str:
        """Return the sign of a value that a former answer gave; the value itself where none did."""
        source = self._sources.get(value)
        if source is None or not (is_token(value, name) or is_token(value, source.name)):
            return value
        if value not in self._signs:
            if len(self._signs) >= MOST_HOLES:
                return value
            # Only now, as a page is searched for each pattern, and few of its values are sent back.
            extract = source.place.extract() if isinstance(source.place, PageValue) else source.place
            if extract is None:
                del self._sources[value]
                return value
            sign = chr(_FIRST_SIGN + len(self._signs))
            self._signs[value] = sign
            self.holes[sign] = FilledHole(self._hole_name(source.name), source.number, extract)
        return self._signs[value]

    def _hole_name(self, name: str) -> str:
        base = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:40] or "token"
        base = base if not base[0].isdecimal() else f"token_{base}"
        names = {hole.name for hole in self.holes.values()}
        number, whole = 2, base
        while whole in names:
            whole, number = f"{base}_{number}", number + 1
        return whole

    def _note(self, value: str, number: int, name: str, place: Extract | PageValue) -> None:
        if len(self._sources) < MOST_REMEMBERED and value not in self._sources and is_token(value, name):
            self._sources[value] = TokenSource(number, name, place)

    def _note_of_page(self, text: str, match: re.Match[str], number: int) -> None:
        value = match[3]
        tag = text[max(text.rfind("<", 0, match.start()), match.start() - _CONTEXTS[-1], 0) : match.start()]
        beside = _NAME_BESIDE.search(tag)
        name = beside[1] if beside and match[1].lower() in ("value", "content") else match[1]
        if html.unescape(value) == value:
            self._note(value, number, name, PageValue(text, match.start(3), match.end(3), match[2]))


def is_token(value: str, name: str) -> bool:
    """Return whether a value looks like a token: made by a program, and by no person and no clock."""
    is_named = bool(name) and (is_secret_name(name) or bool(_NAMED.search(name)))
    if not (SHORTEST_NAMED if is_named else SHORTEST) <= len(value) <= LONGEST:
        return False
    if not _SIGNS.fullmatch(value) or "://" in value or value.isdecimal() or _DATE.fullmatch(value):
        return False
    has_digit, has_letter = (any(map(kind, value)) for kind in (str.isdecimal, str.isalpha))
    if has_digit and has_letter and not value.startswith("/"):
        return True
    is_mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    return is_named or (is_mixed and len(value) >= LONG and "/" not in value)


def without_signs(text: str) -> str:
    """Return a text without the private signs by which holes are marked."""
    return _PRIVATE.sub("\ufffd", text)


def _texts_in(document: Any) -> Iterator[tuple[JsonPath, str]]:
    """Yield the texts of a document with their paths, in order, without going deeper by calls."""
    waiting: list[Iterator[tuple[JsonPath, Any]]] = [iter([((), document)])]
    while waiting:
        path, value = next(waiting[-1], (None, None))
        if path is None:
            waiting.pop()
        elif isinstance(value, str):
            yield path, value
        elif isinstance(value, dict | list):
            waiting.append(_inner(path, value))


def _inner(path: JsonPath, value: dict[str, Any] | list[Any]) -> Iterator[tuple[JsonPath, Any]]:
    parts: Iterable[tuple[str | int, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
    return (((*path, part), inner) for part, inner in parts)


def _name_of(path: JsonPath) -> str:
    return next((part for part in reversed(path) if isinstance(part, str)), "")


def _written(path: JsonPath) -> str:
    """Return a path as a plan has it: $.a[0], or a pointer where a key is no plain word."""
    if all(isinstance(part, int) or _PLAIN_KEY.fullmatch(part) for part in path):
        return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
