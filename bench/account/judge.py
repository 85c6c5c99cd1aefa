"""An account's lines beside the truth: what is missed, by how much, and how many cells hold.

Pure. A row has `name`, `runtime`, `state`, `load`, `variant`, `total_ms`, `rest_ms`, `lines` (for each state
`account` and `truth`, in milliseconds), or `failed`. A summary has of the lines the number, how far the worst
is off, and those that are missed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.account.truth import LINES
from loadrig.account.document import LineDocument

Row = Mapping[str, Any]

NEAR_SHARE, NEAR_MS = 0.10, 1.0
"""A line is right within a tenth of the response time, or within a millisecond, whichever is more."""

REST_SHARE = 0.10
"""Share of the response time, 0 to 1, below which it is little that is not accounted for."""

WANTED_LINES, WANTED_REST = 0.95, 0.90
"""Shares of the cells in which all lines are to be right, and in which little is to be left."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A line that is not right: its state, and both times in milliseconds."""

    state: str
    account_ms: float
    truth_ms: float


IN_HAND = "in hand"
"""Words of an account for what it could not see where sockets do not tell, as with Unix sockets. It then
tells no `inside`, and that time is not accounted for; that is as it should be."""


def compared(
    lines: Sequence[LineDocument], true_ms: Mapping[str, float], unseen: Sequence[str] = ()
) -> dict[str, dict[str, float]]:
    """For each state the time that the account tells, over all dependencies, and the true one.

    unseen: what the account says that it could not see; with `IN_HAND` only states that it tells are there.
    """
    by_state = {state: {"account": 0.0, "truth": true_ms[state]} for state in LINES}
    tells = set()
    for line in lines:
        state = {"throttled": "runnable"}.get(line.state, line.state)
        if state == "connecting" and line.of:
            state = "awaiting"
        if state in by_state:
            by_state[state]["account"] += line.ms
            tells.add(state)
    return {state: line for state, line in by_state.items() if state in tells or IN_HAND not in unseen}


def near_ms(row: Row) -> float:
    """Return how far a line of a cell may be from the truth, in milliseconds."""
    return max(NEAR_MS, NEAR_SHARE * float(row["total_ms"]))


def misses(row: Row) -> list[Miss]:
    """Lines of a cell that are not right, the worst first."""
    wrong = [
        Miss(state, line["account"], line["truth"])
        for state, line in row["lines"].items()
        if abs(line["account"] - line["truth"]) > near_ms(row)
    ]
    return sorted(wrong, key=lambda miss: -abs(miss.account_ms - miss.truth_ms))


def is_whole(row: Row) -> bool:
    """Return whether little is left of a cell's response time, or the account says why it is more."""
    return IN_HAND in row["unseen"] or abs(float(row["rest_ms"])) < REST_SHARE * float(row["total_ms"])


def measured(rows: Sequence[Row]) -> list[Row]:
    """Rows of cells that were measured."""
    return [row for row in rows if "failed" not in row]


def summary(row: Row) -> Row:
    """Return what the tables need of a row, judged."""
    if "failed" in row:
        return row
    shown = {
        name: row[name] for name in ("name", "runtime", "state", "load", "variant", "total_ms", "rest_ms")
    }
    return shown | {
        "is_whole": is_whole(row), "lines": len(row["lines"]),
        "off_ms": max(abs(line["account"] - line["truth"]) for line in row["lines"].values()),
        "missed": [asdict(miss) for miss in misses(row)],
    }  # fmt: skip


def right_share(rows: Sequence[Row]) -> float | None:
    """Share of the cells in which every line is right; None without a cell. Of summaries, as those below."""
    usable = measured(rows)
    return sum(not row["missed"] for row in usable) / len(usable) if usable else None


def line_share(rows: Sequence[Row]) -> float | None:
    """Share of all lines that are right; None without a cell."""
    usable = measured(rows)
    lines = sum(row["lines"] for row in usable)
    return 1 - sum(len(row["missed"]) for row in usable) / lines if lines else None


def whole_share(rows: Sequence[Row]) -> float | None:
    """Share of the cells of which little is left; None without a cell."""
    usable = measured(rows)
    return sum(row["is_whole"] for row in usable) / len(usable) if usable else None
