"""Effect of a mend by a network that is fitted to what was measured, against networks that are known."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loadrig.judgement.limits.network import IDLE_COST, Cap, Change, Network, Station
from loadrig.stats import closed

demands = st.floats(0.0005, 0.05)
shares = st.floats(0.0, 1.0)


def measured(users: int, think_s: float, stations: list[Station], slots: int | None = None) -> Network:
    """Return the network of a server of which all is known, as it would be fitted.

    slots: workers that hold a request each, before which the other users wait; None without a bound.
    """
    queues = [station.demand_s for station in stations]
    inside = users if slots is None else slots
    rps = closed.throughput(inside, think_s, queues)
    caps = [Cap("users", users, inside, think_s)]
    if slots is not None:
        caps.append(Cap("slots", slots, slots, think_s))
    return Network(rps, tuple(stations), tuple(caps))


@given(users=st.integers(1, 60), think_s=st.floats(0.001, 0.5), demand_s=demands)
def test_as_it_is_it_makes_what_was_measured(users: int, think_s: float, demand_s: float) -> None:
    network = measured(users, think_s, [Station("cores", 1, demand_s)])
    assert network.throughput() == pytest.approx(network.rps, rel=0.01)


@given(users=st.integers(2, 60), think_s=st.floats(0.05, 0.5), demand_s=demands, remaining=shares)
def test_a_demand_that_is_gone_brings_what_the_network_without_it_makes(
    users: int, think_s: float, demand_s: float, remaining: float
) -> None:
    network = measured(users, think_s, [Station("cores", 1, demand_s)])
    # The throughput of a station that is full tells nothing of what else a request does.
    assume(network.rps * demand_s < 0.95)
    wanted = closed.throughput(users, think_s, [remaining * demand_s]) / network.rps
    assert network.gain(Change(shares={"cores": remaining})) == pytest.approx(max(1.0, wanted), rel=0.02)


@given(first=shares, second=shares, demand_s=demands)
def test_the_more_is_taken_away_the_more_is_gained(first: float, second: float, demand_s: float) -> None:
    network = measured(20, 0.01, [Station("cores", 1, demand_s), Station("cores of mariadb", 1, 0.004)])
    less, more = sorted((first, second))
    gains = [network.gain(Change(shares={"cores": remaining})) for remaining in (more, less)]
    assert 1.0 <= gains[0] <= gains[1] + 1e-9


def test_more_workers_who_wait_for_something_with_room_bring_as_much_more() -> None:
    network = measured(24, 0.03, [Station("cores", 1, 0.0005)], slots=2)
    assert network.gain(Change(sizes={"slots": 4})) == pytest.approx(2, rel=0.03)
    assert network.gain(Change(sizes={"slots": 24})) == pytest.approx(12, rel=0.3)


@pytest.mark.parametrize(("slots", "is_dearer"), [(1, True), (24, False)], ids=["idle", "full"])
def test_a_request_costs_a_program_less_that_has_more_to_do(slots: int, is_dearer: bool) -> None:
    """Let all users in where one was: the core is full then, and a request costs what it costs there."""
    plain, cheaper = (
        measured(24, 0.1, [Station("cores", 1, 0.01, gets_cheaper)], slots) for gets_cheaper in (False, True)
    )
    before = plain.rps * 0.01
    dearness = 1 + IDLE_COST * (1 - before) ** 2 if is_dearer else 1.0
    change = Change(sizes={"slots": 24}, delay_s=-0.1)
    assert cheaper.gain(change) == pytest.approx(plain.gain(change) * dearness, rel=0.03)
    # What is said of the present load is not changed by it, nor what a smaller load would cost.
    assert cheaper.throughput() == pytest.approx(plain.throughput(), rel=0.01)
    less = Change(delay_s=0.3)
    assert cheaper.throughput(less) == pytest.approx(plain.throughput(less), rel=0.01)


def test_more_workers_before_a_core_that_is_full_bring_nothing() -> None:
    network = measured(24, 0.001, [Station("cores", 1, 0.01)], slots=8)
    assert network.gain(Change(sizes={"slots": 24})) < 1.02
    assert network.gain(Change(numbers={"cores": 2})) == pytest.approx(2, rel=0.1)


def test_a_wider_core_brings_nothing_where_workers_wait_for_a_delay() -> None:
    network = measured(24, 0.03, [Station("cores", 1, 0.0005)], slots=2)
    assert network.gain(Change(numbers={"cores": 2})) < 1.02


def test_cores_beneath_an_interpreter_end_what_more_of_it_brings() -> None:
    lock, cores = Station("interpreter", 1, 0.01), Station("cores", 1.5, 0.01)
    rps = closed.throughput(20, 0.0, [0.01])
    network = Network(rps, (lock,), (Cap("users", 20, 20),), (cores,))
    assert network.gain(Change(numbers={"interpreter": 4})) == pytest.approx(1.5, rel=0.02)


def test_a_neighbour_that_is_gone_gives_its_part_of_the_core_back() -> None:
    # Half of the core is somebody else's.
    rps = closed.throughput(20, 0.0, [0.01 / 0.5])
    network = Network(rps, (Station("cores", 0.5, 0.01),), (Cap("users", 20, 20),))
    assert network.gain(Change(numbers={"cores": 1.0})) == pytest.approx(2, rel=0.05)


def test_where_no_request_ended_nothing_is_foretold() -> None:
    network = Network(0.0, (Station("cores", 1.0, 0.01),), (Cap("users", 20, 20),))
    assert network.throughput() == 0.0
    assert network.gain(Change(shares={"cores": 0.5})) == 1.0
