"""Parts of a text for people that a test reads: codes of errors, figures, sentences without figures."""

import re
from collections.abc import Iterable

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
CODE = re.compile(r"^ +more: loadrig explain (\S+)$", re.MULTILINE)


def codes(text: str) -> list[str]:
    """Return the codes of the errors that a text tells of, in its order."""
    return CODE.findall(text)


def shape(text: str) -> str:
    """Return a text with `#` for each number.

    A golden file then holds the sentence alone, and the test asserts what was measured or drawn by value.
    """
    return NUMBER.sub("#", text)


def numbers(text: str) -> list[float]:
    """Return every number of a text in its order, without its unit."""
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


def holding(texts: Iterable[str], *values: str) -> list[str]:
    """Return the texts that hold each of some values: names and figures, by which a remark is known."""
    return [text for text in texts if all(value in text for value in values)]
