"""The findings of a trial in the order of what their mends would bring, by its bottlenecks.

A cause that rests on a full resource stands where a bottleneck names it. Others of that kind are symptoms
of the first bottleneck: they wait for what it is of. Where nothing is full by an account that is whole they
do not stand at all. Causes that rest on counters and events (ports, time-outs, drops) are left as they were
found.
"""

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

from loadrig.account.book import ComponentAccount
from loadrig.account.sentence import told as account_told
from loadrig.base import members
from loadrig.base.units import show_share
from loadrig.judgement import constants, words
from loadrig.judgement.about import FIRST, about_of
from loadrig.judgement.diagnose import Diagnosis, is_of_the_rig, sentence_of, unsure
from loadrig.judgement.evidence import STRONG, Cleared, Evidence, Finding, FormulaSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.limits.bottlenecks import Bottleneck, Judgement, harmed, judgement_of
from loadrig.judgement.limits.holders import LOAD
from loadrig.judgement.limits.kinds import Resource
from loadrig.judgement.page import first_of
from loadrig.judgement.proofs import ROOM


def ranked(case: Case, diagnosis: Diagnosis) -> Diagnosis:
    """Return a diagnosis with its findings in the order of the bottlenecks."""
    if case.account is None or any(remark.level == "void" for remark in case.remarks):
        return diagnosis
    if "stopped" in case.harms:  # the account is mostly of the time before
        return diagnosis
    standing = list(_flat(diagnosis.findings))
    judgement = judgement_of(case, case.account, standing)
    harmful = [bottleneck for bottleneck in judgement.bottlenecks if harmed(case, bottleneck.cause)]
    if not harmful:
        return _without_bottlenecks(case, diagnosis, judgement)
    named = [_finding(case, bottleneck, standing) for bottleneck in harmful]
    taken = {(finding.cause, finding.component) for finding in named}
    named = [
        replace(finding, symptoms=tuple(s for s in finding.symptoms if (s.cause, s.component) not in taken))
        for finding in named
    ]
    rest = [finding for finding in diagnosis.findings if (finding.cause, finding.component) not in taken]
    more = [symptom for symptom in named[0].symptoms if _says_more(case, symptom, named[0])]
    named[0] = replace(named[0], symptoms=tuple(s for s in named[0].symptoms if s not in more))
    symptoms, others = [], more
    for finding in rest:
        # What no component of the map is lies behind no resource of theirs.
        is_within = finding.component in case.tiers or finding.component == LOAD
        if is_within and about_of(finding.cause).is_of_resource and not _says_more(case, finding, named[0]):
            symptoms.append(replace(finding, symptoms=()))
        elif finding.cause != "healthy":
            others.append(finding)
    first = replace(named[0], symptoms=(*named[0].symptoms, *symptoms))
    behind = next((finding for finding in rest if _is_behind(finding, first)), None)
    if behind is None:
        findings = tuple(_in_order(case, [first, *named[1:]], others))
    else:
        below = (replace(first, symptoms=()), *first.symptoms)
        root = replace(behind, symptoms=tuple(finding for finding in below if finding.cause != behind.cause))
        findings = (
            root,
            *_in_order(case, named[1:], [finding for finding in others if finding is not behind]),
        )
    return replace(diagnosis, findings=findings, sentence=sentence_of(case, findings))


def _says_more(case: Case, finding: Finding, bottleneck: Finding) -> bool:
    """Return whether a likely finding explains a harm that the bottleneck cannot bring about.

    Users who ask as fast as they are answered fill something in any server: what else is wrong is the news.
    """
    unexplained = set(finding.harms) - harmed(case, bottleneck.cause)
    return finding.verdict == "likely" and bool(unexplained) and set(bottleneck.harms) <= {"saturated"}


def _is_behind(root: Finding, bottleneck: Finding) -> bool:
    """Whether a cause that rests on more than a full resource is known to bring a bottleneck about."""
    if root.verdict != "likely" or about_of(root.cause).way == "size":
        return False
    if about_of(bottleneck.cause).way != "size":
        return False
    return any(symptom.cause == bottleneck.cause for symptom in _flat(root.symptoms))


def _in_order(case: Case, named: list[Finding], others: list[Finding]) -> list[Finding]:
    """What makes requests fail comes before what makes them slow; before both, a load that was not made."""
    first = [
        finding
        for finding in others
        if (
            finding.verdict != "possible"
            and (
                {"failing", "stopped"} & set(finding.harms)
                or about_of(finding.cause).way == "fact"
                or (bool(named) and _says_more(case, finding, named[0]))
            )
        )
        or (not case.has_load and is_of_the_rig(members.load(ROOM, finding.cause)))
    ]
    others = [finding for finding in others if finding not in first]
    likely = [finding for finding in others if finding.verdict == "likely" and finding.gain is not None]
    left = [finding for finding in others if finding not in likely]
    return [*first, *sorted([*named, *likely], key=_by_gain), *left]


def _by_gain(finding: Finding) -> tuple[bool, float]:
    return finding.verdict == "possible", -(finding.gain or 1.0)


def _flat(findings: tuple[Finding, ...]) -> Iterator[Finding]:
    for finding in findings:
        yield finding
        yield from _flat(finding.symptoms)


def _without_bottlenecks(case: Case, diagnosis: Diagnosis, judgement: Judgement) -> Diagnosis:
    """There is no bottleneck: causes whose resource has room are cleared, where the account shows it."""
    assert case.account is not None
    server = case.account.server
    if server is None or not server.is_seen or server.rest_share > constants.WHOLE:
        return diagnosis
    cleared = {
        id(finding): text
        for finding in diagnosis.findings
        if (text := _has_room(finding, judgement.resources, server))
    }
    kept = tuple(finding for finding in diagnosis.findings if id(finding) not in cleared)
    if not cleared and kept:
        return diagnosis
    refuted = tuple(
        Cleared(
            finding.cause,
            finding.component,
            cleared[id(finding)],
            FormulaSource(cleared[id(finding)]),
            finding.weight,
        )
        for finding in diagnosis.findings
        if id(finding) in cleared
    )
    sentence = sentence_of(case, kept)
    if not kept and not any(resource.is_full for resource in judgement.resources):
        sentence = f"{NOTHING_FULL} {account_told(server)}"
    return replace(diagnosis, findings=kept, cleared=(*refuted, *diagnosis.cleared), sentence=sentence)


NOTHING_FULL = (
    "Nothing that was seen is full: the time of a request and the number of users are what limits it."
)
"""Said where no cause stands, before the account."""


def _has_room(finding: Finding, resources: tuple[Resource, ...], server: ComponentAccount) -> str:
    """Why a cause does not stand by the account; empty where it may, or is of another component."""
    if finding.component != server.name:
        return ""
    about = about_of(finding.cause)
    if about.needs:
        mine = [
            resource
            for resource in resources
            if resource.kind in about.needs and resource.is_used_by(server.name)
        ]
        fullest = max(mine, key=lambda resource: resource.share, default=None)
        if fullest is None or fullest.is_full:
            return ""
        return f"{words.name_of(fullest)} had room: {show_share(fullest.share)} in use"
    if about.states:
        ms = sum(line.ms for line in server.lines if line.state in about.states)
        if ms >= constants.WAITS * server.total_ms:
            return ""
        where = " and ".join(about.states)
        return f"of {server.total_ms:.3g} ms a request spent {ms:.3g} ms in {where}"
    return ""


def _finding(case: Case, bottleneck: Bottleneck, standing: list[Finding]) -> Finding:
    """The bottleneck as a finding, in the words of its cause where that stands."""
    harms = harmed(case, bottleneck.cause)
    best = _fullest_account(bottleneck, standing)
    if best is not None:
        missing = unsure(case, harms)
        return replace(
            best,
            component=bottleneck.component,
            verdict="possible" if missing else "likely",
            missing=missing,
            evidence=(*_evidence(bottleneck), *best.evidence),
            gain=bottleneck.gain,
        )
    module = members.load(ROOM, bottleneck.cause)
    return Finding(
        cause=bottleneck.cause,
        component=bottleneck.component,
        verdict="possible" if unsure(case, harms) else "likely",
        title=module.TITLE,
        effect=words.effect_of(bottleneck),
        mend=_mend(bottleneck, module),
        decides=first_of(module, "Deciding test"),
        weight=STRONG,
        evidence=_evidence(bottleneck, is_told=True),
        missing=unsure(case, harms),
        harms=tuple(sorted(harms)),
        bound=1 - 1 / bottleneck.gain if bottleneck.gain > 1 else 0.0,
        gain=bottleneck.gain,
    )


def _fullest_account(bottleneck: Bottleneck, standing: list[Finding]) -> Finding | None:
    """Return the standing finding that says most of why a resource is full; None where none speaks of it.

    That is one of its cause, or a likely one that refines its cause.
    """
    if bottleneck.resource.kind == "places" and bottleneck.resource.of:
        return None  # a cause that knows no pool of that size speaks of another one
    spending = {bottleneck.component}
    if bottleneck.holder is not None:
        spending.add(bottleneck.holder.component)
    speaking = [
        finding
        for finding in standing
        if finding.component in spending
        and (
            finding.cause == bottleneck.cause
            or (finding.verdict == "likely" and about_of(finding.cause).refines == bottleneck.cause)
        )
    ]

    def says_less(finding: Finding) -> tuple[int, float]:
        return FIRST.index(about_of(finding.cause).way), -finding.weight

    return min(speaking, key=says_less, default=None)


def _mend(bottleneck: Bottleneck, module: ModuleType) -> str:
    holder = bottleneck.holder
    return holder.mend if holder is not None and holder.mend else first_of(module, "Fix")


def _evidence(bottleneck: Bottleneck, *, is_told: bool = False) -> tuple[Evidence, ...]:
    """What speaks for it. is_told: whether the finding's effect says who holds the resource."""
    if bottleneck.holder is not None and bottleneck.holder.known_gain >= bottleneck.gain:
        texts = [words.use_of(bottleneck)]  # its cause's own arithmetic says the rest
    else:
        texts = [words.use_of(bottleneck), words.gain_of(bottleneck)]
    if bottleneck.holder is not None and not is_told and len(texts) > 1:
        texts.insert(1, words.effect_of(bottleneck))
    return tuple(Evidence(text, FormulaSource(text), STRONG) for text in texts)
