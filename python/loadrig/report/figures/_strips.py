"""Metrics that are shown of a tier, in their order: what a reader looks for first, then what explains it."""

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


def _strip(title: str, *picks: Pick, about: str = "", is_always: bool = False) -> Strip:
    return Strip(title, picks, about, is_always)


def _single(probe: str, **labels: str) -> list[Pick]:
    """Return picks of one series each. labels: of the metrics of a probe, by name."""
    return [Pick(f"{probe}.{metric}", label=label, most=1) for metric, label in labels.items()]


STRIPS = (
    _strip(
        "CPU",
        Pick("process.cpu_s", "tree", "cores used"),
        *_single("cgroup", quota_cores="quota of *"),
        Pick("process.run_delay_s", "tree", "waiting for a core"),
        about="cores used by the whole tree, dead workers included",
        is_always=True,
    ),
    _strip("Throttled", Pick("cgroup.throttled_s", label="standing still, *", most=2)),
    _strip(
        "Memory",
        Pick("process.pss_bytes", "tree", "whole tree"),
        *_single("cgroup", memory_limit_bytes="limit of *"),
        *_single("gc_log", heap_after_bytes="heap after a collection"),
        *_single("go", heap_in_use_bytes="heap"),
        Pick("node.heap_used_bytes", label="heap *", most=2),
        *_single("redis", memory_bytes="data"),
        about="shared pages divided among those that share them",
    ),
    _strip("GIL", Pick("python.gil_share", "", "held")),
    _strip(
        "Threads of Python",
        Pick("python.running_threads", "", "running"),
        Pick("python.waiting_threads", "", "waiting for the GIL"),
    ),
    _strip("Workers", Pick("gunicorn.workers", label="workers")),
    _strip("Growing allocations", Pick("python.site_bytes")),
    _strip(
        "Time in collections",
        *_single("gc_log", pause_s="pauses", concurrent_s="concurrent"),
        *_single("go", gc_pause_s="pauses"),
        Pick("node.gc_pause_s", label="pauses *", most=2),
        Pick("python.gc_pause_s", label="pauses *", most=2),
        about="share of time",
    ),
    _strip(
        "Threads of Tomcat",
        Pick("tomcat.threads_busy", label="busy *", most=2),
        *_single("tomcat", threads_limit="most *"),
    ),
    _strip(
        "Connection pool",
        Pick("hikari.active", label="in use, *", most=2),
        Pick("hikari.waiting", label="threads waiting, *", most=2),
        *_single("hikari", limit="size of *"),
    ),
    _strip("Threads of the JVM", Pick("jvm.threads")),
    _strip("Goroutines", *_single("go", goroutines="goroutines")),
    _strip("Cores that Go means to use", *_single("go", gomaxprocs="GOMAXPROCS", quota_cores="quota")),
    _strip(
        "Event-loop delay",
        Pick("node.delay_p50_s", label="p50 *", most=2),
        Pick("node.delay_p99_s", label="p99 *", most=2),
    ),
    _strip("Event loop in use", Pick("node.busy_share")),
    _strip(
        "At work",
        *_single("mariadb", threads_running="threads running", threads_connected="connected"),
        *_single("redis", clients="clients", blocked_clients="blocked"),
        Pick("postgresql.sessions", most=4),
    ),
    _strip(
        "Statements",
        *_single("mariadb", questions="statements"),
        *_single("redis", commands="commands"),
        *_single("postgresql", commits="commits", rollbacks="rollbacks"),
    ),
    _strip(
        "Rows",
        *_single("mariadb", rows_read="read", rows_sent="sent"),
        *_single("postgresql", rows_scanned="scanned", rows_fetched="fetched by an index"),
    ),
    _strip(
        "Connections accepted",
        *_single("redis", connections="connections"),
        *_single("memcached", connections="connections"),
        *_single("mariadb", connections="connections"),
    ),
    _strip(
        "Waiting for locks",
        *_single("mariadb", lock_waiters="transactions"),
        *_single("postgresql", lock_waiters="sessions"),
    ),
    _strip("What sessions wait for", Pick("postgresql.waits")),
    _strip(
        "Hits and misses",
        *_single("redis", hits="hits", misses="misses"),
        *_single("memcached", hits="hits", misses="misses"),
    ),
    _strip(
        "Thrown out to make room",
        *_single("redis", evicted_keys="keys"),
        *_single("memcached", evictions="items"),
    ),
    _strip(
        "Time of statements",
        Pick("redis.command_s"),
        Pick("mariadb.digest_s"),
        Pick("postgresql.statement_s"),
    ),
    _strip(
        "Connections of nginx", *_single("nginx", reading="reading", writing="at work", waiting="kept alive")
    ),
    _strip("Answers in the access log", Pick("access_log.answers")),
    _strip("Cores", Pick("system_cpu.busy"), about="time not idle, per core", is_always=True),
    _strip("TIME_WAIT by direction", Pick("tcp_sockets.time_wait", "*:*")),
    _strip("Connections opened by direction", Pick("tcp_sockets.opened", "*:*")),
    _strip("Ports in use by destination", Pick("tcp_sockets.port_range_share")),
    _strip("Waiting to be accepted", Pick("tcp_sockets.accept_queue")),
    _strip("Memory", Pick("memory.available_bytes", label="available")),
    _strip(
        "Stalled",
        Pick("system_cpu.stalled_s", label="for a core"),
        Pick("memory.stalled_some_s", label="for memory"),
        Pick("disks.stalled_some_s", label="for a disk"),
        about="share of time in which a task waited (PSI some)",
    ),
    _strip("Taken by the hypervisor", Pick("system_cpu.steal_s")),
    _strip(
        "The same work on a core",
        Pick("cpu_clock.work_s", "cpu*"),
        about="CPU time of a fixed piece of work: it rises where a neighbour or heat slows the core",
    ),
    _strip("Disk time", Pick("disks.busy_s"), about="share of time in which it had a request to do"),
    _strip(
        "Bytes over the network",
        Pick("network.received_bytes", label="in, *", most=2),
        Pick("network.sent_bytes", label="out, *", most=2),
    ),
    _strip("Threads", Pick("process.threads", "tree", "threads")),
    _strip("Processes", Pick("process.processes", "tree", "processes")),
)
"""Strips in the order in which a tier shows those that it has."""
