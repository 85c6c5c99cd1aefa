"""True values of a plan's secrets, for a caller that sends or starts something; for nobody else.

A plan holds a hole in the place of each secret (see plan.holes). Values filled in here are given to a process
and never written: a caller hands the result on and keeps the plan.
"""

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

from loadrig.base import known_secrets, secret_sources
from loadrig.base.errors import PlanError, Problem, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_checks import PlanSecretsErrors
from loadrig.plan.holes import SECRET, with_secrets
from loadrig.plan.literals import Literals
from loadrig.plan.model import Plan

T = TypeVar("T")

ERRORS = texts_of(PlanSecretsErrors)

_WHOLE = re.compile(r"\{(masked:[^{}\s][^{}]*)\}")
_DOUBLED = re.compile(r"\{(\{(?:env|file):[^{}\s][^{}]*\})\}")


def value_of(hole: str, literals: Literals, folder: Path) -> Any:
    """Return the value of a hole.

    hole: "env:NAME", "file:PATH" or "masked:NAME"; folder: the plan's. Raises NoSecret where there is no
    value.
    """
    match = SECRET.fullmatch(hole)
    assert match is not None, hole
    kind, name = match[1], match[2]
    if kind == "env":
        return secret_sources.of_variable(name, f"{{{hole}}}")
    if kind == "file":
        return secret_sources.of_file(folder / name, f"{{{hole}}}")
    if hole not in literals:
        raise secret_sources.NoSecret(ERRORS.masked_value(name))
    return literals[hole]


def no_value(hole: str, why: secret_sources.NoSecret, folder: Path, where: Span | None) -> Problem:
    """Return the problem of a hole for which there is no value. folder: the plan's."""
    kind, _, name = hole.partition(":")
    if kind == "masked":
        variable = re.sub(r"\W+", "_", name).upper()
        return Problem.of(ERRORS.no_masked_value(name, variable), code="plan.masked", where=where)
    if kind == "env":
        return Problem.of(ERRORS.no_variable(name), code="plan.secret", where=where)
    reason = ERRORS.reasons.get(why.reason, why.reason)
    return Problem.of(ERRORS.unreadable_file(str(folder / name), reason), code="plan.secret", where=where)


def filler(plan: Plan) -> Callable[[str], Any]:
    """Return a function that gives the value of a hole of this plan.

    It raises PlanError where there is none.
    """
    folder = Path(plan.path).parent if plan.path else Path()

    def fill(hole: str) -> Any:
        try:
            return value_of(hole, plan.literals, folder)
        except secret_sources.NoSecret as why:
            raise PlanError(no_value(hole, why, folder, Span(plan.path) if plan.path else None)) from None

    return fill


def with_literals(part: T, literals: Literals) -> T:
    """Return a part of a plan as a person wrote it, with its written secrets; other holes are left."""

    def fill(hole: str) -> str:
        return str(literals[hole]) if hole in literals else f"{{{hole}}}"

    def filled(text: str) -> Any:
        whole = _WHOLE.fullmatch(text)
        if whole and whole[1] in literals:
            return literals[whole[1]]
        return with_secrets(text, fill)

    put_back: T = _mapped(part, filled)
    return put_back


def revealed(part: T, plan: Plan, apart: Collection[str] = ()) -> T:
    """Return a part of a plan with all its secrets in place: options of a target or a probe.

    {{env:NAME}} is a text as it stands. apart: names of files that {file:NAME} means otherwise.
    Raises PlanError.
    """
    fill = filler(plan)

    def filled(text: str) -> str:
        def filled_hole(hole: str) -> str:
            kind, _, name = hole.partition(":")
            return f"{{{hole}}}" if kind == "file" and name in apart else str(fill(hole))

        return _DOUBLED.sub(r"\1", with_secrets(text, filled_hole))

    revealed_part: T = _mapped(part, filled)
    return revealed_part


def withheld() -> list[str]:
    """Return the values that no process of ours may quote, in all their forms."""
    return list(known_secrets.hidden_forms())


def _mapped(part: Any, change: Callable[[str], Any]) -> Any:
    """Return the same data with every text changed; parts without a changed text stay the same object."""
    if isinstance(part, str):
        return change(part) if "{" in part else part
    if isinstance(part, Mapping):
        mapping: Any = {key: _mapped(value, change) for key, value in part.items()}
        return mapping if any(mapping[key] is not part[key] for key in part) else part
    if isinstance(part, list | tuple):
        items = [_mapped(item, change) for item in part]
        if all(after is before for after, before in zip(items, part, strict=True)):
            return part
        return items if isinstance(part, list) else tuple(items)
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        fields = [field for field in dataclasses.fields(part) if field.init]
        values = {field.name: _mapped(getattr(part, field.name), change) for field in fields}
        changed = {name: value for name, value in values.items() if value is not getattr(part, name)}
        return dataclasses.replace(part, **changed) if changed else part
    return part
