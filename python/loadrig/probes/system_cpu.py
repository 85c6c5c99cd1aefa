"""The host's cores: what they did, what waited for them, what the hypervisor took.

## What it reads

/proc/stat, per core and state; /proc/schedstat, if the kernel has it, for the time that tasks stood
in the run queue; /proc/loadavg; /proc/pressure/cpu.

## How to read it

A core that is busy all the time while others idle means that the work is not spread. Steal is time
that this machine was ready to run and the hypervisor ran another: trials with steal are not
comparable. Guest time is part of user time, as in the kernel's own count. The resolution of
/proc/stat is a hundredth of a second.

## Cost

0.2 ms of one core for a sample on two cores, and 10 µs more for each further core.
Measured on Linux 6.18, Python 3.11.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

from loadrig.base.effects import ServerEffect
from loadrig.base.series import Metric, Sample
from loadrig.probes._session import parse_pressure
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_host, on_host

_STATES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_COUNTS = {
    "ctxt": "context_switches", "processes": "forks", "procs_running": "running", "procs_blocked": "blocked",
}  # fmt: skip
_TICKS_PER_S: int = os.sysconf("SC_CLK_TCK")

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "user_s": Metric("s", "counter", "Time in user code, per core; guests included.", otel="system.cpu.time"),
    "nice_s": Metric(
        "s", "counter", "Time in user code of lowered priority, per core.", otel="system.cpu.time"
    ),
    "system_s": Metric("s", "counter", "Time in the kernel, per core.", otel="system.cpu.time"),
    "idle_s": Metric("s", "counter", "Time idle, per core.", otel="system.cpu.time"),
    "iowait_s": Metric(
        "s", "counter", "Time idle while a task of this core waited for a disk.", otel="system.cpu.time"
    ),
    "irq_s": Metric("s", "counter", "Time in interrupts, per core.", otel="system.cpu.time"),
    "softirq_s": Metric(
        "s",
        "counter",
        "Time in soft interrupts (most of the network stack), per core.",
        otel="system.cpu.time",
    ),
    "steal_s": Metric(
        "s",
        "counter",
        "Time that the hypervisor gave to others while this core had work.",
        otel="system.cpu.time",
    ),
    "run_delay_s": Metric(
        "s", "counter", "Time that runnable tasks waited for this core, summed over tasks."
    ),
    "context_switches": Metric("1", "counter", "Context switches of the whole machine."),
    "forks": Metric("1", "counter", "Processes and threads created."),
    "running": Metric("1", "gauge", "Tasks that run or wait for a core now."),
    "blocked": Metric("1", "gauge", "Tasks that wait for a disk now."),
    "load_1m": Metric("1", "gauge", "Load average over a minute: too slow for trials, kept as it is known."),
    "stalled_s": Metric("s", "counter", "Time in which at least one task waited for a core (PSI some)."),
}


@dataclass(frozen=True, slots=True)
class CpuStat:
    """Content of /proc/stat: seconds of each core in each of the eight states, and the counts below them."""

    cores: Mapping[str, tuple[float, ...]]
    counts: Mapping[str, int]


def parse_stat(text: str) -> CpuStat:
    """Parse /proc/stat. A core that is switched off has no line."""
    cores: dict[str, tuple[float, ...]] = {}
    counts: dict[str, int] = {}
    for line in text.splitlines():
        name, *fields = line.split(None, 9)
        if name.startswith("cpu") and name != "cpu":
            ticks = [int(field) for field in fields[:8]]
            # Kernels before 2.6.11 have no steal; a missing state is no time.
            ticks += [0] * (8 - len(ticks))
            cores[name] = tuple(tick / _TICKS_PER_S for tick in ticks)
        elif name in _COUNTS:
            counts[name] = int(fields[0])
    return CpuStat(cores, counts)


def parse_schedstat(text: str) -> dict[str, float]:
    """Return the seconds that tasks waited in the run queue of each core, from /proc/schedstat.

    Source: Documentation/scheduler/sched-stats.rst: the eighth number of a cpu line, in nanoseconds
    (versions 15 to 17 agree on it).
    """
    waits = {}
    for line in text.splitlines():
        fields = line.split()
        if fields and fields[0].startswith("cpu") and len(fields) > 8:
            waits[fields[0]] = int(fields[8]) / 1e9
    return waits


class SystemCpuWatch(Watch):
    """Session of the probe."""

    probe = "system_cpu"

    def sample(self, t_ns: int) -> list[Sample]:
        """Read /proc/stat, /proc/schedstat, /proc/loadavg and the pressure of cores."""
        stat = parse_stat(self.text("proc/stat"))
        figures = {
            (f"{state}_s", core): value
            for core, seconds in stat.cores.items()
            for state, value in zip(_STATES, seconds, strict=True)
        }
        figures |= {(_COUNTS[name], ""): count for name, count in stat.counts.items()}
        waits = parse_schedstat(self.text("proc/schedstat"))
        figures |= {("run_delay_s", core): waited_s for core, waited_s in waits.items()}
        if load := self.text("proc/loadavg"):
            figures["load_1m", ""] = float(load.split()[0])
        pressure = parse_pressure(self.text("proc/pressure/cpu"))
        if "some" in pressure:
            figures["stalled_s", ""] = pressure["some"]
        return self.samples(t_ns, figures)


fits = is_host
attach = on_host("proc/stat", SystemCpuWatch)
