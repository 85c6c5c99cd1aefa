"""Generators of a large fleet on this machine, their frames put together by processes."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import processes
from loadrig.fleet.fleet import GeneratorFleet
from loadrig.fleet.hosts import UnreachableGenerator
from loadrig.fleet.local_groups import LocalGroups
from loadrig.recording.frame_document import LiveFrameDocument
from tests.fleet.test_skewed import REQUESTS, config
from tests.native.test_process import shop

pytestmark = pytest.mark.integration

DEADLINE_S = 60.0

Json = dict[str, Any]


def all_gone(pids: set[int]) -> bool:
    deadline = time.monotonic() + DEADLINE_S
    while any(stat.state != "Z" for stat in map(processes.stat, pids) if stat is not None):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def parent_of(pid: int) -> int:
    stat = processes.stat(pid)
    assert stat is not None
    return stat.parent


def frames_of(fleet: GeneratorFleet) -> list[LiveFrameDocument]:
    frames = []
    while (frame := fleet.next_frame()) is not None:
        frames.append(frame)
    return frames


def begun(fleet: GeneratorFleet, port: int, **stop: Any) -> None:
    fleet.prepare(config(port, 100.0, stop={"after_s": 60.0, "requests": None, **stop}))
    fleet.begin(time.monotonic_ns() + fleet.lead_ns)


def test_a_load_over_two_mergers_is_the_load_and_nothing_is_left(tmp_path: Path) -> None:
    hosts = LocalGroups(tmp_path / "log", 2)
    with shop() as (port, requests), GeneratorFleet(hosts, 4) as fleet:
        pids = set(fleet.pids)
        assert len(pids) == 4
        begun(fleet, port, requests=REQUESTS)
        frames = frames_of(fleet)
        groups = {parent_of(pid) for pid in pids}
        facts = fleet.facts()["fleet"]["generators"]
    assert len(groups) == 2
    assert len(requests) == REQUESTS
    assert sum(frame.due for frame in frames) == REQUESTS
    assert fleet.end is not None
    assert fleet.end.totals["due"] == REQUESTS
    assert [each["due"] for each in facts] == [13, 13, 12, 12]
    assert all(each["lag_us"] for each in facts)
    assert all_gone(pids | groups)


def test_a_lost_generator_is_replaced_by_its_own_merger(tmp_path: Path) -> None:
    hosts = LocalGroups(tmp_path / "log", 2)
    with shop() as (port, _), GeneratorFleet(hosts, 4) as fleet:
        begun(fleet, port, after_s=4.0)
        assert fleet.next_frame() is not None
        os.kill(fleet.pids[3], signal.SIGKILL)
        frames_of(fleet)
        facts = fleet.facts()["fleet"]["generators"][3]
    assert fleet.is_whole
    assert fleet.end is not None
    assert fleet.end.totals["due"] == pytest.approx(400, abs=1)
    assert facts["taken_over_after_s"] is not None
    # A request that was due as the load ended may be unsent without having been missed.
    assert facts["due"] - facts["sent"] >= facts["missed"] > 0


def test_where_a_merger_is_killed_a_fresh_one_takes_over_with_all_that_it_had(tmp_path: Path) -> None:
    hosts = LocalGroups(tmp_path / "log", 2)
    with shop() as (port, _), GeneratorFleet(hosts, 4) as fleet:
        begun(fleet, port, after_s=6.0)
        assert fleet.next_frame() is not None
        lost = set(fleet.pids[2:])
        merger = parent_of(fleet.pids[3])
        os.kill(merger, signal.SIGKILL)
        assert all_gone(lost)
        frames = frames_of(fleet)
        pids = set(fleet.pids)
        facts = fleet.facts()["fleet"]["generators"]
    assert (fleet.losses, fleet.is_whole) == ((), True)
    assert not lost & pids
    assert all_gone(pids)
    assert fleet.end is not None
    assert fleet.end.totals["due"] == pytest.approx(600, abs=1)
    # What the lost one gave is in the totals of its generators, and nothing is in them twice.
    assert sum(each["due"] for each in facts) == fleet.end.totals["due"]
    assert fleet.end.totals["due"] - sum(frame.due for frame in frames) == pytest.approx(10, abs=9)
    for each in facts[2:]:
        assert "2" in each["lost"]
        assert each["taken_over_after_s"] is not None
        assert each["due"] - each["sent"] >= each["missed"] > 0
    assert [each["lost"] for each in facts[:2]] == ["", ""]


def test_where_the_part_of_a_lost_merger_cannot_go_on_the_load_ends_and_says_which(tmp_path: Path) -> None:
    hosts = LocalGroups(tmp_path / "log", 2)
    with shop() as (port, _), GeneratorFleet(hosts, 4) as fleet:
        begun(fleet, port, after_s=3.0, requests=10_000)
        assert fleet.next_frame() is not None
        lost = set(fleet.pids[2:])
        os.kill(parent_of(fleet.pids[3]), signal.SIGKILL)
        assert all_gone(lost)
        frames = frames_of(fleet)
        with pytest.raises(UnreachableGenerator):
            hosts.clock(3)
        facts = fleet.facts()["fleet"]["generators"]
    assert not fleet.is_whole
    assert [seat.index for seat, _ in fleet.losses] == [2, 3]
    assert fleet.loss
    assert fleet.end is not None
    # Nothing that it gave is missing in what its generators have done.
    assert sum(each["due"] for each in facts) == fleet.end.totals["due"]
    assert all(each["due"] > 0 for each in facts)
    assert fleet.end.totals["due"] >= sum(frame.due for frame in frames)
