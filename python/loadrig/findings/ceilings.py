"""The limit of every tier, foreseen from what a request costs it: service demands and their ceilings.

Utilisation law: a tier with m servers, of which each request takes D seconds, is full at m / D requests a
second. D comes from a regression of the tier's CPU time on the requests of each route, as a program also
uses time that no request caused. Source: Lazowska et al. 1984, Quantitative System Performance, ch. 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls

from loadrig.findings.case import Case
from loadrig.findings.tier import ONE_AT_A_TIME, Tier
from loadrig.findings.track import Floats, Track
from loadrig.stats.intervals import block_weights

RESAMPLES = 400
FEWEST_STEPS = 6
LEAST_USED = 0.02
"""Of its cores: a tier that uses less is so far from its limit that a figure would be noise."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Requests a second (all routes, today's mix) at which a tier is full.

    what: of what it is then full: "CPU", "threads", "connections". low, high: 95 % interval. used_share: of
    it at the load that was run, 0…1. demand_s: seconds of it that a request takes. servers: how many there
    are (cores, threads, connections). series, subject: what its use was read from.
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
    found: list[Ceiling] = case.remembered.get("ceilings") or sorted(_all(case), key=lambda one: one.rps)
    case.remembered["ceilings"] = found
    return tuple(found)


def _all(case: Case) -> Iterator[Ceiling]:
    for tier in case.programs:
        if tier.cpu is not None and (found := _of(case, tier, "CPU", tier.cpu, _parallel(tier))):
            yield found
        for what, name, limit in _POOLS:
            used, most = tier.track(name), tier.track(limit)
            subjects = tier.parts(name) if used is None else {"": used}
            for subject, track in subjects.items():
                top = most or tier.parts(limit).get(subject)
                if top is not None and top.median > 0 and (one := _of(case, tier, what, track, top.median)):
                    yield one


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


def _of(case: Case, tier: Tier, what: str, used: Track, servers: float) -> Ceiling | None:
    if used.mean < LEAST_USED * servers:
        return None
    load = case.load
    good = case.is_inside & np.isfinite(used.values)
    routes = [
        rate for rate in (*load.routes.values(), *load.login_routes.values(), load.failed) if rate[good].any()
    ]
    x = np.column_stack([np.ones(int(good.sum())), *(rate[good] for rate in routes)])
    y = used.values[good]
    total = x[:, 1:].sum(axis=1)
    if y.size < FEWEST_STEPS or not total.sum():
        return None
    mix = x[:, 1:].sum(axis=0) / total.sum()
    demand = _demand(x, y, mix)
    weights = block_weights(y.size, max(1, y.size // 10), resamples=RESAMPLES)
    spread = np.array([_demand(x * root[:, None], y * root, mix) for root in np.sqrt(weights)])
    low, high = np.quantile(spread, (0.025, 0.975))
    if demand <= 0:
        return None
    idle = max(0.0, used.mean - demand * load.ended_rps)
    free = max(servers - idle, 1e-9)
    return Ceiling(
        tier.name, what, free / demand, free / max(high, 1e-12), free / max(low, 1e-12), used.mean / servers,
        demand, servers, used.name, used.subject,
    )  # fmt: skip


def _demand(x: Floats, y: Floats, mix: Floats) -> float:
    """Seconds a request of the mix. What no request caused is told apart where the load varies enough."""
    total = x[:, 1:].sum(axis=1)
    scale = x[:, 0]
    level = np.divide(total, scale, out=np.zeros_like(total), where=scale > 0)
    if level.size and level[scale > 0].std() > 0.1 * level[scale > 0].mean():
        found, _ = nnls(x, y)
        return float((found[1:] * mix).sum())
    return float(y @ scale / (total @ scale)) if total @ scale > 0 else 0.0
