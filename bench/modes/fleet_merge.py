"""Does a core have room to merge the frames of a fleet? Replayed through the fleet's own path.

Every generator sends a frame a second, as a line of JSON, with a histogram of response and of service times
for each of five routes; lines are read, testimony is added up, and frames are merged and encoded again, as in
a trial. More generators than one merger has room for go through a tree: bundlers of a thousand each, and one
merger of what these give; each is a process where it is used, and here one works after the other. CPU time is
that of a second of load. Memory midway and at the end must be the same: nothing grows with a run's length.
"""

import json
import math
import random
import resource
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from bench.figures import digits, markdown, percent
from bench.lab import Bench
from loadrig._native import Histogram
from loadrig.base import processes
from loadrig.fleet.clocks import ClockOffset
from loadrig.fleet.condenser import Condenser
from loadrig.fleet.dealing import dealt
from loadrig.fleet.gathering import MergerTree
from loadrig.fleet.hosts import News, Seat
from loadrig.fleet.merge import Merger
from loadrig.fleet.messages import MergerAnswer, MergerOrder
from loadrig.fleet.places import BUNDLE
from loadrig.fleet.testimony import Testimony
from loadrig.recording.frame_document import live
from loadrig.testing.engine_frames import frame_message

NS = 1_000_000_000
SHAPES = 8
"""Frames that differ; each generator sends them in turn from another one on."""

REQUESTS, ROUTES = 1_000, 5
"""Requests a second of each generator, and routes that they go to."""

ONE_MERGER, TREE = (1_000, 20), (10_000, 2)
"""Generators of a merger and of a tree, and seconds that are replayed."""

SMALL = 50
"""Divisor of those numbers where it is only to be seen that it runs."""

MEAN_S = 0.02
"""Mean time of an answer, in seconds."""

Row = dict[str, Any]


def histogram(count: int, rng: random.Random) -> str:
    """Return so many times, encoded."""
    times = Histogram()
    for _ in range(count):
        times.record(max(1, int(rng.expovariate(1 / MEAN_S) * NS)))
    return times.encode()


def measure(lab: Bench) -> dict[str, Any]:
    """Replay for one merger and for a tree; of --quick few generators. Each is a turn."""
    rows = []
    for replay, generators, seconds in ((alone, *ONE_MERGER), (tree, *TREE)):
        with lab.turn():
            some = generators // SMALL if lab.is_quick else generators
            rows.append(replay(some, seconds))
        lab.let_others()
    read = sum(map(len, shapes())) / SHAPES
    return {"how": f"replayed, {REQUESTS:,} requests a second each", "read_bytes": read, "rows": rows}


def shapes() -> list[str]:
    """Return frames that differ, as lines."""
    rng = random.Random(1)
    return [shape(rng) for _ in range(SHAPES)]


def frame_of(lines: Sequence[str], second: int, index: int) -> str:
    """Return the frame of a generator in a second."""
    place = f'"n": {second}, "t_ns": {second * NS}'
    return lines[(second + index) % SHAPES].replace('"n": 0, "t_ns": 0', place, 1)


def shape(rng: random.Random) -> str:
    """Return a frame of the first second as a line."""
    each = REQUESTS // ROUTES
    rows: list[dict[str, Any]] = [
        {
            "route": f"route {number}", "class": "service", "outcome": "ok", "count": each,
            "bytes": each * 500, "response": histogram(each, rng), "service": histogram(each, rng),
        }
        for number in range(ROUTES)
    ]  # fmt: skip
    own: dict[str, Any] = {kind: histogram(REQUESTS, rng) for kind in ("lag", "wait", "connect")}
    gaps = [rng.randrange(NS // REQUESTS) for _ in range(200)]
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

    def tell(self, number: int, order: MergerOrder) -> MergerAnswer:
        """Give a merger an order."""
        answer = self.condensers[number].order(msgspec.json.encode(order))
        return msgspec.json.decode(answer, type=MergerAnswer)


def alone(generators: int, seconds: int) -> Row:
    """Return what one merger takes for all generators."""
    lines = shapes()
    testimonies = testimonies_of(generators)
    merger = Merger([each.seat.host for each in testimonies], 1, 0, 1.0)
    written = answered = 0
    memory = []
    began_s = time.process_time()
    for second in range(seconds):
        for index, testimony in enumerate(testimonies):
            came = live(json.loads(frame_of(lines, second, index))["frame"])
            testimony.take(came)
            merger.take(index, came)
        while (merged := merger.next_frame()) is not None:
            written += len(json.dumps(merged))
            answered += merged["answered"]
        memory.append(resident_bytes())
    return {
        "generators": generators, "per_second": answered / seconds, "mergers": 1,
        "cpu_shares": [(time.process_time() - began_s) / seconds], "root_share": None,
        "passed_bytes": written / seconds, "midway_bytes": memory[seconds // 2], "end_bytes": memory[-1],
    }  # fmt: skip


def tree(generators: int, seconds: int) -> Row:
    """Return what bundlers and one merger of their bundles take."""
    lines = shapes()
    mergers = BenchMergers(dealt(generators, math.ceil(generators / BUNDLE)))
    root = MergerTree(mergers, testimonies_of(generators), 1, 0, 1.0)
    bundler_s = [0.0] * len(mergers.condensers)
    root_s, carried, answered = 0.0, 0, 0
    memory = []
    for second in range(seconds):
        passed: list[News] = []
        for number, (group, bundler) in enumerate(zip(mergers.groups, mergers.condensers, strict=True)):
            frames = {index: frame_of(lines, second, index).encode() for index in group}
            began_s = time.process_time()
            for index, frame in frames.items():
                passed += bundler.take([News(index, frame)])
            bundler_s[number] += time.process_time() - began_s
        began_s = time.process_time()
        for news in passed:
            assert news.line is not None
            carried += len(news.line)
            root.take_bundle(json.loads(news.line))
        while (merged := root.next_frame()) is not None:
            json.dumps(merged)
            answered += merged["answered"]
        root_s += time.process_time() - began_s
        memory.append(resident_bytes())
    return {
        "generators": generators, "per_second": answered / seconds, "mergers": len(bundler_s),
        "cpu_shares": [each / seconds for each in bundler_s], "root_share": root_s / seconds,
        "passed_bytes": carried / seconds, "midway_bytes": memory[seconds // 2], "end_bytes": memory[-1],
    }  # fmt: skip


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line for each size of a fleet, and how many generators one merger has room for."""
    lines = []
    for row in section["rows"]:
        least, most = (percent(edge(row["cpu_shares"]), 0) for edge in (min, max))
        lines.append(
            [
                f"{row['generators']:,}", f"{row['per_second']:,.0f}", str(row["mergers"]),
                least if least == most else f"{least} to {most}", percent(row["root_share"], 0),
                *(digits(row[name] / 1e6) for name in ("passed_bytes", "midway_bytes", "end_bytes")),
            ]
        )  # fmt: skip
    head = [
        "generators", "requests/s", "mergers", "core of each", "core of the one above them",
        "passed on, MB/s", "memory midway, MB", "at the end, MB",
    ]  # fmt: skip
    first = section["rows"][0]
    each = max(first["cpu_shares"]) / first["generators"]
    room = (
        f"A generator takes {digits(each * 1e6)} µs a second, so that one core has room for "
        f"{digits(1 / each)}; {digits(section['read_bytes'] / 1e3)} kB a second are read of each."
    )
    return [markdown(head, lines), room]
