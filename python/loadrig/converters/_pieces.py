"""Texts of a test in pieces: fixed ones, and holes that a plan fills for each request."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from loadrig.plan.holes import literal


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a text that is filled for each request. name: of the plan's hole."""

    name: str


Piece = str | Hole


def template_of(pieces: Sequence[Piece], encode: Callable[[str], str] = lambda text: text) -> str:
    """Return pieces as a template of a plan. encode: what is done to the fixed ones."""
    return "".join(
        literal(encode(piece)) if isinstance(piece, str) else f"{{{piece.name}}}" for piece in pieces
    )


def hole_name(text: str) -> str:
    """Return a name that a hole can have, made of any."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", text, flags=re.ASCII).strip("-")
    return name if re.match(r"[A-Za-z_]", name) else f"v_{name}"


def free_name(stem: str, names_in_use: Iterable[str]) -> str:
    """Return a name, with a number after it where it is taken."""
    names = {name.partition(".")[0] for name in names_in_use}
    name, number = stem, 2
    while name in names:
        name, number = f"{stem}{number}", number + 1
    return name
