"""Cost of merging a fleet: frames of any number of generators, replayed through the fleet's own path.

    python -m bench.fleet_merge [GENERATORS [REQUESTS_A_SECOND_EACH [ROUTES [SECONDS]]]]

Every generator sends a frame a second, as a line of JSON, with a histogram of response and of service times
for each route; lines are read, testimony is added up, and frames are merged and encoded again, as in a trial.
More generators than one merger has room for go through a tree: bundlers of a thousand each, and one merger of
what these give. Prints CPU time a second of load, bytes a second, and memory at the middle and at the end,
which must be the same; and how many mergers, in a tree, more generators would take.
"""

import json
import math
import random
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from loadrig._native import Histogram
from loadrig.base import processes
from loadrig.fleet.clocks import ClockOffset
from loadrig.fleet.condenser import Condenser
from loadrig.fleet.dealing import dealt
from loadrig.fleet.gathering import MergerTree
from loadrig.fleet.hosts import Heard, Seat
from loadrig.fleet.merge import Merger
from loadrig.fleet.places import ALONE_MOST, BUNDLE
from loadrig.fleet.testimony import Testimony
from loadrig.recording.frame_document import live
from loadrig.testing.engine_frames import frame_message

NS = 1_000_000_000
SHAPES = 8
"""Frames that differ; each generator sends them in turn from another one on."""

MORE_GENERATORS = 10_000
"""Number of generators for which the mergers are reckoned."""

MEAN_S = 0.02
"""Mean time of an answer, in seconds."""


def histogram(count: int, rng: random.Random) -> str:
    """Return so many times, encoded."""
    times = Histogram()
    for _ in range(count):
        times.record(max(1, int(rng.expovariate(1 / MEAN_S) * NS)))
    return times.encode()


def shape(requests: int, routes: int, rng: random.Random) -> str:
    """Return a frame of a second as a line, with the place of its time marked."""
    each = max(1, requests // routes)
    rows: list[dict[str, Any]] = [
        {
            "route": f"route {number}", "class": "service", "outcome": "ok", "count": each,
            "bytes": each * 500, "response": histogram(each, rng), "service": histogram(each, rng),
        }
        for number in range(routes)
    ]  # fmt: skip
    own: dict[str, Any] = {kind: histogram(requests, rng) for kind in ("lag", "wait", "connect")}
    gaps = [rng.randrange(NS // requests) for _ in range(200)]
    return json.dumps({"frame": frame_message(0, 0, NS, rows, gaps_ns=gaps, **own)})


def resident_bytes() -> int:
    """Return the memory of this process."""
    stat = processes.PROC / "self" / "statm"
    return int(stat.read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def testimonies_of(generators: int) -> list[Testimony]:
    """Return what each generator is held by, on a host of its own."""
    offset = ClockOffset(0, 0, 0, 0)
    return [Testimony(Seat(index, str(index), f"host {index}"), offset) for index in range(generators)]


class BenchMergers:
    """Mergers without processes. groups: generators of each."""

    def __init__(self, groups: Sequence[Sequence[int]]) -> None:
        self.groups = groups
        self.condensers = [Condenser(number) for number in range(len(groups))]

    def tell(self, number: int, order: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give a merger an order."""
        return self.condensers[number].order(order)


def tree(generators: int, requests: int, routes: int, seconds: int) -> None:
    """Replay through bundlers and one merger of their bundles, and print what each of them took.

    Each is a process where it is used; here one works after the other, and its own CPU time is counted.
    """
    rng = random.Random(1)
    lines = [shape(requests, routes, rng) for _ in range(SHAPES)]
    mergers = BenchMergers(dealt(generators, math.ceil(generators / BUNDLE)))
    root = MergerTree(mergers, testimonies_of(generators), 1, 0, 1.0)
    nodes = mergers.condensers
    node_s = [0.0] * len(nodes)
    root_s, carried, answered = 0.0, 0, 0
    for second in range(seconds):
        place = f'"n": {second}, "t_ns": {second * NS}'
        frames = [line.replace('"n": 0, "t_ns": 0', place, 1).encode() for line in lines]
        passed: list[Heard] = []
        for number, (group, node) in enumerate(zip(mergers.groups, nodes, strict=True)):
            began = time.process_time()
            for index in group:
                passed += node.take([Heard(index, frames[(second + index) % SHAPES])])
            node_s[number] += time.process_time() - began
        began = time.process_time()
        for heard in passed:
            assert heard.line is not None
            carried += len(heard.line)
            root.take_bundle(json.loads(heard.line))
        while (merged := root.next_frame()) is not None:
            json.dumps(merged)
            answered += merged["answered"]
        root_s += time.process_time() - began
    print(f"generators              {generators:,} with {routes} routes, {requests:,} requests/s each")
    print(f"requests merged         {answered / seconds:,.0f}/s")
    print(f"bundlers                {len(nodes)} of {BUNDLE:,} generators each")
    least, most = min(node_s) / seconds, max(node_s) / seconds
    print(f"CPU of a bundler        {least:.1%} to {most:.1%} of a core")
    print(f"CPU of their merger     {root_s / seconds:.1%} of a core")
    print(f"between them            {carried / seconds / 1e6:,.2f} MB/s")
    print(f"memory of all           {resident_bytes() / 1e6:,.0f} MB")


def main(generators: int = 1_000, requests: int = 1_000, routes: int = 5, seconds: int = 20) -> None:
    """Replay, and print what it took."""
    if generators > ALONE_MOST:
        tree(generators, requests, routes, seconds)
        return
    rng = random.Random(1)
    lines = [shape(requests, routes, rng) for _ in range(SHAPES)]
    testimonies = testimonies_of(generators)
    merger = Merger([each.seat.host for each in testimonies], 1, 0, 1.0)
    written = answered = 0
    memory = [resident_bytes()]
    began = time.process_time()
    for second in range(seconds):
        for index, testimony in enumerate(testimonies):
            frame = json.loads(lines[(second + index) % SHAPES])["frame"]
            frame["n"], frame["t_ns"] = second, second * NS
            came = live(frame)
            testimony.take(came)
            merger.take(index, came)
        while (merged := merger.next_frame()) is not None:
            written += len(json.dumps(merged))
            answered += merged["answered"]
        memory.append(resident_bytes())
    cpu_s = (time.process_time() - began) / seconds
    read = sum(map(len, lines)) / SHAPES * generators
    print(f"generators              {generators:,} with {routes} routes, {requests:,} requests/s each")
    print(f"requests merged         {answered / seconds:,.0f}/s")
    print(f"CPU                     {cpu_s * 1e3:,.0f} ms a second of load: {cpu_s:.1%} of a core")
    print(f"CPU a generator         {cpu_s / generators * 1e6:,.0f} µs a second")
    print(f"read                    {read / 1e6:,.2f} MB/s, {read / generators / 1e3:,.1f} kB/s a generator")
    print(f"written                 {written / seconds / 1e3:,.0f} kB/s")
    before, middle, end = (memory[place] / 1e6 for place in (0, seconds // 2, -1))
    print(f"memory                  {before:,.0f} MB before, {middle:,.0f} midway, {end:,.0f} at the end")
    print(f"slots that wait         {merger.pending}")
    room = int(1 / (cpu_s / generators))
    print(f"a merger's room         {room:,} generators on a core of its own")
    for more in (MORE_GENERATORS, 10 * MORE_GENERATORS):
        print(f"{more:,} generators       {math.ceil(more / room)} mergers, and one for their streams")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
