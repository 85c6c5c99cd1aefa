"""The reference that searches on real servers are held against, and what is said of both."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from bench.capacity import live
from bench.capacity.reference import crossing
from bench.modes import capacity_live
from tests.lengths import length


def around(middle: float) -> list[float]:
    return [
        middle * math.exp(reach * (2 * i / (n - 1) - 1))
        for reach, n in (live.WIDE, live.CLOSE)
        for i in range(n)
    ]


def met(rates: Sequence[float], capacity: float, noise: float, seed: int) -> list[float]:
    """Return quantiles in ms that cross 50 there: they grow with the eighth power of the rate."""
    rng = np.random.default_rng(seed)
    return [50 * (rate / capacity) ** 8 * math.exp(rng.normal(0, noise)) for rate in rates]


def test_where_a_quantile_crosses_its_limit_there_is_the_capacity() -> None:
    rates = around(100)
    capacity = crossing(rates, met(rates, 100, 0.0, 1), 50)
    assert capacity is not None
    assert capacity[0] == pytest.approx(100, rel=0.002)


def test_its_interval_holds_the_truth_and_grows_with_the_noise() -> None:
    rates, held, widths = around(95), [], []
    for noise in (0.1, 0.5):
        drawn = [crossing(rates, met(rates, 97, noise, seed), 50) for seed in range(length(30, 60))]
        there = [crossed for crossed in drawn if crossed is not None]
        held += [interval[1] <= 97 <= interval[2] for interval in there]
        widths.append(float(np.median([interval[2] / interval[1] for interval in there])))
    assert sum(held) / len(held) >= 0.85
    assert widths[1] > widths[0]


def test_without_a_crossing_there_is_no_reference() -> None:
    rates = [80.0, 82.0, 85.0, 90.0]
    assert crossing(rates, met(rates, 100, 0.0, 1), 50) is None
    assert crossing(rates, met(rates, 70, 0.0, 1), 50) is None


def test_the_table_says_how_far_off_a_search_was_and_names_what_failed(snapshot: SnapshotAssertion) -> None:
    rates = around(1000)
    levels = [
        {"offered_rps": rate, "p99_ms": p99_ms, "core_speed": 50e3 + rate}
        for rate, p99_ms in zip(rates, met(rates, 1000, 0, 1), strict=True)
    ]
    slowest = f"{(50e3 + min(rates)) / (50e3 + max(rates)):.0%}"
    search = {"rps": 1021.0, "low": 1010.0, "high": 1040.0, "why": "sure", "seconds": 90.0, "took_s": 95.0}
    rows = [
        {"server": "node", "round": 0, "search": search, "levels": levels},
        {
            "server": "node",
            "round": 1,
            "search": {**search, "rps": 900.0, "low": 880.0, "high": 920.0},
            "levels": levels,
        },
        {"server": "go", "round": 0, "failed": "loadrig capacity did not end"},
    ]
    table, goals = capacity_live.tables(capacity_live.summarise({"rows": rows}))
    assert table.count(f"| {slowest} |") == 2
    assert (table, goals) == snapshot
