"""Which metrics are shown of a tier, in which order: what a reader looks for first, then what explains it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pick:
    """Series that one strip shows. metric, subject: patterns as of a shell ("redis.*", "out:*").

    label: the line's label, in which "*" stands for the subject; empty for the subject itself. most: number
    of series at most.
    """

    metric: str
    subject: str = "*"
    label: str = ""
    most: int = 5


@dataclass(frozen=True, slots=True)
class Strip:
    """Panel of a tier. is_always: shown also where its values stayed at zero, as that says something too."""

    title: str
    picks: tuple[Pick, ...]
    about: str = ""
    is_always: bool = False


_TIERS = (
    Strip(
        "CPU",
        (
            Pick("process.cpu_s", "tree", "cores used"),
            Pick("cgroup.quota_cores", label="quota of *", most=1),
            Pick("process.run_delay_s", "tree", "waiting for a core"),
        ),
        "cores used by the whole tree, dead workers included",
        is_always=True,
    ),
    Strip("Throttled", (Pick("cgroup.throttled_s", label="standing still, *", most=2),)),
    Strip(
        "Memory",
        (
            Pick("process.pss_bytes", "tree", "whole tree"),
            Pick("cgroup.memory_limit_bytes", label="limit of *", most=1),
            Pick("gc_log.heap_after_bytes", label="heap after a collection", most=1),
            Pick("go.heap_in_use_bytes", label="heap", most=1),
            Pick("node.heap_used_bytes", label="heap *", most=2),
            Pick("redis.memory_bytes", label="data", most=1),
        ),
        "shared pages divided among those that share them",
    ),
)

_PYTHON = (
    Strip("GIL", (Pick("python.gil_share", "", "held"),)),
    Strip(
        "Threads of Python",
        (
            Pick("python.running_threads", "", "running"),
            Pick("python.waiting_threads", "", "waiting for the GIL"),
        ),
    ),
    Strip("Workers", (Pick("gunicorn.workers", label="workers"),)),
    Strip("Growing allocations", (Pick("python.site_bytes"),)),
)

_JVM = (
    Strip(
        "Time in collections",
        (
            Pick("gc_log.pause_s", label="pauses", most=1),
            Pick("gc_log.concurrent_s", label="concurrent", most=1),
            Pick("go.gc_pause_s", label="pauses", most=1),
            Pick("node.gc_pause_s", label="pauses *", most=2),
            Pick("python.gc_pause_s", label="pauses *", most=2),
        ),
        "share of time",
    ),
    Strip(
        "Threads of Tomcat",
        (
            Pick("tomcat.threads_busy", label="busy *", most=2),
            Pick("tomcat.threads_limit", label="most *", most=1),
        ),
    ),
    Strip(
        "Connection pool",
        (
            Pick("hikari.active", label="in use, *", most=2),
            Pick("hikari.waiting", label="threads waiting, *", most=2),
            Pick("hikari.limit", label="size of *", most=1),
        ),
    ),
    Strip("Threads of the JVM", (Pick("jvm.threads"),)),
)

_GO_AND_NODE = (
    Strip("Goroutines", (Pick("go.goroutines", label="goroutines", most=1),)),
    Strip(
        "Cores that Go means to use",
        (Pick("go.gomaxprocs", label="GOMAXPROCS", most=1), Pick("go.quota_cores", label="quota", most=1)),
    ),
    Strip(
        "Event-loop delay",
        (Pick("node.delay_p50_s", label="p50 *", most=2), Pick("node.delay_p99_s", label="p99 *", most=2)),
    ),
    Strip("Event loop in use", (Pick("node.busy_share"),)),
)

_DATABASES = (
    Strip(
        "At work",
        (
            Pick("mariadb.threads_running", label="threads running", most=1),
            Pick("mariadb.threads_connected", label="connected", most=1),
            Pick("redis.clients", label="clients", most=1),
            Pick("redis.blocked_clients", label="blocked", most=1),
            Pick("postgresql.sessions", most=4),
        ),
    ),
    Strip(
        "Statements",
        (
            Pick("mariadb.questions", label="statements", most=1),
            Pick("redis.commands", label="commands", most=1),
            Pick("postgresql.commits", label="commits", most=1),
            Pick("postgresql.rollbacks", label="rollbacks", most=1),
        ),
    ),
    Strip(
        "Rows",
        (
            Pick("mariadb.rows_read", label="read", most=1),
            Pick("mariadb.rows_sent", label="sent", most=1),
            Pick("postgresql.rows_scanned", label="scanned", most=1),
            Pick("postgresql.rows_fetched", label="fetched by an index", most=1),
        ),
    ),
    Strip(
        "Connections accepted",
        (
            Pick("redis.connections", label="connections", most=1),
            Pick("memcached.connections", label="connections", most=1),
            Pick("mariadb.connections", label="connections", most=1),
        ),
    ),
    Strip(
        "Waiting for locks",
        (
            Pick("mariadb.lock_waiters", label="transactions", most=1),
            Pick("postgresql.lock_waiters", label="sessions", most=1),
        ),
    ),
    Strip("What sessions wait for", (Pick("postgresql.waits"),)),
    Strip(
        "Hits and misses",
        (
            Pick("redis.hits", label="hits", most=1),
            Pick("redis.misses", label="misses", most=1),
            Pick("memcached.hits", label="hits", most=1),
            Pick("memcached.misses", label="misses", most=1),
        ),
    ),
    Strip(
        "Thrown out to make room",
        (
            Pick("redis.evicted_keys", label="keys", most=1),
            Pick("memcached.evictions", label="items", most=1),
        ),
    ),
    Strip(
        "Time of statements",
        (Pick("redis.command_s"), Pick("mariadb.digest_s"), Pick("postgresql.statement_s")),
    ),
)

_FRONT = (
    Strip(
        "Connections of nginx",
        (
            Pick("nginx.reading", label="reading", most=1),
            Pick("nginx.writing", label="at work", most=1),
            Pick("nginx.waiting", label="kept alive", most=1),
        ),
    ),
    Strip("Answers in the access log", (Pick("access_log.answers"),)),
)

_HOST = (
    Strip("Cores", (Pick("system_cpu.busy"),), "time not idle, per core", is_always=True),
    Strip("TIME_WAIT by direction", (Pick("tcp_sockets.time_wait", "*:*"),)),
    Strip("Connections opened by direction", (Pick("tcp_sockets.opened", "*:*"),)),
    Strip("Ports in use by destination", (Pick("tcp_sockets.port_range_share"),)),
    Strip("Waiting to be accepted", (Pick("tcp_sockets.accept_queue"),)),
    Strip("Memory", (Pick("memory.available_bytes", label="available"),)),
    Strip(
        "Stalled",
        (
            Pick("system_cpu.stalled_s", label="for a core"),
            Pick("memory.stalled_some_s", label="for memory"),
            Pick("disks.stalled_some_s", label="for a disk"),
        ),
        "share of time in which a task waited (PSI some)",
    ),
    Strip("Taken by the hypervisor", (Pick("system_cpu.steal_s"),)),
    Strip(
        "The same work on a core",
        (Pick("cpu_clock.work_s", "cpu*"),),
        "CPU time of a fixed piece of work: it rises where a neighbour or heat slows the core",
    ),
    Strip("Disk time", (Pick("disks.busy_s"),), "share of time in which it had a request to do"),
    Strip(
        "Bytes over the network",
        (
            Pick("network.received_bytes", label="in, *", most=2),
            Pick("network.sent_bytes", label="out, *", most=2),
        ),
    ),
)

_LAST = (
    Strip("Threads", (Pick("process.threads", "tree", "threads"),)),
    Strip("Processes", (Pick("process.processes", "tree", "processes"),)),
)

STRIPS = (*_TIERS, *_PYTHON, *_JVM, *_GO_AND_NODE, *_DATABASES, *_FRONT, *_HOST, *_LAST)
"""Strips in the order in which a tier shows those that it has."""
