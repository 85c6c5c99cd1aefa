"""A run is steered from another process while its load goes on."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from loadrig.recording import now
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from tests import warm
from tests.conftest import DEADLINE_S, Deadline
from tests.integration import servers, shop
from tests.integration.program import loadrig

pytestmark = pytest.mark.integration

LONG_TRIALS = shop.STUDY.replace("600ms", "4s")
"""Trials of the study, long enough that one goes on while it is steered."""


@contextmanager
def begun(folder: Path, deadline: Deadline, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """Yield a run that goes on in FOLDER/run, whose load has begun."""
    command = [*warm.PROGRAM, *words, "--out", "run"]
    run = RunFolder(folder / "run")
    with warm.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as rig:
        try:
            deadline.wait_for(
                lambda: (state := now.read(run)) is not None and state.phase == "measuring", "the load"
            )
            yield rig
        finally:
            rig.kill()


def steer(folder: Path, *words: str) -> int:
    return loadrig("steer", *words, "--run", "run", cwd=folder).code


def test_a_load_is_changed_paused_marked_and_ended_early(tmp_path: Path, deadline: Deadline) -> None:
    with (
        servers.serving(servers.ok, keep_open=True) as port,
        begun(tmp_path, deadline, "attack", f"http://127.0.0.1:{port}/", "-q", "20/1s", "-z", "600s") as rig,
    ):
        assert steer(tmp_path, "level", "60") == Exit.FINE
        assert steer(tmp_path, "level", "6000") == Exit.UNDECIDED
        assert steer(tmp_path, "mark", "deployed <script>") == Exit.FINE
        assert steer(tmp_path, "pause") == Exit.FINE
        assert steer(tmp_path, "resume") == Exit.FINE
        assert steer(tmp_path, "end") == Exit.FINE
        out, _ = rig.communicate(timeout=DEADLINE_S)
        assert rig.returncode in (Exit.FINE, Exit.VOID), out
        assert steer(tmp_path, "end") == Exit.PLAN_WRONG
    recording = Recording.open(tmp_path / "run" / "trials" / "0001")
    orders = [event.facts["order"] for event in recording.events if event.kind == "steered"]
    assert orders == ["level", "pause", "resume", "end"]
    assert [event.text for event in recording.events if event.kind == "mark"] == ["deployed <script>"]
    levels = [event.t_ns for event in recording.events if event.kind == "level"]
    assert recording.measured.from_ns >= levels[-1], "the figures are of the last load alone"
    planned = {frame.planned for frame in recording.frames}
    assert planned == {20.0, 60.0, 0.0} or planned == {20.0, 60.0}, "a pause may be shorter than a frame"
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert "G17" in {reason["check"] for reason in result["validity"]["reasons"]}
    assert now.read(RunFolder(tmp_path / "run")) is None
    assert loadrig("verify", "run", cwd=tmp_path).code == Exit.FINE


@pytest.mark.nightly
def test_users_are_raised_above_the_plans_number(tmp_path: Path, deadline: Deadline) -> None:
    with (
        servers.serving(servers.ok, keep_open=True) as port,
        begun(tmp_path, deadline, "attack", f"http://127.0.0.1:{port}/", "-c", "3", "-z", "600s") as rig,
    ):
        assert steer(tmp_path, "level", "40") == Exit.FINE
        assert steer(tmp_path, "level", "400") == Exit.UNDECIDED
        run = RunFolder(tmp_path / "run")
        frames = run.trial(1).frames
        deadline.wait_for(lambda: '"users":40' in frames.read_text().replace(" ", ""), "forty users")
        assert steer(tmp_path, "end") == Exit.FINE
        out, _ = rig.communicate(timeout=DEADLINE_S)
        assert rig.returncode in (Exit.FINE, Exit.VOID), out
    recording = Recording.open(tmp_path / "run" / "trials" / "0001")
    last = [frame for frame in recording.inside if frame.users == 40]
    assert last
    # Each of them has a connection of its own, and an answer.
    assert sum(frame.opened for frame in recording.frames) == 40
    assert all(row.outcome == "ok" for frame in last for row in frame.routes)


def test_a_study_is_ended_early_and_can_go_on_and_its_load_cannot_be_changed(
    tmp_path: Path, deadline: Deadline
) -> None:
    shop.lay_out(tmp_path, LONG_TRIALS)
    with begun(tmp_path, deadline, "run", "plan.yaml") as rig:
        assert steer(tmp_path, "level", "4") == Exit.UNDECIDED
        assert steer(tmp_path, "end") == Exit.FINE
        out, _ = rig.communicate(timeout=DEADLINE_S)
    assert rig.returncode != Exit.INTERRUPTED, out
    trials = RunFolder(tmp_path / "run").trial_folders()
    assert 1 <= len(trials) < 6, "the design has six"
    assert all(trial.is_sealed for trial in trials)


@pytest.mark.parametrize(
    "words",
    [("level",), ("level", "many"), ("level", "-1"), ("mark",), ("mark", " "), ("pause", "5"), ("end",)],
)
def test_what_cannot_be_ordered_is_said_with_how_to_mend_it(tmp_path: Path, words: tuple[str, ...]) -> None:
    ended = loadrig("steer", *words, cwd=tmp_path)
    assert ended.code == Exit.PLAN_WRONG
    assert "mend:" in ended.err
