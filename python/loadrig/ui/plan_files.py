"""Plan files below a folder: found, read, checked, and kept."""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

from loadrig.archive.entries import is_run
from loadrig.base import user_files
from loadrig.base.documents import Document, Says
from loadrig.base.errors import PlanError, Problem
from loadrig.language.choice import texts_in
from loadrig.language.en.errors.ui import UiPlanFilesErrors

ENDINGS = (".yaml", ".yml")

MOST_BYTES = 256 << 10
"""Largest plan that the page shows, in bytes: those of people have a few hundred lines."""

MOST_PLANS = 200
"""Plan files that are offered, at most."""

MOST_FILES = 20_000
"""Files that are looked at for them, at most: a folder may be a whole disk."""

DEEPEST = 4
"""Folders below the first in which plans are looked for."""

UNSEARCHED = frozenset({"node_modules", "venv", "target", "build", "dist", "runs", "__pycache__"})
"""Folders in which nobody keeps plans, and which have many files."""

_BEGINS = re.compile(rb"^loadrig\s*:", re.MULTILINE)


class PlanFile(Document, frozen=True, kw_only=True):
    """Plan as it was read."""

    path: Annotated[str, Says("its path below the folder")]
    text: Annotated[str, Says("its text")]
    digest: Annotated[str, Says("digest of the text, by which a later change is seen")]


class PlanProblem(Document, frozen=True, kw_only=True):
    """Mistake in a plan, at its place."""

    line: Annotated[int, Says("line from 1; 0: the whole plan")]
    column: Annotated[int, Says("column from 1")]
    length: Annotated[int, Says("characters that are meant")]
    what: Annotated[str, Says("what is wrong")]
    why: Annotated[str, Says('the reason, or `""` where it is plain')]
    mend: Annotated[str, Says("how to put it right")]
    code: Annotated[str, Says("code for `loadrig explain`")]


class PlanFileError(Exception):
    """A plan that cannot be read or kept. is_changed: somebody else has changed it.

    why: returns the reason in the words of a catalogue, as a browser chooses its own language.
    """

    def __init__(self, why: Callable[[UiPlanFilesErrors], str], *, is_changed: bool = False) -> None:
        super().__init__(why(UiPlanFilesErrors()))
        self._why = why
        self.is_changed = is_changed

    def why_in(self, code: str) -> str:
        """Return the reason in a language."""
        return self._why(texts_in(UiPlanFilesErrors, code))


def plans_below(folder: Path) -> list[str]:
    """Return the paths of the plans below a folder, sorted."""
    return sorted(path for path, _ in zip(_plans(folder), range(MOST_PLANS), strict=False))


def read(folder: Path, path: str) -> PlanFile:
    """Return a plan below a folder. Raises PlanFileError."""
    place = place_below(folder, path)
    try:
        text = user_files.read_text(place, MOST_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or ""
        raise PlanFileError(lambda texts: texts.not_readable(path, reason)) from error
    return PlanFile(path=path, text=text, digest=_digest(text))


def keep(folder: Path, plan: PlanFile) -> Path:
    """Write a plan unless it stands there already. plan: its digest is that of the text it was made from.

    Raises PlanFileError, also where the file is not the one that the text was made from any more.
    """
    place = place_below(folder, plan.path)
    if place.is_file():
        there = read(folder, plan.path)
        if there.text == plan.text:
            return place
        if there.digest != plan.digest:
            raise PlanFileError(lambda texts: texts.changed(plan.path), is_changed=True)
    aside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        aside.write_text(plan.text, encoding="utf-8", newline="")
        if place.is_file():
            shutil.copymode(place, aside)
        aside.replace(place)
    except OSError as error:
        aside.unlink(missing_ok=True)
        reason = str(error.strerror)
        raise PlanFileError(lambda texts: texts.not_writable(plan.path, reason)) from error
    return place


def mistakes(folder: Path, path: str, text: str) -> list[PlanProblem]:
    """Return what is wrong with the text of a plan, in the order of the places. Raises PlanFileError."""
    from loadrig.plan.load import read as read_plan

    try:
        read_plan(text, str(place_below(folder, path)))
    except PlanError as error:
        return sorted(map(_problem, error.problems), key=lambda problem: (problem.line, problem.column))
    return []


def _problem(problem: Problem) -> PlanProblem:
    where = problem.where
    return PlanProblem(
        line=where.line if where else 0,
        column=where.column if where else 0,
        length=where.length if where else 0,
        what=problem.what,
        why=problem.why,
        mend=problem.mend,
        code=problem.code,
    )


def place_below(folder: Path, path: str) -> Path:
    """Return the place of a plan below a folder. Raises PlanFileError."""
    place = folder / path
    if "\0" in path or not place.resolve().is_relative_to(folder.resolve()):
        raise PlanFileError(lambda texts: texts.not_below(repr(path), str(folder)))
    if place.suffix not in ENDINGS or place.name.startswith("."):
        raise PlanFileError(lambda texts: texts.no_plan_name(repr(path)))
    if not place.parent.is_dir():
        raise PlanFileError(lambda texts: texts.no_folder(str(place.parent)))
    return place


def _plans(folder: Path) -> Iterator[str]:
    looked = 0
    for root, folders, files in os.walk(folder):
        depth = len(Path(root).relative_to(folder).parts)
        if is_run(Path(root)):  # its plan is that of the run, and is run again by its folder
            folders.clear()
            continue
        folders[:] = sorted(
            name for name in folders if depth < DEEPEST and name[0] != "." and name not in UNSEARCHED
        )
        for name in sorted(files):
            looked += 1
            if looked > MOST_FILES:
                return
            if name.endswith(ENDINGS) and name[0] != "." and _is_plan(Path(root) / name):
                yield str((Path(root) / name).relative_to(folder))


def _is_plan(path: Path) -> bool:
    try:
        return _BEGINS.search(user_files.read_bytes(path, MOST_BYTES)) is not None
    except OSError:
        return False


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
