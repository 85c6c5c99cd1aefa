"""Remarks of a check on the rig: a reason with its level, or that the check does not apply, and why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from loadrig.base.documents import Document, Says
from loadrig.base.rig_limits import Level
from loadrig.base.units import show_share
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.endings import TrialReasonsTexts
from loadrig.language.labels import label

TEXTS = texts_of(TrialReasonsTexts)

VERBS: Mapping[Level, str] = {"disturbed": label("disturbs"), "grave": TEXTS.verb_grave}


class Reason(Document, frozen=True):
    """Disturbance of a trial, or a note that its reader must know."""

    check: Annotated[str, Says("the check that gives it")]
    level: Annotated[
        Literal["note", "disturbed", "grave", "void"],
        Says(
            "how grave it is: `void` where nothing can be said of the trial at all; a `note` weakens nothing"
        ),
    ]
    text: Annotated[str, Says("the figure, and the limit that was passed")]
    mend: Annotated[str, Says('what to do about it, or ""')] = ""
    by: Annotated[
        float | None,
        Says(
            "measured amount of the disturbance, as a share by which figures may be off, 0 to 1; null where"
            " no such share can be given"
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """A check that could not be applied to this trial, and why."""

    check: str
    why: str


Remark = Reason | NotApplicable


def above(level: Level, disturbed: float, grave: float, show: Callable[[float], str] = show_share) -> str:
    """Return the limit that was passed, as the end of a reason: "disturbs above 1 %"."""
    return TEXTS.above(VERBS[level], show(grave if level == "grave" else disturbed))
