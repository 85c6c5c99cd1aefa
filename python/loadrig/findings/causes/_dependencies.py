"""What causes of pools, databases and other dependencies ask alike: who calls whom, who waits for what."""

import math
from dataclasses import dataclass

from loadrig.findings.case import Case
from loadrig.findings.causes._slots import queued, slots_of
from loadrig.findings.causes.host_cpu import busy_cores
from loadrig.findings.evidence import SeriesSource
from loadrig.findings.tier import Tier
from loadrig.findings.track import Track

CHURN = 0.5
"""Connections opened a request: above it they are not kept, so there is no pool that could be too small."""

LARGEST_SHARE = 0.4
"""Of the busy time of its cores: whoever uses so much, and more than any other program, fills them."""

IDLE_SHARE = 0.70
"""Of the cores that a program may use: below it a statement or request does not queue for a core long."""

FULL_SHARE = 0.85
"""Of the cores that a program may use: at it a request that needs 1 ms waits for 6 (1 / (1 - U), M/M/1)."""


@dataclass(frozen=True)
class Link:
    """One program's connections to one that it depends on. connections: how many, seen from outside.

    is_steady: whether their number stayed while the load ran, and they were not opened anew for each
    request; None where that was not read. opened_a_request: opened for each request; NaN where unknown.
    established: their number over time, where it was read.
    """

    owner: Tier
    to: Tier
    connections: float
    is_steady: bool | None
    opened_a_request: float
    established: Track | None

    @property
    def name(self) -> str:
        """The dependency, as a reader would call it."""
        return self.to.name


def links(case: Case) -> list[Link]:
    """All connections between the programs of a case, one link for each pair; the loaded server's first."""
    pairs: dict[tuple[str, str], list[str]] = {}
    seen: dict[tuple[str, str], int] = {}
    for edge in case.edges:
        pair = (edge.source, edge.to)
        if edge.source in case.tiers and edge.to in case.tiers and edge.source != edge.to:
            pairs.setdefault(pair, []).append(edge.role)
            seen[pair] = seen.get(pair, 0) + edge.connections
    return [
        _link(case, case.tiers[owner], case.tiers[to], roles, seen[owner, to])
        for (owner, to), roles in sorted(pairs.items(), key=lambda item: item[0][0] != "server")
    ]


def _link(case: Case, owner: Tier, to: Tier, roles: list[str], seen: int) -> Link:
    established = _of_roles(case, owner, roles, "established")
    opened = _of_roles(case, owner, roles, "opened")
    rate = case.load.ended_rps
    a_request = sum(track.mean for track in opened) / rate if opened and rate else math.nan
    total = _standing(case, to, established, seen)
    steady: bool | None = None
    if established:
        # Users come one by one at the begin: of the steps three in ten may have had fewer connections.
        spread = sum(track.high(0.95) - track.high(0.3) for track in established)
        steady = spread <= max(1.0, 0.1 * total) and not a_request > CHURN
    return Link(owner, to, total, steady, a_request, established[0] if established else None)


def _standing(case: Case, to: Tier, established: list[Track], seen: int) -> float:
    """Connections to a dependency: the least of what sockets, it itself and discovery say.

    The sockets of a destination are those of all who call it, and the rig's own probe may be among them.
    """
    told = [sum(track.median for track in established)] if established else []
    for name in ("mariadb.threads_connected", "postgresql.backends", "redis.clients"):
        track = to.track(name)
        if track is not None and track.median > 0:
            told.append(track.median)
    if seen and (not told or len({edge.source for edge in case.edges if edge.to == to.name}) > 1):
        told.append(float(seen))
    return min(told, default=0.0)


def _of_roles(case: Case, owner: Tier, roles: list[str], metric: str) -> list[Track]:
    """The tracks of some destinations, of the network namespace that the owner lives in."""
    found = []
    host = case.tiers.get(owner.host, case.host)
    for role in roles:
        for subject in (role, f"{role}@{owner.name}"):
            track = host.track(f"tcp_sockets.{metric}", subject)
            if track is not None:
                found.append(track)
                break
    return found


def in_service(case: Case, tier: Tier) -> float:
    """Requests that a program works on or waits with, on average: not those that wait to be accepted."""
    waiting, found = queued(case, tier), slots_of(case, tier)
    accepted = case.load.waiting - (waiting.mean if waiting is not None else 0.0)
    return max(0.0, min(accepted, found.number if found is not None else math.inf))


def fullness(case: Case, tier: Tier) -> float:
    """How far the CPU that a program may use is used up, 0…1; NaN where that was not read.

    Of its quota by itself; of its cores by whomever, where it is itself who uses them most.
    """
    if tier.cpu is None:
        return math.nan
    own = tier.cpu.mean
    found = own / tier.cores if tier.cores else math.nan
    busy = busy_cores(case, tier)
    if leads(case, tier, busy):
        found = max(found, busy / tier.places)
    return min(1.0, found)


def leads(case: Case, tier: Tier, busy: float) -> bool:
    """Whether a program is who uses its cores most: half of their busy time, or more than any other."""
    if tier.cpu is None or not busy > 0:
        return False
    own, cores = tier.cpu.mean, set(tier.cpus)
    others = [
        one.cpu.mean
        for one in case.programs
        if one is not tier and one.cpu is not None and (not cores or not one.cpus or cores & set(one.cpus))
    ]
    return own >= 0.5 * busy or (own >= LARGEST_SHARE * busy and own > max(others, default=0.0))


def stands_idle(case: Case, tier: Tier) -> bool:
    """Whether CPU time is not what holds a program up; True too where that was not read."""
    if tier.cpu is None:
        return True
    alone = tier.busiest.mean if tier.busiest is not None and tier.runtime in ("cpython", "node") else 0.0
    # Where others fill its cores it waits for one, however little it uses.
    is_crowded = busy_cores(case, tier) >= FULL_SHARE * tier.places
    return max(tier.cpu.mean / tier.cores, alone) < IDLE_SHARE and not is_crowded


def at_work(tier: Tier) -> float:
    """Sessions of a SQL database at work on a statement, waits for locks included; NaN if unknown."""
    running = tier.track("mariadb.threads_running")
    return running.mean if running is not None else _sessions(tier, "postgresql.sessions", "active")


def held(tier: Tier) -> float:
    """Sessions that somebody uses: at work, or idle within a transaction; NaN where that was not read."""
    idle = _sessions(tier, "postgresql.sessions", "idle in transaction")
    return at_work(tier) + (idle if math.isfinite(idle) else 0.0)


def working(tier: Tier) -> SeriesSource:
    """What says best how much goes on in a dependency: `at_work` of a database."""
    if tier.is_database:
        if tier.kind == "postgresql":
            return SeriesSource(tier.name, "postgresql.sessions", "active")
        return SeriesSource(tier.name, "mariadb.threads_running")
    if tier.kind == "redis":
        return SeriesSource(tier.name, "redis.commands")
    return SeriesSource(tier.name, "process.cpu_s", "tree")


def locking(tier: Tier) -> SeriesSource:
    """What `lock_waits` was read from, above all."""
    is_postgresql = tier.kind == "postgresql"
    return SeriesSource(tier.name, "postgresql.lock_waiters" if is_postgresql else "mariadb.row_lock_s")


def lock_waits(tier: Tier) -> float:
    """How many sessions wait for a lock on average; NaN where that was not read."""
    # The time that all of them waited, each second, is their mean number, also between two looks.
    names = ("row_lock_s", "row_lock_waiters", "lock_waiters")
    tracks = [tier.track(f"{probe}.{name}") for probe in ("mariadb", "postgresql") for name in names]
    found = [track.mean for track in tracks if track is not None]
    found += [_sessions(tier, "mariadb.sessions", "lock"), _sessions(tier, "postgresql.waits", "Lock:")]
    return max((one for one in found if math.isfinite(one)), default=math.nan)


def _sessions(tier: Tier, name: str, mark: str) -> float:
    """Mean number of sessions in the states that contain a mark; NaN where no state was read.

    A state has no reading before it was seen for the first time: until then it counted none.
    """
    parts = tier.parts(name)
    steps = max((track.known.size for track in parts.values()), default=0)
    if not steps:
        return 0.0 if name == "postgresql.waits" and tier.parts("postgresql.sessions") else math.nan
    return sum(float(track.known.sum()) for state, track in parts.items() if mark in state) / steps


def a_request(case: Case, track: Track | None) -> float:
    """How much a counter grows for each request; NaN where it was not read."""
    if track is None or case.load.ended_rps <= 0:
        return math.nan
    return track.mean / case.load.ended_rps


def costliest(tier: Tier, name: str) -> tuple[str, Track] | None:
    """The statement or command that one of its metrics is highest for: its text, and the track."""
    found = {subject: track for subject, track in tier.parts(name).items() if subject != "others"}
    if not found:
        return None
    subject = max(found, key=lambda one: found[one].mean)
    return subject.partition(":")[2] or subject, found[subject]


def unseen(case: Case, tier: Tier, otherwise: str) -> str:
    """Why something of a tier was not seen, in the probe's own words where it left some."""
    said = [one.why for one in case.unseen if one.component == tier.name]
    return said[0].rstrip(".") if said else otherwise


@dataclass(frozen=True)
class Pool:
    """A pool of connections that tells of itself. active, waiting: connections in use, threads that wait."""

    owner: Tier
    name: str
    limit: float
    active: Track
    waiting: Track


_TOLD = (
    ("hikari.limit", "hikari.active", "hikari.waiting"),
    (
        "prometheus.hikaricp_connections_max",
        "prometheus.hikaricp_connections_active",
        "prometheus.hikaricp_connections_pending",
    ),
    # Of Go's database/sql. The time that all waited, each second, is how many wait on average.
    (
        "prometheus.go_sql_max_open_connections",
        "prometheus.go_sql_in_use_connections",
        "prometheus.go_sql_wait_duration_seconds_total",
    ),
)


def pools(case: Case) -> list[Pool]:
    """The pools of a case that tell of themselves."""
    found = []
    for tier in case.programs:
        for limit, active, waiting in _TOLD:
            for subject, most in {"": tier.track(limit), **tier.parts(limit)}.items():
                used, waits = tier.track(active, subject), tier.track(waiting, subject)
                if most is not None and used is not None and waits is not None and most.median > 0:
                    name = subject.rpartition(":")[2].rpartition("=")[2] or "the pool"
                    found.append(Pool(tier, name, most.median, used, waits))
    return found
