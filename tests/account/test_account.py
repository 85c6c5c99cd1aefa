"""The arithmetic of an account: what is known goes in, and all lines and the remainder add up."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.account.load import LoadSeries
from loadrig.account.observations import Observations, Threads
from loadrig.account.trial_account import ComponentAccount, account
from tests.account.made import N, a_call, a_component, a_load, each

RATE = 100.0


def component_of(
    *components: Observations, load: LoadSeries | None = None, name: str = "server"
) -> ComponentAccount:
    """Return the account of one of these components, whose total is the load's own unless it is given."""
    load = load or a_load(RATE)
    accounts = [
        replace(observed, total=load.in_flight) if observed.is_loaded and observed.total is None else observed
        for observed in components
    ]
    whole = account(accounts, load)
    assert whole is not None
    component = whole.component(name)
    assert component is not None
    return component


def lines(component: ComponentAccount) -> dict[tuple[str, str], float]:
    """Return milliseconds by state and dependency, zeros left out."""
    return {(line.state, line.of): line.ms for line in component.lines if line.ms}


def test_a_number_over_the_answers_is_a_time() -> None:
    component = component_of(
        a_component(
            accept_queue=6.0, unread=4.0, in_hand=7.0, sending=1.0, running=0.5, runnable=0.25, disk=0.25,
            calls=(a_call("redis", 1.0, connecting=0.5, unread=0.5), a_call("mariadb", 3.0)),
        ),
        load=a_load(RATE, 20.0, generator=1.0, connecting=0.5),
    )  # fmt: skip
    assert component.total_ms == pytest.approx(200.0)
    assert lines(component) == pytest.approx(
        {
            ("generator", ""): 10.0, ("connecting", ""): 5.0, ("accept_queue", ""): 60.0,
            ("unread", ""): 40.0, ("awaiting", "mariadb"): 30.0, ("awaiting", "redis"): 10.0,
            ("connecting", "redis"): 5.0, ("answer_unread", "redis"): 5.0, ("running", ""): 5.0,
            ("runnable", ""): 2.5, ("disk", ""): 2.5, ("inside", ""): 10.0, ("sending", ""): 10.0,
        }
    )  # fmt: skip
    assert component.rest_ms == pytest.approx(5.0)
    assert component.rest_share == pytest.approx(0.025)
    assert [line.state for line in component.lines][:4] == [
        "generator",
        "connecting",
        "accept_queue",
        "unread",
    ]
    assert component.lines[-1].state == "sending"
    assert not component.flags


def test_an_answer_that_was_read_is_not_waited_for_though_its_acknowledgement_is_late() -> None:
    """Let users think after each answer, so that it is acknowledged long after it was read."""
    component = component_of(a_component(in_hand=1.0, sending=3.0, running=0.5), load=a_load(RATE, 1.5))
    assert lines(component) == pytest.approx(
        {("running", ""): 5.0, ("inside", ""): 5.0, ("sending", ""): 5.0}
    )
    assert component.rest_ms == pytest.approx(0.0)


def test_what_varies_has_an_interval_and_what_does_not_has_none_to_speak_of() -> None:
    steady = component_of(a_component(unread=5.0))
    wavering = component_of(a_component(unread=np.arange(N) % 3 * 5.0))
    narrow = next(line.interval for line in steady.lines if line.state == "unread")
    wide = next(line.interval for line in wavering.lines if line.state == "unread")
    assert narrow is not None
    assert narrow == pytest.approx((50.0, 50.0))
    assert wide is not None
    assert 0 <= wide[0] < 45 < 55 < wide[1]


def test_two_steps_give_times_without_intervals() -> None:
    component = component_of(a_component(n=2, unread=5.0), load=a_load(n=2))
    assert lines(component)[("unread", "")] == pytest.approx(50.0)
    assert all(line.interval is None for line in component.lines)
    assert component.total_interval is None


def test_cpu_time_of_no_request_is_not_charged_to_requests() -> None:
    component = component_of(a_component(in_hand=0.5, running=1.0, calls=(a_call("redis", 0.2),)))
    assert lines(component)[("running", "")] == pytest.approx(3.0)
    assert "background_cpu" in component.flags
    assert ("inside", "") not in lines(component)


def test_threads_that_wait_for_a_core_to_read_what_has_come_do_not_displace_the_disk() -> None:
    """Count five of seven threads that wait for a core as those that have yet to read what is unread."""
    component = component_of(a_component(in_hand=6.0, unread=5.0, running=1.0, runnable=7.0, disk=3.0))
    assert lines(component) == pytest.approx(
        {("unread", ""): 50.0, ("running", ""): 10.0, ("runnable", ""): 20.0, ("disk", ""): 30.0}
    )


def test_where_each_thread_reads_a_connection_run_delay_is_shared_with_what_is_unread() -> None:
    """Four threads wait for a core; as much is unread as is in hand without anything else known of it."""
    waiting = a_component(
        in_hand=8.0, unread=2.0, running=1.0, runnable=4.0,
        calls=(a_call("redis", 2.0, unread=1.5),), threads=Threads(reads_apart=True),
    )  # fmt: skip
    component = component_of(waiting)
    assert lines(component)[("runnable", "")] == pytest.approx(20.0)
    assert lines(component)[("inside", "")] == pytest.approx(15.0)
    delay = next(line for line in component.lines if line.state == "runnable")
    assert delay.interval == pytest.approx((5.0, 35.0)), "all of it may be in hand"
    of_loop = component_of(replace(waiting, threads=Threads()))
    assert lines(of_loop)[("runnable", "")] == pytest.approx(35.0)


def test_more_calls_than_requests_in_hand_are_scaled_and_said() -> None:
    component = component_of(a_component(in_hand=2.0, calls=(a_call("a", 3.0), a_call("b", 1.0))))
    assert lines(component) == pytest.approx({("awaiting", "a"): 15.0, ("awaiting", "b"): 5.0})
    assert component.flags == ("parallel",)


def test_requests_that_hold_a_transaction_are_told_from_those_that_have_none() -> None:
    """Twelve are in hand: one runs, two ask the database, five hold a transaction, four wait for one."""
    call = a_call("postgresql", 2.0, in_transaction=5.0, idle=0.0)
    component = component_of(a_component(in_hand=12.0, running=1.0, calls=(call,)))
    assert lines(component) == pytest.approx(
        {
            ("awaiting", "postgresql"): 20.0, ("running", ""): 10.0, ("holding", "postgresql"): 50.0,
            ("inside", ""): 40.0,
        }
    )  # fmt: skip
    held = next(line for line in component.lines if line.state == "holding")
    assert held.interval == pytest.approx((40.0, 60.0)), "what runs may be in a transaction"
    few = component_of(a_component(in_hand=4.0, running=1.0, calls=(call,)))
    assert lines(few)[("holding", "postgresql")] == pytest.approx(10.0)
    assert ("inside", "") not in lines(few)


def test_what_a_throttled_group_waits_for_is_told_apart() -> None:
    component = component_of(a_component(in_hand=10.0, running=0.5, runnable=4.0, throttled_s=0.5, cores=1.0))
    # One core stands still half of the time, and 4.5 threads want it: 2.25 of the four wait for the quota.
    assert lines(component)[("throttled", "")] == pytest.approx(22.5)
    assert lines(component)[("runnable", "")] == pytest.approx(17.5)


def test_connections_that_carry_several_requests_leave_the_time_in_hand_to_the_rest() -> None:
    component = component_of(a_component(in_hand=1.0, unread=2.0, running=0.5, is_multiplexed=True))
    assert lines(component)[("inside", "")] == pytest.approx(175.0)
    assert component.rest_ms == pytest.approx(0.0)
    assert "multiplexed" in component.flags


def test_without_sockets_only_what_is_known_is_told_and_the_rest_is_not_accounted_for() -> None:
    nothing: dict[str, Any] = dict.fromkeys(
        ("accept_queue", "unread", "in_hand", "sending", "abandoned", "tied")
    )
    component = component_of(a_component(running=0.5, **nothing), load=a_load(RATE, 20.0, generator=1.0))
    assert lines(component) == pytest.approx({("generator", ""): 10.0, ("running", ""): 5.0})
    assert component.rest_ms == pytest.approx(185.0)
    assert not component.is_seen
    assert component.flags == ("in_hand_unseen",)


def test_ties_are_decided_by_the_total_as_far_as_they_go() -> None:
    component = component_of(a_component(in_hand=10.0, tied=8.0, unread=6.0))
    assert component.rest_ms == pytest.approx(0.0)
    assert lines(component)[("inside", "")] == pytest.approx(140.0)
    more = component_of(a_component(in_hand=10.0, tied=2.0, unread=6.0))
    assert more.rest_ms == pytest.approx(30.0)
    assert more.lines[-2].interval == pytest.approx((110.0, 110.0))


def test_ties_that_nothing_decides_widen_the_interval() -> None:
    component = component_of(a_component(), a_component("redis", in_hand=10.0, tied=2.0), name="redis")
    inside = next(line for line in component.lines if line.state == "inside")
    assert inside.interval == pytest.approx((90.0, 110.0))
    awaiting = component_of(a_component(in_hand=8.0, calls=(a_call("redis", 4.0, tied=2.0),))).lines
    assert next(line.interval for line in awaiting if line.of) == pytest.approx((30.0, 50.0))


def test_a_dependency_adds_up_to_what_its_callers_wait_for() -> None:
    database = a_component("mariadb", total=4.0, in_hand=3.0, running=1.0, disk=0.5)
    component = component_of(a_component(), database, name="mariadb")
    assert component.total_ms == pytest.approx(40.0)
    assert lines(component) == pytest.approx({("running", ""): 10.0, ("disk", ""): 5.0, ("inside", ""): 15.0})
    assert component.rest_ms == pytest.approx(10.0)
    assert not component.flags


def test_a_dependency_with_more_requests_than_its_callers_know_has_other_callers() -> None:
    component = component_of(a_component(), a_component("redis", total=1.0, in_hand=3.0), name="redis")
    assert component.rest_ms == pytest.approx(-20.0)
    assert component.flags == ("others",)


def test_few_looks_at_short_calls_make_no_other_callers() -> None:
    seen_once = np.where(np.arange(N) == 3, 0.6, 0.0)
    component = component_of(a_component(), a_component("redis", total=0.02, in_hand=seen_once), name="redis")
    assert component.rest_ms == pytest.approx(0.0)
    assert "others" not in component.flags


def test_looks_that_see_a_little_too_much_leave_nothing_below_zero() -> None:
    """Let one of 20 requests wait in the generator while looks see 13 unread and 7 in hand."""
    load = a_load(in_flight=20.0, generator=1.0)
    component = component_of(a_component(total=20.0, unread=13.0, in_hand=7.0), load=load)
    assert component.rest_ms == pytest.approx(0.0)
    assert lines(component)[("generator", "")] == pytest.approx(10.0)
    assert lines(component)[("unread", "")] == pytest.approx(130.0 * 19 / 20)


def test_a_part_of_the_window_that_was_seen_is_accounted_for_by_itself() -> None:
    unread = np.where(np.arange(N) < 6, np.nan, 8.0)
    load = a_load(np.where(np.arange(N) < 6, 50.0, 100.0), in_flight=10.0)
    component = component_of(a_component(unread=unread), load=load)
    assert component.covered_share == pytest.approx(0.5)
    assert component.total_ms == pytest.approx(100.0)
    assert lines(component)[("unread", "")] == pytest.approx(80.0)
    assert "partly_seen" in component.flags


def test_nothing_is_said_where_no_request_ended() -> None:
    assert account([a_component()], a_load(rate=0.0)) is None


def test_low_and_high_load_have_accounts_of_their_own() -> None:
    planned = np.repeat([5.0, 10.0, 20.0], 4)
    load = a_load(planned * 10, planned, planned=planned)
    server = a_component(unread=np.repeat([0.0, 2.0, 12.0], 4), total=planned)
    whole = account([server], load)
    assert whole is not None
    assert set(whole.windows) == {"low_load", "high_load"}
    low, high = (whole.windows[name].server for name in ("low_load", "high_load"))
    assert low is not None
    assert high is not None
    assert lines(low).get(("unread", ""), 0.0) == 0.0
    assert lines(high)[("unread", "")] == pytest.approx(60.0)
    assert not account([server], a_load()).windows  # type: ignore[union-attr]


numbers = st.floats(0.0, 50.0).map(lambda value: round(value, 3))
series = st.lists(numbers, min_size=N, max_size=N)
calls = st.lists(
    st.tuples(st.sampled_from(["redis", "mariadb", "10.0.0.5:80"]), numbers, numbers), max_size=3
)


@given(
    st.fixed_dictionaries(
        {
            "accept_queue": series, "unread": series, "in_hand": series, "sending": series, "tied": numbers,
            "running": series, "runnable": numbers, "throttled_s": numbers, "disk": numbers,
            "is_multiplexed": st.booleans(),
        }
    ),
    calls,
    st.lists(numbers.map(lambda value: value + 0.1), min_size=N, max_size=N),
    series,
    numbers,
)  # fmt: skip
def test_lines_and_remainder_are_the_total_and_no_line_is_below_zero(
    fields: dict[str, Any],
    called: list[tuple[str, float, float]],
    rates: list[float],
    in_flight: list[float],
    generator: float,
) -> None:
    call_by_name = {name: a_call(name, awaiting, connecting) for name, awaiting, connecting in called}
    server = a_component(
        cores=2.0, calls=tuple(call_by_name[name] for name in sorted(call_by_name)), **fields
    )
    component = component_of(server, load=a_load(rates, in_flight, generator))
    assert sum(line.ms for line in component.lines) + component.rest_ms == pytest.approx(
        component.total_ms, abs=1e-6
    )
    assert all(line.ms >= 0 for line in component.lines)
    for line in component.lines:
        if line.interval is not None:
            assert 0 <= line.interval[0] <= line.ms + 1e-9 <= line.interval[1] + 2e-9


@given(st.permutations(["server", "redis", "mariadb", "web"]))
def test_the_order_of_components_changes_nothing(order: list[str]) -> None:
    each_of = {
        "server": a_component(in_hand=5.0, total=20.0, calls=(a_call("redis", 1.0), a_call("mariadb", 2.0))),
        "redis": a_component("redis", total=1.0, in_hand=np.arange(N) / 10),
        "mariadb": a_component("mariadb", total=2.0, in_hand=1.5, running=0.5),
        "web": a_component("web", in_hand=each(0.25)),
    }
    reference = account(list(each_of.values()), a_load())
    assert account([each_of[name] for name in order], a_load()) == reference
