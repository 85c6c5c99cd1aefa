"""Folders of labs: a copy of each lab in the user's cache, built once, and folders for data of services."""

import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from loadrig.base import leases, own_files, passing, state
from loadrig.base.errors import TargetError
from loadrig.base.leased import ProcessFacts
from loadrig.base.leases import Undone
from loadrig.labs.format import BuildStep, Lab, LabSource
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsCommandErrors, LabsWorkErrors

ERRORS, ENDS = texts_of(LabsWorkErrors), texts_of(LabsCommandErrors)

BUILD_WITHIN_S = 600.0
"""Seconds for a build. The first one fetches libraries; one that takes longer than this hangs."""

SHOWN_LINES = 15

_LEFT_OUT = shutil.ignore_patterns("__pycache__")


def cache_folder() -> Path:
    """Return the folder of what labs make once: $XDG_CACHE_HOME/loadrig/labs, else ~/.cache/loadrig/labs."""
    return Path(state.cache()).absolute() / "labs"


def work_copy(lab: Lab, fill: Callable[[str, Path], str], path: str, say: Callable[[str], None]) -> Path:
    """Return the lab's folder in the cache, built; made anew when a file of its origin has changed.

    fill: called with a command and the folder, puts in the meaning of the placeholders. path: where
    programs are found. Raise TargetError lab.build-failed with the last lines of a step that failed.
    """
    parent = cache_folder() / "work"
    _refuse_foreign()
    parent.mkdir(parents=True, exist_ok=True)
    wanted = parent / f"{lab.name}-{_digest(lab)}"
    if wanted.is_dir():
        return wanted
    # Built in another folder and renamed when complete, so that an interrupted build is never used.
    draft = parent / f".{lab.name}-{os.getpid()}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        _copy(lab, draft)
        for step in lab.build:
            if not step.makes or not (draft / step.makes).exists():
                say(f"building: {step.run}")
                _build(lab, step, fill(step.run, draft), draft, path)
        for old in parent.glob(f"{lab.name}-*"):
            if len(old.name) == len(wanted.name):
                shutil.rmtree(old, ignore_errors=True)
        draft.rename(wanted)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return wanted


def _refuse_foreign() -> None:
    """Make the cache for this user alone, as its content is run. Raise TargetError if it is not ours."""
    path = Path(state.cache())
    try:
        with own_files.opened(path, make=True):
            pass
    except own_files.NotPrivateError as error:
        wording = ERRORS.foreign_cache(str(path), str(error.strerror))
        raise TargetError.of(wording, code="lab.build-failed") from None


def _digest(lab: Lab) -> str:
    """Return a text that changes as soon as a file changes of which the work copy is made."""
    digest = hashlib.sha256()
    origins = [(lab.source.folder, lab.source.notes)] if lab.source else []
    for folder, notes in (*origins, (lab.folder, frozenset[str]())):
        for file in sorted(folder.rglob("*")):
            name = str(file.relative_to(folder))
            if file.is_file() and "__pycache__" not in file.parts and name not in notes:
                digest.update(f"{name}\0{file.stat().st_size}\0".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _copy(lab: Lab, into: Path) -> None:
    """Copy the files of the lab that it names, then its own in their place."""
    if lab.source is not None:
        shutil.copytree(lab.source.folder, into, ignore=_staying(lab, lab.source))
    shutil.copytree(lab.folder, into, ignore=_LEFT_OUT, dirs_exist_ok=lab.source is not None)


def _staying(lab: Lab, source: LabSource) -> Callable[[str, list[str]], set[str]]:
    """Return for copytree what is not copied of a source: its notes and what the lab has of its own."""

    def staying(folder: str, names: list[str]) -> set[str]:
        theirs, below = Path(folder), Path(folder).relative_to(source.folder)
        own = lab.folder / below
        # Two folders are merged. Anything else that the lab has of its own is not copied from the source: the
        # lab's file could not replace a folder, or a file that is not writable.
        replaced = {
            name for name in names
            if (own / name).exists() and not ((own / name).is_dir() and (theirs / name).is_dir())
        }  # fmt: skip
        notes = source.notes if below == Path() else ()
        return {*_LEFT_OUT(folder, names), *notes, *replaced}

    return staying


def _build(lab: Lab, step: BuildStep, command: str, folder: Path, path: str) -> None:
    words = shlex.split(command)
    marker = leases.new_marker()
    lease = leases.take(ProcessFacts(marker=marker, command=command))
    environment = {**os.environ, "PATH": path, **step.env, leases.MARKER: marker}
    try:
        done = subprocess.run(
            words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=BUILD_WITHIN_S, check=False,
        )  # fmt: skip
        failed, output = (ENDS.with_status(done.returncode) if done.returncode else ""), done.stdout
    except subprocess.TimeoutExpired as error:
        failed = ENDS.after_seconds(f"{BUILD_WITHIN_S:g}")
        output = error.stdout.decode(errors="replace") if isinstance(error.stdout, bytes) else ""
    except OSError as error:
        failed, output = error.strerror or str(error), ""
    finally:
        lease.end()
    if failed:
        source = str(lab.source.folder) if lab.source else ""
        raise TargetError.of(
            ERRORS.failed_build(lab.name, command, failed, str(lab.folder), source),
            code="lab.build-failed",
            detail=tuple(line for line in output.splitlines() if line.strip())[-SHOWN_LINES:],
        )


def data_folder() -> AbstractContextManager[Path]:
    """Return a folder for the data of services, for this process alone; it is removed afterwards.

    The folder is not in the cache: some database servers run as a user who may not look into our home. Others
    may look in, for those servers; only this user may put something there.
    """
    return passing.folder("lab", mode=0o755)


def sweep() -> list[Undone]:
    """Remove the passing data of killed rigs; return what came of each removal."""
    return [leases.undo(lease) for lease in leases.stale() if lease.kind == "folder"]
