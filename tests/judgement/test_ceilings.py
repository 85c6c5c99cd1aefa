"""The limit of a tier, foreseen from a run below it, against simulated servers whose demands are known."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.account.observations import Threads
from loadrig.account.population import Held
from loadrig.account.trial_account import account
from loadrig.base.jvm_threads import COMPILERS
from loadrig.base.series import Event
from loadrig.base.units import show_number
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.limits.ceilings import HELD, ceilings
from loadrig.recording.steps import Floats
from loadrig.testing.cases import ACase
from tests.account.made import a_call, a_component, a_load, each
from tests.judgement.scenes import scene
from tests.judgement.test_bottlenecks import pooled

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
    """Return a server of one core at a load of so many requests a second, its CPU time with noise."""
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
        (ceiling,) = ceilings(run(poisson(share * CEILING, 60, seed), seed=seed + 100).build())
        errors.append(abs(ceiling.rps / CEILING - 1))
    assert np.median(errors) < 0.05
    assert max(errors) < 0.10


def test_the_interval_holds_the_limit_as_often_as_it_says() -> None:
    hits = 0
    for seed in range(100):
        (ceiling,) = ceilings(run(poisson(60, 60, seed), seed=seed + 100).build())
        hits += ceiling.low <= CEILING <= ceiling.high
    assert hits >= 85  # 95 % of 100, less three standard deviations and the bootstrap's own optimism


def test_use_that_no_request_caused_is_told_apart_where_the_load_varies() -> None:
    load = np.repeat([10.0, 30.0, 50.0, 70.0], 15)
    (ceiling,) = ceilings(run(load, idle=0.2, noise=0.02).build())
    assert ceiling.demand_s == pytest.approx(DEMAND_S, rel=0.1)
    assert ceiling.rps == pytest.approx(0.8 / DEMAND_S, rel=0.1)


def test_a_full_tier_is_full_at_what_it_does() -> None:
    load = np.full(30, CEILING) * np.random.default_rng(1).normal(1, 0.1, 30)
    (ceiling,) = ceilings(run(load, noise=0.0).build())
    assert ceiling.rps == pytest.approx(CEILING, rel=0.06)


def test_a_program_that_runs_on_one_core_is_full_when_that_is() -> None:
    case = run(np.full(30, 50.0), kind="redis", cpus=(0, 1))
    (ceiling,) = ceilings(case.build())
    assert ceiling.servers == 1.0
    assert ceiling.rps == pytest.approx(CEILING, rel=0.05)


def test_of_cores_that_are_shared_the_one_that_uses_most_has_its_part() -> None:
    case = run(np.full(30, 50.0))
    used = 50.0 / CEILING
    case.tier("redis", kind="redis", cpus=(1,)).counter("redis", "process.cpu_s", "tree", used / 4)
    by_component = {ceiling.component: ceiling for ceiling in ceilings(case.build())}
    assert by_component["server"].servers == pytest.approx(0.8, rel=0.01)
    assert by_component["server"].rps == pytest.approx(CEILING / 1.25, rel=0.05)
    assert by_component["redis"].servers == 1.0


def test_limits_come_the_nearest_first() -> None:
    case = run(np.full(30, 50.0))
    case.tier("mariadb", kind="mariadb", cpus=(1,)).counter("mariadb", "process.cpu_s", "tree", 0.6)
    case.gauge("server", "hikari.active", "pool:main", 3.0).gauge("server", "hikari.limit", "pool:main", 10.0)
    limits = ceilings(case.build())
    assert [(limit.component, limit.what) for limit in limits] == [
        ("mariadb", "CPU"), ("server", "CPU"), ("server", "connections"),
    ]  # fmt: skip
    assert limits[2].rps == pytest.approx(50 * 10 / 3, rel=0.05)


def test_what_hardly_works_and_what_answers_nothing_foretell_nothing() -> None:
    assert ceilings(run(np.full(30, 1.0), noise=0.0).build()) == ()
    assert ceilings(run(np.zeros(30)).build()) == ()
    assert ceilings(run(np.full(4, 50.0)).build()) == ()


def test_no_limit_lies_below_what_was_answered() -> None:
    """Take a program of CPython of one process that runs on more than one core all the same: 1.15 of 2."""
    load = np.full(30, 1231.0)
    rng = np.random.default_rng(1)
    case = ACase(seconds=30, rate=load, ok=load, latency_s=0.006)
    case.tier("server", kind="program", runtime="cpython", workers=1, cpus=(0, 1))
    case.counter("server", "process.cpu_s", "tree", 1.15 * (1 + 0.02 * rng.standard_normal(30)))
    (ceiling,) = ceilings(case.build())
    assert ceiling.rps == pytest.approx(1231.0, rel=0.02)
    assert 1231.0 * 0.97 < ceiling.low <= ceiling.rps
    assert ceiling.high == pytest.approx(2 / 1.15 * 1231.0, rel=0.05)
    assert ceiling.used_share == pytest.approx(1.0)


@given(
    st.lists(st.floats(10.0, 500.0), min_size=12, max_size=40),
    st.floats(0.0005, 0.02),
    st.integers(1, 4),
    st.sampled_from(["cpython", "native", "node"]),
)
def test_of_no_tier_more_is_used_than_there_is(
    load: list[float], demand_s: float, cores: int, runtime: str
) -> None:
    rates = np.array(load)
    case = ACase(seconds=rates.size, rate=rates, ok=rates, latency_s=0.02, cores=cores)
    case.tier("server", kind="program", runtime=runtime, workers=1, cpus=tuple(range(cores)))
    case.counter("server", "process.cpu_s", "tree", np.minimum(cores, demand_s * rates))
    for ceiling in ceilings(case.build()):
        assert ceiling.used_share <= 1.0 + 1e-9
        assert ceiling.low * (1 - 1e-9) <= ceiling.rps <= ceiling.high * (1 + 1e-9)
        middle = rates.mean() - 2 * rates.std(ddof=1)
        assert ceiling.rps >= middle


def test_requests_at_a_time_are_a_limit_beside_the_cpu() -> None:
    case = run(np.full(30, 50.0)).build()
    held = Held("server", 2.0, 60.0, 57.0, 63.0, 0.83)
    limits = ceilings(replace(case, held=(held,), remembered={}))
    assert [limit.what for limit in limits] == [HELD, "CPU"]
    assert (limits[0].rps, limits[0].low, limits[0].high) == (60.0, 57.0, 63.0)
    assert limits[0].demand_s == pytest.approx(2.0 / 60.0)


def test_what_compiles_a_program_while_it_is_cold_is_no_cost_of_its_requests() -> None:
    case = run(np.full(30, 50.0), runtime="jvm").build()
    groups = {COMPILERS[0]: {"running": each(0.1, 30)}, "qtp": {"running": each(0.3, 30)}}
    compilers = Threads({"running": each(0.4, 30)}, groups)
    component = a_component(n=30, total=1.0, in_hand=1.0, running=0.4, cores=1.0, threads=compilers)
    (ceiling,) = ceilings(replace(case, account=account([component], a_load(50.0, 1.0, n=30)), remembered={}))
    assert ceiling.demand_s == pytest.approx(DEMAND_S - 0.1 / 50, rel=0.05)


def test_of_a_search_all_levels_count() -> None:
    load = np.repeat([10.0, 40.0, 70.0, 100.0], 10)
    case = run(load, idle=0.2, noise=0.02).build()
    inside = np.arange(load.size) >= 30
    part = replace(case, load=replace(case.load, is_inside=inside), remembered={})
    event = Event(int(case.edges_ns[0]), "level", "load", "40")
    (ceiling,) = ceilings(replace(part, events=(event,), remembered={}))
    assert ceiling.demand_s == pytest.approx(DEMAND_S, rel=0.1)
    assert ceiling.rps == pytest.approx(0.8 / DEMAND_S, rel=0.1)
    (alone,) = ceilings(part)
    assert alone.demand_s > 1.1 * ceiling.demand_s


@pytest.mark.parametrize(("connections", "inside"), [(17.0, 6.0), (24.0, 0.0)])
def test_a_pool_that_is_full_while_requests_wait_inside_is_a_limit(connections: float, inside: float) -> None:
    limits = [each for each in ceilings(pooled(connections, inside)) if each.what.startswith("connections")]
    if not inside:
        assert limits == []
        return
    (limit,) = limits
    assert (limit.component, limit.what) == ("server", "connections to postgresql")
    assert limit.rps == pytest.approx(600.0, rel=0.01)
    assert limit.servers == pytest.approx(17.0)
    assert limit.demand_s == pytest.approx(17 / 600, rel=0.01)


@pytest.mark.parametrize(("opened", "is_limit"), [(0.0, True), (600.0, False)])
def test_connections_that_are_opened_for_each_call_are_no_limit(opened: float, is_limit: bool) -> None:
    """Let 17 connections never be free: those of a pool, or of a proxy that opens one for each request."""
    call = a_call("postgresql", 1.0, in_transaction=16.0, n=30)
    behind = a_component("postgresql", n=30, total=17.0, in_hand=17.0)
    case = scene(600.0, {"in_hand": 24.0, "calls": (call,)}, [behind], cpu=0.4)
    watched = ACase(seconds=30).counter("host", "tcp_sockets.opened", "out:127.0.0.1:5432", opened, "1")
    watched.gauge("host", "tcp_sockets.established", "out:127.0.0.1:5432", 17.0)
    limits = ceilings(replace(case, series={**case.series, **watched.build().series}, remembered={}))
    assert ("connections to postgresql" in {limit.what for limit in limits}) == is_limit


@pytest.mark.parametrize(("others", "remaining"), [(0.3, 0.7), (0.55, 0.5)])
def test_of_cores_that_others_use_there_is_what_they_leave_or_a_fair_share(
    others: float, remaining: float
) -> None:
    used = 30.0 / CEILING
    case = run(np.full(30, 30.0)).host_cpu([0.1, used + others])
    case.counter("host", "neighbours.cpu_s", "cpu1:batch, process 7", others)
    (ceiling,) = ceilings(replace(case.build(), generator_cpus=(0,)))
    assert ceiling.servers == pytest.approx(remaining, rel=0.02)
    assert ceiling.rps == pytest.approx(remaining * CEILING, rel=0.06)


@pytest.mark.parametrize(("others", "is_foretold"), [(0.1, True), (0.6, False)])
def test_no_room_is_foretold_beside_others_who_take_half_of_the_cores(
    others: float, is_foretold: bool
) -> None:
    case = run(np.full(30, 30.0)).host_cpu([0.1, 30.0 / CEILING + others])
    case.counter("host", "neighbours.cpu_s", "cpu1:batch, process 7", others)
    (finding,) = diagnose(replace(case.build(), generator_cpus=(0,))).findings
    (nearest,) = ceilings(replace(case.build(), generator_cpus=(0,)))
    assert finding.cause == "healthy"
    assert (show_number(nearest.high) in finding.effect) == is_foretold


@pytest.mark.parametrize(("idle", "is_told"), [(1.6, True), (4.0, False)])
def test_connections_that_are_mostly_in_use_may_be_full_before_the_next_limit(
    idle: float, is_told: bool
) -> None:
    """Say that five connections, of which 3.4 are in use, are all taken at half as much load again."""
    case = run(np.full(30, 30.0)).host_cpu([0.1, 30.0 / CEILING]).build()
    call = a_call("postgresql", 0.4, in_transaction=5.0 - 0.4 - idle, idle=idle, n=30)
    component = a_component(n=30, total=4.0, in_hand=4.0, calls=(call,))
    whole = account([component], a_load(30.0, 4.0, n=30))
    (finding,) = diagnose(replace(case, account=whole, generator_cpus=(0,))).findings
    texts = [piece.text for piece in finding.evidence if "5" in piece.text and "postgresql" in piece.text]
    assert (finding.cause, bool(texts)) == ("healthy", is_told)
