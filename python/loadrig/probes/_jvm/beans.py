"""MBeans as the reader hands them over: what is asked, what is answered, and their names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Question = Sequence[tuple[str, str]]
"""Patterns of MBeans' names, each with the wanted attributes, separated by commas."""

Beans = Mapping[str, Mapping[str, Any]]
"""Attributes by name, for each MBean by its canonical name."""


def number(values: Mapping[str, Any], *path: str) -> float | None:
    """Return a number of an MBean, of a composite attribute by the path to it; None without a number."""
    value: Any = values
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def figures(
    values: Mapping[str, Any], subject: str, attributes: Iterable[tuple[str, str, float]]
) -> Iterator[tuple[str, str, float]]:
    """Yield metric, subject and value of an MBean's attributes.

    attributes: metric, attribute and factor to the metric's unit. A number below zero is left out: with -1 a
    JVM says that it does not know, and a connector that it uses a shared executor.
    """
    for metric, attribute, factor in attributes:
        value = number(values, attribute)
        if value is not None and value >= 0:
            yield metric, subject, value * factor


def keys(name: str) -> dict[str, str]:
    """Return the key properties of an MBean's canonical name, without their quotes."""
    properties, rest = {}, name.partition(":")[2]
    while rest:
        key, _, rest = rest.partition("=")
        if rest.startswith('"'):
            end = 1
            while end < len(rest) and rest[end] != '"':
                end += 2 if rest[end] == "\\" else 1
            value, rest = rest[1:end], rest[end + 2 :]
            properties[key] = (
                value.replace('\\"', '"').replace("\\*", "*").replace("\\?", "?").replace("\\\\", "\\")
            )
        else:
            properties[key], _, rest = rest.partition(",")
    return properties
