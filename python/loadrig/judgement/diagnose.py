"""The engine: every cause looks at the case, the gates decide, roots come before their symptoms.

Gates (each can only lower what the one before left):
1. bound: could it, by arithmetic, explain as much as is wrong?
2. signature: does all hold that it must show, and none of what contradicts it outweigh that?
3. association: its statistics speak through the weights of its evidence.
4. intervention: only an experiment makes a cause `named`; a single trial never does.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from loadrig.base import members
from loadrig.base.units import show_duration, show_share
from loadrig.judgement import gains
from loadrig.judgement.about import AT_THE_OTHER_END, about_of, brings_about
from loadrig.judgement.cards import Card, cards
from loadrig.judgement.evidence import (
    Cleared,
    Evidence,
    Finding,
    FormulaSource,
    Hypothesis,
    Sign,
    Verdict,
)
from loadrig.judgement.facts.case import Case, Unseen
from loadrig.judgement.harms import table as harms
from loadrig.judgement.limits.ceilings import Ceiling, ceilings
from loadrig.judgement.own_words import with_own_words
from loadrig.judgement.proofs import ROOM

LEAST_BOUND = 0.10
"""Share of what is wrong that a cause can explain at most, 0 to 1. Below it arithmetic clears the cause."""

LIKELY = 2.0
"""Net weight of evidence, in bans, of a likely cause whose signs all hold: odds of a hundred to one."""

SURE_S = 3.0
"""Length of the measured part in seconds. Below it no finding is sure: probes read once a second, and among
fewer than three readings none can be told to be odd."""

MOST_RIVALS = 6


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Answer to what limits a server. findings: roots, most likely first, each with its symptoms.

    sentence: the answer in one sentence. harms: what is wrong, by name. cleared: causes that were looked
    into and do not stand. unseen: what could not be seen. decides: what would decide where nothing stands.
    ceilings: limits of every tier, the nearest first. cards: arithmetic with the numbers that were observed.
    """

    findings: tuple[Finding, ...]
    sentence: str
    harms: Mapping[str, str]
    cleared: tuple[Cleared, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    decides: tuple[str, ...] = ()
    ceilings: tuple[Ceiling, ...] = ()
    cards: tuple[Card, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields as `diagnosis` in a trial's result has them; the findings stand beside it."""
        return {
            "sentence": self.sentence,
            "harms": [{"harm": name, "text": text} for name, text in self.harms.items()],
            "cleared": [cleared.to_json() for cleared in self.cleared],
            "unseen": [{"component": u.component, "what": u.what, "why": u.why} for u in self.unseen],
            "decides": list(self.decides),
            "ceilings": [ceiling.to_json() for ceiling in self.ceilings],
            "cards": [card.to_json() for card in self.cards],
        }


def diagnose(case: Case) -> Diagnosis:
    """Return the diagnosis of a case; of a void trial it says only that the rig was the limit.

    A disturbed trial is examined as any other: only what rests on weakened claims alone is less sure.
    """
    void = any(remark.level == "void" for remark in case.remarks)
    standing: list[Finding] = []
    cleared: list[Cleared] = []
    broken: list[Unseen] = []
    for cause in members.names(ROOM):
        module = members.load(ROOM, cause)
        if void and not is_of_the_rig(module):
            continue
        hypotheses, failure = _examined(module, cause, case)
        broken += failure
        for hypothesis in hypotheses:
            judged = judge(cause, module, hypothesis, case)
            if isinstance(judged, Finding):
                standing.append(judged)
            else:
                cleared.append(judged)
    roots = _roots(standing, case)
    findings = tuple(_with_rivals(root, roots, cleared) for root in roots)
    nearest = () if void else ceilings(case)
    return Diagnosis(
        findings=findings,
        sentence=sentence_of(case, findings, void=void),
        harms=dict(case.harms),
        cleared=tuple(sorted(cleared, key=lambda cause: -cause.weight)),
        unseen=(*case.unseen, *broken),
        decides=_decides(case, findings),
        ceilings=nearest,
        cards=() if void else cards(case),
    )


def _examined(module: ModuleType, cause: str, case: Case) -> tuple[list[Hypothesis], list[Unseen]]:
    """Return the hypotheses of a cause, or what failed: that must not cost a run of hours its result."""
    try:
        return with_own_words(case, module, list(module.examine(case))), []
    except Exception as error:
        why = f"looking for it failed ({type(error).__name__}: {error}); please send the run's folder"
        return [], [Unseen("", f"cause {cause}", why)]


def judge(cause: str, module: ModuleType, hypothesis: Hypothesis, case: Case) -> Finding | Cleared:
    """Judge one hypothesis by the gates: return a finding where it stands, else what cleared it."""
    supports = [
        Evidence(sign.text, sign.source, sign.weight) for sign in hypothesis.signs if sign.holds
    ] + list(hypothesis.more)
    weight = sum(item.weight for item in supports) - sum(item.weight for item in hypothesis.against)
    harmed = set(module.HARMS) & set(case.harms)
    failed = next((sign for sign in hypothesis.signs if sign.holds is False), None)
    if failed is not None:
        return Cleared(cause, hypothesis.component, failed.text, failed.source, weight)
    if module.HARMS and not harmed:
        why = "nothing is wrong that it could explain"
        return Cleared(cause, hypothesis.component, why, FormulaSource("no harm was found"), weight)
    if hypothesis.bound is not None and hypothesis.bound < LEAST_BOUND:
        source = FormulaSource(hypothesis.bound_text)
        why = f"it can explain {show_share(hypothesis.bound)} at most: {hypothesis.bound_text}"
        return Cleared(cause, hypothesis.component, why, source, weight)
    if weight <= 0:
        # Nothing speaks for the cause: say what speaks against it most, or what would have to be seen.
        least: list[Evidence | Sign] = sorted(hypothesis.against, key=lambda item: -item.weight)
        least += hypothesis.signs
        return Cleared(cause, hypothesis.component, least[0].text, least[0].source, weight)
    missing = tuple(sign.text for sign in hypothesis.signs if sign.holds is None)
    if module.ABOUT.way != "fact":  # what a counter or an event states is so, however short the trial was
        missing += unsure(case, harmed)
    verdict: Verdict = "likely" if not missing and weight >= LIKELY else "possible"
    if hypothesis.bound_text:
        supports.append(Evidence(hypothesis.bound_text, FormulaSource(hypothesis.bound_text), 0.0))
    return Finding(
        cause=cause,
        component=hypothesis.component,
        verdict=verdict,
        title=module.TITLE,
        effect=hypothesis.effect,
        mend=hypothesis.mend,
        decides=hypothesis.decides,
        weight=weight,
        evidence=tuple(sorted(supports, key=lambda item: -item.weight)),
        against=hypothesis.against,
        missing=missing,
        detail=hypothesis.detail,
        harms=tuple(sorted(harmed)),
        bound=hypothesis.bound,
        gain=_gain(module, hypothesis, case),
    )


def unsure(case: Case, harmed: Collection[str]) -> tuple[str, ...]:
    """Return why nothing that explains these harms is sure: too short a trial, or disturbed figures."""
    missing = []
    if case.measured_s < SURE_S:
        missing.append(
            f"only {show_duration(case.measured_s)} were measured: {SURE_S:g} s are needed to be sure"
        )
    if harmed and (why := harms.unsure(case, harmed)):
        missing.append(why)
    return tuple(missing)


def _gain(module: ModuleType, hypothesis: Hypothesis, case: Case) -> float | None:
    """Return what good answers would be multiplied by without the cause, not beyond the next limit."""
    law = gains.law_of(module, hypothesis.detail)
    if law is None:
        return None
    reach = hypothesis.gain
    if reach is None and hypothesis.bound is not None:
        reach = gains.without(hypothesis.bound)
    nearest = [ceiling.to_json() for ceiling in ceilings(case)]
    offered_rps = case.load.offered_rps if case.load.is_open else None
    return gains.whole(law, hypothesis.component, reach, nearest, case.load.ok_rps, offered_rps)


def _order(finding: Finding, case: Case) -> tuple[bool, int, bool, bool, float]:
    # Nothing is as bad as a server that stands still, and all else was measured before that. A harm of now
    # comes before a harm that is hours away. Where the server did not get the load, the reason for that comes
    # first.
    is_later = finding.harms == ("growth",)
    is_of_server = case.has_load or not is_of_the_rig(members.load(ROOM, finding.cause))
    verdict = ("named", "likely", "possible").index(finding.verdict)
    return "stopped" not in finding.harms, verdict, is_later, is_of_server, -finding.weight


def is_of_the_rig(module: ModuleType) -> bool:
    """Return whether a cause lies in the rig itself and not in the server."""
    return bool(getattr(module, "OF_THE_RIG", False))


def _roots(standing: Sequence[Finding], case: Case) -> list[Finding]:
    """Return the findings that no other finding explains, most likely first, each with its symptoms."""
    ranked = sorted(standing, key=lambda finding: _order(finding, case))
    parents: dict[int, int] = {}
    for child, symptom in enumerate(ranked):
        for parent, cause in enumerate(ranked):
            if parent == child or not _explains(cause, symptom, case):
                continue
            # Where two findings explain each other the likelier one is the root. A finding that is only
            # possible explains no finding that is likely.
            mutual = _explains(symptom, cause, case)
            if (mutual and parent > child) or (cause.verdict == "possible" and symptom.verdict != "possible"):
                continue
            if not _is_below(parent, child, parents):
                parents[child] = parent
                break
    roots = []
    for place, finding in enumerate(ranked):
        if place in parents:
            continue
        below = [ranked[child] for child in sorted(parents) if _is_below(child, place, parents)]
        roots.append(replace(finding, symptoms=tuple(below)))
    return roots


def _is_below(child: int, root: int, parents: Mapping[int, int]) -> bool:
    while child in parents:
        child = parents[child]
        if child == root:
            return True
    return False


def _explains(cause: Finding, symptom: Finding, case: Case) -> bool:
    """Return whether one finding makes the other look true, by what both are about and who calls whom."""
    of_cause, of_symptom = about_of(cause.cause), about_of(symptom.cause)
    is_same_component = cause.component == symptom.component
    is_shared = of_symptom.resource == "cpu" and _share_cores(case, cause.component, symptom.component)
    if not brings_about(of_cause, of_symptom, is_one_resource=is_same_component or is_shared):
        return False
    return (
        is_same_component
        or is_shared
        or of_symptom.resource in AT_THE_OTHER_END
        or _waits_for(case, symptom.component, cause.component)
    )


def _share_cores(case: Case, component: str, neighbour: str) -> bool:
    """Return whether two programs may run on the same cores of a machine."""
    first, second = case.tiers.get(component), case.tiers.get(neighbour)
    if first is None or second is None or first.host != second.host or first.is_host or second.is_host:
        return False
    return not first.cpus or not second.cpus or bool(set(first.cpus) & set(second.cpus))


def _waits_for(case: Case, component: str, callee: str) -> bool:
    """Return whether a component calls a callee, itself or by way of others; a host serves all components."""
    tier = case.tiers.get(callee)
    if tier is None or tier.is_host:
        return True
    reached, nearest = {component}, [component]
    while nearest:
        nearest = [edge.to for edge in case.edges if edge.source in nearest and edge.to not in reached]
        reached.update(nearest)
    return callee in reached


def _with_rivals(root: Finding, roots: Iterable[Finding], cleared: Iterable[Cleared]) -> Finding:
    """Return the root with its rivals: other roots, and the cleared causes that came nearest to standing."""
    others = [
        Cleared(rival.cause, rival.component, _less_likely(rival), rival.evidence[0].source, rival.weight)
        for rival in roots
        if rival is not root and rival.evidence
    ]
    # A finding shows already that the server is not healthy.
    closest = sorted(
        (rival for rival in cleared if rival.cause != "healthy"), key=lambda rival: -rival.weight
    )
    return replace(root, rivals=tuple([*others, *closest][:MOST_RIVALS]))


def _less_likely(finding: Finding) -> str:
    if finding.missing:
        return f"it is {finding.verdict}: {finding.missing[0]}"
    if finding.against:
        return f"it is {finding.verdict}: {finding.against[0].text}"
    return f"it is {finding.verdict} too: {finding.effect}"


def _decides(case: Case, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return what would decide: experiments of the findings; where there are none, what was not seen."""
    wanted = [finding.decides for finding in findings if finding.verdict != "named" and finding.decides]
    if not findings:
        wanted = [unseen.why for unseen in case.unseen] or [
            "a profile at high load (--profile) tells where the time goes; a look at its log tells of errors"
        ]
    return tuple(dict.fromkeys(wanted))


def sentence_of(case: Case, findings: Sequence[Finding], *, void: bool = False) -> str:
    """Return the answer in one sentence."""
    if void:
        remark = next(remark for remark in case.remarks if remark.level == "void")
        mend = f" This would give an answer: {remark.mend}." if remark.mend else ""
        return f"Nothing can be said of the server: {remark.text}.{mend}"
    if not findings:
        harm = next(iter(case.harms.values()), "nothing was seen of the server")
        would = _decides(case, findings)[0]
        return (
            f"We cannot tell what limits it: {harm}, and no known cause shows its signs; this would: {would}."
        )
    first = findings[0]
    if first.cause == "healthy":
        return f"{first.effect[:1].upper()}{first.effect[1:]}."
    sure = {"named": "", "likely": "Likely: ", "possible": "Possibly: "}[first.verdict]
    return f"{sure}{first.title} ({first.component}): {first.effect}."
