"""Completion of a plan while it is typed: keys and words that may stand at a place of the text.

The place is found by the indentation alone, as a text that is being typed is no YAML yet. Inside of braces
and brackets nothing is proposed.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loadrig.base import members
from loadrig.plan.build import STRATEGIES
from loadrig.plan.kinds import (
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
    fields_of,
    options_of,
)
from loadrig.plan.model import StudyRules
from loadrig.plan.written import WrittenKnob, WrittenPlan

MOST_PROPOSED = 60
"""Proposals at a place, at most: the knobs of a large server are some dozens."""

_KEY = re.compile(r"(?P<indent>\s*(?:-\s+)*)(?P<key>[\w.-]+)\s*:(?:\s+(?P<rest>.*))?$")
_MARGIN = re.compile(r"\s*(?:-\s+)*")
_WORD = re.compile(r"[\w.-]*$")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Text that may stand at a place.

    text: what takes the place of the word before the cursor. doc: what it means; "" where it needs no word.
    example: a value as in a plan; "" where the text is a value itself.
    """

    text: str
    doc: str
    example: str


def proposals(text: str, line: int, column: int, code: str | None = None) -> tuple[str, list[Proposal]]:
    """Return the word before a place, and what may stand there instead of it.

    line and column count from 1; the column is that before which the next letter would be typed.
    code: language of what the proposals mean; that of this process if None.
    """
    lines = text.split("\n")
    before = lines[line - 1][: column - 1] if 0 < line <= len(lines) else ""
    match = _WORD.search(before)
    word = match[0] if match else ""
    head = before[: len(before) - len(word)]
    if "#" in head or "{" in head or "[" in head:
        return word, []
    if entry := _KEY.match(before):
        if entry["rest"] is not None and entry["rest"].strip() not in ("", word):
            return word, []
        kinds = _at(_path(lines[: line - 1], entry["indent"], entry["key"]))
        return word, _fitting(word, _values(kinds))
    if head.strip(" -"):
        return word, []
    kinds = _at(_path(lines[: line - 1], head, None))
    siblings = _siblings(lines, line - 1, _depth(head))
    return word, _fitting(
        word, (proposal for proposal in _keys(kinds, code) if proposal.text.rstrip(": ") not in siblings)
    )


def _fitting(word: str, all_of: Iterator[Proposal]) -> list[Proposal]:
    fitting: dict[str, Proposal] = {}
    for proposal in all_of:
        if proposal.text.startswith(word) and proposal.text.rstrip(": ") != word:
            fitting.setdefault(proposal.text, proposal)
    return list(fitting.values())[:MOST_PROPOSED]


def _depth(indent: str) -> int:
    """Return the column of a key, from its indentation with the dashes of a list."""
    return len(indent.expandtabs())


def _path(above: list[str], indent: str, key: str | None) -> list[str]:
    """Return the keys that lead to a place, the outermost first, by the lines above it.

    indent: what stands before the place in its line, with the dashes of a list.
    """
    path = [key] if key is not None else []
    depth = _outer(indent)
    for text in reversed(above):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        entry, margin = _KEY.match(text), _MARGIN.match(text)
        before = margin[0] if margin else ""
        if _depth(before) >= depth:
            # Another item of the list that the place is in, or its first line: the key is further out.
            if "-" in before and _outer(before) <= depth:
                depth = _outer(before)
            continue
        if entry is None:
            return []
        path.insert(0, entry["key"])
        depth = _outer(before)
        if depth == 0:
            break
    return path


def _outer(indent: str) -> int:
    """Return the column left of which the parent of a key stands: a list may stand as far out as its key."""
    dash = indent.expandtabs().find("-")
    return _depth(indent) if dash < 0 else dash + 1


def _siblings(lines: list[str], place: int, depth: int) -> set[str]:
    """Return the keys that stand in the same mapping already."""
    keys = set[str]()
    for step in (-1, 1):
        number = place + step
        while 0 <= number < len(lines):
            entry = _KEY.match(lines[number])
            number += step
            if entry is None:
                continue
            if _depth(entry["indent"]) < depth:
                break
            if _depth(entry["indent"]) == depth:
                keys.add(entry["key"])
                if "-" in entry["indent"]:
                    break
    return keys


def _at(path: list[str]) -> list[Kind]:
    """Return the kinds that a value at the end of a path may have."""
    kinds: list[Kind] = [Shaped(WrittenPlan)]
    for key in path:
        kinds = [inner for kind in kinds for inner in _below(kind, key)]
    return kinds


def _below(kind: Kind, key: str) -> Iterator[Kind]:
    """Yield the kinds of what stands below a key of a value."""
    match kind:
        case Shaped(cls=cls):
            yield from (field.kind for field in fields_of(cls) if field.key == key)
        case Listed(item=item):
            yield from _below(item, key)
        case Mapped(item=item):
            yield item
        case Either(kinds=kinds):
            for inner in kinds:
                yield from _below(inner, key)
        case Member(room=room):
            if key in members.names(room):
                yield Shaped(options_of(room, key))
        case Notation(schema="knob"):
            yield from _below(Shaped(WrittenKnob), key)
        case Notation(schema="study"):
            yield from (field.kind for field in _study_fields() if field.key == key and field.key != "find")
            if key == "find":
                yield Words(tuple(members.names(STRATEGIES)))
        case _:
            return


def _keys(kinds: list[Kind], code: str | None) -> Iterator[Proposal]:
    """Yield the keys that a value of one of several kinds may have."""
    for kind in kinds:
        match kind:
            case Shaped(cls=cls):
                yield from _described(fields_of(cls), code)
            case Listed(item=item):
                yield from _keys([item], code)
            case Either(kinds=inner):
                yield from _keys(list(inner), code)
            case Member(room=room):
                yield from (Proposal(f"{name}: ", "", "") for name in members.names(room))
            case Notation(schema="knob"):
                yield from _described(fields_of(WrittenKnob), code)
            case Notation(schema="study"):
                yield from _described(_study_fields(), code)
            case _:
                continue


def _values(kinds: list[Kind]) -> Iterator[Proposal]:
    """Yield the words that may stand behind a key."""
    for kind in kinds:
        match kind:
            case Words(words=words):
                yield from (Proposal(str(word), "", "") for word in words)
            case Plain(type=plain) if plain is bool:
                yield from (Proposal(word, "", "") for word in ("true", "false"))
            case Either(kinds=inner):
                yield from _values(list(inner))
            case Listed(item=item):
                yield from _values([item])
            case Member(room=room):
                yield from (Proposal(name, "", "") for name in members.names(room))
            case Notation(schema="study"):
                yield from (Proposal(name, "", "") for name in members.names(STRATEGIES))
            case _:
                continue


def _described(fields: Iterable[Field], code: str | None) -> Iterator[Proposal]:
    return (Proposal(f"{field.key}: ", field.about(code), field.example) for field in fields)


def _study_fields() -> list[Field]:
    """Return the keys of a study, whichever its strategy is."""
    fields = list(fields_of(StudyRules))
    for name in members.names(STRATEGIES):
        fields += fields_of(options_of(STRATEGIES, name))
    return fields
