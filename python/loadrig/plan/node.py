"""A plan's text as a tree in which every value remembers where it was written.

Made by plan.syntax; nothing here knows what a plan means. Nodes are never changed: `put` and
`placed` return a new tree.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from loadrig.base.errors import Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_nouns import PlanNodeTexts

TEXTS = texts_of(PlanNodeTexts)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value.

    value: by the YAML 1.2 core schema. text: the same as a text, quotes and escapes resolved.
    is_quoted: whether the author quoted it, so that it cannot be meant as a number.
    """

    span: Span
    value: str | int | float | bool | None
    text: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    span: Span
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class MappingEntry:
    """Key of a mapping and its value. span: place of the key."""

    key: str
    span: Span
    node: "Node"


@dataclass(frozen=True, slots=True)
class Entries:
    """A mapping, in the order as written."""

    span: Span
    entries: Mapping[str, MappingEntry]


Node = Scalar | Items | Entries
Path = tuple[str | int, ...]


def at(node: Node, *path: str | int) -> Node | None:
    """Return the node below this one by keys and indices; None where there is none."""
    for step in path:
        if isinstance(node, Entries) and step in node.entries:
            node = node.entries[str(step)].node
        elif isinstance(node, Items) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node


def place(node: Node, *path: str | int) -> Span:
    """Return the nearest place to a path.

    It is the place of its key, else of the closest key above it that is written.
    """
    span = node.span
    for step in path:
        if isinstance(node, Entries) and step in node.entries:
            span = node.entries[str(step)].span
            node = node.entries[str(step)].node
        elif isinstance(node, Items) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            span = node.span
        else:
            break
    return span


def listed(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a list; a single value is a list of one, and nothing is an empty list."""
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return ()
    return node.items if isinstance(node, Items) else (node,)


def plain(node: Node) -> Any:
    """Return the value as JSON would hold it."""
    match node:
        case Scalar(value=value):
            return value
        case Items(items=items):
            return [plain(item) for item in items]
        case Entries(entries=entries):
            return {key: plain(entry.node) for key, entry in entries.items()}


def described(node: Node) -> str:
    """Return what was written, for a message: "30", "'abc'", "a list", "a mapping", "nothing"."""
    match node:
        case Scalar(value=None):
            return TEXTS.nothing
        case Scalar(value=str(), text=text):
            return repr(text if len(text) <= 60 else text[:59] + "…")
        case Scalar(text=text):
            return text
        case Items():
            return TEXTS.a_list
        case Entries():
            return TEXTS.a_mapping


def scalars(node: Node) -> Iterator[Scalar]:
    """Yield every single value below a node, in the order as written; keys are not among them."""
    match node:
        case Scalar():
            yield node
        case Items(items=items):
            for item in items:
                yield from scalars(item)
        case Entries(entries=entries):
            for entry in entries.values():
                yield from scalars(entry.node)


def put(node: Node | None, path: Path, value: Node, span: Span) -> Node:
    """Return the tree with `value` at a path; mappings that are missing on the way are made at `span`."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(node, Items) and isinstance(step, int) and step < len(node.items):
        items = list(node.items)
        items[step] = put(items[step], rest, value, span)
        return replace(node, items=tuple(items))
    entries = dict(node.entries) if isinstance(node, Entries) else {}
    key = str(step)
    old = entries.get(key)
    entries[key] = MappingEntry(
        key, old.span if old else span, put(old.node if old else None, rest, value, span)
    )
    return Entries(node.span if isinstance(node, Entries) else span, entries)


def placed(node: Node, span: Span) -> Node:
    """Return the same values, all of them with one place."""
    match node:
        case Scalar():
            return replace(node, span=span)
        case Items(items=items):
            return Items(span, tuple(placed(item, span) for item in items))
        case Entries(entries=entries):
            moved = {key: MappingEntry(key, span, placed(entry.node, span)) for key, entry in entries.items()}
            return Entries(span, moved)


def part(node: Scalar, fragment: str) -> Span:
    """Return the place of a fragment of a value.

    It is the place of the whole value where the fragment cannot be found on its line.
    """
    column = node.span.text.find(fragment, max(0, node.span.column - 1)) if node.span.line else -1
    if column < 0 or column >= node.span.column - 1 + max(node.span.length, 1):
        return node.span
    return replace(node.span, column=column + 1, length=len(fragment))
