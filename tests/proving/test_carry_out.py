"""A proof as a whole: however it ends, what was found is judged and kept."""

import json
import os
import signal
from pathlib import Path
from unittest.mock import patch

import pytest

from loadrig.base.errors import Interrupted, Problem, VoidError
from loadrig.plan.load import load
from loadrig.proving import carry_out
from loadrig.proving.carry_out import Wish
from loadrig.recording.layout import RunFolder
from tests.integration.recorded_runs import recorded_run


def test_a_proof_that_is_stopped_between_two_trials_is_judged(tmp_path: Path) -> None:
    run = RunFolder(recorded_run("few-threads", tmp_path))
    # Between two trials Ctrl-C, SIGTERM and SIGHUP come as they come to every program: while it rests, say.
    with patch("loadrig.proving.rest.wait", side_effect=KeyboardInterrupt), pytest.raises(Interrupted):
        carry_out.carry_out(Wish(run, 1, load(str(tmp_path / "plan.yaml")), 180.0))
    proof = json.loads(run.proof_document.read_text(encoding="utf-8"))
    assert proof["ended"] == "interrupted"
    assert [finding["cause"] for finding in proof["findings"]][:1] == ["too_few_workers"]


def test_a_proof_that_is_stopped_while_it_is_judged_is_judged(tmp_path: Path) -> None:
    run = RunFolder(recorded_run("few-threads", tmp_path))

    def judged(*_: object, **__: object) -> dict[str, str]:
        os.kill(os.getpid(), signal.SIGINT)
        return {"ended": "sure"}

    with (
        patch.object(carry_out._Proof, "_run_experiments"),
        patch.object(carry_out._Proof, "_judged", judged),
        pytest.raises(Interrupted),
    ):
        carry_out.carry_out(Wish(run, 1, load(str(tmp_path / "plan.yaml")), 180.0))
    assert json.loads(run.proof_document.read_text(encoding="utf-8")) == {"ended": "sure"}


def test_a_rig_that_fails_in_a_proof_is_no_success(tmp_path: Path) -> None:
    run = RunFolder(recorded_run("few-threads", tmp_path))
    full = VoidError(Problem(what="no space left", mend="free some", code="recording.disk-full"))
    with (
        patch.object(carry_out._Proof, "_run_experiments", side_effect=full),
        pytest.raises(VoidError) as raised,
    ):
        carry_out.carry_out(Wish(run, 1, load(str(tmp_path / "plan.yaml")), 180.0))
    assert raised.value is full
    # What was found before is judged and kept all the same.
    proof = json.loads(run.proof_document.read_text(encoding="utf-8"))
    assert (proof["ended"], [skip["code"] for skip in proof["skipped"]]) == (
        "failed",
        ["recording.disk-full"],
    )
