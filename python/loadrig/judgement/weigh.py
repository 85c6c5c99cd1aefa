"""Weighing of what causes claim: arithmetic, signs and evidence decide whether a claim stands.

Gates (each can only lower what the one before left):
1. bound: could it, by arithmetic, explain as much as is wrong?
2. signature: does all hold that it must show, and none of what contradicts it outweigh that?
3. association: its statistics speak through the weights of its evidence.
4. intervention: only an experiment makes a cause `named`; a single trial never does.
"""

from collections.abc import Collection

from loadrig.base.units import show_duration, show_share
from loadrig.judgement import gains
from loadrig.judgement.constants import LEAST_BOUND, THREE_READINGS_S
from loadrig.judgement.declarations import Cause, causes
from loadrig.judgement.evidence import Cleared, Evidence, Finding, FormulaSource, Hypothesis, Sign, Verdict
from loadrig.judgement.facts.case import Case, Unseen
from loadrig.judgement.harms import table as harms
from loadrig.judgement.limits.ceilings import ceilings
from loadrig.judgement.own_words import with_own_words
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementWeighTexts

TEXTS = texts_of(JudgementWeighTexts)

LIKELY = 2.0
"""Net weight of evidence, in bans, of a likely cause whose signs all hold: odds of a hundred to one."""


def weighed(case: Case, *, only_rig: bool) -> tuple[list[Finding], list[Cleared], list[Unseen]]:
    """Return the claims that stand, those that are cleared, and causes whose examination failed.

    only_rig: whether only causes that lie in the rig itself are asked, as the trial says nothing else.
    """
    standing: list[Finding] = []
    cleared: list[Cleared] = []
    broken: list[Unseen] = []
    for cause in causes():
        if only_rig and not cause.is_of_the_rig:
            continue
        hypotheses, failure = _examined(cause, case)
        broken += failure
        for hypothesis in hypotheses:
            judged = judge(cause, hypothesis, case)
            if isinstance(judged, Finding):
                standing.append(judged)
            else:
                cleared.append(judged)
    return standing, cleared, broken


def _examined(cause: Cause, case: Case) -> tuple[list[Hypothesis], list[Unseen]]:
    """Return the hypotheses of a cause, or what failed: that must not cost a run of hours its result."""
    try:
        return with_own_words(case, cause, cause.claims(case)), []
    except Exception as error:
        why = TEXTS.looking_failed_please(type(error).__name__, str(error))
        return [], [Unseen("", TEXTS.cause(cause.name), why)]


def judge(
    cause: Cause, hypothesis: Hypothesis, case: Case, *, is_harmless: bool = False
) -> Finding | Cleared:
    """Judge one hypothesis by the gates: return a finding where it stands, else what cleared it.

    is_harmless: whether the hypothesis is of a trial in which nothing is wrong.
    """
    supports = [
        Evidence(sign.text, sign.source, sign.weight) for sign in hypothesis.signs if sign.holds
    ] + list(hypothesis.more)
    weight = sum(item.weight for item in supports) - sum(item.weight for item in hypothesis.against)
    harmed = set(cause.about.harms) & set(case.harms)
    failed = next((sign for sign in hypothesis.signs if sign.holds is False), None)
    if failed is not None:
        return Cleared(cause.name, hypothesis.component, failed.text, failed.source, weight)
    if cause.about.harms and not harmed and not is_harmless:
        why = TEXTS.nothing_wrong_could
        return Cleared(cause.name, hypothesis.component, why, FormulaSource(TEXTS.no_harm), weight)
    if hypothesis.bound is not None and hypothesis.bound < LEAST_BOUND:
        source = FormulaSource(hypothesis.bound_text)
        why = TEXTS.can_explain_most(show_share(hypothesis.bound), hypothesis.bound_text)
        return Cleared(cause.name, hypothesis.component, why, source, weight)
    if weight <= 0:
        # Nothing speaks for the cause: say what speaks against it most, or what would have to be seen.
        least: list[Evidence | Sign] = sorted(hypothesis.against, key=lambda item: -item.weight)
        least += hypothesis.signs
        return Cleared(cause.name, hypothesis.component, least[0].text, least[0].source, weight)
    missing = tuple(sign.text for sign in hypothesis.signs if sign.holds is None)
    if cause.about.way != "fact":  # what a counter or an event states is so, however short the trial was
        missing += unsure(case, harmed)
    missing += (TEXTS.no_goal,) if is_harmless else ()
    verdict: Verdict = "likely" if not missing and weight >= LIKELY else "possible"
    if hypothesis.bound_text and hypothesis.bound_text not in {item.text for item in supports}:
        supports.append(Evidence(hypothesis.bound_text, FormulaSource(hypothesis.bound_text), 0.0))
    return Finding(
        cause=cause.name,
        component=hypothesis.component,
        verdict=verdict,
        title=cause.title,
        effect=hypothesis.effect,
        mend=hypothesis.mend or cause.texts.mend,
        decides=hypothesis.decides or cause.texts.decides,
        weight=weight,
        evidence=tuple(sorted(supports, key=lambda item: -item.weight)),
        against=hypothesis.against,
        missing=missing,
        detail=hypothesis.detail,
        harms=tuple(sorted(harmed)),
        bound=hypothesis.bound,
        gain=_gain(cause, hypothesis, case),
    )


def unsure(case: Case, harmed: Collection[str]) -> tuple[str, ...]:
    """Return why nothing that explains these harms is sure: too short a trial, or disturbed figures."""
    missing = []
    if case.measured_s < THREE_READINGS_S:
        missing.append(TEXTS.only_measured_s(show_duration(case.measured_s), f"{THREE_READINGS_S:g}"))
    if harmed and (why := harms.unsure(case, harmed)):
        missing.append(why)
    return tuple(missing)


def _gain(cause: Cause, hypothesis: Hypothesis, case: Case) -> float | None:
    """Return what good answers would be multiplied by without the cause, not beyond the next limit."""
    law = cause.law_of(hypothesis.detail)
    if law is None:
        return None
    reach = hypothesis.gain
    if reach is None and hypothesis.bound is not None:
        reach = gains.without(hypothesis.bound)
    offered_rps = case.load.offered_rps if case.load.is_open else None
    return gains.whole(law, hypothesis.component, reach, ceilings(case), case.load.ok_rps, offered_rps)
