"""Observations of the generator from outside while it works, kept in the trial's manifest.

The generator testifies about itself in its frames; of some things it cannot know: that it was stopped, that
its control group was out of CPU time, that the hypervisor took its core, that the server's busiest thread ran
beside it, that somebody else loads the server, that somebody set the clock. The witness looks a few times a
second, whether frames come or not.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from loadrig.base import cgroups, kernel_files
from loadrig.base.running import RunningTarget
from loadrig.trial import others
from loadrig.trial.companions import LOOKS_ENOUGH, Companions, ServerProcesses, tasks_of, to_json
from loadrig.trial.stops import Stops
from loadrig.trial.surroundings import parse_stolen

NS = 1_000_000_000

LOOK_AT_FIRST_NS, LOOK_EVERY_NS = NS // 4, NS // 2
"""Time between looks, in nanoseconds: until there are enough to judge a short load by, and from then on."""

MOST_READINGS = 2_048
"""Number of readings at which every second one is forgotten: hours take no more memory than minutes, and the
edges of their window are known to a few seconds."""

COST_SHARE, COST_SHARE_LATER = 0.005, 0.001
"""Shares of one core, 0 to 1, that looks at the server's threads may cost: after a long look the next one
waits. The second share holds once there were as many looks as a judgement takes, which a short load has only
with the greater share."""


@dataclass(frozen=True, slots=True)
class CounterReading:
    """Counters at one instant, in nanoseconds: throttled by group, stolen by core."""

    t_ns: int
    throttled_ns: dict[str, int]
    stolen_ns: dict[int, int]


class Witness:
    """Follower of a generator. Made by a trial before it starts, given its pid, asked at the end."""

    def __init__(self, target: RunningTarget, cpus: Sequence[int], threads: int) -> None:
        self._target = target
        self._cpus = tuple(cpus) or tuple(sorted(os.sched_getaffinity(0)))
        self._threads = threads
        self._generator = 0
        self._stops: Stops | None = None
        self._server: ServerProcesses | None = None
        self._companions = Companions()
        self._readings: list[CounterReading] = []
        self._membership = ""
        self._groups: list[Path] = []
        self._wall_ns = _wall_less_monotonic_ns()
        self._due_ns = 0
        self._companions_due_ns = 0
        self._others: others.Others | str = "nobody looked"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stops is not None:
            self._stops.join()

    def follow(self, pid: int) -> None:
        """Begin to follow: the generator is this child of ours."""
        self._generator = pid
        self._stops = Stops.of(pid)
        if self._target.pid is not None:
            self._server = ServerProcesses(self._target.pid, self._target.cgroup, (pid, os.getpid()))
        self._others = others.watched(self._target.address, self._target.pid, pid, self._server_pids)
        self.look(time.monotonic_ns())

    def _server_pids(self) -> list[int]:
        return self._server.now(time.monotonic_ns()) if self._server is not None else []

    def look(self, t_ns: int, *, at_last: bool = False) -> None:
        """Read everything, if a look is due. at_last: the load is over, so that a look is due."""
        if t_ns < self._due_ns and not at_last:
            return
        is_enough = len(self._readings) > LOOKS_ENOUGH
        self._due_ns = t_ns + (LOOK_EVERY_NS if is_enough else LOOK_AT_FIRST_NS)
        membership = _text(Path(f"/proc/{self._generator}/cgroup"))
        if membership and membership != self._membership:
            self._membership = membership
            self._groups = _groups_with_cpu_time(self._generator)
        self._readings.append(
            CounterReading(
                t_ns,
                {str(folder): _throttled_ns(folder) for folder in self._groups},
                parse_stolen(_text(Path("/proc/stat")), self._cpus),
            )
        )
        if len(self._readings) > MOST_READINGS:
            self._readings = _thinned(self._readings)
        if self._server is not None and (t_ns >= self._companions_due_ns or at_last):
            began_ns = time.thread_time_ns()
            server = tasks_of(pid for pid in self._server.now(t_ns) if pid != self._generator)
            self._companions.add(t_ns, tasks_of([self._generator]), server)
            share = COST_SHARE if self._companions.looks <= LOOKS_ENOUGH else COST_SHARE_LATER
            self._companions_due_ns = t_ns + int((time.thread_time_ns() - began_ns) / share)

        if not isinstance(self._others, str):
            self._others.look(t_ns, at_last=at_last)

    def facts(self, from_ns: int, to_ns: int) -> dict[str, Any]:
        """Return what was seen, for the manifest. from_ns, to_ns: the measured window.

        Cores in common are judged over the whole load: threads do not move because a warm-up ends.
        """
        stops, stopped_ns = self._stops.between(from_ns, to_ns) if self._stops else (0, 0)
        length_ns = max(1, to_ns - from_ns)
        throttled_share, group = self._throttled(from_ns, to_ns)
        return {
            "stops": stops,
            "stopped_share": stopped_ns / length_ns,
            "throttled_share": throttled_share,
            "throttled_group": group,
            "stolen_share": self._stolen(from_ns, to_ns),
            "clock_step_s": (_wall_less_monotonic_ns() - self._wall_ns) / NS,
            "watched_s": (self._readings[-1].t_ns - self._readings[0].t_ns) / NS if self._readings else 0.0,
            "shared_core": self._shared_core(),
            "others": {"unknown": self._others} if isinstance(self._others, str) else self._others.to_json(),
        }

    def _edges(self, from_ns: int, to_ns: int) -> tuple[CounterReading, CounterReading] | None:
        """Return the last reading before a window and the first one after it, or the nearest there are."""
        if len(self._readings) < 2:
            return None
        before = [reading for reading in self._readings if reading.t_ns <= from_ns]
        after = [reading for reading in self._readings if reading.t_ns >= to_ns]
        first, last = (before or self._readings)[-1 if before else 0], (after or self._readings[-1:])[0]
        return (first, last) if last.t_ns > first.t_ns else None

    def _throttled(self, from_ns: int, to_ns: int) -> tuple[float, str]:
        """Return the share of the time that a group of the generator was throttled, and the worst group."""
        edges = self._edges(from_ns, to_ns)
        if edges is None:
            return 0.0, ""
        first, last = edges
        grown: dict[str, int] = {}
        inside = [reading for reading in self._readings if first.t_ns <= reading.t_ns <= last.t_ns]
        # Sum from look to look: a process that was moved to another group counts from zero there.
        for before, after in pairwise(inside):
            for name, ns in after.throttled_ns.items():
                grown[name] = grown.get(name, 0) + ns - before.throttled_ns.get(name, ns)
        worst = max(grown, key=grown.__getitem__, default="")
        # The kernel counts a group's throttled time on each core by itself.
        length_ns = (last.t_ns - first.t_ns) * max(1, min(self._threads, len(self._cpus)))
        share = min(1.0, grown.get(worst, 0) / length_ns)
        return share, worst if share > 0 else ""

    def _stolen(self, from_ns: int, to_ns: int) -> float:
        edges = self._edges(from_ns, to_ns)
        if edges is None:
            return 0.0
        first, last = edges
        length_ns = last.t_ns - first.t_ns
        return max(
            ((ns - first.stolen_ns.get(core, ns)) / length_ns for core, ns in last.stolen_ns.items()),
            default=0.0,
        )

    def _shared_core(self) -> dict[str, Any]:
        if self._target.pid is None:
            return to_json("the server's process is not known: on another machine, or it may not be seen")
        return to_json(self._companions.shared())


def _thinned(readings: Sequence[CounterReading]) -> list[CounterReading]:
    """Return every second reading, and all at which the generator was moved to other groups."""
    return [
        reading
        for place, reading in enumerate(readings)
        if place % 2 == 0
        or place == len(readings) - 1
        or reading.throttled_ns.keys() != readings[place - 1].throttled_ns.keys()
        or reading.throttled_ns.keys() != readings[place + 1].throttled_ns.keys()
    ]


def _wall_less_monotonic_ns() -> int:
    """Return wall time less monotonic time, in nanoseconds.

    It changes only when somebody sets the clock, or slowly by NTP.
    """
    before_ns = time.monotonic_ns()
    wall_ns = time.time_ns()
    return wall_ns - (before_ns + time.monotonic_ns()) // 2


def _groups_with_cpu_time(pid: int) -> list[Path]:
    """Return the folders of the groups whose quota a process lives on: its own and all above it."""
    own = cgroups.of(pid)
    folder = own.get("cpu") or own.get("2")
    if folder is None:
        return []
    return [group for group in (folder, *folder.parents) if (group / "cpu.stat").exists()]


def _throttled_ns(folder: Path) -> int:
    """Return the time that a group stood still for want of quota; 0 where the kernel does not count it."""
    for line in _text(folder / "cpu.stat").splitlines():
        name, _, number = line.partition(" ")
        if name == "throttled_time":  # v1, in nanoseconds
            return int(number)
        if name == "throttled_usec":  # v2
            return int(number) * 1000
    return 0


def _text(path: Path) -> str:
    return kernel_files.read(path) or ""
