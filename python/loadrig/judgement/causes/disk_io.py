"""A program waits for a disk: for what it reads, or until what it wrote is durable (fsync).

## Signature

Threads of the program stand in uninterruptible sleep (state D), or a database says that its sessions wait
for I/O; somebody waits for a disk for a good part of the time (PSI); and its CPU is not what is used up.

## Data

States of threads, PSI of io, what each disk did (time busy, flushes and the time they took), waits of a
database's sessions, bytes that the program itself wrote and read.

## Deciding test

The data on tmpfs, or durability relaxed in a copy (innodb_flush_log_at_trx_commit=2, synchronous_commit=off,
appendfsync everysec): throughput rises. `--prove` does not touch anybody's data.

## Guard

Written data goes to the disk in bursts, later and in the background: a busy disk for which nobody waits
accuses nobody. Waits for memory that was thrown out look the same, with major faults.

## Fix

Commit in groups, write less, a faster disk or one of its own; relaxed durability where a lost second does
no harm.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from loadrig.base.units import show_duration, show_number, show_share, show_size
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.own_words import OwnWords

TITLE = "it waits for the disk"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips", "drift"})
ABOUT = About("disk", "signs")

OWN_WORDS = (OwnWords("disk", ("full",)),)

NO_PROOF = "its data are not ours to move; run it again with a copy on tmpfs, or with durability relaxed"

TRACE_DISK_WAITERS = 0.05
"""Mean number of threads or sessions that wait for a disk. Below it the disk is not suspected."""

WAITING = 0.25
"""Mean number of threads in state D, or of sessions that wait for I/O, from which on the disk is what they
wait for. Looks come once a second and last no time, so less is a matter of chance in a run of half a
minute."""

DISK_STALLED_SHARE = 0.20
"""Share of the time in which any task waited for a disk (PSI some), 0 to 1. A database at healthy load stays
below it."""

CPU_FULL = 0.90
"""Share of its cores that a program uses, 0 to 1. Above it the program waits for a core more than for the
disk."""

_WAITS = {"postgresql.waits": ("io:", "lwlock:wal"), "mariadb.sessions": ("commit",)}
"""Words in the subjects of what a database's sessions wait for, by the series: such sessions wait for a
disk."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program with waiting threads, else for the server if a disk was busy."""
    is_any_waiting = False
    for tier in case.programs:
        waiting = _waiting(tier)
        if waiting is not None and waiting.mean >= TRACE_DISK_WAITERS:
            is_any_waiting = True
            yield _hypothesis(case, tier, waiting)
    stalled = case.host.track("disks.stalled_some_s")
    if (
        not is_any_waiting
        and stalled is not None
        and stalled.mean >= DISK_STALLED_SHARE
        and case.server.cpu is not None
    ):
        yield _hypothesis(case, case.server, _waiting(case.server))


def _hypothesis(case: Case, tier: Tier, waiting: Track | None) -> Hypothesis:
    host = case.tiers.get(tier.host, case.host)
    stalled = host.track("disks.stalled_some_s")
    share = stalled.mean if stalled is not None else math.nan
    own_share = tier.cpu_share
    known = waiting if waiting is not None else stalled
    assert known is not None
    cpu = tier.cpu.source if tier.cpu is not None else known.source
    mean = waiting.mean if waiting is not None else math.nan
    signs = (
        Sign(
            None if waiting is None else mean >= WAITING,
            "states of its threads were not read: run loadrig as root, or as its user"
            if waiting is None
            else f"{show_number(mean)} of its threads or sessions waited for a disk on average",
            known.source,
            STRONG if mean >= 2 * WAITING else CLEAR,
        ),
        Sign(
            None if stalled is None else share >= DISK_STALLED_SHARE,
            "how long tasks waited for a disk was not read: boot with psi=1"
            if stalled is None
            else f"somebody waited for a disk {show_share(share)} of the time",
            (stalled or known).source,
            CLEAR,
        ),
        Sign(
            math.isnan(own_share) or own_share < CPU_FULL,
            "its CPU time was not read"
            if math.isnan(own_share)
            else f"it used {show_share(own_share)} of the CPU that it may",
            cpu,
            0.0 if math.isnan(own_share) else SLIGHT,
        ),
    )
    bound = min(1.0, share) if stalled is not None else None
    size = show_number(mean) if math.isfinite(mean) else "an unknown number"
    return Hypothesis(
        component=tier.name,
        signs=signs,
        more=tuple(_disk_evidence(host, tier)),
        effect=f"{size} of its threads or sessions waited for a disk on average{_written(host, tier)}",
        mend=_mend(tier),
        decides="the same load with its data on tmpfs, or with durability relaxed: throughput rises",
        bound=bound,
        bound_text=f"somebody waited for a disk {show_share(bound)} of the time" if bound is not None else "",
    )


def _waiting(tier: Tier) -> Track | None:
    """Return the threads in state D, or a database's sessions that wait for I/O, whichever is more."""
    tracks = [tier.track("process.threads", "state:D")]
    for name, words in _WAITS.items():
        tracks += [
            track
            for subject, track in tier.parts(name).items()
            if any(word in subject.lower() for word in words)
        ]
    known = [track for track in tracks if track is not None]
    sleeping = tier.track("process.threads", "state:S")
    if not known and sleeping is not None:
        # A state that no thread was ever seen in has no series.
        return replace(sleeping, subject="state:D", values=sleeping.values * 0)
    return max(known, key=lambda track: track.mean, default=None)


def _disk_evidence(host: Tier, tier: Tier) -> Iterator[Evidence]:
    for disk, flushing in host.parts("disks.flush_s").items():
        flushes = host.track("disks.flushes", disk)
        if flushes is not None and flushes.mean >= 1 and flushing.mean >= 0.1:
            flush_time = show_duration(flushing.mean / flushes.mean)
            text = f"{disk} made data durable {show_number(flushes.mean)} times a second, {flush_time} each"
            yield Evidence(text, flushing.source, CLEAR)
    for disk, busy in host.parts("disks.busy_s").items():
        if busy.mean >= 0.5:
            text = f"{disk} was busy {show_share(min(1.0, busy.mean))} of the time"
            yield Evidence(text, busy.source, CLEAR)
    fsyncs = tier.track("mariadb.fsyncs")
    if fsyncs is not None and fsyncs.mean >= 1:
        text = f"it waited {show_number(fsyncs.mean)} times a second until data was on the disk"
        yield Evidence(text, fsyncs.source, SLIGHT)


def _written(host: Tier, tier: Tier) -> str:
    """Return as a clause how much of the writing was the program's own: whether others load the disks."""
    own = tier.track("process.disk_written_bytes", "tree")
    total = sum(track.mean for track in host.parts("disks.written_bytes").values())
    if own is None or total < 1e6:
        return ""
    if own.mean < 0.5 * total:
        return f"; of {show_size(total)}/s written only {show_size(own.mean)}/s were its own"
    return f"; it wrote {show_size(own.mean)}/s"


def _mend(tier: Tier) -> str:
    known = {
        "mariadb": "innodb_flush_log_at_trx_commit=2 where a lost second does no harm; one transaction for"
        " many writes; a faster disk",
        "postgresql": "synchronous_commit=off where a lost half second does no harm; commit_delay; one"
        " transaction for many writes; a faster disk",
        "redis": "appendfsync everysec instead of always; a faster disk",
    }
    return known.get(
        "mariadb" if tier.kind == "mysql" else tier.kind,
        "write less often and more at a time, leave fsync to another thread, or give it a faster disk",
    )
