"""Bottlenecks: which resource is full, who holds it, and what a mend would bring."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from loadrig.account.background import Background
from loadrig.account.observations import Threads
from loadrig.account.population import Held
from loadrig.base.jvm_threads import COMPILERS
from loadrig.judgement.constants import FULL_OF_TIME
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.disks import EACH_REQUEST
from loadrig.judgement.limits.bottlenecks import Bottleneck, judgement_of
from loadrig.judgement.limits.network import IDLE_COST
from loadrig.judgement.limits.resources import resources_of
from loadrig.judgement.rank import finding_of
from loadrig.testing.cases import ACase
from tests.account.made import a_call, a_component, each
from tests.judgement.scenes import scene

N = 30


def bottlenecks(case: Case) -> list[Bottleneck]:
    assert case.account is not None
    return list(judgement_of(case).bottlenecks)


def causes(case: Case) -> list[tuple[str, str]]:
    return [(bottleneck.cause, bottleneck.component) for bottleneck in bottlenecks(case)]


def pooled(connections: float, inside: float, cpu: float = 0.4) -> Case:
    """Return connections that are held for 27 ms each, and requests that wait inside for one."""
    idle = 0.0 if inside else 3.0
    call = a_call("postgresql", 1.0, in_transaction=connections - 1, idle=idle, n=N)
    return scene(600.0, {"in_hand": 24.0, "calls": (call,)}, cpu=cpu)


def test_a_pool_whose_connections_are_all_held_while_requests_wait_is_too_small() -> None:
    (bottleneck,) = bottlenecks(pooled(17, 6))
    assert (bottleneck.cause, bottleneck.component) == ("pool_too_small", "server")
    # 24 users may then hold one each, where 17 did, until the core is full.
    assert bottleneck.gain == pytest.approx(24 / 17, rel=0.15)


def test_a_pool_with_free_connections_is_not() -> None:
    assert causes(pooled(24, 0)) == []


@pytest.mark.parametrize(("spread", "is_pool"), [(1.5, False), (0.3, True)])
def test_connections_that_are_opened_for_each_call_are_a_pool_where_something_caps_them(
    spread: float, is_pool: bool
) -> None:
    call = a_call("postgresql", 5.0, n=N)
    upstream = a_component("postgresql", n=N, total=5.0, in_hand=5.0, cores=1.0)
    case = scene(600.0, {"in_hand": 24.0, "calls": (call,)}, (upstream,), cpu=0.4, behind_cpu=0.05)
    role = "out:127.0.0.1:5432"
    sockets = ACase(seconds=30).counter("host", "tcp_sockets.opened", role, 600.0)
    sockets.gauge("host", "tcp_sockets.established", role, 5.0)
    sockets.gauge("server", "socket_stages.awaiting", role, 5.0)
    sockets.gauge("server", "socket_stages.awaiting_sd", role, spread)
    case = replace(case, series={**case.series, **sockets.build().series})
    assert ("pool_too_small" in dict(causes(case))) is is_pool


def test_a_pool_of_which_one_is_free_only_on_its_way_to_the_next_is_full() -> None:
    call = a_call("postgresql", 1.0, in_transaction=15.4, idle=0.6, n=N)
    case = scene(600.0, {"in_hand": 24.0, "calls": (call,)}, cpu=0.4)
    assert case.account is not None
    (slot,) = (s for s in case.account.components[0].slots.slots if s.slot == "connections")
    assert (slot.full_share or 0.0) < FULL_OF_TIME
    assert causes(case) == [("pool_too_small", "server")]


def test_a_pool_that_is_held_across_a_call_is_too_small_and_the_calls_are_as_many_as_hold_it() -> None:
    """Clients of HTTP open as many connections as are asked for: no more than have one of the database."""
    database = a_call("postgresql", 0.1, in_transaction=9.6, idle=0.3, n=N)
    upstream = a_call("rates", 9.1, idle=0.9, n=N)
    behind = [a_component(name, n=N, total=9.0, in_hand=9.0, cores=1.0) for name in ("rates", "postgresql")]
    case = scene(150.0, {"in_hand": 24.0, "calls": (database, upstream)}, behind, cpu=0.3, behind_cpu=0.05)
    database_of_it = structs.replace(case.components[-1], kind="postgresql")
    case = replace(case, components=(*case.components[:-1], database_of_it))
    assert case.account is not None
    assert case.account.server is not None
    inside = next(line.ms for line in case.account.server.lines if line.state == "inside")
    # Ten are in a transaction, of which nine wait for a call; the others wait for a connection.
    assert inside * 150 / 1000 == pytest.approx(24 - 0.1 - 9.6 - 0.3, abs=0.3)
    (bottleneck,) = bottlenecks(case)
    assert (bottleneck.cause, bottleneck.resource.of) == ("pool_too_small", "postgresql")
    assert bottleneck.gain == pytest.approx(24 / 10, rel=0.2)


def test_a_pool_before_a_core_that_is_full_gains_nothing() -> None:
    assert causes(pooled(17, 6, cpu=0.98)) == [("host_cpu", "server")]


def test_what_a_request_costs_is_read_where_the_load_is_high() -> None:
    """Let a request cost three times as much in the half of the time in which there is little to do."""
    case = pooled(4, 20)
    is_low = np.arange(N) < N // 2
    ok = np.where(is_low, 200.0, 1_000.0)
    used = ACase(seconds=N).counter("server", "process.cpu_s", "tree", np.where(is_low, 0.3, 0.5)).build()
    varied = replace(case, load=replace(case.load, ok=ok, routes={"all": ok}), remembered={})
    varied = replace(varied, series={**case.series, **used.series})
    # Of an even load it is not known: the less a program has to do, the dearer is a request.
    assert bottlenecks(case)[0].gain == pytest.approx(2.5 * (1 + IDLE_COST * 0.6**2), rel=0.05)
    assert bottlenecks(varied)[0].gain == pytest.approx(1_000 / 600 / 0.5, rel=0.05)
    # Where clients gave up, nobody worked on what made the high half look cheap.
    gave_up = np.where(is_low, 0.0, 800.0)
    load = replace(
        varied.load, ok=ok - gave_up, failed=gave_up, outcomes={"ok": ok - gave_up, "timeout": gave_up}
    )
    doubtful = replace(varied, load=load, remembered={})
    assert bottlenecks(doubtful)[0].gain == pytest.approx(bottlenecks(case)[0].gain, rel=0.05)


def test_a_pool_behind_full_workers_is_judged_by_those_who_have_come_in() -> None:
    # Three of six workers wait for a connection: few of all requests, but half of those that could.
    call = a_call("postgresql", 0.2, in_transaction=3.0, n=N)
    server = {"in_hand": 6.0, "unread": 18.0, "calls": (call,)}
    case = scene(200.0, server, cpu=0.1, held=6.0)
    first = bottlenecks(case)[0]
    assert (first.cause, first.component) == ("pool_too_small", "server")


def test_who_finds_the_queue_full_waits_for_the_workers_behind_it() -> None:
    # The queue holds two, so that 21 of 24 stand outside.
    call = a_call("upstream", 1.0, n=N)
    server = {"in_hand": 1.0, "accept_queue": 2.0, "calls": (call,)}
    case = scene(30.0, server, cpu=0.05, counters={"listen_overflows": 20.0})
    assert bottlenecks(case)[0].cause in ("too_few_workers", "slow_dependency")


def test_workers_who_all_wait_for_a_dependency_with_room_are_too_few() -> None:
    call = a_call("upstream", 1.95, n=N)
    case = scene(65.0, {"in_hand": 2.0, "unread": 22.0, "calls": (call,)}, cpu=0.05, held=2.0)
    (bottleneck,) = bottlenecks(case)
    assert (bottleneck.cause, bottleneck.component) == ("too_few_workers", "server")
    assert bottleneck.gain > 5


@pytest.mark.parametrize(("kind", "cause"), [("vertx", "blocked_event_loop"), ("tomcat", "too_few_workers")])
def test_a_loop_with_a_steady_number_in_hand_is_held_up_by_calls(kind: str, cause: str) -> None:
    """Let one request be in hand while the others lie unread, as if the program had one worker."""
    call = a_call("upstream", 0.95, n=N)
    server = {"in_hand": 1.0, "unread": 23.0, "calls": (call,)}
    case = scene(150.0, server, cpu=0.4, held=1.0, facts={"kind": kind, "runtime": "jvm"})
    assert causes(case) == [(cause, "server")]


def test_workers_before_a_core_that_is_full_are_not_too_few() -> None:
    case = scene(100.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.99, held=2.0)
    assert causes(case) == [("host_cpu", "server")]


def test_who_is_turned_away_by_a_short_queue_waits_a_second() -> None:
    case = scene(300.0, {"in_hand": 6.0}, cpu=0.1, counters={"listen_overflows": 12.0})
    (bottleneck,) = bottlenecks(case)
    assert (bottleneck.cause, bottleneck.component) == ("accept_backlog", "server")
    # Of 24 users twelve were away.
    assert bottleneck.gain == pytest.approx(2, rel=0.1)


def test_a_queue_that_overflows_before_a_core_that_is_full_is_no_bottleneck() -> None:
    case = scene(300.0, {"in_hand": 6.0}, cpu=0.99, counters={"listen_overflows": 12.0})
    assert causes(case) == [("host_cpu", "server")]


def held_up(*, lock: bool) -> Case:
    """Return threads of which one runs for no request: 0.7 of a core."""
    threads = Threads(
        lock_held=each(0.95 if lock else 0.3, N), lock_wanted=each(4.0 if lock else 0.0, N),
    )  # fmt: skip
    background = Background(each(0.7, N), each(0.0, N))
    server = {
        "in_hand": 6.0 if lock else 1.3,
        "unread": 18.0 if lock else 22.7,
        "threads": threads,
        "background": background,
        "runnable": 1.0,
    }
    return scene(600.0, server, cpu=0.98, facts={"runtime": "cpython"})


@pytest.mark.parametrize(("lock", "cause"), [(True, "gil"), (False, "host_cpu")])
def test_a_thread_that_answers_no_request_holds_the_interpreter_or_the_core(lock: bool, cause: str) -> None:
    (bottleneck,) = bottlenecks(held_up(lock=lock))
    assert (bottleneck.cause, bottleneck.component) == (cause, "server")
    # It leaves 0.3 of the core, of one.
    assert bottleneck.gain == pytest.approx(1 / 0.3, rel=0.15)
    assert bottleneck.holder is not None
    assert bottleneck.share == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize(("held", "cause"), [(0.83, "gil"), (0.3, "host_cpu")])
def test_an_interpreter_is_held_by_who_computes_whatever_others_take_of_the_core(
    held: float, cause: str
) -> None:
    threads = Threads(lock_held=each(held, N), lock_wanted=each(2.3, N))
    server = {
        "in_hand": 6.0, "unread": 18.0, "threads": threads, "runnable": 2.4,
        "background": Background(each(0.42, N), each(0.0, N)),
    }  # fmt: skip
    ranked = bottlenecks(scene(440.0, server, cpu=0.62, busy=1.0, facts={"runtime": "cpython"}))
    assert ranked[0].cause == cause


def test_strangers_on_its_core_are_noisy_neighbours() -> None:
    case = scene(600.0, {"in_hand": 24.0, "runnable": 10.0}, cpu=0.55, busy=1.0)
    (bottleneck,) = bottlenecks(case)
    assert (bottleneck.cause, bottleneck.component) == ("noisy_neighbour", "host")
    assert bottleneck.gain == pytest.approx(1 / 0.6, rel=0.1)


@pytest.mark.parametrize(
    ("waited_s", "first"), [(0.5, "too_few_workers"), (0.95, "noisy_neighbour")], ids=["at times", "always"]
)
def test_strangers_leave_a_fair_share_to_workers_who_do_not_always_want_the_core(
    waited_s: float, first: str
) -> None:
    # Three workers that mostly await an answer let others fill the core. More workers would want more of it.
    call = a_call("upstream", 2.2, n=N)
    server = {"in_hand": 3.0, "unread": 21.0, "calls": (call,), "runnable": waited_s}
    others = {"cpu1:build": 0.8}
    case = scene(90.0, server, cpu=0.16, held=3.0, busy=0.98, strangers=others, waited_s=waited_s)
    assert causes(case)[0][0] == first


@pytest.mark.parametrize(
    ("ready", "first"),
    [(0.8, "too_few_workers"), (4.0, "noisy_neighbour")],
    ids=["seldom", "half of the time"],
)
def test_workers_that_hardly_ever_wait_for_a_core_are_short_whoever_fills_it(
    ready: float, first: str
) -> None:
    # Somebody of eight always wants the core; each of them awaits an answer for most of its time.
    call = a_call("upstream", 7.8 - ready, n=N)
    server = {"in_hand": 8.0, "unread": 16.0, "calls": (call,), "runnable": ready}
    others = {"cpu1:build": 0.8}
    case = scene(90.0, server, cpu=0.16, held=8.0, busy=0.98, strangers=others, waited_s=0.95)
    assert causes(case)[0][0] == first


@pytest.mark.parametrize(
    ("awaiting", "at_door", "first"),
    [(0.95, 0.0, "pool_too_small"), (0.95, 14.0, "pool_too_small"), (0.2, 0.0, "noisy_neighbour")],
    ids=["held", "held, and workers too", "free"],
)
def test_of_a_core_that_strangers_fill_who_queues_for_a_pool_has_need_no_more(
    awaiting: float, at_door: float, first: str
) -> None:
    call = a_call("quotes", awaiting, idle=1 - awaiting, n=N)
    server = {"in_hand": 24.0 - at_door, "runnable": 0.8 if awaiting > 0.5 else 20.0, "calls": (call,)}
    case = scene(45.0, {**server, "unread": at_door}, cpu=0.15, busy=1.0)
    assert causes(case)[0][0] == first


def test_a_thread_that_mostly_waits_for_a_core_is_not_what_is_short() -> None:
    loop = Threads(busiest="loop", cpu=each(0.25, N), delay=each(0.74, N))
    server = {"in_hand": 1.0, "unread": 23.0, "runnable": 0.9, "threads": loop}
    assert causes(scene(100.0, server, cpu=0.25, busy=1.0, facts={"runtime": "node"})) == [
        ("noisy_neighbour", "host")
    ]


@pytest.mark.parametrize(("flushes", "is_in_turn"), [(200.0, True), (30.0, False)])
def test_requests_that_no_flush_of_the_disk_shares_wait_for_it_in_turn(
    flushes: float, is_in_turn: bool
) -> None:
    case = scene(100.0, {"in_hand": 24.0, "disk": 0.7}, cpu=0.2)
    watched = ACase(seconds=N).counter("host", "disks.flushes", "vda", flushes, "1").build()
    case = replace(case, series={**case.series, **watched.series})
    writes = Finding("disk_io", "server", "likely", "", "", "", "", 3.0, (), detail=EACH_REQUEST)
    ranked = [(each.cause, each.resource.kind) for each in judgement_of(case, [writes]).bottlenecks]
    assert (("disk_io", "lock") in ranked) is is_in_turn


def test_a_program_that_was_watched_in_part_makes_no_strangers() -> None:
    case = scene(600.0, {"in_hand": 24.0, "runnable": 10.0}, cpu=0.55, busy=1.0)
    assert case.account is not None
    components = tuple(replace(component, flags=("partly_seen",)) for component in case.account.components)
    partly = replace(case, account=replace(case.account, components=components))
    assert causes(partly) == [("host_cpu", "server")]


def test_a_stranger_that_was_seen_is_one_whoever_was_watched_in_part() -> None:
    case = scene(
        600.0, {"in_hand": 24.0, "runnable": 10.0}, cpu=0.55, busy=1.0, strangers={"cpu1:nightly job": 0.35}
    )
    assert case.account is not None
    components = tuple(replace(component, flags=("partly_seen",)) for component in case.account.components)
    (bottleneck,) = bottlenecks(replace(case, account=replace(case.account, components=components)))
    assert (bottleneck.cause, bottleneck.component) == ("noisy_neighbour", "host")
    assert bottleneck.holder is not None
    assert bottleneck.holder.used == pytest.approx(0.35, abs=0.02)


def test_a_caller_is_accused_of_the_connections_that_it_opens_to_a_database() -> None:
    database = a_component("postgresql", n=N, total=8.0, in_hand=8.0, cores=1.0, running=0.6)
    call = a_call("postgresql", 8.0, n=N)
    case = scene(140.0, {"in_hand": 8.0, "calls": (call,)}, [database], cpu=0.35, behind_cpu=0.6, busy=0.95)
    assert case.account is not None
    churn = Finding(
        "connection_churn", "postgresql", "likely", "a title", "an effect", "a mend", "a test", 2.0, (),
        bound=0.8,
    )  # fmt: skip
    ranked = judgement_of(case, [churn]).bottlenecks
    assert (ranked[0].cause, ranked[0].component) == ("connection_churn", "server")
    assert ranked[0].holder is not None
    assert ranked[0].holder.component == "postgresql"


@pytest.mark.parametrize(("opened", "cores"), [(140.0, 0.42 + 0.28), (0.0, 0.48)])
def test_connections_cost_both_of_their_ends(opened: float, cores: float) -> None:
    """Let CPython spend 2 ms on each, on the core that it shares with the database, which spends 3 ms.

    Where none was counted the database spends what the cause says at most: 80 % of 0.6 cores.
    """
    database = a_component("postgresql", n=N, total=8.0, in_hand=8.0, cores=1.0, running=0.6)
    server = {"in_hand": 8.0, "calls": (a_call("postgresql", 8.0, n=N),)}
    readings: dict[str, Any] = {"cpu": 0.35, "behind_cpu": 0.6, "busy": 0.95, "facts": {"runtime": "cpython"}}
    case = scene(140.0, server, [database], **readings)
    watched = ACase(seconds=N).counter("host", "tcp_sockets.opened", "out:127.0.0.1:5432", opened, "1")
    watched.gauge("host", "tcp_sockets.established", "out:127.0.0.1:5432", 0.0)
    components = tuple(
        structs.replace(row, kind="postgresql") if row.name == "postgresql" else row
        for row in case.components
    )
    case = replace(case, components=components, series={**case.series, **watched.build().series})
    churn = Finding(
        "connection_churn", "postgresql", "likely", "", "", "", "", 2.0, (), bound=0.8,
        detail="to a dependency: postgresql",
    )  # fmt: skip
    held = next(each.holder for each in judgement_of(case, [churn]).bottlenecks if each.holder is not None)
    assert held.used == pytest.approx(cores, rel=0.05)


@pytest.mark.parametrize(("doubts", "verdict"), [(("it may be a report",), "possible"), ((), "likely")])
def test_a_full_core_settles_no_doubt_of_who_holds_it(doubts: tuple[str, ...], verdict: str) -> None:
    database = a_component("postgresql", n=N, total=8.0, in_hand=8.0, cores=1.0, running=0.7)
    server = {"in_hand": 8.0, "calls": (a_call("postgresql", 8.0, n=N),)}
    case = scene(140.0, server, [database], cpu=0.2, behind_cpu=0.7, busy=0.95)
    scans = Finding(
        "missing_index", "postgresql", verdict, "", "", "", "", 3.0, (), missing=doubts, bound=0.8,  # type: ignore[arg-type]
    )  # fmt: skip
    ranked = judgement_of(case, [scans]).bottlenecks
    (held,) = [each for each in ranked if each.cause == "missing_index"]
    assert finding_of(case, held, [scans]).verdict == verdict
    assert any(each.holder is None for each in ranked) is bool(doubts)


def before_a_database(*, unread: float, cpu: float, behind_cpu: float) -> Case:
    """Return 24 users who wait for a database on the server's core, so many of them not yet read there."""
    database = a_component(
        "mariadb", n=N, total=23.5, unread=unread, in_hand=23.5 - unread, cores=1.0, running=behind_cpu,
        runnable=2.0,
    )  # fmt: skip
    server = {"in_hand": 24.0, "calls": (a_call("mariadb", 23.5, n=N),)}
    busy = cpu + behind_cpu
    case = scene(100.0, server, [database], cpu=cpu, behind_cpu=behind_cpu, busy=busy)
    components = [
        structs.replace(row, kind=row.name) if row.name == "mariadb" else row for row in case.components
    ]
    return replace(case, components=tuple(components))


def test_a_wait_for_a_database_that_is_full_is_a_queue_and_ends_where_that_is_faster() -> None:
    """Twice the CPU does twice as much, as whoever waits for the database waits for nothing else."""
    (bottleneck,) = bottlenecks(before_a_database(unread=20.5, cpu=0.04, behind_cpu=0.95))
    assert (bottleneck.cause, bottleneck.component) == ("database_cpu", "mariadb")
    assert bottleneck.gain == pytest.approx(2.0, rel=0.03)


@pytest.mark.parametrize("held", [(), (Held("mariadb", 3.0, 100.0, 99.0, 101.0, 1.0),)])
def test_sessions_of_a_database_are_no_workers_that_others_wait_for(held: tuple[Held, ...]) -> None:
    case = replace(before_a_database(unread=20.5, cpu=0.04, behind_cpu=0.95), held=held)
    assert case.account is not None
    kinds = {(each.kind, each.component) for each in resources_of(case, case.account)}
    assert ("slots", "mariadb") not in kinds


@pytest.mark.parametrize("cause", ["row_lock", "lock_contention"])
def test_without_a_lock_as_much_is_answered_as_the_next_limit_lets_through(cause: str) -> None:
    """One request after the other uses half of the core, for 5 of 10 ms: then all of it is used."""
    lock = Finding(cause, "server", "likely", "", "", "", "", 3.0, (), bound=0.9)
    case = scene(100.0, {"in_hand": 24.0}, cpu=0.5)
    (bottleneck,) = judgement_of(case, [lock]).bottlenecks
    assert bottleneck.gain == pytest.approx(2 * (1 + IDLE_COST * 0.5**2), rel=0.05)


def test_more_connections_find_the_cores_that_a_cold_program_compiles_on() -> None:
    """Let a JVM compile on 0.6 of the core: it does no more once it is warm, and more is answered then."""
    call = a_call("postgresql", 4.0, n=N)
    gains = []
    for compiled in (0.6, 0.0):
        groups = {COMPILERS[0]: {"running": each(compiled, N)}, "exec": {"running": each(0.2, N)}}
        server = {
            "in_hand": 24.0,
            "calls": (call,),
            "threads": Threads({"running": each(0.2 + compiled, N)}, groups),
        }
        case = scene(200.0, server, cpu=0.2 + compiled, facts={"runtime": "jvm"})
        assert causes(case)[:1] == [("pool_too_small", "server")]
        gains.append(bottlenecks(case)[0].gain)
    assert gains[0] == pytest.approx(gains[1], rel=0.25)


def test_where_everything_has_room_there_is_no_bottleneck() -> None:
    assert causes(scene(600.0, {"in_hand": 24.0}, cpu=0.5)) == []


@pytest.mark.parametrize(
    ("workers", "cpu", "rps", "first"),
    [
        (2.0, 0.1, 50.0, "too_few_workers"),
        (2.0, 0.005, 50.0, "too_few_workers"),
        (2.0, 0.005, 5.0, "slow_dependency"),
        (20.0, 0.1, 50.0, "slow_dependency"),
        (20.0, 0.4, 50.0, "too_few_workers"),
    ],
)
def test_workers_who_all_wait_for_one_dependency_are_held_by_that_where_no_usual_number_fills_the_core(
    workers: float, cpu: float, rps: float, first: str
) -> None:
    call = a_call("upstream", 0.97 * workers, n=N)
    upstream = a_component("upstream", n=N, total=workers, in_hand=workers, cores=1.0)
    server = {"in_hand": workers, "unread": 24.0 - workers, "calls": (call,)}
    named = causes(scene(rps, server, [upstream], cpu=cpu, held=workers))
    assert named[0] == (first, "server" if first == "too_few_workers" else "upstream")
