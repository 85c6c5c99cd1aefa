"""Programs beside the system under load, seen on the cores where they run."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.unavailable import Unavailable
from loadrig.probes import neighbours
from loadrig.probes._session import Place

NS = 1_000_000_000
BURN = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
open("/proc/self/comm", "w").write(f"burner{os.getpid()}")
print(flush=True)
while True: pass
"""


@contextmanager
def burning(core: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program that uses all of a core that it gets."""
    argv = [sys.executable, "-c", BURN, str(core)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            process.kill()


def test_a_program_is_seen_on_its_core_by_its_name_with_its_cpu_time() -> None:
    core = min(os.sched_getaffinity(0))
    with burning(core) as burner:
        # This test is the parent of the burner, so the rig is taken to be elsewhere.
        watch = neighbours.NeighboursWatch(Path("/"), tuple, own=1 << 30)
        subject = f"cpu{core}:burner{burner.pid}, process {burner.pid}"
        used_s: list[float] = []
        deadline = time.monotonic() + 60
        while len(used_s) < 3 and time.monotonic() < deadline:
            samples = watch.sample(time.monotonic_ns())
            used_s += [sample.value for sample in samples if sample.subject == subject]
            time.sleep(0.05)
        stat = processes.stat(burner.pid)
    assert stat is not None
    assert 0 < used_s[0] < used_s[1] < used_s[2] <= (stat.user + stat.system + 1) / processes.TICKS_PER_S


def test_programs_of_the_map_their_children_and_the_rig_are_no_neighbours() -> None:
    core = min(os.sched_getaffinity(0))
    with burning(core) as burner:
        of_the_map = Component("server", "program", pid=burner.pid)
        for components, own in (((of_the_map,), 1 << 30), ((), os.getpid())):
            watch = neighbours.NeighboursWatch(Path("/"), partial(tuple[Component, ...], components), own=own)
            until = time.process_time() + 0.2
            while time.process_time() < until:
                samples = watch.sample(time.monotonic_ns())
            assert not [sample for sample in samples if f"process {burner.pid}" in sample.subject]


def test_a_root_without_processes_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    with pytest.raises(Unavailable):
        neighbours.attach(neighbours.Options(), Component("host", "host"), Place(root=tmp_path))
