from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.series import Event
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import leaks
from loadrig.recording.steps import NS
from loadrig.testing.cases import ACase
from tests.stats.noises import Floats

MB = 1e6
RATE = 300.0


def grown(n: int = 45, a_request: float = 4096, start: float = 40 * MB, seed: int = 1) -> Floats:
    noise = np.random.default_rng(seed).normal(0, 0.1 * MB, n)
    level: Floats = start + a_request * RATE * np.arange(n) + noise
    return level


def a_server(seconds: int = 45, runtime: str = "cpython") -> ACase:
    return ACase(seconds=seconds, rate=RATE, ok=RATE).tier("server", kind="gunicorn", runtime=runtime)


def test_a_leak_of_four_kilobytes_is_called_within_45_seconds(snapshot: SnapshotAssertion) -> None:
    case = a_server().gauge("server", "process.pss_bytes", "pid:1", grown(), "B").build()
    course = leaks.of(case)[0]
    assert course.is_leak
    assert course.a_request == pytest.approx(4096, rel=0.05)
    assert case.harms["growth"] == snapshot


def test_workers_are_added_up() -> None:
    case = a_server()
    for pid in range(3):
        case.gauge("server", "process.pss_bytes", f"pid:{pid}", grown(a_request=1500, seed=pid), "B")
    course = leaks.of(case.build())[0]
    assert course.is_leak
    assert course.a_request == pytest.approx(4500, rel=0.05)


@pytest.mark.parametrize(
    "shape",
    [
        np.zeros(45),
        20 * MB * (1 - np.exp(-np.arange(45) / 12)),
        20 * MB * np.minimum(1, np.arange(45) / 20),
        3 * MB * np.arange(45) / 45,
    ],
    ids=["flat", "a cache that fills", "a cache with a limit", "too little to matter"],
)
def test_what_fills_or_is_small_is_no_leak(shape: Floats) -> None:
    level = grown(a_request=0) + shape
    case = a_server().gauge("server", "process.pss_bytes", "pid:1", level, "B").build()
    assert "growth" not in case.harms


def test_a_small_rise_is_no_leak_before_minutes_have_passed() -> None:
    # 4 MB of 40 in 12 s may be a cache; for three minutes it goes on, and is none.
    short = a_server(12).gauge("server", "process.pss_bytes", "pid:1", grown(12, 1400), "B").build()
    assert "growth" not in short.harms
    assert leaks.of(short)[0].slopes.word != "unsure"
    long = a_server(200).gauge("server", "process.pss_bytes", "pid:1", grown(200, 80), "B").build()
    assert "growth" not in long.harms, "200 bytes a request are the least"
    long = a_server(200).gauge("server", "process.pss_bytes", "pid:1", grown(200, 250, 200 * MB), "B").build()
    assert "growth" in long.harms


def test_a_database_and_a_cache_may_grow() -> None:
    case = a_server().tier("mariadb", kind="mariadb").tier("redis", kind="redis")
    for name in ("mariadb", "redis"):
        case.gauge(name, "process.pss_bytes", "pid:9", grown(), "B")
        case.gauge(name, "process.fds", "tree", 20 + 10.0 * np.arange(45))
    assert leaks.harm(case.build()) is None


def test_lives_of_recycled_workers_are_laid_on_each_other() -> None:
    case = a_server(60)
    for n in range(10):
        life = np.full(60, np.nan)
        life[6 * n : 6 * n + 6] = 40 * MB + 16_000 * RATE * (np.arange(6) + 0.5)
        case.gauge("server", "process.pss_bytes", f"pid:{n}", life, "B")
        case.event(6.0 * n, "worker_born", "server", memory_bytes=int(40 * MB))
    course = leaks.of(case.build())[0]
    assert course.is_leak
    assert course.slopes.lives == 9  # that of the first began before anything was read
    assert course.a_request == pytest.approx(16_000, rel=0.15)


def test_recycled_workers_that_warm_up_and_stop_leak_nothing() -> None:
    case = a_server(60)
    rng = np.random.default_rng(3)
    for n in range(5):
        life = np.full(60, np.nan)
        warm = 40 * MB + 6 * MB * (1 - np.exp(-np.arange(12) / 2))
        life[12 * n : 12 * n + 12] = warm + rng.normal(0, 0.1 * MB, 12)
        case.gauge("server", "process.pss_bytes", f"pid:{n}", life, "B")
    assert leaks.harm(case.build()) is None


def jvm(rise_bytes: float, collections: tuple[str, ...]) -> Case:
    """Pause once a second: the heap rises until one of the old generation, which leaves a rising floor."""
    case = a_server(60, "jvm").gauge("server", "jvm.memory_limit_bytes", "heap", 512 * MB, "B").build()
    events, above = [], 0.0
    for second in range(60):
        kind = collections[second % len(collections)]
        above = 0.0 if kind in ("Mixed", "Full") else above + 3 * MB
        after = 100 * MB + rise_bytes * second + above
        facts = {"kind": kind, "after_bytes": after, "duration_s": 0.005}
        at_ns = case.origin_ns + second * NS + NS // 2
        events.append(Event(at_ns, "gc_pause", "", kind, facts, "server"))
    return replace(case, events=tuple(events))


def test_the_floor_of_a_heap_tells_a_leak_from_garbage() -> None:
    regular = ("Young", "Young", "Young", "Mixed")
    (course, *_) = leaks.of(jvm(2 * MB, regular))
    assert course.is_leak
    assert course.a_request == pytest.approx(2 * MB / RATE, rel=0.1)
    assert course.to_limit_s(RATE) == pytest.approx((512 - 220) / 2, rel=0.1)
    assert leaks.harm(jvm(0.0, regular)) is None


def test_a_heap_whose_old_part_was_never_collected_is_not_judged() -> None:
    assert leaks.of(jvm(0.0, ("Young",))) == ()


def test_go_and_node_are_judged_by_what_collections_leave() -> None:
    saw = 8 * MB * (np.arange(60) % 2)
    go = a_server(60, "go").gauge("server", "go.heap_alloc_bytes", "", grown(60) + saw, "B")
    assert leaks.of(go.build()) == ()  # no collection was seen
    go.counter("server", "go.gc_cycles", "", 0.5)
    assert leaks.of(go.build())[0].is_leak
    node = a_server(60, "node").gauge("server", "node.heap_used_bytes", "pid:7", grown(60) + saw, "B")
    node.counter("server", "node.gc_major_pause_s", "pid:7", np.where(np.arange(60) % 2, 0.0, 0.01))
    assert leaks.of(node.build())[0].is_leak


@pytest.mark.parametrize("runtime", ["go", "node"])
def test_a_program_whose_heap_nobody_saw_is_suspected_by_its_memory(
    runtime: str, snapshot: SnapshotAssertion
) -> None:
    case = a_server(60, runtime).gauge("server", "process.rss_bytes", "tree", grown(60), "B").build()
    (course, *_) = leaks.of(case)
    assert (course.is_leak, course.is_sure) == (True, False)
    (finding,) = diagnose(case).findings
    assert (finding.cause, finding.verdict) == ("leak", "possible")
    assert finding.missing == snapshot


def test_memory_that_was_seldom_read_process_by_process_is_judged_as_a_whole() -> None:
    case = a_server().gauge("server", "process.rss_bytes", "tree", grown(), "B")
    seldom = grown()
    seldom[[n for n in range(45) if n not in (10, 20)]] = np.nan
    case.gauge("server", "process.pss_bytes", "pid:1", seldom, "B")
    (course, *_) = leaks.of(case.build())
    assert (course.is_leak, course.what) == (True, "memory (RSS)")


def test_descriptors_that_are_never_closed_are_called_with_the_time_to_their_limit() -> None:
    fds = np.floor(30 + 0.1 * RATE * np.arange(45))
    case = a_server().gauge("server", "process.fds", "tree", fds)
    case.gauge("server", "process.fds_share", "tree", fds / 2048)
    (course, *_) = leaks.of(case.build())
    assert (course.kind, course.is_leak) == ("descriptors", True)
    assert course.a_request == pytest.approx(0.1, rel=0.05)
    assert course.to_limit_s(RATE) == pytest.approx((2048 - 1350) / 30, rel=0.1)


def test_descriptors_of_requests_that_pile_up_are_in_use_and_not_lost() -> None:
    waiting = 10.0 * np.arange(45)
    case = ACase(seconds=45, rate=RATE, ok=RATE - 10, in_flight=waiting)
    case.tier("server", kind="go", runtime="go").gauge("server", "process.fds", "tree", 30 + waiting)
    case.gauge("server", "go.goroutines", "", 10 + 2 * waiting)
    assert leaks.harm(case.build()) is None


def test_descriptors_of_requests_that_were_given_up_and_still_wait_are_no_leak() -> None:
    case = ACase(seconds=45, rate=RATE, ok=10.0, failed={"timeout": RATE - 10}, in_flight=500.0)
    case.tier("server", kind="tomcat", runtime="jvm")
    case.gauge("server", "process.fds", "tree", 1_000 + 0.7 * RATE * np.arange(45))
    assert leaks.harm(case.build()) is None


def test_descriptors_of_logins_that_were_given_up_are_no_leak() -> None:
    case = (
        a_server(runtime="jvm").gauge("server", "process.fds", "tree", 1_000 + 13.0 * np.arange(45)).build()
    )
    assert "growth" in case.harms
    lost = replace(case, load=replace(case.load, failed_logins=np.full(45, 20.0)), remembered={})
    assert "growth" not in lost.harms


def test_connections_that_are_never_closed_are_the_callers_leak() -> None:
    case = a_server().tier("db", kind="postgresql").edge("server", "db", "127.0.0.1:5432")
    case.gauge("host", "tcp_sockets.established", "out:127.0.0.1:5432", np.floor(5 + 3.0 * np.arange(45)))
    (course, *_) = leaks.of(case.build())
    assert (course.component, course.kind, course.is_leak) == ("server", "connections", True)


def test_gaps_and_a_server_that_nobody_saw_say_nothing() -> None:
    assert leaks.of(ACase(seconds=30, rate=10.0, ok=10.0).build()) == ()
    level = grown()
    level[::2] = np.nan
    case = a_server().gauge("server", "process.pss_bytes", "pid:1", level, "B").build()
    assert leaks.of(case)[0].is_leak


@pytest.mark.parametrize(("dearer", "verdict"), [(3.0, "likely"), (1.0, "possible")])
def test_memory_that_grows_with_the_cost_of_a_request_is_no_garbage(dearer: float, verdict: str) -> None:
    """A collector that was not seen may free what only grew, and garbage makes no request dearer."""
    cost_s = 1e-3 * np.linspace(1.0, dearer, 20)
    case = ACase(seconds=20, users=8, ok=0.95 / cost_s, latency_s=0.01, in_flight=8.0)
    case.tier("server", kind="node", runtime="node", cpus=(1,)).counter(
        "server", "process.cpu_s", "tree", 0.95
    )
    level = 60 * MB + 3000 * np.cumsum(0.95 / cost_s)
    case.gauge("server", "process.rss_bytes", "tree", level, "B")
    leak = next(finding for finding in diagnose(case.build()).findings if finding.cause == "leak")
    assert leak.verdict == verdict
    assert ("drift" in leak.harms) is (dearer > 1)


@pytest.mark.parametrize(
    ("rise", "collections", "leaks_it"), [(2 * MB, 0.25, True), (0.0, 0.25, False), (2 * MB, 0.0, False)]
)
def test_the_heap_that_a_jvm_publishes_tells_a_leak_where_it_was_collected_as_a_whole(
    rise: float, collections: float, leaks_it: bool
) -> None:
    """Without a log of collections the published heap falls to what is alive once in four seconds."""
    seconds = np.arange(40)
    level = 30 * MB + rise * seconds + 5 * MB * (seconds % 4)
    case = a_server(40, "jvm").gauge("server", "jvm.heap_published_bytes", "", level, "B")
    whole = np.where(seconds % 4 == 0, 4 * collections, 0.0)
    case.counter("server", "jvm.collections", "Serial full collection pauses", whole, "1")
    case.counter("server", "jvm.collections", "Serial young collection pauses", 1.0, "1")
    assert ("growth" in case.build().harms) is leaks_it


@pytest.mark.parametrize(("dearer", "leaks_it"), [(6.0, True), (1.0, False)])
def test_memory_that_may_fill_up_is_a_leak_where_requests_become_dearer(
    dearer: float, leaks_it: bool
) -> None:
    """A cache that fills makes requests cheaper; what grows by ever less is else taken for one."""
    cost_s = 1e-3 * np.sqrt(np.linspace(1.0, dearer**2, 20))
    case = ACase(seconds=20, users=8, ok=0.95 / cost_s, latency_s=0.01, in_flight=8.0)
    case.tier("server", runtime="go", cpus=(1,)).counter("server", "process.cpu_s", "tree", 0.95)
    level = 10 * MB + 40 * MB * (1 - np.exp(-np.arange(20) / 7))
    case.gauge("server", "process.rss_bytes", "tree", level, "B")
    built = case.build()
    assert not leaks.of(built)[0].is_leak
    assert ("growth" in built.harms) is leaks_it
    named = {finding.cause for finding in diagnose(built).findings if finding.verdict == "likely"}
    assert ("leak" in named) is leaks_it
