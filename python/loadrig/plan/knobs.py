"""Knobs as a plan writes them: values, ranges, conditions, checked against the target's catalogue."""

import re
from collections.abc import Mapping

from loadrig.base import members, units
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem, Span
from loadrig.base.setting import Knob, Value, show_value
from loadrig.language import descriptions
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_knobs import PlanKnobsErrors
from loadrig.plan.conditions import read_condition
from loadrig.plan.model import ChosenMember, PlannedKnob
from loadrig.plan.node import Entries, Items, Node, Scalar, described
from loadrig.plan.reader import Reader
from loadrig.plan.written import WrittenKnob

ERRORS = texts_of(PlanKnobsErrors)

TARGETS = "loadrig.target"

RANGE = re.compile(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*", re.ASCII)

MOST_VALUES = 10_000
"""Largest number of values of a range. A longer range is a slip of the pen: at ten seconds a trial it would
take a day a block."""


def read_knobs(
    reader: Reader, node: Node | None, catalogue: Mapping[str, Knob] | None, target: str
) -> tuple[PlannedKnob, ...]:
    """Return the knobs that could be read, in the order of the plan.

    catalogue: knobs of the target; None where the target could not be read, and then only the notation is
    checked.
    """
    if not isinstance(node, Entries):
        return ()
    start = len(reader.problems)
    planned: dict[str, PlannedKnob] = {}
    for entry in node.entries.values():
        if catalogue is not None and entry.key not in catalogue:
            reader.note(_unknown(entry.key, entry.span, catalogue, target), entry.node)
            continue
        before = len(reader.problems)
        knob = _read_knob(reader, entry.key, entry.span, entry.node, planned, tuple(node.entries))
        if knob is None:
            continue
        if catalogue is not None and len(reader.problems) == before:
            for problem in _against(catalogue[entry.key], target, entry.node, knob.values):
                reader.note(problem, entry.node)
        planned[knob.name] = knob
    if len(reader.problems) > start:
        reader.mark(node)
    return tuple(planned.values())


def read_values(
    reader: Reader, node: Node | None, catalogue: Mapping[str, Knob] | None, target: str
) -> Mapping[str, tuple[Value, ...]]:
    """Return values by the names of knobs, without conditions and bases; otherwise as read_knobs."""
    by_name: dict[str, tuple[Value, ...]] = {}
    for entry in node.entries.values() if isinstance(node, Entries) else ():
        if catalogue is not None and entry.key not in catalogue:
            reader.note(_unknown(entry.key, entry.span, catalogue, target), entry.node)
            continue
        before = len(reader.problems)
        values = _values(reader, entry.key, entry.node)
        if catalogue is not None and len(reader.problems) == before:
            for problem in _against(catalogue[entry.key], target, entry.node, values):
                reader.note(problem, entry.node)
        if len(reader.problems) == before:
            by_name[entry.key] = values
    return by_name


def catalogue_of(target: ChosenMember) -> Mapping[str, Knob]:
    """Return the knobs of a target by name."""
    module = members.load(TARGETS, target.member)
    declared: Mapping[str, Knob] = (
        module.knobs(target.options) if hasattr(module, "knobs") else getattr(module, "KNOBS", {})
    )
    return declared


def _unknown(name: str, where: Span, catalogue: Mapping[str, Knob], target: str) -> Problem:
    close = members.nearest(name.replace("-", "_"), tuple(catalogue))
    wording = ERRORS.unknown_knob(target, name, ", ".join(catalogue), close)
    return Problem.of(wording, code="plan.unknown-knob", where=where)


def _read_knob(
    reader: Reader,
    name: str,
    where: Span,
    node: Node,
    earlier: Mapping[str, PlannedKnob],
    names: tuple[str, ...],
) -> PlannedKnob | None:
    values_node, base_node = node, None
    when: Mapping[str, tuple[Value, ...]] = {}
    if isinstance(node, Entries):
        written = reader.shape(WrittenKnob, node, name, where)
        if not isinstance(written, WrittenKnob):
            return None
        values_node = written.values
        base_node = node.entries["base"].node if "base" in node.entries else None
        if written.when is not None:
            when = read_condition(reader, written.when, name, earlier, names)
    values = _values(reader, name, values_node)
    if not values:
        return None
    base = values[0]
    if base_node is not None:
        asked = base_node.value if isinstance(base_node, Scalar) else None
        if asked is None or asked not in values:
            reader.note(_not_among(name, base_node, values))
        else:
            base = asked
    return PlannedKnob(name, values, base, when, where)


def _values(reader: Reader, name: str, node: Node) -> tuple[Value, ...]:
    """Return the values of a list, of a range, or the single one; empty after a problem."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and not node.is_quoted and ".." in node.text:
        return _range(reader, name, node)
    items = node.items if isinstance(node, Items) else (node,)
    if not items:
        reader.reject(ERRORS.no_values(name), code="plan.empty-list", where=node.span)
        return ()
    values: list[Value] = []
    for item in items:
        if not isinstance(item, Scalar) or item.value is None:
            reader.note(_no_value(ERRORS.not_a_value(name, described(item)), item))
            return ()
        if item.value in values and any(type(item.value) is type(value) for value in values):
            reader.note(_no_value(ERRORS.value_twice(name, item.text), item))
            continue
        values.append(item.value)
    return tuple(values)


def _range(reader: Reader, name: str, node: Scalar) -> tuple[Value, ...]:
    match = RANGE.fullmatch(node.text)
    low, high = (int(match[1]), int(match[2])) if match else (0, -1)
    if not match:
        wording = ERRORS.not_a_range(name, repr(node.text))
    elif high < low:
        wording = ERRORS.range_reversed(name, node.text)
    elif high - low >= MOST_VALUES:
        wording = ERRORS.range_too_long(name, node.text, high - low + 1)
    else:
        return tuple(range(low, high + 1))
    reader.note(_no_value(wording, node))
    return ()


def _no_value(wording: ErrorWords, node: Node) -> Problem:
    return Problem.of(wording, code="plan.knob-values", where=node.span)


def _not_among(name: str, node: Node, values: tuple[Value, ...]) -> Problem:
    wording = ERRORS.base_not_among_values(name, described(node), shown(values))
    return Problem.of(wording, code="plan.knob-base", where=node.span)


def shown(values: tuple[Value, ...]) -> str:
    """Return values as in a sentence: "1, 2, 4"; a long list is shown by its ends."""
    texts = [show_value(value) for value in values]
    first = values[0]
    if len(texts) > 8 and isinstance(first, int) and values == tuple(range(first, first + len(values))):
        return f"{texts[0]}..{texts[-1]}"
    return ", ".join(texts)


# --- against the catalogue ------------------------------------------------------------------------


def _against(knob: Knob, target: str, node: Node, values: tuple[Value, ...]) -> list[Problem]:
    """Yield the catalogue's complaints about the values, each at its place."""
    problems = []
    for value in values:
        complaint = complaint_of(knob, value)
        if complaint:
            wording = complaint._replace(why=descriptions.described("targets", (target, knob.name), knob.doc))
            problems.append(Problem.of(wording, code="plan.knob-value", where=_place(node, value)))
    if len(problems) > 1 and len({problem.where for problem in problems}) == 1:
        return problems[:1]  # one range, one problem
    return problems


def complaint_of(knob: Knob, value: Value) -> ErrorWords | None:
    """Return what is wrong with a value of a knob and how to fix it; None if it is fine."""
    text = show_value(value)
    match knob.kind:
        case "word" if text not in knob.words:
            close = members.nearest(text, knob.words)
            return ERRORS.not_a_word(knob.name, repr(text), ", ".join(knob.words), close)
        case "flag" if not isinstance(value, bool):
            return ERRORS.not_a_flag(knob.name, repr(text))
        case "int" if isinstance(value, bool) or not isinstance(value, int):
            return ERRORS.not_a_whole_number(knob.name, repr(text), _sample(knob))
        case "float" if isinstance(value, bool) or not isinstance(value, (int, float)):
            return ERRORS.not_a_number(knob.name, repr(text), _sample(knob))
    number = _number(knob, value)
    if knob.kind == "size" and number is None:
        return ERRORS.not_a_size(knob.name, repr(text))
    if number is None or (
        (knob.low is None or number >= knob.low) and (knob.high is None or number <= knob.high)
    ):
        return None
    return ERRORS.out_of_range(knob.name, text, _bound(knob, knob.low), _bound(knob, knob.high))


def _number(knob: Knob, value: Value) -> float | None:
    if knob.kind == "size":
        try:
            return float(units.parse_size(str(value)))
        except ValueError:
            return None
    return value if knob.kind in ("int", "float") and isinstance(value, (int, float)) else None


def _bound(knob: Knob, bound: float | None) -> str:
    if bound is None:
        return ""
    if knob.kind == "size":
        return units.show_size(bound)
    return str(int(bound)) if float(bound).is_integer() else str(bound)


def _sample(knob: Knob) -> str:
    return str(knob.default) if isinstance(knob.default, int | float) else _bound(knob, knob.low) or "1"


def _place(node: Node, value: Value) -> Span:
    """Return where a value of a knob is written: its own place in a list, else the whole range."""
    if isinstance(node, Entries):
        node = node.entries["values"].node
    if isinstance(node, Items):
        for item in node.items:
            if isinstance(item, Scalar) and item.value == value and type(item.value) is type(value):
                return item.span
    return node.span
