"""Follower of one trial: what its growing files tell since the last look."""

import json
import math
import time
from collections import deque
from collections.abc import Mapping

import msgspec

from loadrig._native import Histogram
from loadrig.account import sentence
from loadrig.account.fullness import FULL_SHARE
from loadrig.account.recent import Recent
from loadrig.base.documents import plain
from loadrig.base.errors import RigError
from loadrig.following.document import (
    HappeningDocument,
    PartDocument,
    SecondDocument,
    TrialNewsDocument,
)
from loadrig.following.lights import RigLights
from loadrig.following.links import Links
from loadrig.following.seconds import NS, Seconds
from loadrig.following.tails import LineTail, SampleTail
from loadrig.following.tiers import TierUse
from loadrig.recording import documents, events, frame_document, hlog, manifest
from loadrig.recording.frame import Frame
from loadrig.recording.hlog import Tag
from loadrig.recording.layout import TrialFolder
from loadrig.recording.level_look import LOOK_KIND, LevelLook
from loadrig.recording.manifest_document import ManifestDocument

MANIFEST_EVERY_S = 2.0
"""Time between two readings of the manifest, in seconds: the map of components grows while a trial runs."""

ACCOUNT_EVERY_S = 2.0
"""Time between two accounts of the last seconds: each takes some 10 ms of a core."""

MOST_LOG_LINES = 200
"""Lines of the server's output that one look tells, at most: the newest."""

LONGEST_LOG_LINE = 500
"""Characters of a line of the server's output that are told."""

MOST_HAPPENINGS = 200
"""Events that one look tells, at most: the newest."""


class TrialFollower:
    """Follower of a trial's folder, which need not be there yet. number: the trial's number in its run.

    is_of_proof: whether it is a trial of the run's proof. is_by_route: whether times are kept by route.
    levels: looks at levels of a search, in order.
    """

    def __init__(
        self, folder: TrialFolder, number: int, *, is_of_proof: bool = False, is_by_route: bool = False
    ) -> None:
        self._folder, self._number, self._is_of_proof = folder, number, is_of_proof
        self._is_by_route = is_by_route
        self.levels: list[LevelLook] = []
        self._frames, self._latency = LineTail(folder.frames), LineTail(folder.latency)
        self._events, self._log = LineTail(folder.events), LineTail(folder.target_log)
        self._samples, self._tiers = SampleTail(folder.series_stream), TierUse(0)
        self._links, self._lights = Links(0), RigLights("", None)
        self._last: SecondDocument | None = None
        self._pending: dict[int, list[tuple[Tag, str]]] = {}
        self._manifest: ManifestDocument | None = None
        self._seconds: Seconds | None = None
        self._recent: Recent | None = None
        self._read_at_s = self._account_at_s = -math.inf
        self._account: tuple[tuple[PartDocument, ...], str] = ((), "")

    def look(self) -> TrialNewsDocument:
        """Return what is new; the first look tells what there has been so far."""
        self._read_manifest()
        manifest_now = self._manifest
        if manifest_now is None or self._seconds is None:
            return TrialNewsDocument(number=self._number, is_of_proof=self._is_of_proof)
        seconds = self._new_seconds()
        self._last = seconds[-1] if seconds else self._last
        self._take_samples()
        parts, sentence_now = self._parts()
        return TrialNewsDocument(
            number=self._number,
            is_of_proof=self._is_of_proof,
            address=manifest_now.address or "",
            model=manifest_now.load.model or "",
            seconds=tuple(seconds),
            outcomes=dict(self._seconds.outcomes),
            tiers=self._tiers.now(manifest_now),
            used=(*self._tiers.take_used(), *self._links.take_awaited(manifest_now.map)),
            links=self._links.now(manifest_now.map, self._last),
            lights=self._lights.now(),
            parts=parts,
            sentence=sentence_now,
            happenings=self._happenings(),
            log=tuple(_text(line) for line in self._log.more()[-MOST_LOG_LINES:]),
        )

    @property
    def times(self) -> Mapping[tuple[str, str], Histogram]:
        """Response times by route and outcome, since the trial began."""
        return self._seconds.by_route if self._seconds is not None else {}

    def close(self) -> None:
        """Close the files."""
        for tail in (self._frames, self._latency, self._events, self._log):
            tail.close()

    def _read_manifest(self) -> None:
        now_s = time.monotonic()
        if now_s - self._read_at_s < MANIFEST_EVERY_S:
            return
        try:
            self._manifest = manifest.read(self._folder)
        except RigError:  # not there yet, or of a loadrig to come
            return
        self._read_at_s = now_s
        if self._seconds is None:
            wall_ns = self._manifest.wall_ns - self._manifest.monotonic_ns
            self._seconds = Seconds(wall_ns, is_by_route=self._is_by_route)
            self._tiers, self._links = TierUse(wall_ns), Links(wall_ns)
            ceiling, model = self._manifest.calibration, self._manifest.load.model
            self._lights = RigLights(model or "", ceiling.per_second if ceiling else None)

    def _new_seconds(self) -> list[SecondDocument]:
        if self._seconds is None or self._manifest is None:
            return []
        # A frame is written after its histograms: those of all frames that are read now are in the log.
        frames = self._frames.more()
        self._take_histograms()
        seconds = []
        for line in frames:
            try:
                document = frame_document.decoded(line)
                start_ns = document.t_ns - self._manifest.monotonic_ns
                frame = Frame.of(document, dict(self._pending.pop(start_ns, [])))
                second = self._seconds.add(frame)
                self._lights.see(frame)
                self._see(frame)
            except (ValueError, RecursionError):  # no frame of ours: what follows may be
                continue
            if second is not None:
                self._lights.see_times(frame.end_ns, *self._seconds.times)
                seconds.append(second)
        return seconds

    def _take_histograms(self) -> None:
        """Keep the histograms of the log by the instant at which their frame begins."""
        for line in self._latency.more():
            try:
                tag, start_ns, _, encoded = hlog.parsed(line, 0)
            except ValueError:  # the header
                continue
            self._pending.setdefault(start_ns, []).append((tag, encoded))

    def _see(self, frame: Frame) -> None:
        """Give a frame to the account of the last seconds, as the generator had sent it."""
        assert self._manifest is not None
        if self._recent is None:
            facts = {"load": plain(self._manifest.load), "machine": plain(self._manifest.machine),
                     "address": self._manifest.address}  # fmt: skip
            try:
                self._recent = Recent(documents.read(self._folder.config), facts)
            except (OSError, RigError):
                self._recent = Recent(None, facts)
        self._recent.see(frame)

    def _take_samples(self) -> None:
        for component, sample in self._samples.more():
            self._tiers.add(component, sample)
            self._links.hear(component, sample)
            self._lights.hear(component, sample)
            if self._recent is not None:
                self._recent.hear([sample], component)

    def _parts(self) -> tuple[tuple[PartDocument, ...], str]:
        """Return the parts of a request in the last seconds, and the sentence on them."""
        now_s = time.monotonic()
        if self._recent is None or self._manifest is None or now_s - self._account_at_s < ACCOUNT_EVERY_S:
            return self._account
        self._account_at_s = now_s
        self._recent.know({"metrics": plain(self._manifest.metrics), "map": plain(self._manifest.map)})
        account = self._recent.account()
        if account is not None:
            workers = [slot.full_share or 0.0 for slot in account.slots.slots if slot.slot == "workers"]
            self._tiers.see_workers(are_full=max(workers, default=0.0) >= FULL_SHARE)
        if account is not None and account.is_seen:
            parts = sentence.parts(account)
            self._account = (
                tuple(
                    PartDocument(
                        state=part.words if part.state else "", share=part.share, seconds=part.ms / 1000
                    )
                    for part in parts
                ),
                sentence.sentence_of(account),
            )
        return self._account

    def _happenings(self) -> tuple[HappeningDocument, ...]:
        happenings: deque[HappeningDocument] = deque(maxlen=MOST_HAPPENINGS)
        origin_ns = self._manifest.wall_ns - self._manifest.monotonic_ns if self._manifest else 0
        for line in self._events.more():
            try:
                event = events.parsed(json.loads(line))
                if event.kind == LOOK_KIND:
                    self.levels.append(msgspec.convert(event.facts, LevelLook))
            except (KeyError, TypeError, ValueError):  # of a loadrig to come, or damaged
                continue
            t_s = round((origin_ns + event.t_ns) / NS, 3)
            text = event.text[:LONGEST_LOG_LINE]
            happenings.append(
                HappeningDocument(t_s=t_s, kind=event.kind, component=event.component, text=text)
            )
        return tuple(happenings)


def _text(line: bytes) -> str:
    return line.decode(errors="replace")[:LONGEST_LOG_LINE]
