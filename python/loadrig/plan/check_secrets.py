"""Checks of the holes that secrets fill: whether their values are there, and nobody else could read them."""

from collections.abc import Iterator
from pathlib import Path

from loadrig.base.secret_sources import NoSecret
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_checks import PlanCheckSecretsErrors
from loadrig.plan.draft import Draft
from loadrig.plan.holes import secrets_in
from loadrig.plan.literals import Literals
from loadrig.plan.node import Entries, Node, Scalar, at, part, scalars
from loadrig.plan.secrets import no_value, value_of
from loadrig.plan.written import WITH_A_PATH

ERRORS = texts_of(PlanCheckSecretsErrors)

_OF_REQUESTS = (*WITH_A_PATH, "headers", "body", "json", "form")


def check_secrets(draft: Draft, literals: Literals, *, must_be_there: bool) -> None:
    """Note each hole without a value, and each hole that stands where others could read its secret.

    must_be_there: whether the values are needed now; else only the places are looked at.
    """
    folder = Path(draft.folder)
    for node in _places(draft) if must_be_there else ():
        for hole in dict.fromkeys(secrets_in(node.text)):
            try:
                value_of(hole, literals, folder)
            except NoSecret as why:
                draft.note(no_value(hole, why, folder, part(node, f"{{{hole}}}")))
    for node in _open_places(draft):
        for hole in dict.fromkeys(secrets_in(node.text)):
            if hole.startswith("env:"):
                shown = f"{{{hole}}}"
                draft.reader.reject(
                    ERRORS.secret_in_the_open(shown), code="plan.secret-place", where=part(node, shown)
                )


def _places(draft: Draft) -> Iterator[Scalar]:
    """Return the values in which holes for secrets are filled."""
    nodes: list[Node | None] = [draft.node("workload", "headers"), draft.node("probes")]
    for _, request in draft.requests():
        nodes += [at(request, key) for key in _OF_REQUESTS]
    feeds = draft.node("workload", "feeds")
    if isinstance(feeds, Entries):
        nodes += [at(entry.node, "values") for entry in feeds.entries.values()]
    yield from _texts(nodes)
    for options in _of_target(draft):
        declared = at(options, "files")
        names = declared.entries if isinstance(declared, Entries) else {}
        for node in _texts([at(options, "env")]):
            if all(hole.removeprefix("file:") not in names for hole in secrets_in(node.text)):
                yield node


def _open_places(draft: Draft) -> Iterator[Scalar]:
    """Return the values in which a secret would be seen: the command line of the server, and knobs."""
    yield from _texts([draft.node("knobs")])
    for options in _of_target(draft):
        if isinstance(options, Entries):
            yield from _texts([entry.node for key, entry in options.entries.items() if key != "env"])
        else:
            yield from _texts([options])


def _of_target(draft: Draft) -> Iterator[Node]:
    target = draft.node("target")
    if isinstance(target, Entries):
        yield from (entry.node for entry in target.entries.values())


def _texts(nodes: list[Node | None]) -> Iterator[Scalar]:
    for node in nodes:
        if node is not None:
            yield from (scalar for scalar in scalars(node) if isinstance(scalar.value, str))
