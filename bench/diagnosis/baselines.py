"""Two simple ways to name a cause, from the same recordings, with tables that were fixed beforehand.

The highest utilisation wins: of all that has a limit, what is nearest to it. The largest correlation wins: of
all series that stand for a cause, the one that moves most with throughput or with p95. Both see what the
diagnosis sees.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.recording.steps import Floats

LEAST_UTILISATION = 0.7
"""Below it nothing is accused: the rule of methods for a healthy server."""

LEAST_CORRELATION = 0.7
"""A weaker one is no answer."""

FEWEST_STEPS = 6


@dataclass(frozen=True)
class Guess:
    """Answer of a baseline. value: the utilisation or correlation that won."""

    cause: str
    component: str
    value: float


HEALTHY = "healthy"
NOTHING = Guess(HEALTHY, "", 0.0)

USED_OF: tuple[tuple[str, str, str], ...] = (
    ("tomcat.threads_busy", "tomcat.threads_limit", "too_few_workers"),
    ("hikari.active", "hikari.limit", "pool_too_small"),
    ("process.pss_bytes", "cgroup.memory_limit_bytes", "memory_pressure"),
    ("tcp_sockets.accept_queue", "tcp_sockets.backlog", "accept_backlog"),
    ("jvm.memory_used_bytes", "jvm.memory_limit_bytes", "gc_pressure"),
    ("node.heap_used_bytes", "node.heap_limit_bytes", "gc_pressure"),
)
"""A level, the level that it may reach, and whose sign it is."""

SHARES: Mapping[str, str] = {
    "process.fds_share": "descriptor_limit",
    "tcp_sockets.port_range_share": "dependency_port_exhaustion",
    "node.busy_share": "blocked_event_loop",
    "python.gil_share": "gil",
    "postgresql.backends_share": "pool_too_large",
    "mariadb.connections_share": "pool_too_large",
    "go.gc_cpu_share": "gc_pressure",
}

SERIES: Mapping[str, str] = {
    "process.cpu_s": "host_cpu",
    "process.run_delay_s": "host_cpu",
    "process.pss_bytes": "leak",
    "process.fds": "descriptor_limit",
    "process.major_faults": "memory_pressure",
    "process.involuntary_switches": "too_many_workers",
    "cgroup.throttled_s": "cpu_quota",
    "cgroup.throttled_periods": "cpu_quota",
    "cgroup.oom_kills": "oom_kill",
    "gunicorn.recycled": "restarts_in_step",
    "gunicorn.timed_out": "worker_timeouts",
    "gunicorn.killed": "oom_kill",
    "hikari.waiting": "pool_too_small",
    "tomcat.threads_busy": "too_few_workers",
    "jvm.gc_s": "gc_pressure",
    "gc_log.pause_s": "gc_pressure",
    "go.gc_cpu_share": "gc_pressure",
    "go.goroutines": "leak",
    "go.mutex_wait_s": "lock_contention",
    "node.gc_pause_s": "gc_pressure",
    "node.delay_p99_s": "blocked_event_loop",
    "mariadb.row_lock_s": "row_lock",
    "mariadb.lock_waiters": "row_lock",
    "mariadb.full_scans": "missing_index",
    "mariadb.rows_scanned": "missing_index",
    "mariadb.threads_running": "database_cpu",
    "postgresql.lock_waiters": "row_lock",
    "postgresql.rows_scanned": "missing_index",
    "redis.slow_commands": "cache_bottleneck",
    "redis.connections": "connection_churn",
    "redis.cpu_user_s": "cache_bottleneck",
    "tcp_sockets.accept_queue": "accept_backlog",
    "tcp_sockets.listen_overflows": "accept_backlog",
    "tcp_sockets.time_wait": "dependency_port_exhaustion",
    "tcp_sockets.opened": "connection_churn",
    "disks.busy_s": "disk_io",
    "memory.stalled_some_s": "memory_pressure",
}


def highest_utilisation(case: Case) -> Guess:
    """Return what is nearest to its limit; nothing where all have room."""
    best = max(_utilisations(case), key=lambda estimate: estimate.value, default=NOTHING)
    return best if best.value >= LEAST_UTILISATION else NOTHING


def largest_correlation(case: Case) -> Guess:
    """Return the series that moves most with throughput or p95; nothing where none moves with them."""
    goals = [case.load.ok[case.is_inside]]
    if case.load.latency_by_step is not None:
        goals.append(case.load.latency_by_step(0.95)[case.is_inside])
    best = NOTHING
    for key in case.series:
        cause = SERIES.get(f"{key.probe}.{key.metric}")
        track = case.track(key.component, f"{key.probe}.{key.metric}", key.subject) if cause else None
        if cause is None or track is None:
            continue
        for goal in goals:
            r = abs(_correlation(track.values[case.is_inside], goal))
            if r > best.value:
                best = Guess(cause, key.component, r)
    return best if best.value >= LEAST_CORRELATION else NOTHING


def _utilisations(case: Case) -> Iterator[Guess]:
    for tier in case.tiers.values():
        if not tier.is_host and math.isfinite(tier.cpu_share):
            yield Guess(_cpu_cause(tier), tier.name, tier.cpu_share)
        for used, limit, cause in USED_OF:
            for subject, track in case.subjects(tier.name, used).items():
                most = case.track(tier.name, limit, subject)
                if most is not None and track.is_known and most.median > 0:
                    yield Guess(cause, tier.name, track.mean / most.median)
        for name, cause in SHARES.items():
            for track in case.subjects(tier.name, name).values():
                if track.is_known:
                    yield Guess(cause, tier.name, track.mean)
        periods, throttled = (
            sum(
                subject.mean
                for subject in case.subjects(tier.name, f"cgroup.{what}").values()
                if subject.is_known
            )
            for what in ("periods", "throttled_periods")
        )
        if periods:
            yield Guess("cpu_quota", tier.name, throttled / periods)


def _cpu_cause(tier: Tier) -> str:
    if tier.is_database:
        return "database_cpu"
    if tier.kind in CACHES:
        return "cache_bottleneck"
    return "cpu_quota" if tier.quota < tier.places else "host_cpu"


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's, of the steps where both are known; 0 where there are too few or one does not move."""
    good = np.isfinite(a) & np.isfinite(b)
    if good.sum() < FEWEST_STEPS or np.ptp(a[good]) == 0 or np.ptp(b[good]) == 0:
        return 0.0
    return float(np.corrcoef(a[good], b[good])[0, 1])
