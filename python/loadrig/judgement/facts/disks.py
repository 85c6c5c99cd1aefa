"""Disks: who waits for one, how often data is made durable on it, and whose writing it carries."""

from collections.abc import Iterator
from dataclasses import replace

from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.track import Track

_WAITS = {
    "postgresql.waits": ("io:", "lwlock:wal"),
    "session_titles.sessions": ("committing",),
    "mariadb.sessions": ("commit",),
}
"""Words in the subjects of what a database's sessions wait for, by the series: such sessions wait for a
disk."""

FLUSHING_TOLD = 0.1
"""Share of the time that a disk makes data durable, 0 to 1, from which on that is told."""

LEAST_WRITTEN = 1_000_000.0
"""Bytes a second on all disks, below which it does not matter who writes them: any disk takes that."""


def waiting_for_disk(tier: Tier) -> Track | None:
    """Return the threads in state D, or a database's sessions that wait for I/O, whichever is more."""
    tracks = [
        track
        for name, words in _WAITS.items()
        for subject, track in tier.parts(name).items()
        if any(word in subject.lower() for word in words)
    ]
    if (in_disk_sleep := tier.track("process.threads", "state:D")) is not None:
        tracks.append(in_disk_sleep)
    sleeping = tier.track("process.threads", "state:S")
    if not tracks and sleeping is not None:
        # A state that no thread was ever seen in has no series.
        return replace(sleeping, subject="state:D", values=sleeping.values * 0)
    return max(tracks, key=lambda track: track.mean, default=None)


def flushing_disks(host: Tier) -> Iterator[tuple[Track, float]]:
    """Yield the disks of a machine that make data durable for a good part of the time.

    Each with that part of the time, and with its flushes a second.
    """
    for disk, flushing in host.parts("disks.flush_s").items():
        flushes = host.track("disks.flushes", disk)
        if flushes is not None and flushes.mean >= 1 and flushing.mean >= FLUSHING_TOLD:
            yield flushing, flushes.mean


def written(host: Tier, tier: Tier) -> tuple[float, float] | None:
    """Return the bytes a second that a program wrote, and those of all programs; None where these are few."""
    own = tier.track("process.disk_written_bytes", "tree")
    total = sum(track.mean for track in host.parts("disks.written_bytes").values())
    return None if own is None or total < LEAST_WRITTEN else (own.mean, total)
