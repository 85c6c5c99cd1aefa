"""Disks: who waits for one, how often data is made durable on it, and whose writing it carries."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from loadrig.judgement.constants import MOSTLY, TRACE_BYTES
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.observed import machine
from loadrig.judgement.facts.routes import heaviest
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.judgement.facts.work import works_of

_WAITS = {
    "postgresql.waits": ("io:", "lwlock:wal"),
    "session_titles.sessions": ("committing",),
    "mariadb.sessions": ("commit",),
}
"""Words in the subjects of what a database's sessions wait for, by the series: such sessions wait for a
disk."""

FLUSHING_TOLD = 0.1
"""Share of the time that a disk makes data durable, 0 to 1, from which on that is told."""

FLUSHED = 0.5
"""Times that a disk makes data durable for each request of a route, from which on requests do so themselves:
what a system or a database does by and by comes some times a second."""

OF_A_ROUTE = 0.02
"""Highest chance, 0 to 1, with which flushes are put down to a route: that its program writes what is
written, and that requests wait meanwhile, must show besides."""

FLUSHED_ALONE = 0.9
"""Flushes of the disk for each request of a route from which on no two requests share one."""

EACH_REQUEST = "each request"
"""Detail of a finding: requests make data durable, each by itself."""

OWN_WRITING = 0.4
"""Share of what is written on all disks, 0 to 1, from which on a program's own writing keeps them busy: with
each small write that is made durable a file system's journal writes as much again, and some more."""

FAR_LESS = 0.1
"""Bytes that a program writes over those that it reads, below which it waits for what it reads."""


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


def flushes_each(case: Case, host: Tier) -> float:
    """Return how many times disks make data durable for a request of the route that asks most for it."""
    disks = host.parts("disks.flushes").values()
    if not disks or case.load.ended_rps <= 0:
        return 0.0
    route = heaviest(case, sum((disk.values for disk in disks), np.zeros(case.seconds.size)), OF_A_ROUTE)
    return max(sum(disk.mean for disk in disks) / case.load.ended_rps, route.amount if route else 0.0)


def durable_share(case: Case, tier: Tier) -> float | None:
    """Return the share of a request that making data durable takes, 0 to 1; None where requests do not.

    Of the time in which a request waits for no turn: it waits for the disk, and files in the kernel take
    CPU time.
    """
    host, component = machine(tier), case.account_of(tier.name)
    own, total = written(host, tier) or (0.0, 0.0)
    if component is None or own < OWN_WRITING * total or total <= 0:
        return None
    if flushes_each(case, host) < FLUSHED:
        return None
    disk, running = disk_s(case, tier), running_s(case, tier)
    return (disk + _files_share(case, tier) * running) / (disk + running) if disk > 0 else None


def gain_of_turns(case: Case, tier: Tier) -> float:
    """Return how many times as many requests go through where none makes data durable while others wait.

    Whoever has the turn keeps it for so much less long. It is as many as the cores bear at most, at the CPU
    time that is left of a request: others on these cores are another matter.
    """
    share = durable_share(case, tier)
    if share is None or tier.cpu is None or not tier.cpu.mean > 0:
        return 1.0
    of_cores = tier.cores / max(1e-9, tier.cpu.mean * (1 - _files_share(case, tier)))
    return max(1.0, min(1 / max(1e-9, 1 - share), of_cores))


def _files_share(case: Case, tier: Tier) -> float:
    """Return the share of a program's CPU time that the kernel takes for files, 0 to 1."""
    return next((work.share for work in works_of(case, tier) if work.work == "kernel_file"), 0.0)


def are_flushed_in_turn(case: Case, name: str) -> bool:
    """Return whether requests make their data durable one after the other, and mostly wait for their turn.

    Those that write at the same time are mostly made durable together, with fewer flushes than requests.
    """
    component, host = case.account_of(name), machine(case.tiers[name])
    if component is None or flushes_each(case, host) < FLUSHED_ALONE:
        return False
    return component.ms_in("inside") >= MOSTLY * component.total_ms


def waiting_for_turn(case: Case, tier: Tier) -> float | None:
    """Return how many requests wait for others to have made theirs durable; None where they take no turns."""
    if durable_share(case, tier) is None or not are_flushed_in_turn(case, tier.name):
        return None
    return _seconds_in(case, tier, "inside") * case.load.ended_rps


def mostly_reads(tier: Tier) -> bool:
    """Return whether a program reads far more from its disks than it writes: it waits for what it reads."""
    read, own = (tier.track(f"process.disk_{what}_bytes", "tree") for what in ("read", "written"))
    if read is None or read.mean < TRACE_BYTES:
        return False
    return (own.mean if own is not None else 0.0) < FAR_LESS * read.mean


def disk_s(case: Case, tier: Tier) -> float:
    """Return the seconds of a request in which it waits for a disk; 0 where that was not seen."""
    return _seconds_in(case, tier, "disk")


def running_s(case: Case, tier: Tier) -> float:
    """Return the seconds of a request in which it is on a core; 0 where that was not seen."""
    return _seconds_in(case, tier, "running")


def _seconds_in(case: Case, tier: Tier, state: str) -> float:
    component = case.account_of(tier.name)
    return 0.0 if component is None else component.ms_in(state) / 1e3


def written(host: Tier, tier: Tier) -> tuple[float, float] | None:
    """Return the bytes a second that a program wrote, and those of all programs; None where these are few."""
    own = tier.track("process.disk_written_bytes", "tree")
    total = sum(track.mean for track in host.parts("disks.written_bytes").values())
    return None if own is None or total < TRACE_BYTES else (own.mean, total)
