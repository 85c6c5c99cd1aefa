"""Holds of requests inside a program that has cores enough: a lock, a pool, a blocked event loop."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from loadrig.account.observations import Threads
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.limits.bottlenecks import judgement_of
from loadrig.recording.service_map import MapComponent
from loadrig.testing.cases import ACase
from tests.account.made import a_call, a_component, each
from tests.judgement.scenes import USERS, scene

N = 30


def threads(**states: float) -> Threads:
    return Threads({state: each(number, N) for state, number in states.items()})


def alone(seconds: float, late: float = 1.1) -> Callable[[Case], Case]:
    """Give a case the time that a request takes alone, and its p99 over its median."""

    def with_answers_alone(case: Case) -> Case:
        median_s = USERS / case.load.ok_rps
        load = replace(
            case.load,
            routes={"GET /": case.load.ok},
            latency_of_route=lambda _, q: seconds if q < 0.4 else median_s,
            quantiles={0.5: median_s, 0.99: late * median_s},
        )
        return replace(case, load=load)

    return with_answers_alone


def causes(case: Case) -> list[tuple[str, str]]:
    assert case.account is not None
    ranked = judgement_of(case).bottlenecks
    return [(bottleneck.cause, bottleneck.component) for bottleneck in ranked]


def inside(rps: float, **more: Any) -> Case:
    """Return 24 requests that stand inside the server, on no core and for no dependency."""
    facts, kind = more.pop("facts", {"runtime": "cpython"}), more.pop("of_kind", "")
    case = scene(rps, {"in_hand": USERS, **more}, cpu=0.1, facts=facts)
    return replace(case, components=(*case.components, MapComponent("store", kind=kind))) if kind else case


def test_where_one_is_let_through_at_a_time_it_is_a_lock() -> None:
    held = {"threads": threads(futex=22.0, sleeping=0.9, running=0.1, reading=1.0)}
    assert causes(alone(0.004)(inside(250.0, **held))) == [("lock_contention", "server")]


def test_each_process_has_a_lock_of_its_own() -> None:
    """Eight processes with threads that let one request through each are no eight places."""
    held = {"threads": threads(futex=16.0, sleeping=7.6, running=0.4)}
    case = alone(0.032)(inside(250.0, **held))
    processes = ACase(seconds=N).gauge("server", "gunicorn.workers", "", 8.0).build()
    case = replace(case, series={**case.series, **processes.series})
    (bottleneck,) = judgement_of(case).bottlenecks
    assert (bottleneck.cause, bottleneck.resource.number) == ("lock_contention", 8.0)


def test_requests_that_their_clients_give_up_make_no_lock_quicker() -> None:
    """A core spends less on those than on others; the lock is taken all the same."""
    held = {"threads": threads(futex=22.0, sleeping=0.9, running=0.1, reading=1.0)}
    case = alone(0.004)(inside(250.0, **held))
    given_up = np.where(np.arange(N) < N / 2, 0.0, 500.0)
    for variant in (case, replace(case, load=replace(case.load, failed=given_up))):
        (lock,) = (station for station in judgement_of(variant).network.stations if "lock" in station.name)
        assert lock.demand_s * 250.0 == pytest.approx(1.0)


def test_what_a_request_does_beside_a_lock_is_known_by_those_that_do_not_wait() -> None:
    """Let a request alone take 10 ms, 4 of them in the lock, so that 1.5 requests are elsewhere at a time."""
    held = {"threads": threads(futex=20.5, sleeping=2.4, running=0.1, reading=1.0)}
    case = alone(0.01)(inside(250.0, **held))
    (bottleneck,) = judgement_of(case).bottlenecks
    assert bottleneck.cause == "lock_contention"
    assert bottleneck.gain == pytest.approx(USERS / 0.01 / 250.0, rel=0.1)


@pytest.mark.parametrize(
    ("unread", "cause"), [(0.0, "lock_contention"), (10.0, "blocked_event_loop")], ids=["at once", "late"]
)
def test_a_loop_that_reads_late_is_held_up_by_a_call_and_not_by_a_lock(unread: float, cause: str) -> None:
    server = {"unread": unread, "threads": threads(polling=0.4, running=0.2, runnable=0.4)}
    case = scene(250.0, {"in_hand": USERS - unread, **server}, cpu=0.1, facts={"runtime": "node"})
    assert causes(alone(0.004)(case)) == [(cause, "server")]


@pytest.mark.parametrize(
    ("workers", "cause"), [("pool-#-thread-#", "too_few_workers"), ("", "lock_contention")]
)
def test_the_two_threads_of_an_executor_are_no_lock(workers: str, cause: str) -> None:
    # Whoever has a lock bears the same name as who waits for it.
    holders = {"futex": each(22.0, N)}
    if workers:
        groups = {"exec-#": holders, workers: {"reading": each(1.9, N), "futex": each(0.1, N)}}
    else:
        groups = {"exec-#": {**holders, "reading": each(1.9, N)}, "keeper": {"futex": each(1.0, N)}}
    states = {"futex": each(22.1, N), "reading": each(1.9, N)}
    case = alone(0.008)(inside(250.0, threads=Threads(states, groups), facts={"runtime": "jvm"}))
    assert causes(case) == [(cause, "server")]


def test_where_eight_are_let_through_there_are_eight_places() -> None:
    held = {"threads": threads(futex=16.0, sleeping=8.0)}
    case = alone(0.02)(inside(400.0, **held))
    assert case.account is not None
    (bottleneck,) = judgement_of(case).bottlenecks
    assert (bottleneck.cause, bottleneck.component) == ("too_few_workers", "server")
    assert bottleneck.resource.number == pytest.approx(8, rel=0.1)
    assert bottleneck.gain == pytest.approx(3, rel=0.1)


def test_no_proxy_has_a_lock_inside() -> None:
    held = {"threads": threads(other=1.0, polling=0.5)}
    for kind, names in (("nginx", []), ("", ["lock_contention"])):
        case = alone(0.004)(inside(250.0, **held, facts={"runtime": "native", "kind": kind or "program"}))
        assert [name for name, _ in causes(case)] == names


@pytest.mark.parametrize(
    ("doing", "is_told"),
    [("writing pipe", True), ("reading in:80", False), ("writing in:80", False)],
    ids=["pipe", "of clients", "to clients"],
)
def test_what_the_holder_of_a_lock_does_is_told_and_mended(doing: str, is_told: bool) -> None:
    case = alone(0.004)(inside(250.0, threads=threads(futex=22.0, writing=0.9, running=0.1, reading=1.0)))
    waits = ACase(seconds=N).gauge("server", "thread_states.waits", doing, 0.95).build()
    finding = diagnose(replace(case, series={**case.series, **waits.series})).findings[0]
    assert finding.cause == "lock_contention"
    assert ("pipe" in finding.mend) is is_told
    sources = {evidence.source for evidence in finding.evidence}
    assert (SeriesSource("server", "thread_states.waits", doing) in sources) is is_told


@pytest.mark.parametrize(
    ("asking", "first"), [(7.5, ("slow_dependency", "dns")), (1.0, ("too_few_workers", "server"))]
)
def test_a_name_server_that_takes_all_turns_is_what_is_waited_for(
    asking: float, first: tuple[str, str]
) -> None:
    """Eight threads serve, and all or one of them wait for a name; other requests wait for a thread."""
    case = alone(0.032)(inside(250.0, threads=threads(futex=16.0, sleeping=8.0)))
    names = ACase(seconds=N).gauge("host", "name_lookups.waiting", "10.0.0.2:53", asking).build()
    finding = diagnose(replace(case, series={**case.series, **names.series})).findings[0]
    assert (finding.cause, finding.component) == first


def test_places_behind_a_loop_that_is_mostly_idle_gain_as_much_as_any() -> None:
    busiest = Threads(
        {"futex": each(16.0, N), "sleeping": each(8.0, N)},
        busiest="loop",
        cpu=each(0.09, N),
        delay=each(0.01, N),
    )
    case = alone(0.02)(inside(400.0, threads=busiest))
    assert case.account is not None
    judgement = judgement_of(case)
    assert "thread" in {resource.kind for resource in judgement.resources}
    assert judgement.bottlenecks[0].gain == pytest.approx(3, rel=0.1)


def test_as_many_connections_as_are_let_through_are_the_pool() -> None:
    call = a_call("postgresql", 0.1, idle=5.9, n=N)
    case = alone(0.02)(inside(300.0, calls=(call,), threads=threads(futex=24.0)))
    assert case.account is not None
    (bottleneck,) = judgement_of(case).bottlenecks
    assert (bottleneck.cause, bottleneck.component) == ("pool_too_small", "server")
    assert bottleneck.resource.of == "postgresql"


@pytest.mark.parametrize(
    ("messages", "cause"),
    [(0.0, "too_few_workers"), (0.01, "too_few_workers"), (0.5, "pool_too_small")],
    ids=["never used", "silent", "spoken to"],
)
def test_connections_that_no_request_uses_are_no_pool(messages: float, cause: str) -> None:
    behind = a_component("postgresql", n=N, total=0.1, in_hand=0.1, cores=1.0)
    call, rps = a_call("postgresql", 0.0, idle=5.0, n=N), 400.0
    held = {"in_hand": USERS, "calls": (call,), "threads": threads(sleeping=8.0, futex=16.0)}
    case = scene(rps, held, [behind], cpu=0.1, facts={"runtime": "cpython"}, messages=messages * rps)
    assert [name for name, _ in causes(alone(0.02)(case))] == [cause]


def test_threads_behind_an_event_loop_that_all_have_a_request_are_too_few() -> None:
    loop = {"kind": "uvicorn", "runtime": "cpython", "workers": 1}
    states = threads(sleeping=8.0, polling=16.0)
    assert causes(alone(0.02)(inside(400.0, threads=states, facts=loop))) == [("too_few_workers", "server")]


def test_threads_that_are_all_at_work_are_too_few_though_even_the_fastest_answer_waited_for_one() -> None:
    loop = {"kind": "uvicorn", "runtime": "cpython", "workers": 1}
    states = threads(sleeping=8.0, polling=1.0)
    waited = alone(0.04)(inside(400.0, threads=states, facts=loop))  # sixteen at a time, by that answer
    assert causes(waited) == [("too_few_workers", "server")]
    some_idle = alone(0.04)(inside(400.0, threads=threads(sleeping=8.0, futex=8.0, polling=1.0), facts=loop))
    assert causes(some_idle) == []


@pytest.mark.parametrize(("idle", "cause"), [(0.0, "too_few_workers"), (16.0, "pool_too_small")])
def test_only_threads_named_like_those_that_read_would_wait_for_a_connection(idle: float, cause: str) -> None:
    """A runtime has threads of its own that stand still; they have no request that waits for a connection."""
    groups = {
        "task-#": {"reading": each(3.6, N), "runnable": each(0.4, N), "futex": each(idle, N)},
        "cleaner": {"futex": each(14.0, N)},
    }
    states = {"reading": each(3.6, N), "runnable": each(0.4, N), "futex": each(14.0 + idle, N)}
    call, jvm = a_call("postgresql", 3.9, idle=0.1, n=N), {"runtime": "jvm"}
    case = alone(0.02)(inside(200.0, calls=(call,), threads=Threads(states, groups), facts=jvm))
    assert judgement_of(case).bottlenecks[0].cause == cause


@pytest.mark.parametrize(("connections", "names"), [(6.0, ["pool_too_small"]), (3.0, [])])
def test_a_pool_of_just_as_many_as_are_let_through_holds_up_however_long_the_tail(
    connections: float, names: list[str]
) -> None:
    call, go = a_call("postgresql", 0.1, idle=connections - 0.1, n=N), {"runtime": "go"}
    case = alone(0.02, late=5.0)(inside(300.0, calls=(call,), threads=threads(futex=3.0), facts=go))
    assert [name for name, _ in causes(case)] == names


def test_a_single_connection_that_is_made_anew_at_times_is_a_pool_too() -> None:
    call = a_call("postgresql", 0.9, idle=0.08, n=N)
    case = alone(0.02)(inside(50.0, calls=(call,), threads=threads(futex=24.0)))
    bottleneck = judgement_of(case).bottlenecks[0]
    assert (bottleneck.cause, bottleneck.resource.of) == ("pool_too_small", "postgresql")


@pytest.mark.parametrize(("kind", "is_pool"), [("redis", False), ("postgresql", True)])
def test_one_connection_to_redis_carries_commands_side_by_side(kind: str, is_pool: bool) -> None:
    call = a_call("store", 0.9, idle=0.08, n=N)
    case = alone(0.02)(inside(50.0, calls=(call,), threads=threads(futex=24.0), of_kind=kind))
    pools = [each for each in judgement_of(case).resources if each.kind == "connections"]
    assert bool(pools) is is_pool


@pytest.mark.parametrize(
    ("kind", "facts", "cause"),
    [
        ("upstream", {"runtime": "jvm"}, "lock_contention"),
        ("upstream", {"kind": "uvicorn", "runtime": "cpython", "workers": 1}, "blocked_event_loop"),
        ("postgresql", {"runtime": "jvm"}, "pool_too_small"),
    ],
    ids=["threads", "loop", "database"],
)
def test_whoever_asks_over_http_one_after_the_other_takes_turns_ahead_of_a_client_without_cap(
    kind: str, facts: dict[str, Any], cause: str
) -> None:
    call = a_call("store", 0.9, idle=0.08, n=N)
    case = alone(0.02)(inside(50.0, calls=(call,), threads=threads(futex=24.0), of_kind=kind, facts=facts))
    assert judgement_of(case).bottlenecks[0].cause == cause


@pytest.mark.parametrize(
    ("polling", "cause"), [(0.9, "lock_contention"), (0.05, "blocked_event_loop")], ids=["consumer", "call"]
)
def test_tasks_that_take_turns_ahead_of_one_connection_hold_up_no_loop(polling: float, cause: str) -> None:
    """The only consumer of a queue asks a dependency for one after the other, while the loop is free."""
    call = a_call("store", 0.98, idle=0.01, n=N)
    case = alone(0.02)(
        inside(
            50.0, calls=(call,), threads=threads(polling=polling, futex=24.0 - polling),
            of_kind="upstream", facts={"kind": "uvicorn", "runtime": "cpython", "workers": 1},
        )
    )  # fmt: skip
    assert judgement_of(case).bottlenecks[0].cause == cause


@pytest.mark.parametrize(("at_end", "names"), [(USERS, ["lock_contention"]), (40 * USERS, [])])
def test_no_lock_is_suspected_where_a_ramp_ends_in_full_cores(at_end: float, names: list[str]) -> None:
    """Cores that are idle for most of a ramp are full while its requests wait: as many as at its end."""
    is_end = np.arange(N) >= N - 3
    case = alone(0.002, late=6.6)(inside(250.0, facts={"runtime": "go"}))
    busy = np.where(is_end, 1.0, 0.4)
    observed = ACase(seconds=N).counter("host", "system_cpu.user_s", "cpu1", busy)
    ramp = observed.counter("server", "process.cpu_s", "tree", busy).build().series
    load = replace(case.load, in_flight=np.where(is_end, at_end, USERS))
    assert [
        name for name, _ in causes(piling_up(replace(case, load=load, series={**case.series, **ramp})))
    ] == names


@pytest.mark.parametrize(
    ("runnable", "names"), [(0.3, ["lock_contention"]), (1.2, [])], ids=["held", "ready"]
)
def test_a_core_that_strangers_fill_holds_up_only_those_that_are_ready_to_run(
    runnable: float, names: list[str]
) -> None:
    held = threads(futex=23.0 - runnable, sleeping=0.6, running=0.1, runnable=runnable)
    server = {"in_hand": USERS, "threads": held, "runnable": runnable}
    case = alone(0.004)(scene(250.0, server, cpu=0.1, busy=0.95, facts={"runtime": "cpython"}))
    assert [name for name, _ in causes(case) if name == "lock_contention"] == names


def test_connections_of_a_client_that_opens_as_many_as_are_asked_for_are_no_pool() -> None:
    upstream = a_component("upstream", n=N, total=6.0, in_hand=0.1, cores=1.0)
    call, go = a_call("upstream", 0.1, idle=5.9, n=N), {"runtime": "go"}
    case = scene(300.0, {"in_hand": USERS, "calls": (call,)}, [upstream], cpu=0.1, facts=go)
    assert causes(alone(0.02)(case)) == [("lock_contention", "server")]


@pytest.mark.parametrize(
    ("connections", "dependency"), [(3.0, "store"), (9.0, "upstream")], ids=["held meanwhile", "apart"]
)
def test_a_connection_of_a_database_that_is_held_while_others_are_asked_is_in_use(
    connections: float, dependency: str
) -> None:
    """Two requests at a time are at an upstream over two connections, and 0.8 at the database."""
    upstream = a_component("upstream", n=N, total=2.0, in_hand=2.0, cores=1.0)
    store = a_component("store", n=N, total=0.8, in_hand=0.8, cores=1.0)
    calls = (a_call("store", 0.8, idle=connections - 0.8, n=N), a_call("upstream", 2.0, idle=0.0, n=N))
    case = scene(240.0, {"in_hand": USERS - 2.8, "calls": calls}, [upstream, store], cpu=0.2)
    others = [component for component in case.components if component.name != "store"]
    case = replace(case, components=(*others, MapComponent("store", kind="postgresql")))
    pools = [resource for resource in judgement_of(case).resources if resource.kind == "connections"]
    assert [pool.of for pool in pools if pool.is_full] == [dependency]


def test_requests_that_each_take_long_hold_nobody_up() -> None:
    assert causes(alone(0.09)(inside(250.0, threads=threads(sleeping=24.0)))) == []
    assert causes(alone(0.02)(inside(250.0, threads=threads(sleeping=24.0)))) == []


def test_where_no_thread_tells_requests_that_queue_wait_alike() -> None:
    go = {"runtime": "go"}
    assert causes(alone(0.002)(inside(250.0, facts=go))) == [("lock_contention", "server")]
    assert causes(alone(0.002, late=6.6)(inside(250.0, facts=go))) == []


def test_a_dependency_that_lets_few_through_is_slow() -> None:
    upstream = a_component("upstream", n=N, total=24.0, in_hand=24.0, cores=1.0, threads=threads(futex=24.0))
    call = a_call("upstream", 24.0, n=N)
    case = scene(250.0, {"in_hand": 24.0, "calls": (call,)}, [upstream], cpu=0.1)
    assert causes(alone(0.02)(case)) == [("slow_dependency", "upstream")]


@pytest.mark.parametrize(
    ("polling", "running", "blocked"), [(0.02, 0.2, True), (0.5, 0.2, False), (0.02, 0.9, False)]
)
def test_a_loop_that_never_asks_for_events_and_does_not_compute_is_blocked(
    polling: float, running: float, *, blocked: bool
) -> None:
    loop_threads = threads(polling=polling, running=running, sleeping=1 - polling - running)
    case = scene(
        500.0, {"in_hand": 12.0, "unread": 12.0, "threads": loop_threads}, cpu=running,
        facts={"kind": "aiohttp", "runtime": "cpython", "workers": 1},
    )  # fmt: skip
    assert (("blocked_event_loop", "server") in causes(case)) is blocked


def test_places_of_which_most_requests_have_one_are_seen_where_threads_tell_the_same_number() -> None:
    of_twenty = {"threads": threads(sleeping=16.0, futex=8.0)}
    case = alone(16 / 1000)(inside(1000.0, **of_twenty))
    assert causes(case) == [("too_few_workers", "server")]
    assert causes(alone(23 / 1000)(inside(1000.0, threads=threads(sleeping=23.0, futex=1.0)))) == []


def test_where_most_requests_fail_threads_tell_how_many_are_let_through() -> None:
    case = alone(0.004)(inside(250.0, threads=threads(futex=22.5, sleeping=0.9, running=0.1, reading=1.0)))
    load = replace(case.load, failed=case.load.ok * 9)
    assert causes(replace(case, load=load)) == [("lock_contention", "server")]


def test_requests_that_become_more_before_an_open_loads_limit_wait_for_it() -> None:
    late = alone(0.002, late=6.6)(inside(250.0, facts={"runtime": "go"}))
    assert causes(late) == []
    assert causes(piling_up(late)) == [("lock_contention", "server")]


def piling_up(case: Case) -> Case:
    """Give a case a harm by which more and more requests are in flight."""
    waiting = replace(case)
    waiting.__dict__["harms"] = {**case.harms, "queueing": "requests in flight grew"}
    return waiting


@pytest.mark.parametrize(
    ("idle", "cause"),
    [({"polling": 1.0}, "too_few_workers"), ({"polling": 1.0, "futex": 18.0}, "pool_too_small")],
    ids=["nobody waits for a connection", "threads wait for one"],
)
def test_connections_that_a_thread_each_reads_from_are_as_few_as_the_threads(
    idle: dict[str, float], cause: str
) -> None:
    call = a_call("upstream", 2.9, idle=0.1, n=N)
    case = alone(0.02)(inside(150.0, calls=(call,), threads=threads(reading=2.9, **idle)))
    assert causes(case)[0] == (cause, "server")


def test_threads_of_two_names_that_read_answers_are_one_pool() -> None:
    """A server of Rust calls Python in threads of its own and in the one that it was started in."""
    groups = {
        "shop": {"reading": each(0.9, N), "futex": each(2.0, N)},
        "worker": {"reading": each(2.9, N), "polling": each(1.0, N)},
    }
    states = {"reading": each(3.8, N), "futex": each(2.0, N), "polling": each(1.0, N)}
    call = a_call("upstream", 3.9, idle=0.1, n=N)
    case = alone(0.02)(inside(150.0, calls=(call,), threads=Threads(states, groups)))
    assert causes(case)[0] == ("too_few_workers", "server")


@pytest.mark.parametrize(("waited_s", "is_hidden"), [(0.02, False), (0.9, True)], ids=["yields", "holds on"])
def test_a_core_full_of_others_hides_a_lock_only_where_they_do_not_give_way(
    waited_s: float, is_hidden: bool
) -> None:
    held = {"in_hand": USERS, "threads": threads(futex=22.0, sleeping=0.9, running=0.1, reading=1.0)}
    crowd: dict[str, Any] = {"busy": 0.99, "strangers": {"cpu1:compiler": 0.88}, "waited_s": waited_s}
    case = alone(0.004)(scene(250.0, held, cpu=0.1, facts={"runtime": "cpython"}, **crowd))
    assert (("lock_contention", "server") not in causes(case)) == is_hidden


@pytest.mark.parametrize(("waited_s", "is_pool"), [(0.4, True), (0.8, False)], ids=["idles", "wants it"])
def test_a_pool_held_without_a_transaction_is_seen_beside_a_neighbour(waited_s: float, is_pool: bool) -> None:
    """A loop that wants its core for half of the time cannot have twenty tasks ready to run."""
    loop = {"kind": "uvicorn", "runtime": "cpython", "workers": 1}
    call = a_call("postgresql", 0.2, unread=0.4, idle=3.4, n=N)
    crowd: dict[str, Any] = {"busy": 0.95, "strangers": {"cpu1:compiler": 0.4}, "waited_s": waited_s}
    server = {"in_hand": USERS, "calls": (call,), "runnable": 0.4}
    behind = a_component("postgresql", n=N, total=0.2, in_hand=0.2, cores=1.0)
    case = scene(100.0, server, [behind], cpu=0.15, behind_cpu=0.3, facts=loop, **crowd)
    named = [(name, component) for name, component in causes(alone(0.03)(case)) if name != "host_cpu"]
    assert (named[:1] == [("pool_too_small", "server")]) == is_pool


@pytest.mark.parametrize(("polling", "are_workers"), [(3.0, False), (12.0, True)], ids=["loop", "threads"])
def test_who_holds_more_requests_than_it_has_threads_has_no_workers(
    polling: float, are_workers: bool
) -> None:
    server = {"in_hand": 6.0, "unread": 18.0, "threads": threads(polling=polling)}
    case = scene(250.0, server, cpu=0.4, facts={"runtime": "native"})
    assert ("slots" in {resource.kind for resource in judgement_of(case).resources}) == are_workers


@pytest.mark.parametrize(("alone_s", "causes_told"), [(0.014, ["lock_contention"]), (0.020, [])])
def test_what_requests_wait_for_inside_is_possible_where_nothing_is_full(
    alone_s: float, causes_told: list[str]
) -> None:
    """Let 24 requests stand inside for 24 ms each: two fifths longer than one alone, or a fifth."""
    case = alone(alone_s)(inside(1000.0, facts={"runtime": "jvm"}))
    findings = diagnose(case).findings
    assert [finding.cause for finding in findings] == causes_told
    assert all(finding.verdict == "possible" and finding.missing for finding in findings)
