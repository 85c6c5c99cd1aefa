"""A soak ends early when it is sure, and not before."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.facts.readings import ProcessReadings, RequestCount
from loadrig.judgement.facts.slopes import Slopes, slopes
from loadrig.judgement.soak.forecast import DAY_S, GrowthLimit
from loadrig.soaking.stop import LEAST_SOAKED_SHARE, Stakes, Stopping
from loadrig.stats.slope import Slope
from tests.soaking.made import MB
from tests.wording import shape

A_SECOND = 200.0


def so_far(seconds: float, leak: float, fills: float = 0.0, tau_s: float = 600.0) -> tuple[Slopes, float]:
    at = np.arange(0.0, seconds, 2.0)
    rng = np.random.default_rng(1)
    level = (
        80 * MB + leak * at * A_SECOND + fills * (1 - np.exp(-at / tau_s)) + rng.normal(0, 0.1 * MB, at.size)
    )
    served = RequestCount.of(at, at * A_SECOND)
    return slopes([ProcessReadings("pid:1", at, level)], served), float(served.requests[-1])


def followed(leak: float, fills: float = 0.0, until_s: float = 20_000.0) -> tuple[str, float]:
    """Return what is said, and when; "" if not by then."""
    stopping, t_s = Stopping({"": Stakes(a_request=100.0)}), 600.0
    while t_s <= until_s:
        level, requests = so_far(t_s, leak, fills)
        decision = stopping.look(t_s, {"memory": level}, requests)
        if decision.is_over:
            return decision.levels["memory"].word, t_s
        t_s *= 1.5
    return "", t_s


def test_a_leak_is_believed_at_the_second_look() -> None:
    assert followed(1_000) == ("leaks", 900.0)


def test_a_steady_server_ends_as_harmless() -> None:
    word, when = followed(0.0)
    assert word == "harmless"
    assert when < 3_000


def test_a_cache_that_fills_is_waited_for_and_then_harmless() -> None:
    word, when = followed(0.0, fills=60 * MB)
    assert word in ("harmless", "")
    assert when > 900


def test_looks_come_half_as_long_again_each_and_their_confidence_rises() -> None:
    stopping = Stopping(first_s=100.0)
    assert not stopping.is_due(99.0)
    assert stopping.is_due(100.0)
    first = stopping.look(100.0, {}, 0.0)
    assert not stopping.is_due(149.0)
    assert stopping.is_due(150.0)
    second = stopping.look(150.0, {}, 0.0)
    assert 0.95 < first.confidence < second.confidence < 1
    assert not first.is_over


def test_what_matters_follows_from_the_limit_and_the_time_within() -> None:
    stakes = Stakes(a_request=1e9, limit=GrowthLimit(1e9, "its memory limit"), within_s=DAY_S)
    assert stakes.most(4e8, 100.0) == pytest.approx(6e8 / 100 / DAY_S)
    assert Stakes(a_request=100.0).most(4e8, 100.0) == 100.0
    assert stakes.most(2e9, 100.0) == 0.0


def test_a_level_that_was_read_too_seldom_keeps_it_open() -> None:
    decision = Stopping().look(600.0, {"memory": Slopes("unsure")}, 1e6)
    assert decision.levels["memory"].word == "open"
    assert not decision.is_over


def test_few_requests_bound_nothing(snapshot: SnapshotAssertion) -> None:
    size = Slope(0.0, -1.0, 1.0, 0.5, 0.95, 0.0, 40)
    decision = Stopping().look(600.0, {"memory": Slopes("level", a_request=size)}, 100.0)
    assert decision.levels["memory"].word == "open"
    assert decision.levels["memory"].why == snapshot


def test_all_levels_must_be_sure() -> None:
    size = Slope(0.0, -1.0, 1.0, 0.5, 0.95, 0.0, 40)
    levels = {"memory": Slopes("level", a_request=size), "threads": Slopes("unsure")}
    assert not Stopping().look(600.0, levels, 1e6).is_over
    assert Stopping().look(600.0, {"memory": levels["memory"]}, 1e6).is_over


def test_no_leak_ends_a_soak_at_its_begin(snapshot: SnapshotAssertion) -> None:
    stopping, t_s = Stopping({"": Stakes(a_request=100.0)}, length_s=7_200.0), 600.0
    ended, reasons = 0.0, set()
    while t_s <= 7_200 and not ended:
        level, requests = so_far(t_s, 1_000)
        decision = stopping.look(t_s, {"memory": level}, requests)
        if decision.is_over:
            ended = t_s
        else:
            reasons.add(decision.levels["memory"].why)
        t_s *= 1.5
    assert reasons
    assert sorted(map(shape, reasons)) == snapshot
    assert LEAST_SOAKED_SHARE * 7_200 <= ended <= 7_200
