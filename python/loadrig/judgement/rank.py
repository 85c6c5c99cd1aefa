"""The findings of a trial in the order of what their mends would bring, by its bottlenecks.

A cause that rests on a full resource stands where a bottleneck names it. Others of that kind are symptoms
of the first bottleneck: they wait for what it is of. Causes that rest on counters and events (ports,
time-outs, drops) are left as they were weighed.
"""

from collections.abc import Sequence
from dataclasses import replace

from loadrig.judgement import constants, words
from loadrig.judgement.cause import Resource as Shortage
from loadrig.judgement.declarations import Cause, Occasion, about_of, cause_of, causes
from loadrig.judgement.evidence import STRONG, Evidence, Finding, FormulaSource, Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import wanted_share
from loadrig.judgement.facts.load import LOAD
from loadrig.judgement.limits.bottlenecks import Bottleneck, Judgement, harmed, too_small
from loadrig.judgement.limits.holders import holders_of
from loadrig.judgement.limits.kinds import SLOTS, Resource, is_cpu
from loadrig.judgement.limits.meanwhile import doing_of_holders
from loadrig.judgement.roots import explains, flat
from loadrig.judgement.symptoms import FIRST, IN_THE_WAY
from loadrig.judgement.weigh import judge, unsure
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementRankTexts

TEXTS = texts_of(JudgementRankTexts)

NO_QUEUE: tuple[Shortage, ...] = ("memory",)
"""Resources that the network has no queue for: its gain tells only of the cores that want of them costs, and
not of threads that wait for pages and of whoever waits for those threads."""


BESIDE_TIMES = frozenset({"growth"})
"""Harms that no answer shows: memory may grow whatever else is wrong."""

MOMENTARY = frozenset({"tail", "dips"})
"""Harms that moments do: over the whole run a resource may have had room."""


def ranked(case: Case, roots: Sequence[Finding], judgement: Judgement) -> tuple[Finding, ...]:
    """Return the findings in the order of the bottlenecks. roots: claims that stand, with their symptoms."""
    standing = list(flat(roots))
    named = sorted((finding_of(case, bottleneck, standing) for bottleneck in judgement.harmful), key=_by_gain)
    # Whose mend brings nothing that could be foretold limits nothing by itself.
    unsure_of = [finding for finding in named if finding.gain is not None and finding.gain <= 1]
    named = [finding for finding in named if finding not in unsure_of]
    if not named:
        return tuple(_rig_by_its_cost(roots))
    accused = {(finding.cause, finding.component) for finding in named}
    named = [
        replace(finding, symptoms=tuple(s for s in finding.symptoms if (s.cause, s.component) not in accused))
        for finding in named
    ]
    rest = [finding for finding in (*unsure_of, *roots) if (finding.cause, finding.component) not in accused]
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
    if about_of(first.cause).resource in NO_QUEUE:
        waiting = [finding for finding in named[1:] if explains(first, finding, case)]
        named = [finding for finding in named if finding not in waiting]
        first = replace(first, symptoms=(*first.symptoms, *waiting))
    no_queue = [finding for finding in named[1:] if about_of(finding.cause).resource in NO_QUEUE]
    behind = next((finding for finding in (*rest, *no_queue) if _is_behind(case, finding, first)), None)
    if behind is None:
        findings = tuple(_in_order(case, [first, *named[1:]], others))
    else:
        below = (replace(first, symptoms=()), *first.symptoms)
        if behind in no_queue:
            below += tuple(finding for finding in named[1:] if explains(behind, finding, case))
            named = [finding for finding in named if finding not in below and finding is not behind]
            named.insert(0, first)
        root = replace(behind, symptoms=tuple(finding for finding in below if finding.cause != behind.cause))
        findings = (
            root,
            *_in_order(case, named[1:], [finding for finding in others if finding is not behind]),
        )
    return findings


def suspected(case: Case, judgement: Judgement) -> tuple[Finding, ...]:
    """Return as possible what is nearest to full; for a trial in which something is wrong and nothing stands.

    A queue of a moment needs no resource that is full all the time: a processor that is nearly full on
    average is full in every burst, and so may be one that is hardly used but while requests pile up.
    """
    nearest = sorted(
        (
            each
            for each in judgement.resources
            if each.share >= constants.SUSPECT and (is_cpu(each) or (each.is_full and _is_wanted(each)))
        ),
        key=lambda resource: (not is_cpu(resource), -resource.share),
    )
    in_bursts = [each for each in judgement.resources if _is_full_in_bursts(case, each)]
    for resource in (*nearest, *in_bursts):
        suspected_of = _holder_for_none(case, resource) or Bottleneck(
            too_small(case, resource), resource.component, resource, 1.0, 1.0
        )
        if harmed(case, suspected_of.cause):
            why = () if resource.is_full else (TEXTS.full_at_times(words.name_of(resource)),)
            suspect = finding_of(case, suspected_of, ())
            return (replace(suspect, verdict="possible", missing=(*why, *suspect.missing), gain=None),)
    return _standing(case, "where_nothing_stands")


def _is_full_in_bursts(case: Case, resource: Resource) -> bool:
    """Return whether cores are wanted by all that they can do in the moments that harm, and else hardly."""
    if resource.use is None or not MOMENTARY.issuperset(case.harms):
        return False
    return wanted_share(case, resource.use) >= constants.SUSPECT


def _is_wanted(resource: Resource) -> bool:
    """Return whether anybody waits for it: where nobody does, there are as many slots as are wanted."""
    return resource.kind not in SLOTS or resource.waiting >= constants.ONE_IN_HAND


def _holder_for_none(case: Case, resource: Resource) -> Bottleneck | None:
    """Return who uses so much of a resource for nothing that it had much room without, or None."""
    if case.account is None:
        return None
    holders = [
        holder
        for holder in holders_of(case, case.account, resource, ())
        if holder.is_for_none and resource.used - holder.used < constants.SUSPECT * resource.number
    ]
    most = max(holders, key=lambda holder: holder.used, default=None)
    if most is None:
        return None
    return Bottleneck(most.cause, most.component, resource, 1.0, most.used / resource.used, most)


def slowest(case: Case) -> tuple[Finding, ...]:
    """Return as possible what takes most of a request's time; for a trial in which nothing is wrong.

    A goal that is met says that a request is quick enough, so then nothing is.
    """
    if case.harms or any(goal.is_met for goal in case.goals):
        return ()
    return _standing(case, "where_nothing_is_wrong", is_harmless=True)


def _standing(case: Case, when: Occasion, *, is_harmless: bool = False) -> tuple[Finding, ...]:
    """Return what stands of the claims of all causes."""
    judged = [
        judge(cause, hypothesis, case, is_harmless=is_harmless)
        for cause in causes()
        for hypothesis in cause.claims(case, when)
    ]
    return tuple(finding for finding in judged if isinstance(finding, Finding))


def _says_more(case: Case, finding: Finding, bottleneck: Finding) -> bool:
    """Return whether a likely finding explains a harm that the bottleneck cannot bring about.

    Users who ask as fast as they are answered fill something in any server: what else is wrong is the news,
    where the finding explains all of it. What requests queue for while they wait for another resource says no
    more than the bottleneck: a full core fills the queue ahead of it, and whoever is turned away there fails.
    """
    if finding.verdict != "likely" or not set(finding.harms) - harmed(case, bottleneck.cause):
        return False
    left = set(bottleneck.harms) - set(finding.harms)
    return set(bottleneck.harms) <= {"saturated"} or (
        left <= {"saturated"} and about_of(finding.cause).resource not in IN_THE_WAY
    )


def _is_behind(case: Case, root: Finding, bottleneck: Finding) -> bool:
    """Return whether a cause that rests on more than a full resource is known to bring a bottleneck about."""
    if root.verdict != "likely":
        return False
    if MOMENTARY.issuperset(case.harms.keys() - BESIDE_TIMES) and cause_of(root.cause).comes_in_bursts(
        root.detail
    ):
        return True  # all that is full for moments is full of it
    if about_of(root.cause).way == "size":
        return False
    return about_of(bottleneck.cause).way == "size" and explains(root, bottleneck, case)


def _in_order(case: Case, named: list[Finding], others: list[Finding]) -> list[Finding]:
    """Return all findings in order: a load that was not made, then what makes requests fail, then slow.

    Of a load of which a part was not made, what costs the server more comes first.
    """
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
        or (not case.has_load and cause_of(finding.cause).is_of_the_rig)
    ]
    others = [finding for finding in others if finding not in first]
    likely = [finding for finding in others if finding.verdict == "likely" and finding.gain is not None]
    left = [finding for finding in others if finding not in likely]
    return [*_rig_by_its_cost(first), *sorted([*named, *likely], key=_by_gain), *left]


def _rig_by_its_cost(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings in their order, but those of the rig behind where one of the server costs more."""
    most = max((finding.gain or 0.0 for finding in findings if finding.verdict != "possible"), default=0.0)

    def is_small(finding: Finding) -> bool:
        return cause_of(finding.cause).is_of_the_rig and finding.gain is not None and finding.gain < most

    return sorted(findings, key=is_small)


def _by_gain(finding: Finding) -> tuple[bool, float]:
    return finding.verdict == "possible", -(finding.gain or 1.0)


def finding_of(case: Case, bottleneck: Bottleneck, standing: Sequence[Finding]) -> Finding:
    """Return a bottleneck as a finding, with what those do who hold its resource."""
    finding = _in_words_of_its_cause(case, bottleneck, standing)
    doing = doing_of_holders(case, bottleneck.resource) if bottleneck.holder is None else None
    if doing is None:
        return finding
    evidence = _each_once((*finding.evidence, doing.evidence))
    return replace(finding, evidence=evidence, mend=doing.mend or finding.mend)


def _in_words_of_its_cause(case: Case, bottleneck: Bottleneck, standing: Sequence[Finding]) -> Finding:
    harms = harmed(case, bottleneck.cause)
    best = _fullest_account(bottleneck, standing)
    of_holder = bottleneck.holder.missing if bottleneck.holder is not None else ()
    if best is not None:
        missing = (*unsure(case, harms), *(() if best.verdict == "likely" else of_holder))
        return replace(
            best,
            component=bottleneck.component,
            verdict="possible" if missing else "likely",
            missing=missing,
            evidence=_each_once((*_evidence(bottleneck), *best.evidence)),
            gain=bottleneck.gain,
        )
    cause = cause_of(bottleneck.cause)
    wording = _wording(case, bottleneck, cause)
    missing = (*unsure(case, harms), *_unseen(case, bottleneck.component), *of_holder)
    return Finding(
        cause=bottleneck.cause,
        component=bottleneck.component,
        verdict="possible" if missing else "likely",
        title=cause.title,
        effect=wording.effect or words.effect_of(bottleneck),
        mend=wording.mend or cause.first_of_page("Fix"),
        decides=wording.decides or cause.first_of_page("Deciding test"),
        weight=STRONG + sum(evidence.weight for evidence in wording.evidence),
        evidence=(*_evidence(bottleneck, names_holder=not wording.effect), *wording.evidence),
        missing=missing,
        detail=wording.detail,
        harms=tuple(sorted(harms)),
        bound=1 - 1 / bottleneck.gain if bottleneck.gain > 1 else 0.0,
        gain=bottleneck.gain,
    )


def _each_once(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Return pieces of evidence in their order, without those that say again what was said before."""
    pieces: dict[str, Evidence] = {}
    for piece in evidence:
        pieces.setdefault(piece.text, piece)
    return tuple(pieces.values())


def _unseen(case: Case, component: str) -> tuple[str, ...]:
    """Return what has to be seen of a program before it is sure that its CPU is not what is short."""
    tier = case.tiers.get(component)
    if tier is None or tier.is_host or tier.cpu is not None:
        return ()
    return (TEXTS.cpu_time_not(component),)


def _wording(case: Case, bottleneck: Bottleneck, cause: Cause) -> Wording:
    """Return the words of a cause for its resource; of a holder those that are known of it."""
    holder, tier = bottleneck.holder, case.tiers.get(bottleneck.resource.component)
    try:
        if holder is not None:
            return cause.wording_of_holder(case, holder)
        return Wording() if tier is None else cause.wording(case, tier, bottleneck.resource)
    except Exception as error:  # it must not cost a run of hours its result
        text = TEXTS.own_words_failed(type(error).__name__, str(error))
        return Wording(evidence=(Evidence(text, FormulaSource(bottleneck.resource.name), 0.0),))


def _fullest_account(bottleneck: Bottleneck, standing: Sequence[Finding]) -> Finding | None:
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


def _evidence(bottleneck: Bottleneck, *, names_holder: bool = False) -> tuple[Evidence, ...]:
    """Return the evidence for a bottleneck. names_holder: whether the effect says who holds the resource."""
    if bottleneck.holder is not None and bottleneck.holder.counted_gain >= bottleneck.gain:
        texts = [words.use_of(bottleneck)]  # its cause's own arithmetic says the rest
    elif bottleneck.gain <= 1:
        texts = [words.use_of(bottleneck)]
    else:
        texts = [words.use_of(bottleneck), words.gain_of(bottleneck)]
    if bottleneck.holder is not None and not names_holder and len(texts) > 1:
        texts.insert(1, words.effect_of(bottleneck))
    return tuple(Evidence(text, FormulaSource(text), STRONG) for text in texts)
