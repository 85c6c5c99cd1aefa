"""Memory of simulated servers over a soak: leaking ones, and healthy ones that look as if they leaked.

Laws, of a server with some workers at a nearly constant rate; MB of one worker unless said otherwise:

    base        40 to 160
    in use      an autoregression: sd 0.05 to 0.6, correlation time 5 to 120 s (requests in flight, buffers)
    pages       whole 4 kB; with arenas, whole pieces of 256 kB to 1 MB
    leak        1 kB a request in all (or what is asked for), in the worker that served it
    cache       size (1 - exp(-t/T)), T 5 to 60 % of the soak, size 5 to 80 % of the base
    popular     size ln(1 + t/T) / ln(1 + 1/T), T 2 to 15 % of the soak: keys of which few are popular
    limited     grows evenly until it is full at 25 to 75 % of the soak
    arenas      3 to 15 pieces of 1 to 8 MB, at instants that thin out as (beta 1, 2.5)
    fragments   size sqrt or ln of the time: what an allocator cannot give back
    compiled    code of a JIT: 10 to 60 pieces of 0.1 to 1 MB, at instants that thin out as (beta 1, 5)
    buffers     of a log: grow evenly and are written out, 4 to 40 times
    heap        a collector's saw of 10 to 60 MB, 15 to 200 times, over its floor
    wander      an autoregression with a correlation time of 5 to 20 % of the soak
    sessions    kept for 20 to 70 % of the soak: grow evenly, then as many end as begin
    recycled    each worker lives for 500 to 4,000 of its requests, then begins anew with a warm-up of its own
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from loadrig.judgement.facts.readings import ProcessReadings, RequestCount
from loadrig.stats.arrays import Floats

MB, KB = 1e6, 1e3


@dataclass(frozen=True, eq=False)
class Soak:
    """One simulated soak. leak: bytes a request, true; workers: at a time."""

    law: str
    seed: int
    seconds: float
    workers: int
    leak: float
    served: RequestCount
    readings: tuple[ProcessReadings, ...]


Law = Callable[[np.random.Generator, Floats, float], Floats]
"""Bytes of one worker over a life: from random numbers, its time as a share of the soak, and its base."""


def _cache(rng: np.random.Generator, u: Floats, base: float) -> Floats:
    curve: Floats = rng.uniform(0.05, 0.8) * base * (1 - np.exp(-u / rng.uniform(0.05, 0.6)))
    return curve


def _popular(rng: np.random.Generator, u: Floats, base: float) -> Floats:
    soon = rng.uniform(0.02, 0.15)
    curve: Floats = rng.uniform(0.05, 0.8) * base * np.log1p(u / soon) / np.log1p(1 / soon)
    return curve


def _limited(rng: np.random.Generator, u: Floats, base: float) -> Floats:
    return rng.uniform(0.05, 0.8) * base * np.minimum(u / rng.uniform(0.25, 0.75), 1.0)


def _pieces(u: Floats, at: Floats, sizes: Floats) -> Floats:
    order = np.argsort(at)
    total = np.concatenate(([0.0], np.cumsum(sizes[order])))
    curve: Floats = total[np.searchsorted(at[order], u, side="right")]
    return curve


def _arenas(rng: np.random.Generator, u: Floats, _: float) -> Floats:
    count = int(rng.integers(3, 16))
    return _pieces(u, rng.beta(1, 2.5, count), rng.uniform(1, 8, count) * MB)


def _fragments(rng: np.random.Generator, u: Floats, base: float) -> Floats:
    size = rng.uniform(0.05, 0.5) * base
    return size * (np.sqrt(u) if rng.random() < 0.5 else np.log1p(u / 0.05) / np.log1p(20))


def _compiled(rng: np.random.Generator, u: Floats, _: float) -> Floats:
    count = int(rng.integers(10, 61))
    return _pieces(u, rng.beta(1, 5, count), rng.uniform(0.1, 1, count) * MB)


def _buffers(rng: np.random.Generator, u: Floats, _: float) -> Floats:
    return rng.uniform(2, 20) * MB * ((u * rng.uniform(4, 40) + rng.random()) % 1)


def _heap(rng: np.random.Generator, u: Floats, _: float) -> Floats:
    return rng.uniform(10, 60) * MB * ((u * rng.uniform(15, 200) + rng.random()) % 1)


def _wander(rng: np.random.Generator, u: Floats, _: float) -> Floats:
    share = rng.uniform(0.05, 0.2)
    return _autoregression(rng, u.size, np.exp(-np.diff(u).mean() / share), rng.uniform(0.5, 4) * MB)


def _sessions(rng: np.random.Generator, u: Floats, base: float) -> Floats:
    return rng.uniform(0.1, 0.8) * base * np.minimum(u / rng.uniform(0.2, 0.7), 1.0)


def _nothing(_rng: np.random.Generator, u: Floats, _: float) -> Floats:
    return np.zeros(u.size)


HEALTHY: dict[str, Law] = {
    "steady": _nothing, "cache": _cache, "popular": _popular, "limited": _limited, "arenas": _arenas,
    "fragments": _fragments, "compiled": _compiled, "buffers": _buffers, "heap": _heap, "wander": _wander,
    "sessions": _sessions,
}  # fmt: skip
"""Laws of workers that live throughout."""

_APART = ("arenas", "compiled", "buffers", "heap", "wander")
"""Laws of which each worker has instants of its own."""

RECYCLED: dict[str, Law] = {"recycled": _nothing, "recycled cache": _cache, "recycled arenas": _arenas}
"""Laws of lives that end: `u` is then the share of a life."""

BENEATH = (
    "steady",
    "cache",
    "arenas",
    "compiled",
    "buffers",
    "heap",
    "popular",
    "recycled",
    "recycled cache",
)
"""Laws of what else a leaking server does."""


MOST_BESIDE = 0.5
"""Most that else grows, over what leaks, in the soaks that a leak must be found in: drawn from a tenth up to
this. Beneath a cache of ten times its size nobody finds a leak before that cache is full."""


def drawn(
    law: str,
    seed: int,
    *,
    leak: float = 0.0,
    requests: float = 100_000,
    share: float = 1.0,
    beside: float = MOST_BESIDE,
) -> Soak:
    """Return one soak of a law. leak: bytes a request. requests: in all. share: seen of it, from its begin.

    beside: of a leaking one, what else grows at most, over what leaks; infinite for the law as it stands.
    """
    rng = np.random.default_rng([seed, *law.encode()])
    seconds = float(np.exp(rng.uniform(np.log(900), np.log(14_400))))
    workers = int(rng.choice([1, 2, 4, 8]))
    every = max(1.0, seconds / 3_000) * float(rng.choice([1, 2, 5]))
    t = np.arange(0.0, seconds, every)
    # The rate: constant, with the noise of counting, and a slow swing of up to 8 %.
    swing = 1 + rng.uniform(0, 0.08) * np.sin(2 * np.pi * (t / seconds * rng.uniform(0.5, 3) + rng.random()))
    counts = rng.poisson(requests * swing / swing.sum()).astype(float)
    done = np.concatenate(([0.0], np.cumsum(counts)[:-1]))
    make = _recycled if law in RECYCLED else _lasting
    most = leak * requests * rng.uniform(0.1, 1.0) * beside if leak else np.inf
    readings = make(rng, law, t, done, workers, leak, most)
    if share < 1:
        until = share * seconds
        readings = [
            replace(reading, t_s=reading.t_s[reading.t_s <= until], level=reading.level[reading.t_s <= until])
            for reading in readings
            if np.any(reading.t_s <= until)
        ]
        done, t = done[t <= until], t[t <= until]
    return Soak(law, seed, seconds, workers, leak, RequestCount.of(t, done), tuple(readings))


def _lasting(
    rng: np.random.Generator, law: str, t: Floats, done: Floats, workers: int, leak: float, most: float
) -> list[ProcessReadings]:
    base = rng.uniform(40, 160) * MB
    state = rng.bit_generator.state
    shapes = []
    for _ in range(workers):
        # Of one program: the same law with the same figures; what comes in pieces comes when it will.
        alike = np.random.default_rng()
        alike.bit_generator.state = state
        shapes.append(HEALTHY[law](rng if law in _APART else alike, t / t[-1], base))
    scale = min(1.0, most / max(1.0, float(np.sum([np.ptp(shape) for shape in shapes]))))
    return [
        ProcessReadings(
            f"pid:{100 + worker}",
            t,
            _paged(rng, base + scale * shape + leak * done / workers + _in_use(rng, t)),
        )
        for worker, shape in enumerate(shapes)
    ]


def _recycled(
    rng: np.random.Generator, law: str, t: Floats, done: Floats, workers: int, leak: float, most: float
) -> list[ProcessReadings]:
    base, each = rng.uniform(40, 160) * MB, rng.uniform(500, 4_000)
    each = min(each, done[-1] / workers / 2)
    fills = min(0.3 * base, most / done[-1] * each)
    warm, soon = rng.uniform(1, 10) * MB, rng.uniform(0.02, 0.15) * each
    state = rng.bit_generator.state
    readings, pid = [], 100
    for _ in range(workers):
        own = done / workers  # of this worker's requests; births are staggered
        birth = -rng.uniform(0, each)
        while birth < own[-1]:
            length = each * rng.uniform(0.9, 1.1)
            here = (own >= birth) & (own < birth + length)
            if here.sum() >= 2:
                age = own[here] - birth
                alike = np.random.default_rng()
                alike.bit_generator.state = state
                shape = RECYCLED[law](alike, age / each, fills)
                level = base + warm * (1 - np.exp(-age / soon)) + shape + leak * age + _in_use(rng, t[here])
                level += rng.normal(0, 0.5) * MB
                # The instant is known, as the rig sees processes begin; before the soak it is not.
                born_s = float(np.interp(birth, own, t)) if birth > 0 else None
                readings.append(ProcessReadings(f"pid:{pid}", t[here], _paged(rng, level), born_s))
            pid += 1
            birth += length
    return readings


def _in_use(rng: np.random.Generator, t: Floats) -> Floats:
    every = float(np.diff(t).mean()) if t.size > 1 else 1.0
    return _autoregression(rng, t.size, np.exp(-every / rng.uniform(5, 120)), rng.uniform(0.05, 0.6) * MB)


def _autoregression(rng: np.random.Generator, n: int, keeps: float, sd: float) -> Floats:
    from scipy.signal import lfilter

    new = rng.normal(0, sd * np.sqrt(1 - keeps**2), n)
    new[0] = rng.normal(0, sd)
    level_noise: Floats = lfilter([1.0], [1.0, -keeps], new)
    return level_noise


def _paged(rng: np.random.Generator, level: Floats) -> Floats:
    page = float(rng.choice([4_096, 4_096, 262_144, 1_048_576]))
    paged: Floats = np.floor(level / page) * page
    return paged
