"""A closed network of queues and a delay, against what is known of it without mean value analysis."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.stats.closed import delay_of, throughput

demands = st.lists(st.floats(1e-4, 0.1), min_size=1, max_size=3)


def repairman(machines: int, delay_s: float, demand_s: float) -> float:
    """Throughput of one queue and a delay by the balance of its states (the machine repairman)."""
    weights = [
        math.factorial(machines) // math.factorial(machines - k) * (demand_s / delay_s) ** k
        for k in range(machines + 1)
    ]
    return (1 - weights[0] / sum(weights)) / demand_s


@pytest.mark.parametrize("machines", [1, 2, 5, 10, 40])
@pytest.mark.parametrize("demand_s", [0.001, 0.02, 0.5])
def test_one_queue_and_a_delay_are_the_machine_repairman(machines: int, demand_s: float) -> None:
    rate = throughput(machines, 0.1, [demand_s])
    assert rate == pytest.approx(repairman(machines, 0.1, demand_s))


def test_alone_a_customer_waits_for_nobody() -> None:
    assert throughput(1, 0.2, [0.1, 0.2]) == pytest.approx(2.0)


@given(st.integers(1, 50), st.floats(0, 1), demands)
def test_it_grows_with_the_customers_and_stays_below_both_bounds(
    customers: int, delay_s: float, demands_s: list[float]
) -> None:
    here, more = (throughput(n, delay_s, demands_s) for n in (customers, customers + 1))
    assert here <= more * (1 + 1e-9)
    assert more <= min(1 / max(demands_s), (customers + 1) / (delay_s + sum(demands_s))) * (1 + 1e-9)


@given(st.integers(1, 50), st.floats(1e-3, 1), demands)
def test_the_delay_is_found_again(customers: int, delay_s: float, demands_s: list[float]) -> None:
    per_second = throughput(customers, delay_s, demands_s)
    delay = delay_of(customers, per_second, demands_s)
    assert throughput(customers, delay, demands_s) == pytest.approx(per_second, rel=1e-6)


def test_where_the_queues_alone_make_no_more_there_is_no_delay() -> None:
    assert delay_of(4, 100.0, [0.01]) == 0.0
    assert delay_of(4, 20.0, []) == pytest.approx(0.2)


def test_what_takes_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="time"):
        throughput(3, 0.0, [0.0])
