"""If and While Controllers of JMeter that answers decide, as `when` and `repeat` of a plan.

Source: `IfController`, `WhileController` of apache/jmeter: an If Controller takes the text "true" for true,
a While Controller any text but "false", which it looks at before each round. The text LAST means the latest
request there, and none means it behind each round.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from loadrig.base.units import Count
from loadrig.converters._clauses import opposite
from loadrig.converters._draft import StepDraft
from loadrig.converters._jmx_checks import names_of
from loadrig.converters._jmx_comparisons import (
    LATEST_CODE,
    MOST_CONDITION_LETTERS,
    conditions_of,
    expression_of,
)
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_timers import TimerPause
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.passages import Condition, Conditions, Repeat, When
from loadrig.plan.requests import Extract

TEXTS = texts_of(ConvertersJmeterTexts)

ROUNDS = 1000
"""Rounds of a While Controller at most: JMeter makes any number, and a plan ends."""

_WELL, _FAILED = Condition(latest="ok"), Condition(latest="failed")
"""Ends of the latest request, which a While Controller without a condition of its own asks."""

Drafts = Sequence[StepDraft | None]
"""Steps of a sequence; None for one that is left out."""


@dataclass(frozen=True, slots=True)
class ControllerDecision:
    """Controller whose condition a plan can say. otherwise: what is noted where it cannot after all."""

    element: TreeElement
    rule: When | Repeat
    otherwise: str

    @property
    def conditions(self) -> Conditions:
        """Conditions that must all hold before its requests are made."""
        return self.rule.holds if isinstance(self.rule, When) else self.rule.going

    @property
    def asked(self) -> Set[str]:
        """Variables of which it asks whether they have a value."""
        parts = (part for condition in self.conditions for part in condition.comparisons)
        return {part.variable for part in parts if part.having is not None and part.variable is not None}

    @property
    def variables(self) -> Set[str]:
        """Variables that it compares."""
        parts = [part for condition in self.conditions for part in condition.comparisons]
        return {part.variable for part in parts if part.variable is not None}


@dataclass(frozen=True, slots=True)
class DecisionMark:
    """Beginning of the requests that a controller decides about; None is the end of the latest one's."""

    decision: ControllerDecision | None = None


@dataclass(frozen=True, slots=True)
class DecidedSteps:
    """Requests of a sequence by their places. waiting: pause that stands behind the last of them."""

    first: int
    last: int
    decision: ControllerDecision
    waiting: TimerPause


def decision_of(
    element: TreeElement, condition: str, variables: Variables, top: TreeElement, otherwise: str
) -> ControllerDecision | None:
    """Return what a controller decides by answers; None where a plan cannot say its condition."""
    if len(condition) > MOST_CONDITION_LETTERS:
        return None
    is_loop = element.kind == "WhileController"
    if is_loop and not condition.strip():
        # It looks at the latest request alone, and that behind a round.
        return ControllerDecision(element, _rounds(until=(_FAILED,)), otherwise)
    if is_loop and condition.strip().lower() == "last":
        return ControllerDecision(element, _rounds(going=(_WELL,)), otherwise)
    extracted = {
        name for below in top.all_below() if below.is_enabled for name in names_of(below)
    } & variables.holes.keys()
    conditions = _of_text(condition, variables, extracted, is_loop=is_loop) or conditions_of(
        condition, element, variables, extracted
    )
    if not conditions:
        return None
    rule = _rounds(going=conditions) if is_loop else When(holds=conditions)
    return ControllerDecision(element, rule, otherwise)


def _of_text(condition: str, variables: Variables, extracted: Set[str], *, is_loop: bool) -> Conditions:
    """Return what a variable by itself says: its text is what a controller looks at. None of all else."""
    text = expression_of(condition).strip()
    name = text[2:-1].strip() if text.startswith("${") and text.endswith("}") else ""
    if name not in extracted:
        return ()
    hole = variables.holes[name]
    return (Condition(hole, other="false") if is_loop else Condition(hole, equal="true"),)


def _rounds(going: Conditions = (), until: Conditions = ()) -> Repeat:
    return Repeat(going=going, until=until, at_most=Count(ROUNDS))


def with_decisions(
    drafts: Drafts,
    decided: Sequence[DecidedSteps],
    extracted: Set[str],
    report: JmxReport,
) -> tuple[StepDraft, ...]:
    """Return the steps of a sequence with what decides about them.

    extracted: variables that requests of the plan extract.
    """
    if any(LATEST_CODE in part.decision.variables for part in decided):
        drafts = [step and _with_code(step) for step in drafts]
        extracted = {*extracted, LATEST_CODE}
    asked = {name for steps_of in decided for name in steps_of.decision.asked}
    drafts = [step and _with_optional(step, asked) for step in drafts]
    optional = {
        name for step in drafts if step for name, place in step.request.extract.items() if place.optional
    }
    steps = list(drafts)
    for first, last, decision in _sure(_placed(drafts, decided, extracted, report), drafts, report):
        key = "when" if isinstance(decision.rule, When) else "repeat"
        begin, end = steps[first], steps[last]
        if begin is None or end is None:
            continue
        # Where both stand in one step, a plan looks at `when` first.
        if getattr(begin.request, key) is not None or (key == "when" and begin.request.repeat is not None):
            report.alter(decision.element, decision.otherwise)
            continue
        rule = replace(decision.rule, through=end.request.name if last > first else None)
        keys: dict[str, Any] = {key: rule}
        steps[first] = replace(begin, request=replace(begin.request, **keys))
        report.carry(decision.element)
        if isinstance(rule, Repeat):
            report.alter(decision.element, TEXTS.ends_after(ROUNDS))
        if decision.asked & optional:
            report.alter(decision.element, TEXTS.unset_anew)
    return tuple(step for step in steps if step is not None)


def _with_optional(step: StepDraft, asked: Set[str]) -> StepDraft:
    """Return a step whose answer may lack what conditions ask for. asked: variables whose values they ask.

    An extractor of JSON gives its default in any case, which is empty where the test names none; after the
    others JMeter has no value then.
    """
    extract = {
        name: replace(place, **({"default": ""} if place.json is not None else {"optional": True}))
        if name in asked and place.default is None
        else place
        for name, place in step.request.extract.items()
    }
    return replace(step, request=replace(step.request, extract=extract))


def _with_code(step: StepDraft) -> StepDraft:
    """Return a step that takes the code of its answer, for conditions on the latest one."""
    extract = {**step.request.extract, LATEST_CODE: Extract(part="status")}
    return replace(step, request=replace(step.request, extract=extract))


_Placed = tuple[int, int, ControllerDecision]


def _placed(
    drafts: Drafts,
    decided: Sequence[DecidedSteps],
    extracted: Set[str],
    report: JmxReport,
) -> list[_Placed]:
    """Return the decisions that a plan can have, each with its first and last step; outer ones first."""
    placed: list[_Placed] = []
    # Inner ones come before outer ones of the same requests, as they end first.
    outer_first = decided[::-1]
    for part in sorted(outer_first, key=lambda part: (part.first, -part.last)):
        places = [place for place in range(part.first, part.last + 1) if drafts[place] is not None]
        if not part.decision.variables <= extracted:
            report.alter(part.decision.element, part.decision.otherwise)
        elif places:
            placed.append((places[0], places[-1], part.decision))
    return placed


def _sure(placed: list[_Placed], drafts: Drafts, report: JmxReport) -> list[_Placed]:
    """Return decisions that leave a step which is always made, as a plan needs it. Outer ones give way."""
    steps = {place for place, step in enumerate(drafts) if step is not None}
    decisions = list(placed)
    for entry in placed:
        if steps - _left_out(decisions):
            break
        first, last, decision = entry
        rule = decision.rule
        if isinstance(rule, Repeat) and rule.going and (until := opposite(rule.going)):
            changed = replace(decision, rule=replace(rule, going=(), until=until))
            decisions[decisions.index(entry)] = (first, last, changed)
            report.alter(decision.element, TEXTS.first_round_made)
        else:
            decisions.remove(entry)
            report.alter(decision.element, decision.otherwise)
    return decisions


def _left_out(decisions: Sequence[_Placed]) -> set[int]:
    """Return the steps that are not made in every loop."""
    return {
        step for first, last, decision in decisions if decision.conditions for step in range(first, last + 1)
    }
