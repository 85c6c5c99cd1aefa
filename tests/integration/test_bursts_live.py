"""An attack on a full server says what its CPU time goes to, and leaves nothing behind when it is killed."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import processes
from tests import warm
from tests.conftest import Deadline
from tests.integration.program import EndedProgram, loadrig
from tests.profilers import planted

pytestmark = pytest.mark.integration


def attacked(folder: Path, *flags: str, length: str = "8s") -> tuple[dict[str, Any], EndedProgram]:
    """Return the result of a short attack on a server that is full of json, and what it printed."""
    with planted.burning("json", folder) as server:
        ended = loadrig("attack", f"{server.url}/", "-c", "4", "-z", length, "-o", "out", *flags, cwd=folder)
    result = folder / "out" / "trials" / "0001" / "result.json"
    assert result.is_file(), ended.err
    return json.loads(result.read_text(encoding="utf-8")), ended


def test_an_attack_on_a_full_server_says_what_its_cpu_time_goes_to(tmp_path: Path) -> None:
    result, ended = attacked(tmp_path)
    server = result["cpu_time"]["components"]["server"]
    # The server's own code comes beside what is planted, and is more where others have the cores.
    planted_class = next(each for each in server["classes"] if each["class"] != "own")
    assert (planted_class["class"], planted_class["names"][0]["name"]) == ("serialise", "json")
    assert server["why"]
    assert f"{server['sentence']}." in " ".join(ended.out.split())
    parts = result["account"]["components"]["server"]["running_parts"]
    running = next(
        line
        for line in result["account"]["components"]["server"]["per_request"]
        if line["state"] == "running"
    )
    assert next(part["class"] for part in parts if part["class"] != "own") == "serialise"
    assert sum(part["ms"] for part in parts) == pytest.approx(running["ms"], rel=0.01)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '"kind":"cpu"' in page.replace(" ", "")
    assert not list((tmp_path / "out").rglob("*profile-*"))


@pytest.mark.nightly
def test_nothing_is_profiled_where_the_flag_says_so(tmp_path: Path) -> None:
    # Without the flag the first burst is over after three seconds and a half.
    result, _ = attacked(tmp_path, "--no-profile", length="5s")
    assert "cpu_time" not in result
    assert not (tmp_path / "out" / "trials" / "0001" / "profiles").exists()


def test_a_rig_that_is_killed_in_a_burst_leaves_nothing_and_the_server_goes_on(tmp_path: Path) -> None:
    with planted.burning("own", tmp_path) as server:
        argv = ("attack", f"{server.url}/", "-c", "4", "-z", "30s", "-o", "out")
        with warm.Popen(
            [*warm.PROGRAM, *argv],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "TMPDIR": str(tmp_path / "tmp")},
        ) as rig:
            (tmp_path / "tmp").mkdir()
            Deadline().wait_for(lambda: spies(server.pid), "a burst")
            command_lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in spies(server.pid)]
            rig.send_signal(signal.SIGKILL)
            rig.wait()
        Deadline().wait_for(lambda: not spies(server.pid), "the profilers' end")
        assert all(b"--nonblocking" in words for words in command_lines if words)
        assert server.get("/").isdecimal()
        assert not list((tmp_path / "tmp").iterdir())
    loadrig("doctor", "--clean", cwd=tmp_path)
    assert not list((tmp_path / "out").rglob("*profile-*"))


def spies(pid: int) -> list[int]:
    """Return the profilers of a process that run."""
    pids = []
    for other in processes.table():
        try:
            words = Path(f"/proc/{other}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--pid" in words and str(pid).encode() in words and words[0].endswith(b"py-spy"):
            pids.append(other)
    return pids
