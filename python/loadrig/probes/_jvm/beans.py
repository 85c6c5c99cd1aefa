"""MBeans as the reader hands them over: what is asked, what is answered, and their names."""

from collections.abc import Mapping, Sequence
from typing import Any

Question = Sequence[tuple[str, str]]
"""Patterns of names, each with the attributes wanted, between commas."""

Beans = Mapping[str, Mapping[str, Any]]
"""Attributes by name, by the MBean's canonical name."""


def number(values: Mapping[str, Any], *path: str) -> float | None:
    """Return a number of an MBean, of a composite attribute by the path to it; None where there is none."""
    found: Any = values
    for name in path:
        if not isinstance(found, Mapping):
            return None
        found = found.get(name)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def keys(name: str) -> dict[str, str]:
    """Return the key properties of an MBean's canonical name; quotes are taken off."""
    found, rest = {}, name.partition(":")[2]
    while rest:
        key, _, rest = rest.partition("=")
        if rest.startswith('"'):
            end = 1
            while end < len(rest) and rest[end] != '"':
                end += 2 if rest[end] == "\\" else 1
            value, rest = rest[1:end], rest[end + 2 :]
            found[key] = (
                value.replace('\\"', '"').replace("\\*", "*").replace("\\?", "?").replace("\\\\", "\\")
            )
        else:
            found[key], _, rest = rest.partition(",")
    return found
