"""Requests of a k6 script that are made only as answers say, as steps of a plan with `when`."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from loadrig.converters._account import LineAccount
from loadrig.converters._clauses import Clauses, as_conditions
from loadrig.converters._draft import StepDraft
from loadrig.converters._k6_requests import StepRounds
from loadrig.converters._k6_rounds import ROUNDS
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.holes import holes_in
from loadrig.plan.passages import When
from loadrig.plan.written import METHODS

TEXTS = texts_of(ConvertersK6Texts)


class GuardedStep(NamedTuple):
    """Step of a plan, what must hold before it is made, and the rounds that it is in."""

    draft: StepDraft
    guard: Clauses
    rounds: tuple[StepRounds, ...] = ()


def _without_unused(steps: Sequence[GuardedStep]) -> list[GuardedStep]:
    """Return the steps without variables that may be missing and that nothing asks about."""
    used: set[str | None] = {part.variable for step in steps for clause in step.guard for part in clause}
    used |= {name for step in steps for rounds in step.rounds for name in rounds.variables}
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


def _with_rounds(
    steps: Sequence[GuardedStep], extracted: Set[str], account: LineAccount
) -> list[GuardedStep]:
    """Return the steps with their rounds, each said by the first of its steps."""
    repeated = list(steps)
    for rounds in dict.fromkeys(rounds for step in steps for rounds in step.rounds):
        places = [place for place, step in enumerate(steps) if rounds in step.rounds]
        first, last = repeated[places[0]], repeated[places[-1]].draft.request.name
        if not rounds.variables <= extracted or first.draft.request.repeat is not None:
            account.alter(rounds.line, rounds.what, TEXTS.made_once)
            continue
        rule = replace(rounds.rule, through=last if len(places) > 1 else None)
        request = replace(first.draft.request, repeat=rule)
        repeated[places[0]] = first._replace(draft=replace(first.draft, request=request))
        if rule.at_most == ROUNDS:
            account.alter(rounds.line, rounds.what, TEXTS.ends_after(ROUNDS))
    return repeated


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
    repeated = _with_rounds(askable, extracted, account)
    for (guard, _), run in groupby(repeated, key=lambda step: (step.guard, step.rounds)):
        first, *others = [step.draft for step in run]
        if guard:
            through = others[-1].request.name if others else None
            when = When(holds=as_conditions(guard), through=through)
            first = replace(first, request=replace(first.request, when=when))
        yield from (first, *others)
