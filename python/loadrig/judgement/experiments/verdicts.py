"""Verdicts by experiments: causes of a diagnosis are named, cleared with the figure, or left as they were.

A claim has two halves: that a resource is the limit, and who holds it. An experiment that widens a resource,
such as more of the CPU, shows that the resource is the limit, whoever holds it. Its holder is shown by an
experiment of its own (the pool switched on, a kind of work left out), or is seen directly, as counters show
the rows that a query reads.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from loadrig.base.documents import ABSENT
from loadrig.base.units import show_share
from loadrig.judgement import constants
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.declarations import about_of, cause_of
from loadrig.judgement.document import (
    ClearedDocument,
    DiagnosisDocument,
    EvidenceDocument,
    FindingDocument,
    FullResource,
)
from loadrig.judgement.evidence import ExperimentSource, Verdict
from loadrig.judgement.experiments.conclusions import Conclusion
from loadrig.judgement.experiments.credence import TIED, SuspectBelief
from loadrig.judgement.experiments.results import Result
from loadrig.judgement.experiments.suspects import Accused
from loadrig.judgement.symptoms import brings_about
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.experiments import JudgementExperimentsVerdictsTexts
from loadrig.language.labels import label

TEXTS = texts_of(JudgementExperimentsVerdictsTexts)

PROOF_BANS = 3.0
"""Weight of an experiment that proves or clears a cause beyond doubt, in bans."""

SHARED_BANS = 1.0
"""Weight of an experiment that shows that a component or a resource matters, and not by which cause."""

DOUBT = 1.6
"""Distance of a gain from no change, in half-widths of its 95 % interval, from which on it is no chance:
one in 600. Of ten changes of which none helps, one seems to at 2.5 % in more than a fifth of the proofs."""

SUREST = 0.01
"""Chance, 0 to 1, below which, and above one less it, no chance is told: neither recordings nor a few blocks
of an experiment tell more."""

NOTHING_BELIEVED: Mapping[Accused, SuspectBelief] = MappingProxyType({})
"""Chances where none are known."""


def updated(
    concluded: Sequence[Conclusion],
    findings: Sequence[FindingDocument],
    diagnosis: DiagnosisDocument,
    command: str,
    tied: Collection[Accused] = (),
    beliefs: Mapping[Accused, SuspectBelief] = NOTHING_BELIEVED,
) -> tuple[tuple[FindingDocument, ...], DiagnosisDocument]:
    """Return findings and diagnosis of a trial with what was proved.

    command: the command that repeats the proof. tied: causes and components that the experiments could not
    tell apart. beliefs: chances of the suspects.
    A cause whose own lever moves the harm is `named`; one whose lever moves nothing is cleared by that
    result. A likely cause that experiments have made much less likely than another is no more than possible,
    and what they leave as likeliest comes before it, also against the signs.
    """
    proved = _Proved(concluded, command)
    roots, gone, freed = list[FindingDocument](), list[ClearedDocument](), list[FindingDocument]()
    for root in findings:
        gone += [proved.cleared(symptom) for symptom in root.symptoms if proved.is_cleared(symptom)]
        standing = tuple(symptom for symptom in root.symptoms if not proved.is_cleared(symptom))
        if proved.is_cleared(root):
            gone.append(proved.cleared(root))
            freed += standing
        else:
            roots.append(replace(proved.with_evidence(root, keys_in(roots)), symptoms=standing))
    # A symptom whose cause was cleared becomes a cause of its own.
    roots += [finding for finding in freed if finding.accused not in keys_in(roots)]
    convicted = proved.convicted(roots)
    convictions = {conviction.accused for conviction in convicted}

    def is_brought_about(root: FindingDocument, holder: FindingDocument) -> bool:
        is_conviction = holder.accused in convictions and root.accused not in convictions
        return is_conviction and _is_brought_about(root, holder)

    is_dearer = any(harm.harm == "drift" for harm in diagnosis.harms)

    def is_its_processor(root: FindingDocument, holder: FindingDocument) -> bool:
        return _is_full_processor_of(root, holder, is_dearer=is_dearer)

    roots = proved.with_observed_holders(_put_under([*convicted, *roots], is_brought_about))
    roots = [proved.with_resource(root) for root in _put_under(roots, is_its_processor)]
    roots = [_no_likelier(root, beliefs) for root in (*roots, *proved.left_likeliest(roots, beliefs))]
    # What the signs had cleared comes after what they left standing.
    roots.sort(
        key=lambda root: (
            ("named", "likely", "possible").index(root.verdict),
            root.accused in convictions,
            -_posterior(root, beliefs),
        )
    )
    standing_keys = keys_in(roots)
    gone += [
        proved.cleared(entry) if proved.is_cleared(entry) else entry
        for entry in diagnosis.cleared
        if entry.accused not in standing_keys
    ]
    sentence = _sentence(roots, diagnosis, tied)
    findings = tuple(_believed(replace(root, rivals=_rivals(root, roots, gone)), beliefs) for root in roots)
    return findings, replace(diagnosis, sentence=sentence, cleared=tuple(gone))


def keys_in(findings: Iterable[FindingDocument]) -> set[Accused]:
    """Return causes and components of some findings and of their symptoms."""
    return {part.accused for finding in findings for part in (finding, *finding.symptoms)}


def is_seen(cause: str) -> bool:
    """Return whether signs or facts of its own tell who holds a cause's resource, or that is no processor."""
    about = about_of(cause)
    return about.way in ("signs", "fact") or (about.way == "size" and about.resource != "cpu")


def is_beyond_doubt(result: Result) -> bool:
    """Return whether a gain is no chance among all that was tried: its interval is far from no change."""
    low, middle, high = (math.log(end) for end in (result.gain.low, result.gain.value, result.gain.high))
    return abs(middle) >= DOUBT * (high - low) / 2


class _Proved:
    """Conclusions by cause and component, and the findings that follow from them."""

    def __init__(self, concluded: Sequence[Conclusion], command: str) -> None:
        self._by_key = {conclusion.suspect.key: conclusion for conclusion in concluded}
        self._source = ExperimentSource(command)

    def is_cleared(self, finding: FindingDocument | ClearedDocument) -> bool:
        """Return whether experiments refute a cause."""
        conclusion = self._by_key.get(finding.accused)
        return conclusion is not None and conclusion.is_cleared

    def cleared(self, finding: FindingDocument | ClearedDocument) -> ClearedDocument:
        """Return a cause that experiments refute as it stands among the cleared ones, with the figure."""
        conclusion = self._by_key[finding.accused]
        if conclusion.stayed:
            why = TEXTS.moves_nothing(conclusion.stayed[0].says)
        else:
            why = TEXTS.what_blames_went(conclusion.survived[0].says)
        return ClearedDocument(*finding.accused, why, -PROOF_BANS, self._source)

    def with_evidence(self, root: FindingDocument, before: Collection[Accused]) -> FindingDocument:
        """Return a finding with the results that speak for it; it is named where one is its own alone.

        before: likelier causes that stand. A change of cores that several components share is no proof of one
        of them where a likelier cause in another one needs these cores as much.
        """
        conclusion = self._by_key.get(root.accused)
        if conclusion is None:
            return root
        shown = self._evidence(conclusion.own, PROOF_BANS) + self._evidence(conclusion.shared, SHARED_BANS)
        weight = round(root.weight + sum(piece.weight for piece in shown[:1]), 2)
        root = replace(root, evidence=(*shown, *root.evidence), weight=weight)
        is_proved = any(not self._is_of_another(result, root, before) for result in conclusion.own)
        return _named(root) if is_proved else root

    def _is_of_another(self, result: Result, root: FindingDocument, before: Collection[Accused]) -> bool:
        """Return whether a result of shared cores speaks as well for a likelier cause elsewhere."""
        return result.lever.change == "cores" and any(
            result in self._by_key[key].shared
            for key in before
            if key in self._by_key and key[1] != root.component
        )

    def convicted(self, roots: Sequence[FindingDocument]) -> list[FindingDocument]:
        """Return causes that signs had cleared and their own lever proves, and no standing cause explains.

        The result must be beyond doubt: signs speak against these causes, and many are tried. Where a cause
        is likely that no experiment of its own can prove, such as what the kernel itself has said, a
        conviction is no more than likely, too.
        """
        is_beside = any(root.verdict == "likely" and not cause_of(root.cause).is_provable for root in roots)
        standing = keys_in(roots)
        explained = {
            result.lever
            for key, conclusion in self._by_key.items()
            if key in standing
            for result in (*conclusion.own, *conclusion.shared)
        }
        convicted = []
        for conclusion in self._by_key.values():
            own = [
                result
                for result in conclusion.own
                if result.lever not in explained and is_beyond_doubt(result)
            ]
            signs = conclusion.suspect.cleared
            if signs is None or not own:
                continue
            verdict: Verdict = "likely" if is_beside else "named"
            evidence = self._evidence(own, PROOF_BANS)
            convicted.append(_against_signs(signs, verdict, own[0].says, evidence))
            explained |= {result.lever for result in own}
        return convicted

    def left_likeliest(
        self, roots: Sequence[FindingDocument], beliefs: Mapping[Accused, SuspectBelief]
    ) -> list[FindingDocument]:
        """Return the cause that signs cleared and experiments leave as likelier than all others together.

        No lever of its own has shown it, so it is possible and no more.
        """
        standing = keys_in(roots)
        left = []
        for key, belief in beliefs.items():
            conclusion = self._by_key.get(key)
            if belief.posterior < MOSTLY or belief.raised_by is None or key in standing or conclusion is None:
                continue
            signs = conclusion.suspect.cleared
            if signs is None or conclusion.is_cleared:
                continue
            says = TEXTS.left_likeliest(show_share(belief.posterior), belief.raised_by.says)
            evidence = self._evidence([belief.raised_by], SHARED_BANS)
            left.append(_against_signs(signs, "possible", says, evidence))
        return left

    def with_observed_holders(self, roots: Sequence[FindingDocument]) -> list[FindingDocument]:
        """Return the roots, named where no other standing cause is moved by a lever that they share.

        A shared lever shows that a resource is the limit. Who holds it has to be seen, as counters show the
        rows that a query reads; who is only held to use it is not named. Where its own lever was tried and
        the answer is not sure, a shared lever does not tell a cause from others.
        """
        standing = [self._by_key.get(root.accused) for root in roots]

        def is_holder_observed(root: FindingDocument, conclusion: Conclusion | None) -> bool:
            if conclusion is None or conclusion.is_proved or conclusion.is_open or not conclusion.shared:
                return False
            levers = {result.lever for result in conclusion.shared}
            is_shared = any(
                rival.is_proved or levers & {result.lever for result in rival.shared}
                for rival in standing
                if rival is not None and rival is not conclusion
            )
            return is_seen(root.cause) and root.verdict != "possible" and not is_shared

        return [
            _named(root) if is_holder_observed(root, conclusion) else root
            for root, conclusion in zip(roots, standing, strict=True)
        ]

    def with_resource(self, root: FindingDocument) -> FindingDocument:
        """Return a root with the resource that an experiment has shown to be the limit, as a symptom says."""
        for place, symptom in enumerate(root.symptoms):
            conclusion = self._by_key.get(symptom.accused)
            if conclusion is None or not conclusion.own or about_of(symptom.cause).way != "size":
                continue
            evidence = self._evidence(conclusion.own[:1], SHARED_BANS)
            return replace(
                root,
                symptoms=(*root.symptoms[:place], _named(symptom), *root.symptoms[place + 1 :]),
                resource=FullResource(*symptom.accused, "named", symptom.title, evidence[0].text),
                evidence=(*evidence, *root.evidence),
            )
        return root

    def _evidence(self, results: Iterable[Result], weight: float) -> tuple[EvidenceDocument, ...]:
        return tuple(EvidenceDocument(result.says, weight, self._source) for result in results)


def _against_signs(
    signs: ClearedDocument, verdict: Verdict, effect: str, evidence: tuple[EvidenceDocument, ...]
) -> FindingDocument:
    """Return the finding of a cause that signs had cleared and experiments speak for."""
    cause = cause_of(signs.cause)
    return FindingDocument(
        cause=signs.cause,
        component=signs.component,
        verdict=verdict,
        title=cause.title,
        effect=effect,
        evidence=evidence,
        against=(EvidenceDocument(signs.why, 1.0, signs.source),),
        mend=cause.below("Fix"),
        decides="",
        weight=sum(piece.weight for piece in evidence[:1]),
        bound=None,
        gain=None,
        detail="",
        missing=(),
        symptoms=(),
        rivals=(),
    )


def _posterior(root: FindingDocument, beliefs: Mapping[Accused, SuspectBelief]) -> float:
    """Return the greatest chance of a root and of its symptoms after the experiments; 0 without suspects."""
    keys = keys_in([root])
    return max((belief.posterior for key, belief in beliefs.items() if key in keys), default=0.0)


def _believed(root: FindingDocument, beliefs: Mapping[Accused, SuspectBelief]) -> FindingDocument:
    """Return a root with the chance that experiments leave it: by as much likelier as they made it."""
    belief = beliefs.get(root.accused)
    if belief is None or root.verdict == "named" or not root.chance:
        return root
    odds = _odds(root.chance) * _odds(belief.posterior) / _odds(belief.prior)
    return replace(root, chance=round(odds / (1 + odds), 2))


def _odds(chance: float) -> float:
    within = min(max(chance, SUREST), 1 - SUREST)
    return within / (1 - within)


def _no_likelier(root: FindingDocument, beliefs: Mapping[Accused, SuspectBelief]) -> FindingDocument:
    """Return a root, as possible alone where experiments speak against it.

    They do where they made another suspect much likelier, or it much less likely than it was.
    """
    belief = beliefs.get(root.accused)
    if root.verdict != "likely" or belief is None or belief.posterior >= belief.prior:
        return root
    likeliest = max(each.posterior for each in beliefs.values())
    is_unlikely = _posterior(root, beliefs) < TIED * max(likeliest, belief.prior)
    return replace(root, verdict="possible") if is_unlikely else root


def _named(finding: FindingDocument) -> FindingDocument:
    return replace(finding, verdict="named", decides="", chance=ABSENT)


def _put_under(
    roots: Sequence[FindingDocument], is_symptom: Callable[[FindingDocument, FindingDocument], bool]
) -> list[FindingDocument]:
    """Return the roots that are no symptoms of another; those that are stand under the first such root."""
    standing = list(roots)
    for holder in roots:
        under = [root for root in standing if root is not holder and is_symptom(root, holder)]
        parts = (part for root in under for part in (replace(root, symptoms=()), *root.symptoms))
        whole = replace(holder, symptoms=(*holder.symptoms, *parts))
        standing = [whole if root is holder else root for root in standing if root not in under]
    return standing


def _is_brought_about(root: FindingDocument, conviction: FindingDocument) -> bool:
    """Return whether a convicted cause makes a root look true."""
    return brings_about(
        about_of(conviction.cause), about_of(root.cause),
        is_one_resource=root.component == conviction.component,
    )  # fmt: skip


def _is_full_processor_of(root: FindingDocument, holder: FindingDocument, *, is_dearer: bool) -> bool:
    """Return whether a root says only that the processor is full that a likely root says who uses.

    is_dearer: whether requests took more of it as the run went on, which is what a leak brings about.
    """
    about, of_holder = about_of(root.cause), about_of(holder.cause)
    is_user = of_holder.way == "use" or (of_holder.resource == "cpu" and of_holder.way != "size")
    return (
        root.component == holder.component
        and (about.resource, about.way) == ("cpu", "size")
        and (is_user or (is_dearer and of_holder.resource == "growth"))
        and holder.verdict != "possible"
    )


def _rivals(
    root: FindingDocument, roots: Sequence[FindingDocument], cleared: Sequence[ClearedDocument]
) -> tuple[ClearedDocument, ...]:
    """Return the rivals of a root: other roots, causes that an experiment cleared, then the nearest ones."""
    others = [
        ClearedDocument(
            *rival.accused, TEXTS.is_too(label(rival.verdict)), rival.weight, rival.evidence[0].source
        )
        for rival in roots
        if rival is not root and rival.evidence
    ]
    ranked = sorted(
        (entry for entry in cleared if entry.cause != "healthy"),
        key=lambda entry: (not isinstance(entry.source, ExperimentSource), -entry.weight),
    )
    return (*others, *ranked)[: constants.MOST_RIVALS]


def _sentence(
    roots: Sequence[FindingDocument], diagnosis: DiagnosisDocument, tied: Collection[Accused]
) -> str:
    """Return what the first root says, and no more than is proved of it."""
    if not roots:
        return TEXTS.what_limits_not if diagnosis.harms else diagnosis.sentence
    first = roots[0]
    text = f"{first.titled}: {first.effect}."
    if first.verdict == "named":
        return f"{text[:1].upper()}{text[1:]}"
    before = {"likely": TEXTS.likely, "possible": TEXTS.possibly}[first.verdict]
    equals = [root.titled for root in roots if root.accused in tied]
    if first.accused in tied and len(equals) > 1:
        decides = TEXTS.what_would_decide(first.decides) if first.decides else ""
        before, text = TEXTS.experiments_cannot_tell, f"{'; '.join(equals)}.{decides}"
    if resource := first.resource:
        shown = TEXTS.experiment_shows(resource.title, resource.component)
        return f"{shown[:1].upper()}{shown[1:]}. {before}{text}"
    return f"{before}{text}"
