"""Programs beside the system under load, seen on the cores where they run."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from loadrig.base import processes
from loadrig.base.component import Component
from loadrig.base.processes import Stat
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


class MadeUpProcess:
    """Process that does not exist, look by look: a fake, as no kernel gives a number again at will."""

    def __init__(self, *looks: tuple[str, int, int]) -> None:
        self._looks = iter(looks)
        self._ran_ns = 0
        self._pid = 4_000_000

    def table(self, _: object) -> dict[int, Stat]:
        name, ticks, self._ran_ns = next(self._looks)
        stat = processes.stat(os.getpid())
        assert stat is not None
        return {self._pid: replace(stat, pid=self._pid, parent=1, name=name, user=ticks, system=0)}

    def read_tasks(self, pids: list[int], *_: object) -> list[tuple[int, int, str, int, int, list[int]]]:
        return [(pid, pid, "", self._ran_ns, 0, [0]) for pid in pids]


def followed(monkeypatch: pytest.MonkeyPatch, *looks: tuple[str, int, int]) -> dict[str, float]:
    """Return what is told after some looks. looks: name of the only process, its ticks, and what it ran."""
    process = MadeUpProcess(*looks)
    monkeypatch.setattr(processes, "table", process.table)
    monkeypatch.setattr(neighbours, "read_tasks", process.read_tasks)
    watch = neighbours.NeighboursWatch(Path("/"), tuple, own=1 << 30)
    samples = [watch.sample((number + 1) * 1000 * NS) for number in range(len(looks))]
    return {sample.subject: sample.value for sample in samples[-1]}


def test_a_number_that_is_given_again_takes_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = [("old", 1, 0), ("old", 2, 5 * NS), ("old", 3, 40 * NS), ("old", 4, NS), ("old", 5, 3 * NS)]
    assert sum(followed(monkeypatch, *looks).values()) == 37


def test_no_more_names_are_followed_than_the_memory_is_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "NAMES_MOST", 1)
    looks = [("first", 1, 0), ("first", 2, NS), ("first", 3, 60 * NS), ("second", 4, 90 * NS)]
    assert list(followed(monkeypatch, *looks)) == ["cpu0:first, process 4000000"]


def test_a_root_without_processes_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "proc").mkdir()
    with pytest.raises(Unavailable):
        neighbours.attach(neighbours.Options(), Component("host", "host"), Place(root=tmp_path))
