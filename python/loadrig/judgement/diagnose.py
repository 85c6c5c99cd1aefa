"""The diagnosis of a trial: what limits the server, with evidence, and what else it could have been."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from loadrig.account.sentence import sentence_of as account_told
from loadrig.judgement import constants, words
from loadrig.judgement.cards import ArithmeticCard, cards
from loadrig.judgement.declarations import cause_of
from loadrig.judgement.evidence import STRONG, Cleared, Finding, FormulaSource
from loadrig.judgement.facts.case import Case, Unseen
from loadrig.judgement.harms import standstill
from loadrig.judgement.limits.bottlenecks import Judgement, judgement_of, too_small
from loadrig.judgement.limits.ceilings import Ceiling, ceilings
from loadrig.judgement.rank import finding_of, ranked, slowest, suspected
from loadrig.judgement.roots import roots_of
from loadrig.judgement.weigh import weighed
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementDiagnoseTexts
from loadrig.language.labels import label

TEXTS = texts_of(JudgementDiagnoseTexts)


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
    cards: tuple[ArithmeticCard, ...] = ()


def diagnose(case: Case) -> Diagnosis:
    """Return the diagnosis of a case; of a void trial it says only that the rig was the limit.

    A disturbed trial is examined as any other: only what rests on weakened claims alone is less sure.
    """
    void = any(remark.level == "void" for remark in case.remarks)
    standing, cleared, broken = weighed(case, only_rig=void)
    judgement: Judgement | None = None
    if not void and not _is_account_of_before(case):
        judgement = judgement_of(case, standing)
        cleared += [*_with_room(case, judgement), *_too_little(judgement, standing)]
    if judgement is not None and case.account is None:
        by_facts = {(held.cause, held.component) for held in judgement.harmful if held.holder is not None}
        standing = [claim for claim in standing if (claim.cause, claim.component) not in by_facts]
        standing += [finding_of(case, bottleneck, ()) for bottleneck in judgement.harmful]
    findings = tuple(roots_of(standing, case))
    if judgement is not None and case.account is not None:
        findings = (*slowest(case), *ranked(case, findings, judgement)) or suspected(case, judgement)
    if not findings and not void and judgement is None:
        findings = _before_standstill(case, standing)
    if any(finding.verdict == "likely" and finding.harms for finding in findings):
        findings = tuple(finding for finding in findings if finding.cause != "healthy")
    return Diagnosis(
        findings=tuple(_with_rivals(root, findings, cleared) for root in findings),
        sentence=sentence_of(case, findings, judgement, void=void),
        harms=dict(case.harms),
        cleared=tuple(sorted(cleared, key=lambda cause: -cause.weight)),
        unseen=(*case.unseen, *broken),
        decides=_decides(case, findings),
        ceilings=() if void else ceilings(case),
        cards=() if void else cards(case),
    )


def _is_account_of_before(case: Case) -> bool:
    """Return whether the server stopped answering after a while: the account is mostly of the time before."""
    standing_still = standstill.of(case)
    return "stopped" in case.harms and (standing_still is None or not standing_still.is_from_start)


def _before_standstill(case: Case, standing: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return as possible what was full before a server stood still, where nothing else says why it does."""
    judgement = judgement_of(case, standing)
    return tuple(
        replace(finding, verdict="possible", missing=(TEXTS.mostly_of_before, *finding.missing))
        for finding in ranked(case, (), judgement)[:1] or suspected(case, judgement)
    )


def _with_room(case: Case, judgement: Judgement) -> Iterable[Cleared]:
    """Yield the causes of size that are cleared, as their resource had room."""
    for resource in judgement.resources:
        if not resource.is_full:
            text = words.room_of(resource)
            # What had little room remains a suspect, what had much does not.
            weight = -STRONG * (1 - resource.share)
            yield Cleared(too_small(case, resource), resource.component, text, FormulaSource(text), weight)


def _too_little(judgement: Judgement, standing: Sequence[Finding]) -> Iterable[Cleared]:
    """Yield the causes of holders that are cleared: their resource had room, or they use little of it."""
    named = {(claim.cause, claim.component) for claim in standing}
    named |= {(bottleneck.cause, bottleneck.component) for bottleneck in judgement.harmful}
    for minor in judgement.minor:
        if cause_of(minor.cause).has_words_of_holder and (minor.cause, minor.component) not in named:
            text = f"{words.effect_of(minor)}: {words.gain_of(minor)}"
            if not minor.resource.is_full:
                text = words.room_of(minor.resource)
            yield Cleared(minor.cause, minor.component, text, FormulaSource(text))


def _with_rivals(root: Finding, roots: Sequence[Finding], cleared: Iterable[Cleared]) -> Finding:
    """Return the root with its rivals: other roots, and the cleared causes that came nearest to standing.

    Each cause of a component is named once.
    """
    others = [
        Cleared(rival.cause, rival.component, _less_likely(rival), rival.evidence[0].source, rival.weight)
        for rival in roots
        if rival is not root and rival.evidence
    ]
    # A finding shows already that the server is not healthy. Of a cause that stands, another hypothesis
    # may be cleared (another lock, another destination): beside the finding that reads as a contradiction.
    standing = {(each.cause, each.component) for each in roots}
    closest: dict[tuple[str, str], Cleared] = {}
    for rival in sorted(cleared, key=lambda rival: -rival.weight):
        if rival.cause != "healthy" and (rival.cause, rival.component) not in standing:
            closest.setdefault((rival.cause, rival.component), rival)
    return replace(root, rivals=tuple([*others, *closest.values()][: constants.MOST_RIVALS]))


def _less_likely(finding: Finding) -> str:
    if finding.missing:
        return TEXTS.is_less_sure(label(finding.verdict), finding.missing[0])
    if finding.against:
        return TEXTS.is_less_sure(label(finding.verdict), finding.against[0].text)
    return TEXTS.is_too(label(finding.verdict), finding.effect)


def _decides(case: Case, findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return what would decide: experiments of the findings; where there are none, what was not seen."""
    wanted = [finding.decides for finding in findings if finding.verdict != "named" and finding.decides]
    if not findings:
        wanted = [unseen.why for unseen in case.unseen] or [TEXTS.profile_high_load]
    return tuple(dict.fromkeys(wanted))


def sentence_of(
    case: Case, findings: Sequence[Finding], judgement: Judgement | None = None, *, void: bool = False
) -> str:
    """Return the answer in one sentence."""
    if void:
        remark = next(remark for remark in case.remarks if remark.level == "void")
        mend = TEXTS.would_give_answer(remark.mend) if remark.mend else ""
        return TEXTS.nothing_can_server(remark.text, mend)
    server = case.account.server if case.account is not None else None
    if not findings and server is not None and judgement is not None and judgement.is_roomy(server):
        failing = case.harms.get("failing") or case.harms.get("rejected")
        nothing = TEXTS.fails_with_room(failing) if failing else TEXTS.nothing_full
        return f"{nothing} {account_told(server)}"
    if not findings:
        harm = next(iter(case.harms.values()), TEXTS.nothing_seen_server)
        would = _decides(case, findings)[0]
        return TEXTS.we_cannot_tell(harm, would)
    first = findings[0]
    if first.cause == "healthy":
        return f"{first.effect[:1].upper()}{first.effect[1:]}."
    sure = {"named": "", "likely": TEXTS.likely, "possible": TEXTS.possibly}[first.verdict]
    return f"{sure}{first.title} ({first.component}): {first.effect}."
