"""Pieces of answers that a k6 script takes out: `body.match(/id=(.+?);/)[1]`, `res.html().find("#id")`."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from loadrig.converters._jmx_patterns import is_plain_pattern
from loadrig.converters._k6_files import Unread
from loadrig.converters._locust_values import MixedText
from loadrig.converters._selectors import Selection, css_of

_FLAGS = re.compile(r"[imsu]*")
"""Flags of JavaScript that the generator's expressions have, too. By others a match is another list."""

MOST_PLACES = 10_000
"""Place of an element among those selected, at most."""

_NAMED = re.compile(r"(?:(?:name|id)=[\"']?|^#)([A-Za-z]\w*)", re.ASCII)
_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\((?!\?)")


class AnswerPart(NamedTuple):
    """Answer of a request, a place in its JSON, or what a pattern or a selector finds in it.

    path: a JSONPath; "$body", "status", "headers", "header", "match", "element"; empty for the answer itself.
    """

    step: Any
    path: str = ""
    pattern: str = ""
    selection: Selection | None = None
    header: str = ""


class AnswerMatch(NamedTuple):
    """Match of a pattern in the body of an answer: a list of the whole and of its groups."""

    step: Any
    pattern: str

    def group(self, number: object) -> AnswerPart:
        """Return the first group, or the whole of a pattern without any. Raise Unread for all others."""
        has_group = _GROUP.search(self.pattern) is not None
        if isinstance(number, bool) or number != int(has_group):
            raise Unread
        return AnswerPart(self.step, "match", self.pattern)


class AnswerElements(NamedTuple):
    """Elements of an answer's page. css: their selector; empty for the page. number: of one, from 1."""

    step: Any
    css: str = ""
    number: int = 0

    @classmethod
    def of(cls, answer: object, path: str) -> "AnswerElements":
        """Return the page that an answer is, or its body. Raise Unread for other values."""
        if not isinstance(answer, AnswerPart) or answer.path != path:
            raise Unread
        return cls(answer.step)

    def method(self, name: str, values: Sequence[Any]) -> "AnswerElements | AnswerPart":
        """Return what a method gives. Raise Unread for what a plan cannot say."""
        match name, values:
            case "find", [MixedText() as text] if not self.number:
                css = css_of(text.constant or "")
                if css is None or ("," in css + self.css and self.css):
                    raise Unread
                return self._replace(css=f"{self.css} {css}".strip())
            case "first", [] if self.css and not self.number:
                return self._replace(number=1)
            case "eq", [int() as place] if self.css and not self.number and 0 <= place < MOST_PLACES:
                return self._replace(number=place + 1)
            case "attr", [MixedText() as text] if self.css and text.constant:
                return self._part(text.constant)
            case "val", [] if self.css:
                return self._part("value")
            case "text", [] if self.css:
                return self._part(None)
            case _:
                raise Unread

    def _part(self, attribute: str | None) -> AnswerPart:
        selection = Selection(self.css, attribute, self.number or 1)
        return AnswerPart(self.step, "element", selection=selection)


class ScriptPattern(NamedTuple):
    """Pattern that stands in a script, as the generator understands it."""

    text: str


def pattern_of(value: object) -> str:
    """Return the pattern that a value is, or says as a text. Raise Unread for any other."""
    if isinstance(value, ScriptPattern):
        return value.text
    if isinstance(value, MixedText) and value.constant is not None:
        return read_pattern(value.constant).text
    raise Unread


def read_pattern(text: str, flags: str = "") -> ScriptPattern:
    """Return a pattern of JavaScript as the generator understands it. Raise Unread where it does not."""
    own = "".join(sorted(set(flags) - {"u"}))
    if not text or not _FLAGS.fullmatch(flags) or not is_plain_pattern(text):
        raise Unread
    return ScriptPattern(f"(?{own}){text}" if own else text)


def name_of(pattern: str, other: str = "match") -> str:
    """Return a name for what a pattern finds: that of the field of a form that it names, if it does."""
    named = _NAMED.search(pattern)
    return named[1] if named else other
