"""Checks of steps that are made, or made again, as answers say."""

from collections.abc import Sequence

from loadrig.base import members
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_passages import PlanCheckPassagesErrors
from loadrig.plan.draft import Draft
from loadrig.plan.node import Path as NodePath
from loadrig.plan.passages import Passage, Repeat, When, passages
from loadrig.plan.requests import Scenario

ERRORS = texts_of(PlanCheckPassagesErrors)

_KEYS = {When: "when", Repeat: "repeat"}


def check_passages(draft: Draft) -> None:
    """Check what the conditions of steps name, and that they leave a user something to do."""
    work = draft.workload
    if work is None:
        return
    for key in _KEYS.values():
        if draft.node("workload", "login", key) is not None:
            _note(draft, ERRORS.of_login(key), ("workload", "login", key))
    steps = [step for scenario in work.scenarios for step in scenario.steps]
    paths = [path for path, _ in draft.requests() if path[1] != "login"]
    if len(paths) != len(steps):
        return  # one of them could not be read, which is said already
    requests = [*steps, *([work.login.request] if work.login else [])]
    variables = sorted({name for request in requests for name in request.extract})
    first = 0
    for scenario in work.scenarios:
        _check(draft, scenario, paths[first : first + len(scenario.steps)], variables)
        first += len(scenario.steps)


def _check(draft: Draft, scenario: Scenario, paths: Sequence[NodePath], variables: Sequence[str]) -> None:
    decided = list(passages(scenario.steps))
    for place, passage in enumerate(decided):
        wording = _unknown(passage, scenario, variables) or _torn(passage, scenario, decided[:place])
        if wording is not None:
            _note(draft, wording, (*paths[passage.first], _KEYS[type(passage.rule)]))
            return
    left_out = [passage for passage in decided if passage.may_be_left_out]
    are_sure = (
        not any(passage.first <= step <= passage.last for passage in left_out)
        for step in range(len(scenario.steps))
    )
    if left_out and not any(are_sure):
        passage = left_out[0]
        _note(draft, ERRORS.nothing_sure, (*paths[passage.first], _KEYS[type(passage.rule)]))


def _unknown(passage: Passage, scenario: Scenario, variables: Sequence[str]) -> ErrorWords | None:
    """Return which step or variable is not there, if any."""
    rule = passage.rule
    if passage.last < 0:
        behind = [step.name for step in scenario.steps[passage.first :]]
        name = rule.through or ""
        return ERRORS.no_such_step(name, ", ".join(behind), members.nearest(name, behind))
    conditions = rule.holds if isinstance(rule, When) else rule.going or rule.until
    compared = [part.variable for condition in conditions for part in condition.comparisons]
    for variable in compared:
        if variable is not None and variable not in variables:
            close = members.nearest(variable, [*variables])
            return ERRORS.no_such_variable(variable, ", ".join(variables), close)
    return None


def _torn(passage: Passage, scenario: Scenario, before: Sequence[Passage]) -> ErrorWords | None:
    """Return whether it parts what is sent at once, or is in another passage by half."""
    for step in (passage.first, passage.last + 1):
        if step < len(scenario.steps) and scenario.steps[step].beside:
            return ERRORS.parts_beside(scenario.steps[step].name)
    for other in before:
        if other.first < passage.first <= other.last < passage.last:
            return ERRORS.by_half(scenario.steps[other.first].name, scenario.steps[other.last].name)
    return None


def _note(draft: Draft, wording: ErrorWords, path: NodePath) -> None:
    draft.note(Problem.of(wording, code="plan.passage", where=draft.place(*path)))
