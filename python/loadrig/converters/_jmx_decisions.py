"""If and While Controllers of JMeter that answers decide, as `when` and `repeat` of a plan.

Source: `IfController`, `WhileController` of apache/jmeter: an If Controller takes the text "true" for true,
a While Controller any text but "false", which it looks at before each round.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from loadrig.base.units import Count
from loadrig.converters._draft import StepDraft
from loadrig.converters._jmx_checks import names_of
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import TextCall, Variables, parsed
from loadrig.converters._jmx_timers import TimerPause
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.passages import Condition, Conditions, Repeat, When

TEXTS = texts_of(ConvertersJmeterTexts)

ROUNDS = 1000
"""Rounds of a While Controller at most: JMeter makes any number, and a plan ends."""

EXPRESSIONS = ("__jexl3", "__jexl2", "__jexl", "__groovy", "__javaScript")
"""Functions whose value is that of an expression."""

_OPERAND = r"""(?:"[^"]*"|'[^']*'|vars\.get\((?:"[^"]*"|'[^']*')\)|\$\{[^{}]*\}|-?[\w.]+)"""
_COMPARED = re.compile(rf"(?P<left>{_OPERAND})\s*(?P<sign>==|!=|\beq\b|\bne\b)\s*(?P<right>{_OPERAND})")
_EQUALS = re.compile(rf"(?P<sign>!?)\s*(?P<left>{_OPERAND})\.equals\(\s*(?P<right>{_OPERAND})\s*\)")
_AND = re.compile(r"&&|\band\b")
_VARIABLE = re.compile(r"\$\{(?P<name>[^{}_][^{}]*)\}|vars\.get\(['\"](?P<got>[^'\"]+)['\"]\)")


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


def expression_of(condition: str) -> str:
    """Return the expression that a function of a condition evaluates; the condition where there is none."""
    parts = [part for part in parsed(condition.strip()) if part != ""]
    if len(parts) == 1 and isinstance(parts[0], TextCall) and parts[0].name in EXPRESSIONS:
        inner = parts[0].text[len(parts[0].name) + 3 : -2]
        # A last argument names a variable for the result, and may be empty.
        return re.sub(r",\s*\w*$", "", re.sub(r"\\(?=[,\\])", "", inner).strip())
    return condition


def decision_of(
    element: TreeElement, condition: str, variables: Variables, top: TreeElement, otherwise: str
) -> ControllerDecision | None:
    """Return what a controller decides by answers; None where a plan cannot say its condition."""
    is_loop = element.kind == "WhileController"
    conditions = _ConditionReader(variables, top).conditions(
        expression_of(condition).strip(), is_loop=is_loop
    )
    if not conditions:
        return None
    rule = Repeat(going=conditions, at_most=Count(ROUNDS)) if is_loop else When(holds=conditions)
    return ControllerDecision(element, rule, otherwise)


@dataclass(frozen=True, slots=True)
class _ConditionReader:
    variables: Variables
    top: TreeElement

    def conditions(self, text: str, *, is_loop: bool) -> Conditions:
        """Return the conditions that an expression has; none where a part of it is anything else."""
        if whole := _VARIABLE.fullmatch(text):
            condition = self._condition(_name(whole), "false" if is_loop else "true", equal=not is_loop)
            return () if condition is None else (condition,)
        terms = [self._term(part.strip()) for part in _AND.split(text)]
        conditions = tuple(term for term in terms if term is not None)
        return conditions if len(conditions) == len(terms) else ()

    def _term(self, text: str) -> Condition | None:
        while text.startswith("(") and text.endswith(")"):
            text = text[1:-1].strip()
        match = _COMPARED.fullmatch(text) or _EQUALS.fullmatch(text)
        if match is None:
            return None
        sides = [match["left"].strip("\"'"), match["right"].strip("\"'")]
        named = [_VARIABLE.fullmatch(side) for side in sides]
        # A call ends with a bracket, so its own quotes were not taken off.
        for variable, literal in ((named[0], sides[1]), (named[1], sides[0])):
            if variable is not None and "$" not in literal and not literal.startswith("vars."):
                return self._condition(_name(variable), literal, equal=match["sign"] in ("==", "eq", ""))
        return None

    def _condition(self, name: str, value: str, *, equal: bool) -> Condition | None:
        """Return a comparison; None of a variable that no answer gives."""
        is_extracted = any(
            element.is_enabled and name in names_of(element) for element in self.top.all_below()
        )
        hole = self.variables.holes.get(name)
        if hole is None or not is_extracted:
            return None
        return Condition(hole, equal=value) if equal else Condition(hole, other=value)


def _name(match: re.Match[str]) -> str:
    return match["name"] or match["got"]


def with_decisions(
    drafts: Drafts,
    decided: Sequence[DecidedSteps],
    extracted: Set[str],
    report: JmxReport,
) -> tuple[StepDraft, ...]:
    """Return the steps of a sequence with what decides about them.

    extracted: variables that requests of the plan extract.
    """
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
    return tuple(step for step in steps if step is not None)


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
        if any(condition.variable not in extracted for condition in part.decision.conditions):
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
        if isinstance(decision.rule, Repeat) and len(decision.rule.going) == 1:
            (going,) = decision.rule.going
            until = Condition(going.variable, equal=going.other, other=going.equal)
            changed = replace(decision, rule=replace(decision.rule, going=(), until=(until,)))
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
