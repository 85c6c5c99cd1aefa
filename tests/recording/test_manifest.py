"""The manifest: replaced in one step, and its format told apart."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from loadrig.base.documents import ABSENT, schema_of
from loadrig.base.errors import PlanError
from loadrig.recording import manifest
from loadrig.recording.layout import TrialFolder
from loadrig.recording.manifest_document import ManifestDocument
from loadrig.recording.migrations import FORMAT, STEPS, migrated
from loadrig.testing.synthetic import write_recording
from tests.integration.recorded_runs import CAUSES, RECORDED
from tests.recording.written import facts_without_field

LATER = ("find", "witness", "calibration", "observer", "load")
"""Facts that recordings of earlier formats lack, or lack in part."""


def recorded(name: str, into: Path, *without: str, **other: Any) -> TrialFolder:
    """Return a folder with the manifest of a recorded trial, without some facts and with others instead."""
    written = json.loads((RECORDED / name / "run/trials/0001/manifest.json").read_text(encoding="utf-8"))
    into.mkdir(exist_ok=True)
    facts = {**{key: value for key, value in written.items() if key not in without}, **other}
    (into / "manifest.json").write_text(json.dumps(facts), encoding="utf-8")
    return TrialFolder(into)


def code_of(failed: pytest.ExceptionInfo[PlanError]) -> str:
    return failed.value.problems[0].code


def test_wall_and_monotonic_time_are_of_the_same_instant() -> None:
    before = time.time_ns() - time.monotonic_ns()
    begun = manifest.begun({"plan_name": "shop"})
    after = time.time_ns() - time.monotonic_ns()
    between = begun["wall_ns"] - begun["monotonic_ns"]
    low, high = sorted((before, after))
    assert low - 5_000_000 <= between <= high + 5_000_000
    assert begun["recording"] == FORMAT
    assert begun["plan_name"] == "shop"


def test_there_is_a_step_from_every_older_format() -> None:
    assert sorted(STEPS) == list(range(1, FORMAT))


def test_steps_are_taken_one_after_the_other() -> None:
    def rename(facts: dict[str, Any]) -> dict[str, Any]:
        return {"recording": facts["recording"], "new": facts["old"]}

    def double(facts: dict[str, Any]) -> dict[str, Any]:
        return {**facts, "new": facts["new"] * 2}

    document = migrated({"recording": 1, "old": 4}, Path("manifest.json"), {1: rename, 2: double}, 3)
    assert document == {"recording": 3, "new": 8}


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


@pytest.mark.parametrize("facts", [{"monotonic_ns": None}, {"goals": 7}, {"load": {"streams": "two"}}])
def test_a_fact_of_another_type_is_named(tmp_path: Path, facts: Mapping[str, Any]) -> None:
    folder = recorded("cold", tmp_path, **facts)
    with pytest.raises(PlanError) as failed:
        manifest.read(folder)
    assert code_of(failed) == "recording.broken"
    assert next(iter(facts)) in failed.value.problems[0].why


@pytest.mark.parametrize("name", CAUSES)
def test_every_fact_of_a_recorded_trial_has_a_field_and_is_as_the_schema_says(
    name: str, tmp_path: Path
) -> None:
    folder = recorded(name, tmp_path)
    assert facts_without_field(folder) == []
    jsonschema.validate(json.loads(folder.manifest.read_text()), schema_of(ManifestDocument))


@pytest.mark.parametrize("number", range(1, FORMAT))
def test_a_recording_of_an_earlier_format_is_read_as_far_as_it_goes(number: int, tmp_path: Path) -> None:
    present = manifest.read(recorded("cold", tmp_path / "present"))
    folder = recorded("cold", tmp_path / "earlier", *LATER, recording=number)
    earlier = manifest.read(folder)
    assert facts_without_field(folder) == []
    assert (earlier.recording, earlier.find, earlier.load.http) == (FORMAT, "", "1.1")
    assert (earlier.witness, earlier.cut, earlier.followed_to) == (None, ABSENT, None)
    assert not earlier.is_whole
    assert (earlier.setting, earlier.measured, earlier.goals) == (
        present.setting,
        present.measured,
        present.goals,
    )


def test_every_fact_of_a_made_up_recording_has_a_field(tmp_path: Path) -> None:
    assert facts_without_field(write_recording(tmp_path / "0001", (50.0,) * 3).folder) == []


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
    facts = {"recording": 1, "wall_ns": 0, "monotonic_ns": 0, "created": str(n), "plan_name": "x" * 100_000}
    facts["ended"] = str(n)
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
        facts = manifest.read(TrialFolder(tmp_path))
        assert facts.created == facts.ended
