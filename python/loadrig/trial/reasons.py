"""Remarks of a check on the rig: a reason with its level, or that the check does not apply, and why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from loadrig.base.units import show_share

Level = Literal["disturbed", "grave"]
"""Level of a reason: which of two limits was passed. Its effect on each kind of claim is in
trial.weakening."""

VERBS: Mapping[Level, str] = {"disturbed": "disturbs", "grave": "disturbs gravely"}


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that disturbed a trial, or that its reader must know (a note).

    level: "void" where nothing can be said of the trial at all. by: measured amount of the disturbance, as a
    share by which figures may be off, 0 to 1; None where no such share can be given.
    """

    check: str
    level: Literal["note", "disturbed", "grave", "void"]
    text: str
    mend: str = ""
    by: float | None = None


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A check that could not be applied to this trial, and why."""

    check: str
    why: str


Remark = Reason | NotApplicable


def graded(value: float, disturbed: float, grave: float) -> Level | None:
    """Return the level of a value above one of two limits; None below both."""
    if value > grave:
        return "grave"
    return "disturbed" if value > disturbed else None


def above(level: Level, disturbed: float, grave: float, show: Callable[[float], str] = show_share) -> str:
    """Return the limit that was passed, as the end of a reason: "disturbs above 1 %"."""
    return f"{VERBS[level]} above {show(grave if level == 'grave' else disturbed)}"
