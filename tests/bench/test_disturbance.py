"""Disturbance of trials on purpose, and what is said of them."""

import contextlib
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from bench.costs import Failed
from bench.disturbance import disturbers, trials
from bench.modes import disturbance
from loadrig.base import cgroups
from loadrig.testing.leftovers import nothing_left_behind
from tests.conftest import Deadline

SPIN = "import time\nend = time.monotonic() + 30\nwhile time.monotonic() < end: pass"


@pytest.mark.parametrize("share", trials.SHARES[1:])
def test_bursts_and_pauses_come_to_the_share_that_is_asked_for(share: float) -> None:
    some = list(itertools.islice(disturbers.pauses(share, disturbers.BURST_S, seed=1), 500))
    bursts, pauses = (sum(each) for each in zip(*some, strict=True))
    assert bursts / (bursts + pauses) == pytest.approx(share)
    assert max(burst for burst, _ in some) <= disturbers.LONGEST_S


@contextlib.contextmanager
def rig(folder: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """Yield a process whose child has the generator's path in its command line; both burn what they get."""
    place = folder / disturbers.GENERATOR.decode()
    place.parent.mkdir(parents=True)
    place.write_text(SPIN, encoding="utf-8")
    parent = f"import subprocess, sys\nsubprocess.run([sys.executable, '-S', {str(place)!r}])"
    with subprocess.Popen([sys.executable, "-S", "-c", parent], start_new_session=True) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, 9)


@pytest.mark.integration
def test_a_generator_is_found_stopped_and_let_go_on(tmp_path: Path) -> None:
    with nothing_left_behind(), rig(tmp_path) as process:
        with disturbers.stopped_generator(0.5, seed=1) as disturb:
            disturb(process.pid)
            states = set()

            def has_stood_and_run() -> bool:
                generator = disturbers.generator_of(process.pid)
                states.add(_state(generator) if generator else "")
                time.sleep(0.002)
                return {"T", "R"} <= states

            Deadline().wait_for(has_stood_and_run, "a generator that stood still and that ran")
        generator = disturbers.generator_of(process.pid)
        assert generator is not None
        assert _state(generator) != "T"


@pytest.mark.integration
def test_a_group_is_throttled_and_gone_afterwards(tmp_path: Path) -> None:
    with rig(tmp_path) as process:
        try:
            with disturbers.throttled_group(0.5, seed=1) as disturb:
                disturb(process.pid)
                group = cgroups.of(process.pid)["cpu"]
                Deadline().wait_for(partial(_throttled, group), "a group that was throttled")
        except (Failed, OSError) as refused:
            pytest.skip(f"control groups with a quota (v1, as root): {refused}")
        assert not group.exists()
        assert cgroups.of(process.pid)["cpu"] == cgroups.of(os.getpid())["cpu"]


@pytest.mark.integration
def test_a_competitor_has_real_time_priority_on_each_core() -> None:
    with nothing_left_behind():
        try:
            with disturbers.competitor(0.02, seed=1):
                own = {pid for pid in _children(os.getpid()) if os.sched_getscheduler(pid) == os.SCHED_FIFO}
                cores = [os.sched_getaffinity(pid) for pid in own]
                assert sorted(map(sorted, cores)) == [[core] for core in sorted(os.sched_getaffinity(0))]
        except Failed as refused:
            pytest.skip(f"the right to real-time priority: {refused}")


def test_what_trials_said_is_counted_and_held_against_what_is_wanted(snapshot: SnapshotAssertion) -> None:
    def row(kind: str, share: float, **more: object) -> trials.Row:
        verdict = {"verdict": "disturbed", "first": trials.CAUSE, "longest": trials.STATE}
        return {"kind": kind, "share": share, **verdict, **more}

    rows = [
        row("nothing", 0.0, verdict="valid"),
        row("competitor", 0.15),
        row("competitor", 0.15, longest="running", first="noisy_neighbour"),
        row("competitor", 0.15, verdict="void"),
        {"kind": "competitor", "share": 0.15, "failed": "exit 120"},
        row("throttled group", 0.25, verdict="void"),
    ]
    studies = {"nothing-0-0": ["equal", "undecided", "worse"], "competitor-0.15-0": ["equal"] * 8}
    tables = disturbance.tables(disturbance.summarise({"rows": rows, "studies": studies}))
    assert "\n\n".join(tables) == snapshot


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]


def _throttled(group: Path) -> int:
    stat = dict(line.split() for line in (group / "cpu.stat").read_text(encoding="ascii").splitlines())
    return int(stat["nr_throttled"])


def _children(pid: int) -> list[int]:
    texts = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    return [int(word) for word in " ".join(texts).split()]
