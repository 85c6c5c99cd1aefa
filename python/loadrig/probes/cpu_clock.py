"""Speed of the host's cores: frequency, slowing down by heat or power, and the time of the same work.

## What it reads

/sys/devices/system/cpu: scaling_cur_freq (or the MHz in /proc/cpuinfo where there is none) and
thermal_throttle of each core. On the cores that the server may run on, the CPU time in which 2,048 numbers
are sorted, always the same ones: the mean of two to eight looks a second, evenly apart.

## How to read it

A core that runs slower takes more CPU time for the same request: CPU time a request that steps up after
minutes, with the frequency stepping down at the same instant, is the machine and not the server.
A virtual machine mostly shows one constant frequency, whatever its host does. Where another machine works
on the other half of the same physical core, a request takes up to twice the CPU time, and the work does so
too: neither frequency nor steal tells. Of 42 trials of 8 s on such a machine (standard deviation 21 %) the
throughput of a Python server followed the speed of this work with exponent 1.3 (correlation 0.83, one look
a second): it tells of most of that noise, and cannot be used to take it out. On the same machine in a quiet
hour (37 stretches of 8 s, standard deviation 1.7 %) one look a second told of little (correlation 0.46), ten
of most (0.76). Times on two kinds of processor say nothing.

## Cost

0.3 ms of CPU time a look for one core of the server, with moving there and back; of four cores at most in one
second. There are as many looks as its part of the 2 % of a core leaves, which all of loadrig beside the
generator may use: two to eight a second.
0.1 ms of one core for a sample on two cores where /proc/cpuinfo has to be read, which is done every ten
seconds; 20 µs a core else.
Measured on Linux 6.18, Python 3.11.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from loadrig._native import core_work
from loadrig.base.component import SERVER, Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Metric, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_kernel import ProbesCpuClockErrors
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._purse import Purse
from loadrig.probes._session import Place, Session, Unavailable, read
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_host

ERRORS = texts_of(ProbesCpuClockErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "frequency": Metric("1/s", "gauge", "Cycles a second, per core.", otel="system.cpu.frequency"),
    "throttles": Metric("1", "counter", "Times that heat or power slowed a core down."),
    "work_s": Metric("s", "gauge", "CPU time of a fixed piece of work on a core: longer is slower."),
}

EVERY_NS = 10_000_000_000
"""Time between two readings of the frequency: it changes slowly, and the kernel may have to ask each core."""

WORK_EVERY_S = 0.9
"""Least seconds between two readings: the observer asks each second, and may be a millisecond early."""

MOST_TIMES, LEAST_TIMES = 8, 2
SPREAD_S = 0.8
"""Number of runs of the work in a second, as the budget allows, and the seconds over which they are spread:
neighbours come and go within seconds."""

WEIGHT, LEAST_SHARE, MOST_SHARE = 0.5, 0.0005, 0.004
"""Weight of the work among all sensors, and its bounds as shares of a core."""

MOST_AT_ONCE = 4
"""Cores on which the work is done in a second, at most; the cores of a greater machine take turns."""


def parse_mhz(text: str) -> dict[str, float]:
    """Return the cycles a second of each core, from /proc/cpuinfo of x86; empty on other machines."""
    frequencies: dict[str, float] = {}
    core = ""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        match name.strip():
            case "processor":
                core = f"cpu{value.strip()}"
            case "cpu MHz":
                frequencies[core] = float(value) * 1e6
    return frequencies


class CoreWork:
    """Time that the work takes on each of some cores, in turns.

    It is read in a thread of its own, as it waits.

    cores: those on which to work now. purse: what all sensors share. core_work: does the work, returns its
    CPU seconds on a core; may raise OSError. cpu: CPU seconds of the thread that reads.
    """

    def __init__(
        self,
        cores: Callable[[], Sequence[int]],
        purse: Purse,
        core_work: Callable[[int], float] = core_work,
        cpu: Callable[[], float] = time.thread_time,
    ) -> None:
        self._cores, self._core_work, self._cpu = cores, core_work, cpu
        self._purse, self._part = purse, purse.part("cpu_clock", WEIGHT, LEAST_SHARE, MOST_SHARE)
        self._cost_s: float | None = None
        self._next = 0
        self._ending = threading.Event()

    def read(self, t_ns: int) -> Reading:
        """Return the mean times of the work within the second that begins now, or until `end`.

        A core on which this process may not run is left out.
        """
        cores = self._cores()
        chosen = [cores[(self._next + n) % len(cores)] for n in range(min(MOST_AT_ONCE, len(cores)))]
        self._next += len(chosen)
        times_of_core: dict[int, list[float]] = {}
        times, before = self._times(), self._cpu()
        for _ in range(times):
            for core in chosen:
                with suppress(OSError):
                    seconds = self._core_work(core)
                    times_of_core.setdefault(core, []).append(seconds)
            if self._ending.wait(SPREAD_S / times):
                break
        used_s = self._cpu() - before
        self._purse.spend(self._part, used_s)
        self._cost_s = used_s / times
        means = {core: sum(times_s) / len(times_s) for core, times_s in times_of_core.items()}
        return Reading(
            [Sample(t_ns, "cpu_clock", "work_s", f"cpu{core}", mean) for core, mean in means.items()]
        )

    def _times(self) -> int:
        """Return how often the work may be done within this second."""
        if not self._cost_s:
            return LEAST_TIMES
        return max(LEAST_TIMES, min(MOST_TIMES, int(self._purse.share(self._part) / self._cost_s)))

    def end(self) -> None:
        """End the waiting: the reading under way is the last."""
        self._ending.set()


class CpuClockWatch(Watch):
    """Session of the probe, below any root."""

    probe = "cpu_clock"

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._due_ns = 0

    def sample(self, t_ns: int) -> list[Sample]:
        """Read every core, once in EVERY_NS."""
        if t_ns < self._due_ns:
            return []
        self._due_ns = t_ns + EVERY_NS
        frequencies, throttles = self._read_cores()
        if not frequencies:
            frequencies = parse_mhz(self.text("proc/cpuinfo"))
        values = {("frequency", core): value for core, value in frequencies.items()}
        return self.samples(t_ns, values | {("throttles", core): n for core, n in throttles.items()})

    def _read_cores(self) -> tuple[dict[str, float], dict[str, float]]:
        frequencies, throttles = {}, {}
        for folder in sorted((self.root / "sys/devices/system/cpu").glob("cpu[0-9]*")):
            if khz := read(folder / "cpufreq/scaling_cur_freq"):
                frequencies[folder.name] = int(khz) * 1e3
            if times := read(folder / "thermal_throttle/core_throttle_count"):
                throttles[folder.name] = float(times)
        return frequencies, throttles


class WorkingWatch(CpuClockWatch):
    """Session on the machine itself, where work can be done as well."""

    def __init__(self, cores: Callable[[], Sequence[int]], purse: Purse) -> None:
        super().__init__()
        self._work = CoreWork(cores, purse)
        self._aside = Aside(self._work.read, every_s=WORK_EVERY_S)

    @property
    def cpu_s(self) -> float:
        """CPU seconds of the work."""
        return self._aside.cpu_s

    def sample(self, t_ns: int) -> list[Sample]:
        """Read every core once in EVERY_NS, and take the samples of the work."""
        return [*super().sample(t_ns), *self._aside.sample(t_ns)]

    def detach(self) -> None:
        """End the thread of the work."""
        self._work.end()
        self._aside.detach()


def of_server(components: Sequence[Component]) -> list[int]:
    """Return the cores on which the server may run; if not known, those that this process may use."""
    cpus = next(
        (
            component.cpus
            for component in components
            if component.name == SERVER and component.pid is not None
        ),
        (),
    )
    return sorted(cpus or os.sched_getaffinity(0))


fits = is_host


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Below another root than "/" it does no work, and the machine must give its frequency.

    Raises Unavailable where the machine does not give it.
    """
    del options, component
    if place.root == Path("/"):
        return WorkingWatch(lambda: of_server(place.components()), place.purse)
    watch = CpuClockWatch(place.root)
    if not watch.sample(0):
        raise Unavailable.of(ERRORS.speed_unknown(), code="probe.not-readable")
    return CpuClockWatch(place.root)
