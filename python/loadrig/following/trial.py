"""Follower of one trial: what its growing files tell since the last look."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from loadrig._native import Histogram
from loadrig.base.errors import RigError
from loadrig.following.document import SecondDocument, TrialNewsDocument
from loadrig.following.lights import RigLights
from loadrig.following.links import Links
from loadrig.following.recent_parts import RecentParts
from loadrig.following.seconds import Seconds
from loadrig.following.tails import LineTail, SampleTail
from loadrig.following.tiers import TierUse
from loadrig.following.trial_tails import LONGEST_TEXT, EventTail, FrameTail
from loadrig.recording import manifest
from loadrig.recording.layout import TrialFolder
from loadrig.recording.level_look import LevelLook
from loadrig.recording.manifest_document import ManifestDocument

MANIFEST_EVERY_S = 2.0
"""Time between two readings of the manifest, in seconds: the map of components grows while a trial runs."""

MOST_LOG_LINES = 200
"""Lines of the server's output that one look tells, at most: the newest."""


@dataclass(frozen=True, slots=True)
class TrialSums:
    """Sums over a trial since it began: its seconds, and the use of tiers, links and rig."""

    seconds: Seconds
    tiers: TierUse
    links: Links
    lights: RigLights

    @classmethod
    def begun(cls, facts: ManifestDocument, *, is_by_route: bool) -> Self:
        """Return the sums of a trial of which nothing has been seen but the manifest."""
        wall_ns = facts.wall_ns - facts.monotonic_ns
        ceiling, model = facts.calibration, facts.load.model
        return cls(
            Seconds(wall_ns, is_by_route=is_by_route),
            TierUse(wall_ns),
            Links(wall_ns),
            RigLights(model or "", ceiling.per_second if ceiling else None),
        )


class TrialFollower:
    """Follower of a trial's folder, which need not be there yet. number: the trial's number in its run.

    is_of_proof: whether it is a trial of the run's proof. is_by_route: whether times are kept by route.
    """

    def __init__(
        self, folder: TrialFolder, number: int, *, is_of_proof: bool = False, is_by_route: bool = False
    ) -> None:
        self._folder, self._number, self._is_of_proof = folder, number, is_of_proof
        self._is_by_route = is_by_route
        self._frames, self._events = FrameTail(folder), EventTail(folder)
        self._samples, self._log = SampleTail(folder.series_stream), LineTail(folder.target_log)
        self._parts = RecentParts(folder.config)
        self._manifest: ManifestDocument | None = None
        self._read_at_s = -math.inf
        self._sums: TrialSums | None = None
        self._last: SecondDocument | None = None

    def look(self) -> TrialNewsDocument:
        """Return what is new; the first look tells what there has been so far."""
        self._read_manifest()
        facts, sums = self._manifest, self._sums
        if facts is None or sums is None:
            return TrialNewsDocument(number=self._number, is_of_proof=self._is_of_proof)
        counted_to_s = sums.seconds.to_s
        seconds = self._new_seconds(facts, sums)
        self._last = seconds[-1] if seconds else self._last
        self._take_samples(sums)
        self._parts.look(facts, sums.tiers)
        return TrialNewsDocument(
            number=self._number,
            is_of_proof=self._is_of_proof,
            address=facts.address or "",
            model=facts.load.model or "",
            seconds=tuple(seconds),
            outcomes=dict(sums.seconds.outcomes),
            counted_to_s=sums.seconds.to_s,
            has_counted=sums.seconds.to_s > counted_to_s,
            tiers=sums.tiers.now(facts),
            used=(*sums.tiers.take_used(), *sums.links.take_awaited(facts.map)),
            links=sums.links.now(facts.map, self._last),
            lights=sums.lights.now(),
            parts=self._parts.parts,
            sentence=self._parts.sentence,
            happenings=self._events.more(facts),
            log=tuple(_text(line) for line in self._log.more()[-MOST_LOG_LINES:]),
        )

    @property
    def times(self) -> Mapping[tuple[str, str], Histogram]:
        """Response times by route and outcome, since the trial began."""
        return self._sums.seconds.by_route if self._sums is not None else {}

    @property
    def levels(self) -> Sequence[LevelLook]:
        """Looks at levels of a search, in order."""
        return self._events.levels

    def close(self) -> None:
        """Close the files."""
        for tail in (self._frames, self._events, self._log):
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
        self._sums = self._sums or TrialSums.begun(self._manifest, is_by_route=self._is_by_route)

    def _new_seconds(self, facts: ManifestDocument, sums: TrialSums) -> list[SecondDocument]:
        seconds = []
        for frame in self._frames.more(facts):
            try:
                second = sums.seconds.add(frame)
                sums.lights.see(frame)
                self._parts.see(frame, facts)
            except ValueError:  # a histogram that cannot be read: what follows may be
                continue
            if second is not None:
                sums.lights.see_times(frame.end_ns, *sums.seconds.times)
                seconds.append(second)
        return seconds

    def _take_samples(self, sums: TrialSums) -> None:
        for component, sample in self._samples.more():
            sums.tiers.add(component, sample)
            sums.links.hear(component, sample)
            sums.lights.hear(component, sample)
            self._parts.hear(component, sample)


def _text(line: bytes) -> str:
    return line.decode(errors="replace")[:LONGEST_TEXT]
