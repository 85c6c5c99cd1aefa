"""Harms: what is wrong with a trial, if anything, before anybody asks why.

A cause is only accused of a harm that is there: a counter that rises while the server does all that it is
asked to do accuses nothing.
"""

from collections.abc import Callable, Iterable, Mapping

from loadrig.base.claims import Claim
from loadrig.base.units import show_share
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import answers, dips, drift, leaks, queueing, saturation, standstill, tails
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsTableTexts
from loadrig.language.labels import label

TEXTS = texts_of(JudgementHarmsTableTexts)

NAMES: Mapping[str, str] = {
    "short": TEXTS.name_short,
    "failing": TEXTS.name_failing,
    "rejected": TEXTS.name_rejected,
    "stopped": TEXTS.name_stopped,
    "queueing": TEXTS.name_queueing,
    "saturated": TEXTS.name_saturated,
    "tail": TEXTS.name_tail,
    "missed": TEXTS.name_missed,
    "dips": TEXTS.name_dips,
    "growth": TEXTS.name_growth,
    "drift": TEXTS.name_drift,
}

RESTS_ON: Mapping[str, Claim] = {
    "short": "rates",
    "failing": "facts",
    "rejected": "facts",
    "stopped": "facts",
    "queueing": "rates",
    "saturated": "ratios",
    "tail": "tails",
    "missed": "times",
    "dips": "rates",
    "growth": "facts",
    "drift": "times",
}
"""Kind of claim that each harm rests on. Goals mostly rest on times; a goal that a disturbance may account
for does not count as missed."""

WEAK_ABOVE = 0.05
"""Share by which a figure may be off, 0 to 1. Above it a harm that rests on such figures alone is not sure:
it is half of the least share that a cause has to explain (LEAST_BOUND of the engine)."""


def harms_of(case: Case) -> dict[str, str]:
    """Return the harms of a case by name, each as a sentence with figures; empty without a harm."""
    return {name: text for name, harm in HARMS.items() if (text := harm(case)) is not None}


def _missed(case: Case) -> str | None:
    """Return the harm "missed" as a sentence; None where every goal is met, or cannot be judged."""
    missed = [goal.text for goal in case.goals if goal.is_met is False]
    return f"{label('missed')}: {'; '.join(missed)}" if missed else None


HARMS: Mapping[str, Callable[[Case], str | None]] = {
    "stopped": standstill.harm,
    "short": answers.short,
    "failing": answers.failing,
    "rejected": answers.rejected,
    "queueing": queueing.harm,
    "saturated": saturation.harm,
    "tail": tails.harm,
    "missed": _missed,
    "dips": dips.harm,
    "growth": leaks.harm,
    "drift": drift.harm,
}
"""Function that tells each harm, the gravest first: the first is told where no cause is found."""


def unsure(case: Case, names: Iterable[str]) -> str:
    """Return why harms are not sure where all rest on what a disturbance moved; "" where one stands.

    A harm that is larger than what the disturbance may have taken stands, however sure its size is. Of
    disturbances that weaken alike the first is told, by the name of the harm.
    """
    weak = [(name, case.weak(RESTS_ON[name])) for name in sorted(names)]
    by = [
        weakened.by
        for name, weakened in weak
        if weakened is not None and weakened.by is not None and not _outlasts(case, name, weakened.by)
    ]
    if not by or len(by) < len(weak) or min(by) <= WEAK_ABOVE:
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
