"""Declaration of what may be written in a plan: a frozen dataclass with documented fields.

The plan room reads a YAML mapping into such a class, checks it with positions, and makes the JSON
Schema and the reference page from the same declaration. A field's type says what is accepted:

    Seconds, PerSecond, Share, Bytes, Count    numbers with a notation of their own (base.units)
    str, int, float, bool                      plain values
    Literal["a", "b"]                          one of these words
    tuple[T, ...]                              a list; a single value is read as a list of one
    Mapping[str, T]                            a mapping with free keys
    another such class                         a nested mapping
    T | None                                   may be left out; None is "not said"

A union of a plain type and a class reads the short form or the mapping (`think: 1s` or
`think: {uniform: [1s, 2s]}`). A class may also say:

    SHORT = "field"                  a bare value is read as that field
    FORMS: ClassVar[Forms] = {       keys that go together, named as in the plan: of each group
                                     exactly one form is written, and written whole
        "number": (("count",), ("start", "add", "every", "until"), ("stages",)),
        "body": ((), ("text",), ("file",)),        an empty form: none of them is fine too
    }
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field
from typing import Any, NamedTuple

Forms = Mapping[str, tuple[tuple[str, ...], ...]]
"""Groups of keys that go together, by the group's name; see FORMS above."""


class Declaration(NamedTuple):
    """Arguments of `option` that a field keeps, in its metadata under this class."""

    doc: str
    key: str | None
    low: float | None
    high: float | None
    example: str | None


def option(
    doc: str,
    *,
    default: Any = MISSING,
    factory: Callable[[], Any] | Any = MISSING,
    key: str | None = None,
    low: float | None = None,
    high: float | None = None,
    example: str | None = None,
) -> Any:
    """Declare a documented field of a shape.

    doc: one sentence for the reference page, with the unit and what happens at the edge.
    default or factory: the value when the key is left out; without either the key is required.
    key: the name in the plan where it cannot be a Python name (`else`, `source-ip`).
    low, high: the least and greatest value allowed.
    example: how it is written, for the reference page.
    """
    metadata = {Declaration: Declaration(doc, key, low, high, example)}
    if factory is not MISSING:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)
