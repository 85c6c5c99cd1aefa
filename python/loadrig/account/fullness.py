"""Fullness of a program: whether it has nearly used up its cores, its quota or its interpreter."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loadrig.base.clock import NS
from loadrig.base.component import Component
from loadrig.base.series import Sample

if TYPE_CHECKING:  # its documents take a while to import, and the first request does not wait
    from loadrig.recording.service_map import MapComponent

FULL_SHARE = 0.9
"""Share of a core, a quota or all cores from which on it is nearly full: a request then waits nine times as
long as it is served (M/M/1), and a reading of a second is seldom higher, as machines have other work too."""

LEAST_S = 0.9
"""Seconds for which something must have been nearly full: one reading of the probes, without their jitter."""

STALE_S = 3.0
"""Seconds after the last reading of a program from which on nothing is known of it: its probes are held
up."""

ONE_AT_A_TIME = frozenset({"cpython", "node"})
"""Runtimes whose processes run one thread of the program's code at a time."""

FullResource = Literal["quota", "cores", "process", "thread", "waiting"]
"""Resource that is nearly full: the CPU quota, all cores, the core of one process (of its interpreter), the
core of one thread; `waiting`: cores that others use, for which threads wait."""

IN_ORDER: tuple[FullResource, ...] = ("quota", "cores", "process", "thread", "waiting")
"""Resources in the order in which one of several is told."""

WAITING_SHARE = 0.5
"""Ratio of time waited for a core to time run. From it on a program's cores are full, whoever uses them."""

SOME_CORES = 0.2
"""Cores that a program must use before its waits tell anything: an idle program waits as long as it works."""

MAIN_SHARE = 0.5
"""Share of its cores, 0 to 1, that a program must use itself before its waits for more cores make them
full."""

COUNTERS = {"process": ("cpu_s", "run_delay_s"), "thread_states": ("thread_cpu_s", "thread_run_delay_s")}
"""Series that are read, by probe: seconds of CPU time, or seconds waited for a core, since the probe was
attached."""


@dataclass(slots=True)
class _Counter:
    """A series as it was last read.

    rate: seconds a second since the reading before; None after one reading.
    """

    t_ns: int
    value: float
    rate: float | None = None


class Fullness:
    """Follower of all samples of a trial, in the threads that bring them, which tells what is nearly full."""

    def __init__(self) -> None:
        self._counters: dict[str, dict[tuple[str, str], _Counter]] = {}
        self._since_ns: dict[tuple[str, str], int] = {}
        self._heard_ns: dict[str, int] = {}
        self._before_ns: dict[str, int] = {}

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Add samples that the probes have read of a component."""
        counters = self._counters.setdefault(component, {})
        for sample in samples:
            if sample.metric not in COUNTERS.get(sample.probe, ()):
                continue
            key = (sample.metric, sample.subject)
            last = counters.get(key)
            if last is not None and sample.t_ns <= last.t_ns:
                continue
            rate = None if last is None else (sample.value - last.value) / ((sample.t_ns - last.t_ns) / NS)
            counters[key] = _Counter(sample.t_ns, sample.value, rate)
            if sample.t_ns > self._heard_ns.get(component, -1):
                self._before_ns[component] = self._heard_ns.get(component, sample.t_ns)
                self._heard_ns[component] = sample.t_ns

    def has_heard(self, component: str) -> bool:
        """Return whether any probe has read the CPU time of a component."""
        return component in self._heard_ns

    def full(self, component: "Component | MapComponent", t_ns: int) -> FullResource | None:
        """Return the resource of a component that has been nearly full for long enough.

        None where there is none.

        t_ns: now, on the rig's clock.
        """
        # Another thread writes meanwhile: each copy is of one moment, and a rate is never half written.
        heard_ns = self._heard_ns.get(component.name, 0)
        is_known = component.name in self._heard_ns and t_ns - heard_ns <= STALE_S * NS
        rates = {
            key: counter.rate
            for key, counter in list(self._counters.get(component.name, {}).items())
            if counter.rate is not None and heard_ns - counter.t_ns <= STALE_S * NS
        }
        now = set(_full(component, rates)) if is_known else set()
        for what in IN_ORDER:
            key = (component.name, what)
            if what not in now:
                self._since_ns.pop(key, None)
                continue
            # A rate is of the time before its reading.
            since_ns = self._since_ns.setdefault(key, self._before_ns[component.name])
            if t_ns - since_ns >= LEAST_S * NS:
                return what
        return None


def _full(
    component: "Component | MapComponent", rates: Mapping[tuple[str, str], float]
) -> Iterable[FullResource]:
    """Return the resource that is full by the last readings."""
    ran = rates.get(("cpu_s", "tree"), 0.0)
    quota = component.limits.get("cores")
    cores = min(filter(None, (quota, len(component.cpus) or os.cpu_count() or 1)))
    delay = rates.get(("run_delay_s", "tree"), 0.0)
    # A thread that waits for a core has work just as one that runs: others took the core meanwhile.
    if ran >= MAIN_SHARE * cores and ran + delay >= FULL_SHARE * cores:
        yield "quota" if quota is not None and quota <= cores else "cores"
    wanted = 1 + delay / ran if ran >= SOME_CORES else 1.0
    alone = [rate for (metric, subject), rate in rates.items() if metric == "cpu_s" and subject != "tree"]
    if component.runtime in ONE_AT_A_TIME and max(alone, default=0.0) * wanted >= FULL_SHARE:
        yield "process"
    threads = [
        rate + rates.get(("thread_run_delay_s", subject), 0.0)
        for (metric, subject), rate in rates.items()
        if metric == "thread_cpu_s" and rate >= SOME_CORES
    ]
    if max(threads, default=0.0) >= FULL_SHARE:
        yield "thread"
    if ran >= SOME_CORES and delay >= WAITING_SHARE * ran:
        yield "waiting"
