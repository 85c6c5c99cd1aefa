"""The catalogue of faults and of healthy stacks. Written before any of them was judged."""

from typing import Any

from bench.zoo.cases import Change, Well, ZooFault

SERVER = ("server",)
NARROW: Change = {"net.ipv4.tcp_tw_reuse": "0"}
LEAVING: Change = {"users": 32, "connections": {"keep_alive": False}}
"""Clients that connect anew for each request."""


def _ports(*many: int) -> tuple[Any, ...]:
    return tuple(
        {"sysctl": {**NARROW, "net.ipv4.ip_local_port_range": f"20000 {20000 + count - 1}"}} for count in many
    )


GO = (
    ZooFault("pool", "go", ("pool_too_small",), SERVER, "pool", (30, 24, 18, 10, 4),
             base={"held": True, "quotes_delay_ms": 20, "pool": 60, "idle": 60}, sick={"idle": 60}),
    ZooFault("churn", "go", ("connection_churn",), ("server", "postgresql"), "idle", (30, 16, 8, 0, 0)),
    ZooFault("rows", "go", ("leak", "pool_too_small"), SERVER, "forgotten_rows",
             (0.00001, 0.0003, 0.001, 0.005, 0.02), base={"pool": 60, "idle": 60}),
    ZooFault("files", "go", ("descriptor_limit", "leak"), SERVER, "forgotten_files",
             (0.001, 0.01, 0.02, 0.05, 0.2), base={"nofile": 400}),
    ZooFault("stuck", "go", ("leak", "oom_kill", "memory_pressure"), SERVER, "stuck",
             (0.001, 0.01, 0.03, 0.1, 0.3), base={"stuck_bytes": 100_000, "memory_mb": 160}),
    ZooFault("scan", "go", ("missing_index",), ("postgresql",), "orders",
             (300, 1_500, 4_000, 20_000, 80_000), base={"column": "code"}, sick={"indexed": False}),
    ZooFault("row", "go", ("row_lock",), ("postgresql",), "hot_ms", (0, 0, 1, 4, 20)),
    ZooFault("many", "go", ("n_plus_one",), ("server", "postgresql"), "queries", (1, 2, 4, 20, 60)),
    ZooFault("quotes", "go", ("slow_dependency",), ("quotes",), "quotes_delay_ms", (2.1, 4, 10, 60, 300)),
    ZooFault("retries", "go", ("slow_dependency",), ("quotes",), "quotes_slots", (30, 16, 8, 4, 1),
             base={"quotes_delay_ms": 10, "retries": 3, "quote_timeout_ms": 60}),
    ZooFault("squeezed", "go", ("cpu_quota", "database_cpu"), ("postgresql",), "database_quota",
             (0.9, 0.5, 0.3, 0.12, 0.05)),
    ZooFault("names", "go", ("slow_dependency",), ("names", "dns"), "names_ms", (0.1, 2, 8, 40, 200),
             base={"lookup": True, "names_ms": 0.05}),
    ZooFault("log", "go", ("request_overhead", "disk_io"), SERVER, "log_lines", (1, 5, 20, 80, 300)),
    ZooFault("lock", "go", ("lock_contention",), SERVER, "lock_us", (10, 50, 200, 2_000, 10_000)),
    ZooFault("commits", "go", ("disk_io",), ("postgresql",), "database_writes", (5_000, 1_500, 500, 60, 12),
             base={"write": True, "durable": True}),
    ZooFault("batch", "go", ("noisy_neighbour",), ("batch",), "batch", (0.02, 0.1, 0.25, 0.6, 0.95)),
)  # fmt: skip
THREADS = (
    ZooFault("halves", "threads", ("delayed_ack",), SERVER, None,
             ({}, {"split_writes": True}, *({"split_writes": True, "nagle": True},) * 3),
             load={"users": 8}),
    ZooFault("statistics", "threads", ("gil", "host_cpu"), SERVER, "statistics", (0.02, 0.1, 0.3, 0.8, 0.98)),
    ZooFault("desks", "threads", ("too_few_workers",), SERVER, "desks", (32, 28, 20, 8, 2),
             base={"wait_ms": 20}),
    ZooFault("lock", "threads", ("lock_contention",), SERVER, "lock_ms", (0.01, 0.1, 0.5, 4, 20)),
    ZooFault("journal", "threads", ("disk_io",), SERVER, "writes", (10_000, 2_000, 600, 100, 20),
             base={"journal_bytes": 100, "durable": True}),
    ZooFault("kept", "threads", ("oom_kill", "leak", "memory_pressure"), SERVER, "kept_bytes",
             (10, 1_000, 5_000, 30_000, 200_000), base={"memory_mb": 120}),
    ZooFault("descriptors", "threads", ("descriptor_limit",), SERVER, "nofile", (200, 80, 50, 30, 12),
             load={"users": 60, "think": "20ms"}),
    ZooFault("accept", "threads", ("accept_backlog",), SERVER, "backlog", (128, 32, 8, 1, 1),
             load=LEAVING, base={"accept_ms": 0.5}),
    ZooFault("wide", "threads", ("network_bandwidth",), ("server", "load", ""), None,
             tuple({"shape": f"tbf rate {rate} burst 64kb latency 400ms"}
                for rate in ("10gbit", "1gbit", "300mbit", "80mbit", "10mbit")),
             base={"padding": 30_000}),
    ZooFault("loss", "threads", ("packet_loss",), ("server", "load", ""), None,
             tuple({"shape": f"netem loss {share}%"} for share in (0.001, 0.05, 0.2, 2, 10))),
    ZooFault("ports", "threads", ("client_port_exhaustion",), ("load", "server", ""), None,
             _ports(45_000, 20_000, 8_000, 1_500, 300), load=LEAVING),
)  # fmt: skip
FLASK = (
    ZooFault("held", "flask", ("pool_too_small",), ("server",), "pool", (16, 14, 10, 3, 1),
             base={"held": True, "quotes_delay_ms": 20}),
    ZooFault("sums", "flask", ("database_cpu", "missing_index"), ("postgresql",), "sums", (0, 1, 2, 8, 30)),
    ZooFault("debug", "flask", ("request_overhead",), SERVER, "log_lines", (1, 4, 10, 60, 300)),
    ZooFault("statistics", "flask", ("gil", "host_cpu"), SERVER, "statistics", (0.02, 0.1, 0.3, 0.8, 0.98)),
    ZooFault("crowd", "flask", ("too_many_workers", "memory_pressure"), SERVER, "workers", (2, 4, 8, 24, 60),
             base={"threads": 8, "work": 20_000}),
    ZooFault("report", "flask", ("lock_contention",), SERVER, "report_share", (0.0005, 0.005, 0.02, 0.1, 0.5),
             base={"report_s": 0.05}),
    ZooFault("start", "sync", ("restarts_in_step",), SERVER, "import_s", (0.01, 0.05, 0.15, 0.8, 2.0),
             base={"max_requests": 60}),
    ZooFault("few", "sync", ("too_few_workers",), SERVER, "workers", (8, 7, 6, 2, 1),
             base={"quotes_delay_ms": 20}),
    ZooFault("visitors", "sync", ("too_few_workers", "worker_class"), SERVER, None,
             tuple({"load": {"slow_clients": many}} for many in (0, 1, 2, 6, 20)),
             base={"quotes_delay_ms": 10}, load={"users": 8, "connections": {"keep_alive": False}}),
    ZooFault("hung", "sync", ("worker_timeouts",), SERVER, "quotes_tail_share",
             (0.0001, 0.001, 0.002, 0.01, 0.05),
             base={"quotes_tail_ms": 8_000, "timeout_s": 2}, load={"share": 0.4}),
    ZooFault("misses", "cached", ("cache_bottleneck",), ("memcached",), "value_bytes",
             (500, 2_000, 8_000, 60_000, 200_000), base={"column": "code", "sums": 4}),
    ZooFault("ports", "cached", ("dependency_port_exhaustion",), ("server", "postgresql", "quotes"), None,
             _ports(45_000, 20_000, 8_000, 1_000, 200), sick={"fresh_quotes": True}),
    ZooFault("fresh", "proxied", ("connection_churn",), ("upstream", "postgresql"), None,
             ({}, {"fresh_quotes": True}, *({"fresh_database": True},) * 3)),
    ZooFault("slots", "proxied", ("too_few_workers",), ("upstream",), None,
             tuple({"workers": 1, "threads": threads} for threads in (32, 28, 20, 6, 2)),
             base={"quotes_delay_ms": 30, "workers": 1, "threads": 32, "pool": 32}),
    ZooFault("seats", "proxied", ("too_few_workers", "descriptor_limit"), SERVER, "front_connections",
             (500, 200, 120, 40, 16), load={"users": 64}, base={"front_connections": 1024}),
)  # fmt: skip
ASYNC = (
    ZooFault("held", "fastapi", ("pool_too_small",), SERVER, "pool", (32, 28, 16, 4, 1),
             base={"held": True, "quotes_delay_ms": 20, "pool": 40}),
    ZooFault("blocked", "fastapi", ("blocked_event_loop",), SERVER, "block_share",
             (0.0005, 0.002, 0.01, 0.05, 0.3),
             base={"block_ms": 40}),
    ZooFault("collected", "fastapi", ("gc_pressure",), SERVER, "collected", (0.0, 0.001, 0.01, 0.1, 0.5),
             base={"live": 300_000}),
    ZooFault("lines", "fastapi", ("request_overhead", "host_cpu"), SERVER, "lines", (5, 20, 60, 400, 3_000)),
    ZooFault("fresh", "fastapi", ("connection_churn",), ("server", "postgresql", "quotes"), None,
             ({}, {"fresh_quotes": True}, *({"fresh_database": True},) * 3)),
    ZooFault("reports", "fastapi", ("too_few_workers",), SERVER, None,
             tuple({"load": {"users": users}} for users in (40, 44, 60, 120, 400)),
             base={"report_ms": 250}, load={"asked": {"/reports/{number}": 1}},
             twin_load={"users": 40, "asked": {"/reports/{number}": 1}}),
    ZooFault("many", "fastapi", ("n_plus_one",), ("server", "postgresql"), "queries", (1, 2, 4, 20, 60)),
    ZooFault("many", "node", ("n_plus_one",), ("server", "redis"), "gets", (1, 2, 5, 40, 150)),
    ZooFault("sorted", "node", ("cache_bottleneck",), ("redis",), "feed", (10, 100, 500, 5_000, 40_000),
             sick={"sorted": True}),
    ZooFault("ports", "node", ("dependency_port_exhaustion",), ("server", "redis"), None,
             _ports(45_000, 30_000, 8_000, 1_000, 200), sick={"fresh_redis": True}),
    ZooFault("stampede", "node", ("cache_bottleneck", "host_cpu", "blocked_event_loop"), SERVER,
             "report_work",
             (10_000, 100_000, 300_000, 3_000_000, 10_000_000),
             base={"fresh_ms": 500, "report_ms": 30}, sick={"single_flight": False}),
    ZooFault("squeezed", "node", ("cpu_quota",), SERVER, "quota", (1.0, 0.9, 0.7, 0.3, 0.1)),
    ZooFault("full", "node", ("host_cpu",), SERVER, "work",
             (110_000, 200_000, 500_000, 3_000_000, 10_000_000),
             load={"share": 0.5}),
    ZooFault("log", "node", ("request_overhead", "blocked_event_loop", "disk_io"), SERVER, "log_lines",
             (0, 1, 4, 30, 150)),
)  # fmt: skip
JVM = (
    ZooFault("halves", "jdk", ("delayed_ack",), SERVER, None, ({}, *({"nagle": True},) * 4),
             load={"users": 8}),
    ZooFault("accept", "jdk", ("accept_backlog",), SERVER, "backlog", (128, 32, 8, 1, 1),
             load={"users": 64, "connections": {"keep_alive": False}}),
    ZooFault("threads", "jdk", ("too_few_workers",), SERVER, "threads", (40, 30, 24, 4, 1),
             base={"wait_ms": 20}),
    ZooFault("lock", "jdk", ("lock_contention",), SERVER, "lock_ms", (0, 0, 1, 3, 20), base={"wait_ms": 5}),
    ZooFault("heap", "jdk", ("gc_pressure",), SERVER, "heap_mb", (512, 200, 110, 78, 68),
             base={"live_mb": 50, "replaced": 40, "heap_mb": 512, "allocate_kb": 300, "pool": 5}),
    ZooFault("pool", "jdk", ("pool_too_small",), SERVER, "pool", (32, 28, 20, 6, 1),
             base={"hold_ms": 10, "pool": 40}),
    ZooFault("row", "jdk", ("row_lock",), ("mariadb",), "hot_ms", (0, 0, 1, 3, 20)),
    ZooFault("many", "jdk", ("n_plus_one",), ("server", "mariadb"), "queries", (1, 2, 4, 25, 100)),
    ZooFault("scan", "jdk", ("missing_index",), ("mariadb",), "orders", (300, 1_000, 4_000, 20_000, 80_000),
             base={"column": "code"}, sick={"indexed": False}),
    ZooFault("squeezed", "jdk", ("cpu_quota", "database_cpu"), ("mariadb",), "database_quota",
             (0.9, 0.5, 0.3, 0.1, 0.05)),
    ZooFault("cold", "jdk", ("warm_up",), SERVER, None,
             tuple({"load": {"share": share}} for share in (0.05, 0.1, 0.3, 0.7, 0.95)),
             load={"cold": True, "share": 0.7}, base={"work": 400_000}, twin_load={"share": 0.7}, seconds=15),
)  # fmt: skip
MORE = (
    ZooFault("children", "php", ("too_few_workers",), ("upstream",), "children", (32, 28, 20, 5, 1),
             base={"wait_ms": 20, "children": 40}),
    ZooFault("fresh", "php", ("connection_churn",), ("upstream", "mariadb"), None,
             ({}, {}, *({"kept": False},) * 3)),
    ZooFault("many", "php", ("n_plus_one",), ("upstream", "mariadb"), "queries", (1, 2, 5, 30, 100)),
    ZooFault("scan", "php", ("missing_index",), ("mariadb",), "orders", (300, 1_000, 4_000, 20_000, 80_000),
             base={"column": "code"}, sick={"indexed": False}),
    ZooFault("ports", "php", ("dependency_port_exhaustion",), ("upstream", "mariadb"), None,
             _ports(45_000, 30_000, 8_000, 1_000, 200), sick={"kept": False}),
    ZooFault("session", "php", ("lock_contention",), ("upstream",), "session_ms", (0, 0, 1, 4, 20),
             base={"wait_ms": 2}),
    ZooFault("work", "php", ("host_cpu",), ("upstream",), "work", (5_500, 10_000, 20_000, 200_000, 1_000_000),
             load={"share": 0.6}),
    ZooFault("threads", "puma", ("too_few_workers",), SERVER, "threads", (32, 28, 20, 4, 1),
             base={"quotes_delay_ms": 30}),
    ZooFault("quotes", "puma", ("slow_dependency",), ("quotes",), "quotes_delay_ms", (2.1, 4, 10, 80, 300)),
    ZooFault("lock", "puma", ("lock_contention",), SERVER, "lock_ms", (0.01, 0.1, 0.5, 4, 20)),
    ZooFault("collected", "puma", ("gc_pressure",), SERVER, "collected", (0.0, 0.001, 0.01, 0.2, 1.0),
             base={"live": 300_000}),
    ZooFault("statistics", "puma", ("gil", "host_cpu"), SERVER, "statistics", (0.02, 0.1, 0.3, 0.8, 0.98)),
    ZooFault("kept", "puma", ("oom_kill", "leak", "memory_pressure"), SERVER, "kept_bytes",
             (10, 1_000, 5_000, 20_000, 100_000), base={"memory_mb": 150}),
    ZooFault("lines", "aiohttp", ("pool_too_small", "slow_dependency"), SERVER, "lines", (32, 28, 20, 4, 1),
             base={"quotes_delay_ms": 20}),
    ZooFault("blocked", "aiohttp", ("blocked_event_loop",), SERVER, "block_share",
             (0.0005, 0.002, 0.01, 0.05, 0.3),
             base={"block_ms": 30}),
    ZooFault("fresh", "aiohttp", ("connection_churn",), ("server", "quotes"), None,
             ({}, {}, *({"fresh_quotes": True},) * 3)),
    ZooFault("lock", "aiohttp", ("lock_contention",), SERVER, "lock_ms", (0.01, 0.1, 0.5, 4, 20)),
    ZooFault("descriptors", "aiohttp", ("descriptor_limit",), SERVER, "nofile", (300, 120, 90, 50, 20),
             load={"users": 80, "think": "50ms"}, base={"nofile": 1024}),
    ZooFault("fresh", "django", ("connection_churn",), ("server", "postgresql"), None,
             ({}, {"kept_s": 1}, *({"kept_s": 0},) * 3)),
    ZooFault("driver", "django", ("worker_class", "blocked_event_loop", "too_few_workers"), SERVER, None,
             ({}, {}, *({"class": "gevent", "report_ms": wait} for wait in (2, 10, 50))),
             base={"workers": 1, "threads": 32, "report_ms": 10, "timeout_s": 60}),
    ZooFault("many", "django", ("n_plus_one",), ("server", "postgresql"), "queries", (1, 2, 4, 20, 60)),
    ZooFault("row", "django", ("row_lock",), ("postgresql",), "hot_ms", (0.01, 0.2, 1, 5, 20),
             base={"hot_ms": 0.01}),
    ZooFault("skew", "balanced", ("too_few_workers",), ("first",), "weight", (1, 2, 3, 20, 60),
             base={"desks": 8, "wait_ms": 20}),
    ZooFault("archive", "threads", ("memory_pressure", "disk_io"), SERVER, "memory_mb",
             (500, 350, 200, 120, 60),
             base={"archive_mb": 240, "memory_mb": 600}),
    ZooFault("order", "go", ("slow_dependency",), ("quotes",), "quotes_tail_share",
             (0.0001, 0.001, 0.004, 0.03, 0.2), base={"quotes_tail_ms": 3_000},
             load={"users": 32, "timeout": "1s"}),
    ZooFault("herd", "sync", ("too_many_workers", "memory_pressure"), SERVER, "workers", (8, 12, 24, 64, 120),
             base={"work": 20_000}, load=LEAVING),
    ZooFault("tasks", "threads", ("process_limit",), SERVER, "tasks", (300, 100, 50, 20, 5),
             load={"users": 60, "think": "20ms"}, base={"tasks": 400}),
)  # fmt: skip
SPRING = (
    ZooFault("threads", "spring", ("too_few_workers",), SERVER, "threads", (100, 40, 24, 5, 1),
             base={"quotes_delay_ms": 20}),
    ZooFault("pool", "spring", ("pool_too_small",), SERVER, "pool", (36, 30, 22, 6, 1),
             base={"held": True, "quotes_delay_ms": 20}),
    ZooFault("unclosed", "spring", ("leak", "pool_too_small"), SERVER, "unclosed",
             (0.00001, 0.001, 0.005, 0.013, 0.03), base={"pool": 90}),
    ZooFault("lock", "spring", ("lock_contention",), SERVER, "lock_ms", (0.01, 0.1, 0.8, 4, 20)),
    ZooFault("many", "spring", ("n_plus_one",), ("server", "postgresql"), "queries", (1, 2, 5, 25, 80)),
    ZooFault("scan", "spring", ("missing_index",), ("postgresql",), "orders",
             (300, 1_500, 4_000, 20_000, 80_000), base={"column": "code"}, sick={"indexed": False}),
    ZooFault("heap", "spring", ("gc_pressure",), SERVER, "heap_mb", (512, 300, 130, 100, 84),
             base={"live_mb": 50, "replaced": 40, "heap_mb": 512, "allocate_kb": 200}),
    ZooFault("quotes", "spring", ("slow_dependency",), ("quotes",), "quotes_delay_ms",
             (2.1, 10, 40, 200, 800)),
    ZooFault("callers", "spring", ("pool_too_small",), SERVER, "quote_connections", (100, 28, 20, 5, 1),
             base={"quotes_delay_ms": 20}),
    ZooFault("log", "spring", ("request_overhead", "disk_io"), SERVER, "log_lines", (1, 4, 15, 80, 300)),
)  # fmt: skip
BRIEF: Change = {"users": 60, "think": {"exponential": "500ms"}}
"""Users whose connections stand idle for times that differ."""
IDLE = (
    # What is sent from when the server has given a connection up until it has closed it is lost.
    ZooFault("idle", "threads", ("keep_alive_mismatch",), SERVER, "idle_s", (100, 8, 1.2, 0.3, 0.05),
             base={"farewell_ms": 20}, load=BRIEF),
    ZooFault("idle", "balanced", ("keep_alive_mismatch",), ("server", "first", "second"), "idle_s",
             (100, 2, 0.2, 0.06, 0.02),
             base={"farewell_ms": 20, "front_again": "off", "front_fails": 0, "wait_ms": 50}, load=BRIEF),
)  # fmt: skip
FAULTS: tuple[ZooFault, ...] = (*MORE, *GO, *JVM, *SPRING, *THREADS, *FLASK, *ASYNC, *IDLE)


def _pair(stack: str, *names: str) -> tuple[ZooFault, ZooFault]:
    first, second = (
        next(fault for fault in FAULTS if (fault.stack, fault.name) == (stack, name)) for name in names
    )
    return first, second


PAIRS = (
    _pair("puma", "threads", "quotes"), _pair("fastapi", "held", "many"), _pair("jdk", "threads", "lock"),
)  # fmt: skip
"""Two faults at once: of each pair, mending either one alone helps."""

HEALTHY: tuple[Well, ...] = (
    Well("thinking", "threads", {"users": 24, "think": "250ms"}),
    Well("busy", "go", {"share": 0.7}),
    Well("leaving", "go", {"share": 0.4, "connections": {"keep_alive": False}}, decoys=("time_wait",)),
    Well("young", "jdk", {"share": 0.5}, {"allocate_kb": 400, "heap_mb": 128}),
    Well("neighbour", "node", {"share": 0.5}, decoys=("busy_core",)),
    Well("idle", "fastapi", {"share": 0.5}, decoys=("idle_crowd",)),
    Well("sixty", "flask", {"share": 0.6}),
    Well("fronted", "proxied", {"share": 0.5}, decoys=("time_wait",)),
    Well("remembered", "cached", {"share": 0.6}),
    Well("ruby", "puma", {"share": 0.6}),
    Well("pages", "php", {"share": 0.5, "connections": {"keep_alive": False}}),
    Well("shared", "balanced", {"share": 0.6}, {"desks": 8, "wait_ms": 10}),
    Well("mapped", "django", {"share": 0.6}),
    Well("booted", "spring", {"share": 0.6}),
    Well("held", "spring", {"users": 30, "think": "100ms"}, {"held": True, "quotes_delay_ms": 20}),
    Well("waiting", "sync", {"users": 6, "think": "100ms"}, {"quotes_delay_ms": 20}),
)
