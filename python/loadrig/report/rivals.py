"""For each rival of what was proved, the experiment that spoke of it; and what nobody tried, and why."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from loadrig.interventions import Lever
from loadrig.judgement.declarations import cause_of
from loadrig.judgement.document import ClearedDocument, FindingDocument
from loadrig.judgement.evidence import ExperimentSource
from loadrig.judgement.levers import levers
from loadrig.language.choice import texts_of
from loadrig.language.en.report.proof import ReportRivalsTexts
from loadrig.language.labels import label
from loadrig.proving.document import Accused, SkippedExperiment
from loadrig.report import proof_words
from loadrig.report.model import Tone
from loadrig.report.proof import ShownExperiment, ShownProof

TEXTS = texts_of(ReportRivalsTexts)


@dataclass(frozen=True, slots=True)
class Rival:
    """Another cause that it could have been, and what became of it.

    experiment, figure: "" where none was made. conclusion: what follows, in words. skipped: the experiment
    that would have told, if it could not be made.
    """

    title: str
    component: str
    experiment: str
    figure: str
    conclusion: str
    tone: Tone
    skipped: SkippedExperiment | None = None


def of(proof: ShownProof) -> list[Rival]:
    """Return all rivals of the first finding and all causes that an experiment spoke of, except proved ones.

    Causes that an experiment cleared come first, causes that nobody tried last.
    """
    findings = proof.findings
    named = {finding.accused for finding in findings if finding.verdict == "named"}
    suspects = [accused for experiment in proof.experiments for accused in experiment.refutes]
    suspects += [cleared.accused for cleared in _cleared_by_experiment(proof)]
    suspects += [finding.accused for finding in findings]
    suspects += [rival.accused for finding in findings[:1] for rival in finding.rivals]
    rivals = [
        _rival(accused, proof)
        for accused in dict.fromkeys(suspects)
        if accused not in named and accused[0] != "healthy"
    ]
    return sorted(rivals, key=lambda rival: (not rival.experiment, rival.tone != "good"))


def title(cause: str) -> str:
    """Return a cause in words, as its file says; its name where there is no such file any more."""
    try:
        return cause_of(cause).title
    except KeyError:
        return cause.replace("_", " ")


def why_untried(skipped: SkippedExperiment) -> str:
    """Return why an experiment was not made and what lets it: "no right to set a quota; run it as root"."""
    return f"{skipped.why}; {skipped.mend}" if skipped.mend else skipped.why


def _rival(accused: Accused, proof: ShownProof) -> Rival:
    finding = next((entry for entry in proof.findings if entry.accused == accused), None)
    cleared = next((entry for entry in _cleared_by_experiment(proof) if entry.accused == accused), None)
    bearing = _bearing(accused, proof, finding)
    experiment = _nearest(accused, proof.experiments, bearing)
    if experiment is not None:
        conclusion, tone = _tried_words(
            experiment, accused, cleared, finding, _watched_reason(accused, proof)
        )
        return Rival(
            title(accused[0]), accused[1], experiment.title, proof_words.figure(experiment), conclusion, tone
        )
    reason = "" if finding is not None else _watched_reason(accused, proof)
    if reason:
        return Rival(title(accused[0]), accused[1], "", "", TEXTS.what_seen(reason), "plain")
    skipped = next((candidate for candidate in proof.skipped if _is_among(candidate.lever, bearing)), None)
    conclusion = _untried_words(accused, finding, skipped)
    return Rival(title(accused[0]), accused[1], "", "", conclusion, "warn", skipped)


def _bearing(accused: Accused, proof: ShownProof, finding: FindingDocument | None) -> frozenset[Lever]:
    """Return the levers that would tell of a cause, as its file says."""
    cause, component = accused
    pulled = [*(tried.lever for tried in proof.experiments), *(skipped.lever for skipped in proof.skipped)]
    behind = [lever.component for lever in pulled if lever.change == "delay"]
    detail = finding.detail if finding is not None else ""
    try:
        proofs = cause_of(cause).proofs_of()
    except KeyError:
        return frozenset()
    return frozenset(lever for recipe in proofs for lever in levers(recipe, component, behind, detail))


def _is_among(lever: Lever, bearing: frozenset[Lever]) -> bool:
    """Return whether a lever is among others; for a knob "other" stands for more and for less."""
    return any(
        replace(lever, towards="other") == replace(other, towards="other")
        and (lever.towards == other.towards or "other" in (lever.towards, other.towards))
        for other in bearing
    )


def _nearest(
    accused: Accused, experiments: Iterable[ShownExperiment], bearing: frozenset[Lever]
) -> ShownExperiment | None:
    """Return the experiment that says most of a cause: one that cleared it goes first."""
    order = ("cleared", "limits", "shares", "unsure")
    candidates = [
        experiment
        for experiment in experiments
        if accused in experiment.refutes or _is_among(experiment.lever, bearing)
    ]
    return min(
        candidates,
        key=lambda experiment: (accused not in experiment.refutes, order.index(experiment.standing)),
        default=None,
    )


def _tried_words(
    experiment: ShownExperiment,
    accused: Accused,
    cleared: ClearedDocument | None,
    finding: FindingDocument | None,
    reason: str,
) -> tuple[str, Tone]:
    """Return what follows from the experiment that speaks of a cause, with its tone."""
    if finding is not None:
        texts = {"unsure": "unsure", "cleared": TEXTS.text_cleared}
        return TEXTS.is_still(texts.get(experiment.standing, TEXTS.moves), finding.verdict), "warn"
    if accused in experiment.refutes or cleared is not None:
        if experiment.standing == "cleared" or cleared is None:
            return TEXTS.moves_nothing_cleared, "good"
        return f"{label('cleared')}: {cleared.why}", "good"
    # The experiment alone does not clear this cause; what was seen clears it.
    more = TEXTS.by_what_seen(reason) if reason else ""
    match experiment.standing:
        case "cleared":
            return TEXTS.moves_nothing(more), "plain"
        case "unsure":
            return TEXTS.unsure_too_little(more), "plain" if reason else "warn"
    return TEXTS.moves_others_do(more), "plain"


def _untried_words(
    accused: Accused, finding: FindingDocument | None, skipped: SkippedExperiment | None
) -> str:
    """Return why no experiment was made about a cause, or what would decide."""
    if skipped is not None:
        return TEXTS.not_tried(why_untried(skipped))
    decides = _why_not(accused[0]) or (finding.decides if finding is not None else "")
    return TEXTS.not_tried_yet(": " + decides if decides else "")


def _watched_reason(accused: Accused, proof: ShownProof) -> str:
    """Return why a cause does not stand, by what was only watched; "" where nothing said so."""
    rivals = (rival for first in proof.findings[:1] for rival in first.rivals)
    return next((entry.why for entry in (*proof.every_cleared, *rivals) if entry.accused == accused), "")


def _why_not(cause: str) -> str:
    try:
        return cause_of(cause).why_no_proof
    except KeyError:
        return ""


def _cleared_by_experiment(proof: ShownProof) -> list[ClearedDocument]:
    return [entry for entry in proof.every_cleared if isinstance(entry.source, ExperimentSource)]
