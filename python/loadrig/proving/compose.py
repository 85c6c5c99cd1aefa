"""Composition of a proof's document from what was changed and what that showed."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadrig.base.documents import ABSENT
from loadrig.proving.document import (
    Effect,
    Experiment,
    Fix,
    InterventionBand,
    ProofDocument,
    ProofSlot,
    SkippedExperiment,
)
from loadrig.proving.judge import Conclusion
from loadrig.proving.live import LiveProof, Skipped
from loadrig.proving.outcome import UNITS
from loadrig.proving.results import Result


def document_of(
    *,
    of_trial: int,
    budget_s: float,
    took_s: float,
    ended: str,
    results: Sequence[Result],
    skipped: Sequence[Skipped],
    live: LiveProof | None,
    conclusions: Sequence[Conclusion],
    fix: Fix | None,
    findings: Sequence[Mapping[str, Any]],
    cleared: Sequence[Mapping[str, Any]],
    diagnosis: Mapping[str, Any],
    failed: Mapping[str, Any] | None = None,
) -> ProofDocument:
    """Return the document of a proof.

    failed: how the server failed while it was loaded for the proof.
    """
    return ProofDocument(
        headline=failed["sentence"] if failed else ABSENT,
        target_failed=failed or ABSENT,
        of_trial=of_trial,
        budget_s=budget_s,
        took_s=round(took_s, 1),
        ended=ended,
        sentence=diagnosis.get("sentence", ""),
        experiments=tuple(_experiment(result, conclusions) for result in results),
        skipped=tuple(
            SkippedExperiment(
                lever=skip.lever, title=title_of(skip), why=skip.why, mend=skip.mend, code=skip.code
            )
            for skip in dict.fromkeys(skipped)
        ),
        bands=_bands(live, [result.title for result in results]) if live is not None else (),
        fix=fix,
        findings=tuple(findings),
        cleared=tuple(cleared),
        diagnosis=diagnosis,
    )


def title_of(skip: Skipped) -> str:
    """Return what a skipped lever would have changed, in words."""
    lever = skip.lever
    match lever.change:
        case "cpu":
            return f"CPU of {lever.component}"
        case "cores":
            return "the cores that the busy components share"
        case "delay":
            return f"delay in front of {lever.component}"
        case "knob":
            return f"{lever.what.replace('_', ' ')}, {lever.towards}"
    return lever.what.replace("_", " ") or "the proof"


def _bands(live: LiveProof, titles: Sequence[str]) -> tuple[InterventionBand, ...]:
    """Return when what has a result was changed. titles: of the results, in their order."""
    return tuple(
        InterventionBand(
            live.number, round(band.from_s, 3), round(band.to_s, 3), band.title, titles.index(band.title)
        )
        for band in live.bands
        if band.title in titles
    )


def _experiment(result: Result, conclusions: Sequence[Conclusion]) -> Experiment:
    elasticity = result.elasticity
    return Experiment(
        lever=result.lever,
        title=result.title,
        kind=result.kind,
        measure=result.measure,
        unit=UNITS[result.measure],
        ratio=result.ratio,
        elasticity=None if elasticity is None else Effect(elasticity.value, elasticity.low, elasticity.high),
        gain=Effect(result.gain.value, result.gain.low, result.gain.high),
        is_at_least=result.is_at_least,
        standing=result.standing,
        blocks=result.blocks,
        unchanged=result.unchanged,
        changed=result.changed,
        proves=tuple(conclusion.suspect.key for conclusion in conclusions if result in conclusion.own),
        refutes=tuple(
            conclusion.suspect.key
            for conclusion in conclusions
            if result in (*conclusion.stayed, *conclusion.survived) and conclusion.is_cleared
        ),
        says=result.says,
        cost=result.cost,
        trial=result.trial,
        slots=tuple(
            ProofSlot(
                trial=part.trial,
                from_s=round(part.from_s, 3),
                length_s=round(part.length_s, 3),
                block=part.block,
                is_changed=part.is_changed,
                outcome=part.outcome,
            )
            for part in result.parts
        ),
    )
