"""Harms of a trial, and what only looks like them."""

from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.account.trial_account import account
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.harms.table import unsure
from loadrig.testing.cases import ACase
from tests.account.made import a_call, a_component, a_load


def harms(case: ACase) -> set[str]:
    return set(case.build().harms)


def test_a_server_that_answers_all_in_time_has_none() -> None:
    assert harms(ACase(seconds=30, rate=100.0, ok=100.0)) == set()
    assert harms(ACase(seconds=30, users=50, ok=20.0, latency_s=0.05)) == set()


def test_an_open_load_that_is_not_answered_is_short() -> None:
    assert "short" in harms(ACase(seconds=30, rate=100.0, ok=90.0))
    assert "short" not in harms(ACase(seconds=30, rate=100.0, ok=98.0))


@pytest.mark.parametrize(("ok", "by", "is_sure"), [(60.0, 0.1, True), (91.0, 0.1, False), (91.0, 0.04, True)])
def test_what_a_disturbance_cannot_have_taken_stands(ok: float, by: float, is_sure: bool) -> None:
    case = ACase(seconds=30, rate=100.0, ok=ok).weaken("rates", "wider", by).build()
    assert "short" in case.harms
    assert (not unsure(case, {"short"})) is is_sure


@pytest.mark.parametrize(("low_rps", "is_sure"), [(0.0, True), (55.0, False)])
def test_dips_that_lose_more_than_a_disturbance_took_stand(low_rps: float, is_sure: bool) -> None:
    ok = [low_rps if second % 6 < 1 else 100.0 for second in range(60)]
    case = ACase(seconds=60, users=8, ok=ok, latency_s=0.01).weaken("rates", "wider", 0.08).build()
    assert "dips" in case.harms
    assert (not unsure(case, {"dips"})) is is_sure


def test_a_few_requests_that_were_left_out_at_the_end_are_no_harm(snapshot: SnapshotAssertion) -> None:
    assert harms(ACase(seconds=30, rate=100.0, ok=100.0, unsent={"end": 3, "no_connection": 0})) == set()
    case = ACase(seconds=30, rate=100.0, ok=100.0, unsent={"end": 0, "no_connection": 900}).build()
    assert case.harms["short"] == snapshot


def test_failures_and_goals_that_were_missed() -> None:
    assert "failing" in harms(ACase(seconds=30, rate=100.0, ok=98.0, failed={"http_5xx": 2.0}))
    missed = ACase(seconds=30, rate=100.0, ok=100.0).goal("p95 < 10ms", is_met=False)
    assert harms(missed) == {"missed"}


@pytest.mark.parametrize(
    ("outcome", "code", "harm"),
    [("http_4xx", "404", "rejected"), ("http_4xx", "429", "failing"), ("http_5xx", "503", "failing")],
)
def test_what_is_not_there_is_rejected_at_any_load(outcome: str, code: str, harm: str) -> None:
    """An answer that says so is no want of capacity; one that asks for fewer requests is."""
    case = ACase(seconds=30, rate=100.0, ok=96.0, failed={outcome: 4.0})
    case.load = replace(case.load, status={"200": case.load.ok, code: case.load.failed})
    assert harms(case) == {harm} | ({"short"} if harm == "failing" else set())


@pytest.mark.parametrize(("share", "is_healthy"), [(0.03, True), (0.6, False)])
def test_a_server_that_rejects_a_few_is_healthy_and_of_one_that_rejects_most_nothing_is_known(
    share: float, is_healthy: bool
) -> None:
    case = ACase(seconds=30, rate=100.0, ok=100 * (1 - share), failed={"http_4xx": 100 * share})
    findings = [(finding.cause, finding.verdict) for finding in diagnose(case.build()).findings]
    assert findings == [("healthy", "likely")] * is_healthy


def test_requests_that_pile_up() -> None:
    growing = [float(second) for second in range(30)]
    assert "queueing" in harms(ACase(seconds=30, rate=100.0, ok=100.0, in_flight=growing))


def test_users_who_wait_for_the_server_most_of_their_time() -> None:
    assert harms(ACase(seconds=30, users=20, ok=100.0, latency_s=0.19)) == {"saturated"}


def test_users_who_think_saturate_a_server_too() -> None:
    case = ACase(seconds=30, users=200, ok=100.0, latency_s=0.05)
    case.tier("server", cpus=(1,)).counter("server", "process.cpu_s", "tree", 0.98)
    assert harms(case) == {"saturated"}


def reading_answers_late(awaiting: float, unread: float) -> dict[str, str]:
    """Return the harms of an open load of which so many requests await a dependency, or lie there unread."""
    total = awaiting + unread + 2.0
    call = a_call("db", awaiting, unread=unread, n=30)
    case = ACase(seconds=30, rate=100.0, ok=100.0, in_flight=total, latency_s=total / 100.0)
    case.tier("server").tier("db", kind="postgresql").edge("server", "db", "127.0.0.1:5432")
    components = [a_component(n=30, total=total, cores=1.0, in_hand=total, calls=(call,))]
    return dict(replace(case.build(), account=account(components, a_load(100.0, total, n=30))).harms)


def test_an_open_load_whose_answers_lie_unread_queues_too() -> None:
    assert "queueing" in reading_answers_late(awaiting=4.0, unread=14.0)
    assert "queueing" not in reading_answers_late(awaiting=14.0, unread=4.0)


def standing_inside(busy: float) -> dict[str, str]:
    """Return the harms of an open load that stands inside its server, on cores that are so busy."""
    case = ACase(seconds=30, rate=100.0, ok=100.0, in_flight=20.0, latency_s=0.2)
    case.tier("server", cpus=(1,), runtime="go").host_cpu([0.1, busy])
    components = [a_component(n=30, total=20.0, cores=1.0, in_hand=20.0, running=0.4)]
    return dict(replace(case.build(), account=account(components, a_load(100.0, 20.0, n=30))).harms)


def test_an_open_load_that_stands_inside_queues_where_the_cores_are_full() -> None:
    assert "queueing" in standing_inside(busy=0.99)
    assert "queueing" not in standing_inside(busy=0.6), "it may wait for something of its own there"


def test_a_tail_is_far_from_the_median_and_long() -> None:
    assert harms(ACase(seconds=30, rate=100.0, ok=100.0, latency_s=0.01, p99_s=0.5)) == {"tail"}


@pytest.mark.parametrize(("p99_s", "is_tail"), [(0.251, True), (0.15, False)])
def test_a_hundredth_that_is_far_from_all_others_is_a_tail_though_all_are_slow(
    p99_s: float, is_tail: bool
) -> None:
    """Every answer waits for a held acknowledgement, and of each hundred one for a lost segment."""
    case = ACase(seconds=30, rate=250.0, ok=250.0)
    case.load = replace(case.load, quantiles={0.5: 0.043, 0.95: 0.051, 0.99: p99_s})
    assert ("tail" in case.build().harms) is is_tail
    assert harms(ACase(seconds=30, rate=100.0, ok=100.0, latency_s=0.001, p99_s=0.05)) == set()


def queued(rps: float, waiting: float, model_rate: float | None) -> dict[str, str]:
    """Return the harms of a steady load of which so many requests wait to be accepted at any time."""
    total = waiting + 4.0
    case = ACase(
        seconds=30, rate=model_rate, users=0.0 if model_rate else 100.0, ok=rps, in_flight=total,
        latency_s=total / rps,
    )  # fmt: skip
    components = [a_component(n=30, total=total, cores=1.0, accept_queue=waiting, in_hand=4.0)]
    return dict(replace(case.build(), account=account(components, a_load(rps, total, n=30))).harms)


def steady(rps: float, total: float, alone_s: float, **server: Any) -> dict[str, str]:
    """Return the harms of a steady open load. total: requests at the server; server: what was seen of it."""
    case = ACase(seconds=30, rate=rps, ok=rps, in_flight=total, latency_s=total / rps).build()
    load = replace(case.load, routes={"GET /": case.load.ok}, latency_of_route=lambda _, __: alone_s)
    components = [a_component(n=30, total=total, cores=1.0, **server)]
    return dict(replace(case, load=load, account=account(components, a_load(rps, total, n=30))).harms)


@pytest.mark.parametrize(("alone_s", "queues"), [(0.004, True), (0.01, False)])
def test_an_open_load_queues_where_a_request_takes_many_times_its_time_alone(
    alone_s: float, queues: bool
) -> None:
    assert ("queueing" in steady(1000.0, 40.0, alone_s, accept_queue=36.0, in_hand=4.0)) == queues


@pytest.mark.parametrize(("rps", "queues"), [(100.0, True), (1000.0, False)])
def test_what_stands_inside_for_long_and_many_times_its_time_alone_queues(rps: float, queues: bool) -> None:
    # 40 ms inside may be what a request does there; 400 ms are not, where others took 4.
    assert ("queueing" in steady(rps, 40.0, 0.004, in_hand=40.0)) == queues


@pytest.mark.parametrize(("idle", "queues"), [(0.0, True), (3.0, False)])
def test_an_open_load_queues_for_a_pool_of_which_no_connection_is_free(idle: float, queues: bool) -> None:
    call = a_call("upstream", 6.0 - idle, idle=idle, n=30)
    assert ("queueing" in steady(273.0, 20.0, 0.02, in_hand=20.0, calls=(call,))) == queues


@pytest.mark.parametrize(("in_flight", "starves"), [(9.0, True), (1.0, False)])
def test_requests_that_all_others_overtake_are_a_harm(in_flight: float, starves: bool) -> None:
    """A hundred requests a second within 25 ms leave 2.5 in flight; what is beyond that is never answered."""
    case = ACase(seconds=30, rate=100.0, ok=100.0, in_flight=in_flight, latency_s=0.004, p99_s=0.025)
    assert ("queueing" in harms(case)) == starves


def test_an_open_load_of_which_most_wait_to_be_taken_up_queues_however_steadily() -> None:
    assert "queueing" in queued(100.0, 36.0, 100.0)
    assert "queueing" not in queued(1000.0, 36.0, 1000.0), "40 ms are no time that anybody notices"
    assert "queueing" not in queued(20.0, 3.0, 20.0), "most of the time is work"
    assert "queueing" not in queued(100.0, 36.0, None), "users who wait are told apart by their number"


@pytest.mark.parametrize(("held_rps", "queues"), [(80.0, True), (0.5, False)])
def test_answers_that_wait_for_acknowledgements_are_a_harm_at_any_load(held_rps: float, queues: bool) -> None:
    case = ACase(seconds=30, rate=100.0, ok=100.0, in_flight=4.2, latency_s=0.042)
    for name, per_s in (("active_opens", 0.0), ("delayed_acks", held_rps)):
        case.counter("host", f"tcp_sockets.{name}", "", per_s, "1")
    components = [a_component(n=30, total=4.2, cores=1.0, sending=4.0, in_hand=0.2)]
    harms = replace(case.build(), account=account(components, a_load(100.0, 4.2, n=30))).harms
    assert ("queueing" in harms) == queues, "far clients wait for their answers as well"


def crowded(waited_s: float, *, others: float = 0.5, unread: float = 1.5, p99_s: float = 0.04) -> set[str]:
    """Return the harms of a server at 40 % of its load, whose core another program takes part of.

    waited_s: that its threads waited for a core, a second; unread: requests that nobody worked on.
    """
    case = ACase(seconds=30, rate=500.0, ok=500.0, in_flight=3.0, latency_s=0.0045, p99_s=p99_s)
    case.tier("server", cpus=(1,), runtime="go").host_cpu([0.2, 0.35 + others])
    case.counter("server", "process.cpu_s", "tree", 0.35)
    case.counter("server", "process.run_delay_s", "tree", waited_s)
    case.counter("host", "neighbours.cpu_s", "cpu1:batch, process 7", others)
    components = [a_component(n=30, total=3.0, cores=1.0, running=0.35, unread=unread, in_hand=3.0 - unread)]
    whole = account(components, a_load(500.0, 3.0, n=30))
    return set(replace(case.build(), account=whole, generator_cpus=(0,)).harms)


def test_threads_that_wait_for_a_core_that_others_have_are_a_harm_at_a_light_load() -> None:
    assert crowded(waited_s=1.2) == {"tail"}


@pytest.mark.parametrize(
    "neighbours",
    [
        {"waited_s": 0.2},
        {"waited_s": 1.2, "others": 0.0},
        {"waited_s": 1.2, "unread": 0.1},
        {"waited_s": 1.2, "p99_s": 0.012},
    ],
    ids=["has a core at once", "waits for itself alone", "no request waits", "all are quick"],
)
def test_a_neighbour_that_holds_up_no_request_is_no_harm(neighbours: dict[str, float]) -> None:
    assert crowded(**neighbours) == set()


@pytest.mark.parametrize(("failed", "is_harm"), [(0.3, True), (0.1, False)])
def test_twice_what_three_nines_allow_is_a_harm(failed: float, *, is_harm: bool) -> None:
    case = ACase(seconds=60, rate=100.0, ok=100.0 - failed, failed={"reset": failed}, latency_s=0.01)
    assert ("failing" in harms(case)) is is_harm
