"""Mends of what lines of known programs tell, in English, by system, resource and what became of it.

Only where the program's own knob is better advice than the page of the cause.
"""

from collections.abc import Mapping
from typing import ClassVar

_POOLS_TOGETHER = (
    "let the pools of all processes together stay below {limit}, less a few connections for others: each"
    " process has a pool of its own"
)


class LogMendTexts:
    """Mends by "system.resource.what"."""

    mends: ClassVar[Mapping[str, str]] = {
        "postgresql.connections.full": (
            _POOLS_TOGETHER.format(limit="max_connections")
            + "; or put a pooler (PgBouncer) before the database"
        ),
        "sqlite.locks.timed_out": (
            "hold the file's lock for less time: no call to another program within a transaction that writes,"
            " and PRAGMA journal_mode=WAL so that readers do not wait; many writers need a database server"
        ),
        "postgresql.locks.conflict": (
            "change a row in one statement (UPDATE … SET n = n + 1) at READ COMMITTED, or keep transactions"
            " that change the same rows short: each conflict does the work again"
        ),
        "mariadb.connections.full": _POOLS_TOGETHER.format(limit="max_connections and max_user_connections"),
        "redis.connections.full": _POOLS_TOGETHER.format(limit="maxclients"),
        "php-fpm.workers.timed_out": (
            "find what the request waits for (request_slowlog_timeout writes its stack to the slowlog) and"
            " give that call a time-out of its own; or raise request_terminate_timeout, and nginx's"
            " fastcgi_read_timeout with it"
        ),
        "uwsgi.workers.timed_out": (
            "find what the request waits for (py-spy dump --pid PID of a slow worker) and give that call a"
            " time-out of its own; or raise harakiri"
        ),
        "puma.workers.timed_out": (
            "find what keeps the worker from its check-in (rbspy dump --pid PID) and give that call a"
            " time-out of its own; or raise worker_timeout"
        ),
        "unicorn.workers.timed_out": (
            "find what the request waits for (rbspy dump --pid PID) and give that call a time-out of its own;"
            " or raise timeout"
        ),
        "php.memory.exhausted": (
            "keep less in memory at once (read results row by row, upload to a file); or raise"
            " memory_limit in php.ini or the pool, as far as memory_limit times pm.max_children fits"
            " into the machine's memory"
        ),
        "waitress.workers.full": (
            "raise threads (waitress-serve --threads=N; 4 unless set), to about as many requests as"
            " wait for other programs at once; more of them do not help where the CPU is used up"
        ),
    }
