"""Watch on a head of Ray: a port that takes connections stands for it."""

import io
import json
import socket
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from loadrig.base.units import Count
from loadrig.fleet import _ray_head
from loadrig.fleet._ray_carrier import Carrier
from loadrig.fleet._ray_head import HEAD_LOST, HeadWatch, answers
from loadrig.fleet._ray_merger import MERGER_LOST
from loadrig.fleet.hosts import Seat
from loadrig.fleet.ray_hosts import RayHosts
from loadrig.plan.fleet_rules import FleetRules

DEADLINE_S = 30.0


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ray_head, "LOOKS_EVERY_S", 0.02)
    monkeypatch.setattr(_ray_head, "HEAD_LOST_AFTER_S", 0.1)


def test_a_head_is_lost_once_it_has_taken_no_connection_for_long(hurry: None) -> None:
    is_lost = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        assert answers(address)
        HeadWatch(address, is_lost.set)
        assert not is_lost.wait(0.5)
    assert is_lost.wait(DEADLINE_S)
    assert not answers(address)


def test_nothing_is_lost_after_the_watch(hurry: None) -> None:
    is_lost = threading.Event()
    HeadWatch("127.0.0.1:1", is_lost.set).stop()
    assert not is_lost.wait(0.5)


CARRIER = """
import json, sys, time
sys.stdin.readline()
seats = [{"index": n, "name": str(n + 1), "host": "10.0.0.5", "pid": None, "label": ""} for n in (0, 1)]
print(json.dumps({"seats": seats, "head": "127.0.0.1:1"}), flush=True)
time.sleep(0.5)
for line in sys.argv[1].splitlines():
    print(line, flush=True)
sys.stdin.read()
"""


def started(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> RayHosts:
    """Return hosts of two mergers, whose carrier says no more than a text."""
    words = [sys.executable, "-c", CARRIER, text]
    monkeypatch.setattr("loadrig.fleet.ray_hosts.safe_python", lambda *_: words)
    return RayHosts(FleetRules(Count(2), ray="10.0.0.5:1"), folder / "ray.log", mergers=2)


def test_all_are_lost_by_one_thing_where_the_head_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with started(monkeypatch, tmp_path, f"E 0 {HEAD_LOST}\nE 1 {HEAD_LOST}") as hosts:
        hosts.start(2)
        assert hosts.loss_of_all() is None
        news = list(hosts.hear(DEADLINE_S))
        while len(news) < 2:
            news += hosts.hear(DEADLINE_S)
        assert all("127.0.0.1:1" in each.why for each in news)
        loss = hosts.loss_of_all()
    assert loss is not None
    assert loss.problems[0].code == "fleet.head-lost"
    assert loss.problems[0].mend


def test_a_head_that_took_the_carrier_along_is_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with started(monkeypatch, tmp_path, "") as hosts:
        hosts.start(2)
        assert hosts._process is not None
        hosts._process.kill()
        assert [each.index for each in hosts.hear(DEADLINE_S)] == [0, 1]
        assert hosts.loss_of_all() is not None


class UnwillingCluster:
    """Cluster that gives no fresh actor, by an error that is none of Ray's."""

    actors: ClassVar[list[Any]] = [None]
    mergers: ClassVar[list[Any]] = []
    groups: ClassVar[list[Any]] = []

    def replace_actor(self, index: int) -> Any:
        raise RuntimeError(index)


def test_whatever_keeps_a_fresh_actor_from_its_place_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Carrier, "_leave", lambda *_: None)
    monkeypatch.setattr(Carrier, "_wait_for_end", lambda *_: None)
    monkeypatch.setattr(Carrier, "_write", lambda _: None)  # a thread that does not end
    carrier = Carrier(cast(Any, UnwillingCluster()), io.BytesIO())
    carrier._replace(0)
    assert carrier._lines.get(timeout=DEADLINE_S) == b"N 0 RuntimeError"


class WillingCluster(UnwillingCluster):
    """Cluster that gives a fresh actor on another host."""

    def replace_actor(self, index: int) -> Any:
        return Seat(index, "1", "10.0.0.9")


def test_a_fresh_actor_says_from_where_its_host_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_leave", "_wait_for_end", "_listen_again"):
        monkeypatch.setattr(Carrier, name, lambda *_: None)
    monkeypatch.setattr(Carrier, "_write", lambda _: None)  # a thread that does not end
    monkeypatch.setattr(Carrier, "_ways", lambda *_: [[["10.1.0.9"], None]])
    carrier = Carrier(cast(Any, WillingCluster()), io.BytesIO())
    carrier._replace(0)
    _, _, seat = carrier._lines.get(timeout=DEADLINE_S).split(b" ", 2)
    assert json.loads(seat)["sources"] == ["10.1.0.9"]


def test_a_lost_merger_is_named_with_its_generators(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = json.dumps({"lost": 1})
    with started(monkeypatch, tmp_path, f"L -1 {line}\nE 1 {MERGER_LOST} 1 ActorDiedError") as hosts:
        hosts.start(2)
        news = list(hosts.hear(DEADLINE_S))
        while len(news) < 2:
            news += hosts.hear(DEADLINE_S)
    assert news[0].line == line.encode()
    assert "2" in news[1].why
    assert "ActorDiedError" in news[1].why
