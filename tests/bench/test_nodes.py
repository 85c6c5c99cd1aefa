"""The simulation of studies on several nodes: only that its arithmetic holds."""

from pathlib import Path

from bench.nodes import PLAN, SPREADS, dealt, table
from loadrig.plan.load import read


def test_blocks_dealt_to_free_nodes_take_their_share_of_the_time() -> None:
    plan = read(PLAN, str(Path("nodes.yaml").absolute()))
    alone, both = (dealt(plan, 1, nodes, 0.0) for nodes in (1, 2))
    assert 1.8 <= alone.wall_s / both.wall_s <= 2
    assert len(alone.verdicts) == len(both.verdicts) == 8


def test_the_table_has_a_row_for_each_number_of_nodes_and_spread() -> None:
    assert len(table(1).splitlines()) == 2 + 3 * len(SPREADS)
