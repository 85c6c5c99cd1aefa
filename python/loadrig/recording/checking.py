"""Whether the files of a folder are what its seals say: each that was changed, cut, is missing or extra.

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

from loadrig.recording import below, page_seal, seals
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.seals import NAME, Facts, Seal, SealError

Kind = Literal["changed", "cut", "missing", "extra", "unreadable"]

RESULT = "result.json"

QUICK_BYTES = 1_000_000
"""Size up to which a quick look works out a digest; of a larger file it compares the size alone."""

_TRIAL = re.compile(r"(?P<trial>(?:proof/)?trials/\d+)/(?P<rest>.+)")
_SET_ASIDE = re.compile(r"(?P<trial>(?:proof/)?trials/\d+-broken-\d+)/.+")
_PAGE = re.compile(r"[^/]+\.html")
_DRAFT = ".draft"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One file that is not as it was sealed. file: its path in the folder; text: what is wrong with it."""

    file: str
    kind: Kind
    text: str


@dataclass
class Findings:
    """What a check has found. unsealed: by file or folder, why it has no seal; files, size: checked.

    sealed: how many of these a seal names. The others are pages, and seals, which may name nothing.
    """

    by_file: dict[str, Trouble] = field(default_factory=dict)
    unsealed: dict[str, str] = field(default_factory=dict)
    files: int = 0
    size: int = 0
    sealed: int = 0

    def wrong(self, file: str, kind: Kind, text: str) -> None:
        """Note a file that is not as it was sealed; of each file the first that is found."""
        self.by_file.setdefault(file, Trouble(file, kind, text))

    @property
    def troubles(self) -> list[Trouble]:
        """All files that are not as they were sealed, in the order in which they were found."""
        return list(self.by_file.values())

    def take(self, other: "Findings", folder: str) -> None:
        """Take over what was found in a folder below this one; its path ends in a slash."""
        for one in other.troubles:
            self.wrong(f"{folder}{one.file}", one.kind, one.text)
        self.unsealed.update({f"{folder}{name}": why for name, why in other.unsealed.items()})
        self.files += other.files
        self.size += other.size
        self.sealed += other.sealed


def check(folder: Path, most_bytes: int | None = None) -> Findings | None:
    """Compare a folder with its seals; None where it is neither the folder of a run nor of a trial.

    most_bytes: size up to which a digest is worked out; None: of every file. Raises OSError where the folder
    cannot be opened.
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
    """Compare the folder of one trial with its seal. As check."""
    found = Findings()
    with below.opened(folder.path) as handle:
        seal = _seal_of(handle, found)
        if seal is not None:
            # The draft of a result is what a kill left while the result was made again.
            left = {NAME, RESULT, RESULT + _DRAFT, *seal.others}
            _compare(handle, seal, set(below.names(handle)) - left, found, most_bytes)
        elif found.troubles:
            pass
        elif {RESULT, NAME} & set(os.listdir(handle)) == {RESULT}:
            found.wrong(NAME, "missing", "a trial has a result only once it is sealed")
        else:
            found.unsealed[""] = "the rig was killed in this trial, or still runs it"
    return found


def check_run(run: RunFolder, most_bytes: int | None = None) -> Findings:
    """Compare the folder of a run with its seal, and each of its trials with its own. As check."""
    found = Findings()
    with below.opened(run.path) as handle:
        names = list(below.names(handle))
        seal = _seal_of(handle, found)
        if seal is not None:
            _compare_run(handle, seal, names, found, most_bytes)
        elif not found.troubles:
            found.unsealed["."] = (
                "what lies beside the trials has no seal: the run was killed or goes on, or it is of an"
                " earlier loadrig"
            )
        if most_bytes is None:  # nothing is read from a page
            for name in filter(_PAGE.fullmatch, names):
                _check_page(handle, name, found)
    for name in _trials(names):
        is_sealed = seal is not None and f"{name}/{NAME}" in seal.files and not seal.is_open(f"{name}/{NAME}")
        _check_one(run, name, found, most_bytes, is_sealed=is_sealed)
    for name in sorted({match["trial"] for one in names if (match := _SET_ASIDE.fullmatch(one))}):
        found.unsealed[f"{name}/"] = "set aside when its trial was run again, as its load had been cut short"
    return found


def is_own(name: str) -> bool:
    """Whether a run's seal holds a file: what lies beside the trials, and of each its seal and result."""
    if name == NAME or _PAGE.fullmatch(name) or name.endswith(_DRAFT) or _SET_ASIDE.fullmatch(name):
        return False
    match = _TRIAL.fullmatch(name)
    return match is None or match["rest"] in (NAME, RESULT)


def trial_of(name: str) -> str:
    """The path of the trial's folder in which a file of a run lies; "" where it lies in none."""
    match = _TRIAL.fullmatch(name)
    return match["trial"] if match else ""


def _trial_by_itself(trial: TrialFolder, most_bytes: int | None) -> Findings:
    """Check a trial, and what the seal of its run says of it, where it lies in a run that has one."""
    place = trial.path.resolve()
    name = f"{place.parent.name}/{place.name}"
    seal = _seal_of_run(place.parent.parent) if _TRIAL.fullmatch(f"{name}/{NAME}") else None
    if seal is None:
        return check_trial(trial, most_bytes)
    found = Findings()
    kept = {
        file.removeprefix(f"{name}/"): facts
        for file, facts in seal.files.items()
        if file.startswith(f"{name}/") and not seal.is_open(file)
    }
    with below.opened(place) as handle:
        _compare(handle, Seal(kept), kept.keys() & set(os.listdir(handle)), found, most_bytes)
    if NAME not in found.by_file:
        _take_trial(found, check_trial(trial, most_bytes), "", is_sealed=NAME in kept)
    return found


def _seal_of_run(folder: Path) -> Seal | None:
    """The seal of the run in which a trial lies; None where it has none that can be used."""
    try:
        with below.opened(folder) as handle:
            return seals.read(handle)
    except (OSError, SealError):
        return None  # the run is not what was asked about


def _compare_run(handle: int, seal: Seal, names: list[str], found: Findings, most_bytes: int | None) -> None:
    trials = set(_trials(names))
    known = _trials(file for file in seal.files if not seal.is_open(file))
    lost = [name for name in known if name not in trials]
    for name in lost:
        found.wrong(f"{name}/", "missing", "the whole trial is missing")
    kept = {
        name: facts
        for name, facts in seal.files.items()
        if not seal.is_open(name) and trial_of(name) not in lost
    }
    # While somebody writes to a run, what is new there is no stranger.
    present = {name for name in names if is_own(name) and (not seal.open or name in kept)}
    _compare(handle, Seal(kept), present, found, most_bytes)
    for name in seal.open:
        found.unsealed[name] = "a command that was about to write it has not come to its end"


def _check_one(
    run: RunFolder, name: str, found: Findings, most_bytes: int | None, *, is_sealed: bool
) -> None:
    """Check one trial of a run. is_sealed: the run's seal names its seal, so its absence tells of no kill."""
    if f"{name}/{NAME}" in found.by_file:
        return  # by a seal that is damaged itself nothing can be told
    try:
        of_trial = check_trial(TrialFolder(run.path / name), most_bytes)
    except OSError as error:
        found.wrong(f"{name}/", "unreadable", f"cannot be opened: {error.strerror or error}")
        return
    _take_trial(found, of_trial, f"{name}/", is_sealed=is_sealed)


def _take_trial(found: Findings, of_trial: Findings, folder: str, *, is_sealed: bool) -> None:
    if is_sealed:
        of_trial.unsealed.clear()
    found.take(of_trial, folder)


def _seal_of(handle: int, found: Findings) -> Seal | None:
    try:
        seal = seals.read(handle)
    except SealError as error:
        found.wrong(NAME, "changed", f"the seal {error}")
        return None
    found.files += seal is not None
    return seal


def _trials(names: Iterable[str]) -> list[str]:
    trials = {trial for name in names if (trial := trial_of(name))}
    return sorted(trials, key=lambda name: (name.startswith("proof/"), int(name.rpartition("/")[2])))


def _compare(
    handle: int, seal: Seal, present: Iterable[str], found: Findings, most_bytes: int | None
) -> None:
    names = set(present)
    for name, facts in sorted(seal.files.items()):
        found.files += 1
        found.sealed += 1
        found.size += facts.size
        if name not in names:
            found.wrong(name, "missing", f"{facts.size:,} bytes were sealed")
        elif (trouble := _differing(handle, name, facts, most_bytes)) is not None:
            found.wrong(*trouble)
    for name in sorted(names - seal.files.keys()):
        found.wrong(name, "extra", "it came after the seal")


def _differing(handle: int, name: str, facts: Facts, most_bytes: int | None) -> tuple[str, Kind, str] | None:
    try:
        file = below.open_file(handle, name)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            return name, "changed", "it is a link now, which is not followed"
        if error.errno in (errno.EINVAL, errno.ENXIO):
            return name, "changed", "it is no regular file any more"
        return name, "unreadable", error.strerror or str(error)
    try:
        size = os.fstat(file).st_size
        if size < facts.size:
            return name, "cut", f"{size:,} of {facts.size:,} bytes are left"
        if size > facts.size:
            return name, "changed", f"it has {size:,} bytes, and {facts.size:,} were sealed"
        if most_bytes is not None and size > most_bytes:
            return None
        if seals.facts_of_handle(file).digest != facts.digest:
            return name, "changed", "it has the size that was sealed, and another content"
    except OSError as error:
        return name, "unreadable", error.strerror or str(error)
    finally:
        os.close(file)
    return None


def _check_page(handle: int, name: str, found: Findings) -> None:
    try:
        state = page_seal.state_of(below.read(handle, name, page_seal.MOST_BYTES))
    except (OSError, ValueError) as error:
        found.wrong(name, "unreadable", f"it is no page that can be read: {error}")
        return
    found.files += 1
    if state == "cut":
        found.wrong(name, "cut", "its end is missing")
    elif state == "changed":
        found.wrong(name, "changed", "it is not as it was written")
    elif state == "unsealed":
        found.unsealed[name] = "the page has no digest: an earlier loadrig or another program made it"
