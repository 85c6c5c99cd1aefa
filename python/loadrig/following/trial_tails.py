"""New content of the files of a trial: frames with their histograms, and events."""

import json
from collections import deque
from collections.abc import Iterator

import msgspec

from loadrig.following.document import HappeningDocument
from loadrig.following.seconds import NS
from loadrig.following.tails import LineTail
from loadrig.recording import events, frame_document, hlog
from loadrig.recording.frame import Frame
from loadrig.recording.hlog import Tag
from loadrig.recording.layout import TrialFolder
from loadrig.recording.level_look import LOOK_KIND, LevelLook
from loadrig.recording.manifest_document import ManifestDocument

MOST_HAPPENINGS = 200
"""Events that one look tells, at most: the newest."""

LONGEST_TEXT = 500
"""Characters of an event, or of a line of the server's output, that are told."""


class FrameTail:
    """Reader of the frames that a trial's folder gains."""

    def __init__(self, folder: TrialFolder) -> None:
        self._frames, self._latency = LineTail(folder.frames), LineTail(folder.latency)
        self._pending: dict[int, list[tuple[Tag, str]]] = {}

    def more(self, manifest: ManifestDocument) -> Iterator[Frame]:
        """Yield the frames that were written since the last call. What is no frame of ours is passed over."""
        # A frame is written after its histograms: those of all frames that are read now are in the log.
        lines = self._frames.more()
        self._take_histograms()
        for line in lines:
            try:
                document = frame_document.decoded(line)
                start_ns = document.t_ns - manifest.monotonic_ns
                frame = Frame.of(document, dict(self._pending.pop(start_ns, [])))
            except (ValueError, RecursionError):
                continue
            yield frame

    def _take_histograms(self) -> None:
        """Keep the histograms of the log by the instant at which their frame begins."""
        for line in self._latency.more():
            try:
                tag, start_ns, _, encoded = hlog.parsed(line, 0)
            except ValueError:  # the header
                continue
            self._pending.setdefault(start_ns, []).append((tag, encoded))

    def close(self) -> None:
        """Close the files. May be called twice."""
        self._frames.close()
        self._latency.close()


class EventTail:
    """Reader of the events that a trial's folder gains. levels: looks at levels of a search, in order."""

    def __init__(self, folder: TrialFolder) -> None:
        self._events = LineTail(folder.events)
        self.levels: list[LevelLook] = []

    def more(self, manifest: ManifestDocument) -> tuple[HappeningDocument, ...]:
        """Return the newest of the events that were written since the last call."""
        happenings: deque[HappeningDocument] = deque(maxlen=MOST_HAPPENINGS)
        origin_ns = manifest.wall_ns - manifest.monotonic_ns
        for line in self._events.more():
            try:
                event = events.parsed(json.loads(line))
                if event.kind == LOOK_KIND:
                    self.levels.append(msgspec.convert(event.facts, LevelLook))
            except (KeyError, TypeError, ValueError):  # of a loadrig to come, or damaged
                continue
            t_s = round((origin_ns + event.t_ns) / NS, 3)
            text = event.text[:LONGEST_TEXT]
            happenings.append(
                HappeningDocument(t_s=t_s, kind=event.kind, component=event.component, text=text)
            )
        return tuple(happenings)

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._events.close()
