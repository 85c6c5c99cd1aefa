"""Is a study faster on two real nodes than on one? On cores of this machine.

Two settings that are the same server are tried in four blocks of trials of 3 s, with a core for each node,
start and report included.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from bench.figures import markdown
from bench.lab import Bench
from bench.nodes_dealt import live

Row = dict[str, Any]

COUNTS = (1, 2)


def measure(lab: Bench) -> dict[str, Any]:
    """Run the study on one node and on two, in turns; of --quick on two."""
    rows = []
    for run in range(lab.runs):
        for nodes in COUNTS[1:] if lab.is_quick else COUNTS:
            with lab.turn():
                wall_s, standings = live(nodes)
            rows.append({"nodes": nodes, "run": run, "wall_s": wall_s, "standings": standings})
    return {"rows": rows}


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line for each number of nodes."""
    rows: Sequence[Row] = section["rows"]
    walls_s = {
        nodes: median(row["wall_s"] for row in rows if row["nodes"] == nodes)
        for nodes in dict.fromkeys(row["nodes"] for row in rows)
    }
    alone_s = next(iter(walls_s.values()))
    lines = []
    for nodes, wall_s in walls_s.items():
        words = [
            ", ".join(f"{label}: {standing}" for label, standing in row["standings"].items())
            for row in rows
            if row["nodes"] == nodes
        ]
        lines.append([str(nodes), f"{wall_s:.0f} s", f"{alone_s / wall_s:.2f}", "; ".join(words)])
    return [markdown(["nodes", "wall-clock", "times as fast", "standings"], lines)]
