"""Figures are computed from rows, and pages from figures."""

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bench import figures, results, tables
from tests.house.places import ROOT

DATED = re.compile(r"^\d\d [A-Z][a-z]{2} \d{4}, commit [0-9a-f]{7,}(-dirty)?, ", re.MULTILINE)
"""Begin of the line below a table: when and of which commit its figures are."""


def git(folder: Path, *words: str) -> None:
    """Run git as a person without settings of their own would."""
    names = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *words], cwd=folder, check=True)


def row(tool: str, block: int, cpu_s: float, requests: int = 1_000_000) -> figures.Row:
    return {"tool": tool, "block": block, "cpu_s": cpu_s, "requests": requests}


def test_a_ratio_is_taken_within_blocks() -> None:
    # The machine is twice as slow in the second block; within each the ratio is the same.
    rows = [row("a", 0, 2.0), row("b", 0, 1.0), row("a", 1, 4.0), row("b", 1, 2.0)]
    spread = figures.ratio(rows, "a", "b", figures.cpu_per_million)
    assert spread == figures.Spread(2.0, 2.0, 2.0, 2)


def test_a_run_that_failed_has_no_part_in_a_figure_and_is_named() -> None:
    rows = [row("a", 0, 2.0), {"tool": "a", "block": 1, "failed": "it died"}]
    spread = figures.of_tool(rows, "a", figures.cpu_per_million)
    assert spread is not None
    assert spread.n == 1
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


def test_a_goal_that_was_not_measured_is_not_called_reached(snapshot: SnapshotAssertion) -> None:
    goals = {
        "not measured": figures.verdict("something", None, 1.0),
        "reached": figures.verdict("something", 0.9, 1.0),
        "missed": figures.verdict("something", 0.9, 1.0, at_least=True),
    }
    assert len(set(goals.values())) == len(goals)
    assert goals == snapshot


@pytest.mark.parametrize("page", tables.PAGES)
def test_a_figure_on_a_page_has_its_day_and_its_commit(page: str) -> None:
    # Whether there are newer results is asked before a release: `make release-check`.
    blocks = list(tables.BLOCK.finditer((ROOT / page).read_text(encoding="utf-8")))
    assert blocks
    measured = [block[2] for block in blocks if "Not measured" not in block[0]]
    dated = [block[2] for block in blocks if DATED.search(block[0])]
    assert dated == measured


def test_results_say_which_commit_was_measured(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "code").write_text("1\n")
    git(tmp_path, "add", "code")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    first = results.commit(tmp_path)
    assert re.fullmatch(r"[0-9a-f]{7,}", first)
    (tmp_path / "code").write_text("2\n")
    assert results.commit(tmp_path) == f"{first}-dirty"


def test_a_summary_has_a_line_a_row_and_the_digest_of_all_that_was_measured(tmp_path: Path) -> None:
    rows = [row("a", 0, 2.0), {"tool": "a", "block": 1, "failed": "it died"}]
    measured = {"command": "python -m bench closed", "rows": rows}
    path, summary = results.write("closed", measured, results.slim("cpu_s"), tmp_path)
    assert summary["rows"] == [{"tool": "a", "block": 0, "cpu_s": 2.0}, rows[1]]
    raw = results.raw_path("closed", summary["raw"]["sha256"], tmp_path)
    assert hashlib.sha256(raw.read_bytes()).hexdigest() == summary["raw"]["sha256"]
    assert summary["raw"]["rows"] == len(rows)
    assert json.loads(raw.read_text(encoding="utf-8"))["rows"] == rows
    text = path.read_text(encoding="utf-8")
    assert json.loads(text)["closed"] == summary
    assert all(f"\n   {json.dumps(line)}" in text for line in summary["rows"])
    results.write("tls", measured, dict, tmp_path)
    assert json.loads(path.read_text(encoding="utf-8")).keys() == {"machine", "closed", "tls"}


def test_outside_of_git_no_commit_is_told(tmp_path: Path) -> None:
    assert results.commit(tmp_path) == ""


def test_a_page_of_other_results_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Costs\n\n<!-- bench:closed -->\nold\n<!-- /bench:closed -->\n\nThe end.\n")
    monkeypatch.setattr(tables, "PAGES", (page.name,))
    document = {name: section for name, section in tables.newest().items() if name in ("machine", "closed")}
    stale = tables.stale(document, tmp_path)
    assert list(stale) == [page]
    page.write_text(stale[page])
    assert tables.stale(document, tmp_path) == {}
    for closed_row in document["closed"]["rows"]:
        if "cpu_s" in closed_row:
            closed_row["cpu_s"] *= 2
    assert list(tables.stale(document, tmp_path)) == [page]
