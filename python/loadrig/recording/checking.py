"""Check of a folder's files against its seals: which were changed or cut, and which are missing or extra.

A folder without a seal is not damaged: its rig was killed, still runs, or is of an earlier version.
Nothing is read outside of the folder, and no link in it is followed.
"""

import errno
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingCheckingErrors
from loadrig.recording import below, page_seal, seals
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.seals import NAME, FileSeal, Seal, SealError

ERRORS = texts_of(RecordingCheckingErrors)

Kind = Literal["changed", "cut", "missing", "extra", "unreadable"]

RESULT = "result.json"

QUICK_BYTES = 1_000_000
"""Size in bytes up to which a quick look works out a digest; of a larger file it compares the size alone."""

_TRIAL = re.compile(r"(?P<trial>(?:proof/)?trials/\d+)/(?P<rest>.+)")
_SET_ASIDE = re.compile(r"(?P<trial>(?:proof/)?trials/\d+-broken-\d+)/.+")
_PAGE = re.compile(r"[^/]+\.html")
_DRAFT = ".draft"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file that is not as it was sealed. file: its path in the folder; text: what is wrong with it."""

    file: str
    kind: Kind
    text: str

    @property
    def word(self) -> str:
        """Word for the kind, in the language of this process."""
        return ERRORS.kinds[self.kind]


@dataclass
class Findings:
    """Result of a check.

    unsealed: reasons why a file or folder has no seal, by its name. files, size: what was checked, in files
    and bytes. sealed: how many of these files a seal names; the others are pages, and seals, which may name
    nothing.
    """

    by_file: dict[str, Trouble] = field(default_factory=dict)
    unsealed: dict[str, str] = field(default_factory=dict)
    files: int = 0
    size: int = 0
    sealed: int = 0

    def wrong(self, file: str, kind: Kind, text: str) -> None:
        """Note a file that is not as it was sealed; only the first note on a file is kept."""
        self.by_file.setdefault(file, Trouble(file, kind, text))

    @property
    def troubles(self) -> list[Trouble]:
        """All files that are not as they were sealed, in the order in which they were found."""
        return list(self.by_file.values())

    def take(self, lower: "Findings", folder: str) -> None:
        """Add the findings of a folder below this one; its path ends in a slash."""
        for trouble in lower.troubles:
            self.wrong(f"{folder}{trouble.file}", trouble.kind, trouble.text)
        self.unsealed.update({f"{folder}{name}": why for name, why in lower.unsealed.items()})
        self.files += lower.files
        self.size += lower.size
        self.sealed += lower.sealed


def check(folder: Path, most_bytes: int | None = None) -> Findings | None:
    """Compare a folder with its seals; None where it is neither the folder of a run nor of a trial.

    most_bytes: size up to which a digest is worked out; None: the digest of every file. Raises OSError where
    the folder cannot be opened.
    """
    with below.opened(folder) as handle:
        names = set(os.listdir(handle))
    trial, run = TrialFolder(folder), RunFolder(folder)
    if names & {path.name for path in (run.trials, run.plan, run.ledger)}:
        return check_run(run, most_bytes)
    if names & {path.name for path in (trial.manifest, trial.frames, trial.packed_frames, trial.config)}:
        return _trial_by_itself(trial, most_bytes)
    return check_run(run, most_bytes) if names & {NAME, RESULT} else None


def check_trial(folder: TrialFolder, most_bytes: int | None = None) -> Findings:
    """Compare the folder of one trial with its seal. Arguments and errors as of `check`."""
    findings = Findings()
    with below.opened(folder.path) as handle:
        seal = _seal_of(handle, findings)
        if seal is not None:
            # The draft of a result is what a kill left while the result was made again.
            not_compared = {NAME, RESULT, RESULT + _DRAFT, *seal.others}
            _compare(handle, seal, set(below.names(handle)) - not_compared, findings, most_bytes)
        elif findings.troubles:
            pass
        elif {RESULT, NAME} & set(os.listdir(handle)) == {RESULT}:
            findings.wrong(NAME, "missing", ERRORS.result_without_seal)
        else:
            findings.unsealed[""] = ERRORS.trial_without_seal
    return findings


def check_run(run: RunFolder, most_bytes: int | None = None) -> Findings:
    """Compare the folder of a run with its seal, and each of its trials with its own.

    Arguments and errors as of `check`.
    """
    findings = Findings()
    with below.opened(run.path) as handle:
        names = list(below.names(handle))
        seal = _seal_of(handle, findings)
        if seal is not None:
            _compare_run(handle, seal, names, findings, most_bytes)
        elif not findings.troubles:
            findings.unsealed["."] = ERRORS.run_without_seal
        if most_bytes is None:  # nothing is read from a page
            for name in filter(_PAGE.fullmatch, names):
                _check_page(handle, name, findings)
    for name in _trials(names):
        is_sealed = seal is not None and f"{name}/{NAME}" in seal.files and not seal.is_open(f"{name}/{NAME}")
        _check_one(run, name, findings, most_bytes, is_sealed=is_sealed)
    for name in sorted({match["trial"] for file in names if (match := _SET_ASIDE.fullmatch(file))}):
        findings.unsealed[f"{name}/"] = ERRORS.set_aside
    return findings


_PASSING = ("now.json", "orders/", "labels.json")
"""Beginnings of the paths of what is for those who watch, steer or label a run: no part of its result."""


def is_own(name: str) -> bool:
    """Return whether a run's seal holds a file.

    It holds what lies beside the trials, and of each trial its seal and result.
    """
    if name.startswith(_PASSING):
        return False
    if name == NAME or _PAGE.fullmatch(name) or name.endswith(_DRAFT) or _SET_ASIDE.fullmatch(name):
        return False
    match = _TRIAL.fullmatch(name)
    return match is None or match["rest"] in (NAME, RESULT)


def trial_of(name: str) -> str:
    """Return the path of the trial's folder in which a file of a run lies; "" where it lies in none."""
    match = _TRIAL.fullmatch(name)
    return match["trial"] if match else ""


def _trial_by_itself(trial: TrialFolder, most_bytes: int | None) -> Findings:
    """Check a trial, and what the seal of its run says of it, where it lies in a run that has a seal."""
    place = trial.path.resolve()
    name = f"{place.parent.name}/{place.name}"
    seal = _seal_of_run(place.parent.parent) if _TRIAL.fullmatch(f"{name}/{NAME}") else None
    if seal is None:
        return check_trial(trial, most_bytes)
    findings = Findings()
    sealed = {
        file.removeprefix(f"{name}/"): facts
        for file, facts in seal.files.items()
        if file.startswith(f"{name}/") and not seal.is_open(file)
    }
    with below.opened(place) as handle:
        _compare(handle, Seal(sealed), sealed.keys() & set(os.listdir(handle)), findings, most_bytes)
    if NAME not in findings.by_file:
        _take_trial(findings, check_trial(trial, most_bytes), "", is_sealed=NAME in sealed)
    return findings


def _seal_of_run(folder: Path) -> Seal | None:
    """Return the seal of the run in which a trial lies; None where there is none that can be used."""
    try:
        with below.opened(folder) as handle:
            return seals.read(handle)
    except (OSError, SealError):
        return None  # the run is not what was asked about


def _compare_run(
    handle: int, seal: Seal, names: list[str], findings: Findings, most_bytes: int | None
) -> None:
    trials = set(_trials(names))
    sealed_trials = _trials(file for file in seal.files if not seal.is_open(file))
    lost = [name for name in sealed_trials if name not in trials]
    for name in lost:
        findings.wrong(f"{name}/", "missing", ERRORS.whole_trial_missing)
    sealed = {
        name: facts
        for name, facts in seal.files.items()
        if not seal.is_open(name) and trial_of(name) not in lost
    }
    # While a command writes to a run, a new file there is not extra.
    present = {name for name in names if is_own(name) and (not seal.open or name in sealed)}
    _compare(handle, Seal(sealed), present, findings, most_bytes)
    for name in seal.open:
        findings.unsealed[name] = ERRORS.open_for_writing


def _check_one(
    run: RunFolder, name: str, findings: Findings, most_bytes: int | None, *, is_sealed: bool
) -> None:
    """Check one trial of a run.

    is_sealed: whether the run's seal names the trial's seal, so that its absence tells of no kill.
    """
    if f"{name}/{NAME}" in findings.by_file:
        return  # by a seal that is damaged itself nothing can be told
    try:
        of_trial = check_trial(TrialFolder(run.path / name), most_bytes)
    except OSError as error:
        findings.wrong(f"{name}/", "unreadable", ERRORS.not_opened(error.strerror or str(error)))
        return
    _take_trial(findings, of_trial, f"{name}/", is_sealed=is_sealed)


def _take_trial(findings: Findings, of_trial: Findings, folder: str, *, is_sealed: bool) -> None:
    if is_sealed:
        of_trial.unsealed.clear()
    findings.take(of_trial, folder)


def _seal_of(handle: int, findings: Findings) -> Seal | None:
    try:
        seal = seals.read(handle)
    except SealError as error:
        findings.wrong(NAME, "changed", ERRORS.seal_damaged(str(error)))
        return None
    findings.files += seal is not None
    return seal


def _trials(names: Iterable[str]) -> list[str]:
    trials = {trial for name in names if (trial := trial_of(name))}
    return sorted(trials, key=lambda name: (name.startswith("proof/"), int(name.rpartition("/")[2])))


def _compare(
    handle: int, seal: Seal, present: Iterable[str], findings: Findings, most_bytes: int | None
) -> None:
    names = set(present)
    for name, facts in sorted(seal.files.items()):
        findings.files += 1
        findings.sealed += 1
        findings.size += facts.size
        if name not in names:
            findings.wrong(name, "missing", ERRORS.bytes_sealed(facts.size))
        elif (trouble := _differing(handle, name, facts, most_bytes)) is not None:
            findings.wrong(*trouble)
    for name in sorted(names - seal.files.keys()):
        findings.wrong(name, "extra", ERRORS.after_seal)


def _differing(
    handle: int, name: str, facts: FileSeal, most_bytes: int | None
) -> tuple[str, Kind, str] | None:
    try:
        file = below.open_file(handle, name)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            return name, "changed", ERRORS.link_now
        if error.errno in (errno.EINVAL, errno.ENXIO):
            return name, "changed", ERRORS.no_regular_file_now
        return name, "unreadable", error.strerror or str(error)
    try:
        size = os.fstat(file).st_size
        if size < facts.size:
            return name, "cut", ERRORS.bytes_left(size, facts.size)
        if size > facts.size:
            return name, "changed", ERRORS.more_bytes(size, facts.size)
        if most_bytes is not None and size > most_bytes:
            return None
        if seals.facts_of_handle(file).digest != facts.digest:
            return name, "changed", ERRORS.other_content
    except OSError as error:
        return name, "unreadable", error.strerror or str(error)
    finally:
        os.close(file)
    return None


def _check_page(handle: int, name: str, findings: Findings) -> None:
    try:
        state = page_seal.state_of(below.read(handle, name, page_seal.MOST_BYTES))
    except (OSError, ValueError) as error:
        findings.wrong(name, "unreadable", ERRORS.page_unreadable(str(error)))
        return
    findings.files += 1
    if state == "cut":
        findings.wrong(name, "cut", ERRORS.page_cut)
    elif state == "changed":
        findings.wrong(name, "changed", ERRORS.page_changed)
    elif state == "unsealed":
        findings.unsealed[name] = ERRORS.page_without_digest
