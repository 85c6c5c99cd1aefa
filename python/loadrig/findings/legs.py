"""Legs: who opens connections to whom, how many a request, who closes them, and how many ports that takes.

A leg is one arrow of the service map with the sockets that were counted on it. Causes of sockets and the
arithmetic cards ask here, so that they agree on what a leg is.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadrig.base import loopback
from loadrig.base.component import HOST, SERVER
from loadrig.findings.case import Case
from loadrig.findings.tier import Tier
from loadrig.findings.track import Track

GENERATOR = "generator"

TIME_WAIT_S = 60.0
"""A port is kept so long by who closed first. Linux: TCP_TIMEWAIT_LEN in include/net/tcp.h, no setting."""

REUSE_DELAY_S = 1.0
"""With tcp_tw_reuse a port in TIME_WAIT may be used again after so long (tcp_tw_reuse_delay, 1 s)."""

REUSE_ALWAYS, REUSE_ON_LOOPBACK = 1, 2
"""Values of tcp_tw_reuse; 2 is the kernel's default since 4.19."""

ALIKE = 0.2
"""Of the generator's own count: a destination whose connections grow as fast is the one it loads."""

FULL_SHARE = 0.95
"""Of the port range: a connect tries ports one after the other, and finds the last ones late or never."""

MISSED = 1.5
"""Of what the sockets show: so many more of a dependency's own count are not its readings' other times."""

OPENED_BY_DEPENDENCY = ("redis.connections", "mariadb.connections", "nginx.accepted")
"""What dependencies count themselves: also where the sockets could not be counted."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Arithmetic of local ports towards one destination.

    total: of the range. rate: ports put into TIME_WAIT a second at this end. hold_s: how long each is kept
    before it can be used again. is_reused: because of tcp_tw_reuse. is_loopback: whether the destination is.
    """

    total: float
    rate: float
    hold_s: float
    is_reused: bool
    is_loopback: bool

    @property
    def sustained(self) -> float:
        """Connections a second that the range carries for ever."""
        return self.total / self.hold_s

    @property
    def is_enough(self) -> bool:
        """Whether the range carries the rate for ever."""
        return self.rate <= self.sustained

    @property
    def empty_after_s(self) -> float:
        """Seconds from the begin until no port is left; infinite where that never comes."""
        return math.inf if self.is_enough else self.total / self.rate

    @property
    def empty_after_unhelped_s(self) -> float:
        """The same where ports in TIME_WAIT are not used again early, as between two machines by default."""
        return self.total / self.rate if self.rate * TIME_WAIT_S > self.total else math.inf


@dataclass(frozen=True, eq=False)
class Leg:
    """Connections from one component to another.

    source: "generator", or a tier. to: the tier that listens. address: where. out, into: subjects of the
    near end ("out:ADDRESS") and of the listener ("in:PORT"), "" where nothing was counted. near, far: the
    host components that counted them.
    """

    case: Case
    source: str
    to: str
    address: str
    out: str
    into: str
    near: str
    far: str

    @property
    def is_of_clients(self) -> bool:
        """Whether the generator opens its connections."""
        return self.source == GENERATOR

    @property
    def name(self) -> str:
        """As in a sentence: "server to redis"."""
        return f"{self.source} to {self.to}"

    def at_source(self, metric: str) -> Track | None:
        """What was counted of the near end; None where nothing was."""
        return self._read(self.near, metric, self.out)

    def at_listener(self, metric: str) -> Track | None:
        """What was counted of the listener's end."""
        return self._read(self.far, metric, self.into)

    def of_stack(self, metric: str) -> Track | None:
        """A figure of the whole network namespace that the source lives in."""
        return self._read(self.near, metric, _suffix(self.out)) or self._read(self.near, metric, "")

    def of_listeners_stack(self, metric: str) -> Track | None:
        """A figure of the whole network namespace that the listener lives in."""
        return self._read(self.far, metric, _suffix(self.into)) or self._read(self.far, metric, "")

    @property
    def opened(self) -> Track | None:
        """Connections opened on it a second, as seen by either end; else as the dependency counts them.

        Those that come and go between two looks leave only a TIME_WAIT, and where that is cut short they
        are missed; then the dependency's own count is far above, and is believed.
        """
        seen = self.at_source("opened") or self.at_listener("opened")
        counts = [self.case.tiers[self.to].track(name) for name in OPENED_BY_DEPENDENCY]
        own = next((track for track in counts if track is not None), None)
        return own if own is not None and (seen is None or own.mean > MISSED * seen.mean) else seen

    @property
    def opened_a_request(self) -> float | None:
        """Connections opened on it for each request that ended; None where they were not counted."""
        load = self.case.load
        if self.is_of_clients:
            return load.opened_a_request
        if self.opened is None or load.ended_rps <= 0:
            return None
        return self.opened.mean / load.ended_rps

    @property
    def closed_here_share(self) -> float | None:
        """Of those closed, the share that the source closed first; None where nobody saw it."""
        here, there = self.at_source("closed_first"), self.at_listener("closed_first")
        if here is None and there is None:
            return None
        own, other = (track.mean if track is not None else 0.0 for track in (here, there))
        return own / (own + other) if own + other > 0 else None

    @property
    def ports(self) -> Ports | None:
        """What the connections of this leg do to the source's ports; None where that was not read."""
        total, closed = self.of_stack("port_range"), self.at_source("closed_first")
        if total is None or closed is None or total.median <= 0:
            return None
        reuse = self.of_stack("time_wait_reuse")
        is_loopback = loopback.is_loopback(self.address.rpartition(":")[0])
        setting = reuse.median if reuse is not None else 0
        is_reused = setting == REUSE_ALWAYS or (setting == REUSE_ON_LOOPBACK and is_loopback)
        hold_s = REUSE_DELAY_S if is_reused else TIME_WAIT_S
        return Ports(total.median, self._wanted(closed), hold_s, is_reused, is_loopback)

    def _wanted(self, closed: Track) -> float:
        """Connections a second that it closes while ports are free: later only as many as are freed."""
        taken = self.at_source("port_range_share")
        if taken is None or taken.peak < FULL_SHARE:
            return closed.mean
        first = int(np.argmax(np.nan_to_num(taken.values) >= FULL_SHARE))
        before = closed.values[: max(first, 1)]
        return float(np.nanmax(before)) if np.isfinite(before).any() else closed.peak

    def _read(self, host: str, metric: str, subject: str) -> Track | None:
        found = self.case.track(host, f"tcp_sockets.{metric}", subject)
        return found if found is not None and found.is_known else None


def legs(case: Case) -> tuple[Leg, ...]:
    """All legs: that of the generator, then those of the map; one for each destination."""
    found: tuple[Leg, ...] | None = case.remembered.get("legs")
    if found is None:
        found = case.remembered["legs"] = (of_clients(case), *_behind(case))
    return found


def of_clients(case: Case) -> Leg:
    """The leg from the generator to what it loads."""
    server = case.server
    out = _subject(case, HOST, f"out:{server.address}", "") if server.address else ""
    out = out or _loaded(case)
    into = _subject(case, server.host, f"in:{server.port}", server.name) if server.port else ""
    return Leg(
        case, GENERATOR, SERVER, server.address or out.removeprefix("out:"), out, into, HOST, server.host
    )


def listener_of(case: Case, subject: str, host: str = HOST) -> Tier | None:
    """The tier that listens where the sockets of "in:PORT" or "in:PORT@PROGRAM" were counted."""
    port, _, program = subject.removeprefix("in:").partition("@")
    for tier in case.programs:
        if tier.host == host and port in (tier.port, tier.address) and program in ("", tier.name):
            return tier
    return case.tiers.get(program)


def _behind(case: Case) -> Iterator[Leg]:
    said = set()
    for edge in case.edges:
        if edge.to not in case.tiers or edge.source not in case.tiers or (edge.to, edge.address) in said:
            continue
        said.add((edge.to, edge.address))
        source, to = case.tiers[edge.source], case.tiers[edge.to]
        out = _subject(case, source.host, edge.role, source.name)
        port = edge.address.rpartition(":")[2] if ":" in edge.address else edge.address
        into = _subject(case, to.host, f"in:{port}", to.name)
        yield Leg(case, edge.source, edge.to, edge.address, out, into, source.host, to.host)


def _subject(case: Case, host: str, role: str, program: str) -> str:
    """The subject under which a role was counted: as it is, or in the network namespace of a program."""
    subjects = case.subjects(host, "tcp_sockets.established") | case.subjects(host, "tcp_sockets.time_wait")
    subjects |= case.subjects(host, "tcp_sockets.opened") | case.subjects(host, "tcp_sockets.accept_queue")
    for name in (f"{role}@{program}", role):
        if name in subjects:
            return name
    # The namespace has the name of another program that lives in it too.
    return next((name for name in subjects if name.startswith(f"{role}@")), "")


def _loaded(case: Case) -> str:
    """The destination that the generator loads, told by how fast connections to it are opened."""
    wanted = case.load.mean(case.load.opened)
    behind = {edge.role for edge in case.edges}
    for subject, track in case.subjects(HOST, "tcp_sockets.opened").items():
        if not subject.startswith("out:") or "@" in subject or subject in behind:
            continue
        if wanted > 0 and abs(track.mean - wanted) <= ALIKE * wanted:
            return subject
    return ""


def _suffix(subject: str) -> str:
    _, found, program = subject.partition("@")
    return f"@{program}" if found else ""


@dataclass(frozen=True, eq=False)
class Namespace:
    """A network namespace whose sockets were counted. suffix: of its subjects, "" or "@PROGRAM"."""

    case: Case
    host: str
    suffix: str

    def track(self, metric: str) -> Track | None:
        """A figure of the whole namespace; None where it was not read."""
        found = self.case.track(self.host, f"tcp_sockets.{metric}", self.suffix)
        return found if found is not None and found.is_known else None

    def has(self, subject: str) -> bool:
        """Whether a role was counted in it."""
        return _suffix(subject) == self.suffix


def namespaces(case: Case) -> Iterator[Namespace]:
    """All network namespaces of all hosts that were watched."""
    for tier in case.tiers.values():
        if tier.is_host:
            for subject in case.subjects(tier.name, "tcp_sockets.active_opens"):
                yield Namespace(case, tier.name, subject)
