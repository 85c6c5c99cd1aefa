"""`loadrig soak` and `loadrig spike` on real servers, and what a kill leaves of a soak."""

import json
import os
import signal
import subprocess
import sys
import time
from html import escape
from pathlib import Path

import pytest

from loadrig.base.documents import plain
from loadrig.recording.reader import Recording
from loadrig.soaking.result import document
from tests import warm
from tests.integration import servers
from tests.integration.program import loadrig
from tests.lengths import length

pytestmark = [pytest.mark.integration, pytest.mark.slow]

SERVER = """
import asyncio, os, sys
leak, places, seconds = int(os.environ["LEAK"]), int(os.environ["PLACES"]), float(os.environ["SECONDS"])
leaked = []

async def talk(reader, writer):
    try:
        while True:
            await reader.readuntil(b"\\r\\n\\r\\n")
            async with free:
                await asyncio.sleep(seconds)
            leaked.append(os.urandom(leak))
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()

async def main():
    global free
    free = asyncio.Semaphore(places)
    async with await asyncio.start_server(talk, "127.0.0.1", int(sys.argv[1])) as server:
        await server.serve_forever()

asyncio.run(main())
"""

PLAN = """
loadrig: 1
name: {name}
target:
  command:
    argv: "{python} server.py {{port}}"
    env: {{LEAK: "{leak}", PLACES: "{places}", SECONDS: "{seconds}"}}
workload: {{rate: {rate}/1s, timeout: 10s, requests: [{{get: /}}]}}
goals: {goals}
trial: {{warm_up: 3s}}
"""


def plan(folder: Path, **changes: object) -> Path:
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    asked = {
        "name": "made up", "python": sys.executable, "leak": 0, "places": 100, "seconds": 0.002, "rate": 200,
        "goals": "[]", **changes,
    }  # fmt: skip
    path = folder / "plan.yaml"
    path.write_text(PLAN.format(**asked), encoding="utf-8")
    return path


def test_a_leak_is_found_sized_and_shown(tmp_path: Path) -> None:
    plan(tmp_path, leak=20_000, goals="['p95 < 10s for 5s']")
    ended = loadrig(
        "soak",
        "plan.yaml",
        "--for",
        "25s",
        "--json",
        "-o",
        "out",
        cwd=tmp_path,
        timeout_s=90.0,
    )
    # Neighbours can spoil it, leave it unsure, or make it dip, which is said first then.
    assert ended.code in (0, 99, 111, 112), ended.err
    result = json.loads(ended.out)
    recording = Recording.open(tmp_path / "out" / "trials" / "0001")
    soak = plain(document(recording))
    if ended.code == 99:
        # What the run says is a function of its folder.
        assert result["soak"] == {"setting_id": 0, "trial": 1, **json.loads(json.dumps(soak))}
        page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        assert '"kind":"strips"' in page
    # Neighbours can leave it unsure; how sure it is on a quiet machine: tests/soaking.
    assert soak["verdict"] in ("leaks", "unsure", "dips", "drifts")
    assert (ended.code == 0) <= (soak["verdict"] in ("dips", "drifts"))
    (memory,) = [row for row in soak["growth"] if row["kind"] == "memory"]
    if memory["a_request"] is None:
        assert soak["verdict"] != "leaks"
        return
    # A list, its strings' heads and what the allocator adds come besides. How near it comes where nobody else
    # works is tried in tests/soaking; here its interval has to reach it, at the right order.
    size = memory["a_request"]
    assert size["low"] < 24_000
    assert size["high"] > 16_000
    assert 10_000 < size["value"] < 40_000
    (goal,) = soak["goals"]
    assert goal["met"] is True
    assert goal["stretches"] >= 20


def test_a_spike_is_carried_out_and_the_way_back_is_timed(tmp_path: Path) -> None:
    plan(tmp_path, places=4, seconds=0.01, rate=80)
    words = [
        "spike",
        "plan.yaml",
        "--times",
        "8",
        "--for",
        "3s",
        "--before",
        length("5s", "8s"),
        "--after",
        "6s",
    ]
    ended = loadrig(*words, "--json", "-o", "out", cwd=tmp_path, timeout_s=110.0)
    assert ended.code in (0, 111, 112), ended.err
    result = json.loads(ended.out)
    if ended.code == 111:
        return
    spike = result["spike"]
    assert spike["times"] == pytest.approx(8.0)
    assert spike["measures"]["in flight"]["harmed"]
    # 640 a second are asked for, four at a time of ten milliseconds each is 400 at most.
    assert spike["piled_up_a_second"]["value"] > 150
    assert spike["most_in_flight"] > 400
    assert escape(spike["text"]) in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.quiet
def test_a_control_process_that_is_killed_loses_two_seconds_of_a_soak_at_most(tmp_path: Path) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        url = f"http://127.0.0.1:{port}/"
        words = [*warm.PROGRAM, "soak", url, "-q", "50/1s", "--for", "10m", "-o", "out"]
        with warm.Popen(
            words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")},
        ) as process:  # fmt: skip
            folder = tmp_path / "out" / "trials" / "0001"
            deadline = time.monotonic() + 60
            frames = folder / "frames.jsonl"
            while time.monotonic() < deadline and not (
                frames.is_file() and frames.read_bytes().count(b"\n") >= 6
            ):
                time.sleep(0.1)
            killed_ns = time.monotonic_ns()
            os.kill(process.pid, signal.SIGKILL)
        assert process.returncode == -signal.SIGKILL
    recording = Recording.open(folder)
    assert not recording.is_sealed
    frames_kept = recording.frames
    assert [frame.n for frame in frames_kept] == list(range(len(frames_kept)))
    assert killed_ns - frames_kept[-1].end_ns <= 2_000_000_000
    answered = sum(row.count for frame in frames_kept for row in frame.routes)
    assert recording.histogram(outcome="ok").count == answered > 200
    last_ns = max(int(series.t_ns[-1]) for series in recording.series().values())
    assert killed_ns - last_ns <= 2_000_000_000
    # What is left has an answer of its own.
    assert recording.manifest.measured is None
    assert plain(document(recording))["ended"]
