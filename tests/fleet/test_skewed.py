"""A fleet whose hosts have clocks of their own: real generators, between which and us a clock is set off."""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from loadrig.fleet.fleet import GeneratorFleet
from loadrig.fleet.hosts import ClockReading, Hosts, News, Seat
from loadrig.fleet.local import LocalHosts
from loadrig.fleet.reach import ServerWay
from loadrig.recording.frame_document import LiveFrameDocument
from tests.native.test_config import route
from tests.native.test_process import against, shop

pytestmark = pytest.mark.integration

NS = 1_000_000_000
AHEAD_NS = (0, 3 * 86_400 * NS, -40 * NS)
"""Lead of each host's clock over ours: none, three days, less than none."""

REQUESTS = 50

Json = dict[str, Any]


class SkewedHosts:
    """Hosts of this machine, whose clocks say something else."""

    def __init__(self, hosts: Hosts) -> None:
        self._hosts = hosts

    def __enter__(self) -> Self:
        self._hosts.__enter__()
        return self

    def __exit__(self, *how: object) -> None:
        self._hosts.__exit__(*how)

    def start(self, count: int) -> Sequence[Seat]:
        return self._hosts.start(count)

    def reach(self, addresses: Sequence[str]) -> Mapping[int, ServerWay]:
        return self._hosts.reach(addresses)

    def replace(self, index: int) -> Seat | None:
        return self._hosts.replace(index)

    def send(self, index: int, line: bytes) -> None:
        message: Json = json.loads(line)
        if "start_at_ns" in message:
            message["start_at_ns"] -= AHEAD_NS[index]
        if "level" in message:
            message["level"]["at_ns"] -= AHEAD_NS[index]
        self._hosts.send(index, json.dumps(message).encode() + b"\n")

    def hear(self, within_s: float) -> Sequence[News]:
        return [self._there(each) for each in self._hosts.hear(within_s)]

    def _there(self, news: News) -> News:
        if news.line is None:
            return news
        message: Json = json.loads(news.line)
        for kind in ("frame", "end"):
            if kind in message:
                message[kind]["t_ns"] += AHEAD_NS[news.index]
        return News(news.index, json.dumps(message).encode())

    def clock(self, index: int) -> ClockReading:
        reading = self._hosts.clock(index)
        return ClockReading(reading.asked_ns, reading.there_ns + AHEAD_NS[index], reading.answered_ns)

    def last_words(self, index: int) -> tuple[str, ...]:
        return self._hosts.last_words(index)

    def stop(self, index: int) -> None:
        self._hosts.stop(index)


def config(port: int, per_second: float, **more: Any) -> Json:
    whole: Json = against(port, routes=[route(target="/")], frame_s=0.1, **more)
    whole["arrivals"] = {"rate": {"line": [[0.0, per_second]], "spacing": "constant", "identities": 3}}
    return whole


def test_rows_of_skewed_hosts_lie_on_our_clock_and_nothing_is_lost(tmp_path: Path) -> None:
    frames: list[LiveFrameDocument] = []
    with shop() as (port, requests), GeneratorFleet(SkewedHosts(LocalHosts(tmp_path / "log")), 3) as fleet:
        fleet.prepare(config(port, 100.0, stop={"after_s": 60.0, "requests": REQUESTS}))
        start_ns = time.monotonic_ns() + fleet.lead_ns
        fleet.begin(start_ns)
        while (frame := fleet.next_frame()) is not None:
            frames.append(frame)
    assert len(requests) == REQUESTS
    assert fleet.end is not None
    assert fleet.end.totals["due"] == REQUESTS
    assert sum(frame.due for frame in frames) == REQUESTS
    ends = [frame.t_ns + frame.len_ns for frame in frames]
    assert [frame.t_ns for frame in frames] == [start_ns, *ends[:-1]]
    assert start_ns < ends[-1] <= time.monotonic_ns()
    # Ten are due in each tenth of a second, by whichever generator.
    assert all(8 <= frame.due <= 12 for frame in frames[:4])
    clocks = [each["clock_offset_us"] for each in fleet.facts()["fleet"]["generators"]]
    assert all(
        clock["low"] <= ahead_ns / 1e3 <= clock["high"]
        for clock, ahead_ns in zip(clocks, AHEAD_NS, strict=True)
    )


def test_a_level_reaches_all_at_one_instant(tmp_path: Path) -> None:
    frames: list[LiveFrameDocument] = []
    with shop() as (port, _), GeneratorFleet(SkewedHosts(LocalHosts(tmp_path / "log")), 3) as fleet:
        fleet.prepare(config(port, 30.0, stop={"after_s": 1.5, "requests": None}, level_most=200.0))
        start_ns = time.monotonic_ns() + fleet.lead_ns
        fleet.begin(start_ns)
        fleet.level(150.0, start_ns + NS // 2)
        while (frame := fleet.next_frame()) is not None:
            frames.append(frame)
    # Half a second at 30 and a whole one at 150.
    assert fleet.end is not None
    assert fleet.end.totals["due"] == pytest.approx(165, abs=2)
    facts = fleet.facts()["fleet"]
    assert facts["orders"] == 1
    assert facts["order_us"] < 100_000
    assert max(frame.planned for frame in frames) == 150.0
