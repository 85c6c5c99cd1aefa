"""Tasks of a locustfile: the requests that a function makes, as far as its text alone tells them."""

import ast
from collections.abc import Sequence

from loadrig.converters._account import LineAccount
from loadrig.converters._locust_checks import read_checks
from loadrig.converters._locust_effects import MUTATORS, request_of
from loadrig.converters._locust_requests import TaskScope, TaskStep
from loadrig.converters._locust_statements import BlockEnd, StatementReader
from loadrig.converters._locust_values import AnswerValue, Computed, DrawnFor, Value, dotted
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.locust import ConvertersLocustTexts

TEXTS = texts_of(ConvertersLocustTexts)

MOST_STEPS = 200
"""Requests of a task at most, with those of loops made out in full."""

MOST_STATEMENTS = 10_000
"""Statements of a task at most, with those of loops and of functions that it calls, made out in full."""

_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Delete)


class TaskReader(StatementReader):
    """Reader of one function and those that it calls. drawn_for: what chance draws there is for."""

    def __init__(self, scope: TaskScope, account: LineAccount, drawn_for: DrawnFor = "request") -> None:
        super().__init__(scope, account, drawn_for)
        self._statements = 0

    def read(self, function: ast.FunctionDef) -> list[TaskStep]:
        """Return the requests of a function, in their order."""
        self._frames.append(dict(self._scope.names))
        self._block(function.body)
        attributes = {
            name: value
            for name, value in self._frames.pop().items()
            if name.startswith("self.") and not isinstance(value, AnswerValue)
        }
        self._scope.names = self._shared() | attributes
        self._scope.changed |= self._changes.tainted
        return self.steps

    def _block(self, body: Sequence[ast.stmt]) -> BlockEnd:
        for statement in body:
            self._statements += 1
            is_full = len(self.steps) >= MOST_STEPS and self._facts.acts(statement)
            if self._statements > MOST_STATEMENTS or is_full:
                self._drop(statement, TEXTS.too_many_steps)
                self._doubts += 1
                return "return"
            end = self._statement(statement)
            if is_interruption(statement):
                return "return"
            if end:
                return end
        return ""

    def _statement(self, statement: ast.stmt) -> BlockEnd:
        match statement:
            case ast.Expr(value=value):
                self._evaluated(value, "value")
            case ast.Return(value=value):
                self._result = self._evaluated(value, "value", is_assigned=True) if value else None
                return "return"
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign([target], value)
            case ast.AugAssign():
                self._augment(statement)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._try(self._changes.delete, target)
            case ast.With(items=items, body=body):
                return self._with(items, body)
            case ast.Try() | ast.TryStar():
                return self._tried(statement)
            case ast.If():
                return self._if(statement)
            case ast.For(target=target, iter=over):
                return self._loop(statement, target, over)
            case ast.Break() | ast.Continue():
                return "break" if isinstance(statement, ast.Break) else "continue"
            case ast.Pass():
                pass
            case _:
                self._pass_over(statement)
        return "return" if isinstance(statement, ast.Raise) else ""

    def _pass_over(self, *parts: ast.AST) -> None:
        """Note parts that are not carried out, where they ask or end the task, and what they change."""
        for part in parts:
            if self._facts.acts(part) or _leaves(part):
                self._drop(part, TEXTS.computed_flow)
            self._doubts += _leaves(part)
        self._changes.forget(self._facts.changes(*parts))

    # --- flow -------------------------------------------------------------------------------------

    def _with(self, items: Sequence[ast.withitem], body: Sequence[ast.stmt]) -> BlockEnd:
        before = len(self.steps)
        for item in items:
            if item.optional_vars is not None:
                self._assign([item.optional_vars], item.context_expr)
            else:
                self._evaluated(item.context_expr, "value")
        contexts = [item.context_expr for item in items]
        if not any(isinstance(part, ast.Call) and request_of(part) is not None for part in contexts):
            return self._block(body)
        checks = [inner for inner in body if not self._is_done(inner) and not isinstance(inner, ast.Pass)]
        left_out = checks
        match items:
            case [ast.withitem(optional_vars=ast.Name(id=answer))] if len(self.steps) == before + 1:
                expect, left_out = read_checks(checks, answer, catches=_is_rest(contexts[0]))
                self.steps[-1].keys["expect"] = expect
            case _:
                pass
        end: BlockEnd = ""
        for inner in body:
            if end:
                break
            if self._is_done(inner):
                end = self._block([inner])
            else:
                self._doubts += _leaves(inner)
                self._changes.forget(self._facts.changes(inner))
        if left_out:
            self._drop(left_out[0], TEXTS.no_checks)
        return end

    def _is_done(self, statement: ast.stmt) -> bool:
        """Return whether a statement below a request does more than to look at its answer."""
        if isinstance(statement, _PLAIN) or self._facts.acts(statement):
            return True
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method)) as call):
                return method in MUTATORS or self._facts.own(call) is not None
            case ast.Return() | ast.Break() | ast.Continue():
                return True
            case _:
                return False

    def _tried(self, statement: ast.Try | ast.TryStar) -> BlockEnd:
        """Carry out what is tried, as if nothing failed, and what stands behind it."""
        end = self._block(statement.body) or self._block(statement.orelse)
        for handler in statement.handlers:
            if self._facts.acts(handler):
                self._drop(handler, TEXTS.computed_flow)
            if not handler.body or not isinstance(handler.body[-1], ast.Return | ast.Raise):
                self._changes.forget(self._facts.changes(handler))
        return self._block(statement.finalbody) or end

    def _if(self, statement: ast.If) -> BlockEnd:
        self._changes.forget(self._facts.changes(statement.test))
        holds = self._holds(statement.test)
        if holds is not None:
            return self._block(statement.body if holds else statement.orelse)
        branches = (statement.body, statement.orelse)
        if all(map(_only_names, branches)) and not self._facts.acts(statement):
            self._either(*branches)
        else:
            self._pass_over(statement)
        return ""

    def _either(self, *branches: Sequence[ast.stmt]) -> None:
        """Keep of what branches give to names what all of them give alike."""
        before, ends = dict(self._names), []
        for branch in branches:
            self._names.clear()
            self._names.update(before)
            self._block(branch)
            ends.append(dict(self._names))
        first, *others = ends
        self._names.clear()
        for name, value in first.items():
            if all(name in other and _is_same(other[name], value) for other in others):
                self._names[name] = value

    def _holds(self, test: ast.expr) -> bool | None:
        """Return whether a condition holds that asks if a list of the file is empty; None for any other."""
        match test:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id="len"), args=[ast.Name() as name]),
                ops=[ast.Gt() | ast.NotEq()],
                comparators=[ast.Constant(value=0)],
            ):
                pass
            case ast.Name() as name:
                pass
            case _:
                return None
        value = self._names.get(name.id)
        return bool(value) if isinstance(value, list) else None

    def _loop(self, statement: ast.For, target: ast.expr, over: ast.expr) -> BlockEnd:
        self._changes.forget(self._facts.changes(over))
        try:
            values = self._range(over)
        except Computed:
            self._pass_over(statement)
            return ""
        end: BlockEnd = ""
        for number, value in enumerate(list(values)):
            is_full = len(self.steps) >= MOST_STEPS or self._statements > MOST_STATEMENTS
            if number >= MOST_STEPS or is_full:
                self._cut(statement)
                break
            self._try(self._changes.store, target, value)
            end = self._block(statement.body)
            if end in ("break", "return"):
                break
        if any(map(_may_leave_loop, statement.body)):
            self._pass_over(*statement.orelse)
            self._changes.forget(self._facts.changes(statement))
        elif not end or end == "continue":
            return self._block(statement.orelse)
        return "return" if end == "return" else ""

    def _cut(self, loop: ast.For) -> None:
        """Note that a loop is not made out to its end."""
        if self._facts.acts(*loop.body):
            self._drop(loop, TEXTS.too_many_steps)
        self._changes.forget(self._facts.changes(loop))

    def _range(self, over: ast.expr) -> list[Value]:
        evaluator = self._evaluator()
        if isinstance(over, ast.Call) and dotted(over.func) == "range":
            bounds = [evaluator.value(argument) for argument in over.args]
            if not 1 <= len(bounds) <= 3 or not all(type(bound) is int for bound in bounds):
                raise Computed(over)
            try:
                return list(range(*bounds)[: MOST_STEPS + 1])
            except ValueError:
                raise Computed(over) from None
        values = evaluator.value(over)
        if not isinstance(values, list):
            raise Computed(over)
        return values


def is_interruption(statement: ast.stmt) -> bool:
    """Return whether a statement leaves the set of tasks that it stands in."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="interrupt"))):
            return True
        case ast.Raise(exc=ast.Call(func=func)):
            return dotted(func).rpartition(".")[2] == "InterruptTaskSet"
        case ast.With(body=body):
            return any(map(is_interruption, body))
        case _:
            return False


def _leaves(node: ast.AST) -> bool:
    """Return whether a part of a task may end it, or a loop of it."""
    ends: tuple[type[ast.stmt], ...] = (ast.Return, ast.Raise)
    match node:
        case ast.If() | ast.While() | ast.Match():
            ends = (*ends, ast.Break, ast.Continue)
        case ast.For() | ast.AsyncFor():
            pass
        case _:
            return False
    return any(isinstance(inner, ends) for inner in ast.walk(node))


def _may_leave_loop(statement: ast.stmt) -> bool:
    """Return whether a statement of a loop's body may end the loop, or this turn of it, by a condition."""
    if isinstance(statement, ast.Break | ast.Continue):
        return False
    return any(isinstance(inner, ast.Break | ast.Continue) for inner in ast.walk(statement))


def _only_names(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements do nothing but give values to names."""
    for statement in body:
        match statement:
            case ast.Pass() | ast.Assign(targets=[ast.Name()]):
                pass
            case _:
                return False
    return True


def _is_same(value: Value, other: Value) -> bool:
    """Return whether two values are the same, a list or a dict only where it is a single one."""
    is_alike = type(value) is type(other) and not isinstance(value, dict | list)
    return value is other or (is_alike and bool(value == other))


def _is_rest(call: ast.expr) -> bool:
    """Return whether a request is made by `rest`, which takes an assertion that fails for a failure."""
    request = request_of(call) if isinstance(call, ast.Call) else None
    return request is not None and request[0] == "rest"
