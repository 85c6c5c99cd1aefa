"""Requests that wait for a dependency: by looks at the connections, and by what went through meanwhile."""

from dataclasses import replace

import pytest
from msgspec import structs

from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import stands_idle
from loadrig.judgement.facts.waits import awaited_links
from tests.account.made import a_call, a_component
from tests.judgement.scenes import USERS, scene

N = 30


def asking(awaiting: float) -> Case:
    """Return 24 users, 1,000 requests a second that take 4 ms alone, and so many connections that await."""
    call = a_call("quotes", awaiting, idle=USERS - awaiting, n=N)
    case = scene(
        1_000.0, {"in_hand": USERS, "calls": (call,)}, (a_component("quotes", n=N),), cpu=0.4, behind_cpu=0.1
    )
    (edge,) = case.edges
    load = replace(case.load, routes={"GET /": case.load.ok}, latency_of_route=lambda _, _q: 0.004)
    return replace(case, load=load, edges=(replace(edge, connections=int(USERS)),))


def test_what_was_seen_awaiting_counts_whatever_settings_say_of_how_many_are_worked_on() -> None:
    case = asking(USERS - 1)
    few = structs.replace(case.components[0], kind="waitress", settings={"--threads": "4"})
    (waits,) = awaited_links(replace(case, components=(few, *case.components[1:])))
    assert waits.waiting == waits.in_hand == pytest.approx(USERS - 1)


@pytest.mark.parametrize(("awaiting", "is_excluded"), [(USERS - 1, False), (2.0, True)])
def test_fast_answers_exclude_a_wait_that_is_only_guessed(awaiting: float, is_excluded: bool) -> None:
    """Kept connections are open whether anybody waits or not; what awaits an answer on them, waits.

    Of a service with a long tail most answers are fast, and the few that are not hold all users.
    """
    (waits,) = awaited_links(asking(awaiting))
    assert waits.waiting == waits.in_hand > USERS / 2
    on_kept = replace(waits, link=replace(waits.link, opened_a_request=0.0))
    assert any(sign.holds is False for sign in on_kept.excluding()) == is_excluded


def test_requests_that_stand_inside_wait_for_no_idle_connection() -> None:
    """All take equally long, so none of them met another one: what they wait for is not the dependency."""
    case = asking(0.5)
    median_s = case.load.waiting / case.load.ok_rps
    load = replace(case.load, latency_of_route=lambda _, _q: median_s)
    (waits,) = awaited_links(replace(case, load=load))
    on_kept = replace(waits, link=replace(waits.link, opened_a_request=0.0))
    assert any(sign.holds is False for sign in on_kept.excluding())


@pytest.mark.parametrize(
    ("ready", "is_idle"), [(1.0, True), (12.0, False)], ids=["hardly", "half of its time"]
)
def test_whoever_hardly_waits_for_a_core_stands_idle_though_others_fill_it(
    ready: float, is_idle: bool
) -> None:
    call = a_call("quotes", 23.5, n=N)
    quotes = a_component("quotes", n=N, total=23.5, in_hand=23.5, runnable=ready, unread=0.0)
    case = scene(
        90.0, {"in_hand": USERS, "calls": (call,)}, [quotes],
        cpu=0.13, busy=1.0, behind_cpu=0.05, strangers={"cpu1:build": 0.8},
    )  # fmt: skip
    assert stands_idle(case, case.tiers["quotes"]) == is_idle
