"""A server that from some instant on answers nothing: what that is, and what its requests then wait for."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.facts.case import Remark
from loadrig.testing.cases import ACase

ANSWERED_S, STOOD_S = 12, 8
USERS = 30.0
POOL = 20.0


def course(before: float, after: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.repeat([before, after], [ANSWERED_S, STOOD_S])


def stopped(
    *,
    idle: float = 0.0,
    awaiting: float = 0.0,
    connections: float = POOL,
    cpu: float = 0.0,
    unread: float = 0.0,
    lent_a_second: float = 0.0,
    **load: Any,
) -> ACase:
    """Return a shop with a pool to its database whose answers stop. stages: the pool's connections then."""
    courses = {"ok": course(800, 0), "in_flight": course(8, USERS), **load}
    case = ACase(seconds=ANSWERED_S + STOOD_S, users=USERS, latency_s=0.01, **courses)
    case.tier("server", runtime="go").tier("db", kind="postgresql").edge("server", "db", "127.0.0.1:5432")
    case.counter("server", "process.cpu_s", "tree", course(0.5, cpu))
    case.gauge("server", "socket_stages.sockets", "in:80", USERS)
    case.gauge("server", "socket_stages.unread", "in:80", course(8, unread))
    out = "out:127.0.0.1:5432"
    case.gauge("server", "socket_stages.sockets", out, course(POOL / 2, connections))
    lent = np.minimum(POOL, POOL / 4 + lent_a_second * np.arange(ANSWERED_S + STOOD_S))
    level = np.where(np.arange(ANSWERED_S + STOOD_S) < ANSWERED_S, lent, idle)
    case.gauge("server", "socket_stages.idle", out, level)
    case.gauge("server", "socket_stages.awaiting", out, course(POOL / 4, awaiting))
    return case


def first(diagnosis: Diagnosis) -> tuple[str, str, str]:
    finding = diagnosis.findings[0]
    return finding.cause, finding.component, finding.verdict


def test_a_pool_of_which_all_is_lent_leaks(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(stopped(idle=POOL, lent_a_second=1.2).build())
    assert first(diagnosis) == ("leak", "server", "likely")
    assert diagnosis.harms["stopped"] == snapshot
    assert diagnosis.sentence == snapshot


@pytest.mark.parametrize(("idle", "cause"), [(POOL, "leak"), (POOL / 2, "pool_too_small")])
def test_a_pool_of_which_none_becomes_free_though_all_are_idle_leaks(idle: float, cause: str) -> None:
    """Requests fail after a second in vain and others lie unread; hardly any connection was ever in use."""
    case = stopped(idle=idle, unread=USERS / 2, failed={"http_5xx": course(0, USERS / 2)})
    facts = {"system": "hikaricp", "resource": "pool", "what": "timed_out", "count": 100, "numbers": {}}
    case.event(ANSWERED_S + 1.0, "server_fact", "server", "hikaricp: a sentence", **facts)
    assert first(diagnose(case.build())) == (cause, "server", "likely")


def test_a_generator_whose_connections_all_wait_for_a_server_that_stands_still_is_not_the_limit() -> None:
    case = stopped(idle=POOL).build()
    remark = Remark("G1", "grave", "17 % of the requests due were not sent")
    accused = {finding.cause for finding in diagnose(replace(case, remarks=(remark,))).findings}
    assert "generator_limited" not in accused


def test_a_dependency_that_no_longer_answers_is_accused(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(stopped(awaiting=POOL).build())
    assert first(diagnosis) == ("slow_dependency", "db", "likely")
    assert diagnosis.sentence == snapshot


@pytest.mark.parametrize("unread", [0.0, float(USERS)], ids=["taken up", "untouched"])
def test_one_call_that_stands_holds_up_those_that_were_taken_up(unread: float) -> None:
    diagnosis = diagnose(stopped(awaiting=1.0, idle=POOL - 1, unread=unread).build())
    accused = {finding.cause for finding in diagnosis.findings}
    assert ("slow_dependency" in accused) == (unread == 0)


def test_requests_that_wait_for_nobody_else_wait_for_each_other(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(stopped(idle=2, connections=2).build())
    assert first(diagnosis) == ("lock_contention", "server", "possible")
    assert diagnosis.sentence == snapshot


def test_requests_that_nobody_has_taken_up_wait_for_no_connection() -> None:
    diagnosis = diagnose(stopped(idle=POOL, unread=USERS / 2).build())
    assert not {"leak", "lock_contention"} & {finding.cause for finding in diagnosis.findings}


def test_a_pool_that_was_free_all_along_is_not_lent() -> None:
    diagnosis = diagnose(stopped(idle=POOL).build())
    assert first(diagnosis) == ("lock_contention", "server", "possible")


def test_a_server_that_computes_is_not_deadlocked() -> None:
    diagnosis = diagnose(stopped(idle=2, connections=2, cpu=0.9).build())
    assert "lock_contention" not in {finding.cause for finding in diagnosis.findings}


@pytest.mark.parametrize(
    "load",
    [
        {"ok": course(800, 20)},
        {"ok": np.repeat([800.0, 0.0], [ANSWERED_S + STOOD_S - 2, 2])},
        {"ok": course(800, 0), "in_flight": course(8, 0)},
        {"ok": course(800, 0), "failed": {"http_5xx": course(0, 800)}},
    ],
    ids=["some answers", "two seconds", "nobody waits", "fails at once"],
)
def test_what_is_no_standstill(load: dict[str, Any]) -> None:
    assert "stopped" not in stopped(idle=POOL, **load).build().harms


def test_a_server_that_never_answers_stands_still_from_the_start() -> None:
    case = stopped(idle=POOL, ok=0.0, failed={"timeout": 0.5}).build()
    assert "stopped" in case.harms


def test_requests_that_time_out_meanwhile_do_not_hide_it() -> None:
    case = stopped(idle=POOL, lent_a_second=1.2, failed={"timeout": course(0, USERS / 10)}).build()
    assert "stopped" in case.harms
    assert first(diagnose(case)) == ("leak", "server", "likely")


def stopped_at_the_end(answered_after: float, in_flight_after: float) -> ACase:
    """Return an open load of 20 s that meets an end, with requests that are left then for 10 s."""
    parts = np.repeat([1.0, 0.0], [20, 10])
    ok, in_flight = 400 * parts + answered_after * (1 - parts), parts + in_flight_after * (1 - parts)
    case = ACase(seconds=30, latency_s=0.002, rate=400 * parts, ok=ok, in_flight=in_flight)
    case.tier("server", runtime="jvm").counter("server", "process.cpu_s", "tree", 0.2 * parts)
    object.__setattr__(case.load, "is_inside", parts > 0)
    return case


@pytest.mark.parametrize(
    ("answered_after", "in_flight_after", "stops"),
    [(0.0, 180.0, True), (30.0, 180.0, False), (0.0, 1.0, False)],
    ids=["none of them is answered", "they are answered late", "one was lost"],
)
def test_what_is_left_when_a_load_ends_tells_whether_the_server_stopped(
    answered_after: float, in_flight_after: float, stops: bool
) -> None:
    case = stopped_at_the_end(answered_after, in_flight_after).build()
    assert ("stopped" in case.harms) is stops
    assert ("healthy" in {finding.cause for finding in diagnose(case).findings}) is not stops


def test_a_heap_that_is_exhausted_stops_a_server() -> None:
    case = stopped_at_the_end(0.0, 180.0)
    facts = {"system": "java", "resource": "memory", "what": "exhausted", "count": 30, "numbers": {}}
    case.event(20.0, "server_fact", "server", "java: a sentence", **facts)
    assert first(diagnose(case.build())) == ("memory_pressure", "server", "likely")
