"""Requests that a function of a k6 script makes, in their order, with checks, pauses and extractions."""

import contextlib
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from loadrig.converters._account import LineAccount
from loadrig.converters._clauses import Clauses, NotSaid, negated
from loadrig.converters._k6_bindings import bound_names, parameters_of
from loadrig.converters._k6_changes import (
    ScriptChanges,
    effects_of,
    effects_of_target,
    is_mutation,
    root_of,
)
from loadrig.converters._k6_checks import is_check_or
from loadrig.converters._k6_conditions import ScriptVerdict, verdict_of
from loadrig.converters._k6_course import FunctionCourse
from loadrig.converters._k6_decisions import BranchGuards, joined
from loadrig.converters._k6_exits import leaves, way_through
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_jars import CookieJar
from loadrig.converters._k6_loops import MOST_ROUNDS, LiteralLoop, literal_loop
from loadrig.converters._k6_methods import is_true
from loadrig.converters._k6_requests import ScriptScope, ScriptStep
from loadrig.converters._k6_rounds import AnswerRounds, RoundReading
from loadrig.converters._k6_texts import MOST_DEEP, UNDEFINED, UNREAD, Value, text_of
from loadrig.converters._k6_tree import calls_in, line_of, named_parts, shown_code, text_in
from loadrig.converters._k6_values import ScriptEvaluator
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts

TEXTS = texts_of(ConvertersK6Texts)

MOST_STEPS = 200
"""Requests of a function at most: a longer sequence is no longer read by anybody."""

MOST_STATEMENTS = 5_000
"""Statements that are gone through for one function, with those of the functions that it calls."""

MOST_CALLS_DEEP = 10
"""Functions within functions that are gone into, at most."""

MOST_BLOCKS_DEEP = 20
"""Blocks within blocks that are gone into, also those of functions, at most: each is looked through anew."""

_REMARK = re.compile(r"(?:Math|JSON|Date|Object|Array|String|Number|parse\w+|encoding|crypto)\b")
"""Begin of calls that only make a value: its use is listed."""


class FunctionReader:
    """Reader of one function and of those that it calls. decides: whether answers may decide what it does."""

    def __init__(self, scope: ScriptScope, account: LineAccount, *, decides: bool = True) -> None:
        self._scope = scope
        self._account = account
        self._names = dict(scope.names)
        self._statements = 0
        self._declared: set[str] = set()
        self._dropped: set[tuple[int, str, str]] = set()
        self._deep, self._blocks_deep = 0, 0
        self._changes = ScriptChanges(self)
        self._course = FunctionCourse(scope, account, self._value, self._drop)
        self._decides = decides
        self._guards = BranchGuards(scope, self._course)
        reading = RoundReading(self._block, self._within, self._clauses, self._foresee)
        self._answer_rounds = AnswerRounds(self._course, self._guards, account, reading)
        self.result: Value = None

    def read(self, function: Any, arguments: Sequence[Value] = ()) -> list[ScriptStep]:
        """Return the requests of a function. arguments: values of its first parameters."""
        for number, pattern in enumerate(parameters_of(function)):
            self._changes.forget(self._names, effects_of_target(pattern))
            value = arguments[number] if number < len(arguments) else UNREAD
            with contextlib.suppress(Unread):
                if value is not UNREAD:
                    self._store(pattern, value)
        body = function.child_by_field_name("body")
        if body is not None:
            with self._guards.in_function(function, is_called=self._deep > 0):
                self._block(named_parts(body) if body.type == "statement_block" else [body])
        return self._course.steps

    def _block(self, statements: Sequence[Any]) -> None:
        if self._blocks_deep >= MOST_BLOCKS_DEEP:
            for statement in statements:
                self._leave_out(statement)
            return
        self._blocks_deep += 1
        self._each_of(statements)
        self._blocks_deep -= 1

    def _each_of(self, statements: Sequence[Any]) -> None:
        for statement in statements:
            if self._guards.is_dead:
                return
            self._statements += 1
            if self._statements > MOST_STATEMENTS or len(self._course.steps) >= MOST_STEPS:
                self._drop(statement, TEXTS.too_many_steps)
                return
            self._statement(statement)
            if statement.type == "return_statement":
                return

    def _statement(self, node: Any) -> None:
        match node.type:
            case "lexical_declaration" | "variable_declaration":
                for declared in named_parts(node):
                    name, value = (declared.child_by_field_name(part) for part in ("name", "value"))
                    self._declared |= effects_of(declared).declared
                    if name is not None and value is not None:
                        self._assign(name, value)
                    elif name is not None:
                        self._names.pop(text_in(name), None)
            case "expression_statement":
                self._expression(named_parts(node)[0])
            case "return_statement":
                for inner in named_parts(node):
                    self.result = self._result(inner)
            case "statement_block" | "else_clause":
                self._within(lambda: self._block(named_parts(node)))
            case "call_expression":
                self._call(node)
            case "for_statement" | "for_in_statement":
                self._loop(node)
            case "while_statement" | "do_statement":
                self._asked_loop(node)
            case "if_statement":
                self._branch(node)
            case "function_declaration" | "empty_statement" | "comment":
                pass
            case _:
                self._leave_out(node)

    def _branch(self, node: Any) -> None:
        """Go into the branch of a condition that the text decides; list any other."""
        try:
            holds = is_true(self._value(node.child_by_field_name("condition")))
            chosen = node.child_by_field_name("consequence" if holds else "alternative")
            if chosen is not None and leaves(chosen):
                raise Unread
        except Unread:
            self._checks(node.child_by_field_name("condition"))
            self._decide(node)
        else:
            if chosen is not None:
                self._statement(chosen)

    def _decide(self, node: Any) -> None:
        """Go into both branches of a condition on answers that a plan can say; list any other."""
        branches = [node.child_by_field_name(part) for part in ("consequence", "alternative")]
        try:
            clauses = self._clauses(node.child_by_field_name("condition"))
            conditions = clauses, negated(clauses)
            guards = [joined(self._scope.guard, condition) for condition in conditions]
            ways = [way_through(branch, self._scope.is_failure) for branch in branches]
            self._guards.see_ends(ways)
        except (Unread, NotSaid):
            self._leave_out(node)
            return
        for branch, way, guard in zip(branches, ways, guards, strict=True):
            if branch is not None and all(guard):
                result = self.result
                with self._guards.in_branch(guard):
                    self._within(partial(self._block, way.statements))
                self.result = result
                self._foresee(branch)
        self._guards.go_on(ways, conditions)

    def _verdict(self, condition: Any) -> ScriptVerdict:
        """Return what a condition on answers says. Raise Unread, NotSaid where a plan cannot say it."""
        if not self._decides:
            raise Unread
        return verdict_of(condition, self._names, self._scope, self)

    def _clauses(self, condition: Any) -> Clauses:
        """Return what a condition says that decides. Raise Unread, NotSaid where a plan cannot say it."""
        verdict = self._verdict(condition)
        if verdict.is_of_bodies:
            self._account.alter(line_of(condition), shown_code(condition), TEXTS.decided_by_body)
        return verdict.clauses

    def _loop(self, node: Any) -> None:
        """Make out in full a loop of which the text tells the rounds; answers may end any other."""
        try:
            loop = literal_loop(node, self._evaluator(), self._scope.clients)
        except Unread:
            self._asked_loop(node)
        else:
            self._within(lambda: self._rounds(loop))

    def _asked_loop(self, node: Any) -> None:
        """Go once through a loop that answers end, whose requests are made in rounds; list any other."""
        dropped = set(self._dropped)
        if not self._answer_rounds.carry(node, self._evaluator()):
            self._dropped = dropped
            self._leave_out(node)

    def _rounds(self, loop: LiteralLoop) -> None:
        if loop.is_own:
            self._declared.add(loop.name)
        for value in loop.values:
            self._names[loop.name] = value
            self._block([loop.body])
        self._names[loop.name] = loop.final

    def _result(self, node: Any) -> Value:
        try:
            return self._call(node) if node.type == "call_expression" else self._value(node)
        except Unread:
            return UNREAD

    def _expression(self, node: Any, deep: int = 0) -> None:
        if node.type == "await_expression":
            node = named_parts(node)[0]
        if deep > MOST_DEEP:
            self._leave_out(node)
        elif node.type == "call_expression":
            inner = named_parts(node.child_by_field_name("arguments"))
            for part in inner:
                if part.child_by_field_name("body") is None:
                    self._checks(part)
                    self._foresee(part)
            self._call(node)
        elif is_check_or(node):
            self._check_or(node)
        elif node.type == "assignment_expression":
            self._assign(node.child_by_field_name("left"), node.child_by_field_name("right"))
        elif node.type in ("sequence_expression", "parenthesized_expression"):
            for part in named_parts(node):
                self._expression(part, deep + 1)
        elif node.type in ("augmented_assignment_expression", "update_expression", "unary_expression"):
            self._change(node)
        elif any(map(self._does, calls_in(node))):
            self._leave_out(node)
        else:
            self._foresee(node)

    def _check_or(self, node: Any) -> None:
        """Carry a check, and go on only where it holds, if the right side ends the iteration otherwise."""
        left, right = (node.child_by_field_name(side) for side in ("left", "right"))
        self._call(left)
        try:
            if not self._scope.is_failure(right):
                raise Unread
            self._guards.end_unless(self._clauses(left))
        except (Unread, NotSaid):
            self._drop(right, TEXTS.computed_flow)

    def _leave_out(self, node: Any) -> None:
        """List a part that is not carried out, and take as unknown what it may change."""
        self._drop(node, TEXTS.computed_flow)
        self._foresee(node)

    def _foresee(self, node: Any, followed: Any = None) -> None:
        """Take as unknown what a part of the script may change that is not carried out."""
        reading = self._scope.clients | self._scope.reading
        self._changes.forget(self._names, effects_of(node, clients=reading, followed=followed))

    def _change(self, node: Any) -> None:
        """Carry out `x += 1`, `x++` or `delete x.y`. A change that cannot be followed leaves x unknown."""
        is_unary = node.type == "unary_expression"
        target = node.child_by_field_name("left" if node.type.startswith("augmented") else "argument")
        sign = text_in(node.child_by_field_name("operator"))
        right = node.child_by_field_name("right")
        if right is not None:
            self._foresee(right)
        try:
            evaluator = self._evaluator()
            if is_unary and sign == "delete":
                self._changes.delete(target, evaluator)
            elif not is_unary:
                step = evaluator.value(right) if right is not None else 1
                operator = sign[:1] if right is None else sign[:-1]
                self._store(target, evaluator.combined(operator, evaluator.value(target), step))
        except Unread:
            self._foresee(node)
            if any(map(self._does, calls_in(node))):
                self._drop(node, TEXTS.computed)

    def _store(self, target: Any, value: Value) -> None:
        """Give a value to a name or to a place in a list or an object. Raise Unread."""
        if target.type == "identifier":
            self._names[text_in(target)] = value
        elif target.type in ("member_expression", "subscript_expression"):
            self._changes.put(target, value, self._evaluator())
        else:
            self._names |= bound_names(target, value, self._value)

    def _within(self, work: Callable[[], object]) -> None:
        """Carry out a part whose own names end with it. What else it gives values to is seen behind it."""
        outer, declared = dict(self._names), self._declared
        self._declared = set()
        self._changes.frames.append(outer)
        work()
        self._changes.frames.pop()
        for name in {*outer, *self._names} - self._declared:
            outer.pop(name, None)
            if name in self._names:
                outer[name] = self._names[name]
        self._names, self._declared = outer, declared

    def _assign(self, target: Any, node: Any, deep: int = 0) -> None:
        if node.type == "await_expression":
            node = named_parts(node)[0]
        if node.type == "assignment_expression" and deep <= MOST_DEEP:  # a = b = 1
            self._assign(node.child_by_field_name("left"), node.child_by_field_name("right"), deep + 1)
            node = node.child_by_field_name("left")
        is_followed = node.type == "call_expression" and (is_mutation(node) or self._own(node) is not None)
        self._foresee(node, followed=node if is_followed else None)
        value = self._assigned(node)
        effects = effects_of_target(target)
        for name in effects.rebound:
            self._names.pop(name, None)
        try:
            if value is UNREAD:
                raise Unread
            self._store(target, value)
        except Unread:
            self._changes.forget(self._names, effects)

    def _assigned(self, node: Any) -> Value:
        """Return the value of the right side of an assignment; UNREAD if only running the script tells it."""
        if (jar := self._jar_of(node)) is not None:
            return jar
        if node.type == "call_expression" and (self._does(node) or is_mutation(node)):
            result = self._call(node)
            if result is UNREAD and self._scope.called(node) == "check":
                with contextlib.suppress(Unread, NotSaid):
                    return self._verdict(node)
            return result
        self._checks(node)
        try:
            return self._value(node)
        except Unread:
            if node.type in ("binary_expression", "unary_expression"):
                with contextlib.suppress(Unread, NotSaid):
                    return self._verdict(node)
            is_call = node.type == "call_expression" and not _REMARK.match(text_in(node))
            if is_call or any(map(self._does, calls_in(node))):
                self._drop(node, TEXTS.computed)
            return UNREAD

    def _value(self, node: Any) -> Value:
        return self._evaluator().value(node)

    def _evaluator(self) -> ScriptEvaluator:
        scope = self._scope
        return ScriptEvaluator(self._names, scope.feeds, self, scope.functions, scope.names)

    def _jar_of(self, node: Any) -> CookieJar | None:
        """Return the jar that an expression makes, or names; None for any other."""
        if node.type == "new_expression":
            is_made = text_in(node.child_by_field_name("constructor")).rpartition(".")[2] == "CookieJar"
            return CookieJar() if is_made else None
        is_named = node.type == "call_expression" and self._course.verb(node) == "cookieJar"
        return self._course.jar if is_named else None

    # --- calls ------------------------------------------------------------------------------------

    def _does(self, call: Any) -> bool:
        """Return whether a call makes requests, waits or looks at answers, as far as the script tells."""
        is_of_k6 = self._scope.called(call) in ("check", "sleep", "group")
        return is_of_k6 or self._course.asks(call) or self._own(call) is not None

    def _own(self, call: Any) -> Any:
        """Return the script's own function that is called; None for any other."""
        return self._scope.functions.get(text_in(call.child_by_field_name("function")))

    def _call(self, call: Any) -> Value:
        """Carry out a call, and return what it returns, as far as that can be said."""
        name = self._scope.called(call)
        arguments = named_parts(call.child_by_field_name("arguments"))
        if self._course.asks(call):
            return self._course.request(call, arguments)
        if name == "check":
            self._check(call, arguments)
        elif name == "sleep":
            self._course.sleep(call, arguments)
        elif name == "group" and len(arguments) == 2:
            self._group(arguments)
        elif (function := self._own(call)) is not None:
            return self._called(call, function, arguments)
        elif name.endswith(".set") and isinstance(jar := self._names.get(name[: -len(".set")]), CookieJar):
            self._course.put(jar, call, arguments)
        elif is_mutation(call):
            return self._mutated(call)
        elif name.endswith(".forEach") and len(arguments) == 1:
            self._each(call, arguments[0])
        elif not name.startswith("console."):
            self._drop(call, TEXTS.computed)
            self._foresee(call)
        return UNREAD

    def _each(self, call: Any, function: Any) -> None:
        """Make out in full what `forEach` does with the items of a list that the text tells."""
        try:
            items = self._value(call.child_by_field_name("function").child_by_field_name("object"))
            effects = effects_of(function, clients=self._scope.clients)
            is_changed = root_of(call) in effects.rebound | effects.mutated
            if not isinstance(items, list) or len(items) > MOST_ROUNDS or is_changed:
                raise Unread
        except Unread:
            self._leave_out(call)
            return
        own = self._scope.functions.get(text_in(function), function)
        for number, item in enumerate(items):
            self._within(partial(self._inside, call, own, (item, number)))

    def _mutated(self, call: Any) -> Value:
        """Carry out a call that changes a list or an object, and return what it returns."""
        try:
            return self._changes.mutate(call, self._evaluator())
        except Unread:
            self._foresee(call)
            return UNREAD

    def _group(self, arguments: Sequence[Any]) -> None:
        outer = self._course.groups
        try:
            title = text_of(self._value(arguments[0])).constant
        except Unread:
            title = None
        self._course.groups = (*outer, title or shown_code(arguments[0]))
        function = self._scope.functions.get(text_in(arguments[1]), arguments[1])
        self._within(lambda: self._inside(arguments[1], function, ()))
        self._course.groups = outer

    def _called(self, call: Any, function: Any, arguments: Sequence[Any]) -> Value:
        values = []
        for argument in arguments:
            try:
                values.append(self._value(argument))
            except Unread:
                self._drop(call, TEXTS.computed)
                return UNREAD
        values += [UNDEFINED] * (len(parameters_of(function)) - len(values))
        outer, names, self.result = self.result, self._names, UNDEFINED
        self._names = {name: self._scope.names[name] for name in self._scope.names if name in names}
        self._changes.frames.append(names)
        self._inside(call, function, values)
        self._changes.frames.pop()
        self._names, result, self.result = names, self.result, outer
        self._changes.forget(names, effects_of(function, clients=self._scope.clients).outside)
        return result

    def _inside(self, node: Any, function: Any, values: Sequence[Value]) -> None:
        if self._deep >= MOST_CALLS_DEEP:
            self._drop(node, TEXTS.too_many_steps)
            return
        self._deep += 1
        self.read(function, values)
        self._deep -= 1

    def _checks(self, node: Any) -> None:
        """Carry the checks within an expression, whose results only running the script would tell."""
        for call in calls_in(node):
            if self._scope.called(call) == "check":
                self._check(call, named_parts(call.child_by_field_name("arguments")))

    def _check(self, call: Any, arguments: Sequence[Any]) -> None:
        try:
            answer = self._value(arguments[0])
        except (Unread, IndexError):
            answer = None
        if answer is None and arguments and arguments[0].type == "call_expression":
            answer = self._call(arguments[0])
        self._course.check(call, arguments, answer, self._names)

    def _drop(self, node: Any, why: str) -> None:
        part = line_of(node), shown_code(node), why
        if part not in self._dropped:  # each round of a loop drops the same
            self._account.drop(*part)
        self._dropped.add(part)
