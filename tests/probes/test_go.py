"""A real Go program as the probe sees it: with pprof and without, short of CPU, stopped, started anew."""

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import cgroups
from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address
from loadrig.discovery._elf import go_build
from loadrig.probes import go
from loadrig.probes._go import pages as _go_pages
from loadrig.probes._go import runtime as _go_runtime
from loadrig.probes._go import text as _go_text
from loadrig.probes._session import Place, Unavailable, parse_pairs
from tests.probes.watching import watching, wording
from tests.servers import go as servers
from tests.servers._announced import Announced, announced

RECORDED = Path(__file__).parent / "recorded" / "go"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("go")
    return {name: servers.build(name, folder) for name in ("watched", "plain")}


def test_the_text_of_each_page_gives_what_stands_in_it() -> None:
    stats = _go_text.parse_heap((RECORDED / "heap.txt").read_text())
    assert stats is not None
    assert stats.numbers["HeapAlloc"] == 31645536
    assert stats.numbers["TotalAlloc"] == 31782464
    assert stats.cycles == 6
    # The pause of a collection is what its line in the trace says, in both its parts.
    traces = [_go_text.parse_trace(line) for line in (RECORDED / "gctrace.txt").read_text().splitlines()]
    assert [trace.number for trace in traces if trace] == [1, 2, 3, 4, 5, 6]
    for trace in traces:
        if trace is not None:
            assert stats.pause(trace.number)[0] / 1e9 == pytest.approx(trace.pause_s, rel=0.15)
            assert trace.is_forced == (trace.number > 3)
            assert trace.procs == 2
    goroutines = _go_text.parse_goroutines((RECORDED / "goroutine.txt").read_text())
    assert goroutines is not None
    assert goroutines.total == sum(goroutines.by_start.values()) == sum(goroutines.by_place.values())
    assert goroutines.by_start["main.leaked"] == goroutines.by_place["main.leaked"] == 40
    mutex = _go_text.parse_contention((RECORDED / "mutex.txt").read_text())
    assert mutex is not None
    assert mutex.sampled_every == 1
    assert mutex.seconds == pytest.approx(0.067, abs=0.001)
    block = _go_text.parse_contention((RECORDED / "block.txt").read_text())
    assert block is not None
    assert block.sampled_every is None
    assert block.seconds > mutex.seconds


def test_expvar_and_pprof_tell_the_same_memory() -> None:
    shown = _go_text.parse_vars((RECORDED / "vars.json").read_text())
    assert shown is not None
    assert shown.cycles == 6
    assert shown.pause_total_ns == sum(shown.pauses)
    assert shown.numbers["HeapSys"] == 37289984


def test_a_page_of_the_go_client_gives_the_figures_by_our_names() -> None:
    figures = _go_pages.parse_figures((RECORDED / "metrics.txt").read_text())
    assert figures["gomaxprocs"] == 2
    assert figures["goroutines"] == 6
    assert figures["heap_alloc_bytes"] == figures["allocated_bytes"] == 282640
    assert figures.keys() <= go.METRICS.keys()


@pytest.mark.parametrize("name", ["heap.txt", "goroutine.txt", "mutex.txt", "vars.json", "metrics.txt"])
def test_a_page_cut_anywhere_is_read_or_refused_and_no_fault(name: str) -> None:
    text = (RECORDED / name).read_text()
    for end in range(0, len(text), max(1, len(text) // 200)):
        for parse in (
            _go_text.parse_heap,
            _go_text.parse_vars,
            _go_text.parse_goroutines,
            _go_text.parse_contention,
            _go_pages.parse_figures,
        ):
            parse(text[:end])
    assert _go_text.parse_heap("<html>heap profile</html>") is None
    assert _go_text.parse_trace("gc is not a line of the trace") is None


@pytest.mark.parametrize(
    ("version", "env", "own", "expected"),
    [
        ("1.26.8", {}, None, 8),
        ("1.26.8", {}, 0.25, 2),  # never below 2
        ("1.26.8", {}, 2.5, 3),
        ("1.26.8", {}, 100.0, 8),
        ("1.24.1", {}, 0.25, 8),  # did not look
        ("", {}, 0.25, 8),
        ("1.26.8", {"GOMAXPROCS": "5"}, 0.25, 5),
        ("1.26.8", {"GOMAXPROCS": "many"}, 0.25, 2),
        ("1.26.8", {"GODEBUG": "gctrace=1,containermaxprocs=0"}, 0.25, 8),
    ],
)
def test_gomaxprocs_is_worked_out_as_the_runtime_does(
    version: str, env: dict[str, str], own: float | None, expected: int
) -> None:
    assert _go_runtime.cores_of(version, env, None, 8, (own, own)).procs == expected


def test_a_program_tells_its_version_and_other_files_tell_nothing(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    build = go_build(programs["plain"])
    assert build is not None
    assert build.version == servers.version()
    assert go_build(Path("/bin/sh")) is None
    cut = tmp_path / "cut"
    cut.write_bytes(b"\xff Go buildinf:\x08\x02" + bytes(16) + b"\xff")
    assert go_build(cut) is None
    assert go_build(tmp_path / "absent") is None


def test_prepare_adds_the_trace_to_what_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert go.prepare(go.Options(), tmp_path) == {}
    monkeypatch.delenv("GODEBUG", raising=False)
    assert go.prepare(go.Options(gctrace=True), tmp_path) == {"GODEBUG": "gctrace=1"}
    monkeypatch.setenv("GODEBUG", "netdns=go")
    assert go.prepare(go.Options(gctrace=True), tmp_path) == {"GODEBUG": "netdns=go,gctrace=1"}


def test_a_program_elsewhere_whose_pages_nobody_names_is_unavailable(snapshot: SnapshotAssertion) -> None:
    elsewhere = Component(SERVER, "program", runtime="go", address=Address("192.0.2.1", 80))
    with pytest.raises(Unavailable) as raised:
        go.attach(go.Options(), elsewhere, Place())
    assert raised.value.code == "probe.no-process"
    with pytest.raises(Unavailable) as raised:
        go.attach(go.Options(pprof="localhost:6060"), elsewhere, Place())
    assert (raised.value.code, raised.value.reason) == snapshot


@pytest.mark.integration
def test_leaked_goroutines_kept_memory_and_contended_locks_are_seen(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    with (
        servers.started_go(programs["watched"], tmp_path) as server,
        watching(go, server.component()) as watched,
    ):
        before = watched.look()
        server.get("/leak?n=300")
        server.get("/contend?n=4&ms=20")
        server.get("/allocate?mb=40")
        server.get("/collect?n=2")
        after = watched.look()
        # Four that hold a lock for 20 ms each: they wait for 0, 20, 40 and 60 ms.
        watched.until(lambda values: values["mutex_wait_s", ""] >= 0.12)
        watched.until(lambda values: values["block_wait_s", ""] >= 0.12)
    assert before["gomaxprocs", ""] == len(os.sched_getaffinity(0))
    assert after["started", "main.leaked"] == 300
    assert after["goroutines", ""] > 300 > before["goroutines", ""]
    for by in ("started", "waiting_in"):
        assert sum(n for (metric, _), n in after.items() if metric == by) == after["goroutines", ""]
    assert after["heap_alloc_bytes", ""] > before["heap_alloc_bytes", ""] + (40 << 20)
    assert after["allocated_bytes", ""] > before["allocated_bytes", ""] + (40 << 20)
    assert after["gc_cycles", ""] >= before["gc_cycles", ""] + 2
    assert after["gc_pause_s", ""] >= after["gc_longest_pause_s", ""] > 0
    assert watched.faults == []


@pytest.mark.integration
def test_a_program_without_pprof_is_said_once_and_seen_from_outside(
    programs: dict[str, Path], tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    with (
        servers.started_go(programs["plain"], tmp_path, {"GOMAXPROCS": "1"}) as server,
        watching(go, server.component()) as watched,
    ):
        watched.look()
        values = watched.look()
    assert values["gomaxprocs", ""] == 1
    assert values["threads", ""] >= 1
    assert ("goroutines", "") not in values
    (note,) = watched.of_kind("note")
    assert note.facts["code"] == "probe.not-that"
    assert 'import _ "net/http/pprof"' in note.text
    (runtime,) = watched.of_kind("go_runtime")
    assert runtime.facts["version"] == servers.version()
    assert wording(runtime.text) == snapshot
    assert watched.faults == []


def last_cycle(log: Path) -> int:
    """Return the number of the collection in the last line of a trace."""
    return int(re.findall(r"^gc (\d+) ", log.read_text(), re.MULTILINE)[-1])


@pytest.mark.integration
def test_the_trace_gives_the_collections_of_a_program_without_pprof(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    trace = go.prepare(go.Options(gctrace=True), tmp_path)
    with servers.started_go(programs["plain"], tmp_path, trace) as server:
        server.get("/allocate?mb=30")
        server.get("/collect?n=5")
        now_ns = time.monotonic_ns()
        lines = server.log.read_text().count("\ngc ")
        # A machine that is not short of anything has no pause worth an event: one is added by hand.
        with server.log.open("a") as log:
            log.write("gc 99 @0.010s 1%: 2.5+0.4+1.5 ms clock, 5+0/0.1/0+3 ms cpu, 8->9->5 MB, 10 MB goal, ")
            log.write("0 MB stacks, 0 MB globals, 2 P\n")
        with watching(go, server.component(), gctrace=True) as watched:
            # The program may end a collection of its own after that line: the last line of all counts.
            watched.until(lambda values: values["gc_cycles", ""] == last_cycle(server.log))
            watched.until(lambda values: values["gc_pause_s", ""] > 0)
            watched.look()
    assert lines >= 5
    (event,) = [event for event in watched.of_kind("gc_pause") if event.facts["before_bytes"] == 8 << 20]
    assert event.facts["duration_s"] == pytest.approx(0.004)
    assert event.facts["after_bytes"] == 9 << 20
    assert now_ns - 20e9 < event.t_ns < now_ns


@pytest.mark.integration
def test_a_stopped_program_is_a_gap_and_is_read_again_when_it_goes_on(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    with (
        servers.started_go(programs["watched"], tmp_path) as server,
        watching(go, server.component()) as watched,
    ):
        watched.look()
        os.kill(server.pid, signal.SIGSTOP)
        lost = watched.until_lost()
        os.kill(server.pid, signal.SIGCONT)
        values = watched.look()
    assert lost.code == "probe.no-answer"
    assert values["goroutines", ""] > 0


@pytest.mark.integration
def test_the_successor_of_a_program_that_died_counts_on(
    programs: dict[str, Path], tmp_path: Path, free_port: int
) -> None:
    port = {"PORT": str(free_port)}
    # Named by URL alone, as where its process cannot be seen: nothing else tells that it is another one.
    unseen = Component(SERVER, "program", runtime="go")
    with watching(go, unseen, pprof=f"http://127.0.0.1:{free_port}/debug/pprof") as watched:
        with servers.started_go(programs["watched"], tmp_path, port) as server:
            server.get("/allocate?mb=50")
            first = watched.until(lambda values: values["allocated_bytes", ""] > 50 << 20)
        lost = watched.until_lost()
        with servers.started_go(programs["watched"], tmp_path, port):
            second = watched.look()
    assert lost.code == "probe.no-answer"
    assert second["heap_alloc_bytes", ""] < first["heap_alloc_bytes", ""]
    assert second["allocated_bytes", ""] > first["allocated_bytes", ""]


@pytest.mark.integration
def test_a_page_that_is_not_pprof_is_a_gap_that_says_so(programs: dict[str, Path], tmp_path: Path) -> None:
    with servers.started_go(programs["watched"], tmp_path) as server:
        unseen = Component(SERVER, "program", runtime="go")
        with watching(go, unseen, pprof=f"{server.url}/burn") as watched:
            # expvar is tried too, and it is there.
            assert watched.look()["allocated_bytes", ""] > 0
    with (
        servers.started_go(programs["plain"], tmp_path) as server,
        watching(go, unseen, pprof=f"{server.url}/burn") as watched,
    ):
        assert watched.until_lost().code == "probe.not-that"
        assert watched.until_lost().code == "probe.not-that"


@contextmanager
def a_quarter_of_a_core() -> Iterator[Path]:
    """Yield a control group with a quota, made and removed; skips where that is not permitted."""
    v1 = [mount for mount in cgroups.mounts() if "cpu" in mount.controllers]
    own = cgroups.of().get("cpu") if v1 else cgroups.of().get("2")
    if own is None:
        pytest.skip("control groups are not mounted here")
    group = own / f"loadrig-test-go-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"a control group may not be made here ({error.strerror}): run as root")
    try:
        try:
            if v1:
                (group / "cpu.cfs_quota_us").write_text("25000")
            else:
                (group / "cpu.max").write_text("25000 100000")
        except OSError as error:
            pytest.skip(f"a control group may have no CPU quota here: {error.strerror}")
        yield group
    finally:
        end = time.monotonic() + 60
        while not cgroups.remove(group) and time.monotonic() < end:
            time.sleep(0.02)


@contextmanager
def starved(program: Path, group: Path, folder: Path) -> Iterator[Announced]:
    enter = f'echo $$ > {group}/cgroup.procs && exec "$0"'
    with announced(["/bin/sh", "-c", enter, str(program)], folder, "go", servers.version()) as server:
        yield server


@pytest.mark.integration
def test_a_program_with_a_quarter_of_a_core_is_watched_while_it_starves(
    programs: dict[str, Path], tmp_path: Path
) -> None:
    with (
        a_quarter_of_a_core() as group,
        starved(programs["watched"], group, tmp_path) as server,
        watching(go, server.component(cgroup=group)) as watched,
    ):
        threads = int(server.get("/gomaxprocs"))

        def load() -> None:
            with contextlib.suppress(OSError):
                server.get("/burn?n=60000000")

        users = [threading.Thread(target=load) for _ in range(8)]
        for user in users:
            user.start()
        watched.until(lambda values: values["quota_cores", ""] == 0.25 or watched.lost)
        for user in users:
            user.join()
        reading = watched.look()
        stalls = parse_pairs((group / "cpu.stat").read_text())
    # The runtime rounds 0.25 up to 2: more threads than it may use.
    assert reading["gomaxprocs", ""] == threads
    assert reading["quota_cores", ""] == 0.25
    assert reading["goroutines", ""] > 0
    (runtime,) = watched.of_kind("go_runtime")
    assert runtime.facts["gomaxprocs"] == threads
    assert runtime.facts["quota_cores"] == 0.25
    assert stalls["nr_throttled"] > 0
    assert {lost.code for lost in watched.lost} <= {"probe.no-answer"}


def test_a_pause_is_dated_by_the_wall_clock_of_its_end() -> None:
    stats = _go_text.parse_heap((RECORDED / "heap.txt").read_text())
    assert stats is not None
    _, end_ns = stats.pause(stats.cycles)
    assert end_ns == pytest.approx(stats.numbers["LastGC"], abs=1000)
