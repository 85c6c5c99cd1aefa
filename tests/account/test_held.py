"""Requests that a component holds at a time: known where requests wait and the number in hand stays."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from loadrig.account.population import Held, held_of
from tests.account.made import a_component, a_load

WORKERS, SERVICE_S, SECONDS = 3, 0.02, 40
LIMIT = WORKERS / SERVICE_S


def held(waiting: Any, in_hand: Any, rate: Any = LIMIT, **more: Any) -> Held | None:
    n = SECONDS
    return held_of(
        a_component(n=n, unread=waiting, in_hand=in_hand, **more), a_load(rate, 20.0, planned=20.0, n=n)
    )


def noise(sd: float, seed: int = 1) -> Any:
    return np.random.default_rng(seed).normal(0.0, sd, SECONDS)


def test_workers_that_are_never_free_are_counted_and_say_how_much_they_answer() -> None:
    slots = held(17.0, WORKERS + noise(0.1), LIMIT + noise(5.0, 2))
    assert slots is not None
    assert slots.number == pytest.approx(WORKERS, rel=0.05)
    assert slots.low < LIMIT < slots.high
    assert slots.seconds == pytest.approx(SERVICE_S, rel=0.05)
    assert slots.used_share == pytest.approx(1.0, abs=0.02)


def test_seconds_in_which_nothing_waits_say_how_much_of_them_is_used() -> None:
    is_full = np.arange(SECONDS) < 12
    slots = held(
        np.where(is_full, 15.0, 0.0), np.where(is_full, WORKERS, 1.2), np.where(is_full, LIMIT, 60.0)
    )
    assert slots is not None
    assert slots.number == pytest.approx(WORKERS)
    assert slots.rps == pytest.approx(LIMIT)
    assert slots.used_share == pytest.approx((12 * WORKERS + 28 * 1.2) / 40 / WORKERS)


def test_an_event_loop_that_has_any_number_in_hand_has_no_such_limit() -> None:
    assert held(40.0, 8.0 + noise(3.0)) is None


def test_nothing_is_said_where_nothing_waits_long_enough() -> None:
    assert held(0.0, WORKERS) is None
    assert held(np.where(np.arange(SECONDS) < 5, 15.0, 0.0), WORKERS) is None


def test_nothing_is_said_where_sockets_do_not_tell_what_is_in_hand() -> None:
    assert held(17.0, None) is None
    assert held(17.0, WORKERS, is_multiplexed=True) is None
    assert held(17.0, WORKERS, tied=2.0) is None


def test_of_a_search_all_of_its_levels_count() -> None:
    is_full = np.arange(SECONDS) < 12
    tier = a_component(n=SECONDS, unread=np.where(is_full, 15.0, 0.0), in_hand=np.where(is_full, 3.0, 1.2))
    load = replace(a_load(100.0, 20.0, n=SECONDS), is_measured=np.arange(SECONDS) >= 20)
    assert held_of(tier, load) is None
    slots = held_of(tier, replace(load, is_of_levels=np.ones(SECONDS, dtype=np.bool_)))
    assert slots is not None
    assert slots.used_share == pytest.approx(0.4)
