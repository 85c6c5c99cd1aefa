"""Generators of a fleet as processes of this machine: lines in, lines out, nothing left."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.fleet.hosts import News, UnreachableGenerator
from loadrig.fleet.local import LocalHosts
from tests.native.test_config import config

pytestmark = pytest.mark.integration

DEADLINE_S = 60.0


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[LocalHosts]:
    with LocalHosts(tmp_path / "engine.log") as hosts:
        yield hosts


def all_heard(hosts: LocalHosts, count: int) -> list[News]:
    """Return so many lines, from whoever wrote them."""
    deadline = time.monotonic() + DEADLINE_S
    lines: list[News] = []
    while len(lines) < count and time.monotonic() < deadline:
        lines += hosts.hear(1.0)
    return lines


def line_of(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


def is_alive(pid: int | None) -> bool:
    assert pid is not None
    return os.path.exists(f"/proc/{pid}")


def test_each_generator_takes_its_config_and_says_that_it_is_ready(hosts: LocalHosts) -> None:
    seats = hosts.start(3)
    assert [seat.index for seat in seats] == [0, 1, 2]
    assert len({seat.name for seat in seats}) == 3
    for seat in seats:
        hosts.send(seat.index, line_of(config()))
    ready = all_heard(hosts, 3)
    assert sorted(each.index for each in ready) == [0, 1, 2]
    assert {json.loads(each.line or b"")["ready"]["pid"] for each in ready} == {seat.pid for seat in seats}


def test_one_that_was_stopped_is_heard_of_no_more_and_the_others_go_on(hosts: LocalHosts) -> None:
    first, second = hosts.start(2)
    hosts.stop(first.index)
    assert not is_alive(first.pid)
    with pytest.raises(UnreachableGenerator):
        hosts.send(first.index, line_of(config()))
    assert hosts.clock(first.index).there_ns
    hosts.send(second.index, line_of(config()))
    assert [each.index for each in all_heard(hosts, 1)] == [second.index]
    hosts.stop(first.index)


def test_one_that_dies_closes_its_line(hosts: LocalHosts) -> None:
    (seat,) = hosts.start(1)
    assert seat.pid is not None
    os.kill(seat.pid, 9)
    assert all_heard(hosts, 1) == [News(0, None)]
    assert hosts.hear(0.0) == []


def test_the_clock_is_that_of_this_machine(hosts: LocalHosts) -> None:
    hosts.start(1)
    before = time.monotonic_ns()
    reading = hosts.clock(0)
    assert before <= reading.asked_ns <= reading.there_ns <= reading.answered_ns <= time.monotonic_ns()


def test_nothing_is_left(tmp_path: Path) -> None:
    with LocalHosts(tmp_path / "engine.log") as hosts:
        seats = hosts.start(3)
        assert all(is_alive(seat.pid) for seat in seats)
    assert not any(is_alive(seat.pid) for seat in seats)
