"""Requests of a k6 script that are made only as answers say, as steps of a plan with `when`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from loadrig.converters._account import LineAccount
from loadrig.converters._clauses import Clauses, as_conditions
from loadrig.converters._draft import StepDraft
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.holes import holes_in
from loadrig.plan.passages import When
from loadrig.plan.written import METHODS

TEXTS = texts_of(ConvertersK6Texts)


class GuardedStep(NamedTuple):
    """Step of a plan, and what must hold before it is made."""

    draft: StepDraft
    guard: Clauses


def _without_unused(steps: Sequence[GuardedStep]) -> list[GuardedStep]:
    """Return the steps without variables that may be missing and that nothing asks about."""
    used = {part.variable for step in steps for clause in step.guard for part in clause}
    for request in (step.draft.request for step in steps):
        texts = (
            *(getattr(request, key) or "" for key in METHODS),
            *request.headers.values(),
            request.body or "",
        )
        used |= {hole for text in texts for hole in holes_in(text)}
    return [
        step._replace(draft=replace(step.draft, request=replace(step.draft.request, extract={
            name: place
            for name, place in step.draft.request.extract.items()
            if name in used or (place.default is None and not place.optional)
        })))
        for step in steps
    ]  # fmt: skip


def with_conditions(steps: Sequence[GuardedStep], account: LineAccount) -> Iterator[StepDraft]:
    """Yield the steps with what decides about them. A step that asks about a missing request is listed."""
    steps = _without_unused(steps)
    extracted = {name for step in steps for name in step.draft.request.extract}
    askable = []
    for step in steps:
        if {part.variable for clause in step.guard for part in clause} <= extracted:
            askable.append(step)
        else:
            account.drop(step.draft.order, step.draft.request.name or "", TEXTS.computed_flow)
    for guard, run in groupby(askable, key=lambda step: step.guard):
        first, *others = [step.draft for step in run]
        if guard:
            through = others[-1].request.name if others else None
            when = When(holds=as_conditions(guard), through=through)
            first = replace(first, request=replace(first.request, when=when))
        yield from (first, *others)
