"""Harms: what is wrong with a trial, if anything, before anybody asks why.

A cause is only accused of a harm that is there: a counter that rises while the server does all that it is
asked to do accuses nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from loadrig.base.claims import Claim
from loadrig.base.units import show_share
from loadrig.judgement.constants import LEAST_BOUND
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import answers, dips, drift, leaks, queueing, saturation, standstill, tails
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsTableTexts
from loadrig.language.labels import label

TEXTS = texts_of(JudgementHarmsTableTexts)


@dataclass(frozen=True, slots=True)
class KindOfHarm:
    """Something that can be wrong. tell: returns it as a sentence, None where it is not there.

    rests_on: kind of claim that a disturbance of the trial may weaken.
    """

    tell: Callable[[Case], str | None]
    rests_on: Claim


def _missed(case: Case) -> str | None:
    """Return the harm "missed" as a sentence; None where every goal is met, or cannot be judged."""
    missed = [goal.text for goal in case.goals if goal.is_met is False]
    return f"{label('missed')}: {'; '.join(missed)}" if missed else None


HARMS: Mapping[str, KindOfHarm] = {
    "stopped": KindOfHarm(standstill.harm, "facts"),
    "short": KindOfHarm(answers.short, "rates"),
    "failing": KindOfHarm(answers.failing, "facts"),
    "rejected": KindOfHarm(answers.rejected, "facts"),
    "queueing": KindOfHarm(queueing.harm, "rates"),
    "saturated": KindOfHarm(saturation.harm, "ratios"),
    "tail": KindOfHarm(tails.harm, "tails"),
    # Goals mostly rest on times; one that a disturbance may account for does not count as missed.
    "missed": KindOfHarm(_missed, "times"),
    "dips": KindOfHarm(dips.harm, "rates"),
    "growth": KindOfHarm(leaks.harm, "facts"),
    "drift": KindOfHarm(drift.harm, "times"),
}
"""Harms by name, the gravest first: the first is told where no cause is found."""


def harms_of(case: Case) -> dict[str, str]:
    """Return the harms of a case by name, each as a sentence with figures; empty without a harm."""
    return {name: text for name, harm in HARMS.items() if (text := harm.tell(case)) is not None}


def unsure(case: Case, names: Iterable[str]) -> str:
    """Return why harms are not sure where all rest on what a disturbance moved; "" where one stands.

    A harm that is larger than what the disturbance may have taken stands, however sure its size is. Of
    disturbances that weaken alike the first is told, by the name of the harm. Figures that may be off by less
    than half of the least share that a cause has to explain are sure enough.
    """
    weak = [(name, case.weak(HARMS[name].rests_on)) for name in sorted(names)]
    by = [
        weakened.by
        for name, weakened in weak
        if weakened is not None and weakened.by is not None and not _outlasts(case, name, weakened.by)
    ]
    if not by or len(by) < len(weak) or min(by) <= LEAST_BOUND / 2:
        return ""
    least = next(weakened for _, weakened in weak if weakened is not None and weakened.by == min(by))
    return TEXTS.what_wrong_measured(show_share(min(by)), least.why)


def _outlasts(case: Case, name: str, by: float) -> bool:
    """Return whether a harm would be one without the share of answers that a disturbance may have taken."""
    if name == "short":
        offered_rps = case.load.offered_rps
        return offered_rps > 0 and case.load.ok_rps / offered_rps + by < answers.SHORT_SHARE
    dipped = dips.of(case) if name == "dips" else None
    return dipped is not None and dipped.is_harm and dipped.lost_share - by >= dips.LEAST_LOST_IRREGULAR
