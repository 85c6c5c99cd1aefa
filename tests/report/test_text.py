"""The summary in a terminal."""

import io
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.report import diagnosis, text
from loadrig.report.model import Cell, Column, Report, Section, Table
from tests.study.documents import result_of_study

from .built import report_of
from .folders import single
from .studies import study
from .tunings import recorded_part, tuning

NO_NOISE = result_of_study()["noise"]
ANSI = re.compile(r"\x1b\[[0-9;]*m")

VOID = (
    {
        "check": "G3",
        "level": "void",
        "text": "the busiest thread was 93 % busy",
        "mend": "give it more threads",
    },
    {"check": "G8", "level": "note", "text": "requests in flight grew", "mend": ""},
)


def rendered(folder: Path, width: int = 100, colour: bool = False) -> str:
    return text.render(report_of(folder), width, colour).replace(str(folder), "runs/shop")


@pytest.mark.parametrize("width", [100, 64])
def test_a_trial_is_told_as_in_the_golden_file(
    trial_run: Path, width: int, snapshot: SnapshotAssertion
) -> None:
    assert rendered(trial_run, width) == snapshot


@pytest.mark.parametrize("width", [110, 64])
def test_a_study_is_told_as_in_the_golden_file(
    study_run: Path, width: int, snapshot: SnapshotAssertion
) -> None:
    assert rendered(study_run, width) == snapshot


@pytest.mark.parametrize("width", [100, 64])
def test_a_proof_is_told_as_in_the_golden_file(
    proved_run: Path, width: int, snapshot: SnapshotAssertion
) -> None:
    built = diagnosis.build(report.read(proved_run))
    assert text.render(built, width) == snapshot


@pytest.mark.parametrize("width", [100, 64])
def test_a_tuning_is_told_as_in_the_golden_file(
    tmp_path: Path, width: int, snapshot: SnapshotAssertion
) -> None:
    result = recorded_part("tuning")
    result["inert"] = [
        {
            "knob": "backlog",
            "between": [64, 2048],
            "effect": 1.002,
            "interval": [0.991, 1.013],
            "confidence": 0.9,
        },
    ]
    result["has_interactions"] = True
    result["unstable"] = [{"worker_class": "gthread", "workers": 3, "threads": 8}]
    assert rendered(tuning(tmp_path / "run", tuning=result), width) == snapshot


def test_a_tuning_without_a_recommendation_is_told_as_in_the_golden_file(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    near = {"worker_class": "sync", "workers": 1}
    result = recorded_part("tuning") | {
        "why": "no setting meets the goals",
        "setting": None,
        "against_default": None,
        "against_runner_up": None,
        "nearest": {"setting": near, "misses": [{"goal": "memory < 1MB", "value": 21e6}]},
    }
    settings = [
        {**setting, "standing": "infeasible", "feasible": False,
         "goals": [{"text": "memory < 1MB", "met": False, "value": setting["measures"]["memory"]["value"]}]}
        for setting in recorded_part("settings")
    ]  # fmt: skip
    folder = tuning(tmp_path / "run", tuning=result, recommended=None, settings=settings)
    assert rendered(folder) == snapshot


def test_a_tuning_that_was_stopped_is_told_as_in_the_golden_file(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    result = recorded_part("tuning")
    path = [step for step in result["path"] if step["stage"] == "search"]
    result |= {
        "why": "going on",
        "setting": None,
        "against_default": None,
        "against_runner_up": None,
        "path": path,
        "stages": result["stages"][:1],
        "text": "The tuning was stopped before its end: nothing is confirmed yet.",
    }
    folder = tuning(tmp_path / "run", tuning=result, recommended=None, finished=False)
    assert rendered(folder) == snapshot


def test_a_void_trial_is_told_as_in_the_golden_file(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert rendered(single(tmp_path / "run", verdict="void", reasons=VOID)) == snapshot


def test_an_unfinished_study_without_a_recommendation_is_told_as_in_the_golden_file(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    folder = study(tmp_path / "run", finished=False, recommended=None, noise=NO_NOISE)
    assert rendered(folder) == snapshot


@pytest.mark.parametrize("width", [40, 52, 64, 80, 100, 132, 200])
def test_no_line_is_wider_than_the_terminal(trial_run: Path, study_run: Path, width: int) -> None:
    for folder in (trial_run, study_run):
        for line in text.render(report_of(folder), width).splitlines():
            assert len(line) <= width or line.startswith("next: "), line


def test_colour_adds_nothing_but_colour(trial_run: Path, study_run: Path) -> None:
    for folder in (trial_run, study_run):
        coloured = rendered(folder, colour=True)
        assert ANSI.search(coloured)
        assert [line.rstrip() for line in ANSI.sub("", coloured).splitlines()] == rendered(
            folder
        ).splitlines()


def test_a_pipe_gets_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert not text.wants_colour(io.StringIO())


def test_a_terminal_gets_colour_unless_its_user_wants_none(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert text.wants_colour(terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not text.wants_colour(terminal)


def test_a_narrow_terminal_loses_the_columns_of_the_greatest_rank_first() -> None:
    heads = (Column("name", "left"), Column("first", rank=1), Column("second", rank=2))
    row = (Cell("a" * 20), Cell("b" * 12), Cell("c" * 12))
    built = Report("t", "", (Section("s", "S", (Table(heads, (row,)),)),))
    assert "c" * 12 in text.render(built, 60)
    assert "c" * 12 not in text.render(built, 42)
    assert "b" * 12 in text.render(built, 42)


def test_wide_characters_take_two_columns() -> None:
    heads = (Column("name", "left"), Column("n"))
    built = Report(
        "t", "", (Section("s", "S", (Table(heads, ((Cell("検索"), Cell("1")), (Cell("ab"), Cell("2")))),)),)
    )
    lines = text.render(built, 60).splitlines()
    assert "  検索  1" in lines
    assert "  ab    2" in lines


def test_a_sparkline_keeps_the_shape_and_leaves_gaps_blank() -> None:
    assert text.sparkline((0.0, 1.0, None, 7.0), 4) == "▁▂ █"
    assert len(text.sparkline(tuple(float(i) for i in range(1000)), 50)) == 50
