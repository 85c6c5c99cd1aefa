"""Placeholders: what a lab's texts cannot know before they run, `${port:redis}` and the like.

${python}           the interpreter that has the lab's modules
${work}             the lab's work copy
${core:1}           the second core that this process may use; 0 is the generator's by convention
${port:redis}       the port of a service, ${socket:mariadb} the path of its Unix socket
${hold:0.25}        before a command: held in a control group with a quarter of a core
${rate:0.6}         six tenths of the capacity, in requests a second
"""

import re
from collections.abc import Callable, Mapping

from loadrig.base.errors import PlanError, Problem, Span
from loadrig.base.members import nearest
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.labs import LabsFillErrors

ERRORS = texts_of(LabsFillErrors)

_PLACE = re.compile(r"\$\{([a-z]+)(?::([^{}]*))?\}")

Meaning = Callable[[str], str]
"""Function that turns what follows a placeholder's colon into its text. It raises KeyError or ValueError."""


def fill(text: str, meanings: Mapping[str, Meaning], file: str) -> str:
    """Return the text with every placeholder replaced. Raise PlanError lab.placeholder for unknown ones."""
    problems: list[Problem] = []

    def replacement(match: "re.Match[str]") -> str:
        name, value = match[1], match[2] or ""
        try:
            return meanings[name](value)
        except (KeyError, ValueError) as error:
            problems.append(_unknown(match, meanings, error, text, file))
            return match[0]

    filled = _PLACE.sub(replacement, text)
    if problems:
        raise PlanError(problems)
    return filled


def uses(text: str, name: str) -> bool:
    """Return whether a placeholder of this name is in the text."""
    return any(match[1] == name for match in _PLACE.finditer(text))


def _unknown(
    match: "re.Match[str]", meanings: Mapping[str, Meaning], error: Exception, text: str, file: str
) -> Problem:
    line = text.count("\n", 0, match.start())
    begin = text.rfind("\n", 0, match.start()) + 1
    where = Span(
        file, line + 1, match.start() - begin + 1, len(match[0]), text.splitlines()[line] if text else ""
    )
    if match[1] in meanings:
        wording = ERRORS.meaningless_place(match[0], str(error.args[0]) if error.args else "")
        return Problem.of(wording, code="lab.placeholder", where=where)
    close = nearest(match[1], list(meanings))
    placeholders = ", ".join(f"${{{name}}}" for name in meanings)
    wording = ERRORS.unknown_placeholder(match[0], f"${{{close}}}" if close else "", placeholders)
    return Problem.of(wording, code="lab.placeholder", where=where)
