"""The simulation of studies on several nodes, and its tables: only that their arithmetic holds."""

from pathlib import Path
from typing import Any

import pytest

from bench.modes import nodes, nodes_live, nodes_tune
from bench.nodes import GAINS, PLAN, dealt
from loadrig.plan.load import read


def cells(table: str) -> list[list[str]]:
    """Return the cells of a table's lines, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_blocks_dealt_to_free_nodes_take_their_share_of_the_time() -> None:
    plan = read(PLAN, str(Path("nodes.yaml").absolute()))
    alone, both = (dealt(plan, 1, nodes, 0.0) for nodes in (1, 2))
    assert 1.8 <= alone.wall_s / both.wall_s <= 2
    assert len(alone.verdicts) == len(both.verdicts) == 8


def test_a_summary_counts_what_was_found_what_is_false_and_what_is_alike() -> None:
    right = ["better" if gain > 0 else "equal" for gain in GAINS[1:]]
    wrong = ["better" if gain == 0 else "open" for gain in GAINS[1:]]

    def row(number: int, seed: int, wall_s: float, verdicts: list[str], regret: float | None) -> Any:
        return {
            "spread": 0.01, "nodes": number, "seed": seed, "wall_s": wall_s, "verdicts": verdicts,
            "regret": regret,
        }  # fmt: skip

    rows = [
        row(1, 0, 600.0, right, 0.0), row(1, 1, 600.0, right, 0.0),
        row(2, 0, 300.0, right, None), row(2, 1, 300.0, wrong, 0.02),
    ]  # fmt: skip
    (table,) = nodes.tables(nodes.summarise({"rows": rows}))
    assert cells(table) == [
        ["1 %", "1", "10 min", "1.00", "100.0 %", "0.0 %", "100.0 %", "0.0 %"],
        ["1 %", "2", "5 min", "2.00", "50.0 %", "50.0 %", "50.0 %", "2.0 %"],
    ]


def test_a_tuning_is_held_against_that_on_one_node() -> None:
    times = ((1, 1200.0, 0.01), (1, 1200.0, 0.03), (2, 600.0, 0.02))
    rows = [
        {"nodes": number, "seed": 0, "wall_s": wall_s, "trial_s": 1200.0, "regret": regret}
        for number, wall_s, regret in times
    ]
    (table,) = nodes_tune.tables({"rows": rows})
    assert cells(table) == [
        ["1", "20 min", "1.00", "20 min", "2.0 %", "3.0 %"],
        ["2", "10 min", "2.00", "20 min", "2.0 %", "2.0 %"],
    ]


@pytest.mark.parametrize("numbers", [(1, 2), (2,)])
def test_a_real_study_is_held_against_the_first(numbers: tuple[int, ...]) -> None:
    standings = {"level=low": "best", "level=high": "as good"}
    rows = [{"nodes": n, "run": 0, "wall_s": 60.0 / n, "standings": standings} for n in numbers]
    (table,) = nodes_live.tables({"rows": rows})
    words = "level=low: best, level=high: as good"
    expected = [["1", "60 s", "1.00", words], ["2", "30 s", "2.00" if 1 in numbers else "1.00", words]]
    assert cells(table) == expected[-len(numbers) :]
