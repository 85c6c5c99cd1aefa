"""Answers that were due and did not come, or were no good ones."""

from loadrig.base.units import show_number, show_share
from loadrig.judgement.constants import NO_CHANCE
from loadrig.judgement.facts.case import Case
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsAnswersTexts

TEXTS = texts_of(JudgementHarmsAnswersTexts)

SHORT_SHARE = 0.97
"""Good answers over requests due, 0 to 1. Below it the server does not keep up: a count of 1,000 has 3 %
noise."""

FAILING_SHARE = 0.002
"""Share of requests that failed, 0 to 1. Above it that is a harm: twice what a goal of 99.9 % allows."""

UNSENT_SHARE = 0.005
"""Share of requests that were never sent, 0 to 1. Above it that is a harm; it is that of the check of the
load: below it the load was the one that was asked for."""


def short(case: Case) -> str | None:
    """Return the harm "short" as a sentence: too few good answers, or requests that were never sent."""
    load = case.load
    unsent = sum(load.unsent.values()) if case.has_load else 0
    if unsent > least_unsent(case):
        why = ", ".join(name.replace("_", " ") for name, count in load.unsent.items() if count)
        return TEXTS.requests_never_sent(f"{unsent:,}", why)
    # Requests that the generator did not send are no fault of the server, so they are left out.
    offered_rps = load.offered_rps if case.has_load else min(load.offered_rps, load.mean(load.sent))
    # What the server has no such thing of, or does not allow, it would reject at any load.
    answered_rps = load.ok_rps + load.mean(load.rejected)
    if not load.is_open or not offered_rps or answered_rps >= SHORT_SHARE * offered_rps:
        return None
    return TEXTS.s_answered_well(show_number(load.ok_rps), show_number(offered_rps), case.has_load)


def failing(case: Case) -> str | None:
    """Return the harm "failing" as a sentence; None where hardly a request failed."""
    load = case.load
    share, count = (
        load.failed_share - load.rejected_share,
        load.total(load.failed) - load.total(load.rejected),
    )
    if share <= FAILING_SHARE or count < NO_CHANCE:
        return None
    return TEXTS.requests_failed(show_share(share), f"{load.finished:,.0f}")


def rejected(case: Case) -> str | None:
    """Return the harm "rejected" as a sentence; None where hardly a request was answered with 4xx."""
    load = case.load
    if load.rejected_share <= FAILING_SHARE or load.total(load.rejected) < NO_CHANCE:
        return None
    return TEXTS.requests_rejected(show_share(load.rejected_share), f"{load.finished:,.0f}")


def least_unsent(case: Case) -> float:
    """Return the number of requests beyond which it matters that they were not sent."""
    return UNSENT_SHARE * max(1.0, case.load.total(case.load.offered))
