"""Reader of nodes into the dataclasses that rooms declare with base.shape.

Every problem is reported, not the first alone. A value that cannot be read is noted and its default stands in
for it, so that reading goes on; `is_clean` tells later checks whether what they look at was read whole. A
value that is required and cannot be read makes its whole object INVALID.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, Self, TypeVar

from loadrig.base import members
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem, Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_reader import PlanReaderErrors
from loadrig.plan.amounts import read_amount
from loadrig.plan.forms import form_problem
from loadrig.plan.kinds import (
    Amount,
    Anything,
    Either,
    Field,
    Kind,
    Listed,
    Mapped,
    Member,
    Notation,
    Plain,
    Shaped,
    Words,
    accepts,
    example_of,
    fields_of,
    noun_of,
    room_noun,
    short_of,
)
from loadrig.plan.model import ChosenMember
from loadrig.plan.node import Entries, Items, MappingEntry, Node, Scalar, described, plain
from loadrig.plan.synonyms import elsewhere, meant_key

T = TypeVar("T")

ERRORS = texts_of(PlanReaderErrors)

_KEY = re.compile(r"\w+")


class _Invalid:
    def __repr__(self) -> str:
        return "INVALID"


INVALID: Final = _Invalid()
"""Stand-in for a value that could not be read; the problems say why."""


class _ItemName(str):
    """Name of an item of a list, which is written without a key. key: that of the list."""

    key: str

    def __new__(cls, number: int, name: str) -> Self:
        item = super().__new__(cls, ERRORS.item(number, name))
        item.key = _key_of(name)
        return item


def _key_of(name: str) -> str:
    """Return the key that a value stands under, given what it is called."""
    return name.key if isinstance(name, _ItemName) else name.rpartition(" ")[2]


class Reader:
    """Reader of a plan's nodes, which gathers the problems. Each plan has a reader of its own.

    is_of_flags: whether flags of a command stand in the place of keys.
    """

    def __init__(self, problems: Iterable[Problem] = (), *, is_of_flags: bool = False) -> None:
        self.problems: list[Problem] = list(problems)
        self._is_of_flags = is_of_flags
        self._unclean: set[int] = set()
        self._marked: list[Node] = []

    def note(self, problem: Problem, node: Node | None = None) -> None:
        """Add a problem; with a node, the node no longer counts as clean."""
        self.problems.append(problem)
        if node is not None:
            self.mark(node)

    def reject(
        self, wording: ErrorWords, *, code: str, where: Span | None = None, node: Node | None = None
    ) -> None:
        """Add a problem in a catalogue's words; with a node, the node no longer counts as clean."""
        self.note(Problem.of(wording, code=code, where=where), node)

    def is_clean(self, node: Node | None) -> bool:
        """Return whether a node was read without a problem in it."""
        return node is None or id(node) not in self._unclean

    def mark(self, node: Node) -> None:
        """Mark a node as wrong, so that it no longer counts as clean."""
        self._unclean.add(id(node))
        self._marked.append(node)  # an id is a node's own only while the node lives

    def value(self, kind: Kind, node: Node, name: str, field: Field | None = None) -> Any:
        """Return a value of a kind, or INVALID. name: what the user calls it."""
        before = len(self.problems)
        value = self._value(kind, node, name, field)
        if len(self.problems) > before:
            self.mark(node)
        return value

    def shape(self, cls: type[T], node: Node, name: str, where: Span | None = None) -> T | _Invalid:
        """Return an object of a class from a mapping, or from a bare value if the class has a SHORT."""
        shaped: T | _Invalid = self.shapes((cls,), node, name, where)[0]
        return shaped

    def shapes(
        self, classes: tuple[type[Any], ...], node: Node, name: str, where: Span | None = None
    ) -> tuple[Any, ...]:
        """Return objects of several classes whose keys stand in one mapping; SHORT is the first class's."""
        before = len(self.problems)
        shaped = self._shapes(classes, node, name, where)
        if len(self.problems) > before:
            self.mark(node)
        return shaped

    def member(self, room: str, node: Node, name: str) -> tuple[ChosenMember, ...]:
        """Return the members named in a node: a bare name, or a mapping of names to their options."""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            chosen = self._chosen(room, node.text, node.span, Entries(node.span, {}))
            return (chosen,) if chosen else ()
        if not isinstance(node, Entries):
            self._wrong(Member(room), node, name)
            return ()
        members_chosen = []
        for entry in node.entries.values():
            chosen = self._chosen(room, entry.key, entry.span, entry.node)
            if chosen:
                members_chosen.append(chosen)
        return tuple(members_chosen)

    def _value(self, kind: Kind, node: Node, name: str, field: Field | None) -> Any:
        match kind:
            case Plain() | Amount() | Words():
                return self._single(kind, node, name, field)
            case Listed(item=item):
                return self._list(kind, item, node, name, field)
            case Mapped(item=item):
                return self._mapping(kind, item, node, name, field)
            case Shaped(cls=cls):
                return self.shape(cls, node, name)
            case Either(kinds=kinds):
                chosen = next((inner for inner in kinds if accepts(inner, node)), None)
                return (
                    self._value(chosen, node, name, field) if chosen else self._wrong(kind, node, name, field)
                )
            case Anything():
                return plain(node)
            case Member(room=room):
                return self._one_member(room, node, name)
            case Notation():
                return node

    # --- single values ---------------------------------------------------------------------------

    def _called(self, name: str, node: Node) -> str:
        """Return what a value is called in a sentence: not by its key where a flag was typed."""
        is_of_flag = self._is_of_flags and node.span.file.startswith("--")
        return ERRORS.value_of_flag if is_of_flag and _KEY.fullmatch(name) else name

    def _single(self, kind: Plain | Amount | Words, node: Node, name: str, field: Field | None) -> Any:
        if not isinstance(node, Scalar) or node.value is None:
            return self._wrong(kind, node, name, field)
        match kind:
            case Words(words=words):
                value: Any = node.value if node.value in words else node.text
                return value if value in words else self._unknown_word(words, node, name)
            case Amount(name=notation):
                value = read_amount(notation, node, self._called(name, node))
            case Plain(type=of) if of is str:
                # `X-Id: 5` means the text "5": what is written is what is sent.
                return node.text
            case Plain():
                value = node.value if accepts(kind, node) else None
                if value is None or (isinstance(value, float) and not abs(value) < float("inf")):
                    return self._wrong(kind, node, name, field)
                if kind.type is float:
                    value = float(value)
        if isinstance(value, Problem):
            self.problems.append(value)
            return INVALID
        unit = "s" if kind == Amount("duration") else ""
        return value if self._in_range(value, node, name, field, unit) else INVALID

    def _in_range(self, value: Any, node: Scalar, name: str, field: Field | None, unit: str) -> bool:
        if field is None or isinstance(value, bool) or not isinstance(value, (int, float)):
            return True
        low, high = field.low, field.high
        if (low is None or value >= low) and (high is None or value <= high):
            return True
        least, most = ("" if bound is None else f"{bound:.15g}{unit}" for bound in (low, high))
        wording = ERRORS.out_of_range(self._called(name, node), node.text, least, most)
        self.reject(wording, code="plan.out-of-range", where=node.span)
        return False

    def _unknown_word(self, words: tuple[Any, ...], node: Scalar, name: str) -> Any:
        close = members.nearest(node.text, [str(word) for word in words])
        called = self._called(name, node)
        wording = ERRORS.unknown_word(called, described(node), noun_of(Words(words)), close)
        self.reject(wording, code="plan.wrong-word", where=node.span)
        return INVALID

    def _wrong(self, kind: Kind, node: Node, name: str, field: Field | None = None) -> Any:
        why, example = "", example_of(kind)
        if field is not None and field.kind == kind:
            example = field.example
        if isinstance(node, Entries) and len(node.entries) == 1 and isinstance(kind, Plain):
            key, entry = next(iter(node.entries.items()))
            if isinstance(entry.node, Scalar) and entry.node.value is None:
                why = ERRORS.brace_is_mapping(key)
        if isinstance(kind, Plain) and kind.type is bool and isinstance(node, Scalar) and node.text:
            why = ERRORS.only_true_and_false
            example = "true" if node.text.lower() in ("yes", "on", "y", "1") else "false"
        called = self._called(name, node)
        example = example if isinstance(name, _ItemName) else f"{name}: {example}"
        if isinstance(node, Scalar) and node.value is None:
            wording = ERRORS.no_value(called, noun_of(kind), why, example)
        else:
            wording = ERRORS.other_kind(called, described(node), noun_of(kind), why, example)
        self.reject(wording, code="plan.wrong-type", where=node.span)
        return INVALID

    # --- lists and mappings ----------------------------------------------------------------------

    def _list(self, kind: Listed, item: Kind, node: Node, name: str, field: Field | None) -> Any:
        if isinstance(item, Member) and isinstance(node, Entries):
            return self.member(item.room, node, name)
        if isinstance(node, Scalar) and node.value is None:
            return self._wrong(kind, node, name, field)
        if not isinstance(node, Items):
            single = self.value(item, node, name, field)
            return INVALID if single is INVALID else (single,)
        if not node.items and field is not None and field.is_required:
            wording = ERRORS.empty_list(self._called(name, node), f"{field.key}: {field.example}")
            self.reject(wording, code="plan.empty-list", where=node.span)
            return INVALID
        read = [
            self.value(item, element, _ItemName(number, name), field)
            for number, element in enumerate(node.items, start=1)
        ]
        return tuple(element for element in read if element is not INVALID)

    def _mapping(self, kind: Mapped, item: Kind, node: Node, name: str, field: Field | None) -> Any:
        if not isinstance(node, Entries):
            return self._wrong(kind, node, name, field)
        read = {key: self.value(item, entry.node, key, field) for key, entry in node.entries.items()}
        return {key: value for key, value in read.items() if value is not INVALID}

    # --- shapes ----------------------------------------------------------------------------------

    def _shapes(
        self, classes: tuple[type[Any], ...], node: Node, name: str, where: Span | None
    ) -> tuple[Any, ...]:
        invalid = tuple(INVALID for _ in classes)
        if isinstance(node, Scalar) and node.value is None:
            node = Entries(node.span, {})
        short_name = name
        if not isinstance(node, Entries):
            field = short_of(classes[0])
            if field is None or (isinstance(node, Items) and not isinstance(field.kind, Listed)):
                self._wrong(Shaped(classes[0]), node, name)
                return invalid
            node = Entries(node.span, {field.key: MappingEntry(field.key, node.span, node)})
        else:
            short_name = ""
        by_key = {field.key: field for cls in classes for field in fields_of(cls)}
        meant = self._unknown_keys(node, tuple(by_key), name)
        return tuple(self._fields(cls, node, name, where or node.span, meant, short_name) for cls in classes)

    def _fields(
        self, cls: type[Any], node: Entries, name: str, where: Span, meant: frozenset[str], short_name: str
    ) -> Any:
        """Return the object of one class. short_name: what a value written without its key is called."""
        values: dict[str, Any] = {}
        is_whole = True
        for field in fields_of(cls):
            entry = node.entries.get(field.key)
            if entry is None:
                if field.is_required:
                    is_whole = False
                    if field.key not in meant:
                        self._missing(field, name, where)
                continue
            if field.is_optional and isinstance(entry.node, Scalar) and entry.node.value is None:
                continue
            value = self.value(field.kind, entry.node, short_name or field.key, field)
            if value is not INVALID:
                values[field.name] = value
            elif field.is_required:
                is_whole = False
        problem = form_problem(cls, node, name, where, meant)
        if problem:
            self.problems.append(problem)
            is_whole = False
        return cls(**values) if is_whole else INVALID

    def _missing(self, field: Field, name: str, where: Span) -> None:
        wording = ERRORS.missing_key(name, field.key, field.example, field.about())
        self.reject(wording, code="plan.missing-key", where=where)

    def _unknown_keys(self, node: Entries, keys: tuple[str, ...], name: str) -> frozenset[str]:
        """Note unknown keys; return the known keys that were meant, so that none is reported as missing."""
        meant = set()
        for entry in node.entries.values():
            if entry.key in keys:
                continue
            close = meant_key(entry.key, keys)
            if close in node.entries:
                close = None
            if close:
                meant.add(close)
            wording = ERRORS.unknown_key(name, entry.key, ", ".join(keys), close, elsewhere(entry.key, keys))
            self.reject(wording, code="plan.unknown-key", where=entry.span)
        return frozenset(meant)

    # --- members ---------------------------------------------------------------------------------

    def _one_member(self, room: str, node: Node, name: str) -> Any:
        chosen = self.member(room, node, name)
        if isinstance(node, Entries) and len(node.entries) != 1:
            names = members.names(room)
            wording = ERRORS.not_exactly_one_member(
                name, len(node.entries), ", ".join(names), f"{_key_of(name)}: {{{names[0]}: {{…}}}}"
            )
            self.reject(wording, code="plan.one-of", where=node.span)
            return INVALID
        return chosen[0] if chosen else INVALID

    def _chosen(self, room: str, member: str, where: Span, node: Node) -> ChosenMember | None:
        names = members.names(room)
        if member not in names:
            close = members.nearest(member, names)
            wording = ERRORS.unknown_member(room_noun(room), member, names, close)
            self.reject(wording, code="plan.unknown-member", where=where)
            return None
        options = self.shape(members.load(room, member).Options, node, member, where)
        return None if isinstance(options, _Invalid) else ChosenMember(member, options)
