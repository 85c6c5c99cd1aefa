"""Holes in templates: {name} is filled for each request, {{ and }} are braces.

Three holes are filled with a secret, once a run: {env:NAME} from a variable of the environment, {file:PATH}
from a file, and {masked:NAME} with what a person wrote at that place of a plan (see plan.literals).
"""

import re
from collections.abc import Callable, Iterator

HOLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
SECRET_KINDS = ("env", "file", "masked")
"""Words by which a hole says where its secret is found."""

SECRET = re.compile(rf"({'|'.join(SECRET_KINDS)}):([^{{}}\s][^{{}}]*)")
"""Pattern of the text in a hole that a secret fills: its kind, and the name or the path."""

_SECRET_HOLE = re.compile(r"\{(?:env|file):[^{}\s][^{}]*\}")
_TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class BadTemplate(ValueError):
    """A brace that is neither a hole nor doubled. fragment: what is wrong, as written."""

    def __init__(self, fragment: str) -> None:
        self.fragment = fragment
        super().__init__(fragment)


def holes_in(template: str) -> Iterator[str]:
    """Return the names of the holes that feeds and answers fill, in order.

    Raises BadTemplate at the first brace that makes no sense.
    """
    for match in _TOKEN.finditer(template):
        token, name = match[0], match[1]
        if token in ("{{", "}}") or (name is not None and SECRET.fullmatch(name)):
            continue
        if name is None or not HOLE_NAME.fullmatch(name):
            raise BadTemplate(token)
        yield name


def pieces(template: str) -> Iterator[tuple[str, bool]]:
    """Yield the texts and the holes of a template, in order, as written, each with whether it is a hole."""
    text, place = "", 0
    for match in _TOKEN.finditer(template):
        text += template[place : match.start()]
        place = match.end()
        if match[1] is None:
            text += match[0]
            continue
        if text:
            yield text, False
        yield match[0], True
        text = ""
    if text := text + template[place:]:
        yield text, False


def secrets_in(text: str) -> Iterator[str]:
    """Return the texts in the holes that secrets fill, in order: "env:TOKEN", "file:key.txt"."""
    for match in _TOKEN.finditer(text):
        if match[1] is not None and SECRET.fullmatch(match[1]):
            yield match[1]


def with_secrets(text: str, fill: Callable[[str], str]) -> str:
    """Return a text with its holes for secrets filled; all else stays, doubled braces too.

    fill: returns the text that replaces a hole, given the text in the hole.
    """

    def filled(match: re.Match[str]) -> str:
        return fill(match[1]) if match[1] is not None and SECRET.fullmatch(match[1]) else match[0]

    return _TOKEN.sub(filled, text)


def literal(text: str) -> str:
    """Return a text as a template that has no holes: its braces doubled."""
    return text.replace("{", "{{").replace("}", "}}")


def typed_literal(text: str) -> str:
    """Return a text of the command line as a template.

    Its braces are doubled, but for {env:NAME} and {file:PATH}.
    """
    done, place = "", 0
    for match in _SECRET_HOLE.finditer(text):
        done += literal(text[place : match.start()]) + match[0]
        place = match.end()
    return done + literal(text[place:])
