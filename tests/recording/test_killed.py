"""A rig that is killed with SIGKILL leaves everything but at most the last two seconds."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.recording.reader import Recording

pytestmark = pytest.mark.integration

WRITER = """
import sys, time
from pathlib import Path
from loadrig.base.series import Event, Sample
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_frame, row

writer = TrialWriter(TrialFolder(Path(sys.argv[1])), {"plan_name": "killed", "load": {"model": "users"}})
begun = time.monotonic_ns()
step = 50_000_000
n = 0
while True:
    t_ns = begun + n * step
    writer.frame(engine_frame(n, t_ns, step, [row("ok", [0.01] * 20), row("http_5xx", [0.2])], planned=1.0))
    writer.samples([Sample(t_ns, "process", "cpu_s", "tree", n * 0.01)])
    writer.event(Event(t_ns, "note", "", str(n)))
    print(n, flush=True)
    n += 1
    time.sleep(max(0.0, (t_ns + 2 * step - time.monotonic_ns()) / 1e9))
"""
STEP_NS = 50_000_000


@pytest.mark.timeout(60)
def test_a_kill_in_mid_run_loses_no_more_than_two_seconds(tmp_path: Path) -> None:
    folder = tmp_path / "0001"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        numbers = [int(process.stdout.readline()) for _ in range(70)]
        time.sleep(0.013)
        os.kill(process.pid, signal.SIGKILL)
        numbers += [int(line) for line in process.stdout]
    assert process.returncode == -signal.SIGKILL
    last = numbers[-1]

    recording = Recording.open(folder)
    assert not recording.is_sealed
    # What the writer had taken is there: of frames and events all of it, and at most one more.
    assert [frame.n for frame in recording.frames] == list(range(len(recording.frames)))
    assert len(recording.frames) in (last + 1, last + 2)
    assert len(recording.events) in (last + 1, last + 2)
    assert recording.histogram(outcome="ok").count == 20 * len(recording.frames)
    # Samples wait for their batch a second at most; the second one is for a slow machine.
    (series,) = recording.series("process", "cpu_s", "tree").values()
    lost_ns = recording.frames[last].t_ns - int(series.t_ns[-1])
    assert lost_ns <= 2_000_000_000
    assert series.t_ns.size >= last + 1 - 2_000_000_000 // STEP_NS

    again = Recording.open(folder)
    for name in members.names("loadrig.measures"):
        measure = members.load("loadrig.measures", name)
        assert measure.estimate(recording) == measure.estimate(again)
    throughput = members.load("loadrig.measures", "throughput").estimate(recording)
    assert throughput.value == pytest.approx(20 / (STEP_NS / 1e9))
