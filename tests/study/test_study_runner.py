import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import Interrupted, Problem, TargetError, VoidError
from loadrig.base.setting import show_setting
from loadrig.plan.model import Plan
from loadrig.study import runner
from loadrig.study.carry_out import planned
from loadrig.study.ledger import Ledger
from loadrig.study.trials import DoneTrial
from loadrig.study.watch import StudyWatcher
from loadrig.trial.result import TrialResult
from loadrig.trial.spec import TrialSpec
from loadrig.trial.validity import Validity
from tests.wording import holding

from .fakes import DEMO, FakeServers, cores, knob, plan, reason, trial_result


class FakeWatcher(StudyWatcher):
    def __init__(self) -> None:
        self.begun: tuple[int, int, float] | None = None
        self.trials: list[tuple[int, int, int, float]] = []
        self.ended: list[int] = []
        self.notes: list[str] = []

    def study_begins(self, total: int, done: int, left_s: float) -> None:
        self.begun = (total, done, left_s)

    def trial_begins(self, spec: TrialSpec, done: int, total: int, left_s: float) -> None:
        self.trials.append((spec.index, done, total, left_s))

    def trial_ends(self, trial: DoneTrial) -> None:
        self.ended.append(trial.index)

    def note(self, text: str) -> None:
        self.notes.append(text)


class StudyClock:
    """Each look at it is two seconds later: a trial takes two seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 2.0
        return self.now


def go(
    study_plan: Plan,
    path: Path,
    servers: runner.RunTrial,
    watch: FakeWatcher | None = None,
    budget_s: float | None = None,
) -> tuple[runner.StudyEnd, tuple[DoneTrial, ...]]:
    with Ledger.open(path, study_plan) as ledger:
        ended = runner.run(
            planned(study_plan),
            ledger,
            servers,
            watch=watch,
            budget_s=budget_s,
            expected_s=60.0,
            clock=StudyClock(),
        )
        return ended, ledger.trials


EXITED = "the server exited at start"


def target_error(text: str = EXITED) -> TargetError:
    return TargetError(Problem(what=text, mend="see its log", code="target.exited"))


def test_a_study_runs_to_its_end_and_tells_how_it_goes(tmp_path: Path) -> None:
    watch = FakeWatcher()
    ended, trials = go(plan(*DEMO, blocks=2), tmp_path / "l", FakeServers(cores(2)), watch)
    assert (ended.why, len(trials)) == ("done", 20)
    assert watch.begun == (20, 0, 20 * 60.0)
    assert watch.trials[0] == (1, 0, 20, 1200.0)
    assert watch.trials[1] == (2, 1, 20, 19 * 2.0)
    assert watch.ended == list(range(1, 21))


def test_a_study_that_is_done_runs_nothing_again_and_more_blocks_go_on(tmp_path: Path) -> None:
    first, again = FakeServers(cores(2)), FakeServers(cores(2))
    go(plan(*DEMO, blocks=1), tmp_path / "l", first)
    ended, trials = go(plan(*DEMO, blocks=1), tmp_path / "l", again)
    assert (ended.why, again.ran, len(trials)) == ("done", [], 10)
    _, trials = go(plan(*DEMO, blocks=2), tmp_path / "l", again)
    assert [spec.block for spec in again.ran] == [1] * 10
    assert len(trials) == 20


def test_control_c_keeps_what_is_done(tmp_path: Path) -> None:
    servers = FakeServers(cores(2))

    def interrupted(spec: TrialSpec) -> TrialResult:
        if spec.index == 4:
            raise Interrupted(Problem(what="stopped by hand", mend="go on", code="trial.interrupted"))
        if spec.index == 6:
            raise KeyboardInterrupt
        return servers(spec)

    ended, trials = go(plan(*DEMO), tmp_path / "l", interrupted)
    assert (ended.why, len(trials)) == ("interrupted", 3)
    assert ended.failure is not None
    assert ended.failure.problems[0].code == "trial.interrupted"
    ended, trials = go(
        plan(*DEMO), tmp_path / "l", lambda spec: servers(spec) if spec.index < 6 else interrupted(spec)
    )
    assert (ended.why, len(trials)) == ("interrupted", 5)
    assert ended.failure is not None
    assert ended.failure.problems[0].code == "study.interrupted"


def test_a_budget_is_kept_over_sessions(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    watch = FakeWatcher()
    ended, trials = go(plan(*DEMO), tmp_path / "l", FakeServers(cores(2)), watch, budget_s=9.0)
    assert (ended.why, len(trials)) == ("budget", 4)  # a fifth would end at 10 s
    (note,) = holding(watch.notes, "26 trials")
    assert note == snapshot
    ended, trials = go(plan(*DEMO), tmp_path / "l", FakeServers(cores(2)), budget_s=13.0)
    assert (ended.why, len(trials)) == ("budget", 6)


def test_a_void_trial_is_repeated_once_and_said(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    why = "the generator was late"
    lost = trial_result({}, Validity("void", (reason("void", why),)))
    watch = FakeWatcher()
    servers = FakeServers(cores(2), spoil=lambda spec: lost if spec.index in (2, 11) else None)
    _, trials = go(plan(*DEMO, blocks=1), tmp_path / "l", servers, watch)
    assert len(trials) == 11
    assert [trial.validity for trial in trials].count("void") == 2
    assert len(watch.notes) == 2
    assert watch.notes[0].startswith("trial 2 (")
    assert all(why in note for note in watch.notes)
    assert watch.notes == snapshot


def test_a_setting_with_which_the_server_does_not_start_is_a_result(tmp_path: Path) -> None:
    servers = FakeServers(cores(2))

    def run_trial(spec: TrialSpec) -> TrialResult:
        if spec.setting.get("threads") == 4:
            raise target_error()
        return servers(spec)

    ended, trials = go(plan(*DEMO, blocks=2), tmp_path / "l", run_trial)
    assert ended.why == "done"
    lost = [trial for trial in trials if trial.validity == "failed"]
    assert {show_setting(trial.setting) for trial in lost} == {
        f"worker_class=gthread workers={workers} threads=4" for workers in (1, 2, 4)
    }
    assert all(trial.reasons == (EXITED,) for trial in lost)
    assert sum(trial.block == 1 for trial in trials) == 7


def test_a_server_that_never_works_ends_the_study_soon(tmp_path: Path) -> None:
    tried: list[TrialSpec] = []
    in_use = "the port is in use"

    def run_trial(spec: TrialSpec) -> TrialResult:
        tried.append(spec)
        raise target_error(in_use)

    ended, trials = go(plan(*DEMO), tmp_path / "l", run_trial)
    assert ended.why == "failed"
    assert ended.failure is not None
    assert ended.failure.problems[0].what == in_use
    assert len(tried) <= 3
    assert all(trial.validity == "failed" for trial in trials)


def test_without_its_base_a_study_cannot_go_on(tmp_path: Path) -> None:
    servers = FakeServers(cores(2))

    def run_trial(spec: TrialSpec) -> TrialResult:
        if spec.is_base:
            raise target_error()
        return servers(spec)

    ended, trials = go(plan(*DEMO), tmp_path / "l", run_trial)
    assert ended.why == "failed"
    assert not any(trial.is_base for trial in trials)


def test_a_server_that_answers_nothing_has_failed(tmp_path: Path) -> None:
    servers = FakeServers(
        cores(2), spoil=lambda spec: None if spec.is_base else trial_result({}, was_answered=False)
    )
    _, trials = go(plan(knob("workers", 1, 2), blocks=2), tmp_path / "l", servers)
    assert [trial.validity for trial in trials if not trial.is_base][-1] == "failed"


def test_when_the_rig_cannot_work_the_study_ends_with_what_it_has(tmp_path: Path) -> None:
    servers = FakeServers(cores(2))

    def run_trial(spec: TrialSpec) -> TrialResult:
        if spec.index == 3:
            raise VoidError(Problem(what="no space left", mend="free some", code="recording.disk-full"))
        return servers(spec)

    ended, trials = go(plan(*DEMO), tmp_path / "l", run_trial)
    assert (ended.why, len(trials)) == ("failed", 2)


SESSION = """
import os, sys, time
from pathlib import Path
from loadrig.study import runner
from loadrig.study.carry_out import planned
from loadrig.study.ledger import Ledger
from tests.study.fakes import DEMO, FakeServers, cores, plan

path, tear_at = Path(sys.argv[1]), int(sys.argv[2])
made, servers, real = plan(*DEMO, blocks=2), FakeServers(cores(2)), os.write

def torn(handle, data):
    # The line of one trial gets half way to the disk; then the process hangs until it is killed.
    if b'"index": %d,' % tear_at in data:
        real(handle, data[: len(data) // 2])
        os.fsync(handle)
        print("torn", flush=True)
        time.sleep(60)
    return real(handle, data)

os.write = torn
with Ledger.open(path, made) as ledger:
    runner.run(planned(made), ledger, servers)
"""


@pytest.mark.integration
def test_a_study_killed_in_the_middle_of_a_line_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    root = Path(__file__).parents[2]
    session = subprocess.Popen(
        [sys.executable, "-c", SESSION, str(path), "7"],
        stdout=subprocess.PIPE,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    try:
        assert session.stdout is not None
        assert session.stdout.readline() == b"torn\n"
    finally:
        os.kill(session.pid, signal.SIGKILL)
        session.wait(timeout=30)
        session.stdout.close() if session.stdout else None
    assert not path.read_bytes().endswith(b"\n")
    study_plan, servers = plan(*DEMO, blocks=2), FakeServers(cores(2))
    begun = time.monotonic()
    with Ledger.open(path, study_plan) as ledger:
        assert [trial.index for trial in ledger.trials] == [1, 2, 3, 4, 5, 6]
        assert runner.run(planned(study_plan), ledger, servers).why == "done"
        trials = ledger.trials
    assert time.monotonic() - begun < 60
    assert [spec.index for spec in servers.ran] == list(range(7, 21))
    assert [trial.index for trial in trials] == list(range(1, 21))
    whole = FakeServers(cores(2))
    _, unbroken = go(study_plan, tmp_path / "other.jsonl", whole)
    assert [(t.setting, t.block, t.repeat) for t in trials] == [
        (t.setting, t.block, t.repeat) for t in unbroken
    ]
    assert [t.measures["throughput"] for t in trials] == [t.measures["throughput"] for t in unbroken]
