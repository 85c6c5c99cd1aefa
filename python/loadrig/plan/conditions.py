"""Conditions under which a knob is set: `worker_class == gthread`, `pool in [a, b]`, joined by `and`.

The mapping form says the same: `{worker_class: gthread, pool: [a, b]}`.
"""

import re
from collections.abc import Mapping

from loadrig.base import members
from loadrig.base.errors import Problem, Span
from loadrig.base.setting import Value, show_value
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_knobs import PlanConditionsErrors
from loadrig.plan.model import PlannedKnob
from loadrig.plan.node import Entries, Items, Node, Scalar, described, part
from loadrig.plan.reader import Reader

ERRORS = texts_of(PlanConditionsErrors)

_TERM = re.compile(
    r"\s*(?P<name>[\w.-]+)\s*(?P<sign>==|!=|=|in\b|not\s+in\b)\s*(?P<values>\[[^\]]*\]|[^\[\]]+?)\s*"
)
_AND = re.compile(r"\s+and\s+(?![^\[]*\])")


def read_condition(
    reader: Reader,
    node: Node,
    name: str,
    earlier: Mapping[str, PlannedKnob],
    names: tuple[str, ...],
) -> Mapping[str, tuple[Value, ...]]:
    """Return the values that other knobs must have for this knob to be set.

    name: the knob whose condition it is. earlier: the knobs above it, the only ones that a condition can
    name, because a setting is built from the top. names: names of all knobs of the plan.
    """
    asked: dict[str, tuple[Value, ...]] = {}
    for depended, sign, texts, where in _terms(reader, node, name):
        knob = earlier.get(depended)
        if knob is None:
            reader.note(_unknown(name, depended, where, earlier, names), node)
            continue
        values = _matching(reader, node, knob, texts, where)
        if values is None:
            continue
        allowed = tuple(value for value in knob.values if (value in values) == (sign == "in"))
        if not allowed:
            reader.note(_never(name, knob, where), node)
            continue
        asked[depended] = tuple(value for value in allowed if value in asked.get(depended, allowed))
    return asked


def _terms(reader: Reader, node: Node, name: str) -> list[tuple[str, str, list[str], Span]]:
    """Yield (knob, "in" or "not in", values as texts, place) for each part of a condition."""
    if isinstance(node, Entries):
        terms = []
        for entry in node.entries.values():
            items = entry.node.items if isinstance(entry.node, Items) else (entry.node,)
            texts = [item.text for item in items if isinstance(item, Scalar)]
            terms.append((entry.key, "in", texts, entry.span))
        return terms
    if not isinstance(node, Scalar) or node.value is None:
        reader.note(_not_a_condition(name, node, described(node)), node)
        return []
    terms = []
    for text in _AND.split(node.text):
        match = _TERM.fullmatch(text)
        if not match:
            reader.note(_not_a_condition(name, node, repr(node.text)), node)
            return []
        sign = "not in" if match["sign"] == "!=" or match["sign"].startswith("not") else "in"
        texts = [word.strip().strip("'\"") for word in match["values"].strip("[]").split(",")]
        terms.append((match["name"], sign, [word for word in texts if word], part(node, match["name"])))
    return terms


def _matching(
    reader: Reader, node: Node, knob: PlannedKnob, texts: list[str], where: Span
) -> tuple[Value, ...] | None:
    """Return the knob's values that the texts mean; a text that matches none of them is a problem."""
    values = {show_value(value): value for value in knob.values}
    for text in texts:
        if text not in values:
            close = members.nearest(text, tuple(values))
            reader.reject(
                ERRORS.never_that_value(knob.name, text, ", ".join(values), close),
                code="plan.knob-condition",
                where=where,
                node=node,
            )
            return None
    return tuple(values[text] for text in texts)


def _unknown(
    name: str, depended: str, where: Span, earlier: Mapping[str, PlannedKnob], names: tuple[str, ...]
) -> Problem:
    if depended in names and depended != name:
        wording = ERRORS.later_knob(name, depended)
    else:
        close = members.nearest(depended, tuple(earlier))
        wording = ERRORS.knob_not_in_plan(name, depended, close)
    return Problem.of(wording, code="plan.knob-condition", where=where)


def _never(name: str, knob: PlannedKnob, where: Span) -> Problem:
    return Problem.of(ERRORS.never_set(name, knob.name), code="plan.knob-condition", where=where)


def _not_a_condition(name: str, node: Node, shown: str) -> Problem:
    return Problem.of(ERRORS.not_a_condition(name, shown), code="plan.knob-condition", where=node.span)
