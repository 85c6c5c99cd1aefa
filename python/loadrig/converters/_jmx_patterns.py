"""Texts and patterns of JMeter's Response Assertions, as patterns that the generator understands."""

import re

MATCH, NOT, EQUALS, SUBSTRING, OR = 1, 4, 8, 16, 32
"""Bits of `Assertion.test_type`. Source: `ResponseAssertion` of apache/jmeter."""

_BEYOND_RUST = re.compile(r"\(\?(?:[=!>]|<[=!])|\\[1-9]|[*+?}]\+|\\[GZKRXpP]|\(\?R\)|&&")
"""Constructs of Java's and Perl's regular expressions that the generator's do not have."""


def is_plain_pattern(pattern: str) -> bool:
    """Return whether a pattern is one that both JMeter and the generator understand."""
    if _BEYOND_RUST.search(pattern):
        return False
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def pattern_of(text: str, kind: int) -> str:
    """Return the pattern of a text of an assertion. kind: bits of it."""
    if kind & EQUALS:
        return f"^{re.escape(text)}$"
    if kind & SUBSTRING:
        return re.escape(text)
    return f"^(?:{text})$" if kind & MATCH else text


def holds(code: str, text: str, kind: int) -> bool:
    """Return whether an assertion holds of a status code."""
    if kind & EQUALS:
        return code == text
    if kind & SUBSTRING:
        return text in code
    return bool(re.fullmatch(text, code) if kind & MATCH else re.search(text, code))
