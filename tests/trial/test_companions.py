"""Cores on which generator and server ran together, from what the kernel says of their threads."""

import os
from pathlib import Path

import pytest

from loadrig.trial.companions import (
    MOST_THREADS_KEPT,
    Companions,
    ServerProcesses,
    Shared,
    Task,
    tasks_of,
)

NS = 1_000_000_000
BOTH = frozenset((0, 1))


def looked_at(
    looks: int, generator: tuple[int, frozenset[int]], server: tuple[int, frozenset[int]]
) -> Companions:
    """Return a generator that uses a tenth of a core and a server that uses half of one, on these cores."""
    companions = Companions()
    for n in range(looks + 1):
        ours = Task("engine", 1, n * NS // 10, *generator)
        theirs = Task("nginx", 2, n * NS // 2, *server)
        companions.add(n * NS + 1, {1: ours}, {2: theirs})
    return companions


def test_a_core_in_common_is_known_exactly() -> None:
    shared = looked_at(2, (0, frozenset((0,))), (0, frozenset((0,)))).shared()
    assert isinstance(shared, Shared)
    assert shared.share == pytest.approx(0.1)
    assert (shared.core, shared.thread, shared.how) == (0, "nginx", "held")


def test_cores_apart_are_known_after_one_look() -> None:
    shared = looked_at(1, (0, frozenset((0,))), (1, frozenset((1, 2)))).shared()
    assert isinstance(shared, Shared)
    assert (shared.share, shared.how) == (0.0, "held")


def test_threads_that_can_move_are_seen_where_they_were() -> None:
    shared = looked_at(10, (0, BOTH), (0, BOTH)).shared()
    assert isinstance(shared, Shared)
    assert shared.share == pytest.approx(0.1)
    assert (shared.how, shared.looks) == ("seen", 10)


def test_too_few_looks_at_what_can_move_decide_nothing() -> None:
    shared = looked_at(3, (0, BOTH), (0, BOTH)).shared()
    assert isinstance(shared, str)
    assert "3 times" in shared


def test_a_server_that_does_nothing_has_no_bottleneck() -> None:
    companions = Companions()
    for n in range(10):
        companions.add(n * NS + 1, {1: Task("engine", 1, n, 0, BOTH)}, {2: Task("idle", 2, 5, 0, BOTH)})
    assert isinstance(companions.shared(), str)


def test_the_worst_of_equally_busy_workers_counts_and_an_idle_one_does_not() -> None:
    companions = Companions()
    alone = frozenset((0,))
    for n in range(3):
        server = {
            2: Task("worker", 2, n * NS // 2, 1, frozenset((1,))),
            3: Task("worker", 3, n * NS // 3, 0, alone),
            4: Task("logger", 4, n * NS // 100, 0, alone),
        }
        companions.add(n * NS + 1, {1: Task("engine", 1, n * NS // 20, 0, alone)}, server)
    shared = companions.shared()
    assert isinstance(shared, Shared)
    assert (shared.pid, shared.core) == (3, 0)
    assert shared.share == pytest.approx(0.05)


def test_a_thread_that_comes_later_counts_from_when_it_was_first_seen() -> None:
    companions = Companions()
    alone = frozenset((0,))
    companions.add(1, {1: Task("engine", 1, 0, 0, alone)}, {})
    companions.add(NS + 1, {1: Task("engine", 1, NS // 2, 0, alone)}, {2: Task("w", 2, 7 * NS, 0, alone)})
    companions.add(2 * NS + 1, {1: Task("engine", 1, NS // 2, 0, alone)}, {2: Task("w", 2, 8 * NS, 0, alone)})
    shared = companions.shared()
    assert isinstance(shared, Shared)
    assert shared.share == 0.0


def test_the_core_is_read_past_any_name_and_a_process_without_threads_is_left_out(tmp_path: Path) -> None:
    own = os.getpid()
    fields = ["R", *map(str, range(4, 39)), "6", "0"]
    thread = tmp_path / "4711" / "task" / str(own)  # of it the kernel says where it may run
    thread.mkdir(parents=True)
    (thread / "stat").write_text(f"{own} (a) b (c) {' '.join(fields)}\n", encoding="ascii")
    (thread / "schedstat").write_text("123 4 5\n", encoding="ascii")
    tasks = tasks_of([4711, 4712], tmp_path)
    assert tasks == {own: Task("a) b (c", 4711, 123, 6, frozenset(os.sched_getaffinity(0)))}


def test_the_threads_of_this_process_are_found() -> None:
    own = tasks_of([os.getpid(), 2**22 + 1])
    assert os.getpid() in own
    assert own[os.getpid()].cpu_ns > 0
    assert own[os.getpid()].core in range(os.cpu_count() or 1)
    assert own[os.getpid()].may == os.sched_getaffinity(0)


def test_the_rigs_own_processes_are_not_the_servers(tmp_path: Path) -> None:
    del tmp_path
    parent, own = os.getppid(), os.getpid()
    assert own in ServerProcesses(parent, None, ()).now(1)
    assert own not in ServerProcesses(parent, None, (own,)).now(1)
    assert own in ServerProcesses(own, None, (own,)).now(1)


def test_threads_without_number_take_no_room_without_end() -> None:
    companions = Companions()
    busiest = 7
    for n in range(40):
        server = {busiest: Task("worker", 2, n * NS // 2, 0, BOTH)}
        server |= {
            1_000 * (n + 1) + m: Task("request", 2, 1_000 + m, 0, BOTH) for m in range(MOST_THREADS_KEPT // 8)
        }
        companions.add(n * NS + 1, {1: Task("engine", 1, n * NS // 10, 0, BOTH)}, server)
    assert len(companions._tasks) <= MOST_THREADS_KEPT
    assert len(companions._used) <= MOST_THREADS_KEPT
    shared = companions.shared()
    assert isinstance(shared, Shared)
    assert shared.thread == "worker"
    assert shared.share == pytest.approx(0.1)
