"""The limit of every tier, foreseen from what a request costs it: service demands and their ceilings.

Utilisation law: a tier with m servers, of which each request takes D seconds, is full at m / D requests a
second. D comes from a regression of the tier's CPU time on the requests of each route, as a program also
uses time that no request caused. Source: Lazowska et al. 1984, Quantitative System Performance, ch. 5.
"""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from msgspec.structs import replace

from loadrig.base.documents import Document, Says
from loadrig.judgement import constants
from loadrig.judgement.constants import FEWEST_STEPS, FULL_SHARE
from loadrig.judgement.facts.case import Case, once_a_case
from loadrig.judgement.facts.cores import others_of, use_of
from loadrig.judgement.facts.dependencies import opened_for_calls
from loadrig.judgement.facts.pools import METRICS, pools
from loadrig.judgement.facts.tier import ONE_AT_A_TIME, Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.judgement.limits.kinds import compiling
from loadrig.recording.steps import Bools, Floats
from loadrig.stats.intervals import block_weights
from loadrig.stats.least_squares import non_negative

CEILING_RESAMPLES = 400
"""Bootstrap weights of an interval: its ends then move by less than a tenth of its width."""

SUSTAINED_STEPS = 10
"""Number of steps for which a throughput must have lasted, so that no limit can lie below it."""

VARIES = 0.1
"""Standard deviation of the load over its mean. Below it the load varies too little to fit a line."""

SURE_SHARE = 0.7
"""Lower end of the fitted demand's interval over the demand, 0 to 1. Below it the fit is not used."""

FIT_RESAMPLES = 200
"""Bootstrap weights of a slope's spread, of which only a standard deviation is taken."""

LEAST_DEMAND = 0.05
"""Least lower end of the demand's interval, as a share of the demand, 0 to 1: it bounds the highest
ceiling."""

LEAST_TIER_USE = 0.02
"""Share of a tier's cores in use, 0 to 1. Below it the limit is so far away that a figure would be noise."""


HELD = "requests at a time"
"""Resource of a ceiling whose tier can hold only so many requests at a time, by the account."""


class Ceiling(Document, frozen=True):
    """Limit of a component, foreseen from what a request costs it."""

    component: Annotated[str, Says("component that is full there")]
    what: Annotated[
        str,
        Says(
            "resource that is full then: `CPU`, `threads`, `connections`, `connections to NAME` or"
            " `requests at a time`"
        ),
    ]
    rps: Annotated[float, Says("requests a second at which it is full: all routes, today's mix")]
    low: Annotated[float, Says("lower end of the 95 % interval of `rps`")]
    high: Annotated[float, Says("upper end of the 95 % interval of `rps`")]
    used_share: Annotated[float, Says("share of the resource in use at the load that was run, 0 to 1")]
    demand_s: Annotated[float, Says("seconds of the resource that a request takes")]
    servers: Annotated[
        float, Says("number of cores, threads, connections or requests; of shared cores only its part")
    ]
    series: Annotated[str, Says("series that the use was read from")]
    subject: Annotated[str, Says('subject of that series, or ""')] = ""


@once_a_case
def ceilings(case: Case) -> tuple[Ceiling, ...]:
    """Return every limit that can be foreseen, the nearest first; empty where nothing was answered."""
    if case.load.ended_rps <= 0:
        return ()
    sustained_rps = _sustained(case)
    # What was foreseen below the throughput that was sustained is raised to that.
    ends = ("rps", "low", "high")
    raised = [
        replace(ceiling, **{end: max(getattr(ceiling, end), sustained_rps) for end in ends})
        for ceiling in _all(case)
        if ceiling is not None
    ]
    return tuple(sorted(raised, key=lambda ceiling: ceiling.rps))


def _all(case: Case) -> Iterator[Ceiling | None]:
    for tier in case.programs:
        if tier.cpu is not None:
            yield _ceiling_of(case, tier, "CPU", tier.cpu, min(_parallel(tier), _part(case, tier)))
        for held in case.held:
            if held.component == tier.name:
                yield Ceiling(
                    tier.name, HELD, held.rps, held.low, held.high, held.used_share,
                    held.seconds, held.number, "socket_stages.in_hand", f"in:{tier.port}",
                )  # fmt: skip
        if not pools(tier, "connections"):
            yield from _connections(case, tier)
        for what in METRICS:
            for pool in pools(tier, what):
                yield _ceiling_of(case, tier, what, pool.used, pool.limit)


def _connections(case: Case, tier: Tier) -> Iterator[Ceiling]:
    """Yield the ceilings of pools that are full by the account: they can do no more than at present."""
    account, load = case.account, case.load
    component = case.account_of(tier.name)
    ended = (load.ok + load.failed + load.logins)[case.is_inside]
    if account is None or component is None or ended.size < FEWEST_STEPS:
        return
    if component.ms_in("inside") < constants.WAITS * component.total_ms:
        return
    error = 2 * float(ended.std(ddof=1)) / ended.size**0.5 / ended.mean()
    no_pools = opened_for_calls(case, tier)
    for slot in component.slots.kind("connections"):
        is_full = (slot.full_share or 0.0) >= constants.FULL_OF_TIME
        if is_full and slot.of not in no_pools:
            idle = component.slots.number("connections", "idle", of=slot.of)
            in_use = max(slot.number - idle, LEAST_TIER_USE * slot.number)
            rps = account.requests_per_s * slot.number / in_use
            yield Ceiling(
                tier.name, f"connections to {slot.of}", rps, rps * (1 - error), rps * (1 + error),
                in_use / slot.number, in_use / account.requests_per_s, slot.number, "socket_stages.idle",
                f"out:{slot.of}",
            )  # fmt: skip


def _sustained(case: Case) -> float:
    """Return the throughput that was surely sustained, a second: the greatest lower end of a mean's interval.

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
    """Return which steps a limit is foreseen from: the measured part, or all of a search of levels."""
    if case.events_of("level", is_measured=False):
        return np.ones(case.seconds.size, dtype=np.bool_)
    return case.is_inside


def _parallel(tier: Tier) -> float:
    """Return the number of cores that the tier's processes can really use at once."""
    if tier.kind in ONE_AT_A_TIME or tier.runtime == "node":
        return min(1.0, tier.cores)
    if tier.runtime == "cpython":
        # A process of CPython runs Python code on one core at a time.
        return min(tier.cores, float(max(1, tier.workers)))
    return tier.cores


def _part(case: Case, tier: Tier) -> float:
    """Return the cores that a tier has when the cores that it shares are full, at today's mix.

    Beside others, who go on, it has those that they leave it, and its fair share at least.
    All programs on the shared cores need more of them as the load grows. Only the program that uses most gets
    a smaller part than all cores.
    """
    assert tier.cpu is not None
    beside = [
        program.cpu.mean
        for program in case.programs
        if program is not tier
        and program.cpu is not None
        and program.host == tier.host
        and set(program.cpus) == set(tier.cpus)
    ]
    own, places = tier.cpu.mean, float(tier.places)
    if (use := use_of(case, tier)) is not None:
        there = places - use.stolen
        places = max(there - others_of(case, use), constants.FAIR_SHARE * there)
    return places * own / (own + sum(beside)) if own > max(beside, default=0.0) else places


def _ceiling_of(case: Case, tier: Tier, what: str, used: Track, servers: float) -> Ceiling | None:
    if used.mean < LEAST_TIER_USE * servers:
        return None
    load = case.load
    good = _is_used(case) & np.isfinite(used.values)
    rates = (*load.routes.values(), *load.login_routes.values(), load.failed)
    x = np.column_stack([rate[good] for rate in rates if rate[good].any()] or [np.zeros(int(good.sum()))])
    y, ended = used.values[good], x.sum(axis=1)
    if what == "CPU" and case.account is not None:
        y = np.maximum(0.0, y - compiling(case.account, tier.name))
    if y.size < FEWEST_STEPS or not ended.sum():
        return None
    free, near = y < FULL_SHARE * servers, near_limit(ended)
    demand, low, high, idle = _law(ended[near], y[near])
    if free.sum() >= FEWEST_STEPS and ended[free].std() > VARIES * ended[free].mean():
        fitted = _fitted(x[free], y[free], x.sum(axis=0) / ended.sum())
        demand, low, high, idle = fitted or (demand, low, high, idle)
    # What is used shows how much there is at least. A program may use more cores than programs of its kind
    # do; then its ceiling lies at most where all cores that it may use are full.
    most = max(servers, used.mean if what != "CPU" or used.mean <= servers else tier.cores)
    servers = max(servers, used.mean)
    room, at_most = (limit - min(idle, y.mean()) for limit in (servers, most))
    if demand <= 0 or room <= 0:
        return None
    return Ceiling(
        tier.name, what, room / demand, room / high, at_most / max(low, LEAST_DEMAND * demand),
        used.mean / servers, demand, servers, used.name, used.subject,
    )  # fmt: skip


def near_limit(ended: Floats) -> Bools:
    """Return the steps of a high load, in which a request costs what it costs near a limit; else all steps.

    ended: requests that ended a second, by step. A few such steps may be a burst, which tells no cost.
    """
    near: Bools = ended >= constants.HIGH_LOAD * np.quantile(ended, constants.BUSY_STEPS)
    return near if near.sum() >= FEWEST_STEPS else np.ones(ended.size, dtype=np.bool_)


def _law(ended: Floats, y: Floats) -> tuple[float, float, float, float]:
    """Return the demand as use over throughput, its 95 % interval, and 0 for the use without requests."""
    weights = _weights(y.size)
    spread = (weights @ y) / np.maximum(weights @ ended, 1e-12)
    low, high = np.quantile(spread, (0.025, 0.975))
    return float(y.sum() / ended.sum()), float(low), float(high), 0.0


def _fitted(x: Floats, y: Floats, mix: Floats) -> tuple[float, float, float, float] | None:
    """Fit the demand of the mix by non-negative least squares.

    Return the demand, its 95 % interval, and the use that no request caused. Return None where the load
    varied too little against the noise to tell the two uses apart, which the width of the interval shows.
    """
    rows = np.column_stack([np.ones(y.size), x])

    def fit(root: Floats) -> tuple[float, float]:
        coefficients, _ = non_negative(rows * root[:, None], y * root)
        return float(coefficients[1:] @ mix), float(coefficients[0])

    demand, idle = fit(np.ones(y.size))
    spread = np.array([fit(root)[0] for root in np.sqrt(_weights(y.size, FIT_RESAMPLES))])
    low, high = (float(q) for q in np.quantile(spread, (0.025, 0.975)))
    return (demand, low, high, idle) if low > SURE_SHARE * demand > 0 else None


def _weights(n: int, resamples: int = CEILING_RESAMPLES) -> Floats:
    return block_weights(n, max(1, n // 10), resamples=resamples)
