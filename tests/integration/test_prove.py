"""A proof from end to end: a server with too few threads, run, diagnosed, proved, its mend verified."""

import json
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from loadrig.report.text_proof import MOST_SKIPPED
from tests.integration.dying import first_sentence
from tests.integration.program import loadrig
from tests.integration.recorded_runs import RECORDED, recorded_run

pytestmark = [pytest.mark.integration, pytest.mark.timeout(500)]

UNSURE = ("exhausted", "budget", "unprovable", "gone")
"""Ends of a proof that says by itself that its experiments did not suffice, as on a disturbed machine."""


def document(folder: Path) -> dict[str, object]:
    proof: dict[str, object] = json.loads(
        (folder / "run" / "proof" / "proof.json").read_text(encoding="utf-8")
    )
    return proof


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prove a run whose diagnosis accuses the few threads; several tests look at it."""
    folder = tmp_path_factory.mktemp("proved")
    recorded_run("few-threads", folder)
    done = loadrig("diagnose", "run", "--prove", "--budget", "40s", "--json", cwd=folder, timeout_s=150)
    assert done.code == 0, done.err
    return folder


def test_what_is_named_was_shown_by_an_experiment(proved: Path) -> None:
    proof = document(proved)
    findings = proof["findings"]
    assert isinstance(findings, list)
    named = [finding for finding in findings if finding["verdict"] == "named"]
    # Neighbours can keep it from naming anything; from nothing can it follow that an innocent is named.
    assert [finding["cause"] for finding in named] == (
        [] if proof["ended"] in UNSURE else ["too_few_workers"]
    )
    assert findings[0]["cause"] == "too_few_workers"
    for finding in named:
        assert finding["evidence"][0]["source"]["kind"] == "experiment"
        assert "threads: 2 to 8" in finding["evidence"][0]["text"]


def test_the_mend_is_tried_where_a_cause_is_named_and_its_gain_foretold(proved: Path) -> None:
    proof = document(proved)
    fix = proof["fix"]
    assert (fix is None) == (proof["ended"] in UNSURE)
    if isinstance(fix, dict):
        assert fix["setting"]["threads"] == 8
        assert fix["predicted"] == pytest.approx(4, rel=0.2)


def test_the_recording_that_was_proved_is_as_it_was(proved: Path) -> None:
    trial = proved / "run" / "trials" / "0001"
    assert (trial / "SEALED").is_file()
    assert loadrig("diagnose", "run/trials/0001", "--json", cwd=proved).code == 0
    recorded = RECORDED / "few-threads" / "run" / "trials" / "0001"
    for file in recorded.iterdir():
        if file.name not in ("manifest.json", "SEALED"):  # they name this folder
            assert (trial / file.name).read_bytes() == file.read_bytes()


def test_the_report_and_the_diagnosis_show_the_proof(proved: Path) -> None:
    proof = document(proved)
    experiments, skipped = proof["experiments"], proof["skipped"]
    assert isinstance(experiments, list)
    assert isinstance(skipped, list)
    # On a disturbed machine the time may not have been enough for any experiment; both say that as well.
    titles = [each["title"] for each in (*experiments, *skipped)]
    assert titles
    out = " ".join(loadrig("diagnose", "run", cwd=proved).out.split())
    # A terminal names the first of those that were not tried, and says how many more there are.
    short = [each["title"] for each in (*experiments, *skipped[:MOST_SKIPPED])]
    assert [title for title in short if title not in out] == []
    page = loadrig("report", "run", cwd=proved)
    assert page.code == 0, page.err
    shown = (proved / "run" / "report.html").read_text(encoding="utf-8")
    assert [title for title in titles if title not in shown] == []


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


DYING = """\
import os
import signal
import threading

threading.Timer(1.5, os.kill, (os.getppid(), signal.SIGKILL)).start()
"""
"""Put before the server's own lines: one and a half seconds after its worker was started, its master dies."""


def test_a_server_that_dies_during_the_proof_is_said_and_the_verdict_stays(tmp_path: Path) -> None:
    recorded_run("few-threads", tmp_path)
    server = tmp_path / "waiting.py"
    server.write_text(DYING + server.read_text(encoding="utf-8"), encoding="utf-8")
    done = loadrig("diagnose", "run", "--prove", "--budget", "20s", "--json", cwd=tmp_path, timeout_s=150)
    assert done.code == Exit.TARGET_FAILED, done.err
    proof = document(tmp_path)
    assert proof["ended"] == "failed"
    failed = proof["target_failed"]
    assert isinstance(failed, dict)
    assert (failed["kind"], failed["trials"][0]["signal"]) == ("died", "SIGKILL")
    assert json.loads(done.out)["headline"] == proof["headline"] == failed["sentence"]
    again = loadrig("diagnose", "run", cwd=tmp_path)
    assert (again.code, first_sentence(again.out)) == (Exit.TARGET_FAILED, failed["sentence"])
    skipped, findings = proof["skipped"], proof["findings"]
    assert isinstance(skipped, list)
    assert isinstance(findings, list)
    assert any("died" in experiment["why"] for experiment in skipped)
    assert findings[0]["verdict"] == "likely"
