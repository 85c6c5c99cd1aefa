"""Holders of a full resource, who use it for what could be spared."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from loadrig.account.background import Background
from loadrig.account.observations import Threads
from loadrig.base.series import Event
from loadrig.judgement.constants import BATCH_SPARES
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Edge
from loadrig.judgement.limits.bottlenecks import Bottleneck, judgement_of
from loadrig.profilers import Own, StackFrame
from loadrig.recording.service_map import MapComponent
from loadrig.recording.steps import NS
from loadrig.testing.cases import ACase
from tests.account.made import a_call, a_component, each
from tests.judgement.scenes import scene
from tests.profilers.test_cpu_time import JSON, VIEW, burst

N = 30
IMPORT = (StackFrame("_find_and_load", "<frozen importlib._bootstrap>", 9),)


def first(case: Case) -> Bottleneck:
    assert case.account is not None
    return judgement_of(case).bottlenecks[0]


FILES = (StackFrame("copyfile", "/usr/lib/python3.11/shutil.py", 9),)


def writing(folder: Path, flushes: float) -> Case:
    """Return a server whose requests write files, with so many flushes of the disk for each of them."""
    case = scene(100.0, {"in_hand": 4.0, "accept_queue": 20.0, "disk": 1.0}, cpu=0.95)
    observed = ACase(seconds=30).counter("host", "disks.flushes", "vda", 100.0 * flushes, "1")
    observed.counter("host", "disks.written_bytes", "vda", 4e6, "B")
    observed.counter("server", "process.disk_written_bytes", "tree", 3e6, "B")
    series = {**case.series, **observed.build().series}
    return replace(case, series=series, profiles=(burst(folder, 1, {FILES: 120, VIEW: 80}),))


@pytest.mark.parametrize(("flushes", "cause"), [(2.0, "disk_io"), (0.01, "request_overhead")])
def test_files_that_each_request_makes_durable_are_the_disks(
    tmp_path: Path, flushes: float, cause: str
) -> None:
    bottleneck = first(writing(tmp_path, flushes))
    assert (bottleneck.cause, bottleneck.component) == (cause, "server")


@pytest.mark.parametrize(
    ("lines", "library", "cause"),
    [
        (9.0, "libruby-3.1.so.3.1.2", "request_overhead"),
        (1.0, "libruby-3.1.so.3.1.2", "host_cpu"),
        (9.0, "libfast.so.1", "host_cpu"),
    ],
)
def test_lines_of_a_log_cost_a_program_whose_functions_no_profile_names(
    tmp_path: Path, lines: float, library: str, cause: str
) -> None:
    """Nine lines take 45 µs of the 0.3 ms of a request where a language is interpreted, else 9 µs."""
    case = scene(3_200.0, {"in_hand": 4.0, "accept_queue": 20.0}, cpu=0.96, waited_s=3.0)
    logs = ACase(seconds=30).counter("server", "server_log.lines", "", 3_200.0 * lines, "1").build()
    unnamed = (StackFrame("[unknown]", "", 0, f"/usr/lib/{library}"),)
    case = replace(
        case, series={**case.series, **logs.series}, profiles=(burst(tmp_path, 1, {unnamed: 190}),)
    )
    assert first(case).cause == cause


@pytest.mark.parametrize(
    ("faults", "refaults", "limit", "cause"),
    [
        (3.0, 0.0, 61e6, "memory_pressure"),
        (0.0, 3.0, 61e6, "memory_pressure"),
        (0.02, 0.02, 61e6, "request_overhead"),
        (3.0, 3.0, 400e6, "request_overhead"),
    ],
)
def test_files_that_are_read_back_for_want_of_memory_are_the_memorys(
    tmp_path: Path, faults: float, refaults: float, limit: float, cause: str
) -> None:
    """Pages of a map are faults of its process; files that are read again are counted by the group alone."""
    case = writing(tmp_path, 0.01)
    observed = ACase(seconds=30).counter("server", "process.major_faults", "tree", 100.0 * faults, "1")
    observed.counter("server", "cgroup.memory_refaults", "/shop", 100.0 * refaults, "1")
    observed.gauge("server", "cgroup.memory_bytes", "/shop", 60.9e6, "B")
    observed.gauge("server", "cgroup.memory_limit_bytes", "/shop", limit, "B")
    observed.counter("host", "memory.stalled_some_s", "", 0.2)
    case = replace(case, series={**case.series, **observed.build().series})
    bottleneck = first(case)
    assert (bottleneck.cause, bottleneck.component) == (cause, "server")


@pytest.mark.parametrize("is_counted", [False, True])
def test_where_rows_are_counted_a_profile_of_reading_them_says_nothing_of_an_index(
    tmp_path: Path, is_counted: bool
) -> None:
    """Reading rows is what a database does: whether they need to be read the counters tell."""
    database = a_component("mariadb", n=N, total=23.0, in_hand=23.0, cores=1.0, running=0.9, runnable=2.0)
    server = {"in_hand": 24.0, "calls": (a_call("mariadb", 23.0, n=N),)}
    case = scene(100.0, server, [database], cpu=0.05, behind_cpu=0.9, busy=0.96)
    reading = (StackFrame("rr_sequential"), StackFrame("ha_innobase::rnd_next"))
    profile = replace(
        burst(tmp_path, 1, {reading: 120, (StackFrame("evaluate_join_record"),): 80}),
        component="mariadb", own=Own("native"),
    )  # fmt: skip
    counted = ACase(seconds=N).counter("mariadb", "mariadb.rows_scanned", "", 5e6, "1").build().series
    series = {**case.series, **(counted if is_counted else {})}
    judgement = judgement_of(replace(case, profiles=(profile,), series=series))
    named = {(each.cause, each.component) for each in judgement.bottlenecks}
    assert (("missing_index", "mariadb") in named) is not is_counted


def test_of_two_kinds_of_work_that_which_is_too_much_is_called_so(tmp_path: Path) -> None:
    """Serialise for a quarter of the time, which is usual, and compress for a fifth, which need not be."""
    case = scene(100.0, {"in_hand": 4.0, "accept_queue": 20.0}, cpu=0.98)
    gzip = (StackFrame("compress", "/usr/lib/python3.11/gzip.py", 9),)
    profiles = (burst(tmp_path, 1, {JSON: 50, gzip: 40, VIEW: 110}),)
    bottleneck = first(replace(case, profiles=profiles))
    assert bottleneck.cause == "request_overhead"
    assert bottleneck.holder is not None
    assert bottleneck.holder.work == "compress"


def test_without_durable_writes_a_request_waits_for_no_disk_either(tmp_path: Path) -> None:
    durable, files = first(writing(tmp_path, 2.0)), first(writing(tmp_path, 0.01))
    assert durable.gain >= files.gain


def asking_much(detail: str) -> Bottleneck:
    """Return the bottleneck of a server that asks a database on its core, nine tenths of its time."""
    database = a_component("mariadb", n=N, total=1.0, in_hand=1.0, cores=1.0)
    server = {"in_hand": 24.0, "calls": (a_call("mariadb", 12.0, n=N),)}
    case = scene(100.0, server, [database], cpu=0.3, behind_cpu=0.3, busy=0.97)
    finding = Finding(
        "n_plus_one", "server", "likely", "many questions", "", "", "", 3.0, (), detail=detail, bound=0.9
    )
    (held,) = [each for each in judgement_of(case, [finding]).bottlenecks if each.cause == "n_plus_one"]
    return held


def test_what_is_not_asked_spares_the_database_on_the_same_core_too() -> None:
    both, server_alone = asking_much("statements: mariadb"), asking_much("statements: another")
    assert both.share > 1.9 * server_alone.share
    assert both.gain > server_alone.gain


def test_the_rows_of_a_loop_of_statements_must_still_be_read() -> None:
    """Let statements take nine tenths of 0.6 cores: one for all of them spares no more than most of that."""
    assert asking_much("statements: mariadb").share == pytest.approx(
        0.9 * 0.6 * BATCH_SPARES / 0.97, rel=0.02
    )


def starting(folder: Path, *, workers: int, died: bool) -> Case:
    """Return a server whose CPU time goes to imports, nine parts of ten, and that also drops requests."""
    facts = {"workers": workers, "runtime": "cpython", "kind": "gunicorn"}
    case = scene(100.0, {"in_hand": 2.0, "unread": 22.0}, cpu=0.98, facts=facts)
    event = Event(case.origin_ns + 10 * NS, "worker_died", "", "it ended", {}, "server")
    failed = replace(case.load, failed=case.load.ok / 20)
    profiles = (burst(folder, 1, {IMPORT: 180, VIEW: 20}),)
    return replace(case, profiles=profiles, events=(event,) if died else (), load=failed)


@pytest.mark.parametrize(
    ("workers", "died", "cause"),
    [(24, False, "too_many_workers"), (2, True, "restarts_in_step"), (2, False, "warm_up")],
)
def test_what_starts_up_under_load_holds_the_core(
    tmp_path: Path, workers: int, died: bool, cause: str
) -> None:
    bottleneck = first(starting(tmp_path, workers=workers, died=died))
    assert (bottleneck.cause, bottleneck.component) == (cause, "server")
    assert bottleneck.gain > 2


@pytest.mark.parametrize(
    ("workers", "ready", "switches", "cause"),
    [
        (64, 120.0, 4_000.0, "too_many_workers"),
        (64, 24.0, 4_000.0, "host_cpu"),
        (64, 120.0, 100.0, "host_cpu"),
        (2, 120.0, 4_000.0, "host_cpu"),
    ],
)
def test_workers_that_are_woken_beyond_the_requests_there_are_hold_the_core(
    workers: int, ready: float, switches: float, cause: str
) -> None:
    """24 users: more than 24 workers cannot have a request, and threads that never sleep are not woken."""
    facts = {"workers": workers, "runtime": "cpython", "kind": "gunicorn"}
    case = scene(1_000.0, {"accept_queue": 16.0, "in_hand": 8.0, "runnable": 6.0}, cpu=0.98, facts=facts)
    observed = ACase(seconds=N).gauge("server", "process.threads", "state:R", ready)
    observed.counter("server", "process.voluntary_switches", "tree", switches, "1")
    bottleneck = first(replace(case, series={**case.series, **observed.build().series}))
    assert (bottleneck.cause, bottleneck.component) == (cause, "server")


@pytest.mark.parametrize(
    ("workers", "fastest_s", "switches", "cause"),
    [
        (32, 0.4e-3, 900.0, "too_many_workers"),
        (32, 0.9e-3, 900.0, "host_cpu"),
        (32, 0.4e-3, 100.0, "host_cpu"),
        (2, 0.4e-3, 900.0, "host_cpu"),
    ],
    ids=["cold", "warm", "seldom switched", "few"],
)
def test_workers_that_make_each_other_s_requests_dearer_hold_the_core(
    workers: int, fastest_s: float, switches: float, cause: str
) -> None:
    """A request costs 0.98 ms: where one alone needs that, too, the workers cost each other nothing."""
    facts = {"workers": workers, "runtime": "node"}
    case = scene(1_000.0, {"unread": 8.0, "in_hand": 16.0, "runnable": 15.0}, cpu=0.98, facts=facts)
    watched = ACase(seconds=N).gauge("server", "process.threads", "state:R", 16.0)
    watched.counter("server", "process.voluntary_switches", "tree", switches / 2, "1")
    watched.counter("server", "process.involuntary_switches", "tree", switches / 2, "1")
    load = replace(case.load, latency_of_route=lambda _, q: fastest_s if q < 0.5 else 0.024)
    bottleneck = first(replace(case, load=load, series={**case.series, **watched.build().series}))
    assert (bottleneck.cause, bottleneck.component) == (cause, "server")


@pytest.mark.parametrize(("processes", "is_crowd"), [(1.0, False), (9.0, True)])
def test_threads_beside_one_event_loop_are_no_crowd_of_workers(processes: float, is_crowd: bool) -> None:
    """Let a loop's collector run in threads of its own: no request has them."""
    case = scene(100.0, {"unread": 20.0, "in_hand": 4.0}, cpu=0.98, facts={"runtime": "node"})
    watched = ACase(seconds=N).gauge("server", "process.threads", "state:R", 5.0)
    watched.gauge("server", "process.processes", "tree", processes)
    judgement = judgement_of(replace(case, series={**case.series, **watched.build().series}))
    named = {each.cause for each in (*judgement.bottlenecks, *judgement.minor)}
    assert ("too_many_workers" in named) is is_crowd


@pytest.mark.parametrize(("deaths", "cause"), [(4, "restarts_in_step"), (3, "host_cpu")])
def test_what_runs_without_a_request_is_the_start_of_workers_where_all_of_them_died(
    deaths: int, cause: str
) -> None:
    facts = {"workers": 4, "runtime": "cpython", "kind": "gunicorn"}
    ran_on = Background(each(0.7, N), each(0.0, N))
    case = scene(20.0, {"in_hand": 1.0, "unread": 23.0, "background": ran_on}, cpu=0.98, facts=facts)
    died = [
        Event(case.origin_ns + (5 + number) * NS, "worker_died", "", "it ended", {}, "server")
        for number in range(deaths)
    ]
    failed = replace(case.load, failed=case.load.ok / 20)
    bottleneck = first(replace(case, events=tuple(died), load=failed))
    assert (bottleneck.cause, bottleneck.component) == (cause, "server")


@pytest.mark.parametrize(("given_up", "cause"), [(800.0, "slow_dependency"), (0.0, "host_cpu")])
def test_what_runs_without_a_request_are_calls_whose_callers_gave_up(given_up: float, cause: str) -> None:
    call, ran_on = a_call("offers", 20.0, n=N), Background(each(0.6, N), each(0.0, N))
    offers = a_component(
        "offers", total=20.0, cores=1.0, running=0.9, background=ran_on, abandoned=given_up, n=N
    )
    case = scene(100.0, {"in_hand": 24.0, "calls": (call,)}, (offers,), cpu=0.05, busy=0.98, behind_cpu=0.9)
    bottleneck = first(case)
    assert (bottleneck.cause, bottleneck.component) == (cause, "offers")


def behind_a_cache(evicted: float) -> Case:
    """Return a server before a full database and a cache that misses 90 of 100 look-ups, with evictions."""
    call = a_call("postgresql", 20.0, n=N)
    database = a_component("postgresql", total=20.0, cores=1.0, running=0.9, n=N)
    case = scene(100.0, {"in_hand": 24.0, "calls": (call,)}, (database,), cpu=0.08, busy=0.98, behind_cpu=0.9)
    cached = ACase(seconds=N)
    for name, rate in (("hits", 10.0), ("misses", 90.0), ("evictions", evicted)):
        cached.counter("cache", f"memcached.{name}", "", rate, "1")
    cached.tier("cache", kind="memcached", cpus=(0,)).edge("server", "cache", "127.0.0.1:11211")
    cache = cached.build()
    components = tuple(
        structs.replace(row, kind="postgresql") if row.name == "postgresql" else row
        for row in case.components
    )
    return replace(
        case, components=(*components, *cache.components), edges=(*case.edges, *cache.edges),
        series={**case.series, **cache.series},
    )  # fmt: skip


def test_a_cache_without_room_is_accused_of_the_statements_that_it_should_have_spared() -> None:
    bottleneck = first(behind_a_cache(evicted=80.0))
    assert (bottleneck.cause, bottleneck.component) == ("cache_bottleneck", "cache")
    assert bottleneck.gain > 1.3


def test_a_cache_that_misses_what_it_was_never_given_is_not() -> None:
    assert first(behind_a_cache(evicted=0.0)).cause == "database_cpu"


def with_slow_clients(readers: float) -> Case:
    """Return eight workers all taken, so many by clients who send nothing, while requests wait for one."""
    call = a_call("upstream", 7.9 - readers, idle=readers, n=N)
    case = scene(
        200.0, {"in_hand": 7.9, "accept_queue": 16.1, "calls": (call,), "workers": 8}, cpu=0.2, held=8.0
    )
    reading = ACase(seconds=N).gauge("server", "thread_states.waits", "reading in:8000", readers).build()
    return replace(case, series={**case.series, **reading.series})


def test_clients_who_send_nothing_hold_threads_of_which_nobody_knows_the_number() -> None:
    case = scene(
        200.0, {"in_hand": 0.7, "unread": 23.3, "threads": Threads({"reading": each(6.0, N)})}, cpu=0.2
    )
    reading = ACase(seconds=N).gauge("server", "thread_states.waits", "reading in:8000", 6.0).build()
    bottleneck = first(replace(case, series={**case.series, **reading.series}))
    assert (bottleneck.cause, bottleneck.component) == ("worker_class", "server")


def test_clients_who_send_nothing_hold_workers() -> None:
    bottleneck = first(with_slow_clients(6.0))
    assert (bottleneck.cause, bottleneck.component) == ("worker_class", "server")
    assert bottleneck.share == pytest.approx(6.0 / 8.0, rel=0.05)
    # Two of eight workers served the load.
    assert bottleneck.gain > 2.5


@pytest.mark.parametrize(("answered_steps", "verdict"), [(0, "likely"), (10, "possible")])
def test_clients_who_hold_all_workers_let_a_server_stand_still(answered_steps: int, verdict: str) -> None:
    """From the start of a run all that is seen is of the standstill; else most is of the time before."""
    case = with_slow_clients(7.9)
    good = np.where(np.arange(N) < answered_steps, 200.0, 0.0)
    finding = diagnose(replace(case, load=replace(case.load, ok=good))).findings[0]
    assert (finding.cause, finding.component, finding.verdict) == ("worker_class", "server", verdict)


def test_workers_that_serve_nobody_are_not_too_few() -> None:
    case = with_slow_clients(0.2)
    findings = diagnose(replace(case, load=replace(case.load, ok=np.zeros(N)))).findings
    assert "too_few_workers" not in [finding.cause for finding in findings if finding.verdict != "possible"]


def test_clients_who_think_with_a_worker_in_hand_hold_it_from_all_others() -> None:
    """Let users who think for 0.3 s keep eight workers of which a twentieth of one has a request."""
    slow_users = {"in_hand": 0.05, "accept_queue": 15.0, "workers": 8}
    case = scene(27.0, slow_users, cpu=0.04, held=8.0)
    watched = ACase(seconds=30).gauge("server", "thread_states.waits", "reading in:8000", 7.9)
    watched.gauge("host", "tcp_sockets.accept_queue", "in:8000", 22.0)
    load = replace(case.load, in_flight=np.full(N, 15.0))
    assert case.account is not None
    server = replace(case.account.components[0], rest_ms=0.0)
    whole = replace(case.account, components=(server,))
    bottleneck = first(
        replace(case, account=whole, load=load, series={**case.series, **watched.build().series})
    )
    assert bottleneck.cause == "worker_class"
    # Without the wait for a worker 24 users come round in 9 of 24 parts of the time.
    assert bottleneck.gain == pytest.approx(24 / 9, rel=0.05)


@pytest.mark.parametrize(("each_s", "cause"), [(1e-3, "cache_bottleneck"), (0.02e-3, "host_cpu")])
def test_a_command_that_goes_through_all_keys_holds_the_core_that_its_cache_shares(
    each_s: float, cause: str
) -> None:
    redis = a_component("redis", n=N, total=1.0, in_hand=1.0, cores=1.0)
    server = {"in_hand": 4.0, "unread": 20.0, "calls": (a_call("redis", 1.0, n=N),)}
    case = scene(400.0, server, (redis,), cpu=0.58, behind_cpu=0.4, busy=0.98)
    watched = ACase(seconds=N).counter("redis", "redis.command_s", "command:keys", 0.4)
    watched.counter("redis", "redis.command_calls", "command:keys", 0.4 / each_s, "1")
    components = tuple(
        structs.replace(row, kind="redis") if row.name == "redis" else row for row in case.components
    )
    bottleneck = first(replace(case, components=components, series={**case.series, **watched.build().series}))
    assert bottleneck.cause == cause


def test_workers_that_at_times_leave_nobody_waiting_are_not_held_by_their_clients() -> None:
    """Threads that wait for the next request of a client while nobody else waits take up whoever comes."""
    case = with_slow_clients(6.0)
    comes_and_goes = np.where(np.arange(N) % 2 == 0, 0.0, 32.0)
    queue = ACase(seconds=N).gauge("host", "tcp_sockets.accept_queue", "in:8000", comes_and_goes).build()
    assert first(replace(case, series={**case.series, **queue.series})).cause == "too_few_workers"


def test_a_proxy_on_the_map_is_no_client_who_sends_nothing() -> None:
    case = with_slow_clients(6.0)
    behind = replace(
        case,
        components=(*case.components, MapComponent("nginx", "nginx")),
        edges=(*case.edges, Edge("nginx", "server", "127.0.0.1:8000", 8)),
    )
    assert first(behind).cause == "too_few_workers"


def test_workers_that_nobody_holds_for_nothing_are_too_few() -> None:
    assert first(with_slow_clients(0.2)).cause == "too_few_workers"


@pytest.mark.parametrize(("connections", "cause"), [(6.0, "worker_class"), (60.0, "too_few_workers")])
def test_idle_connections_keep_workers_of_which_each_has_one(connections: float, cause: str) -> None:
    """A server that holds ten connections for each worker waits for all of them at once."""
    case = scene(100.0, {"in_hand": 1.6, "accept_queue": 22.0, "workers": 6}, cpu=0.1)
    observed = ACase(seconds=30).gauge("server", "socket_stages.idle", "in:8000", 4.4)
    observed.gauge("host", "tcp_sockets.established", "in:8000", connections + 2.0)
    case = replace(case, series={**case.series, **observed.build().series})
    assert first(case).cause == cause
