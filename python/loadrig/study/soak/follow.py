"""What could grow, out of samples as they come: the least of ever longer stretches of each process.

The same levels as those of a recording (soaking.levels), as far as they can be told while it is made. The
heap of a runtime with a collector is not: what its collections leave is told by its recording alone, so a
soak of such a server does not end early because nothing leaks.
"""

from collections import deque
from collections.abc import Mapping, Sequence

from loadrig.base.component import HOST, PROXY, Component
from loadrig.base.series import Sample
from loadrig.findings.tier import CACHES, DATABASES
from loadrig.soaking.forecast import Limit
from loadrig.soaking.keeping import Keeping
from loadrig.soaking.levels import HEAPS
from loadrig.soaking.served import Served
from loadrig.soaking.shape import BLOCKS
from loadrig.soaking.slopes import COUNT_BLOCKS, OF_COUNTS, OF_MEMORY, Slopes, slopes
from loadrig.soaking.stop import Stakes

NS = 1_000_000_000

MEMORY = "memory"
COUNTS: Mapping[str, tuple[str, str, str]] = {
    "fds": ("open descriptors", "descriptors", "its limit of descriptors"),
    "threads": ("threads", "pids", "the most tasks of its control group"),
}
"""By metric of the process probe: what it is in words, the limit that it has, and that in words."""

LEAST_COUNT = 1e-5
"""Of descriptors and threads with each request: less is one in a hundred thousand."""

MOST_WAITING = 200_000
"""Samples between two frames: a generator that is held up sends none."""


class Following:
    """Follows one soak. `hear` may be called from any thread, all else from the trial's."""

    def __init__(self) -> None:
        self._heard: deque[tuple[str, Sample]] = deque(maxlen=MOST_WAITING)
        self._served = Keeping()
        self._levels: dict[tuple[str, str], Keeping] = {}
        self._in_trees: dict[str, Keeping] = {}
        self.requests = 0.0

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Samples of one component; they are looked at with the next frame."""
        self._heard.extend(
            (component, one)
            for one in samples
            if one.probe == "process" and (one.metric in COUNTS or one.metric in ("pss_bytes", "rss_bytes"))
        )

    def see(self, t_ns: int, requests: int, begins_ns: int) -> None:
        """So many requests ended by an instant. begins_ns: of what is measured."""
        while self._heard:
            component, one = self._heard.popleft()
            if one.t_ns >= begins_ns:
                self._take(component, one, (one.t_ns - begins_ns) / NS)
        if t_ns >= begins_ns:
            self.requests += requests
            self._served.served((t_ns - begins_ns) / NS, self.requests)

    def _take(self, component: str, one: Sample, t_s: float) -> None:
        if one.metric == "pss_bytes" and one.subject.startswith("pid:"):
            self._levels.setdefault((component, MEMORY), Keeping()).read(t_s, one.subject, one.value)
        elif one.subject != "tree":
            return
        elif one.metric == "rss_bytes":
            self._in_trees.setdefault(component, Keeping()).read(t_s, one.subject, one.value)
        elif one.metric in COUNTS:
            self._levels.setdefault((component, one.metric), Keeping()).read(t_s, one.subject, one.value)

    def levels(self, components: Sequence[Component]) -> dict[str, Slopes]:
        """What each level says so far, by its name."""
        served = self._served.so_far()
        if served is None:
            return {}
        found = {}
        for one in _followed(components):
            memory = self._levels.get((one.name, MEMORY)) or self._in_trees.get(one.name)
            if one.runtime in HEAPS:
                found[f"{one.name} {MEMORY}"] = Slopes("unsure")
            elif memory is not None:
                found[f"{one.name} {MEMORY}"] = _judged(memory, served, is_count=False)
            for metric, (what, _, _) in COUNTS.items():
                count = self._levels.get((one.name, metric))
                if count is not None:
                    found[f"{one.name} {what}"] = _judged(count, served, is_count=True)
        return found

    def stakes(self, components: Sequence[Component]) -> dict[str, Stakes]:
        """What would matter of each level, by its name."""
        found = {}
        for one in _followed(components):
            if "memory_bytes" in one.limits:
                limit = Limit(one.limits["memory_bytes"], "its memory limit")
                found[f"{one.name} {MEMORY}"] = Stakes(limit=limit)
            for what, name, said in COUNTS.values():
                most = Limit(one.limits[name], said, "") if name in one.limits else None
                found[f"{one.name} {what}"] = Stakes(a_request=LEAST_COUNT, limit=most)
        return found


def _followed(components: Sequence[Component]) -> list[Component]:
    """Programs that hold no data for others."""
    others = {HOST, PROXY, *CACHES, *DATABASES}
    return [one for one in components if one.kind not in others]


def _judged(keeping: Keeping, served: Served, *, is_count: bool) -> Slopes:
    if is_count:
        return slopes(keeping.readings(), served, OF_COUNTS, COUNT_BLOCKS)
    return slopes(keeping.readings(), served, OF_MEMORY, BLOCKS)
