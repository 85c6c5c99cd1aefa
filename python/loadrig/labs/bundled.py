"""The labs that come with loadrig, and where a lab lies that another file names."""

from pathlib import Path

from loadrig.base.errors import Problem, Span
from loadrig.base.members import nearest

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
    close = nearest(name, names())
    mend = f"did you mean {close}?" if close else "see loadrig lab list"
    if "/" in name:
        mend = "write the path of a folder that has a lab.yaml; it counts from the folder of this file"
    return Problem(what=f"there is no lab {name!r}", where=where, mend=mend, code="lab.unknown")
