"""Is a tuning faster on 2 and 4 nodes than on one, and its answer as good? Simulated.

Tunings of Flask under gunicorn (a surface of `bench.tune`) are dealt by the study's own driver in simulated
time, each node with a speed (10 %) and a weather (3 % noise a trial) of its own. One for each of --runs.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from bench.figures import markdown, percent
from bench.lab import Bench
from bench.nodes_dealt import NODES, tuned
from bench.tune import synthetic

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
    """Tune on each number of nodes, with the same seeds."""
    surface = synthetic.flask()
    rows = []
    for seed in range(lab.runs):
        for nodes in NODES[:1] if lab.is_quick else NODES:
            with lab.turn():
                wall_s, trial_s, regret = tuned(surface, seed, nodes)
            rows.append(
                {"nodes": nodes, "seed": seed, "wall_s": wall_s, "trial_s": trial_s, "regret": regret}
            )
    return {"how": f"simulated, medians of {lab.runs} tunings each", "rows": rows}


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line for each number of nodes."""
    rows: Sequence[Row] = section["rows"]
    own = {number: [row for row in rows if row["nodes"] == number] for number in NODES}
    alone_s = median(row["wall_s"] for row in own[1])
    lines = []
    for number, tunings in own.items():
        if not tunings:
            continue
        wall_s, trial_s = (median(row[name] for row in tunings) for name in ("wall_s", "trial_s"))
        regrets = [row["regret"] for row in tunings]
        lines.append(
            [
                str(number), f"{wall_s / 60:.0f} min", f"{alone_s / wall_s:.2f}", f"{trial_s / 60:.0f} min",
                percent(median(regrets)), percent(max(regrets)),
            ]
        )  # fmt: skip
    head = ["nodes", "wall-clock", "times as fast", "trial time", "median regret", "worst"]
    return [markdown(head, lines)]
