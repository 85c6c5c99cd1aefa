"""Holes in templates: {name} is filled for each request, {{ and }} are braces."""

import re
from collections.abc import Iterator

HOLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class BadTemplate(ValueError):
    """A brace that is neither a hole nor doubled. fragment: what is wrong, as written."""

    def __init__(self, fragment: str) -> None:
        self.fragment = fragment
        super().__init__(fragment)


def holes_in(template: str) -> Iterator[str]:
    """Names of the holes, in order. Raises BadTemplate at the first brace that makes no sense."""
    for match in _TOKEN.finditer(template):
        token, name = match[0], match[1]
        if token in ("{{", "}}"):
            continue
        if name is None or not HOLE_NAME.fullmatch(name):
            raise BadTemplate(token)
        yield name


def literal(text: str) -> str:
    """A text as a template that has no holes: its braces doubled."""
    return text.replace("{", "{{").replace("}", "}}")
