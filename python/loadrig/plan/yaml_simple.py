r"""The small part of YAML that most plans are written in, read without the YAML library.

    # a comment                       block mappings and block lists, by indentation
    users: 10                         bare values on one line, as far as nobody could doubt them
    name: "a \"quoted\" text"         quoted texts on one line
    measure: {at_least: 1s, x: [1]}   mappings and lists in brackets, on one line

Whatever is not plainly one of these (anchors, tags, texts over several lines, tabs, keys that stand
twice, every mistake) is left to the library: `read` then says None, and never anything else than what
the library would. tests/plan/test_yaml_simple.py holds both against each other.
"""

import re

from loadrig.base.errors import Span
from loadrig.plan.node import Entries, Entry, Items, Node, Scalar
from loadrig.plan.yaml_text import Lines, core

# No tabs, no other line breaks than the line feed (NEL, LS and PS are some), nothing that is not printed.
_FOREIGN = re.compile(r"[^\n -~\u00a1-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_.$-]*")
# Bare values begin with a letter, a digit, or one of a few signs that mean nothing in YAML.
_BARE = re.compile(r"[A-Za-z0-9_./<~+=(^$\\-][^\n#:]*(?:(?::(?=[^ \n])|(?<=[^ ])#)[^\n#:]*)*")
_BARE_IN_BRACKETS = re.compile(r"[A-Za-z0-9_./~+<=(^$-](?:[A-Za-z0-9_./~+<>=%;()^$&* -]|:(?=[A-Za-z0-9/]))*")
_SINGLE = re.compile(r"'((?:[^'\n]|'')*)'")
_DOUBLE = re.compile(r'"((?:[^"\\\n]|\\[^\n])*)"')
_ESCAPE = re.compile(r"\\(?:([\\\"/ntr0])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_MEANT = {"\\": "\\", '"': '"', "/": "/", "n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_BLANK = re.compile(r" *(?:#[^\n]*)?$", re.MULTILINE)
_LONGEST_KEY = 256
"""YAML allows 1,024 characters; nobody's key is longer than this."""
_DEEPEST = 40


class _Doubt(Exception):
    """The library must read this."""


def read(lines: Lines) -> Node | None:
    """The tree of a text, or None where the text is more than this module knows."""
    if _FOREIGN.search(lines.text):
        return None
    try:
        return _Text(lines).whole()
    except _Doubt:
        return None


class _Text:
    """One text and how far it is read. Positions are indices of characters."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._text = lines.text
        # Where the content of each line that has any begins, and how deep it stands.
        self._starts: list[tuple[int, int]] = []
        at = 0
        for line in self._text.split("\n"):
            content = line.lstrip(" ")
            if content and content[0] != "#":
                self._starts.append((at + len(line) - len(content), len(line) - len(content)))
            at += len(line) + 1
        self._next = 0
        self._depth = 0

    def whole(self) -> Node:
        if not self._starts:
            raise _Doubt
        at, indent = self._starts[0]
        # The root of a plan is a mapping; at its first column document marks and directives may stand.
        marks = ("---", "...", "%")
        if indent or any(self._text.startswith(marks, at) for at, depth in self._starts if not depth):
            raise _Doubt
        root = self._mapping(at, 0)
        if self._next != len(self._starts):
            raise _Doubt
        return root

    # --- blocks ----------------------------------------------------------------------------------

    def _mapping(self, at: int, indent: int) -> Entries:
        """A block mapping whose first key stands at `at`; ends before the first line that is not in it."""
        self._deeper()
        first = self._span(at, len(self._text))
        entries: dict[str, Entry] = {}
        while True:
            key, end = self._key(at)
            if key in entries:
                raise _Doubt
            where = self._span(at, end)
            self._next += 1
            entries[key] = Entry(key, where, self._value(end + 1, indent, where))
            if self._next == len(self._starts) or self._starts[self._next][1] < indent:
                break
            at, depth = self._starts[self._next]
            if depth > indent:
                raise _Doubt
        self._depth -= 1
        return Entries(first, entries)

    def _list(self, at: int, indent: int) -> Items:
        """A block list whose first dash stands at `at`."""
        self._deeper()
        first = self._span(at, len(self._text))
        items: list[Node] = []
        while self._text.startswith("- ", at):
            begin = at + 1
            while self._text[begin : begin + 1] == " ":
                begin += 1
            items.append(self._item(begin, begin - at + indent))
            if self._next == len(self._starts):
                break
            at, depth = self._starts[self._next]
            if depth > indent:
                raise _Doubt
            if depth < indent:
                break
        if not items:
            raise _Doubt
        self._depth -= 1
        return Items(first, tuple(items))

    def _item(self, at: int, indent: int) -> Node:
        """What stands behind a dash: a value of this line, or a mapping that begins there."""
        match = _KEY.match(self._text, at)
        if match and self._text.startswith((": ", ":\n"), match.end()):
            return self._mapping(at, indent)
        node, end = self._inline(at)
        self._close(end)
        self._next += 1
        return node

    def _value(self, at: int, indent: int, key: Span) -> Node:
        """What stands behind a key's colon: on its line, or in a block below it, or nothing."""
        while self._text[at : at + 1] == " ":
            at += 1
        if not _BLANK.match(self._text, at):
            node, end = self._inline(at)
            self._close(end)
            return node
        if self._next < len(self._starts):
            below, depth = self._starts[self._next]
            if depth >= indent and self._text.startswith("- ", below):
                return self._list(below, depth)
            if depth > indent:
                return self._mapping(below, depth)
        return Scalar(key, None, "")

    def _key(self, at: int) -> tuple[str, int]:
        """A key and where it ends; behind it stand a colon and a space, or the end of the line."""
        match = _DOUBLE.match(self._text, at) or _KEY.match(self._text, at)
        if not match or match.end() - at > _LONGEST_KEY:
            raise _Doubt
        if not self._text.startswith((": ", ":\n"), match.end()) and self._text[match.end() :] != ":":
            raise _Doubt
        return (_unescaped(match[1]) if match.re is _DOUBLE else match[0]), match.end()

    # --- values on one line -----------------------------------------------------------------------

    def _inline(self, at: int, *, in_brackets: bool = False) -> tuple[Node, int]:
        """A value that ends on its line, and where it ends."""
        letter = self._text[at : at + 1]
        if letter == "{":
            return self._bracketed_mapping(at)
        if letter == "[":
            return self._bracketed_list(at)
        if letter in ('"', "'"):
            match = (_DOUBLE if letter == '"' else _SINGLE).match(self._text, at)
            if not match:
                raise _Doubt
            text = _unescaped(match[1]) if letter == '"' else match[1].replace("''", "'")
            return Scalar(self._span(at, match.end()), text, text, True), match.end()
        match = (_BARE_IN_BRACKETS if in_brackets else _BARE).match(self._text, at)
        text = match[0].rstrip(" ") if match else ""
        if not text or text.endswith(":") or (text[0] == "-" and text[1:2] in ("", " ", "-")):
            raise _Doubt
        return Scalar(self._span(at, at + len(text)), core(text), text), at + len(text)

    def _bracketed_mapping(self, at: int) -> tuple[Node, int]:
        self._deeper()
        entries: dict[str, Entry] = {}
        begin, at = at, self._skip(at + 1)
        while self._text[at : at + 1] != "}":
            match = _KEY.match(self._text, at)
            if not match or match[0] in entries or not self._text.startswith(": ", match.end()):
                raise _Doubt
            node, end = self._inline(self._skip(match.end() + 1), in_brackets=True)
            entries[match[0]] = Entry(match[0], self._span(at, match.end()), node)
            at = self._after_comma(end, "}")
        self._depth -= 1
        return Entries(self._span(begin, at + 1), entries), at + 1

    def _bracketed_list(self, at: int) -> tuple[Node, int]:
        self._deeper()
        items: list[Node] = []
        begin, at = at, self._skip(at + 1)
        while self._text[at : at + 1] != "]":
            node, end = self._inline(at, in_brackets=True)
            items.append(node)
            at = self._after_comma(end, "]")
        self._depth -= 1
        return Items(self._span(begin, at + 1), tuple(items)), at + 1

    def _after_comma(self, at: int, closing: str) -> int:
        """The next item's place, or that of the closing bracket."""
        at = self._skip(at)
        if self._text[at : at + 1] == closing:
            return at
        if self._text[at : at + 2] != ", ":
            raise _Doubt
        at = self._skip(at + 1)
        if self._text[at : at + 1] in ("", "\n", closing):
            raise _Doubt
        return at

    def _skip(self, at: int) -> int:
        while self._text[at : at + 1] == " ":
            at += 1
        return at

    def _close(self, at: int) -> None:
        """Nothing but a comment, with a space before it, may stand behind a value."""
        if self._text[at : at + 1] == "#" or not _BLANK.match(self._text, at):
            raise _Doubt

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Doubt

    def _span(self, start: int, end: int) -> Span:
        return self._lines.span(start, end)


def _unescaped(text: str) -> str:
    """What a text in double quotes means."""
    return _ESCAPE.sub(_meant, text) if "\\" in text else text


def _meant(match: re.Match[str]) -> str:
    if match[1]:
        return _MEANT[match[1]]
    digits = match[2] or match[3] or match[4]
    if not digits or int(digits, 16) > 0x10FFFF:
        raise _Doubt
    return chr(int(digits, 16))
