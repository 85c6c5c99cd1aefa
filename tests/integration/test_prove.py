"""A proof from end to end: a server with too few threads, run, diagnosed, proved, its mend verified."""

import json
import shutil
from pathlib import Path

import pytest

from tests.integration.program import loadrig

pytestmark = [pytest.mark.integration, pytest.mark.timeout(500)]

WAITING = '''\
"""A server that waits for something that is not here."""

import time


def app(environ, start_response):
    if environ["PATH_INFO"] != "/health":
        time.sleep(0.02)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
'''

PLAN = """\
loadrig: 1
name: few threads
target:
  gunicorn: {app: "waiting:app", ready: /health}
knobs: {worker_class: gthread, workers: 1, threads: 2, keepalive: 10}
workload:
  users: 12
  requests: [{name: page, get: /, expect: 200}]
trial:
  warm_up: {at_least: 2s, at_most: 2s}
  measure: {at_least: 6s, at_most: 6s}
prove: {after_run: false, knobs: {threads: 8}, budget: 60s}
"""


TRIES = 3
"""A neighbour who takes the server's core is a reason to accuse nobody: then it is run once more."""


def diagnosed(folder: Path, server: str) -> None:
    """Run the plan until its diagnosis accuses the few threads."""
    (folder / "waiting.py").write_text(server, encoding="utf-8")
    (folder / "plan.yaml").write_text(PLAN, encoding="utf-8")
    for _ in range(TRIES):
        shutil.rmtree(folder / "run", ignore_errors=True)
        (folder / "starts").unlink(missing_ok=True)
        ran = loadrig("run", "plan.yaml", "--out", "run", "--json", cwd=folder)
        if [one["cause"] for one in json.loads(ran.out)["findings"]][:1] == ["too_few_workers"]:
            return
    pytest.fail(f"the diagnosis did not accuse the few threads in {TRIES} runs: {ran.out[-2000:]}")


def document(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        (folder / "run" / "proof" / "proof.json").read_text(encoding="utf-8")
    )
    return found


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was diagnosed and then proved; several tests look at it."""
    folder = tmp_path_factory.mktemp("proved")
    for _ in range(TRIES):
        diagnosed(folder, WAITING)
        done = loadrig("diagnose", "run", "--prove", "--json", cwd=folder, timeout_s=150)
        assert done.code == 0, done.err
        # Trials that a neighbour has spoilt are void, and what is left may not be enough to be sure.
        if document(folder)["ended"] == "sure":
            break
    return folder


def test_the_cause_is_named_by_an_experiment(proved: Path) -> None:
    told = document(proved)
    findings = told["findings"]
    assert isinstance(findings, list)
    assert (findings[0]["cause"], findings[0]["verdict"]) == ("too_few_workers", "named")
    assert findings[0]["evidence"][0]["source"]["kind"] == "experiment"
    assert "threads: 2 to 8" in findings[0]["evidence"][0]["text"]


def test_the_mend_is_verified_against_what_was_foretold(proved: Path) -> None:
    fix = document(proved)["fix"]
    assert isinstance(fix, dict)
    assert fix["setting"]["threads"] == 8
    assert fix["is_verified"] is True
    assert fix["predicted"] == pytest.approx(4, rel=0.2)


def test_the_recording_that_was_proved_is_as_it_was(proved: Path) -> None:
    trial = proved / "run" / "trials" / "0001"
    assert (trial / "SEALED").is_file()
    kept = json.loads((proved / "run" / "result.json").read_text(encoding="utf-8"))
    assert kept["findings"][0]["verdict"] == "likely"


def test_the_report_and_the_diagnosis_show_the_proof(proved: Path) -> None:
    told = loadrig("diagnose", "run", cwd=proved)
    assert "threads: 2 to 8" in told.out
    assert "verified" in told.out
    page = loadrig("report", "run", cwd=proved)
    assert page.code == 0, page.err
    assert "threads: 2 to 8" in (proved / "run" / "report.html").read_text(encoding="utf-8")


def test_a_budget_without_a_proof_is_refused(proved: Path) -> None:
    refused = loadrig("diagnose", "run", "--budget", "3m", cwd=proved)
    assert refused.code != 0
    assert "cli.needs-prove" in refused.err
    wrong = loadrig("diagnose", "run", "--prove", "--budget", "soon", cwd=proved)
    assert "cli.wrong-argument" in wrong.err


def test_a_run_without_a_plan_cannot_be_proved(proved: Path, tmp_path: Path) -> None:
    trial = tmp_path / "alone" / "trials" / "0001"
    trial.mkdir(parents=True)
    for file in (proved / "run" / "trials" / "0001").iterdir():
        if file.is_file():
            (trial / file.name).write_bytes(file.read_bytes())
    refused = loadrig("diagnose", str(tmp_path / "alone"), "--prove", cwd=proved)
    assert "prove.no-plan" in refused.err


DYING = WAITING.replace(
    "import time\n",
    """\
import os
import pathlib
import signal
import threading
import time

starts = pathlib.Path("starts")
starts.write_text(starts.read_text() + "." if starts.exists() else ".")
if len(starts.read_text()) > 1:
    threading.Timer(3.0, os.kill, (os.getppid(), signal.SIGKILL)).start()
""",
)


def test_a_server_that_dies_during_the_proof_is_said_and_the_verdict_stays(tmp_path: Path) -> None:
    diagnosed(tmp_path, DYING)
    done = loadrig("diagnose", "run", "--prove", "--json", cwd=tmp_path, timeout_s=150)
    assert done.code == 0, done.err
    told = document(tmp_path)
    assert told["ended"] == "failed"
    skipped, findings = told["skipped"], told["findings"]
    assert isinstance(skipped, list)
    assert isinstance(findings, list)
    assert any("died" in one["why"] for one in skipped)
    assert findings[0]["verdict"] == "likely"
