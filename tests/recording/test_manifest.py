"""The manifest: replaced in one step, and its format told apart."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.errors import PlanError
from loadrig.recording import manifest
from loadrig.recording.layout import TrialFolder
from loadrig.recording.migrations import FORMAT, STEPS, migrated


def code_of(failed: pytest.ExceptionInfo[PlanError]) -> str:
    return failed.value.problems[0].code


def test_wall_and_monotonic_time_are_of_the_same_instant() -> None:
    before = time.time_ns() - time.monotonic_ns()
    made = manifest.begun({"plan_name": "shop"})
    after = time.time_ns() - time.monotonic_ns()
    between = made["wall_ns"] - made["monotonic_ns"]
    low, high = sorted((before, after))
    assert low - 5_000_000 <= between <= high + 5_000_000
    assert made["recording"] == FORMAT
    assert made["plan_name"] == "shop"


def test_there_is_a_step_from_every_older_format() -> None:
    assert sorted(STEPS) == list(range(1, FORMAT))


def test_steps_are_taken_one_after_the_other() -> None:
    def rename(facts: dict[str, Any]) -> dict[str, Any]:
        return {"recording": facts["recording"], "new": facts["old"]}

    def double(facts: dict[str, Any]) -> dict[str, Any]:
        return {**facts, "new": facts["new"] * 2}

    found = migrated({"recording": 1, "old": 4}, Path("manifest.json"), {1: rename, 2: double}, 3)
    assert found == {"recording": 3, "new": 8}


@pytest.mark.parametrize("number", [FORMAT + 1, 99, 0, -1])
def test_a_format_that_is_not_known_is_refused_and_not_guessed_at(tmp_path: Path, number: int) -> None:
    folder = TrialFolder(tmp_path)
    folder.manifest.write_text(json.dumps({"recording": number, "loadrig": "9.1"}))
    with pytest.raises(PlanError) as failed:
        manifest.read(folder)
    assert code_of(failed) == "recording.newer-format"
    assert "9.1" in failed.value.render()
    assert str(number) in failed.value.render()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"recording": "1"}'])
def test_a_manifest_that_is_none_is_said_so(tmp_path: Path, text: str) -> None:
    folder = TrialFolder(tmp_path)
    folder.manifest.write_text(text)
    with pytest.raises(PlanError) as failed:
        manifest.read(folder)
    assert code_of(failed) == "recording.broken"


def test_a_folder_without_a_manifest_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as failed:
        manifest.read(TrialFolder(tmp_path / "nowhere"))
    assert code_of(failed) == "recording.not-a-recording"


REWRITER = """
import sys
from pathlib import Path
from loadrig.recording import manifest
from loadrig.recording.layout import TrialFolder
n = 0
while True:
    facts = {"recording": 1, "n": n, "filler": "x" * 100_000, "again": n}
    manifest.write(TrialFolder(Path(sys.argv[1])), facts)
    if n == 0:
        print("begun", flush=True)
    n += 1
"""


@pytest.mark.integration
def test_a_kill_in_the_middle_of_a_rewrite_leaves_a_whole_manifest(tmp_path: Path) -> None:
    for _ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", REWRITER, str(tmp_path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(0.02)
            os.kill(process.pid, signal.SIGKILL)
        found = manifest.read(TrialFolder(tmp_path))
        assert found["n"] == found["again"]
