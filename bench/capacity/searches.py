"""One search on one simulated server, and what its probes say when read with less care."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from bench.capacity.bisection import Bisection
from bench.capacity.servers import SimulatedServer
from loadrig.study.capacity.answer import Answer
from loadrig.study.capacity.locate import bracket, locate
from loadrig.study.capacity.probe import DoneProbe
from loadrig.study.capacity.search import Search

TICK_S = 0.25
FIRST = {"1/s": 10.0, "users": 1.0}

ANSWERS_RIGHT = 0.8
"""Share of probes near the limit that answer rightly, as plain probabilistic bisection supposes of all."""


def search(server: SimulatedServer, seed: int) -> dict[str, Any]:
    """Return a row: the answer with its interval, its time, and other intervals from the same probes."""
    rng = np.random.default_rng([seed, 7])
    running = server.started(rng)
    own = Search(server.goals, unit=server.unit, first=FIRST[server.unit], budget_s=server.budget_s,
                 width=server.within, seed=seed)  # fmt: skip
    while not own.is_over:
        own.see(running.advance(TICK_S, own.level))
    answer = own.answer()
    row: dict[str, Any] = {
        "server": server.name, "seed": seed, "why": answer.why, "took_s": answer.took_s,
        "probes": len(answer.probes), "below": answer.confirmed.below, "above": answer.confirmed.above,
        "recovered": answer.beyond.has_recovered if answer.beyond else None,
        "saturation": answer.saturation.value if answer.saturation else math.nan,
        "capacity": math.nan, "low": math.nan, "high": math.nan,
    }  # fmt: skip
    if answer.capacity is not None:
        row |= {"capacity": answer.capacity.value, "low": answer.capacity.low, "high": answer.capacity.high}
        row["careless"] = _careless(server, answer)
    return row


def _careless(server: SimulatedServer, answer: Answer) -> dict[str, tuple[float, float, float]]:
    """Median and interval: as if every request were independent; from the answers alone."""
    full = answer.saturation.value if answer.saturation is not None and server.unit == "1/s" else None
    is_closed = server.unit == "users"
    counted = locate(answer.probes, server.goals, full, is_closed=is_closed)
    plain = [_independent(probe) for probe in answer.probes]
    independent = locate(plain, server.goals, full, is_closed=is_closed)
    judged = [
        probe for probe in answer.probes if probe.kind not in ("ramp", "saturation", "overload", "recovery")
    ]
    own = Bisection.between(*bracket(answer.probes, full))
    near = Bisection.between(*bracket(answer.probes, full))
    for probe in judged:
        own = own.after(probe.level, probe.leans == "meets", ANSWERS_RIGHT)
        near = near.after_by_distance(probe.level, probe.leans == "meets", 1.0 / independent.steepness)
    return {
        "counts": (counted.median, *counted.interval()),
        "independent": (independent.median, *independent.interval()),
        "answers": (own.median, *own.interval()),
        "by_distance": (near.median, *near.interval()),
    }


def _independent(probe: DoneProbe) -> DoneProbe:
    return replace(probe, goals=tuple(structs.replace(goal, inflation=1.0) for goal in probe.goals))
