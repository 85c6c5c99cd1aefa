"""Goals: `p95 < 500ms`, `errors < 0.1%`, `p95{search} < 1s`, `p95 < 500ms for 30s`.

Measures have the names of their room. With `for` a goal holds for every stretch of that length, not only
for the whole measured part.
"""

import math
import re

from loadrig.base import members
from loadrig.base.errors import Problem, Span
from loadrig.base.units import Seconds
from loadrig.plan.amounts import UNIT_NOTATION, read_amount
from loadrig.plan.model import Goal
from loadrig.plan.node import Node, Scalar, described, part
from loadrig.plan.reader import Reader

ROOM = "loadrig.measures"
GOAL = re.compile(
    r"\s*(?P<measure>[A-Za-z][\w.]*)\s*(?:\{(?P<route>[^}]*)\})?\s*(?P<sign><=|>=|<|>)\s*(?P<limit>\S.*?)"
    r"(?P<window>\s+for(?:\s+(?P<over>\S.*?))?)?\s*"
)
_FORM = "p95 < 500ms, errors < 0.1%, throughput > 100/s or p95{search} < 1s"
SHORTEST_S = 1.0
"""Least length of a stretch, in seconds: the generator counts by the second."""
NOT_OVER = {
    "sessions_p95": "a session may be longer than they are",
    "server_cpu": "what the server used is known for the whole of the measured part only",
    "cpu_per_request": "what a request cost is known for the whole of the measured part only",
    "memory": "what the server held is known for the whole of the measured part only",
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
        return Problem(
            what=f"{name} cannot be judged for stretches of time",
            where=where,
            why=NOT_OVER[name],
            mend=f"write {alone}",
            code="plan.goal-window",
        )
    if not text:
        return Problem(
            what=f"{node.text.strip()} does not say for how long",
            where=where,
            why="after for stands the length of the stretches in which it is to hold",
            mend=f"write {alone} for 30s",
            code="plan.goal-window",
        )
    amount = read_amount("duration", Scalar(where, text, text), "the length of a goal's stretches")
    if isinstance(amount, Problem):
        # The amount's own advice is right where it keeps the number: `write 30s`.
        keeps = amount.mend.startswith(f"write {text}")
        length = amount.mend.removeprefix("write ") if keeps else "30s"
        return Problem(amount.what, f"write {alone} for {length}", "plan.goal-window", amount.why, where)
    if amount < SHORTEST_S:
        return Problem(
            what=f"{text} is too short for a goal's stretches",
            where=where,
            why="the generator counts by the second",
            mend=f"write {alone} for 30s",
            code="plan.goal-window",
        )
    return Seconds(amount)


def unknown_measure(name: str, where: Span, units: dict[str, tuple[str, str]]) -> Problem:
    """Return the problem of a measure that does not exist, with the nearest that does."""
    close = members.nearest(name, tuple(units))
    return Problem(
        what=f"there is no measure {name}",
        where=where,
        why=f"there are {', '.join(sorted(units))}",
        mend=f"write {close}" if close else "write one of these",
        code="plan.unknown-measure",
    )


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
            value = Problem(
                what=f"{name} is measured in {unit}, and {text} is not a number of them",
                where=where,
                mend="write a number",
                code="plan.goal-unit",
            )
    else:
        as_number = float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else text
        value = read_amount(notation, Scalar(where, as_number, text), f"the limit of {name}")
    if isinstance(value, Problem):
        # The amount's own advice is right where it keeps the number: `write 500ms or 500s`.
        digits = re.match(r"[\d.]+", text)
        keeps = digits is not None and value.mend.startswith(f"write {digits[0]}")
        mend = value.mend if keeps else f"write {node.text.replace(text, _LIMIT_EXAMPLE.get(unit, '2'))}"
        reader.problem(
            what=value.what,
            mend=mend,
            code="plan.goal-unit",
            why=value.why,
            where=where,
            node=node,
        )
        return None
    return float(value)


def _notation(shown: str, where: Span) -> Problem:
    return Problem(
        what=f"{shown} is not a goal",
        where=where,
        why="a goal is a measure, < or >, and a limit with its unit",
        mend=f"write {_FORM}",
        code="plan.goal-notation",
    )
