"""A folder becomes a side, and so does a file of another tool. `SOURCES` are functions from a folder to runs.

What a user types for one side:

    runs/2025-01-31-120000-shop              a run: its trial, or the base setting of its study
    runs/2025-01-31-120000-shop#3            setting 3 of a study
    runs/2025-01-31-120000-shop/trials/0003  one trial
    runs/before                              a folder of runs: each is a block
    runs/a1,runs/a2,runs/a3                  several, each a block
    nightly.jtl                              results of another tool, which become a run for the while
"""

import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from loadrig.base.documents import typed
from loadrig.base.errors import PlanError, RigError
from loadrig.base.estimate import Estimate
from loadrig.comparing.side import CAPACITY, Measured, Side
from loadrig.importers import import_files
from loadrig.language.choice import texts_of
from loadrig.language.en.comparing import ComparingReadTexts
from loadrig.language.en.errors.comparing import ComparingReadErrors
from loadrig.recording import documents
from loadrig.recording import manifest as manifests
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.manifest_document import MachineDocument
from loadrig.recording.reader import Recording
from loadrig.study.document import StudyDocument, TrialRow
from loadrig.trial.document import TrialDocument, trial_of
from loadrig.trial.result import result_of

TEXTS = texts_of(ComparingReadTexts)
ERRORS = texts_of(ComparingReadErrors)

_NUMBERED = re.compile(r"(?P<folder>.+)#(?P<setting>\d+)")


Source = Callable[[Path, int | None], Side | None]
"""Function from a folder and the number of a setting to a side of the run in it; None for another folder."""


def read_side(text: str, scratch: Path | None = None) -> Side:
    """Return the side that a user named.

    scratch: a folder where files of other tools become runs; it is to be kept for as long as the side is.
    None: such files are no sides.

    Raises PlanError: `compare.no-run` where a folder holds no run, `compare.no-setting` where its study has
    no such setting, `compare.mixed-side` where its runs are of several settings; and what
    importers raise.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    runs = [run for name in names for run in _runs_of(name, scratch)]
    if not runs:
        raise no_run(text, ERRORS.nothing_named)
    runs = [run for run in runs if run.trials]
    if not runs:
        raise no_run(text, ERRORS.no_finished_trial)
    runs.sort(key=lambda run: run.began_s)
    first = runs[0]
    different = next((run for run in runs if run.setting != first.setting), None)
    if different is not None:
        settings = "; ".join(f"{run.folder}: {dict(run.setting)}" for run in (first, different))
        raise PlanError.of(ERRORS.mixed_side(text, settings), code="compare.mixed-side")
    return side_of(text, runs)


def side_of(name: str, runs: Sequence[Side]) -> Side:
    """Return a side of runs of one setting. runs: at least one, in order of time."""
    trials = tuple(replace(trial, run=number) for number, run in enumerate(runs) for trial in run.trials)
    return replace(
        runs[0],
        name=name,
        trials=tuple(sorted(trials, key=lambda trial: (trial.began_s, trial.run, trial.index))),
        runs=tuple(run.folder for run in runs),
        repeats=_together(runs),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
    )


def _together(runs: Sequence[Side]) -> dict[str, tuple[float, ...]]:
    """Return the A/A pairs of all runs, by measure."""
    gaps_by_measure: dict[str, tuple[float, ...]] = {}
    for run in runs:
        for measure, gaps in run.repeats.items():
            gaps_by_measure[measure] = (*gaps_by_measure.get(measure, ()), *gaps)
    return gaps_by_measure


def read_run(folder: Path, setting: int | None = None) -> Side | None:
    """Return the run in a folder, by the first source that knows it; None where no source does.

    Raises PlanError `compare.no-run` where its files are not what they should be.
    """
    for source in SOURCES:
        try:
            run = source(folder, setting)
        except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
            # What was written by another program or version, or half of it, may be anything.
            reason = ERRORS.unreadable_files(type(error).__name__, str(error))
            raise no_run(str(folder), reason) from error
        if run is not None:
            return run
    return None


def lies_in(folder: Path) -> Path:
    """Return the folder of runs in which a run lies; of a trial's folder, that in which its run does."""
    path = folder.resolve()
    return path.parent.parent.parent if TrialFolder(path).manifest.is_file() else path.parent


def runs_in(folder: Path) -> list[Side]:
    """Return every run that lies in a folder of runs, in order of time; unreadable ones are passed over."""
    runs = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.is_dir():
            try:
                run = read_run(path)
            except RigError:  # a broken or unfinished run is no reason not to read the others
                continue
            if run is not None and run.trials:
                runs.append(run)
    return sorted(runs, key=lambda run: run.began_s)


def no_run(name: str, why: str) -> PlanError:
    """Return the error for a folder that holds nothing to compare."""
    return PlanError.of(ERRORS.no_run(name, why), code="compare.no-run")


def no_folder(name: str) -> PlanError:
    """Return the error for a folder that does not exist."""
    return no_run(name, ERRORS.no_such_folder)


def _runs_of(name: str, scratch: Path | None) -> list[Side]:
    if scratch is not None and Path(name).is_file():
        return [_imported(Path(name), scratch)]
    match = _NUMBERED.fullmatch(name)
    is_numbered = match is not None and not Path(name).exists()
    folder = Path(match["folder"]) if match and is_numbered else Path(name)
    setting = int(match["setting"]) if match and is_numbered else None
    if not folder.is_dir():
        raise no_folder(name)
    run = read_run(folder, setting)
    runs = [run] if run is not None else runs_in(folder)
    if not runs:
        raise no_run(name, ERRORS.nothing_in_folder)
    return runs


def _imported(path: Path, scratch: Path) -> Side:
    """Import results of another tool as a run.

    The same file becomes the same run, so that a file compared with itself is refused.
    """
    run = RunFolder(scratch / hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16])
    if not run.trial(1).is_sealed:
        import_files([path], run)
    return _single(path, _measured(run.trial(1)), run.plan)


# --- sources ------------------------------------------------------------------------------------


def of_trial(folder: Path, setting: int | None) -> Side | None:
    """Return the run in the folder of one trial."""
    trial = TrialFolder(folder)
    if setting is not None or not trial.manifest.is_file():
        return None
    run = RunFolder(folder.resolve().parent.parent)
    study, measured = _study(run), _measured(trial)
    if study is None:
        return _single(folder, measured, run.plan)
    rows = (row for entry in study.settings for row in entry.trials)
    row = next((row for row in rows if row.index == measured.index), None)
    if row is not None:
        measured = _with_capacity(measured, row, study)
    return _single(folder, measured, run.plan, _searched(study))


def of_single_run(folder: Path, setting: int | None) -> Side | None:
    """Return the run in the folder of a run of one trial."""
    run = RunFolder(folder)
    result = _result(run.result)
    if setting is not None or result is None or not documents.is_of_trial(result):
        return None
    document = trial_of(result, str(run.result))
    trial = run.trial(document.index)
    if trial.manifest.is_file():
        return _single(folder, _measured(trial), run.plan)
    # Only the result was kept, as a pipeline does.
    return _single(folder, _of_result(document, 0, 1, 0.0), run.plan)


def of_study(folder: Path, setting: int | None) -> Side | None:
    """Return one setting of the study in a folder as a run, the base by default."""
    run = RunFolder(folder)
    study = _study(run)
    if study is None:
        return None
    settings = study.settings
    chosen = next((entry for entry in settings if entry.id == (setting or 0)), None)
    if chosen is None:
        first = ", ".join(f"{entry.id}: {entry.label}" for entry in settings[:6])
        shown = first + (" …" if len(settings) > 6 else "")
        raise PlanError.of(ERRORS.no_setting(str(folder), str(setting), shown), code="compare.no-setting")
    notes: tuple[str, ...] = ()
    if setting is None and len(settings) > 1:
        notes = (TEXTS.has_settings_base(folder.name, str(len(settings)), chosen.label),)
    began_s = _seconds_of(study.created)
    units = {name: estimate.unit for name, estimate in chosen.measures.items()}
    trials = tuple(
        _with_capacity(_trial_of_study(run, row, units, began_s), row, study) for row in chosen.trials
    )
    return Side(
        folder.name, dict(chosen.setting), trials, (folder,), study.name, documents.plan_text(run.plan),
        study.machine, study.loadrig, study.created, _repeats(study), _searched(study), notes,
    )  # fmt: skip


SOURCES: Sequence[Source] = (of_trial, of_single_run, of_study)
"""Functions that read a folder, asked in turn. What `loadrig import` has made is a run as any other."""


def _single(folder: Path, trial: Measured, plan: Path, searched: str = "") -> Side:
    result = trial.result
    assert result is not None  # by how all callers made it
    return Side(
        folder.name, result.setting, (trial,), (folder,), result.name, documents.plan_text(plan),
        result.machine or MachineDocument(), result.loadrig, _iso(trial.began_s),
        searched=searched,
    )  # fmt: skip


def _measured(trial: TrialFolder) -> Measured:
    manifest = manifests.read(trial)
    written = _result(trial.result)
    if written is not None:
        result = trial_of(written, str(trial.result))
    else:
        recording = Recording.open(trial.path)
        if not any(frame.due or frame.sent for frame in recording.frames):
            raise no_run(str(trial.path), ERRORS.no_load)
        result = result_of(recording).document
    return _of_result(result, manifest.block, manifest.index, manifest.wall_ns / 1e9, trial.path)


def _of_result(
    result: TrialDocument, block: int, index: int, began_s: float, folder: Path | None = None
) -> Measured:
    """Return what a trial's result says, about as long as from its start to the end of the measured part."""
    validity = result.validity
    # Without its load, or its rates, a trial has nothing that could be compared.
    verdict = "void" if validity.lost & {"load", "rates"} else validity.verdict
    reasons = tuple(reason.text for reason in validity.reasons if reason.level != "note")
    return Measured(
        0, block, index, began_s, result.measured.to_s, verdict, reasons, result.estimates, result, folder
    )


def _trial_of_study(run: RunFolder, row: TrialRow, units: Mapping[str, str], began_s: float) -> Measured:
    """Return one trial of a study: as its folder tells, else as far as the study's result knows it."""
    folder = run.path / row.folder
    if row.folder and (folder / "manifest.json").is_file():
        # Only a study calls a trial "failed": that the target answered nothing.
        return replace(
            _measured(TrialFolder(folder)), block=row.block, verdict=row.validity, seconds=row.seconds
        )
    values = {name: Estimate(value, units.get(name, "")) for name, value in row.values.items()}
    # The trials of a study run one after the other: their numbers are their order in time.
    at_s = began_s + 1e-3 * row.index
    return Measured(0, row.block, row.index, at_s, row.seconds, row.validity, row.reasons, values)


def _repeats(study: StudyDocument) -> dict[str, tuple[float, ...]]:
    """Return differences between the two runs of the base in each block: of logs, or of shares."""
    blocks: dict[int, list[Mapping[str, float]]] = {}
    for trial in study.base.trials if study.base else ():
        if trial.is_usable:
            blocks.setdefault(trial.block, []).append(trial.values)
    gaps_by_measure: dict[str, list[float]] = {}
    for trials in blocks.values():
        if len(trials) < 2:
            continue
        for name in trials[0].keys() & trials[1].keys():
            first, second = trials[0][name], trials[1][name]
            if name == "errors":
                gaps_by_measure.setdefault(name, []).append(second - first)
            elif first > 0 and second > 0:
                gaps_by_measure.setdefault(name, []).append(math.log(second / first))
    return {name: tuple(gaps) for name, gaps in gaps_by_measure.items()}


def _searched(study: StudyDocument) -> str:
    """Return why the search for a capacity ended; "" where the run made none."""
    return study.capacity.why_ended if study.capacity else ""


def _with_capacity(trial: Measured, row: TrialRow, study: StudyDocument) -> Measured:
    """Return the trial with the capacity that it found beside its other estimates; only its study knows it.

    The interval is kept for the search that the study's result tells; other searches have the number alone.

    """
    capacity, value = study.capacity, row.values.get(CAPACITY)
    if capacity is None or value is None:
        return trial
    interval = capacity.interval if capacity.trial == trial.index else None
    low, high = interval or (None, None)
    estimate = Estimate(value, capacity.unit, low, high, n=len(capacity.probes), of="levels")
    return replace(trial, estimates={**trial.estimates, CAPACITY: estimate})


def _study(run: RunFolder) -> StudyDocument | None:
    """Return the result of a study; None of any other run. Raises PlanError `recording.broken`."""
    result = _result(run.result)
    if result is None or not documents.is_of_study(result):
        return None
    return typed(StudyDocument, result, str(run.result))


def _result(path: Path) -> dict[str, Any] | None:
    try:
        return documents.read(path)
    except (OSError, PlanError):
        return None


def _seconds_of(created: Any) -> float:
    try:
        return datetime.fromisoformat(str(created)).timestamp()
    except ValueError:
        return 0.0


def _iso(began_s: float) -> str:
    return datetime.fromtimestamp(began_s).astimezone().isoformat(timespec="seconds") if began_s else ""
