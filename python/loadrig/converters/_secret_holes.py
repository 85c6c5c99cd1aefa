"""Holes for the secrets that a foreign test leaves open: variables of the environment that a person sets."""

import re

PREFIX = "SECRET_"
"""Begin of such a variable's name. A foreign file may call its secret anything, `PATH` and the names of this
machine's own secrets among it: none of those may be sent to the server that the file names."""

_MOST_LETTERS = 60


class HoleText(str):
    """A text that is a template already; every other text of a document is sent as it stands."""

    __slots__ = ()


def secret_hole(name: str) -> HoleText:
    """Return the hole for a secret of a foreign file, by the name that the file has for it."""
    return HoleText(f"{{env:{secret_variable(name)}}}")


def secret_variable(name: str) -> str:
    """Return the variable that a person puts a secret into."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:_MOST_LETTERS])
    word = re.sub(r"[^A-Za-z0-9]+", "_", apart, flags=re.ASCII).strip("_").upper()
    return PREFIX + (word.removeprefix(PREFIX) or "VALUE")
