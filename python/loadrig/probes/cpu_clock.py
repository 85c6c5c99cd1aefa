"""How fast the host's cores run: frequency, slowing down by heat or power, and the time of the same work.

## What it reads

/sys/devices/system/cpu: scaling_cur_freq (or the MHz in /proc/cpuinfo where there is none) and
thermal_throttle of each core. Each second, on the cores that the server may run on, the CPU time in which
2,048 numbers are sorted, always the same ones.

## How to read it

A core that runs slower takes more CPU time for the same request: CPU time a request that steps up after
minutes, with the frequency stepping down at the same instant, is the machine and not the server.
A virtual machine mostly shows one constant frequency, whatever its host does. Where another machine works
on the other half of the same physical core, a request takes up to twice the CPU time, and the work does so
too: neither frequency nor steal tells. Of 42 trials of 8 s on such a machine (standard deviation 21 %) the
throughput of a Python server followed the speed of this work with exponent 1.3 (correlation 0.83): it tells
of most of that noise, and cannot be used to take it out. Times on two kinds of processor say nothing.

## Cost

Of each core of the server 0.2 ms every second, of four cores at most in one second.
0.1 ms of one core for a sample on two cores where /proc/cpuinfo has to be read, which is done every ten
seconds; 20 µs a core else.
Measured on Linux 6.18, Python 3.11.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from loadrig._native import core_work
from loadrig.base.component import HOST, SERVER, Component
from loadrig.base.records import dataclass
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._session import Place, Session, Unavailable, read

METRICS: Mapping[str, Metric] = {
    "frequency": Metric("1/s", "gauge", "Cycles a second, per core.", otel="system.cpu.frequency"),
    "throttles": Metric("1", "counter", "Times that heat or power slowed a core down."),
    "work_s": Metric("s", "gauge", "CPU time of a fixed piece of work on a core: longer is slower."),
}

EVERY_NS = 10_000_000_000
"""The frequency is read so often: it changes slowly, and the kernel may have to ask each core for it."""

WORK_EVERY_S = 1.0

MOST_AT_ONCE = 4
"""Cores on which the work is done in one second; those of a greater machine take turns."""


@dataclass(frozen=True, slots=True)
class Options:
    """Nothing to choose."""


def parse_mhz(text: str) -> dict[str, float]:
    """Cycles a second of each core, from /proc/cpuinfo of x86; other machines do not say it there."""
    found: dict[str, float] = {}
    core = ""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        match name.strip():
            case "processor":
                core = f"cpu{value.strip()}"
            case "cpu MHz":
                found[core] = float(value) * 1e6
    return found


class Work:
    """How long the work takes, on each of some cores in turns. Read in a thread of its own, as it waits.

    cores: those on which it is to be done now. core_work: CPU seconds of it on a core; may raise OSError.
    """

    def __init__(
        self, cores: Callable[[], Sequence[int]], core_work: Callable[[int], float] = core_work
    ) -> None:
        self._cores, self._core_work = cores, core_work
        self._next = 0

    def read(self, t_ns: int) -> Reading:
        """One reading. A core on which this process may not run is left out."""
        cores = self._cores()
        found = Reading()
        for _ in range(min(MOST_AT_ONCE, len(cores))):
            core = cores[self._next % len(cores)]
            self._next += 1
            with suppress(OSError):
                seconds = self._core_work(core)
                found.samples.append(Sample(t_ns, "cpu_clock", "work_s", f"cpu{core}", seconds))
        return found


class Watch:
    """The session: reads below `root`, which is "/" but in tests."""

    def __init__(self, options: Options, root: Path = Path("/")) -> None:
        del options
        self.root = root
        self._due_ns = 0

    def sample(self, t_ns: int) -> list[Sample]:
        """Read every core, now and then."""
        if t_ns < self._due_ns:
            return []
        self._due_ns = t_ns + EVERY_NS
        frequencies, throttles = self._of_cores()
        if not frequencies:
            frequencies = parse_mhz(read(self.root / "proc/cpuinfo") or "")
        found = [Sample(t_ns, "cpu_clock", "frequency", core, value) for core, value in frequencies.items()]
        return found + [Sample(t_ns, "cpu_clock", "throttles", core, n) for core, n in throttles.items()]

    def _of_cores(self) -> tuple[dict[str, float], dict[str, float]]:
        frequencies, throttles = {}, {}
        for folder in sorted((self.root / "sys/devices/system/cpu").glob("cpu[0-9]*")):
            if khz := read(folder / "cpufreq/scaling_cur_freq"):
                frequencies[folder.name] = int(khz) * 1e3
            if times := read(folder / "thermal_throttle/core_throttle_count"):
                throttles[folder.name] = float(times)
        return frequencies, throttles

    def events(self) -> list[Event]:
        """Nothing: throttling is a counter."""
        return []

    def detach(self) -> None:
        """Nothing is held."""


class WorkingWatch(Watch):
    """The session on the machine itself, where work can be done as well."""

    def __init__(self, options: Options, root: Path, cores: Callable[[], Sequence[int]]) -> None:
        super().__init__(options, root)
        self._work = Aside(Work(cores).read, every_s=WORK_EVERY_S)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the work."""
        return self._work.cpu_s

    def sample(self, t_ns: int) -> list[Sample]:
        """Read every core now and then, and take what the work has brought."""
        return [*super().sample(t_ns), *self._work.sample(t_ns)]

    def detach(self) -> None:
        """End the thread of the work."""
        self._work.detach()


def fits(component: Component) -> bool:
    """The host."""
    return component.kind == HOST


def of_server(components: Sequence[Component]) -> list[int]:
    """The cores on which the server may run; all that this process may use where that is not known."""
    held = next((one.cpus for one in components if one.name == SERVER and one.pid is not None), ())
    return sorted(held or os.sched_getaffinity(0))


def attach(options: Options, component: Component, place: Place) -> Session:
    """Below another root than "/" nothing is done on the cores, and it must say how fast they run.

    Raises Unavailable where it does not.
    """
    del component
    if place.root == Path("/"):
        return WorkingWatch(options, place.root, lambda: of_server(place.components()))
    watch = Watch(options, place.root)
    if not watch.sample(0):
        raise Unavailable(
            "the machine does not say how fast its cores run", "switch it off: unwatched: [cpu_clock]",
            code="probe.not-readable",
        )  # fmt: skip
    return Watch(options, place.root)
