"""Effects of parts of a locustfile: which names they may change, and whether they make requests."""

import ast
import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from loadrig.converters._locust_values import dotted
from loadrig.plan.written import METHODS

SLEEPS = ("time.sleep", "gevent.sleep", "sleep")
"""Functions that wait."""

MUTATORS = frozenset((
    "append", "extend", "insert", "remove", "pop", "popitem", "clear", "sort", "reverse", "update",
    "setdefault", "add", "discard",
))  # fmt: skip
"""Methods that change the list, the dict or the set that they are called on."""

_READING_METHODS = frozenset((
    "join", "format", "get", "json", "index", "count", "failure", "success", "info", "debug", "warning",
    "error", "exception", "encode", "decode",
))  # fmt: skip
_PURE_MODULES = frozenset((
    "random", "math", "json", "copy", "time", "datetime", "logging", "logger", "log", "re", "os",
    "base64", "uuid", "string", "urllib", "itertools",
))  # fmt: skip
_PURE = frozenset(dir(builtins)) - {"setattr", "delattr", "exec", "eval"}
_CHANGING = frozenset(("random.shuffle",))
_HARMLESS_METHODS = frozenset(("__init__", "interrupt", "on_start", "on_stop"))
"""Methods of Locust's own classes that are called with the user and make no request."""


@dataclass(slots=True)
class NameChanges:
    """Names that a part of a file may change. rebound: to other values. mutated: lists and dicts in place."""

    rebound: set[str] = field(default_factory=set)
    mutated: set[str] = field(default_factory=set)

    @property
    def of_self(self) -> set[str]:
        """Attributes among the names, as `self.NAME`, whatever the function calls its user."""
        names = self.rebound | self.mutated
        return {f"self.{name.partition('.')[2]}" for name in names if "." in name}

    def add(self, other: "NameChanges") -> None:
        """Add the names of another part."""
        self.rebound |= other.rebound
        self.mutated |= other.mutated


@dataclass(slots=True)
class _OwnFacts:
    """Facts of a function. changed: attributes, as `self.NAME`. called: functions of the file, by name."""

    acts: bool = False
    changed: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)


class FunctionFacts:
    """Facts about the functions that a task can call, and about parts of them. functions: by their names."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef]) -> None:
        self.functions = functions
        self._own_facts: dict[str, _OwnFacts] = {}
        self._all_facts: dict[str, _OwnFacts] = {}

    def own(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the function of the file that is called; None for any other."""
        return self.functions.get(dotted(call.func).removeprefix("self."))

    def acts(self, *nodes: ast.AST) -> bool:
        """Return whether parts of the file make requests, wait, or give headers to the client."""
        return any(self._is_act(call) for node in nodes for call in calls_in(node))

    def _is_act(self, call: ast.Call) -> bool:
        name = self._called(call)
        return self._with_called(name).acts if name else _is_act_itself(call)

    def _called(self, call: ast.Call) -> str:
        """Return the name of a function that may be the file's own; empty for any other."""
        last = call.func.attr if isinstance(call.func, ast.Attribute) else dotted(call.func)
        is_own = last in self.functions and not _is_super(call) and request_of(call) is None
        return last if is_own and dotted(call.func) not in SLEEPS and not is_header_update(call) else ""

    def _of_itself(self, name: str) -> "_OwnFacts":
        """Return what a function does itself, without those that it calls."""
        if name not in self._own_facts:
            facts = self._own_facts[name] = _OwnFacts()
            changes = NameChanges()
            for inner in (inner for part in self.functions[name].body for inner in ast.walk(part)):
                if not isinstance(inner, ast.Call):
                    _add_plain(inner, changes)
                elif called := self._called(inner):
                    facts.called.add(called)
                else:
                    facts.acts = facts.acts or _is_act_itself(inner)
                if isinstance(inner, ast.Call) and not _takes_out(inner):
                    _add_call(inner, changes, is_own=self.own(inner) is not None)
            facts.changed = changes.of_self
        return self._own_facts[name]

    def _with_called(self, name: str) -> "_OwnFacts":
        """Return what a function does with those that it calls, and those that they call."""
        if name not in self._all_facts:
            whole, waiting = _OwnFacts(), [name]
            while waiting:
                part = waiting.pop()
                if part not in whole.called:
                    facts = self._of_itself(part)
                    whole.called.add(part)
                    whole.acts = whole.acts or facts.acts
                    whole.changed |= facts.changed
                    waiting += facts.called
            self._all_facts[name] = whole
        return self._all_facts[name]

    def changes(self, *nodes: ast.AST, followed: ast.AST | None = None) -> NameChanges:
        """Return what parts of the file may change. followed: a call in them that its reader carries out."""
        changes = NameChanges()
        for node in nodes:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call):
                    if inner is not followed:
                        function = self.own(inner)
                        _add_call(inner, changes, is_own=function is not None)
                        if function is not None:
                            changes.mutated |= self.of_self(function)
                            changes.rebound |= self.of_self(function)
                else:
                    _add_plain(inner, changes)
        return changes

    def of_self(self, function: ast.FunctionDef) -> set[str]:
        """Return the attributes that a function and those that it calls change, as `self.NAME`."""
        if self.functions.get(function.name) is not function:
            return self.changes(*function.body).of_self
        return self._with_called(function.name).changed


def _is_act_itself(call: ast.Call) -> bool:
    if request_of(call) is not None or dotted(call.func) in SLEEPS or is_header_update(call):
        return True
    last = call.func.attr if isinstance(call.func, ast.Attribute) else dotted(call.func)
    return last not in _HARMLESS_METHODS and not _is_pure(call) and _hands_user_on(call)


def _takes_out(call: ast.Call) -> bool:
    """Return whether a call takes an entry out of a list: whoever does so has the next one."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "pop"


def _add_call(call: ast.Call, changes: NameChanges, *, is_own: bool) -> None:
    """Add what a call changes. is_own: whether it is of a function of the file, whose own changes are not."""
    last = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if last in MUTATORS and isinstance(call.func, ast.Attribute) and not is_header_update(call):
        changes.mutated.add(root_name(call.func.value))
        return
    is_reading = last in _READING_METHODS | _HARMLESS_METHODS or _is_pure(call)
    if request_of(call) is None and not is_reading:
        values = (*call.args, *(word.value for word in call.keywords))
        names = (inner for part in values for inner in ast.walk(part))
        roots = (root_name(inner) for inner in names if isinstance(inner, ast.Name | ast.Attribute))
        changes.mutated |= set(roots)
    changes.mutated -= {"", "self"} if is_own else {""}


def _add_plain(node: ast.AST, changes: NameChanges) -> None:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            changes.rebound.add(name)
        case ast.Attribute(ctx=ast.Store() | ast.Del()):
            changes.rebound.add(root_name(node))
        case ast.Subscript(ctx=ast.Store() | ast.Del(), value=inner):
            changes.mutated.add(root_name(inner))
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target):
            changes.mutated.add(root_name(target))
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.ExceptHandler(name=str() as name):
            changes.rebound.add(name)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            changes.rebound |= set(names)
        case ast.alias(name=name, asname=alias):
            changes.rebound.add(alias or name.partition(".")[0])
        case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
            changes.rebound.add(name)
        case _:
            pass


def changed_globals(tree: ast.Module) -> set[str]:
    """Return the names of a file whose lists or dicts a function changes while the test runs.

    A list from which functions only `pop` stays: each call takes the next entry out of it.
    """
    changed: set[str] = set()
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for function in functions:
        local = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        names: set[str] = set()
        for node in ast.walk(function):
            match node:
                case ast.Name(id=name, ctx=ast.Store()):
                    local.add(name)
                case ast.Subscript(ctx=ast.Store() | ast.Del(), value=inner):
                    names.add(root_name(inner))
                case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in MUTATORS - {"pop"}:
                    names.add(root_name(inner))
                case ast.Call(func=func, args=[part]) if dotted(func) in _CHANGING:
                    names.add(root_name(part))
                case _:
                    pass
        changed |= names - local
    return changed


def calls_in(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls in a part of the file."""
    return (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))


def request_of(call: ast.Call) -> tuple[str, list[ast.expr]] | None:
    """Return the method of a client's call, and its positional arguments; None for any other call."""
    match call.func:
        case ast.Attribute(value=ast.Attribute(attr="client"), attr=method) if method in (
            *METHODS, "request", "rest",
        ):  # fmt: skip
            return method, list(call.args)
        case ast.Attribute(value=ast.Name() | ast.Attribute(attr="user"), attr="rest"):
            return "rest", list(call.args)
        case _:
            return None


def root_name(node: ast.AST) -> str:
    """Return the name of the value that an expression is in: "self.a" of `self.a["b"].get(1)`."""
    while not dotted(node):
        match node:
            case ast.Subscript(value=inner) | ast.Attribute(value=inner) | ast.Starred(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner)):
                node = inner
            case _:
                return ""
    return ".".join(dotted(node).split(".")[:2])


def is_header_update(call: ast.Call) -> bool:
    """Return whether a call gives headers to a client."""
    match call.func:
        case ast.Attribute(value=ast.Attribute(value=inner, attr="headers"), attr="update"):
            return dotted(inner).rpartition(".")[2] == "client" or (
                isinstance(inner, ast.Attribute) and inner.attr == "client"
            )
        case _:
            return False


def _is_super(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return True
        case _:
            return False


def _is_pure(call: ast.Call) -> bool:
    """Return whether a call leaves what it is given as it was."""
    name = dotted(call.func)
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Constant | ast.JoinedStr):
        return True
    return name not in _CHANGING and (name in _PURE or name.partition(".")[0] in _PURE_MODULES)


def _hands_user_on(call: ast.Call) -> bool:
    """Return whether a call gives the user or its client to a function that the file does not define."""
    values = (*call.args, *(word.value for word in call.keywords))
    return any(dotted(part) == "self" or dotted(part).endswith("self.client") for part in values)
