"""Goals: `p95 < 500ms`, `errors < 0.1%`, `p95{search} < 1s`, `p95 < 500ms for 30s`.

Measures have the names of their room. With `for` a goal holds for every stretch of that length, not only
for the whole measured part.
"""

import math
import re

from loadrig.base import members
from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Problem, Span
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_amounts import PlanAmountsErrors
from loadrig.language.en.errors.plan_goals import PlanGoalsErrors
from loadrig.plan.amounts import UNIT_NOTATION, meant_amount, read_amount
from loadrig.plan.model import Goal
from loadrig.plan.node import Node, Scalar, described, part
from loadrig.plan.reader import Reader

ERRORS = texts_of(PlanGoalsErrors)
FORMS = texts_of(PlanAmountsErrors).forms

ROOM = "loadrig.measures"
GOAL = re.compile(
    r"\s*(?P<measure>[A-Za-z][\w.]*)\s*(?:\{(?P<route>[^}]*)\})?\s*(?P<sign><=|>=|<|>)\s*(?P<limit>\S.*?)"
    r"(?P<window>\s+for(?:\s+(?P<over>\S.*?))?)?\s*"
)
SHORTEST_S = 1.0
"""Least length of a stretch, in seconds: the generator counts by the second."""
NOT_OVER = {
    "sessions_p95": ERRORS.session_longer,
    "server_cpu": ERRORS.server_use_of_all,
    "cpu_per_request": ERRORS.request_cost_of_all,
    "memory": ERRORS.memory_of_all,
}
"""Measures that cannot be judged for a stretch, and why."""

_LIMIT_EXAMPLE = {"s": "500ms", "1/s": "100/s", "1": "0.1%", "B": "512MB"}


def measures() -> dict[str, tuple[str, str]]:
    """Return every measure by the name that goals use: its unit, and which way is better."""
    by_name = {}
    for name in members.names(ROOM):
        module = members.load(ROOM, name)
        by_name[name] = (str(module.UNIT), str(module.BETTER))
    return by_name


def read_goal(reader: Reader, node: Node) -> Goal | None:
    """Return one goal; None after a problem."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        reader.note(_notation(described(node), node.span), node)
        return None
    match = GOAL.fullmatch(node.text)
    if not match:
        reader.note(_notation(repr(node.text), node.span), node)
        return None
    units = measures()
    name = match["measure"]
    if name not in units:
        reader.note(unknown_measure(name, part(node, name), units), node)
        return None
    unit, _ = units[name]
    limit = _limit(reader, node, name, unit, match["limit"])
    if limit is None:
        return None
    route = match["route"].strip() if match["route"] is not None else None
    over = _over(node, match) if match["window"] is not None else None
    if isinstance(over, Problem):
        reader.note(over, node)
        return None
    return Goal(
        node.text.strip(), name, match["sign"].startswith("<"), limit, unit, route, node.span, over=over
    )


def _over(node: Scalar, match: re.Match[str]) -> Seconds | Problem:
    """Return the length of the stretches in which a goal is to hold, in seconds, or what is wrong with it."""
    name, text = match["measure"], match["over"] or ""
    where = part(node, text or "for")
    alone = node.text[: match.start("window")].strip()
    if name in NOT_OVER:
        wording = ERRORS.not_for_stretches(name, alone, NOT_OVER[name])
        return Problem.of(wording, code="plan.goal-window", where=where)
    if not text:
        wording = ERRORS.no_length(node.text.strip(), alone)
        return Problem.of(wording, code="plan.goal-window", where=where)
    amount = read_amount("duration", Scalar(where, text, text), ERRORS.length_of_stretches)
    if isinstance(amount, Problem):
        # The amount's own advice is right where it keeps the number: `write 30s`.
        meant = meant_amount("duration", text) or FORMS["duration"]
        mend = ERRORS.goal_instead(f"{alone} for {meant if meant.startswith(text) else '30s'}")
        wording = ErrorWords(amount.what, mend, amount.why)
        return Problem.of(wording, code="plan.goal-window", where=where)
    if amount < SHORTEST_S:
        return Problem.of(ERRORS.too_short(text, alone), code="plan.goal-window", where=where)
    return Seconds(amount)


def unknown_measure(name: str, where: Span, units: dict[str, tuple[str, str]]) -> Problem:
    """Return the problem of a measure that does not exist, with the nearest that does."""
    close = members.nearest(name, tuple(units))
    wording = ERRORS.unknown_measure(name, ", ".join(sorted(units)), close)
    return Problem.of(wording, code="plan.unknown-measure", where=where)


def _limit(reader: Reader, node: Scalar, name: str, unit: str, text: str) -> float | None:
    """Return the limit in the measure's unit; a limit in another unit is a problem that explains it."""
    notation = UNIT_NOTATION.get(unit)
    where = part(node, text)
    if notation is None:
        number = text.removesuffix(unit).strip()
        try:
            value: float | Problem = float(number)
        except ValueError:
            value = math.nan
        if isinstance(value, float) and not math.isfinite(value):
            wording = ERRORS.not_in_unit(name, unit, text)
            value = Problem.of(wording, code="plan.goal-unit", where=where)
    else:
        as_number = float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else text
        value = read_amount(notation, Scalar(where, as_number, text), ERRORS.limit_of(name))
    if isinstance(value, Problem):
        # The amount's own advice is right where it keeps the number: `write 500ms or 500s`.
        digits = re.match(r"[\d.]+", text)
        meant = (meant_amount(notation, text) or FORMS[notation]) if notation is not None else ""
        keeps = digits is not None and meant.startswith(digits[0])
        instead = node.text.replace(text, _LIMIT_EXAMPLE.get(unit, "2"))
        mend = value.mend if keeps else ERRORS.goal_instead(instead)
        wording = ErrorWords(value.what, mend, value.why)
        reader.reject(wording, code="plan.goal-unit", where=where, node=node)
        return None
    return float(value)


def _notation(shown: str, where: Span) -> Problem:
    return Problem.of(ERRORS.not_a_goal(shown), code="plan.goal-notation", where=where)
