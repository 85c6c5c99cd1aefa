"""Classes of a locustfile: users, sets of tasks, and the sequences of tasks that they mean."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from loadrig.base.units import Seconds
from loadrig.converters._account import LineAccount
from loadrig.converters._locust_evaluator import Evaluator
from loadrig.converters._locust_tasks import is_interruption
from loadrig.converters._locust_values import (
    LONGEST_WAIT_S,
    ChosenFeeds,
    Computed,
    MixedText,
    Value,
    dotted,
    shown_code,
)
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.locust import ConvertersLocustTexts
from loadrig.plan.requests import Think

TEXTS = texts_of(ConvertersLocustTexts)

FAST = frozenset(("FastHttpUser", "FastHttpLocust"))
USERS = frozenset(("HttpUser", "FastHttpUser", "HttpLocust", "FastHttpLocust"))
SETS = frozenset(("TaskSet", "SequentialTaskSet", "TaskSequence"))
IN_ORDER = frozenset(("SequentialTaskSet", "TaskSequence"))
SHAPES = frozenset(("LoadTestShape",))

MOST_ANCESTORS = 20
"""Classes that a class derives from, at most."""

MOST_VISITS = 2_000
"""Sets of tasks that are looked into, at most, each as often as others name it."""

MOST_SETS = 5
"""Sets of tasks within each other at most."""

MOST_WEIGHT = 1_000_000
"""Weight of a task or of a kind of users from which on it is no weight."""

MOST_SEQUENCES = 500
"""Tasks of a file at most, with those of sets within others."""


@dataclass(frozen=True, slots=True)
class WaitTime:
    """Pause after a task, in seconds: as long as `low`, or any time from it to `high`."""

    low: float = 0.0
    high: float = 0.0

    def after(self, pause_s: float) -> Think:
        """Return the pause, with what the task itself waits at its end."""
        low, high = round(self.low + pause_s, 6), round(self.high + pause_s, 6)
        if low == high:
            return Think(constant=Seconds(low))
        return Think(uniform=(Seconds(low), Seconds(high)))


@dataclass(frozen=True, slots=True)
class TaskSequence:
    """Tasks that are done in order, with the share of users that do. owners: the class of each task."""

    user: str
    name: str
    share: Fraction
    owners: tuple[ast.ClassDef, ...]
    functions: tuple[ast.FunctionDef, ...]


@dataclass(slots=True)
class LocustClasses:
    """Classes of one file."""

    tree: ast.Module
    names: Mapping[str, Value]
    feeds: ChosenFeeds
    account: LineAccount
    _classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    _functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    _visits: int = 0

    def __post_init__(self) -> None:
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef):
                self._classes[statement.name] = statement
            elif isinstance(statement, ast.FunctionDef):
                self._functions[statement.name] = statement

    # --- kinds ------------------------------------------------------------------------------------

    def lineage(self, cls: ast.ClassDef) -> list[ast.ClassDef]:
        """Return a class and those of the file that it derives from, itself first."""
        lineage = [cls]
        for derived in lineage:
            for base in derived.bases:
                parent = self._classes.get(dotted(base))
                if parent is not None and parent not in lineage and len(lineage) < MOST_ANCESTORS:
                    lineage.append(parent)
        return lineage

    def is_kind(self, cls: ast.ClassDef, kinds: frozenset[str]) -> bool:
        """Return whether a class derives from one of Locust's."""
        bases = (base for derived in self.lineage(cls) for base in derived.bases)
        return any(dotted(base).rpartition(".")[2] in kinds for base in bases)

    def users(self) -> list[ast.ClassDef]:
        """Return the classes of users that Locust would start."""
        return [
            cls
            for cls in self._classes.values()
            if self.is_kind(cls, USERS) and not self._is_abstract(cls) and self._entries(cls)
        ]

    def others(self) -> list[ast.ClassDef]:
        """Return the classes of users and tasks of other kinds than those that are read."""
        return [
            cls
            for cls in self._classes.values()
            if not self.is_kind(cls, USERS | SETS | SHAPES)
            and any(dotted(base).endswith(("User", "Locust", "TaskSet")) for base in cls.bases)
            and not any(dotted(base) in self._classes for base in cls.bases)
        ]

    def shapes(self) -> list[ast.ClassDef]:
        """Return the classes that compute the load's shape."""
        return [cls for cls in self._classes.values() if self.is_kind(cls, SHAPES)]

    def _is_abstract(self, cls: ast.ClassDef) -> bool:
        return any(
            name == "abstract" and isinstance(value, ast.Constant) and value.value is True
            for name, value in _assigned(cls)
        )

    # --- attributes -------------------------------------------------------------------------------

    def functions(self, cls: ast.ClassDef) -> dict[str, ast.FunctionDef]:
        """Return the functions of a class, with those of the module and of the classes it derives from."""
        functions = dict(self._functions)
        for derived in reversed(self.lineage(cls)):
            functions |= {inner.name: inner for inner in derived.body if isinstance(inner, ast.FunctionDef)}
        return functions

    def attributes(self, cls: ast.ClassDef) -> dict[str, Value]:
        """Return the attributes of a class that are literals, as `self.NAME`."""
        values: dict[str, Value] = {}
        for derived in reversed(self.lineage(cls)):
            for name, value in _assigned(derived):
                evaluator = Evaluator({**self.names, **values}, self.feeds, name)
                try:
                    values[f"self.{name}"] = evaluator.value(value)
                except Computed:
                    values.pop(f"self.{name}", None)
        return values

    def host(self, cls: ast.ClassDef) -> str:
        """Return the server that a class names, without a slash at its end; empty for none."""
        value = self.attributes(cls).get("self.host")
        text = value.constant if isinstance(value, MixedText) else None
        return (text or "").rstrip("/")

    def weight(self, cls: ast.ClassDef) -> int:
        """Return the weight of a class of users."""
        attributes = self.attributes(cls)
        fixed, weight = attributes.get("self.fixed_count"), attributes.get("self.weight", 1)
        if type(fixed) is int and 0 < fixed < MOST_WEIGHT:
            self.account.alter(cls.lineno, f"{cls.name}.fixed_count", TEXTS.fixed_as_weight)
            return fixed
        return weight if type(weight) is int and 0 < weight < MOST_WEIGHT else 1

    def wait_time(self, owners: Sequence[ast.ClassDef], user: ast.ClassDef) -> WaitTime:
        """Return the pause after the tasks of a sequence: that of the set, else of the user."""
        for cls in (*owners[:1], user):
            for derived in self.lineage(cls):
                for name, value in reversed(list(_assigned(derived))):
                    if name == "wait_time":
                        return self._wait(value)
                attributes = self.attributes(derived)
                low, high = attributes.get("self.min_wait"), attributes.get("self.max_wait")
                if isinstance(low, int | float) and isinstance(high, int | float) and 0 <= low <= high:
                    return WaitTime(low / 1000, high / 1000)  # Locust before 1.0 has milliseconds
                for inner in derived.body:
                    if isinstance(inner, ast.FunctionDef) and inner.name == "wait_time":
                        self.account.drop(inner.lineno, "wait_time", TEXTS.computed_pause)
                        return WaitTime()
        return WaitTime()

    def _wait(self, node: ast.expr) -> WaitTime:
        kind = dotted(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        try:
            arguments = node.args if isinstance(node, ast.Call) else []
            numbers = [Evaluator(self.names, self.feeds).value(argument) for argument in arguments]
        except Computed:
            numbers = []
        is_plain = all(
            isinstance(number, int | float) and 0 <= number <= LONGEST_WAIT_S for number in numbers
        )
        match kind, numbers:
            case "constant", [length] if is_plain:
                return WaitTime(length, length)
            case "between", [low, high] if is_plain and low <= high:
                return WaitTime(low, high)
            case "constant_pacing", [length] if is_plain:
                self.account.alter(node.lineno, shown_code(node), TEXTS.pause_after)
                return WaitTime(length, length)
            case "constant_throughput", [rate] if is_plain and rate > 0:
                self.account.alter(node.lineno, shown_code(node), TEXTS.pause_after)
                return WaitTime(1 / rate, 1 / rate)
            case _:
                self.account.drop(node.lineno, shown_code(node), TEXTS.computed_pause)
                return WaitTime()

    # --- tasks ------------------------------------------------------------------------------------

    def with_sets(self, cls: ast.ClassDef) -> list[ast.ClassDef]:
        """Return a class and the sets of tasks in it."""
        whole = [cls]
        for owner in whole:
            entries = (entry for _, entry in self._entries(owner))
            sets = dict.fromkeys(entry for entry in entries if isinstance(entry, ast.ClassDef))
            whole += [entry for entry in sets if entry not in whole]
        return whole

    def is_left(self, cls: ast.ClassDef) -> bool:
        """Return whether a class is a set of tasks that a user leaves, and begins anew."""
        return any(leaves_set(entry) for _, entry in self._entries(cls))

    def sequences(self, cls: ast.ClassDef, share: Fraction) -> list[TaskSequence]:
        """Return what a user of a class may do, each with its share."""
        sequences = self._sequences(cls, share, cls.name, 0)
        scale = share / (sum(sequence.share for sequence in sequences) or share)
        return [replace(sequence, share=sequence.share * scale) for sequence in sequences]

    def _sequences(self, cls: ast.ClassDef, share: Fraction, user: str, deep: int) -> list[TaskSequence]:
        entries = self._entries(cls)
        self._visits += 1
        if deep >= MOST_SETS or self._visits > MOST_VISITS:
            self.account.drop(cls.lineno, f"class {cls.name}", TEXTS.too_deep)
            return []
        if self.is_kind(cls, IN_ORDER):
            return self._in_order(cls, share, user, deep)
        total = sum(weight for weight, _ in entries)
        leaving = sum(weight for weight, entry in entries if leaves_set(entry))
        if deep and leaving:
            # Of the tasks picked until a user leaves, one leaves; the others come by their weights beside it.
            total = leaving
        sequences: list[TaskSequence] = []
        for weight, entry in entries:
            part = share * Fraction(weight, total)
            if isinstance(entry, ast.FunctionDef):
                sequences.append(TaskSequence(user, entry.name, part, (cls,), (entry,)))
                continue
            if len(entries) > 1 or deep:
                why = TEXTS.set_by_shares if self.is_left(entry) else TEXTS.set_left_at_once
                self.account.alter(entry.lineno, f"class {entry.name}", why)
            sequences += self._sequences(entry, part, user, deep + 1)
            if len(sequences) > MOST_SEQUENCES:
                self.account.drop(entry.lineno, f"class {entry.name}", TEXTS.too_deep)
                return sequences[:MOST_SEQUENCES]
        return sequences

    def _in_order(self, cls: ast.ClassDef, share: Fraction, user: str, deep: int) -> list[TaskSequence]:
        owners: list[ast.ClassDef] = []
        functions: list[ast.FunctionDef] = []
        for _, entry in self._entries(cls):
            if isinstance(entry, ast.FunctionDef):
                owners.append(cls)
                functions.append(entry)
                continue
            inner = self._sequences(entry, share, user, deep + 1)
            if len(inner) == 1 and len(functions) < MOST_SEQUENCES:
                owners += inner[0].owners
                functions += inner[0].functions
            else:
                self.account.drop(entry.lineno, f"class {entry.name}", TEXTS.no_choice_in_order)
        return [TaskSequence(user, cls.name, share, tuple(owners), tuple(functions))] if functions else []

    def _entries(self, cls: ast.ClassDef) -> list[tuple[int, ast.FunctionDef | ast.ClassDef]]:
        """Return the tasks of a class with their weights, in their order."""
        entries: dict[str, tuple[int, ast.FunctionDef | ast.ClassDef]] = {}
        listed: list[tuple[int, ast.FunctionDef | ast.ClassDef]] = []
        for derived in reversed(self.lineage(cls)):
            for inner in derived.body:
                if isinstance(inner, ast.FunctionDef | ast.ClassDef):
                    entries.pop(inner.name, None)
                    weight = self._task_weight(inner)
                    if weight > 0:
                        entries[inner.name] = (weight, inner)
            for name, value in _assigned(derived):
                if name in ("tasks", "task_set"):
                    listed = list(self._listed(cls, value))
        return [*listed, *entries.values()]

    def _task_weight(self, inner: ast.FunctionDef | ast.ClassDef) -> int:
        """Return the weight of a task; 0 for what is none."""
        for decorator in inner.decorator_list:
            call = decorator.func if isinstance(decorator, ast.Call) else decorator
            kind = dotted(call).rpartition(".")[2]
            if kind == "seq_task":
                return 1
            if kind == "task":
                arguments = decorator.args if isinstance(decorator, ast.Call) else []
                return self._whole(arguments[0], inner) if arguments else 1
        return 0

    def _whole(self, node: ast.expr, where: ast.AST) -> int:
        try:
            weight = Evaluator(self.names, self.feeds).value(node)
        except Computed:
            weight = None
        if type(weight) is int and 0 <= weight < MOST_WEIGHT:
            return weight
        self.account.alter(getattr(where, "lineno", 1), shown_code(node), TEXTS.weight_computed)
        return 1

    def _listed(
        self, cls: ast.ClassDef, value: ast.expr
    ) -> Iterator[tuple[int, ast.FunctionDef | ast.ClassDef]]:
        match value:
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                pairs = [(item, 1) for item in items]
            case ast.Dict(keys=keys, values=values):
                pairs = [
                    (key, self._whole(weight, value))
                    for key, weight in zip(keys, values, strict=True)
                    if key is not None
                ]
            case _:
                pairs = [(value, 1)]
        for item, weight in pairs:
            entry = self._entry(cls, dotted(item))
            if entry is None:
                self.account.drop(item.lineno, shown_code(item), TEXTS.unknown_task)
            elif weight > 0:
                yield weight, entry

    def _entry(self, cls: ast.ClassDef, name: str) -> ast.FunctionDef | ast.ClassDef | None:
        inner = {
            part.name: part
            for derived in self.lineage(cls)
            for part in derived.body
            if isinstance(part, ast.ClassDef)
        }
        classes = {**self._classes, **inner}
        return classes.get(name) or self.functions(cls).get(name)


def leaves_set(entry: ast.FunctionDef | ast.ClassDef) -> bool:
    """Return whether a task ends by leaving the set that it is in."""
    return isinstance(entry, ast.FunctionDef) and any(map(is_interruption, entry.body))


def _assigned(cls: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes that a class's body gives, with their values."""
    for statement in cls.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
