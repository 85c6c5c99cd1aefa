"""Statements that a request asks of a dependency: how many, what asking them costs, and rows they read."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.evidence import CLEAR, SLIGHT, Evidence, SeriesSource
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import (
    DependencyLink,
    a_request,
    costliest,
    fullness,
    lock_waits,
    top_statement,
)
from loadrig.judgement.facts.routes import Heaviest, heaviest
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsStatementsTexts

TEXTS = texts_of(JudgementFactsStatementsTexts)

MANY = 10.0
"""Statements a request, from which on they are many. A page of a shop with its session, user, list and count
asks four to eight."""

NEARLY_MANY = 0.7
"""Share of MANY, 0 to 1, from which on statements are neither many nor few."""

SYNCS = 3.0
"""Transactions that PostgreSQL counts for one statement, at most: a driver may ask for parsing, for the form
of the answer and for the answer itself one after the other (pg8000 does)."""

WHOLE_STATEMENTS = frozenset({"psycopg2", "psycopg", "asyncpg", "pgx", "jvm", "node"})
"""Drivers of PostgreSQL that send a statement and all that belongs to it in one message, by their names, or
by the runtime where its usual one does (pgjdbc, node-postgres). Source: their own code, and messages counted
for a known number of statements."""

ONE_ROW = (0.8, 3.0)
"""Rows for each transaction, least and most, where transactions look up one thing after the other."""

CLIENT_S, INTERPRETED_S = 0.05e-3, 0.15e-3
"""CPU time of the client for one statement, in seconds, at most: compiled, and interpreted. With CPython 3.11
0.07 ms (redis) to 0.14 ms (pg8000) were measured; drivers of compiled languages need a third of that."""

CALL_S, CALL_INTERPRETED_S = 0.1e-3, 0.5e-3
"""CPU time of the client for one call to another service, in seconds: compiled, and interpreted. With CPython
3.11 a GET took 0.14 ms (aiohttp), 0.25 (urllib3), 0.4 (httpx), 0.54 (requests)."""

ROW_S, ROW_OF_POSTGRESQL_S = 0.3e-6, 0.1e-6
"""CPU time in seconds of reading one row and comparing it, at most. 0.15 µs was measured with MariaDB 10.11
and 0.065 µs with PostgreSQL 15, for rows of 50 bytes in memory; to group and sum them takes 0.35 and 0.2
µs."""

WALKED_ROWS = 1000.0
"""Rows fetched by an index for each message to PostgreSQL, from which on it is walked along: what a look-up
finds by an index is a page of a list, of some hundred rows at most."""

WALKS = ("rows_scanned", "rows_read_along_index", "rows_read_backwards")
"""Series of MariaDB of the rows that statements go through: of a table, and along an index either way."""

COMPUTED = (
    "GROUP BY", "COUNT(", "SUM(", "AVG(", "GROUP_CONCAT(", "STRING_AGG(", "ARRAY_AGG(", "RAND(", "RANDOM(",
)  # fmt: skip
"""Words of statements that compute something from all rows that they read."""

EXTREMES = ("MAX(", "MIN(")
"""Words of statements that compute something from many rows, of which an index of them needs one."""

CONDITION = re.compile(r"\b(WHERE|ON|USING)\b")
"""Words after which a statement says which rows it wants."""

ALIKE_STATEMENTS = 0.8
"""Share of the same statement among nearly many, 0 to 1, from which on these are the cause, where they are
most of a request's cost, too."""

BATCHED = 0.2
"""Wake-ups of a dependency with time to spare for each statement, below which statements arrive together: a
statement alone wakes it, and those of one packet wake it once."""

ALIKE_MOSTLY, ALIKE_AT_LEAST = 0.6, 0.2
"""Shares of the calls that the most frequent statement has, 0 to 1: from the first on that speaks for a loop,
below the second against one."""

FEW_ROWS = 3.0
"""Rows that a statement brings, up to which it looks up one thing."""


@dataclass(frozen=True)
class Asked:
    """Statements for each request of a program.

    top, top_share: the most frequent statement, and its share of the calls. is_sure: whether the statements
    themselves were counted, and not only their effects. route: the route whose requests ask for most, where
    they surely ask for more than others.
    """

    count: float
    source: SeriesSource
    by: str
    top: str = ""
    top_share: float = math.nan
    is_sure: bool = True
    route: Heaviest | None = None

    @property
    def top_source(self) -> SeriesSource:
        """Series of the most frequent statement."""
        return SeriesSource(self.source.component, self.source.name, self.top)

    @property
    def is_mixed(self) -> bool:
        """Whether too few of the statements are the same for a loop."""
        return self.top_share < ALIKE_AT_LEAST

    @property
    def most(self) -> float:
        """Statements of a request of the route that asks for most; of any where routes do not differ."""
        return self.count if self.route is None else max(self.count, self.route.amount)

    def are_many(self, share: float | None) -> bool | None:
        """Return whether they are many; None where nearly many, or where only effects of them were counted.

        Nearly many are many where most are the same. share: of a request's cost that is theirs.
        """
        is_nearly = self.most >= NEARLY_MANY * MANY
        is_loop = is_nearly and self.top_share >= ALIKE_STATEMENTS and (share or 0.0) >= MOSTLY
        if self.most >= MANY or is_loop:
            return self.is_sure or None
        return None if is_nearly else False


@dataclass(frozen=True, slots=True)
class Scans:
    """Rows that a database reads for each request without an index that finds them.

    sent: rows sent, NaN where not read. row_s: CPU time of reading a row, in seconds. statement: text of the
    statement that reads most, empty where not read. share: of what all statements read or take, that of this
    one. along: part of the rows that an index led to. route: the route whose requests read most, where they
    surely read more than others.
    """

    rows: float
    sent: float
    source: SeriesSource
    row_s: float
    statement: str = ""
    share: float = 0.0
    along: float = 0.0
    route: Heaviest | None = None

    @property
    def most(self) -> float:
        """Rows read for a request of the route that reads most; for any where routes do not differ."""
        return self.rows if self.route is None else max(self.rows, self.route.amount)

    @property
    def report(self) -> str:
        """Word by which the statement looks like a report, which has to read many rows; empty for none."""
        text = self.statement.upper()
        return next((word.strip("(") for word in (*COMPUTED, *EXTREMES) if word in text), "")

    @property
    def has_index(self) -> bool:
        """Whether the statement needs all rows that it reads, so that no other index spares any of them.

        It computes from them, and says no condition, or an index led to them by that.
        """
        text = self.statement.upper()
        is_whole = not ("…" in text or text.endswith("..."))
        is_unconditional = is_whole and not CONDITION.search(text)
        is_led = self.along >= MOSTLY * self.rows
        return self.share >= MOSTLY and computes(text) and (is_unconditional or is_led)


def computes(statement: str) -> bool:
    """Return whether a statement computes something from all rows that it reads."""
    text = statement.upper()
    return any(word in text for word in COMPUTED)


def asked_of(case: Case, link: DependencyLink) -> Asked | None:
    """Return what each request asks of a dependency, and which route asks most; None where nothing tells."""
    asked = _asked(case, link)
    if asked is None:
        return None
    counted = case.track(asked.source.component, asked.source.name, asked.source.subject)
    return asked if counted is None else replace(asked, route=heaviest(case, counted.values))


def _asked(case: Case, link: DependencyLink) -> Asked | None:
    tier = link.to
    if tier.kind == "redis":
        return _counted(case, tier, "redis.commands", "redis.command_calls", "commands")
    if tier.kind == "memcached":
        return _keys(case, link)
    if not tier.is_database:
        return _called(case, link)
    if tier.track("mariadb.questions") is not None:
        return _counted(case, tier, "mariadb.questions", "mariadb.digest_calls", "statements")
    if tier.parts("postgresql.statement_calls"):
        return _counted(case, tier, "", "postgresql.statement_calls", "statements")
    woken = _woken(case, tier)
    return woken if woken is not None and woken.is_sure else _sent(case, link) or woken


def _counted(case: Case, tier: Tier, whole: str, by_name: str, word: str) -> Asked:
    track = tier.track(whole) if whole else None
    calls = {subject: part.mean for subject, part in tier.parts(by_name).items()}
    top = max(calls.keys() - {"others"}, key=lambda subject: (calls[subject], subject), default="")
    total = sum(calls.values())
    return Asked(
        a_request(case, track) if track is not None else total / case.load.ended_rps,
        track.source if track is not None else SeriesSource(tier.name, by_name, top),
        word,
        top.partition(":")[2],
        calls[top] / total if top and total else math.nan,
    )


def _woken(case: Case, tier: Tier) -> Asked | None:
    """Return PostgreSQL's transactions, or wake-ups of its processes; it counts no statements by itself."""
    commits = a_request(case, tier.track("postgresql.commits"))
    switches = tier.track("process.voluntary_switches", "tree")
    fetched = a_request(case, tier.track("postgresql.rows_fetched"))
    if commits >= NEARLY_MANY * MANY:
        source = SeriesSource(tier.name, "postgresql.commits")
        # Where a driver runs several transactions for one answer, most of them bring no row.
        has_rows = ONE_ROW[0] * commits <= fetched <= ONE_ROW[1] * commits
        return Asked(commits, source, "transactions", is_sure=has_rows or commits >= SYNCS * MANY)
    if switches is None or fetched < MANY or lock_waits(tier) >= 1:
        return None
    woken = min(a_request(case, switches), fetched)
    return Asked(woken, switches.source, TEXTS.wake_ups_sessions, is_sure=False)


def _keys(case: Case, link: DependencyLink) -> Asked | None:
    """Return what is asked of memcached; keys that are asked for together are one message."""
    tracks = [track for name in ("gets", "sets") if (track := link.to.track(f"memcached.{name}")) is not None]
    if not tracks:
        return None
    messages = _messages(case, link)
    keys = sum(a_request(case, track) for track in tracks)
    count = keys if messages is None else min(keys, messages[0])
    return Asked(count, tracks[0].source, "commands")


def _called(case: Case, link: DependencyLink) -> Asked | None:
    """Return the calls of another service: no more than messages go there, and none without an answer.

    A call is one message, or two where its head and its body are sent apart; so is its answer.
    """
    messages = _messages(case, link)
    if messages is None:
        return None
    count, source = messages
    answers = [
        a_request(case, track)
        for subject, track in link.to.parts("socket_stages.segments").items()
        if subject.startswith("in:")
    ]
    if not answers:
        return Asked(count, source, TEXTS.messages, is_sure=count >= SYNCS * MANY)
    return Asked(min(count, sum(answers)), source, TEXTS.messages)


def _sent(case: Case, link: DependencyLink) -> Asked | None:
    """Return the messages that a program sends to a dependency, for one that lets nobody look in.

    A statement is one message, or up to `SYNCS` of them by some drivers; a commit is one too.
    """
    messages = _messages(case, link)
    if messages is None:
        return None
    count, source = messages
    drivers = {link.owner.settings.get("driver", ""), link.owner.runtime}
    is_whole = link.to.kind == "postgresql" and bool(drivers & WHOLE_STATEMENTS)
    return Asked(count, source, TEXTS.messages, is_sure=count >= (1.0 if is_whole else SYNCS) * MANY)


def _messages(case: Case, link: DependencyLink) -> tuple[float, SeriesSource] | None:
    """Return the messages to a dependency for each request, and their series; None where unread."""
    tracks = [
        track
        for edge in case.edges
        if (edge.source, edge.to) == (link.owner.name, link.to.name)
        and (track := link.owner.track("socket_stages.segments", edge.role)) is not None
    ]
    if not tracks:
        return None
    return sum(a_request(case, track) for track in tracks), tracks[0].source


def seldom_woken(case: Case, tier: Tier, count: float) -> Track | None:
    """Return the wake-ups of a dependency that are too few for statements that arrive one by one, else None.

    count: statements for each request. A dependency that is always at work need not be woken.
    """
    switches = tier.track("process.voluntary_switches", "tree")
    is_seldom = a_request(case, switches) < BATCHED * count and fullness(case, tier) < 0.5
    return switches if is_seldom else None


def traces_of_loop(case: Case, tier: Tier, asked: Asked) -> Iterator[Evidence]:
    """Yield evidence that statements come of a loop: most are the same, and each looks up one thing."""
    if asked.top_share >= ALIKE_MOSTLY:
        text = TEXTS.share_is(show_share(asked.top_share), asked.top)
        yield Evidence(text, asked.top_source, CLEAR if tier.is_database else SLIGHT)
    rows = tier.track("mariadb.rows_sent")
    if rows is not None and a_request(case, rows) <= FEW_ROWS * asked.count:
        yield Evidence(TEXTS.brings(show_number(a_request(case, rows) / asked.count)), rows.source, SLIGHT)


def share_of(case: Case, link: DependencyLink, count: float) -> tuple[float | None, str]:
    """Return the share of a request's CPU time or latency that statements take at most, with arithmetic."""
    owner, rate, p50 = link.owner, case.load.ended_rps, case.load.latency(0.5)
    theirs = link.to.cpu.mean / rate if link.to.cpu is not None else 0.0
    own = observed.figure(owner.cpu) / rate
    spent = min(count * _client_s(link), own) + theirs
    shares: list[tuple[float, str]] = []
    if own + theirs > 0:
        text = TEXTS.they_take_up(show_duration(spent), show_duration(own + theirs))
        shares.append((min(1.0, spent / (own + theirs)), text))
    round_trip = link.of_sockets("rtt_median_s")
    trips_s = count * (round_trip.median if round_trip is not None else 0.0) + theirs
    if p50 > 0 and trips_s > 0:
        text = TEXTS.their_round_trips(show_duration(trips_s), show_duration(p50))
        shares.append((min(1.0, trips_s / p50), text))
    return max(shares, default=(None, ""))


def _client_s(link: DependencyLink) -> float:
    """Return the CPU time of a client for asking once, in seconds, at most."""
    is_interpreted = link.owner.runtime == "cpython"
    if link.to.is_store:
        return INTERPRETED_S if is_interpreted else CLIENT_S
    return CALL_INTERPRETED_S if is_interpreted else CALL_S


def scans_of(case: Case, tier: Tier) -> Scans | None:
    """Return the rows that a SQL database reads without an index; None where that was not read.

    Whoever wants the newest rows of a customer, and has an index of dates alone, goes through that one.
    """
    walks = [track for name in WALKS if (track := tier.track(f"mariadb.{name}")) is not None]
    if walks:
        longest = max(walks, key=lambda track: track.mean)
        top = costliest(tier, "mariadb.digest_rows_examined")
        if top is None:
            text, share = top_statement(tier)
        else:
            share = top[1].mean / longest.mean if longest.mean > 0 else 0.0
            text = top[0] if share >= MOSTLY else ""
        sent = a_request(case, tier.track("mariadb.rows_sent"))
        rows = sum(a_request(case, track) for track in walks)
        along = sum(a_request(case, track) for track in walks if track.name != f"mariadb.{WALKS[0]}")
        route = heaviest(case, sum((track.values for track in walks), np.zeros(case.seconds.size)))
        return Scans(rows, sent, longest.source, ROW_S, text, share, along, route)
    returned, fetched = tier.track("postgresql.rows_scanned"), tier.track("postgresql.rows_fetched")
    if returned is None or fetched is None:
        return None
    by_index = a_request(case, fetched)
    along = by_index if _is_walk(case, tier, by_index) else 0.0
    rows = a_request(case, returned) - by_index + along
    statements = tier.parts("postgresql.statement_rows").values()
    sent = sum(a_request(case, rows_sent) for rows_sent in statements) if statements else math.nan
    route = heaviest(case, returned.values)
    return Scans(rows, sent, returned.source, ROW_OF_POSTGRESQL_S, *top_statement(tier), along, route)


def _is_walk(case: Case, tier: Tier, by_index: float) -> bool:
    """Return whether PostgreSQL fetches more rows by an index for each request than look-ups find."""
    asked = [
        a_request(case, track)
        for edge in case.edges
        if edge.to == tier.name
        and edge.source in case.tiers
        and (track := case.tiers[edge.source].track("socket_stages.segments", edge.role)) is not None
    ]
    return bool(asked) and by_index >= WALKED_ROWS * max(1.0, sum(asked))
