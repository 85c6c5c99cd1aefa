"""Network of queues that foretells what a mend brings: closed, and slots bound how many requests are inside.

Requests queue at stations (cores, a quota, the one thread of an interpreter or an event loop), and spend
the rest of their time in delays that nobody queues for. Around this lie caps: the users of a closed load,
the workers of a server, the connections of a pool. A cap lets so many in at a time; those it does not let
in wait before it. Each cap is fitted to what was measured: with as many as were inside, the network makes
the throughput that was seen. A change then alters stations, delays or a cap's size, and the throughput is
that of the tightest cap. Sources: Lazowska, Zahorjan, Graham & Sevcik 1984, Quantitative System
Performance, ch. 5 (bounds), 6 (mean value analysis), 9 (simultaneous possession of resources).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from loadrig.stats import closed


@dataclass(frozen=True, slots=True)
class Station:
    """A resource that requests use in turns.

    number: how many serve at once. demand_s: seconds of it that a request needs. gets_cheaper: whether a
    request needs less of it where there is more to do, so that `demand_s` is that of the load as it was.
    """

    name: str
    number: float
    demand_s: float
    gets_cheaper: bool = False

    @property
    def most_rps(self) -> float:
        """Requests a second at which it is full."""
        return self.number / self.demand_s if self.demand_s > 0 else math.inf

    def changed(self, change: "Change") -> "Station":
        """Return the station after a change."""
        number = change.numbers.get(self.name, self.number)
        return replace(self, number=number, demand_s=self.demand_s * change.shares.get(self.name, 1.0))

    def at(self, rps: float, was: "Station", was_rps: float) -> "Station":
        """Return the station at another throughput. was, was_rps: before a change; no request got dearer."""
        used, before = rps * self.demand_s / self.number, was_rps * was.demand_s / was.number
        if not self.gets_cheaper or used <= before:
            return self
        return replace(self, demand_s=self.demand_s * _dearness(used) / _dearness(before))


@dataclass(frozen=True, slots=True)
class Cap:
    """A bound on how many requests are inside.

    size: so many at most; inside: so many were, on average. least_delay_s, most_delay_s: between them lies
    what a request inside spends where nobody queues, by what is known of it: where a station is full,
    throughput does not tell.
    """

    name: str
    size: float
    inside: float
    least_delay_s: float = 0.0
    most_delay_s: float = math.inf


@dataclass(frozen=True, slots=True)
class Change:
    """A mend, as it alters the network.

    shares: by station, the share of its demand that stays (0…1). numbers: by station, how many serve at once
    then. sizes: by cap, its new size. delay_s: seconds that each request spends more where nobody queues;
    less, where it is negative.
    """

    shares: Mapping[str, float] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    sizes: Mapping[str, float] = field(default_factory=dict)
    delay_s: float = 0.0


NO_CHANGE = Change()

IDLE_COST = 1.5
"""Cost of a request to a program that hardly has anything to do, beyond what it costs one that is busy, as a
share of the latter: it is woken for each request, and finds its caches cold. Chosen by hand among several
values: with it the gains foretold for four servers (Vert.x, Koa with PostgreSQL, NestJS with MariaDB, Django
under gunicorn) came nearest to what their mends brought. No other server has confirmed it so far."""

ROUNDS, SETTLED = 12, 0.01
"""Rounds at most in which throughput and cost follow each other, and the share by which they may move in the
last."""

MOST_GAIN = 100.0
"""No gain is told beyond it: something that nobody looked at ends it sooner."""


@dataclass(frozen=True, slots=True)
class Network:
    """Stations and caps of a load. rps: requests that ended a second.

    bounds: resources that requests use at the same time as a station, such as the cores beneath an
    interpreter: they end a throughput, and nobody is modelled to queue for them.
    """

    rps: float
    stations: tuple[Station, ...]
    caps: tuple[Cap, ...]
    bounds: tuple[Station, ...] = ()

    def throughput(self, change: Change = NO_CHANGE) -> float:
        """Requests a second after a change; 0 where none ended, which tells of no resource."""
        if not self.rps > 0:
            return 0.0
        rps = self.rps
        for _ in range(ROUNDS):
            last, rps = rps, self._throughput_at(rps, change)
            if not rps > last * (1 + SETTLED) or math.isinf(rps):
                break
        return rps

    def _throughput_at(self, rps: float, change: Change) -> float:
        """Return the throughput after a change, with requests that cost what they cost at a throughput."""
        changed = [
            [station.changed(change).at(rps, station, self.rps) for station in group]
            for group in (self.stations, self.bounds)
        ]
        ends = [station.most_rps for group in changed for station in group]
        ends += [self._of_cap(cap, changed[0], change) for cap in self.caps]
        return min(ends, default=math.inf)

    def gain(self, change: Change) -> float:
        """Throughput after a change over that before it, at least 1."""
        before, after = self.throughput(), self.throughput(change)
        return min(max(1.0, after / before), MOST_GAIN) if before > 0 else 1.0

    def _of_cap(self, cap: Cap, changed: Sequence[Station], change: Change) -> float:
        """Return the requests a second that a cap of this size lets through."""
        inside = max(1, round(cap.inside))
        delay_s = _delay_s(inside, self.rps, tuple(_queues(self.stations))) - _fixed(self.stations)
        known_s = min(max(cap.least_delay_s, delay_s), max(cap.least_delay_s, cap.most_delay_s))
        delay_s = known_s + _fixed(changed) + change.delay_s
        size = max(1, round(change.sizes.get(cap.name, cap.size)))
        queues = _queues(changed)
        if not (delay_s > 0 or any(demand > 0 for demand in queues)):
            return math.inf
        return closed.throughput(size, max(0.0, delay_s), queues)


def _dearness(used: float) -> float:
    """Return what a request costs a program with this share of its resource in use, over the least."""
    return 1 + IDLE_COST * max(0.0, 1 - used) ** 2


@lru_cache(maxsize=64)
def _delay_s(inside: int, rps: float, queues: tuple[float, ...]) -> float:
    """Return the delay of a cap, fitted once for all changes, in seconds."""
    return closed.delay_of(inside, rps, queues)


def _queues(stations: Sequence[Station]) -> list[float]:
    """Demands at one fast server each. Source: Seidmann 1987: a queue m times as fast, the rest a delay."""
    return [station.demand_s / station.number for station in stations]


def _fixed(stations: Sequence[Station]) -> float:
    return sum(station.demand_s * max(0.0, station.number - 1) / station.number for station in stations)
