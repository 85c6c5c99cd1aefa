"""The quick look of every command that reads a run: whether its files are what they were when sealed.

Small files by their digest, large ones by their size: it takes milliseconds. `loadrig verify` reads all.
"""

import shlex
import sys
from pathlib import Path

from loadrig.base.errors import Problem
from loadrig.base.printable import printable
from loadrig.language.choice import texts_of
from loadrig.language.en.cli import CliSealsTexts
from loadrig.language.en.errors.cli_run import CliSealsErrors

TEXTS, ERRORS = texts_of(CliSealsTexts), texts_of(CliSealsErrors)

_looked: set[Path] = set()
"""Folders that were looked at by this command: each is reported once."""

_damaged: list[Path] = []
"""Folders, of those looked at, whose files are not as they were sealed."""


def look(*folders: Path) -> None:
    """Print one line on standard error for each folder whose files are not as they were sealed."""
    for folder in folders:
        place = folder.absolute()
        if place not in _looked:
            _looked.add(place)
            if text := warning_of(folder):
                _damaged.append(folder)
                print(printable(text).replace("\n", " "), file=sys.stderr)


def damage(error: Exception) -> Problem | None:
    """Return what to say of a fault that was met while a damaged run was read.

    None where no run is damaged.
    """
    if not _damaged:
        return None
    folder = _damaged[0]
    fault = f"{type(error).__name__}: {error}"
    return Problem.of(
        ERRORS.damaged_run(str(folder), fault, shlex.quote(str(folder))), code="recording.broken"
    )


def warning_of(folder: Path) -> str:
    """Return the line about a folder; "" where all is well, and where it is no folder of a run."""
    from loadrig.recording import checking

    try:
        findings = checking.check(folder, checking.QUICK_BYTES)
    except (OSError, ValueError):
        return ""  # who reads it says what there is to say
    if findings is None or not findings.troubles:
        return ""
    first, others = findings.troubles[0], len(findings.troubles) - 1
    word = shlex.quote(str(folder))
    return TEXTS.damaged(str(folder), str(first.file), others, first.word, first.text, word)
