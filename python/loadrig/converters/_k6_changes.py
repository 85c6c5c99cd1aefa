"""Changes that a k6 script makes to values: assignments, `delete`, and methods of lists."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_patterns import AnswerPart
from loadrig.converters._k6_texts import MOST_DEEP, Value, text_of
from loadrig.converters._k6_tree import named_parts, text_in
from loadrig.converters._k6_values import MOST_ITEMS, ScriptEvaluator
from loadrig.converters._owned import ContainerWalk, OwnedDict, OwnedList

MUTATORS = frozenset(("push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"))
"""Methods that change the list that they are called on."""

MOST_LINKS = 200
"""Members and calls of each other that are gone through, at most: each link of a chain begins its own."""

FUNCTIONS = frozenset((
    "arrow_function", "function_expression", "function_declaration", "function", "method_definition",
))  # fmt: skip
"""Parts of a script's tree that are functions."""

_NAMES = frozenset((
    "identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
))  # fmt: skip
_PLACES = frozenset(("member_expression", "subscript_expression"))
_READING = frozenset((
    "Math", "JSON", "Date", "Array", "String", "Number", "parseInt", "parseFloat", "encoding", "crypto",
    "console", "check", "sleep", "group", "fail", "randomItem", "randomIntBetween", "encodeURIComponent",
    "encodeURI", "b64encode", "btoa", "open", "papaparse", "Papa", "SharedArray", "isNaN", "Boolean",
))  # fmt: skip
"""Functions and objects whose functions change nothing that they are given."""

_READING_METHODS = frozenset((
    "map", "filter", "join", "concat", "slice", "includes", "indexOf", "find", "keys", "values", "entries",
    "add", "set", "exec", "json", "html", "toString", "test", "match", "replace", "split", "stringify",
))  # fmt: skip


@dataclass(slots=True)
class ScriptEffects:
    """Names that a part of a script may change. rebound: to others. mutated: lists and objects in place.

    declared: the names that the part itself declares.
    """

    rebound: set[str] = field(default_factory=set)
    mutated: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)

    @property
    def outside(self) -> "ScriptEffects":
        """Names that a function changes of those around it."""
        return ScriptEffects(self.rebound - self.declared, self.mutated - self.declared)


def effects_of(
    *nodes: Any,
    clients: frozenset[str] = frozenset(),
    followed: Any = None,
    deep: int = 0,
    is_given: bool = False,
) -> ScriptEffects:
    """Return what parts of a script may change. followed: a call in them that its reader carries out.

    is_given: whether they are given to a function that may change what it gets.
    """
    effects = ScriptEffects()
    waiting = [(node, is_given) for node in nodes]
    argument_ids = set[int]()
    while waiting:
        part, is_in_given = waiting.pop()
        is_in_given = is_in_given or part.id in argument_ids
        if part.type in FUNCTIONS and part not in nodes and deep < MOST_DEEP:
            inner = effects_of(
                part, clients=clients, followed=followed, deep=deep + 1, is_given=is_in_given
            ).outside
            effects.rebound |= inner.rebound
            effects.mutated |= inner.mutated
            continue
        if is_in_given and part.type in _NAMES:
            effects.mutated.add(text_in(part))
        if part.type == "call_expression" and part != followed:
            argument_ids |= {argument.id for argument in _add_call(part, effects, clients)}
        else:
            _add(part, effects)
        waiting += [(child, is_in_given) for child in part.named_children]
    return effects


def _add(node: Any, effects: ScriptEffects) -> None:
    match node.type:
        case "variable_declarator":
            names = set(_names_in(node.child_by_field_name("name")))
            effects.rebound |= names
            effects.declared |= names
        case "formal_parameters":
            effects.declared |= set(_names_in(node))
        case "assignment_expression" | "augmented_assignment_expression":
            _add_target(node.child_by_field_name("left"), effects)
        case "update_expression":
            _add_target(node.child_by_field_name("argument"), effects)
        case "for_in_statement":
            _add_target(node.child_by_field_name("left"), effects)
        case "unary_expression" if text_in(node.child_by_field_name("operator")) == "delete":
            _add_target(node.child_by_field_name("argument"), effects)
        case kind if kind in FUNCTIONS and (single := node.child_by_field_name("parameter")) is not None:
            effects.declared.add(text_in(single))
        case _:
            pass


def effects_of_target(node: Any) -> ScriptEffects:
    """Return what an assignment to a name, a place or a pattern changes."""
    effects = ScriptEffects()
    _add_target(node, effects)
    return effects


def _add_target(node: Any, effects: ScriptEffects) -> None:
    if node is None:
        return
    if node.type in _PLACES:
        effects.mutated.add(root_of(node))
        return
    names = set(_names_in(node))
    effects.rebound |= names
    effects.mutated |= {root_of(part) for part in _parts_in(node) if part.type in _PLACES}


def _add_call(call: Any, effects: ScriptEffects, clients: frozenset[str]) -> list[Any]:
    """Add what a method changes that it is called on. Return the arguments that a call may change."""
    function = call.child_by_field_name("function")
    last = text_in(function.child_by_field_name("property")) if function.type == "member_expression" else ""
    if last in MUTATORS:
        effects.mutated.add(root_of(function))
        return []
    arguments = call.child_by_field_name("arguments")
    root = root_of(function)
    if root == "Object":
        return named_parts(arguments)[:1] if last == "assign" else []
    is_reading = root in _READING or root in clients or last in _READING_METHODS
    return [] if is_reading else named_parts(arguments)


def _parts_in(node: Any) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += part.named_children


def _names_in(node: Any) -> Iterator[str]:
    for part in _parts_in(node):
        if part.type in _NAMES:
            yield text_in(part)


def root_of(node: Any) -> str:
    """Return the name of the value that an expression is in: "a" of `a.b["c"]`; of a long chain none."""
    for _ in range(MOST_LINKS):
        if node is None or node.type == "identifier":
            break
        is_call = node.type == "call_expression"
        inner = node.child_by_field_name("function" if is_call else "object")
        if inner is None:
            parts = named_parts(node)
            inner = parts[0] if len(parts) == 1 else None
        node = inner
    return text_in(node) if node is not None and node.type == "identifier" else ""


def reading_functions(functions: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of functions that change nothing: not what they are given, and not what is around."""
    every = {name: effects_of(function) for name, function in functions.items()}
    return frozenset(
        name for name, effects in every.items() if not effects.mutated and effects.rebound <= effects.declared
    )


def changed_by_functions(functions: Mapping[str, Any]) -> set[str]:
    """Return the names of a script that its functions change: an iteration sees what those before it did."""
    changed = set[str]()
    for function in functions.values():
        effects = effects_of(function)
        in_place = {root_of(place) for place in map(_changed_place, _parts_in(function)) if place is not None}
        changed |= (effects.rebound | in_place) - effects.declared
    return changed


def _changed_place(node: Any) -> Any:
    """Return the place that a part of a script gives another value, or changes by a method; None for none.

    Looked at from above: tree-sitter goes down from the root to find what is around a part.
    """
    place = None
    match node.type:
        case "call_expression":
            function = node.child_by_field_name("function")
            method = function.child_by_field_name("property")
            place = function if method is not None and text_in(method) in MUTATORS else None
        case "assignment_expression" | "augmented_assignment_expression":
            place = node.child_by_field_name("left")
        case "update_expression":
            place = node.child_by_field_name("argument")
        case "unary_expression" if text_in(node.child_by_field_name("operator")) == "delete":
            place = node.child_by_field_name("argument")
        case _:
            pass
    return place if place is not None and place.type in _PLACES else None


class ScriptChanges:
    """Changes of the values of one function and of those that it calls. owner: of what they make."""

    def __init__(self, owner: object) -> None:
        self._owner = owner
        self._walk = ContainerWalk()
        self.frames: list[dict[str, Value]] = []

    def forget(self, names: dict[str, Value], effects: ScriptEffects) -> None:
        """Take names as unknown that a part of the script may have changed."""
        for name in effects.rebound:
            names.pop(name, None)
        for name in effects.mutated:
            self.taint(names, name)

    def taint(self, names: dict[str, Value], name: str) -> None:
        """Take as unknown what may have been changed in place, by all of its names."""
        value = names.get(name)
        if isinstance(value, AnswerPart) and value.path not in ("", "$body", "status"):
            names.pop(name)
        if not isinstance(value, dict | list):
            return
        names.pop(name)
        frames = (names, *self.frames)
        for number, other in list(self._walk.sharing(frames, value)):
            frames[number].pop(other, None)

    # --- single changes ---------------------------------------------------------------------------

    def _own(self, node: Any, evaluator: ScriptEvaluator) -> Any:
        whole = evaluator.value(node)
        is_own = isinstance(whole, OwnedDict | OwnedList) and whole.owner is self._owner
        if not is_own or self._walk.is_over:
            raise Unread
        return whole

    def _fits(self, whole: Any, value: Value) -> None:
        """See that a value may stand in a list or an object. Raise Unread."""
        parts = list(self._walk.containers(value))
        self._walk.looked_at += len(whole)
        if any(part is whole for part in parts) or len(whole) + sum(map(len, parts)) > MOST_ITEMS:
            raise Unread
        if len(list(self._walk.containers(whole))) > MOST_DEEP * MOST_DEEP:
            raise Unread

    def _key(self, node: Any, whole: Any, evaluator: ScriptEvaluator) -> Any:
        """Return the place in a list or an object that an expression names. Raise Unread."""
        if node.type == "member_expression":
            name: Value = text_in(node.child_by_field_name("property"))
        else:
            index = evaluator.value(node.child_by_field_name("index"))
            name = text_of(index).constant if isinstance(whole, dict) else index
        is_place = isinstance(name, str) if isinstance(whole, dict) else type(name) is int
        if not is_place or (isinstance(whole, list) and not 0 <= name <= len(whole)):
            raise Unread
        return name

    def put(self, node: Any, value: Value, evaluator: ScriptEvaluator) -> None:
        """Give a value to a place in a list or an object. Raise Unread."""
        whole = self._own(node.child_by_field_name("object"), evaluator)
        key = self._key(node, whole, evaluator)
        self._fits(whole, value)
        if isinstance(whole, list) and key == len(whole):
            whole.append(value)
        else:
            whole[key] = value

    def delete(self, node: Any, evaluator: ScriptEvaluator) -> None:
        """Carry out `delete`. Raise Unread."""
        if node.type not in _PLACES:
            raise Unread
        whole = self._own(node.child_by_field_name("object"), evaluator)
        if not isinstance(whole, dict):
            raise Unread
        whole.pop(self._key(node, whole, evaluator), None)

    def mutate(self, call: Any, evaluator: ScriptEvaluator) -> Value:
        """Carry out a call that changes a list or an object, and return what it returns. Raise Unread."""
        function = call.child_by_field_name("function")
        values = [evaluator.value(part) for part in named_parts(call.child_by_field_name("arguments"))]
        if text_in(function) == "Object.assign":
            whole = self._own(named_parts(call.child_by_field_name("arguments"))[0], evaluator)
            for more in values[1:]:
                if not isinstance(more, dict) or not isinstance(whole, dict):
                    raise Unread
                self._fits(whole, more)
                whole.update(more)
            return whole
        whole = self._own(function.child_by_field_name("object"), evaluator)
        for value in values:
            self._fits(whole, value)
        if not isinstance(whole, list):
            raise Unread
        match text_in(function.child_by_field_name("property")), values:
            case "push", [*more]:
                whole.extend(more)
                return len(whole)
            case "unshift", [*more]:
                whole[:0] = more
                return len(whole)
            case "pop", [] if whole:
                return whole.pop()
            case "shift", [] if whole:
                return whole.pop(0)
            case "reverse", []:
                whole.reverse()
                return whole
            case _:
                raise Unread


def is_mutation(call: Any) -> bool:
    """Return whether a call changes a list or an object in place."""
    function = call.child_by_field_name("function")
    if text_in(function) == "Object.assign":
        arguments = named_parts(call.child_by_field_name("arguments"))
        return bool(arguments) and arguments[0].type != "object"
    is_method = function.type == "member_expression"
    return is_method and text_in(function.child_by_field_name("property")) in MUTATORS
