"""`loadrig tune`: what is typed stands in the plan's place; what would run can be asked."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.exits import Exit
from loadrig.cli import _finish
from loadrig.cli.__main__ import main
from tests.report.tunings import recorded_part
from tests.study.documents import setting_row, study_document
from tests.wording import codes, shape

PLAN = """loadrig: 1
name: shop
target:
  command: {argv: "./serve --port {port}", knob_flags: {pool: {env: POOL, low: 1, high: 64}}}
workload: {users: 5, requests: [{get: /}]}
knobs: {pool: [1, 2, 4, 8, 16]}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN, encoding="utf-8")
    return path


def test_dry_says_how_many_trials_and_how_long(
    plan: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    assert main(["tune", str(plan), "--dry"]) == 0
    printed = capsys.readouterr().out
    (line,) = [line for line in printed.splitlines() if "5 settings" in line]
    assert shape(line) == snapshot
    assert "GET / HTTP/1.1" in printed


def test_what_is_typed_is_in_place_of_the_plan(plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", str(plan), "--dry", "--objective", "nothing"]) != 0
    assert "nothing" in capsys.readouterr().err
    assert main(["tune", str(plan), "--dry", "--objective", "p95", "--goal", "errors < 1%"]) == 0
    assert "errors" in capsys.readouterr().out


def test_a_plan_without_knobs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("knobs: {pool: [1, 2, 4, 8, 16]}", "goals: []"), encoding="utf-8")
    assert main(["tune", str(path), "--dry"]) == 104
    assert codes(capsys.readouterr().err) == ["plan.study-without-knobs"]


def test_a_rate_without_a_goal_cannot_be_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("users: 5", "rate: 5/1s"), encoding="utf-8")
    assert main(["tune", str(path), "--dry"]) == 104
    assert codes(capsys.readouterr().err) == ["study.no-goal-to-miss"]
    assert main(["tune", str(path), "--dry", "--objective", "p95"]) == 0


def test_no_setting_that_meets_the_goals_is_a_missed_goal() -> None:
    tuned = recorded_part("tuning")
    for why, code in (("no setting meets the goals", Exit.GOAL_MISSED), ("going on", Exit.UNDECIDED)):
        study = study_document([setting_row(0, {})], tuning={**tuned, "why": why})
        assert _finish.exit_of_study(study) == code
