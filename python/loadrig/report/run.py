"""Source of a report: a run's folder, read once.

Here stands how a folder is understood (study or trial, which trials have charts, what is base and
what is recommended). How it is told stands in the sections.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from loadrig.account.document import AccountDocument
from loadrig.base import user_files
from loadrig.base.documents import typed
from loadrig.base.errors import PlanError
from loadrig.base.setting import show_setting
from loadrig.judgement.document import DiagnosisDocument, FindingDocument
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.read import case_of
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.report import ReportRunErrors
from loadrig.language.en.report.page import ReportRunTexts
from loadrig.recording import documents
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.reader import Recording
from loadrig.report import numbers
from loadrig.report import proof as proofs
from loadrig.report.model import Block, PerView, Section
from loadrig.report.proof import ShownProof
from loadrig.report.timeline import Timeline, timeline
from loadrig.study.answer import ComparedWith
from loadrig.study.document import SettingDocument, SettingsCompared, StudyDocument, TrialRow
from loadrig.trial.document import TargetFailure, TrialDocument, trial_of
from loadrig.trial.result import result_of

TEXTS = texts_of(ReportRunTexts)
ERRORS = texts_of(ReportRunErrors)

Json = Mapping[str, Any]

MOST_VIEWS_A_SETTING = 6
"""Number of trials with charts, of each of the recommended and the base setting.

More would not be looked at, and each costs its share of the page's 3 MB.
"""

ALL_COLUMNS = 3600
"""Number of columns of the charts of all views together, so that the page stays below 3 MB."""

LEAST_COLUMNS, MOST_COLUMNS = 240, 900
"""Number of columns of a view: fewer would hide dips of seconds, and more are no wider than a pixel."""


@dataclass(frozen=True)
class TrialView:
    """Trial that is shown with charts.

    id: unique in the report. group: "recommended", "base" or "" for a single trial.
    label: how a reader picks it. result: as in its file, or as a proof says. columns: most columns that its
    charts may have.
    """

    id: str
    label: str
    group: Literal["recommended", "base", ""]
    path: Path
    result: Json
    columns: int

    @cached_property
    def trial(self) -> TrialDocument:
        """The trial's result, typed. Raises PlanError `recording.broken`."""
        return trial_of(self.result, str(TrialFolder(self.path).result))

    @cached_property
    def account(self) -> AccountDocument | None:
        """Account of where requests and slots spent their time; None where there is none.

        None of a void trial too. Raises PlanError `recording.broken`.
        """
        return None if self.trial.validity.verdict == "void" else self.trial.account or None

    @cached_property
    def recording(self) -> Recording:
        """The trial's recording."""
        return Recording.open(self.path)

    @cached_property
    def case(self) -> Case | None:
        """Case of the trial, from which causes are told; None where the generator made no load."""
        return case_of(self.recording)

    @cached_property
    def timeline(self) -> Timeline:
        """Time axis and series of the charts, with no more than `columns` columns."""
        return timeline(self.recording, self.columns)


@dataclass(frozen=True)
class Study:
    """Result of a study, with the questions that sections ask of it."""

    document: StudyDocument

    @property
    def measure(self) -> str:
        """Name of the measure that decides."""
        return self.document.question.by

    @property
    def unit(self) -> str:
        """Unit of the measure that decides."""
        return self.document.question.unit

    @property
    def higher_is_better(self) -> bool:
        """Whether more of the measure that decides is better."""
        return self.document.question.better == "higher"

    @property
    def equal_within(self) -> float:
        """The difference that does not matter: a share of a ratio, else in the unit of the measure."""
        return self.document.question.equal_within

    @property
    def is_ratio(self) -> bool:
        """Whether effects are ratios; of a measure that is a share they are differences."""
        return self.document.question.scale == "ratio"

    @property
    def margin(self) -> str:
        """The difference that does not matter, in words: "3 %", "0.1 points"."""
        return numbers.margin(self.equal_within, self.is_ratio)

    @property
    def knobs(self) -> tuple[str, ...]:
        """Names of all knobs, in the order in which settings give them."""
        return tuple(dict.fromkeys(name for setting in self.settings for name in setting.setting))

    @property
    def settings(self) -> list[SettingDocument]:
        """Settings, best first; those without a value last."""
        sign = -1.0 if self.higher_is_better else 1.0

        def order(setting: SettingDocument) -> tuple[bool, bool, float]:
            value = self.value(setting)
            return (setting.standing == "void", value is None, sign * (value or 0.0))

        return sorted(self.document.settings, key=order)

    def value(self, setting: SettingDocument) -> float | None:
        """Return the deciding measure of a setting, or None if no trial of it was valid."""
        estimate = setting.measures.get(self.measure)
        return None if estimate is None else estimate.value

    def shown(self, setting: SettingDocument) -> str:
        """Return the deciding measure of a setting with its unit; "–" where it is not known."""
        estimate = setting.measures.get(self.measure)
        return "–" if estimate is None else numbers.amount(estimate.value, estimate.unit)

    def remark(self, setting: SettingDocument) -> str:
        """Return what stands beside a setting: "recommended", "base", both or ""."""
        remarks = (("recommended", setting is self.recommended), ("base", setting.is_base))
        return ", ".join(word for word, is_true in remarks if is_true)

    @property
    def recommended(self) -> SettingDocument | None:
        """The setting to use, or None if the study could not tell."""
        chosen = self.document.recommended
        return None if chosen is None else self.document.setting(chosen.setting_id)

    def comparisons(self, kind: ComparedWith) -> list[SettingsCompared]:
        """Return comparisons of a kind on the deciding measure."""
        return [
            comparison
            for comparison in self.document.comparisons
            if comparison.kind == kind and comparison.measure == self.measure
        ]

    def with_base(self, setting: SettingDocument) -> SettingsCompared | None:
        """Return the comparison of a setting with the base; None without one."""
        return next((c for c in self.comparisons("with_base") if c.between[1] == setting.id), None)


@dataclass(frozen=True)
class Run:
    """Folder of a run: a study, or a single trial (`study` is None).

    views: the trials with charts, the first one shown first. plan_text: the plan as written. proof: what
    was changed to prove its diagnosis, if anything was.
    """

    folder: Path
    result: Json
    study: Study | None
    views: tuple[TrialView, ...]
    plan_text: str
    proof: ShownProof | None = None

    @property
    def trial(self) -> TrialDocument:
        """The result of the single trial; of a study, that of the view shown first, where it has any."""
        return self.views[0].trial

    @property
    def base_view(self) -> TrialView:
        """First trial of the base that has charts; of a single trial, that trial."""
        return next((view for view in self.views if view.group == "base"), self.views[0])

    @property
    def findings(self) -> tuple[FindingDocument, ...]:
        """Findings of the single trial, or of the whole study."""
        return self.document.findings

    @property
    def diagnosis(self) -> DiagnosisDocument | None:
        """Diagnosis of the single trial, or of the whole study; None without one."""
        return self.document.diagnosis or None

    @property
    def failure(self) -> TargetFailure | None:
        """Failure of the server; None where it did not fail."""
        return self.document.target_failed or None

    @property
    def proof_json(self) -> Json:
        """The proof as it was written, for machines, under the name `proof`; empty where there is none."""
        return {} if self.proof is None else {"proof": documents.read(_run_of(self.folder).proof_document)}

    @property
    def page(self) -> Path:
        """Path of the page: the run's report.html; for one trial of a run a file beside it."""
        report = _run_of(self.folder).report
        if not TrialFolder(self.folder).manifest.is_file():
            return report
        return report.with_name(f"report-trial-{self.folder.resolve().name}.html")

    @property
    def created(self) -> str:
        """Time at which the run was made, ISO; "" if it was not recorded."""
        if isinstance(self.document, StudyDocument) and self.document.created:
            return self.document.created
        return self.views[0].recording.manifest.created if self.views else ""

    @property
    def name(self) -> str:
        """The plan's name."""
        return self.document.name or "unnamed"

    @cached_property
    def document(self) -> TrialDocument | StudyDocument:
        """The result, typed. Raises PlanError `recording.broken`."""
        if self.study is None:
            return self.trial
        return typed(StudyDocument, self.result, str(RunFolder(self.folder).result))


def per_trial(
    run: Run, name: str, title: str, blocks: Callable[[TrialView], Iterable[Block]], lead: str = ""
) -> Section | None:
    """Return a section with blocks of each trial; a terminal has it of a single trial alone.

    None without a trial that has charts.
    """
    if not run.views:
        return None
    shown = PerView({view.id: tuple(blocks(view)) for view in run.views})
    return Section(name, title, (shown,), lead, in_text=run.study is None)


def read(folder: Path, result: Json | None = None) -> Run:
    """Read the folder of a run or of a trial, with what a proof says in place of what watching said.

    result: what stands in for the run's result.json.

    Raises PlanError if it is neither (`report.not-a-run`) or holds no result (`report.no-result`).
    """
    if not folder.is_dir():
        raise _not_a_run(folder, ERRORS.no_folder)
    return proved(_read(folder, result))


def proved(run: Run) -> Run:
    """Return the run with its proof's findings in place of its own; the run itself where it has no proof."""
    proof = _proof(run.folder)
    if proof is None:
        return run
    result = run.result if run.study is None else proof.standing_for(run.result)
    views = tuple(
        replace(view, result=proof.standing_for(view.result))
        if run.study is None or view.trial.index == proof.of_trial
        else view
        for view in run.views
    )
    if run.study is None and views:
        result = views[0].result
    return replace(run, result=result, views=views, proof=proof)


def _proof(folder: Path) -> ShownProof | None:
    """Return the proof of a run; of one trial's folder, that of its run where it is about this trial."""
    run = _run_of(folder)
    proof = proofs.read(run.proof_document)
    if proof is None or not TrialFolder(folder).manifest.is_file():
        return proof
    return proof if run.trial(proof.of_trial).path == folder.resolve() else None


def _run_of(folder: Path) -> RunFolder:
    """Return the run's folder: this one, or where it is a trial's, the one that the trial lies in."""
    is_trial = TrialFolder(folder).manifest.is_file()
    return RunFolder(folder.resolve().parent.parent if is_trial else folder)


def _read(folder: Path, result_read: Json | None) -> Run:
    run, trial = RunFolder(folder), TrialFolder(folder)
    if trial.manifest.is_file():
        return _trial_run(folder, trial, documents.plan_text(RunFolder(folder.parent.parent).plan))
    if not (run.result.is_file() or run.ledger.is_file() or run.plan.is_file()):
        raise _not_a_run(folder, ERRORS.no_file_of_run)
    result = _result(run.result, folder) if result_read is None else result_read
    plan_text = documents.plan_text(run.plan)
    if documents.is_of_trial(result):
        index = trial_of(result, str(run.result)).index
        return _trial_run(folder, run.trial(index), plan_text, result)
    study = Study(typed(StudyDocument, result, str(run.result)))
    trials = [trial for setting in study.document.settings for trial in setting.trials]
    if study.document.kind == "one_trial" and len(trials) == 1:
        return _trial_run(folder, TrialFolder(folder / trials[0].folder), plan_text)
    return Run(folder, result, study, _views(folder, study), plan_text)


def _trial_run(folder: Path, trial: TrialFolder, plan_text: str, result: Json | None = None) -> Run:
    own_result = result if result is not None else _trial_result(trial, folder)
    label = TEXTS.trial(str(trial_of(own_result, str(trial.result)).index))
    view = TrialView("v1", label, "", Path(trial.path), own_result, MOST_COLUMNS)
    return Run(folder, own_result, None, (view,), plan_text)


def _trial_result(trial: TrialFolder, folder: Path) -> Json:
    """Return a trial's result, made from its recording where the rig was stopped before it could."""
    if not trial.result.is_file():
        recording = Recording.open(trial.path)
        if any(frame.due or frame.sent for frame in recording.frames):
            return result_of(recording).to_json()
    return _result(trial.result, folder)


def _views(folder: Path, study: Study) -> tuple[TrialView, ...]:
    """Return trials of the recommended setting (else of the first), then those of the base."""
    first, base = study.recommended or next(iter(study.settings), None), study.document.base
    groups: list[tuple[SettingDocument, Literal["recommended", "base", ""]]] = []
    if first is not None:
        groups.append((first, "base" if first.is_base else "recommended"))
    if base is not None and base is not first:
        groups.append((base, "base"))
    chosen = [
        (setting, group, trial)
        for setting, group in groups
        for trial in _worth_showing(folder, setting.trials)
    ]
    columns = max(LEAST_COLUMNS, min(MOST_COLUMNS, ALL_COLUMNS // max(1, len(chosen))))
    return tuple(
        TrialView(
            id=f"v{number}",
            label=TEXTS.trial_of_setting(str(trial.index), show_setting(setting.setting))
            + ("" if trial.validity == "valid" else f" ({trial.validity})"),
            group=group,
            path=folder / trial.folder,
            result=_result(TrialFolder(folder / trial.folder).result, folder),
            columns=columns,
        )
        for number, (setting, group, trial) in enumerate(chosen, 1)
    )


def _worth_showing(folder: Path, trials: Iterable[TrialRow]) -> list[TrialRow]:
    """Return the first few that left a result, void ones last: their charts are still evidence."""
    finished = [trial for trial in trials if trial.folder and (folder / trial.folder).is_dir()]
    finished = [trial for trial in finished if TrialFolder(folder / trial.folder).result.is_file()]
    return sorted(finished, key=lambda trial: trial.validity == "void")[:MOST_VIEWS_A_SETTING]


def _result(path: Path, folder: Path) -> Json:
    try:
        result = json.loads(user_files.read_text(path, user_files.MOST_DOCUMENT_BYTES))
    except FileNotFoundError:
        raise PlanError.of(ERRORS.no_result(str(folder)), code="report.no-result") from None
    except OSError as error:
        raise _not_a_run(folder, f"{path.name}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise _not_a_run(folder, ERRORS.not_json(path.name, str(error))) from None
    result = documents.upgraded(result) if isinstance(result, dict) else result
    if not isinstance(result, dict) or not (documents.is_of_trial(result) or documents.is_of_study(result)):
        raise _not_a_run(folder, ERRORS.neither_schema(path.name, documents.STUDY, documents.TRIAL))
    return result


def _not_a_run(folder: Path, reason: str) -> PlanError:
    return PlanError.of(ERRORS.not_a_run(str(folder), reason), code="report.not-a-run")
