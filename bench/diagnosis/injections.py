"""The catalogue: faults with their labels, healthy runs, pairs of faults. Written before any was diagnosed.

A fault is a change of a stack's numbers or limits, strong (about half of the capacity, or dips of two
fifths) and mild (about a seventh, or dips of a tenth), under a load that is told by the healthy capacity.
Its twin is the same stack under the same load and decoy without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SEVERITIES = ("strong", "mild")
Change = Mapping[str, Any]
"""Fields of a StackWish that differ; `dials` are merged. Also "load" and "sysctl"."""

ANY = "*"
"""A part: wherever it is laid."""


@dataclass(frozen=True)
class Label:
    """A cause, and the parts that may be named as where it lies."""

    cause: str
    parts: tuple[str, ...] = ("server",)


@dataclass(frozen=True)
class InjectedFault:
    """labels: the first is what it is; others are accepted for it, as they say the same in other words.

    load: `share` of the healthy capacity, or `users`, and more of the workload. base: what the twin has, too.
    is_growth: what it does shows in memory and not in speed.
    """

    name: str
    stack: str
    labels: tuple[Label, ...]
    strong: Change
    mild: Change
    load: Change
    base: Change = field(default_factory=dict)
    decoys: tuple[str, ...] = ()
    seconds: float = 12.0
    is_growth: bool = False


@dataclass(frozen=True)
class Healthy:
    """A run without a fault: at a share of the capacity, with decoys."""

    name: str
    stack: str
    share: float
    base: Change
    decoys: tuple[str, ...]


THREADED = ("--worker-class=gthread", "--workers=2", "--threads=16")
SYNC = ("--worker-class=sync", "--workers=8")
HEAP = ("-XX:+UseSerialGC", "-Xmx256m")
BASES: Mapping[str, Change] = {
    "gunicorn": {"options": THREADED},
    "uvicorn": {},
    "jvm": {"options": HEAP},
    "go": {},
    "node": {},
}
"""Each stack as it is when it is well."""

HALF, SIX_TENTHS = {"share": 0.5}, {"share": 0.6}
NEARLY_FULL: Change = {"load": {"share": 0.9}}
"""A mild fault of capacity shows in an open load only near the capacity."""
BUSY = {"users": 40}
"""A closed load that keeps the server at its limit: what a fault takes is missing from the throughput."""
PACED = {"users": 60, "think": "100ms"}
NARROW = {"net.ipv4.tcp_tw_reuse": "0"}


def _login(lasts: str) -> Change:
    login = {"post": "/login", "extract": {"token": "$.token"}, "lasts": lasts}
    return {**PACED, "login": login, "headers": {"Authorization": "Bearer {token}"}}


def _ports(many: int) -> Change:
    return {**NARROW, "net.ipv4.ip_local_port_range": f"20000 {20000 + many - 1}"}


def _dials(**dials: Any) -> Change:
    return {"dials": dials}


FAULTS: tuple[InjectedFault, ...] = (
    InjectedFault(
        "host_cpu", "gunicorn", (Label("host_cpu"),), _dials(rounds=45_000),
        {**_dials(rounds=15_000), **NEARLY_FULL}, SIX_TENTHS, decoys=("time_wait",),
    ),
    InjectedFault(
        "too_few_workers", "gunicorn", (Label("too_few_workers"),),
        {"options": ("--worker-class=gthread", "--workers=2", "--threads=6")},
        {"options": ("--worker-class=gthread", "--workers=2", "--threads=9")},
        BUSY, base=_dials(io_s=0.05), decoys=("busy_core",),
    ),
    InjectedFault(
        "n_plus_one", "gunicorn", (Label("n_plus_one", ("server", "postgresql")),), _dials(queries=20),
        _dials(queries=12), BUSY, decoys=("busy_core",),
    ),
    InjectedFault(
        "missing_index", "gunicorn", (Label("missing_index", ("postgresql",)),),
        _dials(where="code", items=50_000), _dials(where="code", items=12_000), BUSY, decoys=("time_wait",),
    ),
    InjectedFault(
        "row_lock", "gunicorn", (Label("row_lock", ("postgresql",)),), _dials(hot_s=0.005),
        _dials(hot_s=0.002), BUSY, base=_dials(cache_items=2_000),
    ),
    InjectedFault(
        "dependency_port_exhaustion", "gunicorn",
        (Label("dependency_port_exhaustion", ("server", "redis")),),
        {**_dials(redis_pooled=0), "sysctl": _ports(800)},
        {**_dials(redis_pooled=0), "sysctl": _ports(1_400)},
        BUSY, decoys=("busy_core",),
    ),
    InjectedFault(
        "worker_timeouts", "gunicorn", (Label("worker_timeouts"),), _dials(slow_share=0.01, slow_s=30.0),
        _dials(slow_share=0.003, slow_s=30.0), {"share": 0.6},
        base={"options": (*SYNC, "--timeout=2")}, decoys=("busy_core",),
    ),
    InjectedFault(
        "accept_backlog", "gunicorn", (Label("accept_backlog"),), {"options": (*SYNC, "--backlog=1")},
        {"options": (*SYNC, "--backlog=6")}, {"share": 0.85, "connections": {"keep_alive": False}},
        base={"options": SYNC}, decoys=("busy_core",),
    ),
    InjectedFault(
        "restarts_in_step", "gunicorn", (Label("restarts_in_step"),),
        {"options": (*THREADED, "--max-requests=400"), "dials": {"import_s": 1.0}},
        {"options": (*THREADED, "--max-requests=400"), "dials": {"import_s": 0.2}},
        HALF, decoys=("busy_core",), seconds=20,
    ),
    InjectedFault(
        "gil", "gunicorn", (Label("gil"),),
        {"options": ("--worker-class=gthread", "--workers=1", "--threads=16")},
        {"options": ("--worker-class=gthread", "--workers=1", "--threads=16"), "load": {"users": 4}},
        BUSY,
        base={"options": ("--worker-class=gthread", "--workers=4", "--threads=4"), "cores": (0, 1),
              "dials": {"rounds": 40_000}},
    ),
    InjectedFault(
        "leak", "gunicorn", (Label("leak"),), _dials(keep_bytes=100_000), _dials(keep_bytes=20_000),
        HALF, decoys=("busy_core",), seconds=18, is_growth=True,
    ),
    InjectedFault(
        "oom_kill", "gunicorn", (Label("oom_kill"), Label("leak")), _dials(keep_bytes=200_000),
        _dials(keep_bytes=100_000), HALF, base={"memory_mb": 220}, decoys=("busy_core",), seconds=18,
    ),
    InjectedFault(
        "worker_class", "gunicorn",
        (Label("worker_class", ("upstream",)), Label("too_few_workers", ("upstream",))),
        {"options": ("--worker-class=sync", "--workers=6")},
        {"options": ("--worker-class=sync", "--workers=10")},
        BUSY, base={"front": True, "dials": {"io_s": 0.04}}, decoys=("busy_core",),
    ),
    InjectedFault(
        "connection_churn", "gunicorn", (Label("connection_churn", ("server", "postgresql")),),
        _dials(renewed=1.0), _dials(renewed=0.15), BUSY, decoys=("time_wait",),
    ),
    InjectedFault(
        "pool_too_small", "jvm", (Label("pool_too_small"),), _dials(pool=8), _dials(pool=14),
        {"users": 60}, base=_dials(hold_ms=20, pool=60), decoys=("time_wait",),
    ),
    InjectedFault(
        "database_cpu", "jvm", (Label("database_cpu", ("mariadb",)), Label("cpu_quota", ("mariadb",))),
        _dials(sums=6_000), _dials(sums=3_500), BUSY, base={"database_quota": 0.3}, decoys=("busy_core",),
    ),
    InjectedFault(
        "missing_index", "jvm", (Label("missing_index", ("mariadb",)),), _dials(where="code", items=5_000),
        _dials(where="code", items=2_500), BUSY, decoys=("busy_core",),
    ),
    InjectedFault(
        "gc_pressure", "jvm", (Label("gc_pressure"),), {"options": ("-XX:+UseSerialGC", "-Xmx80m")},
        {"options": ("-XX:+UseSerialGC", "-Xmx110m")}, BUSY,
        base={"options": ("-XX:+UseSerialGC", "-Xmx512m"),
              "dials": {"live_mb": 40, "allocate_kb": 500, "replaced": 300}},
    ),
    InjectedFault(
        "lock_contention", "jvm", (Label("lock_contention"),), _dials(lock_ms=3), _dials(lock_ms=2), BUSY,
        base=_dials(allocate_kb=200), decoys=("busy_core",),
    ),
    InjectedFault(
        "workload_artefact", "jvm", (Label("workload_artefact", (ANY,)),),
        {"dials": {"login_rounds": 30_000}, "load": _login("6s")},
        {"dials": {"login_rounds": 12_000}, "load": _login("6s")},
        _login("10m"), base=_dials(allocate_kb=200), seconds=26,
    ),
    InjectedFault(
        "too_few_workers", "jvm", (Label("too_few_workers"),), _dials(threads=5), _dials(threads=9),
        {"users": 60}, decoys=("busy_core",),
    ),
    InjectedFault(
        "cpu_quota", "jvm", (Label("cpu_quota"),), {"quota": 0.3}, {"quota": 0.45}, BUSY,
        decoys=("busy_core",),
    ),
    InjectedFault(
        "cpu_quota", "go", (Label("cpu_quota"),), {"quota": 0.35}, {"quota": 0.5, **NEARLY_FULL},
        SIX_TENTHS, decoys=("time_wait",),
    ),
    InjectedFault(
        "request_overhead", "go", (Label("request_overhead"),), _dials(gzip_level=9),
        {**_dials(gzip_level=1), **NEARLY_FULL},
        {"share": 0.6, "headers": {"Accept-Encoding": "gzip"}}, base=_dials(rows=400), decoys=("time_wait",),
    ),
    InjectedFault(
        "slow_dependency", "go", (Label("slow_dependency", ("rates",)),), _dials(rates_s=0.1),
        _dials(rates_s=0.06), BUSY, base=_dials(allocate_kb=100), decoys=("busy_core",),
    ),
    InjectedFault(
        "lock_contention", "go", (Label("lock_contention"),), _dials(lock_us=2_500), _dials(lock_us=1_500),
        BUSY, decoys=("busy_core",),
    ),
    InjectedFault(
        "gc_pressure", "go", (Label("gc_pressure"),), _dials(gc_percent=4), _dials(gc_percent=12), BUSY,
        base=_dials(live_mb=60, allocate_kb=60), decoys=("busy_core",),
    ),
    InjectedFault(
        "client_port_exhaustion", "go", (Label("client_port_exhaustion", (ANY,)),), {"sysctl": _ports(150)},
        {"sysctl": _ports(250)}, {"users": 300, "think": "300ms"}, decoys=("busy_core",),
    ),
    InjectedFault(
        "connection_churn", "go", (Label("connection_churn", (ANY,)),),
        {"load": {"connections": {"keep_alive": False}}}, _dials(redis_renewed=1.0), BUSY,
        base=_dials(rounds=100_000, rates_s=0), decoys=("busy_core",),
    ),
    InjectedFault(
        "blocked_event_loop", "node", (Label("blocked_event_loop"),), _dials(block_share=0.02, block_ms=40),
        {**_dials(block_share=0.01, block_ms=20), **NEARLY_FULL}, SIX_TENTHS, base=_dials(allocate_kb=40),
    ),
    InjectedFault(
        "cache_bottleneck", "node", (Label("cache_bottleneck", ("redis",)),),
        _dials(redis_list=1, feed=10_000), _dials(redis_list=1, feed=3_000), BUSY, decoys=("busy_core",),
    ),
    InjectedFault(
        "leak", "node", (Label("leak"),), _dials(keep_bytes=20_000), _dials(keep_bytes=4_000), HALF,
        decoys=("busy_core",), seconds=18, is_growth=True,
    ),
    InjectedFault(
        "gc_pressure", "node", (Label("gc_pressure"),), {"options": ("--max-old-space-size=75",)},
        {"options": ("--max-old-space-size=90",)}, BUSY,
        base=_dials(live_mb=40, replaced=200, allocate_kb=20), decoys=("busy_core",),
    ),
    InjectedFault(
        "workload_artefact", "node", (Label("workload_artefact", (ANY,)),),
        {"dials": {"login_rounds": 100_000}, "load": _login("6s")},
        {"dials": {"login_rounds": 25_000}, "load": _login("6s")},
        _login("10m"), base=_dials(allocate_kb=40), seconds=26,
    ),
    InjectedFault(
        "blocked_event_loop", "uvicorn", (Label("blocked_event_loop"),),
        _dials(block_share=0.02, block_s=0.05), _dials(block_share=0.01, block_s=0.02), BUSY,
        decoys=("time_wait",),
    ),
    InjectedFault(
        "slow_dependency", "uvicorn", (Label("slow_dependency", ("rates",)),), _dials(rates_s=0.12),
        _dials(rates_s=0.06), BUSY, decoys=("busy_core",),
    ),
    InjectedFault(
        "descriptor_limit", "uvicorn", (Label("descriptor_limit"),), {"nofile": 50}, {"nofile": 90},
        {"users": 100, "think": "200ms"}, decoys=("busy_core",),
    ),
    InjectedFault(
        "connection_churn", "uvicorn", (Label("connection_churn", ("server", "redis")),),
        _dials(redis_renewed=1.0), _dials(redis_renewed=0.4), BUSY, decoys=("busy_core",),
    ),
)  # fmt: skip


def _healthy() -> tuple[Healthy, ...]:
    """Thirty: each stack at three loads, once with a decoy of its own and once with one from outside."""
    inside: Mapping[str, Sequence[Change]] = {
        "gunicorn": (_dials(cache_items=3_000), {"front": True}),
        "uvicorn": ({}, {"front": True}),
        "jvm": ({"options": ("-XX:+UseSerialGC", "-Xmx160m"), "dials": {"allocate_kb": 400}}, {}),
        "go": (_dials(allocate_kb=300, live_mb=20), {"quota": 0.95}),
        "node": (_dials(allocate_kb=100), {}),
    }
    outside = {name: "busy_core" if name in ("jvm", "node") else "time_wait" for name in BASES}
    healthy = []
    for share in (0.30, 0.60, 0.75):
        for stack, (own, other) in inside.items():
            healthy.append(Healthy(f"healthy-{stack}-{share:.0%}-own", stack, share, own, ()))
            healthy.append(
                Healthy(f"healthy-{stack}-{share:.0%}-outside", stack, share, other, (outside[stack],))
            )
    return tuple(healthy)


HEALTHY: tuple[Healthy, ...] = _healthy()

PAIRS: tuple[tuple[str, InjectedFault, Label], ...] = (
    (
        "missing_index+leak",
        InjectedFault(
            "missing_index+leak", "gunicorn", (Label("missing_index", ("postgresql",)),),
            _dials(where="code", items=50_000, keep_bytes=100_000), {}, BUSY, seconds=18,
        ),
        Label("leak"),
    ),
    (
        "slow_dependency+cpu_quota",
        InjectedFault(
            "slow_dependency+cpu_quota", "go", (Label("cpu_quota"),),
            {"quota": 0.35, "dials": {"rates_s": 0.1}}, {}, BUSY,
        ),
        Label("slow_dependency", ("rates",)),
    ),
    (
        "pool_too_small+row_lock",
        InjectedFault(
            "pool_too_small+row_lock", "jvm", (Label("row_lock", ("mariadb",)),),
            _dials(pool=10, hot_ms=3), {}, BUSY, base=_dials(pool=60),
        ),
        Label("pool_too_small"),
    ),
    (
        "blocked_event_loop+connection_churn",
        InjectedFault(
            "blocked_event_loop+connection_churn", "uvicorn", (Label("blocked_event_loop"),),
            _dials(block_share=0.02, block_s=0.05, redis_renewed=1.0), {}, BUSY,
        ),
        Label("connection_churn", ("server", "redis")),
    ),
)  # fmt: skip
"""Two faults at once, and the label of the second: scored apart."""
