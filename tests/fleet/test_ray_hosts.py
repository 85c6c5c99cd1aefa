"""Generators of a fleet over a Ray of our own, on this machine: lines in, lines out, nothing left."""

import json
import os
import socket
import time
from pathlib import Path

import pytest

from loadrig.base import leases, processes
from loadrig.base.errors import PlanError
from loadrig.base.units import Count
from loadrig.fleet._ray_address import RUNNING
from loadrig.fleet.hosts import News
from loadrig.fleet.ray_hosts import RayHosts
from loadrig.fleet.reach import ServerWay
from loadrig.plan.fleet_rules import FleetRules
from tests.fleet.ray_clusters import folders_of_ray
from tests.native.test_config import config
from tests.rigs import plain_facts

pytest.importorskip("ray", reason="Ray is not installed: pip install 'loadrig[fleet]'")

pytestmark = [pytest.mark.integration, pytest.mark.slow]

DEADLINE_S = 60.0


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cluster that a developer's machine may belong to."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    if RUNNING.exists():
        pytest.skip("this machine belongs to a Ray cluster: ray stop")


def heard_of(hosts: RayHosts, count: int) -> list[News]:
    deadline = time.monotonic() + DEADLINE_S
    lines: list[News] = []
    while len(lines) < count and time.monotonic() < deadline:
        lines += hosts.hear(1.0)
    return lines


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    # One that nobody has waited for has ended all the same.
    return stat.rpartition(")")[2].split()[0] != "Z"


def is_loopback_only(pids: set[int]) -> bool:
    """Return whether none of these processes listens on all addresses."""
    inodes = set()
    for pid in pids:
        for link in list(Path(f"/proc/{pid}/fd").iterdir()):
            try:
                target = os.readlink(link)
            except FileNotFoundError:
                continue  # closed in the meantime
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            fields = row.split()
            if fields[3] == "0A" and fields[9] in inodes and set(fields[1].partition(":")[0]) == {"0"}:
                return False
    return True


def test_a_ray_of_our_own_carries_generators_and_leaves_nothing(alone: None, tmp_path: Path) -> None:
    before = folders_of_ray()
    with RayHosts(FleetRules(Count(2), ray="auto"), tmp_path / "ray.log") as hosts:
        first, second = hosts.start(2)
        assert (first.index, second.index) == (0, 1)
        assert first.name != second.name
        assert hosts._process is not None
        assert is_loopback_only(set(processes.tree(hosts._process.pid, processes.table())))
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"127.0.0.1:{server.getsockname()[1]}"
            assert hosts.reach([address]) == dict.fromkeys((0, 1), ServerWay(["127.0.0.1"]))
        assert {index: way.lacking and way.lacking[0] for index, way in hosts.reach([address]).items()} == {
            0: address,
            1: address,
        }
        for seat in (first, second):
            hosts.send(seat.index, json.dumps(config()).encode() + b"\n")
        ready = heard_of(hosts, 2)
        pids = {json.loads(each.line or b"")["ready"]["pid"] for each in ready}
        assert pids == {first.pid, second.pid}
        before_ns = time.monotonic_ns()
        reading = hosts.clock(0)
        assert before_ns <= reading.asked_ns <= reading.there_ns <= reading.answered_ns
        assert first.pid is not None
        os.kill(first.pid, 9)
        assert heard_of(hosts, 1) == [News(0, None)]
        assert hosts.clock(0).there_ns
        hosts.last_words(0)
        hosts.stop(1)
        assert second.pid is not None
        assert not is_alive(second.pid)
        marker = hosts._marker
    assert not leases.started_by(marker, None, None)
    assert folders_of_ray() <= before


def test_a_ray_whose_starter_is_killed_leaves_nothing(alone: None, tmp_path: Path) -> None:
    before = folders_of_ray()
    with RayHosts(FleetRules(Count(2), ray="auto"), tmp_path / "ray.log") as hosts:
        hosts.start(2)
        assert hosts._process is not None
        os.kill(hosts._process.pid, 9)
        assert {news.index for news in heard_of(hosts, 2) if news.line is None and news.why} == {0, 1}
        marker = hosts._marker
    assert not leases.started_by(marker, None, None)
    assert folders_of_ray() <= before
    assert not [lease for lease in leases.listed() if plain_facts(lease).get("marker") == marker]


def test_a_wrong_address_is_refused_before_any_load(tmp_path: Path) -> None:
    with RayHosts(FleetRules(Count(2), ray="127.0.0.1:1"), tmp_path / "ray.log") as hosts:
        with pytest.raises(PlanError) as caught:
            hosts.start(2)
        assert caught.value.problems[0].code == "fleet.no-head"


@pytest.mark.nightly
def test_too_few_hosts_for_a_host_each_are_refused(alone: None, tmp_path: Path) -> None:
    rules = FleetRules(Count(2), ray="auto", spread="strict")
    with RayHosts(rules, tmp_path / "ray.log") as hosts:
        with pytest.raises(PlanError) as caught:
            hosts.start(2)
        assert caught.value.problems[0].code == "fleet.too-few-hosts"
