"""Dips of known cause among decoys, and throughput without any, as cases that the findings read.

Laws, a step a second:

    throughput   100 to 2,000/s, noise of 1 to 4 % that keeps up to 60 % of what it was before
    dips         every 20 to 90 s, 2 to 4 s long, 15 to 60 % deep; 6 at least
    the cause    its events begin with a dip, or the second before; what lasts lasts as long as the loss
    decoys       two other streams: as often, at a phase of their own that is never the dips', or at another
                 period; collections take too little time to explain anything
    none         the same without dips, with all streams as decoys
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadrig.judgement.soak import dips
from loadrig.stats.arrays import Floats
from loadrig.testing.cases import ACase

CASES, DIP_FREE = 20, 200


@dataclass(frozen=True, eq=False)
class DrawnDips:
    """One case. cause: kind of the stream that makes the dips; empty without any."""

    cause: str
    seed: int
    case: Any


Put = Callable[[ACase, Floats, np.random.Generator, Floats], None]
"""Adds a stream to a case: the seconds at which it is there, random numbers, and what is lost then, in
seconds of standing still (zero for a decoy)."""


def _events(kind: str, component: str, lasts: bool = False) -> Put:
    def put(case: ACase, at: Floats, rng: np.random.Generator, lost: Floats) -> None:
        for second, loss in zip(at, lost, strict=True):
            facts: dict[str, Any] = {"duration_s": max(float(loss), 0.002)} if lasts else {}
            case.event(float(second) + rng.uniform(0.05, 0.5), kind, component, **facts)

    return put


def _counter(name: str, component: str, usual: float, burst: float) -> Put:
    def put(case: ACase, at: Floats, rng: np.random.Generator, _: Floats) -> None:
        values = rng.poisson(usual, case.n).astype(float)
        for second in at:
            place = int(second)
            values[place : place + 2] += rng.poisson(burst, values[place : place + 2].size)
        case.counter(component, name, "", values, "1")

    return put


def _throttled(case: ACase, at: Floats, _: np.random.Generator, lost: Floats) -> None:
    values = np.full(case.n, 0.001)
    for second, loss in zip(at, lost, strict=True):
        place = int(second)
        values[place : place + 2] += max(float(loss), 0.01) / 2
    case.counter("server", "cgroup.throttled_s", "", values)


STREAMS: dict[str, Put] = {
    "gc_pause": _events("gc_pause", "server", lasts=True),
    "worker_died": _events("worker_died", "server"),
    "checkpoint": _events("checkpoint", "database"),
    "log_rotated": _events("log_rotated", "server"),
    "misses": _counter("redis.misses", "redis", 2, 400),
    "autovacuum": _counter("postgresql.autovacuum_workers", "database", 0, 3),
    "throttled": _throttled,
}
"""Events of a tier, by the kind that it has among the findings' streams."""

OF_LOAD = ("logins", "route")
CAUSES = (*OF_LOAD, *STREAMS)


def drawn(cause: str, seed: int, seconds: int = 600) -> DrawnDips:
    """Return one case; cause "" for none."""
    rng = np.random.default_rng([seed, *cause.encode()])
    usual = float(np.exp(rng.uniform(np.log(100), np.log(2_000))))
    good = usual * (1 + _noise(rng, seconds, rng.uniform(0.01, 0.04), rng.uniform(0, 0.6)))
    period = float(rng.uniform(20, min(90, seconds / 7)))
    width, depth = int(rng.integers(2, 5)), float(rng.uniform(0.15, 0.6))
    starts = np.arange(rng.uniform(5, period), seconds - 6, period).astype(int).astype(float)
    logins, route = np.zeros(seconds), np.zeros(seconds)
    if cause:
        for start in starts.astype(int):
            fall = depth * rng.uniform(0.8, 1.2) * usual
            share = rng.uniform(0.3, 0.8)
            burst = np.full(width, fall * share)
            if cause == "logins":
                logins[start : start + width] += burst
            if cause == "route":
                # What another route does more is of the same throughput, which is to fall as deep as any.
                fall = min(fall / (1 - share), 0.95 * usual)
                route[start : start + width] += fall * share
            good[start : start + width] -= fall
    good = np.maximum(good, 0.0)
    lost = np.full(starts.size, depth * width)
    kinds = [kind for kind in STREAMS if kind != cause]
    decoys = rng.choice(kinds, 2 if cause else len(kinds), replace=False)
    routes = {"/items": good * 0.7, "/search": good * 0.3}
    if cause == "route":
        routes["/export"] = route
        good = good + route
    case = ACase(
        seconds=seconds, users=50, ok=good, routes=routes, logins=logins, in_flight=np.full(seconds, 40.0)
    )
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4)
    case.tier("database", kind="postgresql").tier("redis", kind="redis")
    if cause in STREAMS:
        STREAMS[cause](case, starts, rng, lost)
    for kind in decoys:
        away = period * rng.uniform(0.35, 0.65) if rng.random() < 0.5 else 0.0
        every = period if away else period * float(rng.choice([0.61, 1.37, 1.73]))
        at = np.arange(starts[0] % period + away, seconds - 6, every)
        STREAMS[str(kind)](case, at, rng, np.zeros(at.size))
    return DrawnDips(cause, seed, case.build())


def _noise(rng: np.random.Generator, n: int, sd: float, keeps: float) -> Floats:
    new, steps = rng.normal(0, sd * np.sqrt(1 - keeps**2), n), np.zeros(n)
    for step in range(n):
        steps[step] = new[step] + (keeps * steps[step - 1] if step else 0.0)
    return steps


def named(drawn_case: DrawnDips) -> str:
    """Return the stream that comes first in the findings; "?" where none is close, "" without harm."""
    report = dips.reported(drawn_case.case)
    if report is None:
        return ""
    best = dips.beside(report)
    return best.stream.kind if best is not None else "?"
