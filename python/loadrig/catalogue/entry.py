"""A knob of a system as the catalogue knows it: what it does, when it matters, what it costs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from loadrig.base.setting import Setting, Value
from loadrig.base.units import show_size

Kind = Literal["flag", "environment", "key", "option", "sysctl", "cgroup"]
"""Ways to set a knob: flag of the command line; variable of the environment; key of a configuration file or
of a constructor; option of the JVM (-X, -XX); sysctl; limit of a control group."""

Scale = Literal["log", "linear", "words"]
"""Scales along which values are alike: 1, 2, 4, 8 are evenly spaced on "log"; "words" have no order."""

CYCLES = 3
"""Number of time constants that must pass within a window; a shorter window shows only how it began."""


@dataclass(frozen=True, slots=True)
class TimeConstant:
    """Time until a value of a knob shows.

    formula: as a person would write it. seconds: returns the time for a value, beside the rest of the
    setting, at a rate in requests a second; None where the value has no such time (a worker that is never
    replaced). cycles: how often that time must pass within a window.
    """

    formula: str
    seconds: Callable[[Value, Setting, float], float | None]
    cycles: int = CYCLES


@dataclass(frozen=True, slots=True)
class Entry:
    """A knob of a system. Written in the member of its system, read by people and by the tuner.

    name: as the system spells it. low, high: range that is sensible to try, not what is accepted; None: no
    bound. words: the values of a knob that is no number. default, of_version: its value when it is not set,
    and in which version. zero: where the value 0 has its place among the others: below the least, or above
    the greatest where 0 means "never" or "without a limit". does, matters, costs: a sentence each; costs is
    empty where a larger value costs nothing worth a word. source: the name of the documentation that says so.
    """

    name: str
    kind: Kind
    does: str
    matters: str
    default: str
    of_version: str
    source: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    words: tuple[str, ...] = ()
    scale: Scale = "linear"
    zero: Literal["below", "above"] = "below"
    costs: str = ""
    time: TimeConstant | None = None

    @property
    def range(self) -> str:
        """The values to try, as text."""
        if self.words:
            return ", ".join(self.words)
        if self.low is None and self.high is None:
            return "–"
        low, high = (self._shown(bound) for bound in (self.low, self.high))
        unit = "" if self.unit == "B" else self.unit
        return f"{low}..{high} {unit}".rstrip()

    def _shown(self, bound: float | None) -> str:
        if bound is None:
            return ""
        return show_size(bound) if self.unit == "B" else f"{bound:,.10g}"


def by_name(*entries: Entry) -> Mapping[str, Entry]:
    """Return entries by their names. Raises ValueError if a name stands twice."""
    by_entry_name = {entry.name: entry for entry in entries}
    if len(by_entry_name) < len(entries):
        raise ValueError("a knob stands twice in its catalogue")
    return by_entry_name


def number(value: Value | None) -> float | None:
    """Return a value as a number; None for words, for true and false, and for none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
