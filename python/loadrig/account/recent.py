"""The last seconds of a trial that still runs, as a source of accounts.

It is fed frames and samples as they come.

Only what an account reads is kept, and no longer than it is needed, so the cost is that of the seconds shown.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any

from loadrig.account.load import load_of
from loadrig.account.read import server_of
from loadrig.account.trial_account import ComponentAccount, window
from loadrig.base.clock import NS
from loadrig.base.documents import typed
from loadrig.base.later import Later
from loadrig.base.series import Event, Key, Sample, Series
from loadrig.recording.config_document import ConfigDocument
from loadrig.recording.frame import OWN_KINDS, Frame
from loadrig.recording.hlog import ENGINE, Tag
from loadrig.recording.manifest import begun
from loadrig.recording.manifest_document import ManifestDocument
from loadrig.recording.window import Window

if TYPE_CHECKING:
    import numpy as np

    from loadrig._native import Histogram
else:
    np = Later("numpy")

LAST_S = 6.0
"""Length of the time that is shown, in seconds: a burst of looks at threads comes every 5 s."""

KEPT_S = LAST_S + 6.0
"""Time for which samples are kept, in seconds: a reading before the first step is needed, and one may be
late."""

PROBES = frozenset({"socket_stages", "thread_states", "process", "cgroup", "system_cpu"})
"""Probes that an account reads."""


class Recent:
    """Recording of the last seconds, fed by several threads. Implements AccountSource.

    config: the generator's configuration as it is written; None if not known. facts: the trial's load and
    machine. Method `know` adds the kinds of the series and the map, once they are known.
    """

    def __init__(self, config: Mapping[str, Any] | None, facts: Mapping[str, Any]) -> None:
        self.config = None if config is None else typed(ConfigDocument, config, "the trial")
        self._facts = begun(facts)
        self.manifest = typed(ManifestDocument, self._facts, "the trial")
        self.imported = None
        self.events: list[Event] = []
        self._frames: deque[Frame] = deque()
        self._samples: dict[Key, deque[tuple[int, float]]] = {}
        self._lock = Lock()

    def see(self, frame: Frame) -> None:
        """Add one frame of the generator, when it comes."""
        self._frames.append(frame)
        while self._frames[-1].end_ns - self._frames[0].end_ns > LAST_S * NS:
            self._frames.popleft()

    def hear(self, samples: Sequence[Sample], component: str) -> None:
        """Add samples of one component. Runs in the thread that took the samples."""
        with self._lock:
            for sample in samples:
                if sample.probe not in PROBES:
                    continue
                key = Key(component, sample.probe, sample.metric, sample.subject)
                readings = self._samples.setdefault(key, deque())
                readings.append((sample.t_ns, sample.value))
                while readings[-1][0] - readings[0][0] > KEPT_S * NS:
                    readings.popleft()

    def know(self, facts: Mapping[str, Any]) -> None:
        """Set what is known by now: `metrics` by their names, and the `map`."""
        self.manifest = typed(ManifestDocument, {**self._facts, **facts}, "the trial")

    def account(self) -> ComponentAccount | None:
        """Return the loaded server's account of these seconds.

        None where no request ended or nothing was seen.
        """
        load = load_of(self) if self._frames else None
        if load is None:
            return None
        whole = window([server_of(self, load)], load, load.is_measured)
        return None if whole is None else whole.server

    @property
    def frames(self) -> list[Frame]:
        """Frames of these seconds."""
        return list(self._frames)

    @property
    def measured(self) -> Window:
        """The window of these seconds, all of them measured."""
        frames = self.frames
        return Window(frames[0].t_ns - 1, frames[-1].end_ns) if frames else Window(0, 0)

    def series(self) -> dict[Key, Series]:
        """Return the series of the probes in these seconds."""
        with self._lock:
            newest = max((readings[-1][0] for readings in self._samples.values()), default=0)
            # A subject that was not read for so long has ended, such as a thread or a group of connections.
            ended = [key for key, readings in self._samples.items() if newest - readings[-1][0] > KEPT_S * NS]
            for key in ended:
                del self._samples[key]
            return {key: self._series(key, list(readings)) for key, readings in self._samples.items()}

    def _series(self, key: Key, readings: list[tuple[int, float]]) -> Series:
        metric = self.manifest.metrics.get(f"{key.probe}.{key.metric}")
        t_ns, values = zip(*readings, strict=True)
        return Series(
            np.array(t_ns, dtype=np.int64),
            np.array(values, dtype=np.float64),
            metric.unit if metric else "1",
            metric.kind if metric else "gauge",
        )

    def histograms(
        self,
        edges_ns: Sequence[int],
        route: str | None = None,
        outcome: str | None = None,
        kind: str = "response",
        classes: tuple[str, ...] = ("service",),
    ) -> Iterator["Histogram"]:
        """Return one histogram for each window between two neighbouring edges."""
        from loadrig._native import Histogram

        for from_ns, to_ns in pairwise(edges_ns):
            merged = Histogram()
            for frame in self._frames:
                if from_ns < frame.end_ns <= to_ns:
                    class_of = {row.route: row.route_class for row in frame.routes}
                    for tag, text in frame.histograms.items():
                        if _is_asked(tag, kind, route, outcome, classes, class_of):
                            merged.add(Histogram.decode(text))
            yield merged


def _is_asked(
    tag: Tag,
    kind: str,
    route: str | None,
    outcome: str | None,
    classes: tuple[str, ...],
    class_of: Mapping[str, str],
) -> bool:
    if tag.kind != kind:
        return False
    if kind in OWN_KINDS:
        return tag.route == ENGINE
    is_of = tag.route == route if route is not None else class_of.get(tag.route, "") in classes
    return is_of and outcome in (None, tag.outcome)
