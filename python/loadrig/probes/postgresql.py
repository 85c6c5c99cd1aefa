"""A PostgreSQL: what its sessions do and wait for, rows, blocks, checkpoints, its costliest statements.

## What it reads

Over one connection that is kept, in six to nine statements a sample: `pg_stat_activity` counted by state
and by what is waited for, `pg_stat_database` (summed), `pg_stat_bgwriter` and from version 17
`pg_stat_checkpointer`, from 14 `pg_stat_wal`, from 16 `pg_stat_io` by kind of process, the waiting of
`pg_locks` and, while somebody waits, `pg_blocking_pids` for at most 20 of them, replication, and
`pg_stat_statements` where that extension is installed in the database it is connected to: `database`, else
`postgres`, else the one with most sessions. What a version does not have is left out. Nothing is set.

Besides, `pg_stat_activity` is looked at ten times a second at random instants: `mean_sessions`, `mean_waits`,
`mean_statements` and the figures by client are mean numbers over the `looks` since the sample before, and
`NAME_sd` is how much the number differed from look to look (neighbouring looks see the same statements where
these are long, so the standard error of the mean is then larger than that over the square root of `looks`).
By Little's law such a number over the requests a second is the time of a request in that state.
A client is the component that holds the other end of the connection, where that is on this machine, else its
address, and what it calls itself (`application_name`): `client:server`, `client:10.0.0.7 billing`.

Of statements 200 characters are kept, without values; those that take most time are told apart
(`statement:SELECT …`), the rest is `others`. Our own session is not among the sessions and our
statements not among the costly; in `commits` and `rows_scanned` they are: about seven and 25 a sample.

Without `user` it tries the Unix socket of a local server as `postgres` and as the user who runs the rig, then
`postgres` over TCP, all without a password. A user of its own, with the least rights:
`CREATE ROLE loadrig LOGIN PASSWORD 'PASSWORD' IN ROLE pg_monitor`.
A refused password is tried again after 30 s at the earliest.

## How to read it

`active` sessions above the number of cores that wait for `CPU` queue for it; those in
`Lock:…` wait for each other, in `IO:…` for the disk, in `LWLock:WALWrite` for commits.
`idle in transaction` holds locks while the application does something else: `client_idle_in_transaction`
says whose sessions, and how long they had been idle. `lock_pairs` says who waits for whom, `lock_holders` who
is at the head of the queue and what it does. `mean_waits` of `CPU` against `backends` and cores tells a full
database from an idle one, also without pg_stat_statements. `rows_scanned` far above
`rows_fetched`, growing with each request, is a missing index. An event `checkpoint` beside a dip, with
`checkpoints_requested`, means that `max_wal_size` is too small. `backends_share` near 1 is the end of
connections. PostgreSQL tells what a session has done with a delay of up to a second, ten where it idles then.

## Cost

0.9 ms of one core for a sample, and 1.3 ms of the server; 1.6 and 1.9 ms with 100 sessions and 4,000
statements known to pg_stat_statements. A look: 0.17 ms of one core and 0.6 ms of the server, 0.9 ms with 100
sessions; all together 15 ms a second, 20 ms with 100 sessions.
Where the statements take longer than 10 ms, they are asked less often: 2 % of the time; looks likewise.
Measured on Linux 6.18, Python 3.11, PostgreSQL 15; read with PostgreSQL 18 as well.
"""

import getpass
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from loadrig.base import clock
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.members import only
from loadrig.base.series import Event, Metric
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_databases import ProbesPostgresqlErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._counting import OTHERS, Counters, HitShare, SubjectValues, Tops, metrics, summed_costs
from loadrig.probes._databases import postgresql_looks as _postgresql_looks
from loadrig.probes._databases import postgresql_views as views
from loadrig.probes._databases.clients import Clients
from loadrig.probes._databases.looks import DatabaseLook
from loadrig.probes._databases.postgresql_looks import BlockedSession, SessionsSeen
from loadrig.probes._databases.postgresql_wire import (
    PostgresqlConnection,
    answering,
    cell_of,
    close,
    connect,
    described,
    extension,
    rows_as,
    rows_of,
)
from loadrig.probes._databases.sampled import Sampled, restarted
from loadrig.probes._databases.statements import Levels, QuestionPace, statement
from loadrig.probes._line import Door, RefusedAccess, ServerConnection, ServerLogin, door, unix_sockets
from loadrig.probes._session import Lost, Place, Session
from loadrig.probes._watch import samples_of

ERRORS = texts_of(ProbesPostgresqlErrors)

PORT = 5432
MOST_STATEMENTS = 100

ONLY = {"kind": ("postgresql",)}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "asks the server",
        "Six to nine statements a second over one connection, and ten looks at pg_stat_activity; while"
        " sessions wait for locks, it is asked who holds them, which stops the lock table for microseconds;"
        " nothing is set.",
    ),
)

METRICS: Mapping[str, Metric] = {
    **metrics(views.FIGURES),
    **views.IO_METRICS,
    **_postgresql_looks.METRICS,
    "blocks_hit_share": Metric("1", "gauge", "Share of blocks found in memory since the last sample."),
    "backends": Metric("1", "gauge", "Sessions of clients, ours left out."),
    "backends_share": Metric("1", "gauge", "Sessions over max_connections; at 1 others are turned away."),
    "sessions": Metric("1", "gauge", "Sessions of clients by state, ours left out."),
    "waits": Metric("1", "gauge", "Active sessions by what they wait for; `CPU`: nothing."),
    "longest_statement_s": Metric("s", "gauge", "How long the oldest running statement has been at work."),
    "longest_transaction_s": Metric("s", "gauge", "Age of the oldest transaction."),
    "longest_idle_in_transaction_s": Metric("s", "gauge", "How long one has been idle in a transaction."),
    "lock_waiters": Metric("1", "gauge", "Locks that are waited for."),
    "longest_lock_wait_s": Metric("s", "gauge", "How long the oldest of them has been waited for."),
    "autovacuum_workers": Metric("1", "gauge", "Workers of autovacuum at work."),
    "statement_calls": Metric("1", "counter", "Calls since the first sample, by statement."),
    "statement_s": Metric("s", "counter", "Time in them, waits included, by statement."),
    "statement_rows": Metric("1", "counter", "Rows they returned or changed, by statement."),
    "statement_blocks_hit": Metric("1", "counter", "Blocks they found in shared memory, by statement."),
    "statement_blocks_read": Metric("1", "counter", "Blocks they asked of the kernel, by statement."),
    "statement_temporary_blocks": Metric("1", "counter", "Blocks of temporary files, by statement."),
}

EVENTS: Mapping[str, str] = {
    "checkpoint": "A checkpoint was made: by time, or because it was requested (much log, a command).",
    "restarted": "The server was started anew, or another one took its place.",
    "note": "What this probe may not read, and the command that would let it.",
}


@dataclass(frozen=True, slots=True)
class Options(ServerLogin):
    """Options of the probe: the address of the database, where discovery does not find it, and its login."""

    user: str | None = option(
        "The user; left out, postgres or the one who runs the rig, without a password.", default=None
    )
    database: str | None = option(
        "Database to connect to: the one in which pg_stat_statements is installed.", default=None
    )


@dataclass(frozen=True, slots=True)
class Installation:
    """Facts of a server that a connection shows once. schema: of pg_stat_statements; None without it."""

    version: int = 0
    schema: str | None = None
    is_standby: bool = False


class PostgresqlReader(Sampled[PostgresqlConnection]):
    """Reader of a server, in the thread of its Aside."""

    def __init__(self, server: Door, pid: int | None, database: str | None, clients: Clients) -> None:
        super().__init__(ServerConnection(self._open, close))
        self._door, self._pid, self._database = server, pid, database
        self._sights = _postgresql_looks.PostgresqlSights(clients)
        self._files = views.Files()
        self._counters: Counters[str] = Counters()
        self._tops = Tops("statement_s", most=8)
        self._sessions, self._waits = Levels(), Levels()
        self._blocks = HitShare()
        self._paced = QuestionPace()
        self._texts: dict[int, str] = {}
        self._unread: set[str] = set()
        self._server = Installation()
        self._started: float | None = None
        self._checkpoints: tuple[float, float, float] | None = None

    def read(self, t_ns: int) -> Reading:
        """Take a reading, and the means of the looks since the last."""
        reading = self.ask(lambda connection: self._read(connection, t_ns))
        reading.samples += samples_of(t_ns, "postgresql", self.looks.take())
        return reading

    def look(self) -> DatabaseLook | None:
        """Look at the sessions; None on a server whose sessions may not be seen."""
        rows = self.ask(self._sessions_now)
        return self._sights.look(rows)

    def _sessions_now(self, connection: PostgresqlConnection) -> list[SessionsSeen]:
        with answering(self._door.name):
            return rows_as(connection, SessionsSeen, _postgresql_looks.SESSIONS)

    def _open(self) -> PostgresqlConnection:
        connection = self._connected(self._database or "postgres")
        try:
            with answering(self._door.name):
                return self._prepared(connection)
        except Lost:
            close(connection)
            raise

    def _prepared(self, connection: PostgresqlConnection) -> PostgresqlConnection:
        """Learn what this server has. Return the connection to go on with."""
        version = int(cell_of(connection, "SELECT current_setting('server_version_num')::int"))
        schema = extension(connection)
        if schema is None and self._database is None:
            # The extension may live in the database of the application: look there once.
            database = cell_of(
                connection,
                "SELECT datname FROM pg_stat_activity WHERE datname <> current_database()"
                " GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1",
            )
            if database is not None:
                with suppress(RefusedAccess):
                    busiest = self._connected(database)
                    close(connection)
                    connection, schema = busiest, extension(busiest)
        is_standby = bool(cell_of(connection, "SELECT pg_is_in_recovery()"))
        self._server = Installation(version, schema, is_standby)
        return connection

    def _connected(self, database: str) -> PostgresqlConnection:
        user, unix = self._door.user, self._door.unix[0] if self._door.unix else None
        if user or unix or self._door.password:
            return connect(self._door, user or "postgres", unix, database)
        for path in unix_sockets(self._pid):
            for user_name in dict.fromkeys(("postgres", getpass.getuser())):
                with suppress(RefusedAccess):
                    return connect(self._door, user_name, path, database)
        return connect(self._door, "postgres", None, database)

    def _read(self, connection: PostgresqlConnection, t_ns: int) -> Reading:
        reading = Reading()
        with answering(self._door.name):
            rows = rows_as(connection, views.SessionGroup, views.SESSIONS)
            self._notice_restart(rows[0].started, reading)
            values = self._activity(rows)
            values |= views.totals(rows_of(connection, views.DATABASES), views.DATABASE, self._counters)
            checkpoints = [
                row for sql in views.checkpoint_sqls(self._server.version) for row in rows_of(connection, sql)
            ]
            values |= views.totals(checkpoints, views.CHECKPOINTS, self._counters)
            self._notice_checkpoint(values, t_ns, reading)
            (locks,) = rows_as(connection, views.WaitingLocks, views.locks_sql(self._server.version))
            values["lock_waiters", ""] = float(locks.waiting)
            values["longest_lock_wait_s", ""] = max(0.0, views.number(locks.longest_s) or 0.0)
            values |= self._sights.blocked(
                rows_as(connection, BlockedSession, _postgresql_looks.BLOCKERS) if locks.waiting else ()
            )
            if self._server.version >= views.IO_FROM:
                values |= self._files.add(rows_of(connection, views.IO))
            lag = rows_of(connection, views.STANDBY if self._server.is_standby else views.PRIMARY)
            values |= views.totals(lag, views.REPLICATION, self._counters)
            if self._server.schema is not None and self._paced.is_due():
                values |= self._costly(connection, self._server.schema, t_ns, reading)
                self._paced.done()
        hit, missed = (values.get((name, ""), 0.0) for name in ("blocks_hit", "blocks_read"))
        if (share := self._blocks.add(hit + missed, missed)) is not None:
            values["blocks_hit_share", ""] = share
        if any(row.state is None and row.type is None for row in rows):
            user = self._door.user or "postgres"
            self._note(t_ns, reading, "sessions", ERRORS.sessions_hidden(user))
        reading.samples = samples_of(t_ns, "postgresql", values)
        return reading

    def _activity(self, rows: list[views.SessionGroup]) -> SubjectValues:
        clients = [row for row in rows if row.type == "client backend"]
        sessions, waits = views.states(rows)
        count = sum(sessions.values())
        values: SubjectValues = {
            ("backends", ""): count,
            ("backends_share", ""): count / rows[0].most,
            ("autovacuum_workers", ""): float(sum(row.n for row in rows if row.type == "autovacuum worker")),
        }
        for metric, times in (
            ("longest_statement_s", [row.statement_s for row in clients]),
            ("longest_transaction_s", [row.transaction_s for row in clients]),
            ("longest_idle_in_transaction_s", [row.idle_s for row in clients]),
        ):
            values[metric, ""] = max([0.0, *(views.number(time_s) or 0.0 for time_s in times)])
        values.update({("sessions", state): n for state, n in self._sessions.add(sessions).items()})
        values.update({("waits", wait): n for wait, n in self._waits.add(waits).items()})
        return values

    def _costly(
        self, connection: PostgresqlConnection, schema: str, t_ns: int, into: Reading
    ) -> SubjectValues:
        import pg8000.exceptions

        # The texts lie in a file, which need not be read for the figures alone.
        spent = "total_exec_time" if self._server.version >= 130000 else "total_time"
        try:
            rows = rows_as(
                connection,
                views.StatementSums,
                views.STATEMENTS.format(schema=schema, time=spent, most=MOST_STATEMENTS),
            )
        except pg8000.exceptions.DatabaseError as error:  # installed, but not loaded, or not for this user
            self._server = replace(self._server, schema=None)
            self._note(t_ns, into, "statements", ERRORS.statements_unreadable(described(error)[1]))
            return {}
        unknown = sorted({row.queryid for row in rows} - self._texts.keys())
        if unknown:
            ids = ", ".join(str(queryid) for queryid in unknown)
            for row in rows_as(connection, views.StatementText, views.TEXTS.format(schema=schema, ids=ids)):
                self._texts[row.queryid] = row.text
        return self._tops.add(costs(rows, self._texts), is_complete=len(rows) < MOST_STATEMENTS)

    def _notice_restart(self, started: float, into: Reading) -> None:
        last, self._started = self._started, started
        if last is None or last == started:
            return
        self._counters.begin_anew()
        self._files.begin_anew()
        self._tops.begin_anew()
        t_ns = clock.from_wall(int(started * 1e9))
        now_ns = time.monotonic_ns()
        into.events.append(restarted("the database", now_ns, (now_ns - t_ns) / 1e9))

    def _notice_checkpoint(self, values: SubjectValues, t_ns: int, into: Reading) -> None:
        timed, requested, *spent = (
            values.get((name, ""), 0.0)
            for name in (
                "checkpoints_timed",
                "checkpoints_requested",
                "checkpoint_write_s",
                "checkpoint_sync_s",
            )
        )
        last, self._checkpoints = self._checkpoints, (timed, requested, sum(spent))
        if last is None or timed + requested <= last[0] + last[1]:
            return
        duration_s = sum(spent) - last[2]
        cause = "requested" if requested > last[1] else "timed"
        facts: dict[str, Any] = {"cause": cause, "count": int(timed + requested - last[0] - last[1])}
        text = event_words(SENTENCES.checkpoint, cause)
        # Its time is known at its end: a long checkpoint is still at work when it is counted.
        if duration_s > 0:
            facts["duration_s"] = duration_s
            text = event_words(SENTENCES.checkpoint_written, cause, f"{duration_s:.3g} s")
        into.events.append(Event.of(t_ns - int(duration_s * 1e9), "checkpoint", "", text, facts))

    def _note(self, t_ns: int, into: Reading, view: str, text: str) -> None:
        """Make a note, once, of what cannot be read."""
        if view not in self._unread:
            self._unread.add(view)
            into.events.append(Event(t_ns, "note", "postgresql", text, {"code": "probe.no-right"}))


def costs(rows: list[views.StatementSums], texts: Mapping[int, str]) -> dict[str, dict[str, float]]:
    """Return the costs by statement; the rig's are left out, those that begin alike are summed."""
    costs_by_subject = []
    for row in rows:
        text = texts.get(row.queryid)
        if text is not None and text.lstrip().startswith(views.MARK.strip()):
            continue
        spent = {
            "statement_calls": float(row.calls),
            "statement_s": float(row.time_ms) / 1e3,
            "statement_rows": float(row.rows),
            "statement_blocks_hit": float(row.blocks_hit),
            "statement_blocks_read": float(row.blocks_read),
            "statement_temporary_blocks": float(row.temporary_blocks),
        }
        costs_by_subject.append((OTHERS if text is None else f"statement:{statement(text)}", spent))
    return summed_costs(costs_by_subject)


fits = only(ONLY)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where its address is not known or its password cannot be had."""
    server = door("postgresql", options, component, place, PORT)
    clients = Clients(place.components, component.pid)
    reader = PostgresqlReader(server, component.pid, options.database, clients)
    return Aside(reader.read, reader.close, cpu_beside_s=reader.cpu_beside_s)
