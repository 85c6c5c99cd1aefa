"""The limit of a tier, foreseen from a run below it, against simulated servers whose demands are known."""

import numpy as np
import pytest

from loadrig.findings.ceilings import ceilings
from loadrig.findings.track import Floats
from loadrig.testing.cases import ACase

DEMAND_S = 0.008
CEILING = 1 / DEMAND_S


def run(
    load: Floats,
    *,
    idle: float = 0.0,
    noise: float = 0.05,
    demand_s: float = DEMAND_S,
    seed: int = 1,
    **facts: object,
) -> ACase:
    """A server of one core at a load of so many requests a second, its CPU time with noise."""
    rng = np.random.default_rng(seed)
    used = np.minimum(1.0, (idle + demand_s * load) * (1 + noise * rng.standard_normal(load.size)))
    case = ACase(seconds=load.size, rate=load, ok=load, latency_s=0.02)
    case.tier("server", **{"kind": "program", "runtime": "native", "cpus": (1,), **facts})
    return case.counter("server", "process.cpu_s", "tree", np.maximum(used, 0))


def poisson(mean: float, seconds: int, seed: int) -> Floats:
    return np.random.default_rng(seed).poisson(mean, seconds).astype(np.float64)


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6])
def test_a_run_below_the_limit_foretells_it_within_a_tenth(share: float) -> None:
    errors = []
    for seed in range(20):
        (found,) = ceilings(run(poisson(share * CEILING, 60, seed), seed=seed + 100).build())
        errors.append(abs(found.rps / CEILING - 1))
    assert np.median(errors) < 0.05
    assert max(errors) < 0.10


def test_the_interval_holds_the_limit_as_often_as_it_says() -> None:
    hits = 0
    for seed in range(100):
        (found,) = ceilings(run(poisson(60, 60, seed), seed=seed + 100).build())
        hits += found.low <= CEILING <= found.high
    assert hits >= 85  # 95 % of 100, less three standard deviations and the bootstrap's own optimism


def test_use_that_no_request_caused_is_told_apart_where_the_load_varies() -> None:
    load = np.repeat([10.0, 30.0, 50.0, 70.0], 15)
    (found,) = ceilings(run(load, idle=0.2, noise=0.02).build())
    assert found.demand_s == pytest.approx(DEMAND_S, rel=0.1)
    assert found.rps == pytest.approx(0.8 / DEMAND_S, rel=0.1)


def test_a_full_tier_is_full_at_what_it_does() -> None:
    load = np.full(30, CEILING) * np.random.default_rng(1).normal(1, 0.1, 30)
    (found,) = ceilings(run(load, noise=0.0).build())
    assert found.rps == pytest.approx(CEILING, rel=0.06)


def test_a_program_that_runs_on_one_core_is_full_when_that_is() -> None:
    case = run(np.full(30, 50.0), kind="redis", cpus=(0, 1))
    (found,) = ceilings(case.build())
    assert found.servers == 1.0
    assert found.rps == pytest.approx(CEILING, rel=0.05)


def test_of_cores_that_are_shared_the_one_that_uses_most_has_its_part() -> None:
    case = run(np.full(30, 50.0))
    used = 50.0 / CEILING
    case.tier("redis", kind="redis", cpus=(1,)).counter("redis", "process.cpu_s", "tree", used / 4)
    found = {one.component: one for one in ceilings(case.build())}
    assert found["server"].servers == pytest.approx(0.8, rel=0.01)
    assert found["server"].rps == pytest.approx(CEILING / 1.25, rel=0.05)
    assert found["redis"].servers == 1.0


def test_limits_come_the_nearest_first() -> None:
    case = run(np.full(30, 50.0))
    case.tier("mariadb", kind="mariadb", cpus=(1,)).counter("mariadb", "process.cpu_s", "tree", 0.6)
    case.gauge("server", "hikari.active", "pool:main", 3.0).gauge("server", "hikari.limit", "pool:main", 10.0)
    found = ceilings(case.build())
    assert [(one.component, one.what) for one in found] == [
        ("mariadb", "CPU"), ("server", "CPU"), ("server", "connections"),
    ]  # fmt: skip
    assert found[2].rps == pytest.approx(50 * 10 / 3, rel=0.05)


def test_what_hardly_works_and_what_answers_nothing_foretell_nothing() -> None:
    assert ceilings(run(np.full(30, 1.0), noise=0.0).build()) == ()
    assert ceilings(run(np.zeros(30)).build()) == ()
    assert ceilings(run(np.full(4, 50.0)).build()) == ()
