"""Metrics that are shown of a tier, in their order: what a reader looks for first, then what explains it."""

from dataclasses import dataclass

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.strips import StripTexts

TEXTS = texts_of(StripTexts)


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
        TEXTS.cpu,
        Pick("process.cpu_s", "tree", TEXTS.cores_used),
        *_single("cgroup", quota_cores=TEXTS.quota_of),
        Pick("process.run_delay_s", "tree", TEXTS.waiting_for_core),
        about=TEXTS.cores_of_whole_tree,
        is_always=True,
    ),
    _strip(TEXTS.throttled, Pick("cgroup.throttled_s", label=TEXTS.standing_still, most=2)),
    _strip(
        TEXTS.memory,
        Pick("process.pss_bytes", "tree", TEXTS.whole_tree),
        *_single("cgroup", memory_limit_bytes=TEXTS.limit_of),
        *_single("gc_log", heap_after_bytes=TEXTS.heap_after_collection),
        *_single("go", heap_in_use_bytes=TEXTS.heap),
        Pick("node.heap_used_bytes", label=TEXTS.heap_of, most=2),
        *_single("redis", memory_bytes=TEXTS.data),
        about=TEXTS.shared_pages,
    ),
    _strip(TEXTS.gil, Pick("python.gil_share", "", TEXTS.gil_held)),
    _strip(
        TEXTS.python_threads,
        Pick("python.running_threads", "", TEXTS.running),
        Pick("python.waiting_threads", "", TEXTS.waiting_for_gil),
    ),
    _strip(TEXTS.workers, Pick("gunicorn.workers", label=TEXTS.workers_line)),
    _strip(TEXTS.growing_allocations, Pick("python.site_bytes")),
    _strip(
        TEXTS.time_in_collections,
        *_single("gc_log", pause_s=TEXTS.pauses, concurrent_s=TEXTS.concurrent),
        *_single("go", gc_pause_s=TEXTS.pauses),
        Pick("node.gc_pause_s", label=TEXTS.pauses_of, most=2),
        Pick("python.gc_pause_s", label=TEXTS.pauses_of, most=2),
        about=TEXTS.share_of_time,
    ),
    _strip(
        TEXTS.tomcat_threads,
        Pick("tomcat.threads_busy", label=TEXTS.busy_of, most=2),
        *_single("tomcat", threads_limit=TEXTS.most_of),
    ),
    _strip(
        TEXTS.connection_pool,
        Pick("hikari.active", label=TEXTS.in_use, most=2),
        Pick("hikari.waiting", label=TEXTS.threads_waiting, most=2),
        *_single("hikari", limit=TEXTS.size_of),
    ),
    _strip(TEXTS.jvm_threads, Pick("jvm.threads")),
    _strip(TEXTS.goroutines, *_single("go", goroutines=TEXTS.goroutines_line)),
    _strip(TEXTS.cores_of_go, *_single("go", gomaxprocs="GOMAXPROCS", quota_cores=TEXTS.quota)),
    _strip(
        TEXTS.event_loop_delay,
        Pick("node.delay_p50_s", label="p50 *", most=2),
        Pick("node.delay_p99_s", label="p99 *", most=2),
    ),
    _strip(TEXTS.event_loop_in_use, Pick("node.busy_share")),
    _strip(
        TEXTS.at_work,
        *_single("mariadb", threads_running=TEXTS.threads_running, threads_connected=TEXTS.connected),
        *_single("redis", clients=TEXTS.clients, blocked_clients=TEXTS.blocked),
        Pick("postgresql.sessions", most=4),
    ),
    _strip(
        TEXTS.statements,
        *_single("mariadb", questions=TEXTS.statements_line),
        *_single("redis", commands=TEXTS.commands),
        *_single("postgresql", commits=TEXTS.commits, rollbacks=TEXTS.rollbacks),
    ),
    _strip(
        TEXTS.rows,
        *_single("mariadb", rows_read=TEXTS.rows_read, rows_sent=TEXTS.rows_sent),
        *_single("postgresql", rows_scanned=TEXTS.rows_scanned, rows_fetched=TEXTS.rows_by_index),
    ),
    _strip(
        TEXTS.connections_accepted,
        *_single("redis", connections=TEXTS.connections),
        *_single("memcached", connections=TEXTS.connections),
        *_single("mariadb", connections=TEXTS.connections),
    ),
    _strip(
        TEXTS.waiting_for_locks,
        *_single("mariadb", lock_waiters=TEXTS.transactions),
        *_single("postgresql", lock_waiters=TEXTS.sessions),
    ),
    _strip(TEXTS.session_waits, Pick("postgresql.waits")),
    _strip(
        TEXTS.hits_and_misses,
        *_single("redis", hits=TEXTS.hits, misses=TEXTS.misses),
        *_single("memcached", hits=TEXTS.hits, misses=TEXTS.misses),
    ),
    _strip(
        TEXTS.thrown_out,
        *_single("redis", evicted_keys=TEXTS.keys),
        *_single("memcached", evictions=TEXTS.items),
    ),
    _strip(
        TEXTS.time_of_statements,
        Pick("redis.command_s"),
        Pick("mariadb.digest_s"),
        Pick("postgresql.statement_s"),
    ),
    _strip(
        TEXTS.nginx_connections,
        *_single("nginx", reading=TEXTS.reading, writing=TEXTS.writing, waiting=TEXTS.idle_connections),
    ),
    _strip(TEXTS.access_log_answers, Pick("access_log.answers")),
    _strip(TEXTS.cores, Pick("system_cpu.busy"), about=TEXTS.time_not_idle, is_always=True),
    _strip(TEXTS.time_wait, Pick("tcp_sockets.time_wait", "*:*")),
    _strip(TEXTS.connections_opened, Pick("tcp_sockets.opened", "*:*")),
    _strip(TEXTS.ports_in_use, Pick("tcp_sockets.port_range_share")),
    _strip(TEXTS.waiting_to_be_accepted, Pick("tcp_sockets.accept_queue")),
    _strip(TEXTS.memory, Pick("memory.available_bytes", label=TEXTS.memory_available)),
    _strip(
        TEXTS.stalled,
        Pick("system_cpu.stalled_s", label=TEXTS.stalled_for_core),
        Pick("memory.stalled_some_s", label=TEXTS.stalled_for_memory),
        Pick("disks.stalled_some_s", label=TEXTS.stalled_for_disk),
        about=TEXTS.stalled_meaning,
    ),
    _strip(TEXTS.stolen, Pick("system_cpu.steal_s")),
    _strip(
        TEXTS.same_work,
        Pick("cpu_clock.work_s", "cpu*"),
        about=TEXTS.same_work_meaning,
    ),
    _strip(TEXTS.disk_time, Pick("disks.busy_s"), about=TEXTS.disk_time_meaning),
    _strip(
        TEXTS.network_bytes,
        Pick("network.received_bytes", label=TEXTS.bytes_in, most=2),
        Pick("network.sent_bytes", label=TEXTS.bytes_out, most=2),
    ),
    _strip(TEXTS.threads, Pick("process.threads", "tree", TEXTS.threads_line)),
    _strip(TEXTS.processes, Pick("process.processes", "tree", TEXTS.processes_line)),
)
"""Strips in the order in which a tier shows those that it has."""
