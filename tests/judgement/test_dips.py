import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.facts.streams import streams
from loadrig.judgement.harms import dips
from loadrig.testing.cases import ACase
from tests.stats.noises import KINDS, Floats, noise, pulses


def course(seed: int = 1, every: float = 12, n: int = 90, depth: float = 0.4, start: float = 5) -> Floats:
    rng = np.random.default_rng(seed)
    values = rng.normal(400, 10, n)
    values[pulses(n, every, 2, start)] *= 1 - depth
    return values


def test_periodic_dips_are_a_harm_with_their_period_and_loss(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=90, users=20, ok=course()).build()
    dipped = dips.of(case)
    assert dipped is not None
    assert dipped.is_harm
    assert len(dipped.dips) == 8
    assert dipped.period_s == pytest.approx(12, rel=0.03)
    assert dipped.lost_share == pytest.approx(0.4 * 16 / 90, rel=0.15)
    assert case.harms["dips"] == snapshot


def test_a_period_that_is_somebodys_default_says_whose() -> None:
    case = ACase(seconds=90, users=20, ok=course(every=15)).build()
    dipped = dips.of(case)
    assert dipped is not None
    assert "Prometheus" in dipped.timer
    other = dips.of(ACase(seconds=90, users=20, ok=course(every=12)).build())
    assert other is not None
    assert other.timer == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_noisy_server_has_no_dips(kind: str) -> None:
    for seed in range(10):
        values = np.maximum(0.0, noise(kind, 60, np.random.default_rng(seed)))
        assert "dips" not in ACase(seconds=60, users=20, ok=values).build().harms


def test_two_dips_are_no_harm_and_a_short_run_has_none() -> None:
    values = np.full(60, 400.0)
    values[[20, 21, 40, 41]] = 100.0
    assert dips.harm(ACase(seconds=60, users=20, ok=values).build()) is None
    assert dips.of(ACase(seconds=15, users=20, ok=values[:15]).build()) is None
    assert dips.of(ACase(seconds=60, users=20, ok=0.0).build()) is None


def test_three_dips_to_nearly_nothing_are_a_harm_without_a_period() -> None:
    values = np.full(40, 600.0)
    values[[7, 19, 20, 31]] = 40.0
    assert dips.harm(ACase(seconds=40, users=20, ok=values).build()) is not None


def test_single_steps_that_fall_little_are_dips_only_where_they_come_in_step() -> None:
    rng = np.random.default_rng(4)
    quiet = rng.normal(590, 8, 34)
    regular, anywhere = quiet.copy(), quiet.copy()
    regular[[2, 10, 18, 26]] *= 0.87
    anywhere[[2, 7, 18, 23]] *= 0.87
    dipped = dips.of(ACase(seconds=34, users=20, ok=regular).build())
    assert dipped is not None
    assert [(dip.first, dip.last) for dip in dipped.dips] == [(2, 2), (10, 10), (18, 18), (26, 26)]
    assert dipped.is_harm
    assert dipped.period_s == pytest.approx(8, rel=0.03)
    assert dips.harm(ACase(seconds=34, users=20, ok=anywhere).build()) is None


def test_where_less_was_due_nothing_dipped() -> None:
    due = np.full(90, 400.0)
    due[pulses(90, 12, 2, 5)] = 200.0
    assert dips.harm(ACase(seconds=90, rate=due, ok=due).build()) is None


def test_a_warm_up_is_no_dip() -> None:
    values = np.concatenate((np.linspace(50, 400, 15), np.full(45, 400.0)))
    values += np.random.default_rng(1).normal(0, 8, 60)
    case = ACase(seconds=60, warm_up=15, users=20, ok=values).build()
    assert dips.harm(case) is None


def test_the_composition_says_what_rose_while_the_service_fell() -> None:
    low = pulses(90, 12, 2, 5)
    case = ACase(
        seconds=90,
        users=20,
        ok=course(),
        logins=np.where(low, 40.0, 0.0),
        routes={"list": 0.7 * course(), "report": 0.3 * course()},
    ).build()
    dipped = dips.of(case)
    assert dipped is not None
    load = dipped.case.load
    assert dipped.change(load.login_routes["login"]) == pytest.approx(40)
    assert dipped.change(load.routes["list"]) < 0
    assert dipped.change(load.ok) == pytest.approx(-160, rel=0.1)


def decoyed(seed: int) -> tuple[ACase, str]:
    """Return a case with three streams that a person may suspect; one of them made the dips."""
    rng = np.random.default_rng(seed)
    kinds = ["checkpoint", "slow_command", "restarted"]
    rng.shuffle(kinds)
    n, every = int(rng.choice([60, 90, 120])), rng.uniform(7, 13)
    start = rng.uniform(1, every)
    hit = pulses(n, every, 1, start)
    values = rng.normal(500, 15, n)
    values *= 1 - rng.uniform(0.2, 0.6) * np.minimum(1, np.convolve(hit, [1.0, 0.6])[:n])
    case = ACase(seconds=n, users=20, ok=values).tier("db", kind="postgresql")
    apart = (start + rng.uniform(0.35, 0.65) * every) % every
    moments = {
        kinds[0]: np.flatnonzero(hit) + 0.2,
        kinds[1]: np.arange(apart, n, every),
        kinds[2]: rng.uniform(0, n, int(n / every)),
    }
    for kind, at in moments.items():
        for moment in at:
            case.event(float(moment), kind, "db")
    return case, kinds[0]


def test_the_right_stream_comes_first_in_all_but_one_of_20_cases() -> None:
    right = 0
    for seed in range(20):
        case, right_kind = decoyed(seed)
        dipped = dips.of(case.build())
        assert dipped is not None
        right += dipped.best is not None and dipped.best.stream.kind == right_kind
    assert right >= 19


def test_pauses_are_laid_in_the_steps_in_which_they_lasted() -> None:
    case = ACase(seconds=30, users=20, ok=100.0).tier("server", runtime="jvm")
    case.event(4.75, "gc_pause", "server", duration_s=0.5)
    (stream,) = [each for each in streams(case.build()) if each.kind == "gc_pause"]
    assert stream.is_time
    assert stream.amounts[3:7] == pytest.approx([0, 0.25, 0.25, 0], abs=1e-6)


def test_what_a_better_probe_tells_is_told_once() -> None:
    case = ACase(seconds=30, users=20, ok=100.0).tier("server", kind="gunicorn")
    for kind in ("worker_born", "process_born"):
        case.event(10.0, kind, "server")
    kinds = [stream.kind for stream in streams(case.build())]
    assert "worker_born" in kinds
    assert "process_born" not in kinds


def test_workers_that_are_replaced_are_not_put_down_to_the_connections_that_they_open_anew() -> None:
    n, low = 90, pulses(90, 12, 2, 5)
    case = ACase(seconds=n, users=20, ok=course())
    case.tier("server", kind="gunicorn", workers=2).tier("db", kind="postgresql")
    for at in np.flatnonzero(low):
        case.event(at + 0.8, "worker_died", "server")
        for nth in range(8):
            case.event(at + 0.2 + nth / 100, "process_born", "db")
            case.event(at + 0.1 + nth / 100, "process_died", "db")
    built = case.build()
    dipped = dips.of(built)
    assert dipped is not None
    assert dipped.best is not None
    assert (dipped.best.stream.kind, dipped.best.stream.component) == ("worker_died", "server")
    assert not [stream for stream in streams(built) if stream.component == "db"]


def test_the_bound_of_pauses_is_their_time_over_the_time_lost() -> None:
    case = ACase(seconds=90, users=20, ok=course()).tier("server", runtime="jvm")
    for at in np.flatnonzero(pulses(90, 12, 2, 5)):
        case.event(at + 0.5, "gc_pause", "server", duration_s=0.004)
    dipped = dips.of(case.build())
    assert dipped is not None
    pauses = dipped.beside("gc_pause", "server")
    assert pauses is not None
    assert pauses.is_close
    assert pauses.bound == pytest.approx(0.004 / 0.4, rel=0.2)
    assert dipped.beside("gc_pause", "other") is None
