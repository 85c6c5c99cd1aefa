"""A study whose loads are made over Ray: its driver is killed, nothing is left, and it goes on."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from loadrig.base import processes
from tests.fleet.ray_clusters import folders_of_ray
from tests.integration.lost import started
from tests.integration.program import loadrig
from tests.integration.shop import STUDY, lay_out
from tests.integration.test_run import ledger_trials

pytest.importorskip("ray", reason="Ray is not installed: pip install 'loadrig[fleet]'")

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.nightly]

DEADLINE_S = 60.0

PLAN = STUDY.replace("blocks: 2", "blocks: 1") + "fleet: {ray: auto, generators: 2}\n"


def rays_of(folder: Path) -> list[int]:
    """Return the processes of Ray and of its generators that a command of this folder started."""
    entry = f"XDG_STATE_HOME={folder / 'state'}"
    others = [pid for pid in processes.pids() if pid != os.getpid()]
    return processes.with_environment(entry, others)


def leases_of_ray(folder: Path) -> list[str]:
    """Return the leases of a Ray that a command of this folder has left."""
    files = (folder / "state" / "loadrig" / "leases").glob("*.json")
    facts = [json.loads(file.read_bytes())["facts"] for file in files]
    return [str(each) for each in facts if each.get("command") == "ray" or "-ray-" in each.get("folder", "")]


def test_a_study_over_ray_whose_driver_is_killed_leaves_nothing_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    lay_out(tmp_path, PLAN)
    rays_before = folders_of_ray()
    run = tmp_path / "out"
    words = ["run", "plan.yaml", "--out", "out"]
    with started(words, tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as rig:
        frames = run / "trials" / "0002" / "frames.jsonl"
        deadline = time.monotonic() + DEADLINE_S
        while not frames.is_file() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert frames.is_file()
        assert rays_of(tmp_path)
        rig.kill()
        rig.wait(timeout=DEADLINE_S)
    before = ledger_trials(run)
    assert len(before) == 1
    # No command comes after it: what speaks with Ray undoes all of it.
    deadline = time.monotonic() + DEADLINE_S
    while (rays := rays_of(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not rays
    assert folders_of_ray() <= rays_before
    assert not leases_of_ray(tmp_path)
    loadrig("doctor", "--clean", cwd=tmp_path)
    ended = loadrig("run", "plan.yaml", "--out", "out", "--resume", cwd=tmp_path)
    assert ended.code in (0, 111, 112), ended.err
    after = ledger_trials(run)
    assert after[:1] == before
    places = [(trial["block"], json.dumps(trial["setting"]), trial["repeat"]) for trial in after]
    assert len(places) == len(set(places)) == 3
    assert not rays_of(tmp_path)
