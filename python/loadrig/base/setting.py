"""Knobs and settings: what can be set on a target, and all knobs with a value each."""

from collections.abc import Mapping
from dataclasses import dataclass

Value = str | int | float | bool
Setting = Mapping[str, Value]
"""Values of all knobs of a study; knobs that a condition rules out are absent."""


@dataclass(frozen=True, slots=True)
class Knob:
    """Knob of a target's catalogue, by its real name.

    kind: "int", "float", "word", "flag", "size" or "text". low, high: the allowed range.
    words: the allowed words.
    unit: as in Estimate, "" for none. default: what the server uses when it is not set.
    cost: how dear a step up is when settings cannot be told apart: 3 a process, 2 a thread, 1 memory, 0
    nothing. doc: one sentence on what it does and when it matters.
    """

    name: str
    kind: str
    doc: str
    default: Value | None = None
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()
    unit: str = ""
    cost: int = 0


def show_setting(setting: Setting) -> str:
    """Return a setting on one line, in the order of its knobs: "worker_class=sync workers=2"."""
    return " ".join(f"{name}={show_value(value)}" for name, value in setting.items()) or "as it is"


def show_value(value: Value) -> str:
    """Return a value as a plan writes it: true and false in small letters."""
    return str(value).lower() if isinstance(value, bool) else str(value)
