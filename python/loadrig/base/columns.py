"""Columns that texts take in a terminal: a Hangul syllable has two, a combining mark none."""

import textwrap
import unicodedata
from functools import lru_cache


@lru_cache(maxsize=4096)  # more characters than a text has, and each is asked for again and again
def columns_of(character: str) -> int:
    """Return the columns of a character in a terminal: a wide East Asian one has two, a combining none."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width(text: str) -> int:
    """Return the columns of a terminal that a text takes."""
    return len(text) if text.isascii() else sum(map(columns_of, text))


def wrapped(text: str, most: int, subsequent_indent: str = "") -> list[str]:
    """Return a text as lines of at most so many columns, broken between words; a longer word is broken.

    subsequent_indent: stands before each line but the first, and counts.
    """
    if width(text) == len(text):
        return textwrap.wrap(text, most, subsequent_indent=subsequent_indent)
    lines: list[str] = []
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line.strip() else f"{line}{word}"
        if width(joined) <= most:
            line = joined
            continue
        if line.strip():
            lines.append(line)
            line = subsequent_indent
        for character in word:
            if width(line) + columns_of(character) > most:
                lines.append(line)
                line = subsequent_indent
            line += character
    return [*lines, line] if line.strip() else lines
