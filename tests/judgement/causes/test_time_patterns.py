"""Causes that show in the course of time: the load's own bursts, restarts, collections, leaks."""

from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.series import Event
from loadrig.judgement.causes import restarts_in_step
from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Cleared, EventSource, Finding, LoadSource, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.recording.steps import NS
from loadrig.testing.cases import ACase
from tests.stats.noises import Floats, pulses
from tests.wording import numbers

MB = 1e6
N = 84
LOW = pulses(N, 12, 2, 5)


def finding(diagnosis: Diagnosis, cause: str) -> Finding | None:
    return next((each for each in diagnosis.findings if each.cause == cause), None)


def cleared(diagnosis: Diagnosis, cause: str) -> Cleared:
    return next(each for each in diagnosis.cleared if each.cause == cause)


def dipping(depth: float = 0.4, seed: int = 1) -> Floats:
    rng = np.random.default_rng(seed)
    rates: Floats = rng.normal(400, 8, N) * np.where(LOW, 1 - depth, 1.0)
    return rates


def with_pauses(case: Case, seconds: Floats, **facts: object) -> Case:
    """Add a collection in each step, as long as told; none where it is zero."""
    events = [
        Event(
            case.origin_ns + n * NS + NS // 5, "gc_pause", "", "pause",
            {"duration_s": float(length), "kind": "Young", "is_pause": True, **facts}, "server",
        )
        for n, length in enumerate(seconds)
        if length > 0
    ]  # fmt: skip
    return replace(case, events=(*case.events, *events))


def tokens(depth: float = 0.4) -> ACase:
    logins = np.where(LOW, np.random.default_rng(2).uniform(30, 60, N), 0.0)
    case = ACase(seconds=N, users=60, ok=dipping(depth), logins=logins, latency_s=0.02)
    case.tier("server", kind="tomcat", runtime="jvm", cpus=(1,)).tier("mariadb", kind="mariadb")
    case.counter("server", "process.cpu_s", "tree", np.where(LOW, 0.7, 0.6)).host_cpu([0.2, 0.65])
    return case


# --- the load itself ----------------------------------------------------------------------------


def test_tokens_that_expire_together_come_first_and_collections_are_cleared_by_arithmetic(
    snapshot: SnapshotAssertion,
) -> None:
    # Collections come with every dip, too; but they take 0.4 ms of a second in which 0.4 s are lost.
    case = with_pauses(tokens().build(), np.where(LOW, 378e-6, 0.0))
    diagnosis = diagnose(case)
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("workload_artefact", "load")
    assert diagnosis.findings[0].verdict == "likely"
    assert diagnosis.findings[0].weight >= 4
    assert diagnosis.findings[0].gain == pytest.approx(np.median(dipping()) / dipping().mean(), rel=0.01)
    assert finding(diagnosis, "gc_pressure") is None
    clearance = cleared(diagnosis, "gc_pressure")
    assert clearance.source == EventSource("server", "gc_pause", 14)
    assert clearance.why == snapshot


def test_logins_that_come_evenly_are_no_artefact() -> None:
    case = tokens()
    case.load.logins[:] = np.random.default_rng(3).uniform(4, 6, N)
    diagnosis = diagnose(case.build())
    assert finding(diagnosis, "workload_artefact") is None


def test_logins_after_a_restart_did_not_make_the_dip() -> None:
    case = tokens()
    for at in np.flatnonzero(LOW)[::2]:
        case.event(float(at) - 0.4, "worker_died", "server", reason="exited")
        case.event(float(at) + 0.3, "worker_born", "server")
    diagnosis = diagnose(case.build())
    artefact = finding(diagnosis, "workload_artefact")
    assert artefact is None or artefact.verdict == "possible"


def test_one_route_that_comes_in_bursts_is_named(snapshot: SnapshotAssertion) -> None:
    report = np.where(LOW, 25.0, 0.0)
    case = ACase(
        seconds=N, users=60, ok=dipping(), routes={"list": dipping() - report, "report": report}
    )  # fmt: skip
    diagnosis = diagnose(case.build())
    assert diagnosis.findings[0].cause == "workload_artefact"
    assert diagnosis.findings[0].detail == "route: report"
    assert diagnosis.findings[0].mend == snapshot


def test_users_that_pause_together_asked_for_less() -> None:
    case = ACase(seconds=N, users=60, ok=dipping(0.8), in_flight=np.where(LOW, 1.0, 12.0), latency_s=0.02)
    diagnosis = diagnose(case.build())
    assert diagnosis.findings[0].cause == "workload_artefact"
    assert diagnosis.findings[0].detail == "users"


def test_a_server_that_is_slow_in_the_dips_is_not_excused_by_the_load() -> None:
    case = ACase(seconds=N, users=60, ok=dipping(0.8), in_flight=np.where(LOW, 50.0, 12.0), latency_s=0.02)
    assert finding(diagnose(case.build()), "workload_artefact") is None


# --- restarts -----------------------------------------------------------------------------------


def recycled(*, apart_s: float = 0.3, reason: str = "recycled", ok: Floats | None = None) -> ACase:
    case = ACase(seconds=N, users=20, ok=dipping() if ok is None else ok, latency_s=0.02)
    settings = {"--workers": "4", "--max-requests": "1125"}
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4, settings=settings)
    for at in np.flatnonzero(LOW)[::2]:
        for worker in range(4):
            moment = float(at) + apart_s * worker
            if moment < N - 1:
                case.event(moment, "worker_died", "server", reason=reason)
                case.event(moment + 0.4, "worker_born", "server")
    return case


def test_workers_that_restart_in_step_come_first_with_their_arithmetic(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(recycled().build())
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("restarts_in_step", "server")
    assert diagnosis.findings[0].verdict == "likely"
    assert [evidence.text for evidence in diagnosis.findings[0].evidence] == snapshot
    assert diagnosis.findings[0].gain == pytest.approx(np.median(dipping()) / dipping().mean(), rel=0.01)


def test_a_restart_that_is_noticed_within_a_long_dip_explains_it() -> None:
    """Workers stop to accept, then import for four seconds: that one has ended is seen a second later."""
    ok = np.full(44, 380.0)
    for first in (5, 18, 30):
        ok[first : first + 8] = 0.0
    case = ACase(seconds=44, rate=300.0, ok=ok, latency_s=0.02)
    settings = {"--workers": "2", "--max-requests": "400"}
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=2, settings=settings)
    for first in (5, 18, 30):
        for worker in range(2):
            case.event(first + 2.0 + 0.1 * worker, "worker_died", "server", reason="recycled")
            case.event(first + 2.4 + 0.1 * worker, "worker_born", "server")
    restarts = finding(diagnose(case.build()), "restarts_in_step")
    assert restarts is not None
    assert restarts.verdict == "likely"


def test_workers_that_restart_one_after_the_other_do_not_make_dips() -> None:
    diagnosis = diagnose(recycled(apart_s=3.0, ok=np.full(N, 400.0)).build())
    assert finding(diagnosis, "restarts_in_step") is None


@pytest.mark.parametrize(("every", "verdict"), [(4, "likely"), (6, "possible")])
def test_workers_that_live_some_seconds_cost_all_the_time(every: int, verdict: str) -> None:
    case = ACase(seconds=48, users=20, ok=400.0, latency_s=0.02)
    case.load = replace(case.load, quantiles={0.5: 0.02, 0.99: 1.2})
    settings = {"--workers": "2", "--max-requests": "400"}
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=2, settings=settings)
    # Of twice as many workers every other one stays.
    case.gauge("server", "gunicorn.workers", "", 2.0 if every == 4 else 4.0)
    for at in range(2, 48, every):
        for worker in range(2):
            case.event(at + 0.1 * worker, "worker_died", "server", reason="recycled")
            case.event(at + 0.4 + 0.1 * worker, "worker_born", "server")
    restarts = finding(diagnose(case.build()), "restarts_in_step")
    assert restarts is not None
    assert restarts.verdict == verdict


def test_failures_around_restarts_are_told_in_seconds_whatever_a_step_lasts() -> None:
    failed = np.where(np.arange(N) % 12 == 6, 50.0, 0.0)
    case = ACase(seconds=N, users=20, ok=400.0, failed={"reset": failed}, latency_s=0.02)
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=2)
    for at in range(6, N, 12):
        for worker in range(2):
            case.event(at + 0.1 * worker, "worker_died", "server", reason="recycled")
            case.event(at + 0.2 + 0.1 * worker, "worker_born", "server")
    by_second = case.build()
    origin_ns = by_second.edges_ns[0]
    by_four = replace(
        by_second,
        edges_ns=origin_ns + 4 * (by_second.edges_ns - origin_ns),
        load=replace(by_second.load, seconds=by_second.load.seconds * 4),
        events=tuple(replace(e, t_ns=int(origin_ns + 4 * (e.t_ns - origin_ns))) for e in by_second.events),
    )
    for paced, seconds in ((by_second, 2), (by_four, 8)):
        hypothesis = next(iter(restarts_in_step.examine(paced)))
        hurt = hypothesis.signs[-1]
        assert hurt.source == LoadSource("load.failed")
        assert numbers(hurt.text) == [100, seconds]


def test_workers_that_were_killed_were_not_recycled(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(recycled(reason="timed_out").build())
    assert finding(diagnosis, "restarts_in_step") is None
    clearance = cleared(diagnosis, "restarts_in_step")
    assert clearance.source == EventSource("server", "worker_died", 28)
    assert clearance.why == snapshot


def test_without_a_log_the_reason_is_missing_and_so_is_certainty(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=N, users=20, ok=dipping(), latency_s=0.02)
    case.tier("server", kind="gunicorn", runtime="cpython", workers=4)
    for at in np.flatnonzero(LOW)[::2]:
        for worker in range(4):
            case.event(float(at) + 0.2 * worker, "process_died", "server")
            case.event(float(at) + 0.2 * worker + 0.4, "process_born", "server")
    restarts = finding(diagnose(case.build()), "restarts_in_step")
    assert restarts is not None
    assert restarts.verdict == "possible"
    assert restarts.missing[0] == snapshot


# --- collections --------------------------------------------------------------------------------


def busy_jvm(**load: object) -> ACase:
    case = ACase(seconds=60, users=50, ok=90.0, in_flight=48.0, latency_s=0.5)
    case.tier("server", kind="tomcat", runtime="jvm", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.98).host_cpu([0.1, 1.0])
    return case


@pytest.mark.parametrize(("running", "is_suspected"), [(2.4, True), (1.1, False)])
def test_threads_beside_the_code_of_node_may_be_its_collector(
    running: float, is_suspected: bool, snapshot: SnapshotAssertion
) -> None:
    case = ACase(seconds=20, users=40, ok=330.0, in_flight=39.0, latency_s=0.12)
    case.tier("server", kind="program", runtime="node", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.99).counter("server", "process.cpu_s", "pid:1", 0.99)
    case.gauge("server", "process.threads", "state:R", running).host_cpu([0.1, 1.0])
    pressure = finding(diagnose(case.build()), "gc_pressure")
    assert (pressure is not None) == is_suspected
    if pressure is not None:
        assert pressure.verdict == "possible"
        assert pressure.missing == snapshot


@pytest.mark.parametrize(("paused", "is_suspected"), [(0.035, True), (0.006, False)])
def test_what_the_other_threads_of_node_take_is_its_collectors_where_it_collects_much(
    paused: float, is_suspected: bool
) -> None:
    """As seen of 40 MB that live in a heap of 90: 0.72 of a core for its code, 0.27 beside it."""
    case = ACase(seconds=20, users=40, ok=690.0, in_flight=39.0, latency_s=0.06)
    case.tier("server", kind="program", runtime="node", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.99).counter("server", "process.cpu_s", "pid:1", 0.99)
    case.counter("server", "process.first_threads_s", "tree", 0.72).host_cpu([0.1, 1.0])
    case.counter("server", "node.gc_pause_s", "pid:1", paused)
    pressure = finding(diagnose(case.build()), "gc_pressure")
    assert (pressure is not None) == is_suspected
    if pressure is not None:
        assert pressure.verdict == "likely"
        assert pressure.gain == pytest.approx(1 / (1 - 0.2955), rel=0.01)
        assert finding(diagnose(case.build()), "host_cpu") is None


def test_a_heap_that_is_full_is_the_root_of_the_busy_core() -> None:
    case = busy_jvm().counter("server", "gc_log.pause_s", "", 0.7)
    case.gauge("server", "gc_log.heap_after_bytes", "", 240 * MB)
    case.gauge("server", "jvm.memory_limit_bytes", "heap", 256 * MB)
    diagnosis = diagnose(case.build())
    assert diagnosis.findings[0].cause == "gc_pressure"
    assert diagnosis.findings[0].verdict == "likely"
    assert finding(diagnosis, "host_cpu") is None
    assert diagnosis.findings[0].gain == pytest.approx(1 / (1 - 0.7))


@pytest.mark.parametrize("share", [0.00005, 0.03, 0.08])
def test_collections_that_are_merely_there_are_cleared(share: float) -> None:
    case = busy_jvm().counter("server", "gc_log.pause_s", "", share)
    case.counter("server", "gc_log.concurrent_s", "", 0.3)
    case.gauge("server", "gc_log.heap_after_bytes", "", 100 * MB)
    case.gauge("server", "jvm.memory_limit_bytes", "heap", 512 * MB)
    diagnosis = diagnose(case.build())
    assert diagnosis.findings[0].cause == "host_cpu"
    assert finding(diagnosis, "gc_pressure") is None


def test_pauses_that_are_as_long_as_the_slow_requests_are_their_cause() -> None:
    case = ACase(seconds=60, rate=100.0, ok=100.0, latency_s=0.01, p99_s=0.4)
    case.tier("server", kind="tomcat", runtime="jvm", cpus=(1,))
    paused = with_pauses(case.build(), np.where(pulses(60, 10, 1, 3), 0.4, 0.0))
    diagnosis = diagnose(paused)
    assert diagnosis.findings[0].cause == "gc_pressure"
    harmless = with_pauses(case.build(), np.where(pulses(60, 10, 1, 3), 0.02, 0.0))
    assert finding(diagnose(harmless), "gc_pressure") is None


def test_pauses_that_are_as_long_as_the_dips_are_deep_make_them() -> None:
    case = ACase(seconds=N, users=60, ok=dipping(), latency_s=0.02)
    case.tier("server", kind="tomcat", runtime="jvm", cpus=(1,))
    diagnosis = diagnose(with_pauses(case.build(), np.where(LOW, 0.38, 0.0)))
    assert diagnosis.findings[0].cause == "gc_pressure"
    assert diagnosis.findings[0].verdict == "likely"


# --- leaks --------------------------------------------------------------------------------------


def growing(a_request: float = 4096.0, shape: Floats | None = None) -> ACase:
    level = 40 * MB + np.random.default_rng(1).normal(0, 0.1 * MB, 45)
    level += a_request * 300 * np.arange(45) if shape is None else shape
    case = ACase(seconds=45, rate=300.0, ok=300.0, latency_s=0.004)
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=1)
    case.counter("server", "process.cpu_s", "tree", 0.4).host_cpu([0.1, 0.45])
    return case.gauge("server", "process.pss_bytes", "pid:1", level, "B")


def test_a_leak_is_said_with_bytes_a_request_and_the_time_that_is_left(snapshot: SnapshotAssertion) -> None:
    case = growing().gauge("server", "cgroup.memory_limit_bytes", "leaf", 200 * MB, "B")
    diagnosis = diagnose(case.build())
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].component) == ("leak", "server")
    assert diagnosis.findings[0].verdict == "likely"
    assert diagnosis.findings[0].detail == "memory"
    assert diagnosis.findings[0].effect == snapshot


def test_the_line_that_allocates_is_named_where_it_was_traced(snapshot: SnapshotAssertion) -> None:
    case = growing()
    sites = [
        {"place": "app.py:16", "bytes": 18_000_000, "growth_bytes": 16_500_000, "growth_blocks": 4001},
        {"place": "json.py:2", "bytes": 90_000, "growth_bytes": 13_500, "growth_blocks": 12},
    ]
    case.event(40.0, "memory_sites", "server", sites=sites)
    leak = diagnose(case.build()).findings[0]
    assert leak.mend == snapshot
    assert SeriesSource("server", "python.site_growth_bytes", "app.py:16") in [
        evidence.source for evidence in leak.evidence
    ]
    assert [evidence.text for evidence in leak.evidence] == snapshot


def test_a_cache_that_fills_is_cleared_with_its_shape(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(growing(shape=25 * MB * (1 - np.exp(-np.arange(45) / 8))).build())
    assert diagnosis.findings[0].cause == "healthy"
    clearance = cleared(diagnosis, "leak")
    assert clearance.source == SeriesSource("server", "process.pss_bytes", "tree")
    assert clearance.why == snapshot


def test_restarts_that_bound_a_leak_do_not_cure_it(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=60, rate=300.0, ok=300.0, latency_s=0.004)
    case.tier("server", kind="gunicorn", runtime="cpython", workers=1)
    for n in range(8):
        life = np.full(60, np.nan)
        life[7 * n : 7 * n + 7] = 40 * MB + 16_000 * 300 * (np.arange(7) + 0.5)
        case.gauge("server", "process.pss_bytes", f"pid:{n}", life, "B")
        case.event(7.0 * n + 7.2, "worker_died", "server", reason="recycled")
    leak = diagnose(case.build()).findings[0]
    assert leak.cause == "leak"
    assert EventSource("server", "worker_died", 8) in [evidence.source for evidence in leak.evidence]
    assert [evidence.text for evidence in leak.evidence] == snapshot
    assert leak.mend == snapshot


def test_of_descriptors_and_connections_the_connections_are_the_root(snapshot: SnapshotAssertion) -> None:
    case = growing(0.0).edge("server", "db", "127.0.0.1:5432").tier("db", kind="postgresql")
    more = np.floor(20 + 3.0 * np.arange(45))
    case.gauge("server", "process.fds", "tree", more)
    case.gauge("host", "tcp_sockets.established", "out:127.0.0.1:5432", more - 10)
    leak = diagnose(case.build()).findings[0]
    assert (leak.cause, leak.detail) == ("leak", "connections")
    assert SeriesSource("server", "process.fds", "tree") in [evidence.source for evidence in leak.evidence]
    assert [evidence.text for evidence in leak.evidence] == snapshot


def test_a_server_that_nobody_saw_is_not_said_to_leak() -> None:
    diagnosis = diagnose(ACase(seconds=45, rate=300.0, ok=300.0).build())
    assert finding(diagnosis, "leak") is None
