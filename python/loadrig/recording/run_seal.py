"""The seal of a run: what lies beside its trials, and of each trial its seal and its result.

    RUN/SEALED   {"seal": 1, "open": ["result.json"], "files": {"plan.yaml": {"bytes": 1, "sha256": "…"}, …}}

Unlike a trial, a run may be written to again: a study goes on, a diagnosis is proved. A command that is about
to write first calls `open_again`, so that a kill leaves open files and no wrong digests; at the end `seal`
adds the files that were open or are new, and keeps the facts of every other file. So a command never seals a
change that it has not made.
"""

import os
from collections.abc import Collection
from pathlib import Path

from loadrig.recording import below, documents, seals
from loadrig.recording.checking import is_own, trial_of
from loadrig.recording.files import making, write_json
from loadrig.recording.layout import RunFolder
from loadrig.recording.seals import FileSeal, Seal, SealError

MOST_BYTES = documents.MOST_BYTES
"""Largest size of a file that is sealed, in bytes: beside the trials lie documents, and no longer document is
read."""


def path_of(run: RunFolder) -> Path:
    """Return the path of a run's seal."""
    return run.path / seals.NAME


def open_again(run: RunFolder, *names: str, done: Collection[int] | None = None) -> None:
    """Note in a run's seal which files are about to be written; a run without a seal is open anyway.

    names: paths in the run's folder; a path with a slash at the end is a folder. done: numbers of the trials
    that are over, where the others may be run again. Raises VoidError where the note cannot be written.
    """
    with making(path_of(run)):
        seal = _seal_of(run)
    if seal is None:
        return
    again = set[str]()
    if done is not None:
        trials = {name for path in seal.files if (name := trial_of(path)) and not name.startswith("proof/")}
        again = {f"{name}/" for name in trials if int(name.rpartition("/")[2]) not in done}
    opened = sorted({*seal.open, *names, *again})
    if opened != sorted(seal.open):
        write_json(path_of(run), Seal(seal.files, tuple(opened)).to_json())


def seal(run: RunFolder) -> None:
    """Write the seal of a run, at the end of whatever has written to it. Raises VoidError.

    A seal that cannot be used stays as it is: its content is lost, and writing another one would hide that.
    """
    with making(path_of(run)):
        try:
            with below.opened(run.path) as handle:
                before = seals.read(handle) or Seal({})
                files = {name: facts for name, facts in before.files.items() if not before.is_open(name)}
                for name in below.names(handle):
                    if is_own(name) and name not in files and (facts := _facts(handle, name)) is not None:
                        files[name] = facts
        except SealError:
            return
    write_json(path_of(run), Seal(files).to_json())


def _seal_of(run: RunFolder) -> Seal | None:
    try:
        with below.opened(run.path) as handle:
            return seals.read(handle)
    except (SealError, FileNotFoundError):
        return None


def _facts(handle: int, name: str) -> FileSeal | None:
    """Return the facts of a file; None where it cannot be sealed, and is left unsealed.

    That is so for a file that is no regular file, is too long, is gone, or may not be read.
    """
    try:
        file = below.open_file(handle, name)
    except OSError:
        return None
    try:
        if os.fstat(file).st_size > MOST_BYTES:
            return None
        return seals.facts_of_handle(file)
    finally:
        os.close(file)
