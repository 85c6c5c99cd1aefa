"""The rig itself was the limit, not the server."""

from loadrig.base.units import show_share
from loadrig.judgement.cause import About
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Hypothesis, LoadSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import are_kept_busy
from loadrig.judgement.harms import standstill
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.generator_limited import GeneratorLimitedTexts

TEXTS = texts_of(GeneratorLimitedTexts)

ABOUT = About("rig", "signs", harms=frozenset())
OF_THE_RIG = True
"""Whether the cause accuses the rig: then it is examined in void trials, too."""

LIMITS = frozenset({"G1", "G3", "G5", "G7", "G10"})
"""Checks whose second limit says that the generator fell short or could do no more."""

OF_CONNECTIONS = frozenset({"G1", "G5"})
"""Checks that speak of requests for which no connection was free, which a server may keep busy."""

NEAR = frozenset({"G3", "G10"})
"""Checks whose first limit already says that the generator was near what it can do."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis where a check spoke; none otherwise."""
    limits = [remark for remark in case.remarks if remark.check in LIMITS and remark.level == "grave"]
    remarks = limits or [
        remark for remark in case.remarks if remark.check in NEAR and remark.level == "disturbed"
    ]
    if not remarks:
        return
    source, weight = LoadSource("validity.reasons"), STRONG if limits else SLIGHT
    signs = [Sign(True, f"{remark.check}: {remark.text}", source, weight) for remark in remarks]
    are_kept = are_kept_busy(case) or standstill.of(case) is not None
    if {remark.check for remark in remarks} <= OF_CONNECTIONS and are_kept:
        signs.append(Sign(False, TEXTS.kept_busy, LoadSource("load.in_flight")))
    yield Hypothesis(
        component="generator",
        signs=tuple(signs),
        effect=TEXTS.effect(remarks[0].text, show_share(case.load.failed_share)),
    )
