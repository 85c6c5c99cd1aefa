"""The bench of merging: one merger and a tree merge the same requests, and its table says so."""

from bench.modes import fleet_merge
from bench.modes.fleet_merge import REQUESTS, alone, tables, tree


def test_a_tree_merges_what_one_merger_does() -> None:
    single, many = alone(4, 2), tree(4, 2)
    assert single["per_second"] == many["per_second"] == 4 * REQUESTS
    assert all(0 < share < 1 for row in (single, many) for share in row["cpu_shares"])
    lines = tables({"read_bytes": 11_000.0, "rows": [single, many]})
    assert len(lines[0].splitlines()) == 4
    assert len(fleet_merge.shapes()) == fleet_merge.SHAPES
