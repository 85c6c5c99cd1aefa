"""A program waits for a disk: for what it reads, or until what it wrote is durable (fsync)."""

import math
from collections.abc import Iterator

from loadrig.base.units import show_duration, show_number, show_share, show_size
from loadrig.judgement.cause import OF_ANY_LIMIT, About, OwnWords
from loadrig.judgement.constants import CPU_FULL, TRACE_WAITERS
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Claims, Evidence, Hypothesis, by_arithmetic
from loadrig.judgement.facts import dependencies, disks, observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.disk_io import DiskIoTexts

TEXTS = texts_of(DiskIoTexts)

ABOUT = About("disk", "signs", harms=OF_ANY_LIMIT | {"dips", "drift"})

OWN_WORDS = (OwnWords("disk", ("full",)),)

WAITING = 0.25
"""Mean number of threads in state D, or of sessions that wait for I/O, from which on the disk is what they
wait for. Looks come once a second and last no time, so less is chance in a run of half a minute."""

DISK_STALLED_SHARE = 0.20
"""Share of the time in which any task waited for a disk (PSI some), 0 to 1. A database at healthy load stays
below it."""

LOCKED_FOR_EACH = 2.0
"""Sessions that wait for a lock, for each that waits for the disk, from which on the lock lets them write one
after the other: where many wait for a disk, most of those at work do so at the same time."""

_MENDS = {
    **dict.fromkeys(("mariadb", "mysql"), TEXTS.mend_mariadb),
    "postgresql": TEXTS.mend_postgresql,
    "redis": TEXTS.mend_redis,
}
"""Mends by the kind of a program."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each program with waiting threads, else for the server if a disk was busy."""
    waiting = {tier.name: observed.figure(disks.waiting_for_disk(tier)) for tier in case.programs}
    accused = [tier for tier in case.programs if waiting[tier.name] >= TRACE_WAITERS]
    stalled = observed.figure(case.host.track("disks.stalled_some_s"))
    if not accused and stalled >= DISK_STALLED_SHARE and case.server.cpu is not None:
        accused = [case.server]
    yield from (_hypothesis(case, tier) for tier in accused)


def _hypothesis(case: Case, tier: Tier) -> Hypothesis:
    host, waiting = observed.machine(tier), disks.waiting_for_disk(tier)
    stalled = host.track("disks.stalled_some_s")
    number, share = observed.figure(waiting), observed.figure(stalled)
    durable, queue = disks.durable_share(case, tier), disks.waiting_for_turn(case, tier)
    waited = TEXTS.waited(TEXTS.unknown_number if waiting is None else show_number(number))
    lost = TEXTS.somebody_waited(show_share(share))
    strength = STRONG if number >= 2 * WAITING else CLEAR
    signs = [observed.sign(waiting, number >= WAITING, waited, TEXTS.states_unread, strength)]
    if queue is not None:
        # The one who has the turn at a disk of microseconds is seldom met by looks at threads.
        each = TEXTS.made_durable_each(show_number(disks.flushes_each(case, host)))
        signs = [by_arithmetic(True, each, STRONG)]
    if durable is None:
        signs.append(observed.sign(stalled, share >= DISK_STALLED_SHARE, lost, TEXTS.stalls_unread))
        used = TEXTS.cpu_used(show_share(tier.cpu_share))
        signs += observed.signs(tier.cpu, tier.cpu_share < CPU_FULL, used, SLIGHT)
    else:
        # Waits for a file system's journal count as no stall, and its work takes CPU time by itself.
        share, lost = durable, TEXTS.request_makes_durable(show_share(durable))
        signs.append(by_arithmetic(share >= DISK_STALLED_SHARE, lost))
    locked = dependencies.lock_waits(tier) if tier.is_database else 0.0
    if locked >= LOCKED_FOR_EACH * number:
        # Without the lock they would write at the same time, and be made durable together.
        signs.append(by_arithmetic(False, TEXTS.wait_for_lock(show_number(locked), show_number(number))))
    is_read = math.isfinite(share)
    effect = waited if queue is None else TEXTS.waited_for_turn(show_number(queue))
    mend = TEXTS.mend_reads if disks.mostly_reads(tier) else TEXTS.mend
    return Hypothesis(
        tier.name, tuple(signs), f"{effect}{_moved(host, tier)}", _MENDS.get(tier.kind, mend),
        more=tuple(_disk_evidence(host, tier)), detail="" if durable is None else disks.EACH_REQUEST,
        bound=min(1.0, share) if is_read else None, bound_text=lost if is_read else "",
    )  # fmt: skip


def _disk_evidence(host: Tier, tier: Tier) -> Iterator[Evidence]:
    for flushing, rate in disks.flushing_disks(host):
        each = show_duration(flushing.mean / rate)
        yield Evidence(TEXTS.made_durable(flushing.subject, show_number(rate), each), flushing.source)
    for disk, busy in host.parts("disks.busy_s").items():
        yield from observed.evidence(busy, 0.5, TEXTS.was_busy(disk, "{}"), show=show_share)
    yield from observed.evidence(tier.track("mariadb.fsyncs"), 1, TEXTS.waited_until_durable("{}"), SLIGHT)


def _moved(host: Tier, tier: Tier) -> str:
    """Return as a clause what the program read, or how much of all that was written was its own."""
    if disks.mostly_reads(tier):
        return TEXTS.read(show_size(observed.figure(tier.track("process.disk_read_bytes", "tree"))))
    own, total = disks.written(host, tier) or (0.0, 0.0)
    if own < 0.5 * total:
        return TEXTS.wrote_little_of(show_size(total), show_size(own))
    return TEXTS.wrote(show_size(own)) if own else ""
