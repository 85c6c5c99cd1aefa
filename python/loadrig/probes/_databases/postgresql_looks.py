"""Sessions of PostgreSQL at an instant: their statements, what they wait for, and their clients."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loadrig.base.series import Metric
from loadrig.probes._counting import SubjectValues
from loadrig.probes._databases.clients import Clients, End
from loadrig.probes._databases.looks import DatabaseLook, with_deviations
from loadrig.probes._databases.postgresql_views import wait_of
from loadrig.probes._databases.sights import NO_SESSION, Sights
from loadrig.probes._databases.statements import statement

METRICS: Mapping[str, Metric] = {
    **with_deviations(
        {
            "mean_sessions": Metric("1", "gauge", "Sessions of clients by state. Mean number."),
            "mean_waits": Metric(
                "1", "gauge", "Sessions at work by what they wait for; `CPU`: nothing. Mean number."
            ),
            "mean_statements": Metric("1", "gauge", "Sessions at work by statement. Mean number."),
            "client_active": Metric("1", "gauge", "Sessions at work, by client. Mean number."),
            "client_on_cpu": Metric("1", "gauge", "Of these, those that wait for nothing. Mean number."),
            "client_idle": Metric("1", "gauge", "Sessions that nobody uses, by client. Mean number."),
            "client_idle_in_transaction": Metric(
                "1", "gauge", "Sessions idle in a transaction, by client. Mean number."
            ),
        }
    ),
    "client_idle_in_transaction_median_s": Metric(
        "s", "gauge", "How long they had been idle in it, by client: median over all looks."
    ),
    "client_idle_in_transaction_oldest_s": Metric(
        "s", "gauge", "How long they had been idle in it, by client: the longest."
    ),
    "lock_pairs": Metric(
        "1",
        "gauge",
        "Sessions that wait for a lock: `WAITER behind HOLDER`, each a client.",
    ),
    "lock_holders": Metric(
        "1",
        "gauge",
        "Sessions that others wait for and that wait for no lock themselves, by client and state.",
    ),
}

MOST_WAITERS = 20
"""Sessions whose blockers are asked for, at most: each question locks the lock table for microseconds."""

SESSIONS = """
SELECT backend_type AS type, state, wait_event_type AS wait_type, wait_event AS wait,
  application_name AS program, host(client_addr) AS address,
  CASE WHEN state = 'active' THEN left(query, 1000) END AS text, count(*) AS n,
  string_agg(coalesce(client_port, -1)::text, ' ') AS ports,
  string_agg(extract(epoch FROM clock_timestamp() - state_change)::text, ' ')
    FILTER (WHERE state LIKE 'idle in transaction%') AS ages
FROM pg_stat_activity
WHERE pid <> pg_backend_pid()
  AND (backend_type IN ('client backend', 'parallel worker') OR backend_type IS NULL)
GROUP BY 1, 2, 3, 4, 5, 6, 7"""

# Source: PostgreSQL, "System Information Functions": frequent calls of pg_blocking_pids cost.
BLOCKERS = f"""
SELECT w.program, w.address, w.port, b.application_name AS holder, host(b.client_addr) AS holder_address,
  b.client_port AS holder_port, b.pid AS holder_pid, b.state AS holder_state,
  coalesce(b.wait_event_type, '') = 'Lock' AS waits_too
FROM (SELECT application_name AS program, host(client_addr) AS address, client_port AS port,
    unnest(pg_blocking_pids(pid)) AS blocker
  FROM (SELECT * FROM pg_stat_activity WHERE wait_event_type = 'Lock' ORDER BY query_start
    LIMIT {MOST_WAITERS}) AS a) AS w
LEFT JOIN pg_stat_activity AS b ON b.pid = w.blocker"""


class SessionsSeen(NamedTuple):
    """Row of SESSIONS: `n` sessions that are alike, each with its port; those idle in it with their ages.

    ports, ages: numbers in a text. None where this user may not see it, or where it does not apply.
    """

    type: str | None
    state: str | None
    wait_type: str | None
    wait: str | None
    program: str | None
    address: str | None
    text: str | None
    n: int
    ports: str | None
    ages: str | None


class BlockedSession(NamedTuple):
    """Row of BLOCKERS: a session that waits for a lock, and one that holds it, None without any.

    waits_too: whether the holder waits for a lock itself.
    """

    program: str | None
    address: str | None
    port: int | None
    holder: str | None
    holder_address: str | None
    holder_port: int | None
    holder_pid: int | None
    holder_state: str | None
    waits_too: bool


class PostgresqlSights(Sights):
    """Counter of the rows of SESSIONS and BLOCKERS, with few and lasting subjects."""

    def __init__(self, clients: Clients) -> None:
        super().__init__(clients, {
            "mean_sessions": 8, "mean_waits": 16, "mean_statements": 8, "client_active": 8,
            "client_on_cpu": 8, "client_idle": 8, "client_idle_in_transaction": 8,
        })  # fmt: skip

    def look(self, rows: Iterable[SessionsSeen]) -> DatabaseLook | None:
        """Return what the sessions do; None where this user may not see them all, as a part would mislead."""
        counts: Counter[tuple[str, str]] = Counter()
        ages: dict[tuple[str, str], list[float]] = {}
        for row in rows:
            if row.type is None:
                return None
            is_active = row.state == "active"
            if is_active:
                counts["mean_waits", wait_of(row.wait_type, row.wait)] += row.n
                if text := statement(row.text or ""):
                    counts["mean_statements", f"statement:{text}"] += row.n
            if row.type != "client backend":
                continue  # a worker of a parallel query works and waits, and is no session of its own
            state = row.state or "hidden"
            counts["mean_sessions", state] += row.n
            names = self.clients.names(row.program or "", _ends(row))
            for name in names:
                if is_active:
                    counts["client_active", name] += 1
                    counts["client_on_cpu", name] += 0 if row.wait_type else 1
                elif state == "idle":
                    counts["client_idle", name] += 1
                elif state.startswith("idle in transaction"):
                    counts["client_idle_in_transaction", name] += 1
            for name, age in zip(names, (row.ages or "").split(), strict=False):
                key = ("client_idle_in_transaction", name)
                ages.setdefault(key, []).append(max(0.0, float(age)))
        look = self.counted(counts)
        look.ages = ages
        return look

    def blocked(self, rows: Iterable[BlockedSession]) -> SubjectValues:
        """Return the numbers of waiters by client and blocker; pairs seen before and gone are zero."""
        pairs: list[tuple[str, str]] = []
        holders: dict[object, str] = {}
        for row in rows:
            holder = NO_SESSION
            if row.holder_pid is not None:
                holder = self._client(row.holder, row.holder_address, row.holder_port)
            pairs.append((self._client(row.program, row.address, row.port), holder))
            if not row.waits_too:
                state = row.holder_state
                holders[row.holder_pid] = f"{holder}, {state}" if state else holder
        return self.paired(pairs, holders.values())

    def _client(self, program: str | None, address: str | None, port: int | None) -> str:
        end = (address or "", -1 if port is None else port)
        return self.clients.names(program or "", [end])[0]


def _ends(row: SessionsSeen) -> list[End]:
    address = row.address or ""
    return [(address, int(port)) for port in (row.ports or "").split()]
