"""The report of a tuning: what it recommends, its pictures as data, and the same in a terminal."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from loadrig import report
from loadrig.base.setting import show_setting
from loadrig.plan.model import Goal
from loadrig.report import html, text
from loadrig.report.model import Figure, Report
from tests.report.tunings import tuning
from tests.study.fakes import FakeServers, cores
from tests.study.tuning.test_stages import document_of_run, more, ran


def folder_of(tmp_path: Path, goals: Sequence[Goal] = (), most: int = 400) -> Path:
    document = document_of_run(ran(FakeServers(cores(4.0), more=more), goals=goals, most=most), goals)
    document |= {"created": "2026-11-22T09:00:00+00:00", "diagnosis": None}
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "plan.yaml").write_text("loadrig: 1\n", encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tuning(tmp_path_factory.mktemp("tuned") / "run")


@pytest.fixture(scope="module")
def built(folder: Path) -> Report:
    return report.build(folder)


@pytest.fixture(scope="module")
def figures(built: Report) -> dict[str, Figure]:
    section = next(section for section in built.sections if section.id == "tuning")
    return {block.id: block for block in section.blocks if isinstance(block, Figure)}


def test_every_picture_of_the_section_is_there(figures: dict[str, Figure]) -> None:
    assert set(figures) == {"two-knobs", "tradeoff", "knob-lines", "search-path"}


def test_the_chosen_pair_is_marked_once_and_outlined_with_its_equals(figures: dict[str, Figure]) -> None:
    cells = figures["two-knobs"].data["cells"]
    chosen = [cell for cell in cells if cell["chosen"]]
    assert len(chosen) == 1
    assert chosen[0]["trials"] > 0
    assert any(cell["equal"] for cell in cells)
    assert not any(cell["equal"] and cell["bad"] for cell in cells)


def test_the_front_goes_up_with_memory_and_holds_no_setting_that_misses_a_goal(
    figures: dict[str, Figure],
) -> None:
    data = figures["tradeoff"].data
    line = data["line"]
    assert line == sorted(line)
    assert [value for _, value in line] == sorted(value for _, value in line)
    missed = {(point["x"], point["y"]) for point in data["points"] if point["state"] == "missed"}
    assert missed
    assert not missed & {tuple(pair) for pair in line}


def test_every_setting_is_a_line_through_its_knobs(figures: dict[str, Figure]) -> None:
    data: Any = figures["knob-lines"].data
    assert [knob["name"] for knob in data["knobs"]] == ["worker_class", "workers", "threads"]
    for line in data["lines"]:
        assert len(line["places"]) == 3
        assert all(place is None or 0 <= place <= 1 for place in line["places"])
    assert any(line["places"][2] is None for line in data["lines"])
    assert data["lines"][-1]["state"] == "chosen"


def test_the_path_has_its_stages_side_by_side(figures: dict[str, Figure]) -> None:
    bands = figures["search-path"].data["bands"]
    assert [band["text"] for band in bands] == ["search", "race", "final", "confirm"]
    assert all(band["to"] == other["from"] for band, other in pairwise(bands))


def test_a_terminal_reads_what_to_use_how_it_was_confirmed_and_how_far_was_looked(
    folder: Path, built: Report
) -> None:
    document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    printed = " ".join(text.render(built, width=100, colour=False).split())
    assert f"Use {show_setting(document['recommended']['setting'])}" in printed
    assert document["tuning"]["text"].removesuffix(".") in printed
    assert "54 settings" in printed


def test_where_no_setting_meets_the_goals_the_nearest_is_told(tmp_path: Path) -> None:
    goal = Goal("memory < 1MB", "memory", True, 1e6, "B")
    folder = folder_of(tmp_path, (goal,))
    document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    printed = " ".join(text.render(report.build(folder), width=100, colour=False).split())
    assert document["recommended"] is None
    assert show_setting(document["tuning"]["nearest"]["setting"]) in printed
    assert document["tuning"]["text"].removesuffix(".") in printed


def test_one_that_was_stopped_says_so(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, most=12)
    document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert document["tuning"]["why"] == "going on"
    assert document["tuning"]["text"] in " ".join(text.render(report.build(folder), width=100).split())


def test_the_page_holds_the_pictures_and_their_renderers(built: Report) -> None:
    page = html.render(built)
    for kind in ("pairs", "parallel", "scatter"):
        assert f"kinds.{kind} = function" in page
