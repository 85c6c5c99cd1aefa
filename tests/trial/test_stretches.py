"""Goals over stretches of time in the result of a trial: met if they hold in every one."""

from pathlib import Path

from loadrig.testing.synthetic import write_recording
from loadrig.trial.result import result_of

SLOW = range(30, 36)


def test_a_bad_moment_of_a_good_trial_misses_a_goal_over_stretches(tmp_path: Path) -> None:
    goal = {"measure": "p95", "below": True, "limit": 0.2, "unit": "s", "route": None}
    goals = [
        {**goal, "text": "p95 < 200ms", "over_s": None},
        {**goal, "text": "p95 < 200ms for 10s", "over_s": 10.0},
        {**goal, "text": "p95 < 10s for 10s", "limit": 10.0, "over_s": 10.0},
        {**goal, "text": "p95 < 200ms for 10m", "over_s": 600.0},
    ]
    factors = [40.0 if step in SLOW else 1.0 for step in range(150)]
    recording = write_recording(tmp_path / "t", [100.0] * 150, factors, facts={"goals": goals})
    row_by_goal = {goal.text: goal for goal in result_of(recording).goals}
    assert row_by_goal["p95 < 200ms"].is_met is True
    missed = row_by_goal["p95 < 200ms for 10s"]
    assert missed.is_met is False
    assert missed.value is not None
    assert missed.value > 0.4
    assert row_by_goal["p95 < 10s for 10s"].is_met is True
    # Nothing can be said of ten minutes in two and a half.
    assert (row_by_goal["p95 < 200ms for 10m"].is_met, row_by_goal["p95 < 200ms for 10m"].value) == (
        None,
        None,
    )
