"""A MariaDB or MySQL: its threads, rows, locks and waits, and the statements that take its time.

## What it reads

Three to six statements a sample over one connection that is kept: the names that it uses of `SHOW GLOBAL
STATUS` together with what of it we ourselves have caused, `information_schema.processlist` counted by state,
and `information_schema.innodb_trx` for waits; while there are some, who waits for whom (`innodb_lock_waits`,
of MySQL `data_lock_waits`); and, where `performance_schema` is on, the statement digests and what the server
itself waits for (`events_waits_summary_global_by_event_name`, with the instruments that are on). Of
statements only the normalised text is kept, 200 characters of it, without values; those that take most
time are told apart (`digest:SELECT …`), the rest is `others`. What a version does not have is left out.
Nothing is set.

Besides, the list of sessions with their transactions is looked at ten times a second at random instants:
`mean_sessions`, `mean_statements`, `mean_lock_waiters` and the figures by client are mean numbers over the
`looks` since the sample before, and `NAME_sd` is how much the number differed from look to look (neighbouring
looks see the same statements where these are long, so the standard error of the mean is then larger than
that over the square root of `looks`; InnoDB renews its list of transactions each 0.1 s). By Little's law such
a number over the requests a second is the time of a request in that state. A client is the component that
holds the other end of the connection, where that is on this machine, else its address, and its user:
`client:server shop`. MySQL tells how long a session sleeps in whole seconds.

We are in no figure: our connection is not among the threads, our statements not among the digests, and
what they add to `questions`, `rows_scanned`, `temporary_tables` and the like is taken off.

Without `user` it tries the Unix socket of a local server as the user who runs the rig (`unix_socket`
authentication), then `root` without a password. A user of its own, with the least rights:

```sql
CREATE USER loadrig IDENTIFIED BY 'PASSWORD';
GRANT PROCESS ON *.* TO loadrig;
GRANT SELECT ON performance_schema.* TO loadrig;
```

A refused password is tried again after 30 s at the earliest.

## How to read it

`threads_running` above the number of cores means that statements queue inside the database: more
connections add nothing. `rows_read` far above `rows_sent`, and `rows_scanned` growing with each request,
are the marks of a missing index; the digest with `digest_no_index` names the statement.
`client_idle_in_transaction` are connections that hold rows while the application does something else, and for
how long; `lock_pairs` says who waits for whom, `lock_holders` who is at the head of the queue.
`wait_s` of `io/file/innodb/innodb_log_file` is what commits wait for.
`row_lock_s` that grows while the CPU idles is a hot row. `log_waits`, `fsyncs` and `checkpoint_age_bytes`
near its limit speak of the disk. `buffer_pool_hit_share` is of the pages asked since the last sample.

## Cost

0.98 ms of one core for a sample, and 1.36 ms of the server; 0.77 and 1.09 ms with performance_schema off.
A look: 0.19 ms of one core and 0.63 ms of the server; 0.56 and 0.9 ms with 100 sessions; all together 20 ms a
second, 26 ms with 100 sessions.
Where the digests take longer than 10 ms, they are asked less often: 2 % of the time; looks likewise.
Measured on Linux 6.18, Python 3.11, MariaDB 10.11.
"""

import getpass
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.members import only
from loadrig.base.series import Event, Metric
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_databases import ProbesMariadbErrors
from loadrig.language.en.errors.probes_line import ProbesLineErrors
from loadrig.probes._aside import Aside, Reading
from loadrig.probes._counting import SubjectValues, Tops, metrics, summed_costs
from loadrig.probes._databases import mariadb_looks as _mariadb_looks
from loadrig.probes._databases import mariadb_status as _mariadb_status
from loadrig.probes._databases.clients import Clients
from loadrig.probes._databases.looks import DatabaseLook
from loadrig.probes._databases.sampled import Sampled, restarted
from loadrig.probes._databases.statements import Levels, QuestionPace, statement
from loadrig.probes._line import (
    CONNECT_S,
    READ_S,
    BrokenConnection,
    Door,
    RefusedAccess,
    ServerConnection,
    ServerLogin,
    SlowAnswer,
    door,
    unix_sockets,
)
from loadrig.probes._session import Lost, Place, Session
from loadrig.probes._watch import samples_of

if TYPE_CHECKING:  # 35 ms
    import pymysql

ERRORS = texts_of(ProbesMariadbErrors)
LINE_ERRORS = texts_of(ProbesLineErrors)

PORT = 3306
RIGHTS = "GRANT PROCESS ON *.* TO loadrig; GRANT SELECT ON performance_schema.* TO loadrig"

ONLY = {"kind": ("mariadb", "mysql")}

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "asks the server",
        "Four to six statements a second over one connection, and ten looks at the list of sessions; nothing"
        " is set.",
    ),
)

METRICS: Mapping[str, Metric] = {
    **metrics(_mariadb_status.FIGURES),
    **_mariadb_looks.METRICS,
    **_mariadb_looks.WAIT_METRICS,
    "threads_running": Metric("1", "gauge", "Threads at work on a statement, ours left out."),
    "threads_connected": Metric("1", "gauge", "Connections, ours left out."),
    "connections_share": Metric(
        "1", "gauge", "Connections over max_connections; at 1 others are turned away."
    ),
    "statements": Metric("1", "counter", "Statements by kind.", "mysql.commands"),
    "buffer_pool_hit_share": Metric("1", "gauge", "Share of pages found in memory since the last sample."),
    "sessions": Metric("1", "gauge", "Connections of clients by command and state, ours left out."),
    "longest_statement_s": Metric("s", "gauge", "How long the oldest running statement has been at work."),
    "lock_waiters": Metric("1", "gauge", "Transactions that wait for a lock."),
    "longest_lock_wait_s": Metric("s", "gauge", "How long the oldest of them has waited, in whole seconds."),
    "longest_transaction_s": Metric("s", "gauge", "Age of the oldest transaction, in whole seconds."),
    "digest_calls": Metric("1", "counter", "Calls since the first sample, by statement."),
    "digest_s": Metric("s", "counter", "Time in them, waits included, by statement."),
    "digest_rows_examined": Metric("1", "counter", "Rows read for them, by statement."),
    "digest_rows_sent": Metric("1", "counter", "Rows sent for them, by statement."),
    "digest_no_index": Metric("1", "counter", "Calls that went through a table without an index."),
}

EVENTS: Mapping[str, str] = {
    "restarted": "The server was started anew, or another one took its place.",
    "note": "What this probe may not read, and the command that would let it.",
}

_SESSIONS = """
SELECT COMMAND, COALESCE(STATE, ''), COUNT(*),
  MAX(CASE WHEN COMMAND IN ('Query', 'Execute') THEN TIME{ms} ELSE 0 END) / {unit}, @@global.max_connections
FROM information_schema.PROCESSLIST
WHERE ID <> CONNECTION_ID() AND USER NOT IN ('system user', 'event_scheduler')
GROUP BY 1, 2 UNION ALL SELECT '', '', 0, 0, @@global.max_connections
"""

_WAITS = """
SELECT COALESCE(SUM(trx_state = 'LOCK WAIT'), 0),
  COALESCE(MAX(TIMESTAMPDIFF(SECOND, trx_wait_started, NOW())), 0),
  COALESCE(MAX(TIMESTAMPDIFF(SECOND, trx_started, NOW())), 0)
FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID()
"""

_DIGESTS = """
SELECT DIGEST_TEXT, COUNT_STAR, SUM_TIMER_WAIT, SUM_ROWS_EXAMINED, SUM_ROWS_SENT, SUM_NO_INDEX_USED
FROM performance_schema.events_statements_summary_by_digest ORDER BY SUM_TIMER_WAIT DESC LIMIT {most}
"""

MOST_DIGESTS = 100
"""Statements in a reading, at most, of 10,000 that the server keeps: those that took most time so far."""

_OURS = ("information_schema", "performance_schema", "SHOW GLOBAL STATUS", "SHOW SESSION STATUS")

# Source: MariaDB, "Error Codes"; numbers above 2000 are the client's.
_REFUSED = frozenset((1044, 1045, 1129, 1130, 1227, 1251, 1275, 1524, 1698, 1820, 1862, 3118, 3159, 4151))
_FULL = frozenset((1040, 1203, 1226))
_NO_RIGHT = frozenset((1044, 1142, 1143, 1227))


@dataclass(frozen=True, slots=True)
class Options(ServerLogin):
    """Options of the probe: the address of the database, where discovery does not find it, and its login."""

    user: str | None = option(
        "The user; left out, the one who runs the rig over the Unix socket, then root without a password.",
        default=None,
    )


class MariadbReader(Sampled["pymysql.Connection[Any]"]):
    """Reader of a MariaDB or MySQL server, in the thread of its Aside."""

    def __init__(self, server: Door, pid: int | None, clients: Clients) -> None:
        super().__init__(ServerConnection(self._open, _close))
        self._door, self._pid = server, pid
        self._sights = _mariadb_looks.MariadbSights(clients)
        self._waits = Tops("wait_s", most=8)
        self._paced_waits = QuestionPace()
        self._status = _mariadb_status.Status()
        self._digests = Tops("digest_s", most=8)
        self._sessions = Levels()
        self._paced = QuestionPace()
        self._unread: set[str] = set()
        self._has_digests = self._is_mariadb = False
        self._last_connection: pymysql.Connection[Any] | None = None

    def read(self, t_ns: int) -> Reading:
        """Take a reading, and the means of the looks since the last."""
        reading = self.ask(lambda connection: self._read(connection, t_ns))
        # Without the right PROCESS the lists of sessions and of transactions are not whole.
        if "innodb_trx" not in self._unread:
            reading.samples += samples_of(t_ns, "mariadb", self.looks.take())
        return reading

    def look(self) -> DatabaseLook:
        """Look at the sessions, and at what they wait for."""
        rows = self.ask(self._sessions_now)
        return self._sights.look(rows)

    def _sessions_now(self, connection: "pymysql.Connection[Any]") -> list[tuple[Any, ...]]:
        with self._translated():
            return _rows(connection, _mariadb_looks.SESSIONS.format(**self._time()))

    def _time(self) -> dict[str, object]:
        """Return the two servers' names for a session's time in its state, and its units a second."""
        return {"ms": "_MS", "unit": 1000} if self._is_mariadb else {"ms": "", "unit": 1}

    def _open(self) -> "pymysql.Connection[Any]":
        if self._door.user or self._door.unix or self._door.password:
            path = self._door.unix[0] if self._door.unix else None
            user = self._door.user or (getpass.getuser() if path else "root")
            return self._connect(user, path)
        for path in unix_sockets(self._pid):
            with suppress(RefusedAccess):
                return self._connect(getpass.getuser(), path)
        return self._connect("root", None)

    def _connect(self, user: str, unix: str | None) -> "pymysql.Connection[Any]":
        import pymysql

        with self._translated():
            connection = pymysql.connect(
                host=self._door.address.host or "localhost", port=self._door.address.port or PORT,
                unix_socket=unix, user=user, password=self._door.password or "", autocommit=True,
                connect_timeout=CONNECT_S, read_timeout=READ_S, write_timeout=READ_S, program_name="loadrig",
            )  # fmt: skip
        with self._translated():
            (row,) = _rows(connection, "SELECT VERSION(), @@performance_schema")
        self._is_mariadb = "mariadb" in str(row[0]).lower()
        self._has_digests = bool(row[1])
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn errors of the driver into errors that the observer understands."""
        import pymysql

        name = self._door.name
        try:
            yield
        except pymysql.Error as error:
            code, text = _code_and_text(error)
            if code in _REFUSED:
                wording = ERRORS.not_let_in(name, text, RIGHTS)
                raise RefusedAccess.of(wording, code="probe.refused") from None
            if code in _FULL:
                wording = LINE_ERRORS.connections_used_up(name, text)
                raise Lost.of(wording, code="probe.no-answer") from None
            if "timed out" in text:
                wording = LINE_ERRORS.no_answer_within(name, f"{READ_S:g}")
                raise SlowAnswer.of(wording, code="probe.no-answer") from None
            wording = LINE_ERRORS.no_answer(name, text)
            raise BrokenConnection.of(wording, code="probe.no-answer") from None
        except RuntimeError as error:  # the driver lacks a package for MySQL's caching_sha2_password
            wording = ERRORS.needs_cryptography(name, str(error))
            raise Lost.of(wording, code="probe.no-tool") from None

    def _read(self, connection: "pymysql.Connection[Any]", t_ns: int) -> Reading:
        with self._translated():
            values, ours = self._statuses(connection)
            sessions = _rows(connection, _SESSIONS.format(**self._time()))
        reading = Reading()
        self._notice_restart(connection, values, t_ns, reading)
        readings = self._status.read(values, ours, float(sessions[-1][4]))
        counts = {_state(command, state): float(count) for command, state, count, _, _ in sessions[:-1]}
        readings.update({("sessions", name): count for name, count in self._sessions.add(counts).items()})
        readings["longest_statement_s", ""] = max(float(row[3] or 0) for row in sessions)
        for waiting, longest, oldest in self._optional(connection, "innodb_trx", _WAITS, t_ns, reading):
            readings["lock_waiters", ""] = float(waiting)
            readings["longest_lock_wait_s", ""] = float(longest)
            readings["longest_transaction_s", ""] = float(oldest)
        readings.update(self._blocked(connection, readings.get(("lock_waiters", ""), 0.0), t_ns, reading))
        readings.update(self._digested(connection, t_ns, reading))
        readings.update(self._waited(connection, t_ns, reading))
        reading.samples = samples_of(t_ns, "mariadb", readings)
        return reading

    def _statuses(self, connection: "pymysql.Connection[Any]") -> tuple[dict[str, float], dict[str, float]]:
        """Return the server's figures, and the part of them that this connection has caused."""
        if not self._is_mariadb:
            server, session = (_rows(connection, sql) for sql in _mariadb_status.SQL)
            return _mariadb_status.parse(server), _mariadb_status.parse(session)
        rows = _rows(connection, _mariadb_status.SQL_OF_MARIADB)
        values, ours = (_mariadb_status.parse(row[1:] for row in rows if row[0] == which) for which in (0, 1))
        return values, ours

    def _optional(
        self, connection: "pymysql.Connection[Any]", name: str, sql: str, t_ns: int, into: Reading
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a table; if this user may not read it, note that once and do not ask again."""
        import pymysql

        if name in self._unread:
            return []
        with self._translated():
            try:
                return _rows(connection, sql)
            except pymysql.Error as error:
                code, text = _code_and_text(error)
                if 2000 <= code < 3000:
                    raise
                self._unread.add(name)
                note = ERRORS.table_unreadable(name, text, RIGHTS if code in _NO_RIGHT else "")
                into.events.append(Event(t_ns, "note", "mariadb", note, {"code": "probe.no-right"}))
                return []

    def _blocked(
        self, connection: "pymysql.Connection[Any]", waiters: float, t_ns: int, into: Reading
    ) -> SubjectValues:
        rows: list[tuple[Any, ...]] = []
        if waiters and (self._is_mariadb or self._has_digests):
            name, sql = (
                ("innodb_lock_waits", _mariadb_looks.PAIRS_OF_MARIADB)
                if self._is_mariadb
                else ("data_lock_waits", _mariadb_looks.PAIRS_OF_MYSQL)
            )
            rows = self._optional(connection, name, sql, t_ns, into)
        return self._sights.blocked(rows)

    def _waited(self, connection: "pymysql.Connection[Any]", t_ns: int, into: Reading) -> SubjectValues:
        # Asked after the digests: a user who may not read those gets a note once, and may not read waits
        # either.
        if not self._has_digests or "performance_schema" in self._unread or not self._paced_waits.is_due():
            return {}
        most = _mariadb_looks.MOST_WAITS
        rows = self._optional(connection, "events_waits", _mariadb_looks.WAITS.format(most=most), t_ns, into)
        self._paced_waits.done()
        if not rows:
            return {}
        return self._waits.add(_mariadb_looks.waits(rows), is_complete=len(rows) < most)

    def _digested(self, connection: "pymysql.Connection[Any]", t_ns: int, into: Reading) -> SubjectValues:
        if not self._has_digests or not self._paced.is_due():
            return {}
        rows = self._optional(
            connection, "performance_schema", _DIGESTS.format(most=MOST_DIGESTS), t_ns, into
        )
        self._paced.done()
        return self._digests.add(digests(rows), is_complete=len(rows) < MOST_DIGESTS) if rows else {}

    def _notice_restart(
        self, connection: "pymysql.Connection[Any]", values: Mapping[str, float], t_ns: int, into: Reading
    ) -> None:
        is_first = self._last_connection is None
        is_same, self._last_connection = connection is self._last_connection, connection
        if is_first or is_same or not self._status.reconnected(values):
            return
        self._digests.begin_anew()
        self._waits.begin_anew()
        into.events.append(restarted("the database", t_ns, values.get("Uptime", 0.0)))


def digests(rows: list[tuple[Any, ...]]) -> dict[str, dict[str, float]]:
    """Return the costs by normalised statement; the rig's are left out, those that begin alike are summed."""
    costs = []
    for text, calls, picoseconds, examined, sent, no_index in rows:
        plain = str(text or "").replace("`", "")
        if any(word in plain for word in _OURS):
            continue
        values = {
            "digest_calls": float(calls),
            "digest_s": float(picoseconds) / 1e12,
            "digest_rows_examined": float(examined),
            "digest_rows_sent": float(sent),
            "digest_no_index": float(no_index),
        }
        costs.append((f"digest:{statement(plain)}", values))
    return summed_costs(costs)


def _state(command: str, state: str) -> str:
    return f"{command}:{state}"[:60] if state else command


def _rows(connection: "pymysql.Connection[Any]", sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def _code_and_text(error: Exception) -> tuple[int, str]:
    """Return the number and the text of an error of the driver."""
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    return code, str(error.args[1] if len(error.args) > 1 else error)[:200]


def _close(connection: "pymysql.Connection[Any]") -> None:
    with suppress(Exception):
        connection.close()


fits = only(ONLY)


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where its address is not known or its password cannot be had."""
    server = door("mariadb", options, component, place, PORT)
    reader = MariadbReader(server, component.pid, Clients(place.components, component.pid))
    return Aside(reader.read, reader.close, cpu_beside_s=reader.cpu_beside_s)
