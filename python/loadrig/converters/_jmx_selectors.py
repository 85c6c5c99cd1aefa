"""Selectors of CSS as patterns for the first element of HTML that they select.

A pattern sees tags and no tree, so a selector of one element is carried: its tag, id, classes and attributes.
Source: the syntax of jsoup, by which JMeter selects.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TAG = re.compile(r"[A-Za-z][\w-]*|\*|", re.ASCII)
_PART = re.compile(
    r"#(?P<id>[\w-]+)|\.(?P<class>[\w-]+)"
    r"|\[\s*(?P<name>[A-Za-z][\w:-]*)\s*(?:(?P<sign>[\^$*]?=)\s*"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'\]]+))\s*)?\]",
    re.ASCII,
)
_ANY = "[^\"'>]*"
"""Pattern of what may stand in a value of an attribute."""


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """Attribute that an element has. sign: how it must have the value; empty for any value."""

    name: str
    value: str = ""
    sign: str = ""

    @property
    def pattern(self) -> str:
        """Pattern of the attribute's value."""
        text = re.escape(self.value)
        match self.sign:
            case "=":
                return text
            case "^=":
                return text + _ANY
            case "$=":
                return _ANY + text
            case "*=":
                return _ANY + text + _ANY
            case "word":
                return rf"(?:{_ANY}\s)?{text}(?:\s{_ANY})?"
            case _:
                return _ANY


def pattern_of_selector(selector: str, attribute: str) -> str | None:
    """Return a pattern for an attribute of the first element that a selector selects, or for its text.

    None for a selector of more than one element or of anything else.
    """
    match = _TAG.match(selector)
    tag, place = (match[0], match.end()) if match is not None else ("", 0)
    rules = []
    while (part := _PART.match(selector, place)) is not None:
        place = part.end()
        if part["id"] is not None:
            rules.append(AttributeRule("id", part["id"], "="))
        elif part["class"] is not None:
            rules.append(AttributeRule("class", part["class"], "word"))
        else:
            value = next((part[key] for key in ("double", "single", "bare") if part[key] is not None), "")
            rules.append(AttributeRule(part["name"], value, part["sign"] or ""))
    if place != len(selector) or not selector:
        return None
    return pattern_of_tag("" if tag == "*" else tag, rules, attribute)


def pattern_of_tag(tag: str, rules: Sequence[AttributeRule], attribute: str) -> str:
    """Return a pattern for an attribute, or the text, of a tag whose attributes stand in the order of rules.

    tag: empty for any. The attribute looked for is one of those, or stands behind them, as in forms of usual
    frameworks.
    """
    pattern = f"(?i)<{re.escape(tag) if tag else '[a-z][a-z0-9-]*'}"
    is_taken = False
    for rule in rules:
        value = rule.pattern
        pattern += rf"(?:\s[^>]*?)?\s{re.escape(rule.name)}"
        if rule.name.lower() == attribute.lower() and not is_taken:
            pattern += rf"=[\"']?({value})[\"'\s>]"
            is_taken = True
        else:
            pattern += (
                rf"=(?:\"{value}\"|'{value}'|{value})"
                if rule.sign
                else f"(?:=(?:\"{value}\"|'{value}'|[^\\s\"'>]*))?"
            )
    if is_taken:
        return pattern
    if not attribute:
        return rf"{pattern}(?:\s[^>]*)?>([^<]*)<"
    return rf"{pattern}(?:\s[^>]*?)?\s{re.escape(attribute)}=[\"']?([^\"'>]*)"
