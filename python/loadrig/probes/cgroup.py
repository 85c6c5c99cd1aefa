"""The limits that the server's control groups set, and how often it ran into them.

## What it reads

The groups of the server's root process, in v1 (cpu, cpuacct, memory, pids) or v2 form, and those
above them that set a limit: in a container the limit often stands one level up.

## How to read it

A group with a quota of 0.25 cores may run 25 ms in every 100 ms; then all its threads stand still
until the next period. `throttled_periods` over `periods` is how often that happened, `throttled_s`
for how long. Throttling alone is no verdict: look whether `usage_s` grows at the rate of the quota
and latency suffers. A CPU limit only slows; only a memory limit kills, and `oom_kills` counts it.
A group at its memory limit that is full of cached files is well until it has to read them back:
`memory_refaults` counts the pages that it had thrown out not long before.
Where the rig made a group for the server alone, `usage_s` is the server's exact CPU time, dead
workers included.

Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/; v2 counts in microseconds, v1 in
nanoseconds.

## Cost

0.4 ms of one core for a sample of a v1 group with three controllers.
Measured on Linux 6.18, Python 3.11.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import cgroups
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Event, Metric, Sample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_kernel import ProbesCgroupErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._groups import read_v1, read_v2
from loadrig.probes._session import Lost, Place, Session, Unavailable
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_program, process_of

ERRORS = texts_of(ProbesCgroupErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "usage_s": Metric(
        "s", "counter", "CPU time of the group, dead processes included.", otel="container.cpu.time"
    ),
    "user_s": Metric("s", "counter", "CPU time in user code."),
    "system_s": Metric("s", "counter", "CPU time in the kernel."),
    "quota_cores": Metric("cores", "gauge", "CPU time allowed per time, of a group with a limit."),
    "periods": Metric("1", "counter", "Periods in which the group wanted to run, of a group with a limit."),
    "throttled_periods": Metric("1", "counter", "Periods in which it used its quota up and stood still."),
    "throttled_s": Metric("s", "counter", "Time it stood still, summed over cores."),
    "stalled_cpu_s": Metric(
        "s", "counter", "Time in which a task of the group waited for a core (PSI some, v2)."
    ),
    "memory_bytes": Metric(
        "B", "gauge", "Memory charged to the group, file caches included.", otel="container.memory.usage"
    ),
    "memory_peak_bytes": Metric("B", "gauge", "Most memory since the group was made."),
    "memory_limit_bytes": Metric("B", "gauge", "Memory limit, of a group with one."),
    "memory_limit_hits": Metric("1", "counter", "How often the memory limit was run into."),
    "memory_refaults": Metric(
        "1",
        "counter",
        "Pages read back that had been thrown out for lack of memory, of a group with a limit.",
    ),
    "oom_kills": Metric("1", "counter", "Processes killed because the limit could not be kept."),
    "pids": Metric("1", "gauge", "Tasks in the group."),
    "pids_limit": Metric("1", "gauge", "Most tasks allowed, of a group with a limit."),
}


@dataclass(frozen=True, slots=True)
class Group:
    """A control group to read. controller: "cpu", "cpuacct", "memory", "pids" of v1, or UNIFIED."""

    controller: str
    folder: Path
    name: str


_LIMITS = ("quota_cores", "memory_limit_bytes", "pids_limit")


class CgroupWatch(Watch):
    """Session of the groups of a process. folders: by controller, as cgroups.of returns them."""

    probe = "cgroup"

    def __init__(self, folders: Mapping[str, Path], tops: Mapping[str, Path]) -> None:
        super().__init__()
        self.groups = list(_worth_reading(folders, tops))
        self._kills: dict[str, float] = {}

    def sample(self, t_ns: int) -> list[Sample]:
        """Read every group. Raises Lost when no group is there any more."""
        values: dict[tuple[str, str], float] = {}
        for group in self.groups:
            for metric, value in read_group(group).items():
                values[metric, group.name] = value
                if metric == "oom_kills":
                    self._note_kills(t_ns, group.name, value)
        if not values:
            raise Lost.of(ERRORS.groups_gone(), code="probe.no-cgroup")
        return self.samples(t_ns, values)

    def _note_kills(self, t_ns: int, name: str, kills: float) -> None:
        n = int(kills - self._kills.get(name, kills))
        if n > 0:
            text = event_words(SENTENCES.group_killed, n, name)
            self._events.append(Event.of(t_ns, "oom_kill", name, text, {"count": n}))
        self._kills[name] = kills


def read_group(group: Group) -> dict[str, float]:
    """Return the metrics of a group; none if the group is gone."""
    return (
        read_v2(group.folder)
        if group.controller == cgroups.UNIFIED
        else read_v1(group.controller, group.folder)
    )


def _worth_reading(folders: Mapping[str, Path], tops: Mapping[str, Path]) -> Iterator[Group]:
    """Yield the process's own groups, and those above them that set a limit.

    tops: where each tree is mounted.
    """
    v1 = [name for name in ("cpuacct", "cpu", "memory", "pids") if name in folders]
    # Where v1 controllers are in use the v2 tree beside them has no controllers.
    for controller in v1 or [name for name in (cgroups.UNIFIED,) if name in folders]:
        top = tops[controller]
        folder = folders[controller]
        while True:
            name = "/" if folder == top else f"/{folder.relative_to(top)}"
            group = Group(controller, folder, name)
            values = read_group(group)
            if values and (folder == folders[controller] or any(limit in values for limit in _LIMITS)):
                yield group
            if folder == top:
                break
            folder = folder.parent


fits = is_program


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable if its process is not known, or no groups can be read here."""
    del options, place
    folders = cgroups.of(process_of(component))
    tops = {
        name or cgroups.UNIFIED: mount.folder
        for mount in cgroups.mounts()
        for name in (mount.controllers if mount.version == 1 else ("",))
    }
    session = CgroupWatch(folders, tops)
    if not session.groups:
        raise Unavailable.of(ERRORS.no_group(), code="probe.no-cgroup")
    return session
