"""The folder of a proof: made for one proof at a time, and an earlier one is kept beside it.

A proof that was killed leaves its trials and no document. It cannot go on: changes are compared within blocks
of one stretch of time, and the machine and its neighbours are different when it begins again.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loadrig.base import private
from loadrig.base.errors import PlanError
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingRoomErrors
from loadrig.recording.files import making
from loadrig.recording.layout import RunFolder

ERRORS = texts_of(ProvingRoomErrors)


@contextmanager
def alone(run: RunFolder) -> Iterator[int]:
    """Let no other process prove the same run while the context lasts; yield the descriptor of the lock.

    The lock ends with the last process that has the descriptor. Raises PlanError where another process proves
    the run.
    """
    handle = os.open(run.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PlanError.of(ERRORS.another_proof(str(run.path)), code="prove.in-use") from None
        yield handle
    finally:
        os.close(handle)


def make(run: RunFolder) -> None:
    """Make the folder of a proof, and keep an earlier proof beside it.

    Raises VoidError where the disk does not let it be made.
    """
    folder = run.proof
    with making(folder.path):
        if folder.path.exists():
            folder.path.rename(place_for_earlier(run))
        private.make_folder(folder.path)
        private.make_folder(folder.trials)


def is_cut(run: RunFolder) -> bool:
    """Return whether a proof was begun and not judged, and no process is at work on it."""
    if not run.proof.path.is_dir() or run.proof_document.exists():
        return False
    try:
        with alone(run):
            return True
    except (OSError, PlanError):
        return False


def place_for_earlier(run: RunFolder) -> Path:
    """Return where an earlier proof is kept when a new one is made; nothing is there yet."""
    number = 1
    while (place := run.path / f"{run.proof.path.name}-earlier-{number}").exists():
        number += 1
    return place
