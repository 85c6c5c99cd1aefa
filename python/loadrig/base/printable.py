"""Text of others made fit for a terminal: a server, a plan or a file name never steers the terminal.

An escape sequence in a route, a log line or a file's name could move the cursor, hide what was printed, set
the window's title or answer in the user's name. A control picture of one column stands in its place.
Source: ECMA-48, "Control functions for coded character sets"; CWE-150; Unicode 15, "Control Pictures".
"""

import unicodedata

_UNCHANGED = "\n\t"
_UNPRINTED = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""General categories of Unicode that are not text: controls, halves of surrogates, separators of lines."""

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks of the bidirectional algorithm, by which a text can be shown in another order than its own."""

_PICTURES = 0x2400
_DELETE = "\x7f"


def printable(text: str) -> str:
    """Return the text with a picture in the place of each control character; line feeds and tabs stay.

    A picture is one column wide, as is what it replaces: the layout of a table stays as it was.
    """
    if text.isprintable():
        return text
    return "".join(map(_picture, text))


def in_one_line(text: str) -> str:
    """Return the text as `printable` does, and without line feeds, by which a name could feign a line."""
    return printable(text).replace("\n", "\u240a")


def _picture(letter: str) -> str:
    if letter.isprintable() or letter in _UNCHANGED:
        return letter
    if letter < " ":
        return chr(_PICTURES + ord(letter))
    if letter == _DELETE:
        return "\u2421"
    if letter in _TURNING or unicodedata.category(letter) in _UNPRINTED:
        return "\ufffd"
    return letter
