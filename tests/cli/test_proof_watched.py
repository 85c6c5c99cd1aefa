"""A proof while it is carried out, for whoever watches it from another process."""

from pathlib import Path

from loadrig.cli._live import LiveRun
from loadrig.plan.load import read
from loadrig.recording import now
from loadrig.recording.layout import RunFolder
from loadrig.study.yardstick import deciding
from loadrig.trial.spec import TrialSpec

PLAN = """\
loadrig: 1
target: {external: "http://127.0.0.1:8000/"}
workload: {users: 2, requests: [get: /]}
"""


def test_a_trial_of_a_proof_is_noted_as_one(tmp_path: Path) -> None:
    run, plan = RunFolder(tmp_path / "run"), read(PLAN, str(tmp_path / "plan.yaml"))
    run.create(None)
    with LiveRun("proving", deciding(plan), run, quiet=True, draws=False, at_once=False) as live:
        before = now.read(run)
        assert live.proof_trial_begins(TrialSpec(plan, {"workers": 4}, 1, index=2)) is live
        live.phase("measuring", 5.0)
        state = now.read(run)
    assert before is not None
    assert state is not None
    assert (before.trial, before.is_of_proof) == (None, False)
    assert (state.trial, state.is_of_proof, state.setting) == (2, True, "workers=4")
    assert state.phase == "measuring"
    assert now.read(run) is None
