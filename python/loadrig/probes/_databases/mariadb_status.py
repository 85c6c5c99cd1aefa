"""Metrics of MariaDB and MySQL from SHOW GLOBAL STATUS."""

from collections.abc import Iterable, Mapping

from loadrig.probes._counting import Counters, HitShare, SubjectValues, counter, figured, gauge, numbers

FIGURES = (
    gauge("Max_used_connections", "max_used_connections", "1", "Most connections at once so far."),
    gauge("Innodb_row_lock_current_waits", "row_lock_waiters", "1", "Waits for a row now."),
    gauge("Innodb_buffer_pool_bytes_data", "buffer_pool_bytes", "B", "Data in the buffer pool."),
    gauge("Innodb_buffer_pool_bytes_dirty", "buffer_pool_dirty_bytes", "B", "Of it, not yet on disk."),
    gauge("Innodb_history_list_length", "history_length", "1", "Old row versions not yet purged."),
    gauge("Innodb_checkpoint_age", "checkpoint_age_bytes", "B", "Log since the last checkpoint."),
    gauge("Innodb_checkpoint_max_age", "checkpoint_limit_bytes", "B", "At so much log all writes wait."),
    gauge("Memory_used", "memory_bytes", "B", "Memory that the server has allocated."),
    counter("Questions", "questions", "1", "Statements sent by clients."),
    counter("Connections", "connections", "1", "Attempts to connect.", "mysql.connection.count"),
    counter("Aborted_connects", "aborted_connects", "1", "Attempts to connect that failed."),
    counter("Aborted_clients", "aborted_clients", "1", "Connections that ended without a good-bye."),
    counter(
        "Connection_errors_max_connections", "rejected_connections", "1",
        "Connections turned away: max_connections reached.",
    ),
    counter("Threads_created", "threads_created", "1", "Threads made because none was in the cache."),
    counter("Slow_queries", "slow_queries", "1", "Statements that took longer than long_query_time."),
    counter("Rows_read", "rows_read", "1", "Rows read from tables."),
    counter("Rows_sent", "rows_sent", "1", "Rows sent to clients."),
    counter("Handler_read_rnd_next", "rows_scanned", "1", "Rows read by going through a table (no index)."),
    counter("Handler_read_key", "rows_found_by_key", "1", "Rows found by an index."),
    counter("Handler_read_next", "rows_read_along_index", "1", "Rows read in the order of an index."),
    counter("Handler_read_prev", "rows_read_backwards", "1", "Rows read against the order of an index."),
    counter("Handler_write", "rows_inserted", "1", "Rows inserted."),
    counter("Handler_update", "rows_updated", "1", "Rows changed."),
    counter("Handler_delete", "rows_deleted", "1", "Rows removed."),
    counter("Select_scan", "full_scans", "1", "Queries that went through their whole first table."),
    counter("Select_full_join", "full_joins", "1", "Joins without an index: each row against a whole table."),
    counter("Sort_merge_passes", "sort_merge_passes", "1", "Passes of sorts too large for memory."),
    counter("Created_tmp_tables", "temporary_tables", "1", "Temporary tables made for queries."),
    counter("Created_tmp_disk_tables", "temporary_tables_on_disk", "1", "Of these, those on disk."),
    counter("Bytes_received", "received_bytes", "B", "Bytes from clients."),
    counter("Bytes_sent", "sent_bytes", "B", "Bytes to clients."),
    counter("Innodb_buffer_pool_read_requests", "buffer_pool_requests", "1", "Pages asked of it."),
    counter("Innodb_buffer_pool_reads", "buffer_pool_reads", "1", "Pages that it had to read from disk."),
    counter("Innodb_buffer_pool_wait_free", "buffer_pool_waits", "1", "Waits for a free page."),
    counter("Innodb_row_lock_waits", "row_lock_waits", "1", "Waits for a row."),
    counter("Innodb_row_lock_time", "row_lock_s", "s", "Time waited for rows.", factor=1e-3),
    counter("Innodb_deadlocks", "deadlocks", "1", "Transactions rolled back for a deadlock."),
    counter("Table_locks_waited", "table_lock_waits", "1", "Waits for a table."),
    counter("Innodb_log_waits", "log_waits", "1", "Waits because the log buffer was too small."),
    counter("Innodb_os_log_written", "log_written_bytes", "B", "Bytes written to the log."),
    counter("Innodb_data_fsyncs", "fsyncs", "1", "Waits until data was on disk."),
    counter("Innodb_data_read", "disk_read_bytes", "B", "Bytes read from data files."),
    counter("Innodb_data_written", "disk_written_bytes", "B", "Bytes written to data files."),
)  # fmt: skip

STATEMENTS = {
    f"Com_{name}": name
    for name in ("select", "insert", "update", "delete", "replace", "begin", "commit", "rollback")
} | {"Com_stmt_execute": "execute", "Com_stmt_prepare": "prepare"}
"""Kinds of statements that are counted apart, by the name of their counter."""

_SINCE_START = ("Questions", "Connections", "Bytes_received")
"""Counters that grow even in an idle server while the rig is connected."""

_MORE = ("Threads_running", "Threads_connected", "Uptime", "Innodb_rows_read")

NAMES = (*(figure.source for figure in FIGURES), *STATEMENTS, *_MORE)

_TOUCHED = (
    "Questions", "Rows_read", "Rows_sent", "Handler_read_rnd_next", "Handler_read_key", "Handler_read_next",
    "Handler_read_prev", "Handler_write", "Select_scan", "Created_tmp_tables", "Created_tmp_disk_tables",
    "Bytes_received", "Bytes_sent", "Com_select",
)  # fmt: skip
"""Counters to which the rig's own questions add, and which each session has for itself."""


def _where(names: tuple[str, ...]) -> str:
    return f"WHERE VARIABLE_NAME IN ({', '.join(repr(name) for name in names)})"


SQL = (f"SHOW GLOBAL STATUS {_where(NAMES)}", f"SHOW SESSION STATUS {_where(_TOUCHED)}")
"""Statements for MySQL, which lacks the tables of SQL_OF_MARIADB: figures of server and session."""

# Not SHOW: its own work is in the server's figures and not in the session's. The session first: then
# the session's counts never exceed the server's.
SQL_OF_MARIADB = (
    f"SELECT 1, VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.SESSION_STATUS {_where(_TOUCHED)} UNION"
    f" ALL SELECT 0, VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS {_where(NAMES)}"
)


def parse(rows: Iterable[tuple[object, ...]]) -> dict[str, float]:
    """Return numbers by name, as SHOW writes the names; "OFF" and the like are left out."""
    return numbers((str(name).capitalize(), text) for name, text in rows)


class Status:
    """Status of a server over its restarts."""

    def __init__(self) -> None:
        self._counters: Counters[str] = Counters()
        self._hits = HitShare()
        self._last: Mapping[str, float] = {}
        self._ours: Mapping[str, float] = {}
        self._ours_before: dict[str, float] = {}

    def reconnected(self, values: Mapping[str, float]) -> bool:
        """Take note of values over a new connection. Return whether the server was started anew."""
        is_new = any(values.get(name, 0.0) < self._last.get(name, 0.0) for name in _SINCE_START)
        if is_new:
            self._counters.begin_anew()
            self._ours_before = {}
        else:
            for name, value in self._ours.items():
                self._ours_before[name] = self._ours_before.get(name, 0.0) + value
        self._ours = {}
        return is_new

    def read(
        self, values: Mapping[str, float], ours: Mapping[str, float], max_connections: float
    ) -> SubjectValues:
        """Return the metrics of a reading.

        values: by the server's names; ours: the part that the rig has caused.
        """
        self._last, self._ours = values, ours
        values = {
            name: max(0.0, value - ours.get(name, 0.0) - self._ours_before.get(name, 0.0))
            for name, value in values.items()
        }
        # MySQL has Innodb_rows_read and no Rows_read, MariaDB since 10.3 the reverse.
        values = (
            {"Rows_read": values["Innodb_rows_read"], **values} if "Innodb_rows_read" in values else values
        )
        metrics = figured(FIGURES, values, self._counters)
        for name, statement in STATEMENTS.items():
            if name in values:
                metrics["statements", statement] = self._counters.go_on(name, values[name])
        for name, metric in (
            ("Threads_running", "threads_running"),
            ("Threads_connected", "threads_connected"),
        ):
            if name in values:
                metrics[metric, ""] = max(0.0, values[name] - 1)  # without the rig's connection
        if max_connections:
            metrics["connections_share", ""] = metrics.get(("threads_connected", ""), 0.0) / max_connections
        asked, missed = (metrics.get((f"buffer_pool_{name}", "")) for name in ("requests", "reads"))
        if asked is not None and missed is not None and (share := self._hits.add(asked, missed)) is not None:
            metrics["buffer_pool_hit_share", ""] = share
        return metrics
