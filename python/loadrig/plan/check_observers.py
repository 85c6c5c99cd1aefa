"""Checks of a plan's observers on other hosts: contradictions, and commands that cannot work."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_observers import PlanCheckObserversErrors
from loadrig.plan.build import check_unwatched
from loadrig.plan.draft import Draft
from loadrig.plan.node import Node, Scalar, at, listed

ERRORS = texts_of(PlanCheckObserversErrors)

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]*", re.ASCII)

_WITH_TERMINALS = frozenset({"ssh", "kubectl", "oc", "docker", "podman"})
_TERMINAL = re.compile(r"-[it]*t[it]*|--tty(=true)?")
"""Options by which these programs ask for a terminal: it mixes messages with an echo of what was sent."""

_CLOSED = frozenset({"kubectl", "oc", "docker", "podman"})
_OPEN = re.compile(r"-[it]*i[it]*|--interactive(=true)?|--stdin(=true)?")
"""Options by which these programs hand on their standard input; ssh does it by itself."""


def check_observers(draft: Draft) -> None:
    """Check the observers for all that can be seen without starting anything."""
    names: dict[str, Scalar] = {}
    for node in listed(draft.node("observers")):
        check_unwatched(draft.reader, node)
        name = at(node, "name")
        if isinstance(name, Scalar) and name.value is not None:
            _check_name(draft, name, names)
        for key in ("via", "python"):
            command = at(node, key)
            if isinstance(command, Scalar) and command.value is not None:
                for problem in _wrong_command(key, command):
                    draft.reader.note(problem, command)


def _check_name(draft: Draft, name: Scalar, names: dict[str, Scalar]) -> None:
    before = names.setdefault(name.text, name)
    if not _NAME.fullmatch(name.text):
        draft.reader.note(_problem(ERRORS.wrong_name(repr(name.text)), name), name)
    elif before is not name:
        draft.reader.reject(
            ERRORS.two_observers_same_name(name.text, before.span.line),
            code="plan.same-name",
            where=name.span,
            node=name,
        )


def _wrong_command(key: str, command: Scalar) -> Iterator[Problem]:
    try:
        words = shlex.split(command.text)
    except ValueError as error:
        yield _problem(ERRORS.unsplittable_command(key, "quotation" in str(error)), command)
        return
    if not words:
        example = "ssh web1" if key == "via" else "python3"
        yield _problem(ERRORS.empty_command(key, example), command)
    elif key == "via":
        yield from _wrong_ends(words, command)


def _wrong_ends(words: Sequence[str], command: Scalar) -> Iterator[Problem]:
    """Yield problems of a program that changes the standard input or output of the command there."""
    program = os.path.basename(words[0])
    asked = [word for word in words[1:] if _TERMINAL.fullmatch(word)]
    if program in _WITH_TERMINALS and asked:
        meant = shlex.join(_without_terminal(words))
        yield _problem(ERRORS.asks_for_terminal(program, asked[0], meant), command)
    elif program in _CLOSED and "exec" in words and not any(_OPEN.fullmatch(word) for word in words):
        opened = [argument for word in words for argument in ((word, "-i") if word == "exec" else (word,))]
        yield _problem(ERRORS.closed_input(program, shlex.join(opened)), command)


def _without_terminal(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if not _TERMINAL.fullmatch(word):
            yield word
        elif "i" in word and not word.startswith("--"):
            yield "-i"


def _problem(wording: ErrorWords, node: Node) -> Problem:
    return Problem.of(wording, code="plan.observer", where=node.span)
