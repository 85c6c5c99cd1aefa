"""Figures are computed from rows, and pages from figures."""

import pytest

from bench import figures, tables


def row(tool: str, block: int, cpu_s: float, requests: int = 1_000_000) -> figures.Row:
    return {"tool": tool, "block": block, "cpu_s": cpu_s, "requests": requests}


def test_a_ratio_is_taken_within_blocks() -> None:
    # The machine is twice as slow in the second block; within each the ratio is the same.
    rows = [row("a", 0, 2.0), row("b", 0, 1.0), row("a", 1, 4.0), row("b", 1, 2.0)]
    found = figures.ratio(rows, "a", "b", figures.cpu_per_million)
    assert found == figures.Spread(2.0, 2.0, 2.0, 2)


def test_a_run_that_failed_has_no_part_in_a_figure_and_is_named() -> None:
    rows = [row("a", 0, 2.0), {"tool": "a", "block": 1, "failed": "it died"}]
    found = figures.of_tool(rows, "a", figures.cpu_per_million)
    assert found is not None
    assert found.n == 1
    assert figures.failures(rows) == ["a: it died"]


def test_a_tool_without_the_other_in_its_block_has_no_ratio() -> None:
    rows = [row("a", 0, 2.0), row("b", 1, 1.0)]
    assert figures.ratio(rows, "a", "b", figures.cpu_per_million) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (7.304, "7.30"), (16.51, "16.5"), (166.4, "166"), (182_300, "182,000"),
     (0.0712, "0.071"), (1_234, "1,230")],
)  # fmt: skip
def test_three_digits_are_shown(value: float, text: str) -> None:
    assert figures.digits(value) == text


def test_a_goal_that_was_not_measured_is_not_called_reached() -> None:
    assert "not measured" in figures.verdict("something", None, 1.0)
    assert figures.verdict("something", 0.9, 1.0).endswith("reached.")
    assert figures.verdict("something", 0.9, 1.0, at_least=True).endswith("missed.")


def test_pages_show_the_newest_results() -> None:
    # Written by `python -m bench.tables`, which `make bench` does at its end.
    assert sorted(path.name for path in tables.stale(tables.newest())) == []


def test_a_page_of_other_results_is_found_out() -> None:
    document = tables.newest()
    for found in document["closed"]["rows"]:
        if "cpu_s" in found:
            found["cpu_s"] *= 2
    assert "README.md" in [path.name for path in tables.stale(document)]
