"""The limit of every tier, foreseen from what a request costs it: service demands and their ceilings.

Utilisation law: a tier with m servers, of which each request takes D seconds, is full at m / D requests a
second. D comes from a regression of the tier's CPU time on the requests of each route, as a program also
uses time that no request caused. Source: Lazowska et al. 1984, Quantitative System Performance, ch. 5.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadrig.findings.case import Case
from loadrig.findings.tier import ONE_AT_A_TIME, Tier
from loadrig.findings.track import Track
from loadrig.recording.steps import Bools, Floats
from loadrig.stats.intervals import block_weights
from loadrig.stats.least_squares import non_negative

RESAMPLES = 400
FEWEST_STEPS = 6

SUSTAINED_STEPS = 10
"""Steps for which so much must have been answered that no limit can lie below it."""

FULL_SHARE = 0.85
"""Of its servers: beyond it use no longer follows the load, and a line through it would lie flat."""

VARIES = 0.1
SURE_SHARE = 0.7
"""Of its servers: beyond it use no longer follows the load, and a line through it would lie flat."""

FIT_RESAMPLES = 200
LEAST_DEMAND = 0.05
LEAST_USED = 0.02
"""Of its cores: a tier that uses less is so far from its limit that a figure would be noise."""


HELD = "requests at a time"
"""What a tier is full of that holds so many requests and no more, by the account."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Requests a second (all routes, today's mix) at which a tier is full.

    what: of what it is then full: "CPU", "threads", "connections", "connections to NAME", or "requests at a
    time". low, high: 95 % interval. used_share: of it at the load that was run, 0…1. demand_s: seconds of
    it that a request takes. servers: how many there are (cores, threads, connections, requests); of cores
    that it shares, its part of them. series, subject: what its use was read from.
    """

    component: str
    what: str
    rps: float
    low: float
    high: float
    used_share: float
    demand_s: float
    servers: float
    series: str
    subject: str = ""

    def to_json(self) -> dict[str, Any]:
        """As in a trial's result."""
        return {
            "component": self.component,
            "what": self.what,
            "rps": self.rps,
            "low": self.low,
            "high": self.high,
            "used_share": self.used_share,
            "demand_s": self.demand_s,
            "servers": self.servers,
            "series": self.series,
            "subject": self.subject,
        }


def ceilings(case: Case) -> tuple[Ceiling, ...]:
    """Every limit that can be foreseen, the nearest first. Empty where nothing was answered."""
    if case.load.ended_rps <= 0:
        return ()
    found: list[Ceiling] | None = case.remembered.get("ceilings")
    if found is None:
        done = _sustained(case)
        found = sorted((_not_below(one, done) for one in _all(case)), key=lambda one: one.rps)
    case.remembered["ceilings"] = found
    return tuple(found)


def _all(case: Case) -> Iterator[Ceiling]:
    for tier in case.programs:
        if tier.cpu is not None:
            servers = min(_parallel(tier), _part(case, tier))
            if found := _of(case, tier, "CPU", tier.cpu, servers):
                yield found
        for held in case.held:
            if held.component == tier.name:
                yield Ceiling(
                    tier.name, HELD, held.rps, held.low, held.high, held.used_share,
                    held.seconds, held.number, "socket_stages.in_hand", f"in:{tier.port}",
                )  # fmt: skip
        told = tier.parts("hikari.active") or tier.track("hikari.active")
        yield from () if told else _connections(case, tier)
        for what, name, limit in _POOLS:
            used, most = tier.track(name), tier.track(limit)
            subjects = tier.parts(name) if used is None else {"": used}
            for subject, track in subjects.items():
                top = most or tier.parts(limit).get(subject)
                if top is not None and top.median > 0 and (one := _of(case, tier, what, track, top.median)):
                    yield one


POOL_FULL, POOL_WAITS = 0.6, 0.12
"""Share of the time in which no connection is free, and of a request's time that it waits inside the program,
from which on its connections are a pool that is full: the same as make it a bottleneck."""


def _connections(case: Case, tier: Tier) -> Iterator[Ceiling]:
    """Pools that are full by the account: what is answered now is what they can do."""
    account = case.account
    component = account.component(tier.name) if account is not None else None
    if account is None or component is None:
        return
    inside = sum(line.ms for line in component.lines if line.state == "inside")
    if inside < POOL_WAITS * component.total_ms:
        return
    load = case.load
    ended = (load.ok + load.failed + load.logins)[case.is_inside]
    error = float(ended.std(ddof=1)) / ended.size**0.5 if ended.size >= FEWEST_STEPS else math.nan
    for slot in component.slots.slots:
        if slot.slot != "connections" or (slot.full_share or 0.0) < POOL_FULL or not math.isfinite(error):
            continue
        idle = sum(
            one.number
            for one in component.slots.states
            if (one.slot, one.of, one.state) == ("connections", slot.of, "idle")
        )
        taken = max(slot.number - idle, LEAST_USED * slot.number)
        rps = account.requests_per_s * slot.number / taken
        yield Ceiling(
            tier.name, f"connections to {slot.of}", rps, rps * (1 - 2 * error / ended.mean()),
            rps * (1 + 2 * error / ended.mean()), taken / slot.number, taken / account.requests_per_s,
            slot.number, "socket_stages.idle", f"out:{slot.of}",
        )  # fmt: skip


def _not_below(one: Ceiling, done_rps: float) -> Ceiling:
    """A limit as it is, or at what was answered where it was foreseen below that."""
    return replace(one, rps=max(one.rps, done_rps), low=max(one.low, done_rps), high=max(one.high, done_rps))


def _sustained(case: Case) -> float:
    """Requests a second that were surely answered for a while: the greatest lower end of a mean's interval.

    Logins and failures count, as the server had to work on them.
    """
    load = case.load
    ended = (load.ok + load.failed + load.logins)[_is_used(case)]
    most = 0.0
    for at in range(max(1, ended.size - SUSTAINED_STEPS + 1)):
        part = ended[at : at + SUSTAINED_STEPS]
        if part.size >= FEWEST_STEPS:
            most = max(most, float(part.mean() - 2 * part.std(ddof=1) / part.size**0.5))
    return most


def _is_used(case: Case) -> Bools:
    """Steps that a limit is foreseen from: those measured, and all of a search, which measures one level."""
    if case.events_of("level", is_measured=False):
        return np.ones(case.seconds.size, dtype=np.bool_)
    return case.is_inside


_POOLS = (
    ("threads", "tomcat.threads_busy", "tomcat.threads_limit"),
    ("connections", "hikari.active", "hikari.limit"),
)


def _parallel(tier: Tier) -> float:
    """Cores that its programs can really use at once."""
    if tier.kind in ONE_AT_A_TIME or tier.runtime == "node":
        return min(1.0, tier.cores)
    if tier.runtime == "cpython":
        # A process of CPython runs Python code on one core at a time.
        return min(tier.cores, float(max(1, tier.workers)))
    return tier.cores


def _part(case: Case, tier: Tier) -> float:
    """Cores that it has when those that it shares with others are full, at today's mix.

    All that are on these cores need more of them as the load grows. It is told of the one that uses most.
    """
    assert tier.cpu is not None
    beside = [
        one.cpu.mean
        for one in case.programs
        if one is not tier
        and one.cpu is not None
        and one.host == tier.host
        and set(one.cpus) == set(tier.cpus)
    ]
    own = tier.cpu.mean
    return tier.places * own / (own + sum(beside)) if own > max(beside, default=0.0) else tier.places


def _of(case: Case, tier: Tier, what: str, used: Track, servers: float) -> Ceiling | None:
    if used.mean < LEAST_USED * servers:
        return None
    load = case.load
    good = _is_used(case) & np.isfinite(used.values)
    rates = (*load.routes.values(), *load.login_routes.values(), load.failed)
    x = np.column_stack([rate[good] for rate in rates if rate[good].any()] or [np.zeros(int(good.sum()))])
    y = used.values[good]
    ended = x.sum(axis=1)
    if y.size < FEWEST_STEPS or not ended.sum():
        return None
    free = y < FULL_SHARE * servers
    demand, low, high, idle = _law(ended, y)
    if free.sum() >= FEWEST_STEPS and ended[free].std() > VARIES * ended[free].mean():
        fitted = _fitted(x[free], y[free], x.sum(axis=0) / ended.sum())
        demand, low, high, idle = fitted or (demand, low, high, idle)
    # What is used shows how much there is at least: a program may run on more cores than its kind does, and
    # then all that it may use is the most that it can.
    most = max(servers, used.mean if what != "CPU" or used.mean <= servers else tier.cores)
    servers = max(servers, used.mean)
    room, at_most = (each - min(idle, y.mean()) for each in (servers, most))
    if demand <= 0 or room <= 0:
        return None
    return Ceiling(
        tier.name, what, room / demand, room / high, at_most / max(low, LEAST_DEMAND * demand),
        used.mean / servers, demand, servers, used.name, used.subject,
    )  # fmt: skip


def _law(ended: Floats, y: Floats) -> tuple[float, float, float, float]:
    """Demand as use over throughput, its interval, and no use without requests."""
    weights = _weights(y.size)
    spread = (weights @ y) / np.maximum(weights @ ended, 1e-12)
    low, high = np.quantile(spread, (0.025, 0.975))
    return float(y.sum() / ended.sum()), float(low), float(high), 0.0


def _fitted(x: Floats, y: Floats, mix: Floats) -> tuple[float, float, float, float] | None:
    """Demand of the mix by non-negative least squares, its interval, and the use that no request caused.

    None where the load varied too little against the noise to tell them apart: the interval says so.
    """
    rows = np.column_stack([np.ones(y.size), x])

    def fit(root: Floats) -> tuple[float, float]:
        found, _ = non_negative(rows * root[:, None], y * root)
        return float(found[1:] @ mix), float(found[0])

    demand, idle = fit(np.ones(y.size))
    spread = np.array([fit(root)[0] for root in np.sqrt(_weights(y.size, FIT_RESAMPLES))])
    low, high = (float(q) for q in np.quantile(spread, (0.025, 0.975)))
    return (demand, low, high, idle) if low > SURE_SHARE * demand > 0 else None


def _weights(n: int, resamples: int = RESAMPLES) -> Floats:
    return block_weights(n, max(1, n // 10), resamples=resamples)
