"""A run that was stopped or killed: what goes on, what is finished without a load, and what says why not."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.errors import Interrupted, Problem
from loadrig.base.exits import Exit
from loadrig.cli import _resume
from loadrig.cli._resume import plan_of
from loadrig.recording import manifest
from loadrig.recording.layout import RunFolder
from tests.conftest import Deadline
from tests.integration.lost import as_killed_after_sealing, started
from tests.integration.program import loadrig
from tests.integration.recorded_runs import recorded_run
from tests.integration.servers import serving
from tests.lengths import length

pytestmark = pytest.mark.integration

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
PLAN = "loadrig: 1\ntarget: {external: 'http://127.0.0.1:9'}\nworkload: {users: 2, requests: [{get: /}]}\n"
TOLD = (Exit.FINE, Exit.VOID, Exit.UNDECIDED)
"""Exit codes of a run on a noisy machine."""


@pytest.fixture
def url() -> Iterator[str]:
    """Yield the address of a server that answers well."""
    with serving(lambda connection: connection.sendall(OK), keep_open=True) as port:
        yield f"http://127.0.0.1:{port}/"


def rows(run: Path) -> list[dict[str, Any]]:
    lines = (run / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["kind"] == "trial"]


def begun(run: Path) -> bool:
    """Return whether some load of a run's first trial is on the disk."""
    frames = run / "trials" / "0001" / "frames.jsonl"
    return frames.is_file() and frames.read_bytes().count(b"\n") >= 2


def stopped(words: list[str], cwd: Path, how: signal.Signals, deadline: Deadline) -> tuple[int, str]:
    """Begin a command, send it a signal when its first load goes on; its exit code and standard error."""
    with started(words, cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as rig:
        deadline.wait_for(lambda: begun(cwd / "out"), "the load")
        os.kill(rig.pid, how)
        _, err = rig.communicate(timeout=deadline.left_s)
    return rig.returncode, err.decode()


def test_what_was_killed_after_its_load_is_finished_without_another(tmp_path: Path, url: str) -> None:
    run = tmp_path / "out"
    words = ["attack", url, "-z", "300ms", "--out", "out"]
    first = loadrig(*words, cwd=tmp_path)
    assert first.code in TOLD, first.err
    result, ledger = json.loads((run / "result.json").read_text()), rows(run)
    for again in (["report", "out"], [*words, "--resume"], ["run", "out", "--resume"]):
        as_killed_after_sealing(run)
        ended = loadrig(*again, cwd=tmp_path)
        assert ended.code == (Exit.FINE if again[0] == "report" else first.code), ended.err
        assert [row["measures"] for row in rows(run)] == [row["measures"] for row in ledger]
        assert json.loads((run / "result.json").read_text()) == result
        assert (run / "report.html").is_file()
        assert [path.name for path in (run / "trials").iterdir()] == ["0001"]


def test_a_load_that_was_killed_says_why_it_cannot_go_on_and_what_to_type(
    tmp_path: Path, url: str, deadline: Deadline
) -> None:
    words = ["attack", url, "-z", "60s", "--out", "out"]
    stopped(words, tmp_path, signal.SIGKILL, deadline)
    loadrig("doctor", "--clean", cwd=tmp_path)
    ended = loadrig(*words, "--resume", cwd=tmp_path)
    assert ended.code == Exit.PLAN_WRONG
    assert "cli.cannot-resume" in ended.err
    assert "loadrig report out" in ended.err
    assert "loadrig run out\n" in ended.err
    # What was measured can be read as it says.
    answer = loadrig("report", "out", "--json", cwd=tmp_path)
    assert answer.code == Exit.FINE, answer.err
    assert json.loads(answer.out)["outcomes"]["ok"] > 0
    assert (tmp_path / "out" / "result.json").is_file()


@pytest.mark.nightly
def test_an_interrupted_soak_is_told_what_it_can_do(tmp_path: Path, url: str, deadline: Deadline) -> None:
    words = ["soak", url, "--for", "10m", "-q", "20/1s", "--out", "out"]
    code, err = stopped(words, tmp_path, signal.SIGINT, deadline)
    assert code == Exit.INTERRUPTED
    assert "loadrig run out" in err
    assert "--resume" not in err
    ended = loadrig(*words, "--resume", cwd=tmp_path)
    assert (ended.code, "cli.cannot-resume" in ended.err) == (Exit.PLAN_WRONG, True)


@pytest.mark.parametrize("anew", [None, "loadrig lab run shop"])
def test_who_is_stopped_when_the_load_was_over_is_not_told_to_run_it_again(
    anew: str | None, tmp_path: Path
) -> None:
    run = RunFolder(recorded_run("cold", tmp_path))
    run.plan.write_text(PLAN, encoding="utf-8")
    plan = plan_of(run)
    failure = Interrupted(Problem(what="stopped", mend="anything", code="study.interrupted"))
    facts = json.loads(run.trial(1).manifest.read_text(encoding="utf-8"))
    typed = {}
    for cut in (None, "it was stopped"):
        manifest.write(run.trial(1), {**facts, "cut": cut})
        typed[cut] = _resume.with_advice(failure, run, plan, anew).problems[0].mend
    assert f"loadrig report {run.path}" in typed[None]
    assert (anew or f"loadrig run {run.path}") in typed["it was stopped"]


def test_a_run_that_never_had_a_load_begins_when_it_is_resumed(tmp_path: Path, url: str) -> None:
    run = tmp_path / "out"
    words = ["attack", url, "-z", "300ms", "--out", "out"]
    loadrig(*words, cwd=tmp_path)
    as_killed_after_sealing(run)
    trial = run / "trials" / "0001"
    for name in ("SEALED", "frames.jsonl", "latency.hlog"):
        (trial / name).unlink()
    ended = loadrig("run", "out", "--resume", cwd=tmp_path)
    assert ended.code in TOLD, ended.err
    assert sorted(path.name for path in (run / "trials").iterdir()) == ["0001", "0001-broken-1"]


def test_the_folder_of_a_run_is_a_plan_that_is_run_once_more_in_another(tmp_path: Path, url: str) -> None:
    loadrig("attack", url, "-z", "300ms", "--out", "out", cwd=tmp_path)
    before = (tmp_path / "out" / "ledger.jsonl").read_bytes()
    ended = loadrig("run", "out", "--out", "again", cwd=tmp_path)
    assert ended.code in TOLD, ended.err
    assert (tmp_path / "out" / "ledger.jsonl").read_bytes() == before
    assert (tmp_path / "again" / "plan.yaml").read_bytes() == (tmp_path / "out" / "plan.yaml").read_bytes()


@pytest.mark.parametrize("how", length([signal.SIGKILL], [signal.SIGKILL, signal.SIGINT]))
def test_a_proof_that_was_cut_short_says_how_it_begins_anew(tmp_path: Path, how: signal.Signals) -> None:
    deadline = Deadline(90.0)  # a proof takes seconds to begin, and so do five commands
    run = recorded_run("few-threads", tmp_path)
    is_killed = how == signal.SIGKILL
    frames = run / "proof" / "trials" / "0001" / "frames.jsonl"
    words = ["diagnose", "run", "--prove"]
    with started(words, tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as rig:
        deadline.wait_for(lambda: frames.is_file() and frames.read_bytes().count(b"\n") >= 2, "the proof")
        os.kill(rig.pid, how)
        err = rig.communicate(timeout=deadline.left_s)[1].decode()
    loadrig("doctor", "--clean", cwd=tmp_path)
    if not is_killed:
        assert rig.returncode == Exit.INTERRUPTED
        assert "loadrig diagnose run --prove" in err
        assert "--resume" not in err
    # Who is stopped judges what was found until then; who is killed cannot.
    assert (run / "proof" / "proof.json").is_file() != is_killed
    for command in ("report", "diagnose"):
        answer = loadrig(command, "run", cwd=tmp_path)
        assert answer.code == Exit.FINE, answer.err
        assert ("prove.cut-short" in answer.err) == is_killed
    assert loadrig("verify", "run", cwd=tmp_path).code == Exit.FINE
