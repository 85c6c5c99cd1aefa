"""`loadrig run` on a real gunicorn: a trial, a study, a kill in the middle, and going on."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from loadrig.testing.leftovers import nothing_left_behind
from tests import warm
from tests.integration.program import loadrig
from tests.integration.shop import SINGLE, STUDY, lay_out
from tests.wording import codes

pytestmark = pytest.mark.integration


def ledger_trials(run: Path) -> list[dict[str, Any]]:
    """Return the trials in a run's ledger, whole lines only."""
    if not (run / "ledger.jsonl").is_file():
        return []
    lines = (run / "ledger.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [json.loads(line) for line in lines if line.endswith("\n")]
    return [row for row in rows if row["kind"] == "trial"]


def test_a_trial_of_a_plan_leaves_a_sealed_folder_and_says_what_the_contract_says(tmp_path: Path) -> None:
    lay_out(tmp_path, SINGLE)
    with nothing_left_behind():
        ended = loadrig("run", "plan.yaml", "--json", "--out", "out", cwd=tmp_path)
    # A busy machine may make the trial void; the document is then as complete as otherwise.
    assert ended.code in (0, 111), ended.err
    result = json.loads(ended.out)
    assert result["schema"] == "loadrig.trial/2"
    assert result["validity"]["verdict"] in ("valid", "disturbed", "void")
    load = result["load"]
    assert load["model"] == "users"
    assert load["requests"] >= result["outcomes"]["ok"] > 0
    response, service = result["latency_ms"]["response"], result["latency_ms"]["service"]
    assert 0 < response["p50"] <= response["p90"] <= response["p99"] <= response["max"]
    assert service["p50"] <= response["p50"]
    assert set(result["routes"]) == {"product"}
    assert result["generator"]["cpu_s"] > 0
    assert result["observer"]["cpu_s"] > 0
    assert result["diagnosis"]["sentence"]
    for finding in result["findings"]:
        assert finding["verdict"] in ("likely", "possible")
        assert set(finding) >= {"cause", "component", "effect", "evidence", "against", "mend"}
    trial = tmp_path / "out" / "trials" / "0001"
    assert (trial / "SEALED").is_file()
    assert "Booting worker" in (trial / "target.log").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "report.html").stat().st_size < 3_000_000


def test_requests_due_are_answered_failed_or_unsent_in_every_frame(tmp_path: Path) -> None:
    lay_out(tmp_path, SINGLE)
    loadrig("run", "plan.yaml", "--out", "out", cwd=tmp_path)
    lines = (tmp_path / "out" / "trials" / "0001" / "frames.jsonl").read_text(encoding="utf-8").splitlines()
    due = over = 0
    for line in lines:
        frame = json.loads(line)
        due += frame["due"]
        over += frame["answered"] + frame["failed"] + frame["unsent"]
        assert due == over + frame["in_flight"]
    assert due > 0
    assert due == over


def test_a_study_tries_every_setting_in_blocks_and_recommends(tmp_path: Path) -> None:
    lay_out(tmp_path, STUDY)
    with nothing_left_behind():
        ended = loadrig("run", "plan.yaml", "--json", "--out", "out", cwd=tmp_path)
    assert ended.code in (0, 111, 112), ended.err
    result = json.loads(ended.out)
    assert result["schema"] == "loadrig.study/2"
    assert result["kind"] == "grid"
    trials = ledger_trials(tmp_path / "out")
    for block in (0, 1):
        ran = [t["setting"]["workers"] for t in trials if t["block"] == block and t["validity"] != "void"]
        if len(ran) >= 3:  # void trials are left out and may leave a hole on a busy machine
            assert ran.count(1) >= 2
    assert {setting["setting"]["workers"] for setting in result["settings"]} == {1, 2}
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.nightly
def test_a_study_that_was_killed_goes_on_where_it_stopped(tmp_path: Path) -> None:
    lay_out(tmp_path, STUDY)
    run = tmp_path / "out"
    words = [*warm.PROGRAM, "run", "plan.yaml", "--out", "out"]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    with nothing_left_behind():
        rig = warm.Popen(
            words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        deadline = time.monotonic() + 60
        while len(ledger_trials(run)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)  # into the next trial
        rig.kill()
        rig.wait(timeout=60)
        before = ledger_trials(run)
        assert len(before) >= 2
        loadrig("doctor", "--clean", cwd=tmp_path)
        ended = loadrig("run", "plan.yaml", "--out", "out", "--resume", cwd=tmp_path)
    assert ended.code in (0, 111, 112), ended.err
    after = ledger_trials(run)
    assert after[: len(before)] == before
    places = [(t["block"], json.dumps(t["setting"]), t["repeat"]) for t in after]
    assert len(places) == len(set(places))
    assert len(after) >= 6


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    lay_out(tmp_path, SINGLE.replace("600ms, at_most: 600ms", "20s, at_most: 20s"))
    words = [*warm.PROGRAM, "run", "plan.yaml", "--out", "out"]
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    frames = tmp_path / "out" / "trials" / "0001" / "frames.jsonl"
    with nothing_left_behind():
        rig = warm.Popen(
            words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        deadline = time.monotonic() + 60
        while (not frames.is_file() or frames.stat().st_size < 2_000) and time.monotonic() < deadline:
            time.sleep(0.05)
        rig.send_signal(signal.SIGINT)
        out, err = rig.communicate(timeout=60)
    assert rig.returncode == 105, err
    assert "product" in out or "good answers" in out
    assert (tmp_path / "out" / "report.html").is_file()
    assert (tmp_path / "out" / "trials" / "0001" / "SEALED").is_file()


def test_a_run_that_may_not_be_mixed_with_another_is_refused(tmp_path: Path) -> None:
    lay_out(tmp_path, SINGLE)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep me", encoding="utf-8")
    ended = loadrig("run", "plan.yaml", "--out", "out", cwd=tmp_path)
    assert ended.code == 104
    assert codes(ended.err) == ["recording.folder-in-use"]
    assert (tmp_path / "out" / "mine.txt").read_text(encoding="utf-8") == "keep me"


def test_resuming_what_never_began_says_so(tmp_path: Path) -> None:
    lay_out(tmp_path, STUDY)
    ended = loadrig("run", "plan.yaml", "--resume", cwd=tmp_path)
    assert ended.code == 104
    assert codes(ended.err) == ["cli.nothing-to-resume"]


def test_a_dry_run_shows_the_bytes_and_starts_nothing(tmp_path: Path) -> None:
    lay_out(tmp_path, STUDY)
    with nothing_left_behind():
        ended = loadrig("run", "plan.yaml", "--dry", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "GET /products/1.json HTTP/1.1" in ended.out
    assert "6 trials" in ended.out
    assert not (tmp_path / "runs").exists()


def test_a_goal_that_is_missed_is_the_exit_code(tmp_path: Path) -> None:
    lay_out(tmp_path, SINGLE.replace("errors < 5%", "p50 < 1us"))
    ended = loadrig("run", "plan.yaml", "--out", "out", cwd=tmp_path)
    assert ended.code in (99, 111)
    if ended.code == 99:
        assert "missed" in ended.out
