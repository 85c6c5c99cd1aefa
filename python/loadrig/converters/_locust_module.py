"""Names of a locustfile: what the statements outside of its functions give values to."""

import ast
import contextlib
from collections.abc import Set

from loadrig.converters._locust_changes import UNKNOWN, ValueChanges
from loadrig.converters._locust_effects import MUTATORS, FunctionFacts
from loadrig.converters._locust_evaluator import Evaluator
from loadrig.converters._locust_values import ChosenFeeds, Computed, Value


def names_of_module(tree: ast.Module, feeds: ChosenFeeds, computed: Set[str]) -> dict[str, Value]:
    """Return the names of a file with their values. computed: names that only running the file would tell."""
    return _Module(feeds, computed).read(tree)


class _Module:
    """Work on the statements of a module."""

    def __init__(self, feeds: ChosenFeeds, computed: Set[str]) -> None:
        self._feeds = feeds
        self._computed = computed
        self._names: dict[str, Value] = {}
        self._changes = ValueChanges([self._names], self, may_copy=False)
        self._facts = FunctionFacts({})

    def read(self, tree: ast.Module) -> dict[str, Value]:
        for statement in tree.body:
            with contextlib.suppress(Computed):
                self._statement(statement)
            for name in self._facts.changes(statement).rebound & self._computed:
                self._names.pop(name, None)
        return self._names

    def _statement(self, statement: ast.stmt) -> None:
        evaluator = self._evaluator()
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._names.pop(statement.name, None)
            case ast.Assign(targets=targets, value=value):
                self._foresee(value)
                self._store(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._foresee(value)
                self._store([target], value)
            case ast.AugAssign(value=increment):
                self._foresee(increment)
                self._changes.augment(statement, evaluator)
            case ast.Delete(targets=targets):
                for place in targets:
                    self._changes.delete(place, evaluator)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method)) as call) if method in MUTATORS:
                self._changes.mutate(call, evaluator)
            case _:
                self._foresee(statement)

    def _foresee(self, node: ast.AST) -> None:
        self._changes.forget(self._facts.changes(node))

    def _store(self, targets: list[ast.expr], value: ast.expr) -> None:
        label = targets[0].id if isinstance(targets[0], ast.Name) else "value"
        try:
            value_now = self._evaluator(label).value(value)
        except Computed:
            value_now = UNKNOWN
        for target in targets:
            with contextlib.suppress(Computed):
                self._changes.store(target, value_now, self._evaluator())

    def _evaluator(self, label: str = "value") -> Evaluator:
        return Evaluator(self._names, self._feeds, label, owner=self)


def changing_names(tree: ast.Module) -> set[str]:
    """Return the names of a file that something else than a plain statement sets: only running it tells."""
    changing = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    plain = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for statement in tree.body:
        if not isinstance(statement, plain):
            stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            changing |= {node.id for node in stored if isinstance(node.ctx, ast.Store | ast.Del)}
    return changing
