"""Use of each component, from the samples of the probes."""

from collections.abc import Mapping
from typing import Literal

from loadrig.account.fullness import FULL_SHARE, Fullness, FullResource
from loadrig.base.component import HOST, SERVER
from loadrig.base.series import Sample
from loadrig.following.document import TierDocument, UsedDocument
from loadrig.recording.manifest_document import ManifestDocument
from loadrig.recording.service_map import MapComponent

NS = 1_000_000_000

LEAST_NS = NS // 2
"""Time between two readings of the CPU time, at least, for a rate: clocks of the kernel tick 100 times a
second."""

TREE = "tree"
"""Subject of a series that is of a process and its children together."""


class TierUse:
    """Reader of samples, which tells what each component uses.

    wall_ns: wall time of the zero of the samples' clock, in ns since 1970.
    """

    def __init__(self, wall_ns: int) -> None:
        self._wall_ns = wall_ns
        self._before: dict[tuple[str, str], tuple[int, float]] = {}
        self._cores: dict[str, float] = {}
        self._memory: dict[str, float] = {}
        self._idle: dict[str, float] = {}
        self._used: list[UsedDocument] = []
        self._fullness, self._heard_ns = Fullness(), 0
        self._has_full_workers = False

    def add(self, component: str, sample: Sample) -> None:
        """Add a sample of a component, of any probe."""
        self._fullness.hear((sample,), component)
        self._heard_ns = max(self._heard_ns, sample.t_ns)
        if sample.probe == "process" and sample.subject == TREE:
            if sample.metric == "cpu_s":
                if (cores := self._rate(component, sample)) is not None:
                    self._use(component, sample.t_ns, cores)
            elif sample.metric == "rss_bytes":
                self._memory[component] = sample.value
        elif sample.probe == "system_cpu" and sample.metric == "idle_s" and component == HOST:
            self._add_idle(sample)

    def _add_idle(self, sample: Sample) -> None:
        idle = self._rate(HOST, sample)
        if idle is None:
            return
        is_whole = sample.subject in self._idle  # all cores have been read since
        if is_whole:
            self._use(HOST, sample.t_ns, sum(1 - each for each in self._idle.values()))
            self._idle.clear()
        self._idle[sample.subject] = min(1.0, idle)

    def _rate(self, component: str, sample: Sample) -> float | None:
        """Return the growth a second since the reading before; None where there is none yet."""
        key = (component, sample.subject)
        before = self._before.get(key)
        if before is not None and sample.t_ns - before[0] < LEAST_NS:
            return None
        self._before[key] = (sample.t_ns, sample.value)
        if before is None:
            return None
        return max(0.0, (sample.value - before[1]) / (sample.t_ns - before[0]) * NS)

    def _use(self, component: str, t_ns: int, cores: float) -> None:
        self._cores[component] = cores
        self._used.append(
            UsedDocument(name=component, t_s=round((self._wall_ns + t_ns) / NS, 3), cores=round(cores, 4))
        )

    def see_workers(self, *, are_full: bool) -> None:
        """Take whether each worker of the loaded server holds a request nearly all of the time."""
        self._has_full_workers = are_full

    def take_used(self) -> tuple[UsedDocument, ...]:
        """Return what was used since the last call, in the order of the samples."""
        used, self._used = tuple(self._used), []
        return used

    def now(self, manifest: ManifestDocument) -> tuple[TierDocument, ...]:
        """Return the components that were seen, the host last. manifest: what is known of them by now."""
        components = {each.name: each for each in manifest.map.components} if manifest.map else {}
        host_cores = manifest.machine.cores if manifest.machine else None
        names = [name for name in dict.fromkeys([*components, *self._cores]) if name != HOST]
        tiers = []
        for name in (*names, *([HOST] if HOST in self._cores else [])):
            component = components.get(name)
            limits: Mapping[str, float] = component.limits if component else {}
            allowed = [float(len(component.cpus))] if component and component.cpus else []
            allowed += [limits["cores"]] if "cores" in limits else []
            most = float(host_cores) if name == HOST and host_cores else min(allowed, default=None)
            tiers.append(
                TierDocument(
                    name=name,
                    kind=component.kind if component else HOST if name == HOST else "",
                    cores=self._cores.get(name),
                    cores_most=most,
                    memory_bytes=self._memory.get(name),
                    full=self._full(name, component, most) or "",
                )
            )
        return tuple(tiers)

    def _full(
        self, name: str, component: MapComponent | None, most: float | None
    ) -> FullResource | Literal["workers"] | None:
        if name == SERVER and self._has_full_workers:
            return "workers"
        if component is not None and name != HOST:
            return self._fullness.full(component, self._heard_ns)
        is_full = most is not None and self._cores.get(name, 0.0) >= FULL_SHARE * most
        return "cores" if is_full else None
