"""Loops of a k6 script that answers end: `while` and `do` on an answer, and a counted loop with a `break`.

A plan makes such a loop as rounds of its steps. What a round does besides asking is pauses alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from loadrig.base.units import Count
from loadrig.converters._account import LineAccount
from loadrig.converters._clauses import ALWAYS, Clauses, NotSaid, as_conditions, negated
from loadrig.converters._k6_course import FunctionCourse
from loadrig.converters._k6_decisions import BranchGuards, joined
from loadrig.converters._k6_exits import leaves
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_loops import COMPARES, begin_of, number_of, step_of
from loadrig.converters._k6_methods import is_true
from loadrig.converters._k6_requests import ScriptScope, ScriptStep, StepRounds
from loadrig.converters._k6_tree import calls_in, line_of, named_parts, shown_code, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts
from loadrig.plan.passages import Comparison, Repeat

TEXTS = texts_of(ConvertersK6Texts)

ROUNDS = 1000
"""Rounds at most: k6 makes any number, and a plan ends."""

_CHANGING = ("update_expression", "augmented_assignment_expression")


@dataclass(frozen=True)
class AnswerLoop:
    """Loop that answers end. asks: what each round does before it may end. pauses: what is behind that.

    going: conditions before each round. until: condition that ends a round which has begun. most: rounds that
    a counter allows. is_sure: whether the first round is made in any case.
    """

    asks: Sequence[Any]
    pauses: Sequence[Any]
    going: Sequence[Any]
    until: Any
    most: int | None
    is_sure: bool


def answer_loop(node: Any, evaluator: ScriptEvaluator, scope: ScriptScope) -> AnswerLoop:
    """Return a loop whose rounds answers may end. Raise Unread for any other."""
    body = node.child_by_field_name("body")
    statements = named_parts(body) if body.type == "statement_block" else [body]
    counted = _CountedRounds(node, evaluator)
    parts = list(_joined(node.child_by_field_name("condition")))
    going = [part for part in parts if not counted.takes(part) and not _always(part, evaluator)]
    if counted.condition is not None:
        statements = [part for part in statements if not counted.changes(part)]
    asks, until, behind = _until_break(statements, scope)
    # Of both, a plan's rounds have one; with neither, what ends the loop is not an answer.
    if bool(going) == (until is not None) or any(map(leaves, (*asks, *behind))):
        raise Unread
    first = next((place for place, part in enumerate(asks) if not _is_pause(part, scope)), len(asks))
    pauses = [*behind, *asks[:first]]
    if not all(_is_pause(part, scope) for part in pauses):
        raise Unread
    is_sure = node.type == "do_statement" or not going
    return AnswerLoop(asks[first:], pauses, going, until, counted.rounds(node.type), is_sure)


class _CountedRounds:
    """Counter of a loop, which allows it a number of rounds. condition: the part that asks about it."""

    def __init__(self, node: Any, evaluator: ScriptEvaluator) -> None:
        self._evaluator = evaluator
        self.condition: Any = None
        self._change: Any = node.child_by_field_name("increment")
        self._begin: tuple[str, Any] | None = None
        if node.type == "for_statement":
            begin = node.child_by_field_name("initializer")
            if begin is None or self._change is None:
                raise Unread
            self._begin = begin_of(begin)

    def takes(self, part: Any) -> bool:
        """Return whether a part of the loop's condition compares a counter with a number."""
        if part.type != "binary_expression" or self.condition is not None:
            return False
        if text_in(part.child_by_field_name("operator")) not in COMPARES:
            return False
        name = part.child_by_field_name("left")
        try:
            number_of(self._evaluator.value(part.child_by_field_name("right")))
            if self._begin is None:
                number_of(self._evaluator.value(name))
        except Unread:
            return False
        is_counter = name.type == "identifier" and (self._begin is None or text_in(name) == self._begin[0])
        if is_counter:
            self.condition = part
        return is_counter

    def changes(self, statement: Any) -> bool:
        """Return whether a statement of the body is what changes the counter."""
        inner = named_parts(statement)[0] if statement.type == "expression_statement" else None
        if self._change is not None or inner is None or inner.type not in _CHANGING:
            return False
        changed = inner.child_by_field_name("argument" if inner.type == "update_expression" else "left")
        if text_in(changed) != text_in(self.condition.child_by_field_name("left")):
            return False
        self._change = inner
        return True

    def rounds(self, kind: str) -> int | None:
        """Return the rounds that the counter allows, at most ROUNDS; None without a counter. Raise Unread."""
        if self.condition is None:
            if kind == "for_statement":
                raise Unread
            return None
        if self._change is None:
            raise Unread
        name, right = (self.condition.child_by_field_name(side) for side in ("left", "right"))
        compares = COMPARES[text_in(self.condition.child_by_field_name("operator"))]
        last = number_of(self._evaluator.value(right))
        value = self._evaluator.value(self._begin[1] if self._begin else name)
        sign, _, step = step_of(self._change, text_in(name), self._evaluator, value)
        rounds = int(kind == "do_statement")
        if rounds:
            value = self._evaluator.combined(sign, value, step)
        while rounds < ROUNDS and compares(number_of(value), last):
            rounds += 1
            value = self._evaluator.combined(sign, value, step)
        if not rounds:
            raise Unread
        return rounds


def _joined(node: Any) -> Iterator[Any]:
    """Yield the parts of a condition that must all hold."""
    if node is None:
        return
    if node.type == "parenthesized_expression":
        yield from _joined(named_parts(node)[0])
    elif node.type == "binary_expression" and text_in(node.child_by_field_name("operator")) == "&&":
        for side in ("left", "right"):
            yield from _joined(node.child_by_field_name(side))
    else:
        yield node


def _always(part: Any, evaluator: ScriptEvaluator) -> bool:
    """Return whether a part of a condition is a constant that is true."""
    return part.type in ("true", "number") and is_true(evaluator.value(part))


def _until_break(statements: Sequence[Any], scope: ScriptScope) -> tuple[Sequence[Any], Any, Sequence[Any]]:
    """Return what a body does before its `if (…) break`, the condition of that, and what is behind it."""
    for place, part in enumerate(statements):
        if part.type != "if_statement" or part.child_by_field_name("alternative") is not None:
            continue
        way = part.child_by_field_name("consequence")
        inner = named_parts(way) if way.type == "statement_block" else [way]
        if not inner or inner[-1].type != "break_statement" or named_parts(inner[-1]):
            continue
        if any(not _is_remark(other, scope) for other in inner[:-1]):
            raise Unread
        return statements[:place], part.child_by_field_name("condition"), statements[place + 1 :]
    return statements, None, ()


def _is_pause(statement: Any, scope: ScriptScope) -> bool:
    """Return whether a statement waits, or only says something."""
    if statement.type != "expression_statement":
        return False
    call = named_parts(statement)[0]
    return (call.type == "call_expression" and scope.called(call) == "sleep") or _is_remark(statement, scope)


def _is_remark(statement: Any, scope: ScriptScope) -> bool:
    """Return whether a statement only says something."""
    calls = list(calls_in(statement)) if statement.type == "expression_statement" else []
    return bool(calls) and all(scope.called(call).startswith("console.") for call in calls)


class RoundReading(NamedTuple):
    """Functions of whoever reads a script: by which the statements of a loop are carried out.

    block: carries them out in their order. within: lets names end with a part. clauses: what a condition
    says. foresee: takes as unknown what a part may change.
    """

    block: Callable[[Sequence[Any]], None]
    within: Callable[[Callable[[], object]], None]
    clauses: Callable[[Any], Clauses]
    foresee: Callable[[Any], None]


class AnswerRounds:
    """Loops of a function that answers end, made rounds of its requests."""

    def __init__(
        self, course: FunctionCourse, guards: BranchGuards, account: LineAccount, reading: RoundReading
    ) -> None:
        self._course, self._guards = course, guards
        self._account, self._reading = account, reading

    def carry(self, node: Any, evaluator: ScriptEvaluator) -> bool:
        """Return whether a plan can say a loop, whose requests are added then, each once."""
        first, length = len(self._course.steps), self._account.parts.length
        try:
            loop = answer_loop(node, evaluator, self._course.scope)
            before = ALWAYS if loop.is_sure else self._all_hold(loop.going)
            self._reading.foresee(node)
            with self._guards.in_branch(self._course.scope.guard):
                behind = self._round(loop)
            steps = self._course.steps
            rule = until_of(behind, loop) if loop.is_sure else while_of(before, behind, steps, loop)
            give_rounds(steps, first, rule, line_of(node), shown_code(node))
        except (Unread, NotSaid):
            del self._course.steps[first:]
            self._account.parts.cut(length)
            return False
        for pause in loop.pauses:
            self._account.alter(line_of(pause), shown_code(pause), TEXTS.pause_of_round)
        if not loop.is_sure:  # it may not be gone through at all
            self._reading.foresee(node)
        return True

    def _round(self, loop: AnswerLoop) -> Clauses:
        """Go through a loop, and return what must hold for it to go on, or where it is sure, to end."""
        conditions: list[Clauses] = []

        def go_through() -> None:
            self._reading.block(loop.asks)
            if loop.until is not None:
                conditions.append(self._reading.clauses(loop.until))
            else:
                going = self._all_hold(loop.going)
                conditions.append(negated(going) if loop.is_sure else going)
            self._reading.block(loop.pauses)

        self._reading.within(go_through)
        return conditions[0]

    def _all_hold(self, conditions: Sequence[Any]) -> Clauses:
        """Return that all of these hold. Raise Unread, NotSaid where a plan cannot say it."""
        clauses = ALWAYS
        for condition in conditions:
            clauses = joined(clauses, self._reading.clauses(condition))
        return clauses


def give_rounds(steps: Sequence[ScriptStep], first: int, rule: Repeat, line: int, what: str) -> None:
    """Let the steps from the first one on be made in rounds. Raise Unread where a plan cannot say it.

    line, what: those of the loop.
    """
    within = steps[first:]
    is_torn = not within or within[0].batch not in (None, first)
    if is_torn or any(rounds.first is within[0] for rounds in within[0].rounds):
        raise Unread
    rounds = StepRounds(within[0], rule, line, what)
    for step in within:
        step.rounds = (*step.rounds, rounds)


def until_of(clauses: Clauses, loop: AnswerLoop) -> Repeat:
    """Return rounds that end where clauses hold. Raise Unread where they never do."""
    if clauses == ALWAYS or not (until := as_conditions(clauses)):
        raise Unread
    return Repeat(until=until, at_most=Count(loop.most or ROUNDS))


def while_of(before: Clauses, behind: Clauses, steps: Sequence[ScriptStep], loop: AnswerLoop) -> Repeat:
    """Return rounds that go on where clauses hold: before the first one, and behind each. Raise Unread.

    A plan asks about one variable before and behind, so both answers give it its value.
    """
    if before == ALWAYS or not all(before) or list(map(len, before)) != list(map(len, behind)):
        raise Unread
    shared: dict[tuple[str, str], str] = {}
    going = tuple(
        tuple(_shared(*pair, steps, shared) for pair in zip(some, others, strict=True))
        for some, others in zip(before, behind, strict=True)
    )
    return Repeat(going=as_conditions(going), at_most=Count(loop.most or ROUNDS))


def _shared(
    before: Comparison, behind: Comparison, steps: Sequence[ScriptStep], shared: dict[tuple[str, str], str]
) -> Comparison:
    """Return the comparison that both are, of a variable that the steps of both give."""
    names = (before.variable or "", behind.variable or "")
    if replace(before, variable=None) != replace(behind, variable=None):
        raise Unread
    if names[0] == names[1]:
        return before
    if names not in shared:
        owners = [next((step for step in steps if name in step.extract), None) for name in names]
        places = {owner.extract[name] for owner, name in zip(owners, names, strict=True) if owner is not None}
        if None in owners or len(places) != 1:
            raise Unread
        # Of its own: others may ask the first answer behind the loop.
        shared[names] = steps[0].scope.unused(names[0])
        (place,) = places
        for owner in owners:
            if owner is not None:
                owner.extract[shared[names]] = place
    return replace(before, variable=shared[names])
