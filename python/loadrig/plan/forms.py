"""Keys that go together: a class's FORMS (see base.shape) compared with what was written."""

from typing import Any

from loadrig.base.errors import Problem, Span
from loadrig.base.shape import Forms
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_reader import PlanFormsErrors
from loadrig.language.labels import joined
from loadrig.plan.kinds import all_of, either
from loadrig.plan.node import Entries, Node, Scalar

ERRORS = texts_of(PlanFormsErrors)


def forms_of(cls: type[Any]) -> Forms:
    """Return the groups of a class; empty for most classes."""
    forms: Forms = getattr(cls, "FORMS", {})
    return forms


def form_problem(
    cls: type[Any], node: Entries, name: str, where: Span, meant: frozenset[str] = frozenset()
) -> Problem | None:
    """Return what is wrong with the keys of a mapping as a group, if anything.

    meant: keys that were mistyped; they count as written, for the typing is a problem of its own.
    """
    for group, forms in forms_of(cls).items():
        keys = [key for form in forms for key in form]
        keys_with_values = (entry.key for entry in node.entries.values() if not _is_nothing(entry.node))
        written = [key for key in (*keys_with_values, *meant) if key in keys]
        if tuple(sorted(written)) in [tuple(sorted(form)) for form in forms]:
            continue
        begun = [form for form in forms if written and set(written) <= set(form)]
        if begun:
            return _begun(begun[0], written, node, name, where)
        if not written:
            return _none(_noun(group), forms, name, where)
        if not meant:
            return _several(_noun(group), forms, written, node, name)
    return None


def _is_nothing(node: Node) -> bool:
    """Return whether a key has no value, which counts as no key."""
    return isinstance(node, Scalar) and node.value is None


def _noun(group: str) -> str:
    """Return what a group is called in a sentence."""
    return ERRORS.groups.get(group, group)


def _none(group: str, forms: tuple[tuple[str, ...], ...], name: str, where: Span) -> Problem:
    return Problem.of(ERRORS.missing_group(name, group, _either(forms)), code="plan.one-of", where=where)


def _several(
    group: str, forms: tuple[tuple[str, ...], ...], written: list[str], node: Entries, name: str
) -> Problem:
    last = node.entries[written[-1]]
    first = node.entries[written[0]]
    first_line = str(first.span.line) if first.span.line != last.span.line else ""
    wording = ERRORS.group_twice(name, group, joined(written), first.key, first_line, _either(forms))
    return Problem.of(wording, code="plan.one-of", where=last.span)


def _begun(form: tuple[str, ...], written: list[str], node: Entries, name: str, where: Span) -> Problem:
    missing = [key for key in form if key not in written]
    last = node.entries.get(written[-1])
    addition = joined(f"{key}: …" for key in missing)
    wording = ERRORS.incomplete_form(name, joined(missing), all_of(form), addition)
    return Problem.of(wording, code="plan.incomplete", where=last.span if last else where)


def _either(forms: tuple[tuple[str, ...], ...]) -> str:
    return either(
        [
            ERRORS.key_with_others(form[0], ", ".join(form[1:])) if len(form) > 1 else form[0]
            for form in forms
            if form
        ]
    )
