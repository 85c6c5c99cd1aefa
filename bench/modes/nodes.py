"""Is a study faster on 2 and 4 nodes than on one, with the same verdicts? Simulated.

Nine settings of known gains are tried in eight blocks by the strategy of a grid. Each block is dealt to the
node that is free first by the study's own driver, in simulated time (`bench.nodes`); nodes differ in speed by
20 % (standard deviation), and what a setting gains differs from node to node by 0, 1 or 3 %. The study's own
judge reads the trials. One noise serves all numbers of nodes. Twelve studies of each kind for each of --runs.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from bench.figures import markdown, percent
from bench.lab import Bench
from bench.nodes import GAINS, PLAN, SPREADS, dealt
from bench.nodes_dealt import NODES
from loadrig.plan.load import read

STUDIES = 12
"""Studies of each kind for each of --runs."""

LARGE = 0.03
"""Gain above which a setting is to be found, as a logarithm: of those in the grid the least is then 5 %."""

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
    """Deal the studies; of --quick one of each kind."""
    studies = 1 if lab.is_quick else STUDIES * lab.runs
    plan = read(PLAN, str(Path("nodes.yaml").absolute()))
    rows = []
    for spread in SPREADS:
        for seed in range(studies):
            with lab.turn():
                for nodes in NODES:
                    study = dealt(plan, seed, nodes, spread)
                    rows.append({"spread": spread, "nodes": nodes, "seed": seed, **vars(study)})
    return {"how": f"simulated, {studies} studies of each kind", "rows": rows}


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Return shares for each kind of study; single ones are left out."""
    rows: Sequence[Row] = section["rows"]
    kinds = []
    for spread in dict.fromkeys(row["spread"] for row in rows):
        alone = _of(rows, spread, 1)
        for nodes in dict.fromkeys(row["nodes"] for row in rows):
            own = _of(rows, spread, nodes)
            words = [both for row in own for both in zip(row["verdicts"], GAINS[1:], strict=True)]
            pairs = [
                both
                for first, other in zip(alone, own, strict=True)
                for both in zip(first["verdicts"], other["verdicts"], strict=True)
            ]
            regrets = [row["regret"] for row in own if row["regret"] is not None]
            kinds.append(
                {
                    "spread": spread, "nodes": nodes, "wall_s": median(row["wall_s"] for row in own),
                    "faster": median(row["wall_s"] for row in alone) / median(row["wall_s"] for row in own),
                    "found": _share(word == "better" for word, gain in words if gain > LARGE),
                    "false": _share(word in ("better", "worse") for word, gain in words if gain == 0),
                    "alike": _share(a == b for a, b in pairs),
                    "regret": fmean(regrets) if regrets else None,
                }
            )  # fmt: skip
    return {**section, "rows": kinds}


def _of(rows: Sequence[Row], spread: float, nodes: int) -> list[Row]:
    return [row for row in rows if (row["spread"], row["nodes"]) == (spread, nodes)]


def _share(hits: Iterable[bool]) -> float:
    return fmean(hits)


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line for each kind of study."""
    lines = [
        [
            percent(row["spread"], 0), str(row["nodes"]), f"{row['wall_s'] / 60:.0f} min",
            f"{row['faster']:.2f}",
            *(percent(row[name]) for name in ("found", "false", "alike", "regret")),
        ]
        for row in section["rows"]
    ]  # fmt: skip
    head = [
        "gains differ by", "nodes", "wall-clock", "times as fast", "5 % and more found",
        "equal called different", "verdicts as on one node", "regret",
    ]  # fmt: skip
    return [markdown(head, lines)]
