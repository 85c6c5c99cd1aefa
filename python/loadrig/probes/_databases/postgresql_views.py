"""Questions to the statistics views of PostgreSQL, and the metrics that their answers become."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from loadrig.base.series import Metric
from loadrig.probes._counting import OTHERS, Counters, ServerFigure, SubjectValues, counter, figured, gauge

Row = Mapping[str, Any]


class SessionGroup(NamedTuple):
    """Row of SESSIONS: `n` sessions of a type that are in the same state and wait for the same.

    Times are of the oldest of them, in seconds. most: of sessions, by the configuration; started: when the
    server was, in seconds since 1970. None where this user may not see it, or where it does not apply.
    """

    type: str | None
    state: str | None
    wait_type: str | None
    wait: str | None
    n: int
    statement_s: float | None
    transaction_s: float | None
    idle_s: float | None
    most: int
    started: float


class WaitingLocks(NamedTuple):
    """Row of LOCKS: sessions that wait for a lock, and the longest wait in seconds."""

    waiting: int
    longest_s: float | None


class StatementSums(NamedTuple):
    """Row of STATEMENTS: what a statement of a user in a database has cost since the counters began."""

    queryid: int
    dbid: int
    userid: int
    calls: int
    time_ms: float
    rows: int
    blocks_read: int
    blocks_hit: int
    temporary_blocks: int


class StatementText(NamedTuple):
    """Row of TEXTS: the text of a statement."""

    queryid: int
    text: str


MARK = "/* loadrig */ "
"""Beginning of each statement of the rig, which tells it from statements of others."""

# Sums over all databases, by the columns of pg_stat_database.
DATABASE = (
    counter("xact_commit", "commits", "1", "Transactions committed."),
    counter("xact_rollback", "rollbacks", "1", "Transactions rolled back."),
    counter("blks_hit", "blocks_hit", "1", "Blocks found in shared memory."),
    counter("blks_read", "blocks_read", "1", "Blocks asked of the kernel."),
    counter("tup_returned", "rows_scanned", "1", "Rows read by scans of tables and entries of indexes."),
    counter("tup_fetched", "rows_fetched", "1", "Rows fetched by indexes."),
    counter("tup_inserted", "rows_inserted", "1", "Rows inserted."),
    counter("tup_updated", "rows_updated", "1", "Rows changed."),
    counter("tup_deleted", "rows_deleted", "1", "Rows removed."),
    counter("temp_files", "temporary_files", "1", "Files written because a sort or join was too large."),
    counter("temp_bytes", "temporary_bytes", "B", "Bytes in them."),
    counter("deadlocks", "deadlocks", "1", "Deadlocks."),
    counter("conflicts", "conflicts", "1", "Queries cancelled on a standby."),
    counter("blk_read_time", "block_read_s", "s", "Time of reads, where track_io_timing is on.", factor=1e-3),
    counter("sessions", "sessions_opened", "1", "Connections opened (from version 14)."),
    counter("sessions_abandoned", "sessions_abandoned", "1", "Connections that the client dropped."),
    counter("sessions_fatal", "sessions_failed", "1", "Connections that an error ended."),
)  # fmt: skip

# Columns of pg_stat_bgwriter up to 16, of pg_stat_checkpointer from 17; pg_stat_wal from 14.
CHECKPOINTS = (
    counter("timed", "checkpoints_timed", "1", "Checkpoints because it was time."),
    counter("requested", "checkpoints_requested", "1", "Checkpoints because of much log, or of a command."),
    counter("write_time", "checkpoint_write_s", "s", "Time of checkpoints spent writing.", factor=1e-3),
    counter("sync_time", "checkpoint_sync_s", "s", "Time of checkpoints spent on syncing.", factor=1e-3),
    counter("buffers", "checkpoint_blocks", "1", "Blocks written by checkpoints."),
    counter("buffers_clean", "cleaner_blocks", "1", "Blocks written by the background writer."),
    counter("buffers_backend", "backend_blocks", "1", "Blocks that sessions wrote themselves (to 16)."),
    counter("buffers_alloc", "allocated_blocks", "1", "Blocks made room for."),
    counter("wal_bytes", "log_written_bytes", "B", "Bytes of write-ahead log (from version 14)."),
    counter("wal_buffers_full", "log_waits", "1", "Log written early: its buffers were full (from 14)."),
    counter("wal_sync", "log_syncs", "1", "Times that log was put on disk (versions 14 to 17)."),
    counter(
        "wal_sync_time", "log_sync_s", "s", "Time of that, where track_wal_io_timing is on.", factor=1e-3
    ),
)  # fmt: skip

_RENAMED = {
    "checkpoints_timed": "timed", "num_timed": "timed",
    "checkpoints_req": "requested", "num_requested": "requested",
    "checkpoint_write_time": "write_time", "checkpoint_sync_time": "sync_time",
    "buffers_checkpoint": "buffers", "buffers_written": "buffers",
}  # fmt: skip

REPLICATION = (
    gauge("replicas", "replicas", "1", "Standbys that are connected."),
    gauge("behind_bytes", "replication_lag_bytes", "B", "Log that the slowest of them has not applied."),
    gauge("behind_s", "replication_lag_s", "s", "How far the slowest is behind; of a standby, itself."),
)

FIGURES: tuple[ServerFigure, ...] = (*DATABASE, *CHECKPOINTS, *REPLICATION)

SESSIONS = """
SELECT backend_type AS type, state, wait_event_type AS wait_type, wait_event AS wait, count(*) AS n,
  extract(epoch FROM max(clock_timestamp() - query_start) FILTER (WHERE state = 'active')) AS statement_s,
  extract(epoch FROM max(clock_timestamp() - xact_start)) AS transaction_s,
  extract(epoch FROM max(clock_timestamp() - state_change)
    FILTER (WHERE state LIKE 'idle in transaction%')) AS idle_s,
  current_setting('max_connections')::int AS most,
  extract(epoch FROM pg_postmaster_start_time())::float8 AS started
FROM pg_stat_activity WHERE pid <> pg_backend_pid() GROUP BY 1, 2, 3, 4"""

DATABASES = "SELECT * FROM pg_stat_database"

LOCKS = """
SELECT count(*) AS waiting, extract(epoch FROM max(clock_timestamp() - {since})) AS longest_s
FROM pg_locks AS l{join} WHERE NOT l.granted"""

PRIMARY = """
SELECT count(*) AS replicas, max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)) AS behind_bytes,
  extract(epoch FROM max(replay_lag)) AS behind_s FROM pg_stat_replication"""

STANDBY = """
SELECT NULL AS replicas, pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS behind_bytes,
  extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) AS behind_s"""

IO = """
SELECT backend_type AS type, object, sum(reads) AS reads, sum(read_time) AS read_time, sum(writes) AS writes,
  sum(write_time) AS write_time, sum(extends) AS extends, sum(extend_time) AS extend_time, sum(hits) AS hits,
  sum(evictions) AS evictions, sum(fsyncs) AS fsyncs, sum(fsync_time) AS fsync_time
FROM pg_stat_io WHERE backend_type NOT IN ('standalone backend', 'startup') GROUP BY 1, 2"""

IO_FROM = 160000
"""First version that has pg_stat_io."""

MOST_IO = 12

# Column of a row of IO, metric, factor. Times are in milliseconds, 0 unless track_io_timing is on.
_IO = (
    ("reads", "io_reads", 1.0), ("read_time", "io_read_s", 1e-3),
    ("writes", "io_writes", 1.0), ("write_time", "io_write_s", 1e-3),
    ("extends", "io_extends", 1.0), ("extend_time", "io_extend_s", 1e-3),
    ("hits", "io_hits", 1.0), ("evictions", "io_evictions", 1.0),
    ("fsyncs", "io_syncs", 1.0), ("fsync_time", "io_sync_s", 1e-3),
)  # fmt: skip

IO_METRICS: Mapping[str, Metric] = {
    "io_reads": Metric("1", "counter", "Reads of files, by kind of process (from version 16)."),
    "io_read_s": Metric("s", "counter", "Time of them, where track_io_timing is on."),
    "io_writes": Metric("1", "counter", "Writes to files, by kind of process."),
    "io_write_s": Metric("s", "counter", "Time of them, where track_io_timing is on."),
    "io_extends": Metric("1", "counter", "Times that files were made longer, by kind of process."),
    "io_extend_s": Metric("s", "counter", "Time of that, where track_io_timing is on."),
    "io_hits": Metric("1", "counter", "Blocks found in memory, by kind of process."),
    "io_evictions": Metric("1", "counter", "Blocks thrown out of memory to make room, by kind of process."),
    "io_syncs": Metric("1", "counter", "Times that files were put on disk, by kind of process."),
    "io_sync_s": Metric("s", "counter", "Time of that, where track_io_timing is on."),
}

STATEMENTS = """
SELECT queryid, dbid, userid, calls, {time} AS time_ms, rows, shared_blks_read AS blocks_read,
  shared_blks_hit AS blocks_hit,
  temp_blks_written AS temporary_blocks
FROM {schema}.pg_stat_statements(false) WHERE queryid IS NOT NULL ORDER BY {time} DESC LIMIT {most}"""

TEXTS = """
SELECT DISTINCT ON (queryid) queryid, left(query, 1000) AS text FROM {schema}.pg_stat_statements
WHERE queryid IN ({ids})"""


def locks_sql(version: int) -> str:
    """Return the statement on sessions that wait for a lock, and for how long.

    Before version 14 the start of the wait is not known: the time then counts from the start of the
    statement.
    """
    if version >= 140000:
        return LOCKS.format(since="l.waitstart", join="")
    return LOCKS.format(since="a.query_start", join=" LEFT JOIN pg_stat_activity AS a USING (pid)")


def checkpoint_sqls(version: int) -> tuple[str, ...]:
    """Return the statements on the views that hold the columns of CHECKPOINTS in this version."""
    views = ["pg_stat_bgwriter"]
    if version >= 140000:
        views.append("pg_stat_wal")
    if version >= 170000:
        views.append("pg_stat_checkpointer")
    return tuple(f"SELECT * FROM {view}" for view in views)


def number(value: object) -> float | None:
    """Return the number in a cell; None where it holds none."""
    return None if value is None or isinstance(value, str | bytes) else float(value)  # type: ignore[arg-type]


def summed(rows: Iterable[Row], figures: Iterable[ServerFigure]) -> dict[str, float]:
    """Return the sums of the columns that the figures are made of, as far as this version has them."""
    sums: dict[str, float] = {}
    wanted = {figure.source for figure in figures}
    for row in rows:
        for column, cell in row.items():
            name = _RENAMED.get(column, column)
            if name in wanted and (value := number(cell)) is not None:
                sums[name] = sums.get(name, 0.0) + value
    return sums


def totals(rows: Iterable[Row], figures: Iterable[ServerFigure], counters: Counters[str]) -> SubjectValues:
    """Return the metrics of the rows of some views."""
    figures = tuple(figures)
    return figured(figures, summed(rows, figures), counters)


class Files:
    """Figures of pg_stat_io by kind of process ("client backend", "checkpointer wal"), over restarts."""

    def __init__(self) -> None:
        self._counters: Counters[tuple[str, str, str]] = Counters()
        self._named: list[str] = []

    def begin_anew(self) -> None:
        """Take note that the server was started again."""
        self._counters.begin_anew()

    def add(self, rows: Iterable[Row]) -> SubjectValues:
        """Return the metrics of the rows of IO.

        A kind that has done nothing is left out, as are empty cells (NULL).
        """
        metrics: SubjectValues = {}
        for row in rows:
            # From version 18 the view has rows for the log's own files as well.
            kind = str(row["type"]) if row["object"] != "wal" else f"{row['type']} wal"
            values = {
                metric: value * factor
                for column, metric, factor in _IO
                if (value := number(row[column])) is not None
            }
            if not any(values.values()):
                continue
            if kind not in self._named and len(self._named) < MOST_IO:
                self._named.append(kind)
            subject = kind if kind in self._named else OTHERS
            for metric, value in values.items():
                key = (metric, kind, str(row["object"]))
                total = self._counters.go_on(key, value)
                metrics[metric, subject] = metrics.get((metric, subject), 0.0) + total
        return metrics


def wait_of(wait_type: str | None, wait: str | None) -> str:
    """Return what a session waits for, such as "Lock:transactionid"; "CPU" where it waits for nothing."""
    return f"{wait_type}:{wait}" if wait_type else "CPU"


def states(rows: Iterable[SessionGroup]) -> tuple[dict[str, float], dict[str, float]]:
    """Return the clients by state, and those at work by what they wait for."""
    sessions: Counter[str] = Counter()
    waits: Counter[str] = Counter()
    for row in rows:
        if row.type == "client backend":
            sessions[row.state or "hidden"] += row.n
            if row.state == "active":
                waits[wait_of(row.wait_type, row.wait)] += row.n
    return dict(sessions), dict(waits)
