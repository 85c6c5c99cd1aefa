"""The stalling server is simulated as it is."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.truth import Stalls, latencies_ms, quantile, quantiles_ms


def test_with_enough_connections_each_request_waits_for_the_end_of_the_stall() -> None:
    # 2 s at 1,000/s: the 200 that are due in the stall from 1,000 to 1,200 ms wait for its end, and so
    # does the one before, whose answer would be due as it begins; all others take 1 ms.
    times_ms = sorted(latencies_ms(1_000, 10_000, 2.0))
    assert len(times_ms) == 2_000
    assert times_ms[0] == pytest.approx(1.0)
    assert times_ms[-1] == pytest.approx(201.0)
    assert sum(ms > 1.5 for ms in times_ms) == 201


def test_few_connections_make_the_backlog_last_longer() -> None:
    few, many = (sum(latencies_ms(1_000, connections, 2.0)) for connections in (16, 256))
    assert few > many


def test_what_a_request_costs_the_server_adds_to_the_wait_after_a_stall() -> None:
    costly = Stalls(read_ms=0.002, send_ms=0.005)
    assert sum(latencies_ms(1_000, 256, 2.0, costly)) > sum(latencies_ms(1_000, 256, 2.0))


@given(st.sampled_from([50.0, 400.0, 1_000.0]), st.integers(1, 64), st.floats(0.5, 4.0))
def test_every_request_is_answered_and_none_before_the_delay(
    rate: float, connections: int, seconds: float
) -> None:
    times_ms = latencies_ms(rate, connections, seconds)
    assert len(times_ms) == round(rate * seconds)
    assert min(times_ms) >= 1.0 - 1e-6


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=200), st.floats(0, 1))
def test_a_quantile_is_the_least_value_that_this_share_does_not_exceed(values: list[float], q: float) -> None:
    ordered = sorted(values)
    bound = quantile(ordered, q)
    assert sum(value <= bound for value in ordered) >= math.ceil(q * len(ordered) - 1e-9)
    below = [value for value in ordered if value < bound]
    assert len(below) < max(1, math.ceil(q * len(ordered) - 1e-9))


def test_a_quantile_lies_between_the_requests_beside_it() -> None:
    bounds = quantiles_ms([float(n) for n in range(1, 1_001)])
    assert bounds["p50"] == (499.0, 501.0)
    assert bounds["max"] == (999.0, 1_000.0)
