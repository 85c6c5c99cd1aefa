"""Sessions of MariaDB or MySQL at an instant, by state, statement and client."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from loadrig.base.series import Metric
from loadrig.probes._counting import SubjectValues
from loadrig.probes._databases.clients import Clients, End
from loadrig.probes._databases.looks import DatabaseLook, with_deviations
from loadrig.probes._databases.sights import NO_SESSION, Sights
from loadrig.probes._databases.statements import statement

METRICS: Mapping[str, Metric] = {
    **with_deviations(
        {
            "mean_sessions": Metric(
                "1", "gauge", "Connections of clients by command and state. Mean number."
            ),
            "mean_statements": Metric("1", "gauge", "Connections at work by statement. Mean number."),
            "mean_lock_waiters": Metric("1", "gauge", "Transactions that wait for a row. Mean number."),
            "client_active": Metric("1", "gauge", "Connections at work, by client. Mean number."),
            "client_idle": Metric("1", "gauge", "Connections that nobody uses, by client. Mean number."),
            "client_idle_in_transaction": Metric(
                "1", "gauge", "Connections that sleep with a transaction open, by client. Mean number."
            ),
        }
    ),
    "client_idle_in_transaction_median_s": Metric(
        "s", "gauge", "How long these had slept, by client: median over all looks."
    ),
    "client_idle_in_transaction_oldest_s": Metric(
        "s", "gauge", "How long these had slept, by client: the longest."
    ),
    "lock_pairs": Metric(
        "1", "gauge", "Transactions that wait for a row: `WAITER behind HOLDER`, each a client."
    ),
    "lock_holders": Metric(
        "1", "gauge", "Transactions that others wait for and that wait for none, by client and what they do."
    ),
}

MOST_PAIRS = 50
"""Waits in a reading, at most."""

# A transaction that has locked or read nothing is not in the list. TRX_STATE is LOCK WAIT while it waits.
SESSIONS = """
SELECT p.COMMAND, COALESCE(p.STATE, ''), p.USER, p.HOST, p.TIME{ms} / {unit}, LEFT(p.INFO, 1000), t.TRX_STATE
FROM information_schema.PROCESSLIST AS p
LEFT JOIN information_schema.INNODB_TRX AS t ON t.TRX_MYSQL_THREAD_ID = p.ID
WHERE p.ID <> CONNECTION_ID() AND p.USER NOT IN ('system user', 'event_scheduler')"""

_PAIRS = """
SELECT w.USER, w.HOST, h.USER, h.HOST, h.ID, h.COMMAND, b.TRX_STATE
FROM {waits}
JOIN information_schema.INNODB_TRX AS r ON r.TRX_ID = {waiter}
JOIN information_schema.INNODB_TRX AS b ON b.TRX_ID = {holder}
JOIN information_schema.PROCESSLIST AS w ON w.ID = r.TRX_MYSQL_THREAD_ID
LEFT JOIN information_schema.PROCESSLIST AS h ON h.ID = b.TRX_MYSQL_THREAD_ID
LIMIT {most}"""

PAIRS_OF_MARIADB = _PAIRS.format(
    waits="information_schema.INNODB_LOCK_WAITS AS l", waiter="l.requesting_trx_id",
    holder="l.blocking_trx_id", most=MOST_PAIRS,
)  # fmt: skip

# Since version 8 MySQL has the lock waits in performance_schema only. Source: MySQL, "The data_lock_waits
# Table".
PAIRS_OF_MYSQL = _PAIRS.format(
    waits="(SELECT DISTINCT REQUESTING_ENGINE_TRANSACTION_ID AS requesting,"
    " BLOCKING_ENGINE_TRANSACTION_ID AS blocking FROM performance_schema.data_lock_waits) AS l",
    waiter="l.requesting", holder="l.blocking", most=MOST_PAIRS,
)  # fmt: skip

WAITS = """
SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT
FROM performance_schema.events_waits_summary_global_by_event_name
WHERE SUM_TIMER_WAIT > 0 AND EVENT_NAME <> 'idle' ORDER BY SUM_TIMER_WAIT DESC LIMIT {most}"""

MOST_WAITS = 50

WAIT_METRICS: Mapping[str, Metric] = {
    "wait_calls": Metric("1", "counter", "Waits inside the server since the first sample, by what for."),
    "wait_s": Metric("s", "counter", "Time in them, added up over threads, by what for."),
}

Row = tuple[Any, ...]


class MariadbSights(Sights):
    """Counter of the rows of SESSIONS and of the pairs, with few and lasting subjects."""

    def __init__(self, clients: Clients) -> None:
        super().__init__(clients, {
            "mean_sessions": 12, "mean_statements": 8, "mean_lock_waiters": 1,
            "client_active": 8, "client_idle": 8, "client_idle_in_transaction": 8,
        })  # fmt: skip

    def look(self, rows: Iterable[Row]) -> DatabaseLook:
        """Return what the sessions do.

        Not to be called for a user who sees only their own sessions, without the right PROCESS.
        """
        counts: Counter[tuple[str, str]] = Counter({("mean_lock_waiters", ""): 0})
        ages: dict[tuple[str, str], list[float]] = {}
        for command, state, user, host, asleep_s, text, transaction in rows:
            counts["mean_sessions", f"{command}:{state}"[:60] if state else command] += 1
            client = self.client(user, host)
            if transaction == "LOCK WAIT":
                counts["mean_lock_waiters", ""] += 1
            if command != "Sleep":
                counts["client_active", client] += 1
                if plain := statement(text or ""):
                    counts["mean_statements", f"statement:{plain}"] += 1
            elif transaction is None:
                counts["client_idle", client] += 1
            else:
                key = ("client_idle_in_transaction", client)
                counts[key] += 1
                ages.setdefault(key, []).append(max(0.0, float(asleep_s or 0)))
        look = self.counted(counts)
        look.ages = ages
        return look

    def blocked(self, rows: Iterable[Row]) -> SubjectValues:
        """Return the numbers of waiters by client and blocker; pairs seen before and gone are zero."""
        pairs: list[tuple[str, str]] = []
        holders: dict[object, str] = {}
        for user, host, holder_user, holder_host, holder_id, command, transaction in rows:
            holder = NO_SESSION if holder_id is None else self.client(holder_user, holder_host)
            pairs.append((self.client(user, host), holder))
            if transaction != "LOCK WAIT":
                doing = "asleep" if command == "Sleep" else "at work"
                holders[holder_id] = f"{holder}, {doing}" if holder_id is not None else holder
        return self.paired(pairs, holders.values())

    def client(self, user: str | None, host: str | None) -> str:
        """Return a client's name. host: HOST:PORT, or "localhost" over a Unix socket."""
        return self.clients.names(user or "", [_end(host or "")])[0]


def _end(host: str) -> End:
    address, colon, port = host.rpartition(":")
    if colon and port.isdecimal():
        # The server resolves addresses to names unless skip_name_resolve is on.
        return ("127.0.0.1" if address == "localhost" else address, int(port))
    return ("" if host == "localhost" else host, -1)


def waits(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """Return the costs of waits by their reason: "wait:io/file/innodb/innodb_log_file"."""
    return {
        f"wait:{str(name).removeprefix('wait/')}": {
            "wait_calls": float(calls),
            "wait_s": float(picoseconds) / 1e12,
        }
        for name, calls, picoseconds in rows
    }
