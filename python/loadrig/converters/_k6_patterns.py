"""Pieces of answers that a k6 script takes out by a regular expression: `res.body.match(/id="(.+?)"/)[1]`."""

import re
from typing import Any, NamedTuple

from loadrig.converters._jmx_checks import is_plain_pattern
from loadrig.converters._k6_files import Unread
from loadrig.converters._locust_values import MixedText

_FLAGS = re.compile(r"[imsu]*")
"""Flags of JavaScript that the generator's expressions have, too. By others a match is another list."""

_NAMED = re.compile(r"(?:name|id)=[\"']?([A-Za-z]\w*)", re.ASCII)
_GROUP = re.compile(r"(?<!\\)(?:\\\\)*\((?!\?)")


class AnswerPart(NamedTuple):
    """Answer of a request, a place in its JSON, or what a pattern finds in it.

    path: a JSONPath; "$body" or "match"; empty for the answer itself.
    """

    step: Any
    path: str = ""
    pattern: str = ""


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


def name_of(pattern: str) -> str:
    """Return a name for what a pattern finds: that of the field of a form that it names, if it does."""
    named = _NAMED.search(pattern)
    return named[1] if named else "match"
