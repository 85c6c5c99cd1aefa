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
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.constants import AT_LIMIT, HELD_BACK_A_REQUEST, OF_REQUEST
from loadrig.judgement.evidence import FormulaSource, Sign, Source
from loadrig.judgement.facts.case import Case, once_a_case
from loadrig.judgement.facts.dependencies import at_work
from loadrig.judgement.facts.observed import figure, sign
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsLegsTexts
from loadrig.recording.steps import Bools, Floats

TEXTS = texts_of(JudgementFactsLegsTexts)

GENERATOR = "generator"

TIME_WAIT_S = 60.0
"""Seconds for which the end that closed first keeps a port. Source: TCP_TIMEWAIT_LEN in Linux'
include/net/tcp.h, which no setting changes."""

REUSE_DELAY_S = 1.0
"""Seconds after which tcp_tw_reuse allows a port in TIME_WAIT to be used again (tcp_tw_reuse_delay, 1 s)."""

REUSE_ALWAYS, REUSE_ON_LOOPBACK = 1, 2
"""Values of tcp_tw_reuse; 2 is the kernel's default since 4.19."""

ALIKE_LEGS = 0.2
"""Difference as a share of the generator's own count, 0 to 1, up to which a destination is the loaded one:
its connections are opened as fast as the generator opens them."""

TRACE_TIME_WAIT = 1_000
"""Connections in TIME_WAIT towards one destination. Below it they are not suspected."""

TRACE_PORTS_SHARE = 0.2
"""Share of the port range in use, 0 to 1, from which on a small range is suspected, too."""

PORTS_FALL = 0.8
"""Share of the earlier connections a second that is still opened, 0 to 1. Below it the range holds the
program back."""

SUSTAINED_SLACK = 1.25
"""Connections opened over the rate at which ports are freed, at most: they come in the bursts in which they
were taken."""

USUAL_RANGE = 28_232
"""Number of local ports by the kernel's default, 32768 to 60999."""

MISSED = 1.5
"""Ratio of a dependency's own count of connections to what the sockets show. Above it the difference is not
due to the different times of the readings."""

FLAT = 0.05
"""Spread over mean of the bytes a second. Below it a shaper holds them: a server's throughput moves more."""

OPENED_BY_DEPENDENCY = ("redis.connections", "mariadb.connections", "nginx.accepted")
"""Connections as dependencies count them, which is known also where the sockets could not be counted."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Arithmetic of local ports towards one destination.

    total: number of ports in the range. rate: ports put into TIME_WAIT a second at this end. hold_s: how long
    a port is kept before it can be used again. is_reused: whether tcp_tw_reuse shortens hold_s. is_loopback:
    whether the destination is on loopback.
    """

    total: float
    rate: float
    hold_s: float
    is_reused: bool
    is_loopback: bool

    @property
    def sustained(self) -> float:
        """Highest rate that the port range carries for ever, in connections a second."""
        return self.total / self.hold_s

    @property
    def is_enough(self) -> bool:
        """Whether the range carries the rate for ever."""
        return self.rate <= self.sustained

    @property
    def empty_after_s(self) -> float:
        """Seconds from the begin until no port is left; infinite where ports never run out."""
        return math.inf if self.is_enough else self.total / self.rate

    @property
    def empty_after_unhelped_s(self) -> float:
        """Seconds until no port is left, where ports in TIME_WAIT are not used again early.

        Infinite where that never comes. Between two machines that is the default.
        """
        return self.total / self.rate if self.rate * TIME_WAIT_S > self.total else math.inf

    @property
    def formula(self) -> str:
        """Arithmetic of the rate that is carried for ever, with its numbers filled in."""
        hold = show_duration(self.hold_s)
        return TEXTS.ports_connections_s(show_number(self.total), hold, show_number(self.sustained))

    @property
    def source(self) -> FormulaSource:
        """Source of a sentence about how long the ports last: that arithmetic."""
        return FormulaSource(self.formula)

    @property
    def text(self) -> str:
        """Clause that says how long the ports last at this rate, and how long without tcp_tw_reuse."""
        rate = TEXTS.closed_second(show_number(self.rate))
        empty = f"{show_number(self.total)} / {show_number(self.rate)}/s = "
        if not self.is_enough:
            return TEXTS.all_taken_after(rate, empty, show_duration(self.empty_after_s))
        if self.is_reused and math.isfinite(self.empty_after_unhelped_s):
            how = TEXTS.tcp_tw_reuse if self.is_loopback else "tcp_tw_reuse"
            gone = f"{empty}{show_duration(self.empty_after_unhelped_s)}"
            return TEXTS.they_last_s(rate, how, f"{TIME_WAIT_S:g}", gone)
        return TEXTS.they_last_ever(rate, show_share(self.rate / self.sustained))


@dataclass(frozen=True, eq=False)
class Leg:
    """Connections from one component to another.

    source: "generator", or a tier. to: the tier that listens. address: where that tier listens. out, into:
    subjects of the near end ("out:ADDRESS") and of the listener ("in:PORT"), "" where nothing was counted.
    near, far: the host components that counted them.
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
        """Name as in a sentence: "server to redis"."""
        return TEXTS.to(self.source, self.to)

    def at_source(self, metric: str) -> Track | None:
        """Return a metric of the source's end; None where it was not read."""
        return self._read(self.near, metric, self.out)

    def at_listener(self, metric: str) -> Track | None:
        """Return a metric of the listener's end; None where it was not read."""
        return self._read(self.far, metric, self.into)

    def of_stack(self, metric: str) -> Track | None:
        """Return a metric of the whole network namespace of the source; None where it was not read."""
        return self._read(self.near, metric, _suffix(self.out)) or self._read(self.near, metric, "")

    @property
    def opened(self) -> Track | None:
        """Connections opened on the leg a second, as seen by either end, else as the dependency counts them.

        Connections that come and go between two looks leave only a TIME_WAIT, and the sockets miss them where
        TIME_WAIT is cut short. Then the dependency's own count is far higher, and is used.
        """
        sockets = self.at_source("opened") or self.at_listener("opened")
        counts = [self.case.tiers[self.to].track(name) for name in OPENED_BY_DEPENDENCY]
        own = next((track for track in counts if track is not None), None)
        return own if own is not None and (sockets is None or own.mean > MISSED * sockets.mean) else sockets

    @property
    def opened_a_request(self) -> float | None:
        """Connections opened on the leg for each request that ended; None where they were not counted."""
        load = self.case.load
        if self.is_of_clients:
            return load.opened_a_request
        if self.opened is None or load.ended_rps <= 0:
            return None
        return self.opened.mean / load.ended_rps

    @property
    def closed_here_share(self) -> float | None:
        """Share of the closed connections that the source closed first; None where that was not read."""
        here, there = self.at_source("closed_first"), self.at_listener("closed_first")
        if here is None and there is None:
            return None
        of_source, of_listener = (track.mean if track is not None else 0.0 for track in (here, there))
        return of_source / (of_source + of_listener) if of_source + of_listener > 0 else None

    @property
    def ports(self) -> Ports | None:
        """Arithmetic of the source's ports on this leg; None where they were not read."""
        total, closed = self.of_stack("port_range"), self.at_source("closed_first")
        if total is None or closed is None or total.median <= 0:
            return None
        reuse = self.of_stack("time_wait_reuse")
        is_loopback = loopback.is_loopback(self.address.rpartition(":")[0])
        setting = reuse.median if reuse is not None else 0
        is_reused = setting == REUSE_ALWAYS or (setting == REUSE_ON_LOOPBACK and is_loopback)
        hold_s = REUSE_DELAY_S if is_reused else TIME_WAIT_S
        return Ports(total.median, self._wanted(closed), hold_s, is_reused, is_loopback)

    @property
    def are_ports_suspect(self) -> bool:
        """Whether a person would suspect the leg of using up the source's ports."""
        share, time_wait = self.at_source("port_range_share"), self.at_source("time_wait")
        return figure(share, "peak") >= TRACE_PORTS_SHARE or figure(time_wait, "peak") >= TRACE_TIME_WAIT

    def held_back(self, range_share: Track) -> Sign:
        """Return the sign that the source opened fewer connections once no port was free."""
        opened, ports = self.at_source("opened"), self.ports
        stuck = with_and_without_ports(opened.values, range_share) if opened is not None else None
        if opened is not None and stuck is not None and stuck[0] > 0:
            text = TEXTS.opened_s_free(show_number(stuck[0]), show_number(stuck[1]))
            return Sign(stuck[1] < PORTS_FALL * stuck[0], text, opened.source)
        freed, rate = ports.sustained if ports is not None else math.nan, figure(opened)
        text = TEXTS.no_port_free(show_number(rate), show_number(freed))
        track = opened if ports is not None else None
        return sign(track, rate <= SUSTAINED_SLACK * freed, text, TEXTS.how_many_connections)

    def _wanted(self, closed: Track) -> float:
        """Return the connections a second that the source closes while ports are free.

        Later it can close only as many as ports are freed.
        """
        ports_share = self.at_source("port_range_share")
        if ports_share is None or ports_share.peak < AT_LIMIT:
            return closed.mean
        before = closed.values[: max(int(np.argmax(are_ports_full(ports_share))), 1)]
        return float(np.nanmax(before)) if np.isfinite(before).any() else closed.peak

    def _read(self, host: str, metric: str, subject: str) -> Track | None:
        track = self.case.track(host, f"tcp_sockets.{metric}", subject)
        return track if track is not None and track.is_known else None


def are_ports_full(range_share: Track) -> Bools:
    """Return in which steps no port was left, by the share of the range in use: bool[n]."""
    full: Bools = np.nan_to_num(range_share.values) >= AT_LIMIT
    return full


def with_and_without_ports(rates: Floats, range_share: Track) -> tuple[float, float] | None:
    """Return the greatest rate while ports were free and its mean while none was; None where not seen."""
    is_full = are_ports_full(range_share)
    during = rates[is_full & range_share.is_inside]
    # In the step in which the last port is taken the range is both free and full.
    during = during[1:] if during.size > 1 else during
    before, during = rates[: int(np.argmax(is_full))], during[np.isfinite(during)]
    before = before[np.isfinite(before)]
    return (float(before.max()), float(during.mean())) if before.size and during.size else None


def unclaimed_legs(case: Case) -> Iterator[Leg]:
    """Yield a leg for each address that nobody is connected to, as all ports towards it are taken.

    Its source is the program that most likely opens the connections, and its `to` is the address.
    """
    counted = {leg.out for leg in legs(case)}
    for host in (tier for tier in case.tiers.values() if tier.is_host):
        for out, share in host.parts("tcp_sockets.port_range_share").items():
            if out not in counted and share.peak >= AT_LIMIT:
                caller, address = _last_of_chain(case, host), out.removeprefix("out:").partition("@")[0]
                yield Leg(case, caller.name, address, address, out, "", host.name, host.name)


def _last_of_chain(case: Case, host: Tier) -> Tier:
    """Return the program of a host that the fewest programs lie behind, from the loaded server on."""
    last, passed = case.server, {case.server.name}
    while behind := [
        tier
        for tier in last.callees
        if tier.name not in passed and tier.host == host.name and not tier.ends_requests
    ]:
        last = behind[0]
        passed.add(last.name)
    return last


@once_a_case
def legs(case: Case) -> tuple[Leg, ...]:
    """Return all legs, one for each destination: first the generator's, then those of the map."""
    return (of_clients(case), *_map_legs(case))


def of_clients(case: Case) -> Leg:
    """Return the leg from the generator to the component that it loads."""
    server = case.server
    out = _subject(case, HOST, f"out:{server.address}", "") if server.address else ""
    out = out or _loaded_subject(case)
    into = _subject(case, server.host, f"in:{server.port}", server.name) if server.port else ""
    return Leg(
        case, GENERATOR, SERVER, server.address or out.removeprefix("out:"), out, into, HOST, server.host
    )


def listener_of(case: Case, subject: str, host: str = HOST) -> Tier | None:
    """Return the tier that listens at "in:PORT" or "in:PORT@PROGRAM"; None where none is known."""
    port, _, program = subject.removeprefix("in:").partition("@")
    for tier in case.programs:
        if tier.host == host and port in (tier.port, tier.address) and program in ("", tier.name):
            return tier
    return case.tiers.get(program)


def _map_legs(case: Case) -> Iterator[Leg]:
    ends = set()
    for edge in case.edges:
        if edge.to not in case.tiers or edge.source not in case.tiers or (edge.to, edge.address) in ends:
            continue
        ends.add((edge.to, edge.address))
        source, to = case.tiers[edge.source], case.tiers[edge.to]
        out = _subject(case, source.host, edge.role, source.name)
        port = edge.address.rpartition(":")[2] if ":" in edge.address else edge.address
        into = _subject(case, to.host, f"in:{port}", to.name)
        yield Leg(case, edge.source, edge.to, edge.address, out, into, source.host, to.host)


def _subject(case: Case, host: str, role: str, program: str) -> str:
    """Return the subject of a role, with or without a program's namespace; "" where there is none."""
    subjects = case.subjects(host, "tcp_sockets.established") | case.subjects(host, "tcp_sockets.time_wait")
    subjects |= case.subjects(host, "tcp_sockets.opened") | case.subjects(host, "tcp_sockets.accept_queue")
    for name in (f"{role}@{program}", role):
        if name in subjects:
            return name
    # The namespace is named after another program that lives in it, too.
    return next((name for name in subjects if name.startswith(f"{role}@")), "")


def _loaded_subject(case: Case) -> str:
    """Return the destination that is opened as fast as the generator opens connections; "" where none is."""
    wanted = case.load.mean(case.load.opened)
    behind = {edge.role for edge in case.edges}
    for subject, track in case.subjects(HOST, "tcp_sockets.opened").items():
        if not subject.startswith("out:") or "@" in subject or subject in behind:
            continue
        if wanted > 0 and abs(track.mean - wanted) <= ALIKE_LEGS * wanted:
            return subject
    return ""


def _suffix(subject: str) -> str:
    _, separator, program = subject.partition("@")
    return f"@{program}" if separator else ""


@dataclass(frozen=True, eq=False)
class Namespace:
    """Network namespace whose sockets were counted. suffix: end of its subjects, "" or "@PROGRAM"."""

    case: Case
    host: str
    suffix: str

    def track(self, metric: str) -> Track | None:
        """Return a metric of the whole namespace; None where it was not read."""
        track = self.case.track(self.host, f"tcp_sockets.{metric}", self.suffix)
        return track if track is not None and track.is_known else None

    def tracks(self, *metrics: str) -> list[Track]:
        """Return those of some metrics that were read."""
        return [track for metric in metrics if (track := self.track(metric)) is not None]

    @property
    def accept_queues(self) -> "list[AcceptQueue]":
        """Queues of its listeners, where they and their backlogs were read."""
        queues = []
        for subject, waiting in self.case.subjects(self.host, "tcp_sockets.accept_queue").items():
            limit = self.case.track(self.host, "tcp_sockets.backlog", subject)
            if (
                _suffix(subject) == self.suffix
                and waiting.is_known
                and limit is not None
                and limit.median > 0
            ):
                tier = listener_of(self.case, subject, self.host)
                queues.append(AcceptQueue(subject, tier, waiting, limit.median))
        return queues


@dataclass(frozen=True, eq=False)
class AcceptQueue:
    """Connections that wait at a listener to be accepted. backlog: most of them that may wait.

    subject: the listener, as its series have it. tier: the program that listens; None where that is unknown.
    """

    subject: str
    tier: Tier | None
    waiting: Track
    backlog: float

    @property
    def filled_share(self) -> float:
        """Share of the backlog that waited at the peak; above 1 where one more waited than it says."""
        return self.waiting.peak / self.backlog


def namespaces(case: Case) -> Iterator[Namespace]:
    """Yield all network namespaces of all hosts that were watched."""
    for tier in case.tiers.values():
        if tier.is_host:
            for subject in case.subjects(tier.name, "tcp_sockets.active_opens"):
                yield Namespace(case, tier.name, subject)


def delayed_acks(case: Case) -> Track | None:
    """Return the acknowledgements held back in the namespace with most of them; None where not read."""
    counted = [track for space in namespaces(case) if (track := space.track("delayed_acks")) is not None]
    return max(counted, key=lambda track: track.mean, default=None)


@dataclass(frozen=True, slots=True)
class CallsOnTheWay:
    """Calls from one program to another that are being sent. number: of them at a time, on average."""

    sender: str
    to: str
    number: float
    source: Source


@once_a_case
def held_back_calls(case: Case) -> CallsOnTheWay | None:
    """Return the calls that wait in their sender's socket while acknowledgements are held back; None without.

    A second write waits for the acknowledgement of the first, which who is asked holds back: it has not got
    the whole question yet. Over a long way calls are being sent for as long, and nothing is held back.
    Nor is what a database works on or holds up: it has the whole call, and acknowledges it late.
    """
    delayed, rate = delayed_acks(case), case.load.ended_rps
    if delayed is None or rate <= 0 or delayed.mean < HELD_BACK_A_REQUEST * rate:
        return None
    on_the_way = [
        CallsOnTheWay(
            edge.source, edge.to,
            min(busy.mean, awaiting.mean) - np.nan_to_num(at_work(case.tiers[edge.to])), busy.source,
        )
        for edge in case.edges
        if edge.to in case.tiers
        if (busy := case.track(edge.source, "socket_stages.busy_s", edge.role)) is not None
        if (awaiting := case.track(edge.source, "socket_stages.awaiting", edge.role)) is not None
    ]  # fmt: skip
    most = max(on_the_way, key=lambda calls: calls.number, default=None)
    return most if most is not None and most.number >= OF_REQUEST * case.load.waiting else None


def fullest_link(case: Case, host: str) -> tuple[Track, Track] | None:
    """Return the bytes a second and the capacity of the interface of a host that is nearest to its capacity.

    None where no capacity was read.
    """
    links = [
        (used, link)
        for direction in ("sent_bytes", "received_bytes")
        for interface, used in case.subjects(host, f"network.{direction}").items()
        if (link := case.track(host, "network.link_bytes", interface)) is not None
        if used.is_known and link.is_known and link.median > 0
    ]
    return max(links, key=lambda pair: pair[0].mean / pair[1].median, default=None)


def steady_level(case: Case, host: str) -> tuple[Track, float] | None:
    """Return the bytes a second that the busiest interface of a host sent, and their spread over their mean.

    None where they do not stand at one level.
    """
    tracks = [track for track in case.subjects(host, "network.sent_bytes").values() if track.is_known]
    level = max(tracks, key=lambda track: track.mean, default=None)
    if level is None or not level.mean or (spread := float(level.inside.std() / level.mean)) > FLAT:
        return None
    return level, spread
