"""Simulated machines against what is known of them, and the tables. How good it is is not looked at here."""

from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from bench.compare import pairs
from bench.compare.designs import DESIGNS
from bench.compare.worlds import RATE, WEATHERS, Day, PairWeather
from bench.diagnosis.ledger import BenchLedger
from loadrig.comparing.pairing import pairing

CALM = PairWeather("calm", day=0.0, wander=0.0, drift=0.0, start=0.0, second=0.0, neighbour=0.0)


def test_a_calm_machine_does_what_it_can_do() -> None:
    day = Day(CALM, np.random.default_rng(1))
    rates = [day.trial(0, n, n, ratio=1.05).value("throughput") or 0.0 for n in range(20)]
    assert np.mean(rates) == pytest.approx(1.05 * RATE, rel=0.005)


def test_starts_differ_by_what_the_weather_says() -> None:
    day = Day(PairWeather("starts", 0.0, 0.0, 0.0, 0.03, 0.0, 0.0), np.random.default_rng(2))
    logs = np.log([day.trial(0, n, n).value("throughput") or 0.0 for n in range(300)])
    assert logs.std(ddof=1) == pytest.approx(0.03, rel=0.15)


def test_days_differ_and_trials_of_a_day_share_it() -> None:
    weather = PairWeather("days", 0.05, 0.0, 0.0, 0.001, 0.0, 0.0)
    days = [
        [
            Day(weather, np.random.default_rng(seed)).trial(0, 0, 1).value("throughput") or 0.0
            for seed in (n, n)
        ]
        for n in range(60)
    ]
    assert np.log([day[0] for day in days]).std(ddof=1) == pytest.approx(0.05, rel=0.3)


def test_designs_take_turns_as_they_say() -> None:
    rng = np.random.default_rng(3)
    hows = {}
    for design in DESIGNS:
        a, b, noises = design.make(WEATHERS[0], 1.0, rng, 4)
        hows[design.name] = (pairing(a, b).how, len(noises.earlier))
    assert hows == {
        "blocks of a study": ("blocks", 0), "runs in turns": ("turns", 0),
        "runs apart, in blocks": ("apart", 0),
        "a run each, a history": ("apart", 12), "a run each": ("apart", 0),
    }  # fmt: skip


def test_pairs_are_kept_counted_and_told(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    ledger = BenchLedger(tmp_path)
    assert pairs.run(ledger, 1, most=6)
    rows = pairs.run(ledger, 1)
    assert len(rows) == len(WEATHERS) * len(pairs._asked())
    assert len(BenchLedger(tmp_path).rows) == len(rows)
    packed = pairs.packed(rows)
    assert sum(row["pairs"] for row in packed) == len(rows)
    goals = [
        line.partition(": ")[0] for line in "\n".join(pairs.tables(packed)).splitlines() if line[:1] == "-"
    ]
    assert goals == snapshot
    for row in packed:
        assert sum(row["said"].values()) == row["pairs"]
        assert not (row["design"] == "a run each" and row["said"]["undecided"] != row["pairs"])
