"""The labs that come with loadrig, and where a lab lies that another file names."""

from pathlib import Path

from loadrig.base.errors import Problem, Span
from loadrig.base.members import nearest
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsBundledErrors

ERRORS = texts_of(LabsBundledErrors)

HERE = Path(__file__).parent


def names() -> tuple[str, ...]:
    """Return the names of the labs that come with loadrig, sorted."""
    return tuple(sorted(path.parent.name for path in HERE.glob("[!_]*/lab.yaml")))


def folder_of(name: str, base: Path) -> Path | None:
    """Return the folder of a lab by its name, or by its path (with a / in it) from `base`; else None."""
    if "/" in name:
        folder = base / name
        return folder if (folder / "lab.yaml").is_file() else None
    return HERE / name if name in names() else None


def unknown(name: str, where: Span) -> Problem:
    """Return the problem that no lab is called so, with the nearest name. where: the place of the name."""
    wording = ERRORS.unknown_lab(repr(name), nearest(name, names()) or "", is_path="/" in name)
    return Problem.of(wording, code="lab.unknown", where=where)
