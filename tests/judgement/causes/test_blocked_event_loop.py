"""Calls that hold up an event loop: told by routes that are slow together, and by Node's own delay."""

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.account.trial_account import account
from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import SeriesSource
from loadrig.judgement.facts.loops import computes_in_calls, held_up_share
from loadrig.testing.cases import ACase
from tests.account.made import a_component, a_load
from tests.judgement.causes._workers import accused, roots, routes, server, why_not

TOGETHER = {"fast": (80.0, 0.001, 0.2, 0.4), "slow": (9.0, 0.1, 0.2, 0.4)}
"""20 users; a tenth of the requests hold up the loop for 100 ms: as seen of uvicorn, gevent and Node."""

APART = {"fast": (360.0, 0.001, 0.002, 0.003), "slow": (40.0, 0.1, 0.101, 0.102)}
"""The same, awaited."""


def loop(
    kind: str = "uvicorn", mix: dict[str, tuple[float, float, float, float]] = TOGETHER, **facts: object
) -> ACase:
    runtime = "node" if kind == "program" else "cpython"
    usual: dict[str, object] = {"ok": 89.0, "users": 20.0, "cpu": 0.03}
    return routes(server(kind, runtime, **(usual | facts)), mix)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("uvicorn", {}),
        ("gunicorn", {"--worker-class": "gevent"}),
        ("gunicorn", {"-k": "uvicorn.workers.UvicornWorker"}),
    ],
)
def test_quick_routes_that_wait_for_a_slow_one_while_the_cpu_idles(
    kind: str, settings: dict[str, str], snapshot: SnapshotAssertion
) -> None:
    first = roots(loop(kind, settings=settings))[0]
    assert (first.cause, first.verdict, first.detail) == (
        "blocked_event_loop",
        "likely",
        "a call that waits: slow",
    )
    assert first.mend == snapshot


def test_node_tells_its_delay_and_a_call_that_computes_is_not_the_cpu() -> None:
    case = loop("program", cpu=0.98)
    case.gauge("server", "node.delay_max_s", "pid:101", 0.34)
    findings = roots(case)
    assert [finding.cause for finding in findings][:1] == ["blocked_event_loop"]
    assert findings[0].detail == "a call that computes: slow"
    assert "host_cpu" in {symptom.cause for symptom in findings[0].symptoms}


@pytest.mark.parametrize(
    ("running", "reading", "computes"), [(0.5, 0.02, True), (0.05, 0.5, False)], ids=["computes", "waits"]
)
def test_a_loop_that_has_its_core_half_of_the_time_is_held_up_by_what_it_does_then(
    running: float, reading: float, *, computes: bool
) -> None:
    """Its calls compute for long, and it waits for events in between; or it sleeps in them."""
    case = loop("program", cpu=0.5)
    for state, number in (("running", running), ("polling", 0.45), ("reading", reading)):
        case.gauge("server", "thread_states.threads", f"state:{state}", number)
    built = case.build()
    assert "blocked_event_loop" in accused(case)
    assert computes_in_calls(built.server) == computes


def test_a_tail_at_a_moderate_rate_is_seen_in_the_quick_route() -> None:
    mix = {"fast": (36.0, 0.001, 0.002, 0.2), "slow": (4.0, 0.1, 0.13, 0.3)}
    case = loop(mix=mix, rate=40.0, ok=40.0, in_flight=2.4)
    case.load = replace(case.load, quantiles={0.5: 0.0026, 0.99: 0.38})
    assert roots(case)[0].cause == "blocked_event_loop"


def test_one_route_served_one_by_one_while_the_cpu_idles() -> None:
    case = server("uvicorn", ok=19.0, users=20.0, alone_s=0.05, cpu=0.02)
    first = roots(case)[0]
    assert first.cause == "blocked_event_loop"


@pytest.mark.parametrize(("polling", "is_accused"), [(0.0, True), (0.9, False)])
def test_a_loop_that_waits_for_events_while_it_serves_one_by_one_has_a_pool_of_one(
    polling: float, is_accused: bool
) -> None:
    case = server("uvicorn", ok=19.0, users=20.0, alone_s=0.05, cpu=0.02)
    case.gauge("server", "thread_states.threads", "state:polling", polling)
    assert ("blocked_event_loop" in accused(case)) is is_accused


@pytest.mark.parametrize(("unread_bytes", "is_accused"), [(2_000.0, True), (0.0, False)])
def test_threads_that_wait_for_events_are_others_than_a_loop_that_leaves_requests_unread(
    unread_bytes: float, is_accused: bool
) -> None:
    case = server("vertx", "jvm", ok=19.0, users=20.0, alone_s=0.05, cpu=0.02)
    case.gauge("server", "thread_states.threads", "state:polling", 2.8)
    case.gauge("host", "tcp_sockets.established", "in:8000", 20.0)
    case.gauge("host", "tcp_sockets.receive_queue_bytes", "in:8000", unread_bytes)
    assert ("blocked_event_loop" in accused(case)) is is_accused


@pytest.mark.parametrize(
    ("states", "is_accused"),
    [
        ({"reading": 1.84, "polling": 1.0, "running": 0.15}, True),
        ({"reading": 1.0, "polling": 1.84, "running": 0.15}, False),
        ({"reading": 1.4, "polling": 1.4, "running": 0.15}, False),
    ],
    ids=["in calls", "awaiting", "in turn"],
)
def test_a_loop_that_sleeps_in_calls_is_told_beside_threads_that_never_move(
    states: dict[str, float], is_accused: bool
) -> None:
    # A master that polls and a helper that reads serve nothing; p50 is not twice the time alone.
    case = server("hypercorn", ok=200.0, users=12.0, alone_s=0.04, cpu=0.15, workers=2, unread=45.0)
    for state, number in states.items():
        case.gauge("server", "thread_states.threads", f"state:{state}", number)
    assert ("blocked_event_loop" in accused(case)) is is_accused


def test_calls_that_block_in_any_route_leave_requests_unread(snapshot: SnapshotAssertion) -> None:
    """Two in a hundred requests sleep for 40 ms in the loop, whichever route: 1,350/s of 6,900."""
    case = server(
        "program", "node", ok=1350.0, rate=6900.0, in_flight=400.0, alone_s=0.0004, cpu=0.2, unread=50.0
    )
    first = roots(case)[0]
    assert (first.cause, first.verdict) == ("blocked_event_loop", "likely")
    assert first.effect == snapshot


def test_a_loop_that_is_so_late_that_most_requests_time_out() -> None:
    case = server(
        "program", "node", ok=770.0, rate=1440.0, in_flight=1900.0, cpu=0.45, unread=33.0,
        failed={"timeout": 660.0},
    )  # fmt: skip
    case.gauge("host", "tcp_sockets.backlog", "in:8000", 511.0)
    assert roots(case)[0].cause == "blocked_event_loop"


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8])
def test_a_loop_that_computes_has_requests_unread_too(share: float) -> None:
    waiting = 1.5 * share / (1 - share)
    mix = {
        "list": (800 * share, 0.001, 0.002, 0.003 / (1 - share)),
        "report": (200 * share, 0.1, 0.102, 0.12),
    }
    case = loop(mix=mix, rate=1000 * share, ok=1000 * share, cpu=share, in_flight=waiting, unread=30.0)
    case.load = replace(case.load, quantiles={0.5: 0.002, 0.99: 0.12})
    assert "tail" in case.build().harms
    assert accused(case) == set()


def test_a_slow_route_that_is_awaited_holds_up_nobody() -> None:
    assert accused(loop(mix=APART, users=6.0, rate=400.0, ok=400.0, in_flight=5.0)) == set()
    assert "blocked_event_loop" not in accused(loop(mix=APART, ok=400.0))


def test_a_loop_full_of_short_calls_on_its_one_core_lacks_cpu(snapshot: SnapshotAssertion) -> None:
    case = server("program", "node", ok=2000.0, users=16.0, alone_s=0.0005, cpu=0.98, beside=0.01)
    case.gauge("server", "node.delay_max_s", "pid:101", 0.06)
    assert roots(case)[0].cause == "host_cpu"
    clearance = why_not(case, "blocked_event_loop")
    assert clearance.source == SeriesSource("server", "process.cpu_s", "pid:101")
    assert clearance.why == snapshot


def test_a_loop_full_of_short_calls_beside_idle_cores_is_named() -> None:
    case = server("uvicorn", ok=184.0, users=16.0, alone_s=0.0054, cpu=0.96, cpus=(0, 1), beside=0.1)
    assert roots(case)[0].cause == "blocked_event_loop"


def test_a_loop_that_fills_its_core_together_with_those_it_asks_lacks_cpu(
    snapshot: SnapshotAssertion,
) -> None:
    case = server("program", "node", ok=683.0, users=40.0, alone_s=0.008, cpu=0.70, beside=0.29)
    case.gauge("server", "node.delay_max_s", "pid:101", 0.039)
    case.tier("redis", kind="redis", cpus=(1,)).edge("server", "redis", "127.0.0.1:6379", 10)
    case.counter("redis", "process.cpu_s", "tree", 0.28)
    assert roots(case)[0].cause == "host_cpu"
    assert why_not(case, "blocked_event_loop").why == snapshot


def test_two_loops_that_fill_one_core_lack_cpu(snapshot: SnapshotAssertion) -> None:
    each = {"pid:101": 0.49, "pid:102": 0.49}
    case = server("program", "node", ok=683.0, users=40.0, alone_s=0.008, cpu=0.98, each=each, beside=0.01)
    case.gauge("server", "node.delay_max_s", "pid:101", 0.039)
    assert roots(case)[0].cause == "host_cpu"
    assert why_not(case, "blocked_event_loop").why == snapshot


def test_a_full_dependency_is_not_the_loops_fault() -> None:
    case = loop()
    case.tier("rates", kind="program", cpus=(0,)).edge("server", "rates", "127.0.0.1:9000", 20)
    case.counter("rates", "process.cpu_s", "tree", 0.97).counter("host", "system_cpu.user_s", "cpu0", 0.98)
    assert "blocked_event_loop" not in accused(case)


def test_a_pool_that_is_awaited_does_several_at_once() -> None:
    mix = {"fast": (80.0, 0.005, 0.15, 0.3), "slow": (45.0, 0.1, 0.25, 0.4)}
    case = loop(mix=mix)
    case.tier("postgresql", kind="postgresql", cpus=(0,)).edge("server", "postgresql", "127.0.0.1:5432", 5)
    case.counter("postgresql", "process.cpu_s", "tree", 0.2)
    assert "blocked_event_loop" not in {root.cause for root in roots(case) if root.verdict == "likely"}


def test_a_quota_or_a_collector_that_stops_the_loop_is_the_cause_instead(snapshot: SnapshotAssertion) -> None:
    case = loop("program", cpu=0.25)
    case.gauge("server", "node.delay_max_s", "pid:101", 0.09)
    case.gauge("server", "cgroup.quota_cores", "/app", 0.25)
    assert why_not(case, "blocked_event_loop").why == snapshot
    case = loop("program", cpu=0.98)
    case.gauge("server", "node.delay_max_s", "pid:101", 0.3)
    case.counter("server", "node.gc_pause_s", "pid:101", 0.5)
    clearance = why_not(case, "blocked_event_loop")
    assert clearance.source == SeriesSource("server", "node.gc_pause_s", "pid:101")
    assert clearance.why == snapshot


def test_threads_are_no_loop() -> None:
    case = loop("gunicorn", settings={"--threads": "20"}, threads=21.0)
    assert "blocked_event_loop" not in accused(case)


def test_without_its_cpu_time_it_is_possible() -> None:
    first = next(root for root in roots(loop(cpu=None)) if root.cause == "blocked_event_loop")
    assert first.verdict == "possible"
    assert first.missing


def with_tail(unread: float, elsewhere: float, median_s: float = 0.006, p99_s: float = 0.24) -> Diagnosis:
    """Diagnose 690/s at a loop that a call holds now and then; unread: requests that lay so."""
    total = unread + elsewhere + 4.0
    case = server("uvicorn", ok=690.0, rate=690.0, in_flight=total, cpu=0.35)
    # Most are answered in 6 ms, and some after a quarter of a second.
    case.load = replace(case.load, latency_of_route=None, quantiles={0.5: median_s, 0.99: p99_s})
    components = [
        a_component(n=30, total=total, cores=1.0, unread=unread, in_hand=elsewhere + 4.0, running=0.35)
    ]
    load = a_load(690.0, total, n=30)
    return diagnose(replace(case.build(), account=account(components, load)))


@pytest.mark.parametrize(("sending", "is_accused"), [(0.0, True), (16.0, False)])
def test_a_loop_is_not_held_up_while_its_answers_are_on_their_way_back(
    sending: float, is_accused: bool
) -> None:
    case = server("uvicorn", ok=19.0, users=20.0, alone_s=0.05, cpu=0.02)
    components = [a_component(n=30, total=20.0, cores=1.0, sending=sending, in_hand=20.0 - sending)]
    diagnosis = diagnose(replace(case.build(), account=account(components, a_load(19.0, 20.0, n=30))))
    assert ("blocked_event_loop" in {finding.cause for finding in diagnosis.findings}) is is_accused


def test_a_tail_that_lay_unread_is_of_a_loop_that_was_held() -> None:
    first = with_tail(unread=8.0, elsewhere=8.0).findings[0]
    assert (first.cause, first.component) == ("blocked_event_loop", "server")


@pytest.mark.parametrize(("unread", "elsewhere", "is_told"), [(2.4, 0.1, True), (0.3, 2.2, False)])
def test_requests_that_mostly_lie_unread_are_told_though_all_are_quick(
    unread: float, elsewhere: float, is_told: bool, snapshot: SnapshotAssertion
) -> None:
    diagnosis = with_tail(unread, elsewhere - 4.0, median_s=0.0002, p99_s=0.026)
    assert not diagnosis.harms
    causes = [(finding.cause, finding.verdict) for finding in diagnosis.findings]
    assert causes[: 1 + is_told] == [("blocked_event_loop", "possible")] * is_told + [("healthy", "likely")]
    # What the cores would bear is no promise where requests wait for each other.
    assert diagnosis.findings[-1].effect == snapshot


@pytest.mark.parametrize(("p99_s", "is_told"), [(0.026, True), (0.0064, False)])
def test_a_loop_that_takes_some_milliseconds_to_wake_up_is_not_held_up(p99_s: float, is_told: bool) -> None:
    diagnosis = with_tail(unread=2.4, elsewhere=-3.9, median_s=0.0002, p99_s=p99_s)
    assert ("blocked_event_loop" in {finding.cause for finding in diagnosis.findings}) is is_told


def test_a_tail_of_requests_that_were_read_at_once_is_not() -> None:
    assert "blocked_event_loop" not in {
        finding.cause for finding in with_tail(unread=1.0, elsewhere=15.0).findings
    }


def test_a_mean_below_the_median_has_no_tail_that_lay_anywhere() -> None:
    findings = with_tail(unread=8.0, elsewhere=8.0, median_s=0.0295).findings
    assert "blocked_event_loop" not in {finding.cause for finding in findings}


@pytest.mark.parametrize(("reading", "is_accused"), [(0.55, True), (0.0, False)])
def test_a_loop_that_stands_in_calls_for_a_good_part_of_its_time_is_held_up(
    reading: float, is_accused: bool
) -> None:
    """Let one request of ten block for 20 ms, and all wait for a dependency that takes as long as ever."""
    case = server("uvicorn", ok=300.0, users=12.0, alone_s=0.021, cpu=0.12)
    case.load = replace(case.load, quantiles={0.5: 0.032, 0.99: 0.096})
    states = {"reading": reading, "running": 0.12, "runnable": 0.02, "polling": 0.86 - reading}
    for state, number in states.items():
        case.gauge("server", "thread_states.threads", f"state:{state}", number)
    assert ("blocked_event_loop" in accused(case)) is is_accused


@pytest.mark.parametrize(("idle", "share"), [(0.0, 0.55), (3.0, 0.0)], ids=["alone", "beside three"])
def test_which_of_several_threads_sleeps_in_calls_is_not_known(idle: float, share: float) -> None:
    case = server("uvicorn", ok=300.0, users=12.0, alone_s=0.021, cpu=0.12)
    for state, number in {"reading": 0.55, "polling": 0.45, "futex": idle}.items():
        case.gauge("server", "thread_states.threads", f"state:{state}", number)
    assert held_up_share(case.build().server) == pytest.approx(share)
