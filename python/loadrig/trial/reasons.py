"""What a check on the rig can say: a reason with its level, or that it does not apply, and why."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from loadrig.base.units import show_share

Level = Literal["suspect", "void"]


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that is wrong with a trial, or that its reader must know (a note)."""

    check: str
    level: Literal["note", "suspect", "void"]
    text: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A check that could not be applied to this trial, and why."""

    check: str
    why: str


Remark = Reason | NotApplicable


def graded(value: float, suspect: float, void: float) -> Level | None:
    """The level that a value above one of two limits has."""
    if value > void:
        return "void"
    return "suspect" if value > suspect else None


def above(level: Level, suspect: float, void: float, show: Callable[[float], str] = show_share) -> str:
    """The limit that was passed, for the end of a reason: "void above 5 %"."""
    return f"{level} above {show(void if level == 'void' else suspect)}"
