"""Slots of a program: workers, threads and connections that requests wait for, and those that they do not."""

from dataclasses import replace

import pytest

from loadrig.account.observations import Threads
from loadrig.judgement.evidence import Finding
from loadrig.judgement.limits.bottlenecks import judgement_of
from loadrig.judgement.limits.resources import resources_of
from loadrig.testing.cases import ACase
from tests.account.made import a_call, a_component, each
from tests.judgement.scenes import scene
from tests.judgement.test_bottlenecks import N, bottlenecks, causes
from tests.judgement.test_internal import alone


def test_requests_that_wait_to_be_taken_up_while_nothing_else_is_full_wait_for_slots() -> None:
    # How many there are was not reached for long enough to be known: as many as are in hand.
    call = a_call("upstream", 1.95, n=N)
    (bottleneck,) = bottlenecks(scene(65.0, {"in_hand": 2.0, "unread": 22.0, "calls": (call,)}, cpu=0.05))
    assert (bottleneck.cause, bottleneck.resource.kind) == ("too_few_workers", "slots")
    assert bottleneck.gain > 5


@pytest.mark.parametrize(
    ("cpu", "garbage", "is_short"),
    [(0.4, 0.0, True), (0.95, 0.0, False), (0.88, 0.0, False), (0.4, 0.5, False)],
)
def test_requests_that_lie_unread_beside_a_free_core_wait_for_slots(
    cpu: float, garbage: float, is_short: bool
) -> None:
    """A program that has a core and a thread free reads what comes at once, unless a collection stops it."""
    call = a_call("upstream", 14.0, n=N)
    case = scene(300.0, {"in_hand": 15.0, "unread": 9.0, "calls": (call,)}, cpu=cpu)
    pauses = ACase(seconds=30).counter("server", "jvm.gc_s", "young", garbage).build()
    case = replace(case, series={**case.series, **pauses.series})
    assert case.account is not None
    slots = [each for each in resources_of(case, case.account) if each.kind == "slots"]
    assert bool(slots) is is_short
    assert all(each.waiting == pytest.approx(9.0, abs=0.5) for each in slots)


@pytest.mark.parametrize(("cores", "throttled", "is_short"), [(0.4, 10.0, False), (0.9, 0.0, True)])
def test_whoever_is_taken_up_under_a_quota_that_is_used_up_waits_for_that(
    cores: float, throttled: float, is_short: bool
) -> None:
    call = a_call("upstream", 14.0, n=N)
    case = scene(
        300.0, {"in_hand": 15.0, "unread": 9.0, "calls": (call,)}, cpu=0.4, facts={"limits": {"cores": cores}}
    )
    group = ACase(seconds=30).gauge("server", "cgroup.quota_cores", "/shop", cores, "cores")
    group.counter("server", "cgroup.periods", "/shop", 10.0, "1")
    group.counter("server", "cgroup.throttled_periods", "/shop", throttled, "1")
    group.counter("server", "cgroup.throttled_s", "/shop", 0.6 * throttled / 10)
    case = replace(case, series={**case.series, **group.build().series})
    assert case.account is not None
    kinds = {each.kind for each in resources_of(case, case.account) if each.is_full}
    assert ("slots" in kinds) is is_short


@pytest.mark.parametrize(("used", "cause"), [(0.345, "cpu_quota"), (0.28, "host_cpu")], ids=["all", "some"])
def test_a_program_that_uses_all_of_its_quota_gets_no_more_of_a_core(used: float, cause: str) -> None:
    """A program and one behind it fill a core, and it may use a third of it."""
    behind = a_component("postgresql", n=N, total=6.0, in_hand=6.0, cores=1.0)
    call = a_call("postgresql", 6.0, n=N)
    facts = {"limits": {"cores": 0.35}, "runtime": "go"}
    server = {"in_hand": 24.0, "calls": (call,), "runnable": 10.0}
    case = scene(300.0, server, [behind], cpu=used, busy=1.0, behind_cpu=1 - used, facts=facts)
    group = ACase(seconds=30).gauge("server", "cgroup.quota_cores", "/shop", 0.35, "cores")
    group.counter("server", "cgroup.periods", "/shop", 10.0, "1")
    group.counter("server", "cgroup.throttled_periods", "/shop", 9.0, "1")
    group.counter("server", "cgroup.throttled_s", "/shop", 0.1)
    case = replace(case, series={**case.series, **group.build().series})
    assert bottlenecks(case)[0].cause == cause


def test_connections_that_wait_at_the_door_of_a_full_program_are_no_pool() -> None:
    door = a_component("php-fpm", n=N, total=24.0, in_hand=3.0, accept_queue=21.0, workers=3, cores=1.0)
    call = a_call("php-fpm", 2.4, 20.0, n=N)
    server = {"in_hand": 24.0, "calls": (call,)}
    case = scene(
        100.0, server, [door], cpu=0.05, behind_cpu=0.05, facts={"kind": "nginx", "runtime": "native"}
    )
    assert causes(case)[0] == ("too_few_workers", "php-fpm")


def test_workers_who_wait_for_a_lock_are_its_queue() -> None:
    states = Threads({"futex": each(7.0, N), "running": each(0.1, N), "polling": each(1.0, N)})
    server = {"in_hand": 8.0, "unread": 16.0, "workers": 8, "threads": states}
    case = alone(0.01)(scene(95.0, server, cpu=0.1, facts={"runtime": "cpython", "workers": 8}))
    lock = Finding("lock_contention", "server", "likely", "", "", "", "", 3.0, ())
    assert case.account is not None
    assert "slots" in {each.kind for each in resources_of(case, case.account, [lock]) if each.is_full}
    assert [each.cause for each in judgement_of(case, [lock]).bottlenecks] == ["lock_contention"]


def test_an_event_loop_has_no_workers_of_which_there_could_be_too_few() -> None:
    # At the top of a ramp its core is full, and on average it is not.
    loop = scene(65.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.7, facts={"runtime": "node"})
    assert loop.account is not None
    assert not [each for each in resources_of(loop, loop.account) if each.kind == "slots"]


def test_who_gave_up_and_waits_at_the_door_all_the_same_keeps_workers_busy() -> None:
    for at_door, is_full in ((0.5, False), (60.0, True)):
        case = scene(50.0, {"in_hand": 0.1, "accept_queue": 0.5, "workers": 2}, cpu=0.05)
        door = ACase(seconds=30).gauge("host", "tcp_sockets.accept_queue", "in:8000", at_door).build()
        case = replace(case, series={**case.series, **door.series})
        assert case.account is not None
        (slots,) = (each for each in resources_of(case, case.account) if each.kind == "slots")
        assert slots.is_full is is_full
