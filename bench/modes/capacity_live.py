"""Do searches find the capacity of real servers? Three stacks, each beside brute force of the same time.

`bench/capacity/live.py` says how: a search as a user runs it, and constant rates around it before and after.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench.capacity import live
from bench.diagnosis.ledger import BenchLedger
from bench.figures import digits, markdown
from bench.lab import Bench
from bench.results import FOLDER
from loadrig.stats.intervals import wilson_share

LEDGER = FOLDER / "local" / "capacity-live"
ROUNDS = 3
FAST_RPS, WITHIN = 500.0, (0.03, 0.05)
"""Requests a second of a fast server, and how near a search must come from it on, and below."""

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
    """Make what the ledger does not have."""
    ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    rounds = lab.options.get("rounds") or (1 if is_quick else ROUNDS)
    rows = live.run(lab, ledger, rounds, lab.length(live.LEVEL_S))
    lab.commands = {"loadrig": "loadrig capacity PLAN"}
    return {"how": f"{rounds} rounds of each server", "rows": rows}


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Keep of each round the search, and instead of the rates what they say of the capacity."""
    rows = []
    for row in section["rows"]:
        shown = {name: row[name] for name in ("server", "round", "search", "failed") if name in row}
        if "failed" not in row:
            shown["brute_force"] = live.crossed(live.SERVERS[row["server"]], row["levels"])
            shown["slowest_core"] = _evenness(row["levels"])
        rows.append(shown)
    return {**section, "rows": rows}


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line a round, then how many came as near as wanted."""
    lines, near, held, sure = [], [], [], []
    for row in sorted(section["rows"], key=lambda row: (row["server"], row["round"])):
        server = live.SERVERS[row["server"]]
        if "failed" in row:
            lines.append([server.stack, server.goal, str(row["round"] + 1), row["failed"], *["–"] * 6])
            continue
        true, search = row["brute_force"], row["search"]
        interval = (search["rps"], search["low"], search["high"])
        cells = [server.stack, server.goal, str(row["round"] + 1), _shown(true), _shown(interval), *["–"] * 3]
        if true is not None:
            off, within = math.log(search["rps"] / true[0]), WITHIN[true[0] < FAST_RPS]
            near.append(abs(off) <= within)
            sure.append(math.log(true[2] / true[1]) <= 2 * within)
            held.append(search["low"] <= true[2] and true[1] <= search["high"])
            cells[5:8] = [f"{off:+.1%}", "yes" if near[-1] else "no", "yes" if held[-1] else "no"]
        lines.append([*cells, f"{search['took_s']:.0f}", _percent(row["slowest_core"])])
    head = [
        "server", "goal", "round", "brute force, 1/s", "search, 1/s", "off by", "near", "meets it", "s",
        "slowest core",
    ]  # fmt: skip
    return [markdown(head, lines), _goals(section["rows"], near, held, sure)]


def _shown(interval: Sequence[float] | None) -> str:
    if interval is None:
        return "not among the rates"
    return f"{digits(interval[0])} ({digits(interval[1])} – {digits(interval[2])})"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _evenness(levels: list[Row]) -> float | None:
    """Return the speed of the server's core at its worst rate, as a share of that at its best."""
    speeds = [level["core_speed"] for level in levels if level.get("core_speed")]
    return min(speeds) / max(speeds) if speeds else None


def _goals(rows: list[Row], near: list[bool], held: list[bool], sure: list[bool]) -> str:
    """sure: where brute force knows the capacity itself as well as a search is to find it."""
    lines = []
    for name, some in (
        (f"within {WITHIN[0]:.0%} of brute force ({WITHIN[1]:.0%} below {FAST_RPS:.0f}/s)", near),
        (
            "of those where brute force knows it so well itself",
            [is_near for is_near, is_known in zip(near, sure, strict=True) if is_known],
        ),
        ("intervals that meet that of brute force", held),
    ):
        if some:
            share = wilson_share(sum(some), len(some))
            lines.append(f"- {name}: {sum(some)} of {len(some)} ({share.low:.0%} – {share.high:.0%}).")
    took = [row["search"]["took_s"] for row in rows if "search" in row]
    if took:
        lines.append(f"- a search with its start and end, median: {median(took):.0f} s.")
    return "\n".join(lines)
