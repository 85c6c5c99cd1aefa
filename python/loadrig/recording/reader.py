"""Reader of a trial's folder, sealed or not. Everything that follows a run starts here."""

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec.structs import replace

from loadrig._native import Histogram
from loadrig.base.documents import typed
from loadrig.base.series import Event
from loadrig.recording import documents, events, frame_document, manifest
from loadrig.recording.config_document import ConfigDocument
from loadrig.recording.frame import OWN_KINDS, ROUTE_KINDS, Frame
from loadrig.recording.hlog import ENGINE, LatencyLog, Tag
from loadrig.recording.layout import TrialFolder
from loadrig.recording.manifest_document import ImportedDocument, ManifestDocument
from loadrig.recording.thinning import WHOLE
from loadrig.recording.window import Window

if TYPE_CHECKING:  # imported only by who asks for series
    from loadrig.base.series import Key, Series

T = TypeVar("T")

__all__ = ["Frame", "Recording"]

MOST_KEPT = 32
"""Number of merged histograms that are kept for later calls; each is about 270 kB."""

FOREVER = 2**62

_last: "tuple[Hashable, Recording] | None" = None
"""Recording that was opened last, and the state of its folder then; None for one that was not sealed."""


class Recording:
    """Content of a trial's folder, read as it is asked for and never changed.

    A folder without SEALED is read up to the last whole line and batch: then `is_sealed` is False.
    Two recordings of the same folder say the same.
    """

    def __init__(self, folder: TrialFolder, manifest: ManifestDocument) -> None:
        self.folder = folder
        self.manifest = manifest
        self.is_sealed = folder.is_sealed
        self._histograms: OrderedDict[tuple[Any, ...], Histogram] = OrderedDict()
        self._remembered: dict[Hashable, object] = {}

    @classmethod
    def open(cls, path: Path) -> "Recording":
        """Open a trial's folder. Raises PlanError if it is not one, or of a later format.

        For the sealed folder that was opened last, and has not changed since, the same object is returned,
        with all that was worked out from it: a run's result and its report ask for the same figures.
        """
        global _last
        folder = TrialFolder(Path(path))
        state = _state(folder.path) if folder.is_sealed else None
        if state is None or _last is None or _last[0] != state:
            _last = (state, cls(folder, manifest.read(folder)))
        return _last[1]

    @property
    def path(self) -> Path:
        """The trial's folder."""
        return self.folder.path

    @cached_property
    def frames(self) -> list[Frame]:
        """The generator's frames in order, the drain's too. Raises PlanError `recording.broken`."""
        return list(self.each_frame())

    def each_frame(self) -> Iterator[Frame]:
        """Return the generator's frames in order, one in memory at a time. Raises as `frames`."""
        path = self.folder.frames if self.folder.frames.exists() else self.folder.packed_frames
        return map(Frame.of, frame_document.each(path))

    @property
    def imported(self) -> ImportedDocument | None:
        """Facts of another tool's results; None in a recording of loadrig's own.

        Such a tool counts from the send and says nothing of itself: there are service times and no response
        times, and frames without connections, CPU and requests due.
        """
        return self.manifest.imported

    @property
    def times_kind(self) -> str:
        """Kind of the times of answers: "response", or "service" where only that is known."""
        return "service" if self.imported else "response"

    @cached_property
    def measured(self) -> Window:
        """The measured window; the whole recording where it was cut short before it had one."""
        if (span := self.manifest.measured) is not None:
            return Window(span.from_ns, span.to_ns)
        if not self.frames:
            return Window(0, 0)
        # Begin a nanosecond earlier, for a first frame without length.
        return Window(self.frames[0].t_ns - 1, self.frames[-1].end_ns)

    @property
    def start_ns(self) -> int:
        """Instant from which requests could be due; that of the first frame where it is not known."""
        if self.manifest.start_ns is not None:
            return self.manifest.start_ns
        return self.frames[0].t_ns if self.frames else 0

    @cached_property
    def at_limit(self) -> "Recording | None":
        """Recording with another measured window: the time when the server was at its limit on purpose.

        None where it never was.
        """
        if self.manifest.limit is None:
            return None
        return Recording(self.folder, replace(self.manifest, measured=self.manifest.limit))

    @cached_property
    def inside(self) -> list[Frame]:
        """The frames of the measured window."""
        return self.measured.of(self.frames)

    @cached_property
    def config(self) -> ConfigDocument | None:
        """Configuration of the generator; None if it was never given one.

        Raises PlanError `recording.broken`.
        """
        try:
            config = documents.read(self.folder.config)
        except FileNotFoundError:
            return None
        return typed(ConfigDocument, config, str(self.folder.config))

    @cached_property
    def events(self) -> list[Event]:
        """Events, in order."""
        return events.read(self.folder.events)

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """Routes that were asked for, in the order of their first answer, and the class of each."""
        return {row.route: row.route_class for frame in self.frames for row in frame.routes}

    @property
    def routes(self) -> list[str]:
        """Names of the routes, logins among them."""
        return list(self.classes)

    def histogram(
        self,
        route: str | None = None,
        outcome: str | None = None,
        kind: str = "response",
        from_ns: int | None = None,
        to_ns: int | None = None,
        classes: tuple[str, ...] = ("service",),
    ) -> Histogram:
        """Return the summed histograms of the frames in a window; a copy that the caller may change.

        route: one route, or None for all of the classes. outcome: "ok", "failed" for all but ok, one outcome
        by its name, or None for all. kind: "response", "service", or one of the generator's own ("lag",
        "wait", "connect", "session"), for which route, outcome and classes have no meaning. from_ns, to_ns:
        as in Window; None for the whole recording.
        Raises ValueError for a kind that does not exist.
        """
        tags = self._tags(kind, route, outcome, classes)
        key = (tags, from_ns, to_ns)
        histogram = self._histograms.get(key)
        if histogram is None:
            histogram = self._merged(tags, from_ns, to_ns)
            self._histograms[key] = histogram
            if len(self._histograms) > MOST_KEPT:
                self._histograms.popitem(last=False)
        else:
            self._histograms.move_to_end(key)
        return histogram.copy()

    def histograms(
        self,
        edges_ns: Sequence[int],
        route: str | None = None,
        outcome: str | None = None,
        kind: str = "response",
        classes: tuple[str, ...] = ("service",),
    ) -> Iterator[Histogram]:
        """Return one histogram for each window between two neighbouring edges; arguments as of `histogram`.

        It is for callers that go through a recording step by step: nothing is kept for later calls.
        """
        tags = self._tags(kind, route, outcome, classes)
        for from_ns, to_ns in pairwise(edges_ns):
            yield self._merged(tags, from_ns, to_ns)

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returns, made once: neither a recording nor its consequences change.

        key: unique to the caller (its module's name and what it depends on).
        """
        if key not in self._remembered:
            self._remembered[key] = make()
        return cast("T", self._remembered[key])

    def series(
        self,
        probe: str | None = None,
        metric: str | None = None,
        subject: str | None = None,
        component: str | None = None,
    ) -> "dict[Key, Series]":
        """Return the series of probes by (component, probe, metric, subject); None stands for any."""
        wanted = (component, probe, metric, subject)
        return {
            key: series
            for key, series in self._series.items()
            if all(want in (None, part) for want, part in zip(wanted, key, strict=True))
        }

    @cached_property
    def _series(self) -> "dict[Key, Series]":
        from loadrig.recording import series_store

        return series_store.read(self.folder.series_stream, self.folder.series, self.manifest.metrics)

    @cached_property
    def _has_whole(self) -> bool:
        return any(tag.route == WHOLE for tag in self._latency.tags)

    @cached_property
    def _latency(self) -> LatencyLog:
        # Histograms of a frame that was not written to its end are left out with it.
        before_ns = self.frames[-1].t_ns - self.manifest.monotonic_ns + 1 if self.frames else -FOREVER
        return LatencyLog.open(self.folder.latency, before_ns)

    def _merged(self, tags: Iterable[Tag], from_ns: int | None, to_ns: int | None) -> Histogram:
        start = -FOREVER if from_ns is None else from_ns - self.manifest.monotonic_ns
        end = FOREVER if to_ns is None else to_ns - self.manifest.monotonic_ns
        return self._latency.merged(tags, start, end)

    def _tags(
        self, kind: str, route: str | None, outcome: str | None, classes: tuple[str, ...]
    ) -> tuple[Tag, ...]:
        if kind in OWN_KINDS:
            return (Tag(ENGINE, "", kind),)
        if kind not in ROUTE_KINDS:
            raise ValueError(f"there is no histogram of kind {kind!r}")
        # Of a long recording the sum of all routes of the service stands beside them, see thinning.
        is_whole = route is None and classes == ("service",) and self._has_whole
        return tuple(
            tag
            for tag in self._latency.tags
            if tag.kind == kind
            and (tag.route == WHOLE) == is_whole
            and route in (None, tag.route)
            and self.classes.get(tag.route, "service") in classes
            and (outcome in (None, tag.outcome) or (outcome == "failed" and tag.outcome != "ok"))
        )


def _state(folder: Path) -> Hashable:
    """Return a key that changes when a file of the folder changes, comes or goes; None where unknown.

    The trial's result is left out: it is made from the other files, and nobody reads a recording from it.
    """
    own = TrialFolder(folder).result.name
    try:
        with os.scandir(folder) as entries:
            entries_and_stats = [(entry.name, entry.stat()) for entry in entries if entry.name != own]
    except OSError:
        return None
    files = sorted((name, stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in entries_and_stats)
    return str(folder), tuple(files)
