"""Time in which the generator could not run: its groups were out of quota, the hypervisor took its core."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from loadrig.base import cgroups, kernel_files
from loadrig.base.clock import NS
from loadrig.trial.surroundings import parse_stolen

MOST_READINGS = 2_048
"""Number of readings at which every second one is forgotten: hours take no more memory than minutes, and the
edges of their window are known to a few seconds."""


@dataclass(frozen=True, slots=True)
class CounterReading:
    """Counters at one instant, in nanoseconds: throttled by group, stolen by core."""

    t_ns: int
    throttled_ns: dict[str, int]
    stolen_ns: dict[int, int]


class TakenTime:
    """Readings of the kernel's counters over the life of a process.

    cpus: cores that it may use. threads: of it, at work at once.
    """

    def __init__(self, cpus: Sequence[int], threads: int) -> None:
        self._cpus, self._threads = cpus, threads
        self._readings: list[CounterReading] = []
        self._membership = ""
        self._groups: list[Path] = []

    @property
    def looks(self) -> int:
        """Number of readings that are kept."""
        return len(self._readings)

    @property
    def watched_s(self) -> float:
        """Seconds from the first reading to the last."""
        return (self._readings[-1].t_ns - self._readings[0].t_ns) / NS if self._readings else 0.0

    def look(self, pid: int, t_ns: int) -> None:
        """Read the counters of a process."""
        membership = _text(Path(f"/proc/{pid}/cgroup"))
        if membership and membership != self._membership:
            self._membership = membership
            self._groups = _groups_with_cpu_time(pid)
        self._readings.append(
            CounterReading(
                t_ns,
                {str(folder): _throttled_ns(folder) for folder in self._groups},
                parse_stolen(_text(Path("/proc/stat")), self._cpus),
            )
        )
        if len(self._readings) > MOST_READINGS:
            self._readings = _thinned(self._readings)

    def _edges(self, from_ns: int, to_ns: int) -> tuple[CounterReading, CounterReading] | None:
        """Return the last reading before a window and the first one after it, or the nearest there are."""
        if len(self._readings) < 2:
            return None
        before = [reading for reading in self._readings if reading.t_ns <= from_ns]
        after = [reading for reading in self._readings if reading.t_ns >= to_ns]
        first, last = (before or self._readings)[-1 if before else 0], (after or self._readings[-1:])[0]
        return (first, last) if last.t_ns > first.t_ns else None

    def throttled(self, from_ns: int, to_ns: int) -> tuple[float, str]:
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

    def stolen(self, from_ns: int, to_ns: int) -> float:
        """Return the share of the time for which the hypervisor ran others on the core that lost most."""
        edges = self._edges(from_ns, to_ns)
        if edges is None:
            return 0.0
        first, last = edges
        length_ns = last.t_ns - first.t_ns
        return max(
            ((ns - first.stolen_ns.get(core, ns)) / length_ns for core, ns in last.stolen_ns.items()),
            default=0.0,
        )


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


def _groups_with_cpu_time(pid: int) -> list[Path]:
    """Return the folders of the groups whose quota a process lives on: its own and all above it."""
    own = cgroups.group_for(cgroups.of(pid), "cpu")
    if own is None:
        return []
    return [group for group in (own.folder, *own.folder.parents) if (group / "cpu.stat").exists()]


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
