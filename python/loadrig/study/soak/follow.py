"""Levels that could grow, out of samples as they come: the least of ever longer stretches of each process.

The same levels as those of a recording (`judgement.harms.leaks`), as far as they can be told while it is
made. The heap of a runtime with a collector is not: what its collections leave is told by its recording
alone, so a soak of such a server does not end early because nothing leaks.
"""

from collections import deque
from collections.abc import Mapping, Sequence

from loadrig.base.clock import NS
from loadrig.base.component import HOST, PROXY, Component
from loadrig.base.series import Sample
from loadrig.judgement.facts.memory import HEAPS
from loadrig.judgement.facts.readings import RequestCount
from loadrig.judgement.facts.slopes import COUNT_BLOCKS, OF_COUNTS, OF_MEMORY, Slopes, slopes
from loadrig.judgement.facts.tier import CACHES, DATABASES
from loadrig.judgement.soak.forecast import GrowthLimit
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudySoakFollowTexts
from loadrig.soaking.keeping import Keeping
from loadrig.soaking.stop import Stakes

TEXTS = texts_of(StudySoakFollowTexts)

MEMORY = "memory"
COUNTS: Mapping[str, tuple[str, str, str]] = {
    "fds": (TEXTS.open_descriptors, "descriptors", TEXTS.limit_descriptors),
    "threads": ("threads", "pids", TEXTS.most_tasks_control),
}
"""Things that are counted, by metric of the process probe: its words, the name of its limit, and that limit's
words."""

LEAST_COUNT = 1e-5
"""Least growth of descriptors or threads with each request that matters: one in a hundred thousand."""

MOST_WAITING = 200_000
"""Most samples that wait between two frames: a generator that is held up sends no frames."""


class Following:
    """Levels of one soak, followed as samples come.

    `hear` may be called from any thread, all else from the trial's.
    """

    def __init__(self) -> None:
        self._heard: deque[tuple[str, Sample]] = deque(maxlen=MOST_WAITING)
        self._served = Keeping()
        self._levels: dict[tuple[str, str], Keeping] = {}
        self._in_trees: dict[str, Keeping] = {}
        self.requests = 0.0

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Take samples of one component; they are looked at with the next frame."""
        self._heard.extend(
            (component, sample)
            for sample in samples
            if sample.probe == "process"
            and (sample.metric in COUNTS or sample.metric in ("pss_bytes", "rss_bytes"))
        )

    def see(self, t_ns: int, requests: int, begins_ns: int) -> None:
        """Take the requests that ended by an instant. begins_ns: of what is measured."""
        while self._heard:
            component, sample = self._heard.popleft()
            if sample.t_ns >= begins_ns:
                self._take(component, sample, (sample.t_ns - begins_ns) / NS)
        if t_ns >= begins_ns:
            self.requests += requests
            self._served.served((t_ns - begins_ns) / NS, self.requests)

    def _take(self, component: str, sample: Sample, t_s: float) -> None:
        if sample.metric == "pss_bytes" and sample.subject.startswith("pid:"):
            self._levels.setdefault((component, MEMORY), Keeping()).read(t_s, sample.subject, sample.value)
        elif sample.subject != "tree":
            return
        elif sample.metric == "rss_bytes":
            self._in_trees.setdefault(component, Keeping()).read(t_s, sample.subject, sample.value)
        elif sample.metric in COUNTS:
            self._levels.setdefault((component, sample.metric), Keeping()).read(
                t_s, sample.subject, sample.value
            )

    def levels(self, components: Sequence[Component]) -> dict[str, Slopes]:
        """Return what each level says so far, by its name."""
        served = self._served.so_far()
        if served is None:
            return {}
        slopes_by_level = {}
        for component in _followed(components):
            memory = self._levels.get((component.name, MEMORY)) or self._in_trees.get(component.name)
            if component.runtime in HEAPS:
                slopes_by_level[f"{component.name} {MEMORY}"] = Slopes("unsure")
            elif memory is not None:
                slopes_by_level[f"{component.name} {MEMORY}"] = _judged(memory, served, is_count=False)
            for metric, (what, _, _) in COUNTS.items():
                count = self._levels.get((component.name, metric))
                if count is not None:
                    slopes_by_level[f"{component.name} {what}"] = _judged(count, served, is_count=True)
        return slopes_by_level

    def stakes(self, components: Sequence[Component]) -> dict[str, Stakes]:
        """Return what would matter of each level, by its name."""
        stakes_by_level = {}
        for component in _followed(components):
            if "memory_bytes" in component.limits:
                limit = GrowthLimit(component.limits["memory_bytes"], "its memory limit")
                stakes_by_level[f"{component.name} {MEMORY}"] = Stakes(limit=limit)
            for what, name, in_words in COUNTS.values():
                most = GrowthLimit(component.limits[name], in_words, "") if name in component.limits else None
                stakes_by_level[f"{component.name} {what}"] = Stakes(a_request=LEAST_COUNT, limit=most)
        return stakes_by_level


def _followed(components: Sequence[Component]) -> list[Component]:
    """Return the programs that hold no data for others."""
    kinds = {HOST, PROXY, *CACHES, *DATABASES}
    return [component for component in components if component.kind not in kinds]


def _judged(keeping: Keeping, served: RequestCount, *, is_count: bool) -> Slopes:
    if is_count:
        return slopes(keeping.readings(), served, OF_COUNTS, COUNT_BLOCKS)
    return slopes(keeping.readings(), served, OF_MEMORY)
