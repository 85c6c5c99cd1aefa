"""Facts on pools, databases and other dependencies that several causes ask for: who waits for whom."""

import math
from dataclasses import dataclass

import numpy as np

from loadrig.judgement.constants import FULL_SHARE, WAITS
from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import busy_cores
from loadrig.judgement.facts.observed import figure, machine
from loadrig.judgement.facts.slots import accepted, queued, slots_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track

CHURN = 0.5
"""Connections opened a request. Above it connections are not kept, so there is no pool that could be too
small."""

LARGEST_SHARE = 0.4
"""Share of the cores' busy time, 0 to 1, from which on the program that uses most of it fills the cores."""

IDLE_SHARE = 0.70
"""Share of the cores that a program may use, 0 to 1. Below it a statement or request does not queue for a
core long."""

TITLES = "session_titles.sessions"
"""Sessions by what the titles of a PostgreSQL's processes say, which can be read without a password."""

HEAVY_LOCKS = "Lock:"
"""Beginning of PostgreSQL's waits for rows and tables. Those for an LWLock are for its own memory, such as
for whoever makes the log durable. Source: pg_stat_activity, wait_event_type."""

RETRIES = 1.3
"""Connections opened for each request, from which on calls are repeated: a call over its own connection opens
one."""

LEAST_LIFE_S = 1.0
"""Mean life of a pool's connections in seconds, at least: their number over those opened a second (Little's
law). Pools keep theirs for minutes, and who opens one for each call has it for some milliseconds."""

CAPPED = 0.2
"""Coefficient of variation of the connections that await an answer, from look to look, up to which something
caps them: a cap that is full gives them back and takes them at once, and calls that come as they like vary by
the square root of their number."""


FOR_EACH_COMMITTED = 1.0
"""Transactions rolled back for each that is committed, from which on more of the work is thrown away than
used."""

OF_A_REQUEST = 2.0
"""Transactions rolled back for each request, from which on they are made again. One is usual: many libraries
roll back when they give back a connection that has only read."""


@dataclass(frozen=True)
class DependencyLink:
    """Connections of one program to a dependency. connections: their number, seen from outside.

    opened_a_request: opened for each request; NaN where unknown.
    established: their number over time, where it was read.
    """

    owner: Tier
    to: Tier
    connections: float
    opened_a_request: float
    established: Track | None

    @property
    def name(self) -> str:
        """Name of the dependency for a reader."""
        return self.to.name

    @property
    def given_up(self) -> Track | None:
        """Connections that the owner has closed and the dependency has not: calls that were given up."""
        return self.of_sockets("fin_wait2")

    def of_sockets(self, metric: str) -> Track | None:
        """Return a metric of the sockets of these connections; None where it was not read."""
        if self.established is None:
            return None
        return machine(self.owner).track(f"tcp_sockets.{metric}", self.established.subject)


def links(case: Case) -> list[DependencyLink]:
    """Return all connections between programs, one link for each pair, the loaded server's first."""
    pairs: dict[tuple[str, str], list[str]] = {}
    connections: dict[tuple[str, str], int] = {}
    for edge in case.edges:
        pair = (edge.source, edge.to)
        if edge.source in case.tiers and edge.to in case.tiers and edge.source != edge.to:
            pairs.setdefault(pair, []).append(edge.role)
            connections[pair] = connections.get(pair, 0) + edge.connections
    return [
        _link(case, case.tiers[owner], case.tiers[to], roles, connections[owner, to])
        for (owner, to), roles in sorted(pairs.items(), key=lambda item: item[0][0] != "server")
    ]


def _link(case: Case, owner: Tier, to: Tier, roles: list[str], connections: int) -> DependencyLink:
    established = _role_tracks(owner, roles, "established")
    opened = _role_tracks(owner, roles, "opened")
    rate = case.load.ended_rps
    a_request = sum(track.mean for track in opened) / rate if opened and rate else math.nan
    total = _standing(case, to, established, connections)
    return DependencyLink(owner, to, total, a_request, established[0] if established else None)


def opened_for_calls(case: Case, tier: Tier) -> frozenset[str]:
    """Return the dependencies to which a program opens a connection for each call, as many as it makes calls.

    Such connections are no pool: none is ever free, and another is opened whenever it is wanted.
    """
    return frozenset(
        link.name
        for link in links(case)
        if link.owner is tier
        and link.connections < LEAST_LIFE_S * link.opened_a_request * case.load.ended_rps
        and not _is_capped(link)
    )


def _is_capped(link: DependencyLink) -> bool:
    """Return whether always as many connections await an answer, as where a client allows no more."""
    if link.established is None:
        return False
    stages = [f"socket_stages.{name}" for name in ("awaiting", "awaiting_sd")]
    awaiting, spread = (link.owner.track(stage, link.established.subject) for stage in stages)
    return awaiting is not None and spread is not None and spread.mean <= CAPPED * awaiting.mean


def _standing(case: Case, to: Tier, established: list[Track], connections: int) -> float:
    """Return the number of connections to a dependency: the least of what sockets, itself and discovery say.

    The sockets of a destination are those of all its callers, and the rig's own probe may be among them.
    """
    counts = [sum(track.median for track in established)] if established else []
    for name in ("mariadb.threads_connected", "postgresql.backends", "redis.clients"):
        track = to.track(name)
        if track is not None and track.median > 0:
            counts.append(track.median)
    if connections and (not counts or len({edge.source for edge in case.edges if edge.to == to.name}) > 1):
        counts.append(float(connections))
    return min(counts, default=0.0)


def _role_tracks(owner: Tier, roles: list[str], metric: str) -> list[Track]:
    """Return the tracks of some destinations, from the network namespace that the owner lives in."""
    tracks = []
    host = machine(owner)
    for role in roles:
        for subject in (role, f"{role}@{owner.name}"):
            track = host.track(f"tcp_sockets.{metric}", subject)
            if track is not None:
                tracks.append(track)
                break
    return tracks


def in_service(case: Case, tier: Tier) -> float:
    """Return the mean number of requests that a program has accepted and works on or waits with."""
    waiting, slots, in_hand = queued(tier), slots_of(tier), accepted(tier)
    most = [case.load.waiting - (waiting.mean if waiting is not None else 0.0)]
    if slots is not None:
        most.append(slots.number)
    # A program behind another has taken up no more than it has connections of: the rest waits ahead of it.
    if tier.name != case.server.name and math.isfinite(in_hand):
        most.append(in_hand)
    return max(0.0, min(most))


def fullness(case: Case, tier: Tier) -> float:
    """Return how far the CPU that a program may use is used up, 0…1; NaN where that was not read.

    A quota is used up by the program alone. Cores are used up by all programs, and count where this program
    uses them most.
    """
    if tier.cpu is None:
        return math.nan
    own = tier.cpu.mean
    share = own / tier.cores if tier.cores else math.nan
    busy = busy_cores(case, tier)
    if leads(case, tier, busy):
        share = max(share, busy / tier.places)
    return min(1.0, share)


def leads(case: Case, tier: Tier, busy: float) -> bool:
    """Return whether a program uses its cores most: half their busy time, or more than any other program."""
    if tier.cpu is None or not busy > 0:
        return False
    own = tier.cpu.mean
    others = [
        rival.cpu.mean
        for rival in case.programs
        if rival is not tier and rival.cpu is not None and rival.may_run_on(tier.cpus)
    ]
    return own >= 0.5 * busy or (own >= LARGEST_SHARE * busy and own > max(others, default=0.0))


def stands_idle(case: Case, tier: Tier) -> bool:
    """Return whether a program is not held up by lack of CPU time; True too where that was not read."""
    if tier.cpu is None:
        return True
    alone = tier.busiest.mean if tier.busiest is not None and tier.runtime in ("cpython", "node") else 0.0
    # Where other programs fill the cores this one waits for a core, however little it uses.
    is_crowded = busy_cores(case, tier) >= FULL_SHARE * tier.places and not _hardly_waits(case, tier)
    return max(tier.cpu.mean / tier.cores, alone) < IDLE_SHARE and not is_crowded


def _hardly_waits(case: Case, tier: Tier) -> bool:
    """Return whether requests at a program hardly wait for a core; False where that was not seen.

    Those of a loop that waits for one are not read meanwhile.
    """
    component = case.account_of(tier.name)
    if component is None or not component.is_seen or not component.total_ms > 0:
        return False
    waited_ms = sum(line.ms for line in component.lines if line.state in ("unread", "runnable", "throttled"))
    return waited_ms < WAITS * component.total_ms


def idle_caller(case: Case, tier: Tier) -> tuple[Tier, float] | None:
    """Return a program that stands idle while its requests may wait in a dependency, and how many of them.

    None where no program has connections enough for that.
    """
    for link in links(case):
        busy = in_service(case, link.owner)
        if link.to is tier and link.connections >= max(2.0, 0.5 * busy) and stands_idle(case, link.owner):
            return link.owner, min(busy, link.connections)
    return None


def at_work(tier: Tier) -> float:
    """Return the statements or commands that a dependency works on or holds up, by itself; NaN if unknown."""
    if commands := tier.parts("redis.command_s"):
        blocked = figure(tier.track("redis.blocked_clients"))
        return sum(track.mean for track in commands.values()) + float(np.nan_to_num(blocked))
    running = tier.track("mariadb.threads_running")
    if running is not None:
        return running.mean
    if tier.parts("postgresql.sessions"):
        return _sessions(tier, "postgresql.sessions", "active")
    return sum(_sessions(tier, TITLES, state) for state in ("working", "waiting", "committing"))


def working(tier: Tier) -> SeriesSource:
    """Return the series that says best how much goes on in a dependency: that of `at_work` for a database."""
    if tier.is_database:
        if tier.parts(TITLES) and not tier.parts("postgresql.sessions"):
            return SeriesSource(tier.name, TITLES, "working")
        if tier.kind == "postgresql":
            return SeriesSource(tier.name, "postgresql.sessions", "active")
        return SeriesSource(tier.name, "mariadb.threads_running")
    if tier.kind == "redis":
        return SeriesSource(tier.name, "redis.commands")
    return SeriesSource(tier.name, "process.cpu_s", "tree")


def locking(tier: Tier) -> SeriesSource:
    """Return the series that `lock_waits` is mostly read from."""
    if tier.parts(TITLES) and tier.track("postgresql.lock_waiters") is None:
        return SeriesSource(tier.name, TITLES, "waiting")
    is_postgresql = tier.kind == "postgresql"
    return SeriesSource(tier.name, "postgresql.lock_waiters" if is_postgresql else "mariadb.row_lock_s")


def lock_waits(tier: Tier) -> float:
    """Return the mean number of sessions that wait for a lock; NaN where that was not read."""
    # The time that all sessions waited in a second is their mean number, also between two looks.
    names = ("row_lock_s", "row_lock_waiters", "lock_waiters")
    tracks = [tier.track(f"{probe}.{name}") for probe in ("mariadb", "postgresql") for name in names]
    numbers = [track.mean for track in tracks if track is not None]
    numbers += [_sessions(tier, "mariadb.sessions", "lock"), _sessions(tier, "postgresql.waits", HEAVY_LOCKS)]
    numbers.append(_sessions(tier, TITLES, "waiting"))
    return max((number for number in numbers if math.isfinite(number)), default=math.nan)


def _sessions(tier: Tier, name: str, mark: str) -> float:
    """Return the mean number of sessions in the states that contain a word; NaN where no state was read.

    A state has no reading before it was seen for the first time: until then it counted none.
    """
    parts = tier.parts(name)
    steps = max((track.inside.size for track in parts.values()), default=0)
    if not steps:
        return 0.0 if name == "postgresql.waits" and tier.parts("postgresql.sessions") else math.nan
    return (
        sum(float(track.inside.sum()) for state, track in parts.items() if f" {mark}" in f" {state}") / steps
    )


def a_request(case: Case, track: Track | None) -> float:
    """Return how much a counter grows with each request; NaN where it was not read."""
    if track is None or case.load.ended_rps <= 0:
        return math.nan
    return track.mean / case.load.ended_rps


def costliest(tier: Tier, name: str) -> tuple[str, Track] | None:
    """Return the statement or command with the highest value of a metric, as its text and its track."""
    tracks = {subject: track for subject, track in tier.parts(name).items() if subject != "others"}
    if not tracks:
        return None
    subject = max(tracks, key=lambda text: tracks[text].mean)
    return subject.partition(":")[2] or subject, tracks[subject]


STATEMENTS = (
    "mariadb.digest_s",
    "postgresql.statement_s",
    "mariadb.mean_statements",
    "postgresql.mean_statements",
)
"""Series of the time that statements take: a database that keeps no account of them shows those at work."""


def top_statement(tier: Tier) -> tuple[str, float]:
    """Return the statement that takes most of a database's time, and its share of that, 0 to 1.

    Where that was not read the statement is empty.
    """
    for name in STATEMENTS:
        top = costliest(tier, name)
        if top is not None:
            total = sum(track.mean for track in tier.parts(name).values())
            return top[0], top[1].mean / total if total > 0 else 0.0
    return "", 0.0


def unseen(case: Case, tier: Tier, otherwise: str) -> str:
    """Return why something of a tier was not seen, in the probe's own words where it left some."""
    reasons = [item.why for item in case.unseen if item.component == tier.name]
    return reasons[0].rstrip(".") if reasons else otherwise


@dataclass(frozen=True, slots=True)
class Repeated:
    """Transactions that are made again.

    each: rolled back for each that is committed. a_request: rolled back for each request. track: the counter
    of those rolled back.
    """

    each: float
    a_request: float
    track: Track

    @property
    def share(self) -> float:
        """Share of all transactions that bring no answer, 0 to 1."""
        return self.each / (1 + self.each)


def repeated(case: Case, tier: Tier) -> Repeated | None:
    """Return how often a database's transactions are made again; None where that is seldom or not known."""
    if tier.kind == "mariadb":
        kinds = tier.parts("mariadb.statements")
        back, committed = kinds.get("rollback"), kinds.get("commit")
    else:
        back, committed = tier.track("postgresql.rollbacks"), tier.track("postgresql.commits")
    if back is None or committed is None or not committed.mean > 0 or case.load.ended_rps <= 0:
        return None
    times = Repeated(back.mean / committed.mean, back.mean / case.load.ended_rps, back)
    return times if times.each >= FOR_EACH_COMMITTED and times.a_request >= OF_A_REQUEST else None
