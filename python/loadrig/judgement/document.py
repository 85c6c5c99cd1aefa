"""Types of what is said of causes in a trial's result: `findings`, and `diagnosis` with what it rests on.

A study and a proof have both in the same form.
"""

import math
from typing import Annotated, Literal

from msgspec.structs import replace

from loadrig.base.documents import ABSENT, Absent, Document, Says
from loadrig.judgement.cards import ArithmeticCard
from loadrig.judgement.chance import chance_of, has_chance
from loadrig.judgement.diagnose import Diagnosis
from loadrig.judgement.evidence import Cleared, Evidence, Finding, Source, Verdict
from loadrig.judgement.facts.case import Unseen
from loadrig.judgement.gains import Accusation
from loadrig.judgement.limits.ceilings import Ceiling


class EvidenceDocument(Document, frozen=True):
    """Observation that speaks for a cause, or against it."""

    text: Annotated[str, Says("what was observed, with its numbers")]
    weight: Annotated[float, Says("how much rarer it is without the cause, in bans (powers of ten of odds)")]
    source: Annotated[Source, Says("what it rests on; `kind` says of what form that is")]


class ClearedDocument(Document, frozen=True):
    """Cause that was looked into and does not stand."""

    cause: Annotated[str, Says("name of the cause")]
    component: Annotated[str, Says("component that was suspected")]
    why: Annotated[str, Says("what cleared it")]
    weight: Annotated[float, Says("what speaks for it less what speaks against it, in bans")]
    source: Annotated[Source, Says("what that rests on")]

    @property
    def accused(self) -> tuple[str, str]:
        """Cause and component."""
        return self.cause, self.component


class FullResource(Document, frozen=True):
    """Resource of which an experiment has shown that it is the limit."""

    cause: Annotated[str, Says("cause that says that it is")]
    component: Annotated[str, Says("component that it is of")]
    verdict: Annotated[Literal["named"], Says("`named`")]
    title: Annotated[str, Says("that cause in a few words")]
    text: Annotated[str, Says("what the experiment showed")]


class FindingDocument(Document, frozen=True):
    """Cause of what is wrong, in a component."""

    cause: Annotated[str, Says("name of the cause, see [Causes](causes.md)")]
    component: Annotated[str, Says("component that it is found in")]
    verdict: Annotated[
        Verdict,
        Says(
            "`named`: an experiment moved it; `likely`: arithmetic and all its signs hold; `possible`:"
            " something of it was not seen, or little speaks for it"
        ),
    ]
    title: Annotated[str, Says("the cause in a few words")]
    effect: Annotated[str, Says("what it brings about, with the size of that")]
    evidence: Annotated[tuple[EvidenceDocument, ...], Says("what speaks for it, the weightiest first")]
    against: Annotated[tuple[EvidenceDocument, ...], Says("what speaks against it")]
    mend: Annotated[str, Says("what to do")]
    decides: Annotated[str, Says('experiment that would decide, or ""')]
    weight: Annotated[float, Says("what speaks for it less what speaks against it, in bans")]
    bound: Annotated[
        float | None, Says("share of what is wrong that it explains at most, 0 to 1; null where not known")
    ]
    gain: Annotated[
        float | None,
        Says("foretold ratio of good answers a second without it to those with it; null where not known"),
    ]
    detail: Annotated[str, Says("kind of the cause, and of what: `KIND`, `KIND: SUBJECT` or empty")]
    missing: Annotated[tuple[str, ...], Says("signs that could not be seen")]
    symptoms: Annotated[tuple["FindingDocument", ...], Says("findings that it explains")]
    rivals: Annotated[tuple[ClearedDocument, ...], Says("what else it could have been, and why it is not")]
    resource: Annotated[
        FullResource | Absent, Says("only after a proof that has shown its resource to be the limit")
    ] = ABSENT
    chance: Annotated[
        float | Absent,
        Says(
            "chance that it is right, 0 to 1, by how often findings like it were right on servers whose truth"
            " is known; after experiments by these; not of symptoms, nor of a healthy server, nor where an"
            " experiment named it"
        ),
    ] = ABSENT

    @property
    def accused(self) -> tuple[str, str]:
        """Cause and component."""
        return self.cause, self.component

    @property
    def accusation(self) -> Accusation:
        """Claim by which the gain of a mend is foretold."""
        return Accusation(self.cause, self.component, self.detail, self.bound, self.gain)

    @property
    def titled(self) -> str:
        """Title and component: "the CPU is used up (server)"."""
        return f"{self.title} ({self.component})"


class Harm(Document, frozen=True):
    """Something that is wrong."""

    harm: Annotated[str, Says("its name, such as `saturated`")]
    text: Annotated[str, Says("its size, in words")]


class DiagnosisDocument(Document, frozen=True):
    """Answer to what limits the server, and what it rests on."""

    sentence: Annotated[str, Says("the answer in one sentence")]
    harms: Annotated[tuple[Harm, ...], Says("what is wrong")]
    cleared: Annotated[tuple[ClearedDocument, ...], Says("causes that do not stand")]
    unseen: Annotated[tuple[Unseen, ...], Says("what could not be seen")]
    decides: Annotated[tuple[str, ...], Says("what would decide, where nothing is sure")]
    ceilings: Annotated[tuple[Ceiling, ...], Says("limits of every component, the nearest first")]
    cards: Annotated[tuple[ArithmeticCard, ...], Says("arithmetic with the numbers that were observed")]


NOTHING_SAID = DiagnosisDocument("", (), (), (), (), (), ())
"""Diagnosis of what nobody has looked at."""


def findings_of(diagnosis: Diagnosis) -> tuple[FindingDocument, ...]:
    """Return the findings of a diagnosis as they stand in a result."""
    findings = diagnosis.findings
    return tuple(
        replace(
            _finding(finding), chance=round(chance_of(findings, place), 2) if has_chance(finding) else ABSENT
        )
        for place, finding in enumerate(findings)
    )


def document_of(diagnosis: Diagnosis) -> DiagnosisDocument:
    """Return a diagnosis as it stands in a result, beside its findings."""
    return DiagnosisDocument(
        sentence=diagnosis.sentence,
        harms=tuple(Harm(name, text) for name, text in diagnosis.harms.items()),
        cleared=tuple(map(_cleared, diagnosis.cleared)),
        unseen=diagnosis.unseen,
        decides=diagnosis.decides,
        ceilings=diagnosis.ceilings,
        cards=diagnosis.cards,
    )


def _finding(finding: Finding) -> FindingDocument:
    return FindingDocument(
        cause=finding.cause,
        component=finding.component,
        verdict=finding.verdict,
        title=finding.title,
        effect=finding.effect,
        evidence=tuple(map(_evidence, finding.evidence)),
        against=tuple(map(_evidence, finding.against)),
        mend=finding.mend,
        decides=finding.decides,
        weight=round(finding.weight, 2),
        bound=_rounded(finding.bound),
        gain=_rounded(finding.gain),
        detail=finding.detail,
        missing=finding.missing,
        symptoms=tuple(map(_finding, finding.symptoms)),
        rivals=tuple(map(_cleared, finding.rivals)),
    )


def _evidence(evidence: Evidence) -> EvidenceDocument:
    return EvidenceDocument(evidence.text, evidence.weight, evidence.source)


def _cleared(cleared: Cleared) -> ClearedDocument:
    return ClearedDocument(
        cleared.cause, cleared.component, cleared.why, round(cleared.weight, 2), cleared.source
    )


def _rounded(value: float | None) -> float | None:
    return round(float(value), 4) if value is not None and math.isfinite(value) else None
