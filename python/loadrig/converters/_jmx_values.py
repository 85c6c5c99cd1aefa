"""Assertions of JMeter on values of an answer: that they are there, are not, or match a pattern."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.converters._jmx_patterns import EQUALS, MATCH, NOT, OR, SUBSTRING, is_plain_pattern, pattern_of
from loadrig.plan.value_checks import ValueCheck, ValueComparison

MOST_LETTERS_OF_NAME = 100
"""Letters of the name of a check, at most."""

_IN_HEADERS = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?: |\\s[*+]?)*(.*)", re.ASCII)
"""Pattern of what is looked for in the headers of an answer: a name, and the beginning of its value."""

_NULL = "null"
"""Text that JMeter compares a pattern with where the value is null."""


@dataclass(frozen=True, slots=True)
class JsonAssertion:
    """JSON Assertion. expected: the text of the value; None where it only asks whether there is one."""

    path: str
    expected: str | None
    is_null: bool
    is_pattern: bool
    is_inverted: bool


def json_checks(name: str, assertion: JsonAssertion) -> Sequence[ValueCheck]:
    """Return what a JSON Assertion asks; nothing for what a plan cannot say."""
    path, title, expected = assertion.path, _title(name), assertion.expected
    if expected is None and assertion.is_inverted:
        return (
            ValueCheck(json=path, is_set=False, name=title),
            ValueCheck(json=path, is_null=False, name=title),
        )
    is_null = ValueComparison(json=path, is_null=True)
    if expected is None:
        return (ValueCheck(json=path, is_set=True, others=(is_null,), name=title),)
    if assertion.is_inverted and not assertion.is_pattern:
        not_null = (ValueCheck(json=path, is_null=False, name=title),) if assertion.is_null else ()
        return (*not_null, ValueCheck(json=path, other=expected, name=title))
    if assertion.is_null and not assertion.is_pattern:
        # JMeter takes a null, and the value that is written beside it: an empty text where none is.
        return (ValueCheck(json=path, equal=expected, others=(is_null,), name=title),)
    if assertion.is_inverted or not is_plain_pattern(expected):
        return ()
    takes_null = assertion.is_null or re.fullmatch(expected, _NULL) is not None
    return (ValueCheck(json=path, pattern=expected, others=(is_null,) if takes_null else (), name=title),)


def absence_checks(name: str, texts: Sequence[str], kind: int) -> Sequence[ValueCheck]:
    """Return that a body has none of these texts, or lacks one of them; nothing where a plan cannot say it.

    kind: bits of the assertion.
    """
    patterns = [pattern_of(text, kind) for text in texts]
    if not all(texts) or any(not is_plain_pattern(pattern) for pattern in patterns):
        return ()
    if kind & OR:
        first, *others = patterns
        rest = tuple(ValueComparison(regex=pattern, is_set=False) for pattern in others)
        return (ValueCheck(regex=first, is_set=False, others=rest, name=_title(name)),)
    return [ValueCheck(regex=pattern, is_set=False, name=_title(name)) for pattern in patterns]


def header_checks(name: str, texts: Sequence[str], kind: int) -> Sequence[ValueCheck]:
    """Return what is asked of headers by their names; nothing where anything else is asked of them."""
    checks = []
    for text in texts:
        sought = _IN_HEADERS.fullmatch(text)
        if sought is None or kind & (EQUALS | MATCH) or (kind & OR and len(texts) > 1):
            return ()
        header, value = sought.groups()
        is_literal = bool(kind & SUBSTRING)
        is_plain = "\\" not in text if is_literal else is_plain_pattern(value) and not set("|^$") & set(value)
        if not is_plain or (value and kind & NOT):
            return ()
        if not value:
            checks.append(ValueCheck(header=header, is_set=not kind & NOT, name=_title(name)))
            continue
        beginning = re.escape(value) if is_literal else f"(?:{value})"
        checks.append(ValueCheck(header=header, pattern=f"{beginning}.*", name=_title(name)))
    return checks


def _title(name: str) -> str | None:
    return name[:MOST_LETTERS_OF_NAME].strip() or None
