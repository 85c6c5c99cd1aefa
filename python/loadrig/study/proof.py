"""Proof by a study's own settings: a cause of the base that another setting took away, with the gain.

A trial alone never names a cause. A study changes a knob in blocks and measures what moves: where the
throughput became better and a cause that limited the base no longer stands, that setting was the
experiment.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from loadrig.base.documents import ABSENT, Document
from loadrig.base.setting import Setting, show_setting
from loadrig.base.units import show_number, show_share
from loadrig.interventions.knob_step import does
from loadrig.judgement.declarations import about_of
from loadrig.judgement.document import DiagnosisDocument, EvidenceDocument, FindingDocument
from loadrig.judgement.evidence import ExperimentSource
from loadrig.judgement.experiments.suspects import NOT_TO_PROVE, Accused
from loadrig.judgement.experiments.verdicts import PROOF_BANS, SHARED_BANS, keys_in
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyProofTexts
from loadrig.study.document import SettingDocument, SettingsCompared, StudyDocument

TEXTS = texts_of(StudyProofTexts)

SIGNS_STAYED_BANS = 0.5
"""Weight of an experiment that speaks against a cause, in bans: it got better while the signs stayed."""

WIDENING = ("quota", "workers", "threads", "processors")
"""Roles of knobs of which more widens a processor or the slots on it, so that whoever holds these holds less.
It shows that the resource is short, and not by which cause."""


class DiagnosedTrial(Document, frozen=True):
    """Parts of a trial's result that tell what limited its server."""

    findings: tuple[FindingDocument, ...] = ()
    diagnosis: DiagnosisDocument | None = None


def findings(
    study: StudyDocument, trials: Mapping[int, Sequence[DiagnosedTrial]], command: str
) -> tuple[tuple[FindingDocument, ...], DiagnosisDocument | None]:
    """Return findings and diagnosis of a whole study, as in its result.

    study: its result so far (settings, comparisons). trials: results of the trials that are not void, by
    the setting's id. command: what repeats the experiment.
    The base's findings are those that stand in most of its trials.
    """
    if study.base is None or not (base_trials := trials.get(study.base.id, ())):
        return (), None
    usual = _most(base_trials)
    typical = max(base_trials, key=lambda trial: sum(finding.accused in usual for finding in trial.findings))
    better = [
        (setting, comparison)
        for comparison in study.comparisons
        if comparison.kind == "with_base" and comparison.verdict == "better"
        for setting in study.settings
        if setting.id == comparison.between[1] and trials.get(setting.id)
    ]
    standing = [
        finding
        if finding.cause in NOT_TO_PROVE
        else _proved(finding, study.base.setting, better, trials, command)
        for finding in typical.findings
        if finding.accused in usual
    ]
    standing.sort(key=lambda finding: (finding.verdict != "named", -finding.weight))
    diagnosis = typical.diagnosis
    if diagnosis and standing and standing[0].verdict == "named":
        text = f"{standing[0].titled}: {standing[0].effect}."
        diagnosis = replace(diagnosis, sentence=f"{text[:1].upper()}{text[1:]}")
    return tuple(standing), diagnosis


def _most(trials: Sequence[DiagnosedTrial]) -> set[Accused]:
    """Return what is accused, as a root, in more than half of the trials."""
    counts = Counter(finding.accused for trial in trials for finding in trial.findings)
    return {key for key, count in counts.items() if 2 * count > len(trials)}


def _proved(
    finding: FindingDocument,
    base: Setting,
    better: Iterable[tuple[SettingDocument, SettingsCompared]],
    trials: Mapping[int, Sequence[DiagnosedTrial]],
    command: str,
) -> FindingDocument:
    """Return a finding with what each setting that did better did to it: named where its signs were gone."""
    for setting, comparison in better:
        still = [finding.accused in keys_in(trial.findings) for trial in trials[setting.id]]
        text, weight = TEXTS.with_text(show_setting(setting.setting), _change(comparison)), PROOF_BANS
        if 2 * sum(still) >= len(still):
            text, weight = TEXTS.though_signs_stayed(text), SIGNS_STAYED_BANS
            evidence = EvidenceDocument(text, weight, ExperimentSource(command))
            finding = replace(finding, against=(*finding.against, evidence))
            continue
        if about_of(finding.cause).way == "use" and _only_widens(base, setting.setting):
            text, weight = TEXTS.so_resource_short(text), SHARED_BANS
        else:
            finding, text = replace(finding, verdict="named", chance=ABSENT), TEXTS.signs_gone(text)
        evidence = EvidenceDocument(text, weight, ExperimentSource(command))
        weight = round(finding.weight + weight, 2)
        finding = replace(finding, evidence=(evidence, *finding.evidence), weight=weight)
    return finding


def _only_widens(base: Setting, setting: Setting) -> bool:
    """Return whether all that a setting changes is more of what widens a processor, or the slots on it."""
    changed = [name for name in setting if setting[name] != base.get(name)]
    return all(
        any(does(name, role) for role in WIDENING)
        and isinstance(was := base.get(name), int | float)
        and isinstance(value := setting[name], int | float)
        and value > was
        for name in changed
    )


def _change(comparison: SettingsCompared) -> str:
    assert comparison.effect is not None  # a comparison with a verdict has an effect
    assert comparison.interval is not None
    measure, effect = comparison.measure.replace("_", " "), comparison.effect
    low, high = comparison.interval
    if comparison.scale == "ratio":
        return TEXTS.changed_by_to(measure, f"{effect - 1:+.0%}", f"{low - 1:+.0%}", f"{high - 1:+.0%}")
    return TEXTS.measure_changed_by(measure, show_share(effect), show_number(low), show_number(high))
