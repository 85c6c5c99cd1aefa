"""Cores of generator and target."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from loadrig.trial.placement import Placement, note_beside, place


def put(
    cores: int,
    generator: tuple[int, ...] = (),
    target: tuple[int, ...] = (),
    starts_target: bool = True,
    threads: int = 1,
) -> Placement:
    return place(
        threads=threads,
        generator=generator,
        target=target,
        starts_target=starts_target,
        available=list(range(cores)),
    )


def test_on_two_cores_the_generator_gets_the_first_and_the_target_the_second() -> None:
    assert put(2) == Placement((0,), (1,))


def test_the_target_keeps_the_cores_the_plan_names() -> None:
    assert put(4, target=(0, 1)) == Placement((2,), (0, 1))


def test_a_generator_with_two_threads_gets_two_cores_where_there_are_enough() -> None:
    assert put(4, threads=2) == Placement((0, 1), (2, 3))
    assert put(2, threads=2) == Placement((0,), (1,))


def test_one_core_is_shared_and_said_so() -> None:
    placement = put(1)
    assert placement.generator == ()
    assert placement.target == ()
    assert "disturbs" in placement.note


def test_a_target_that_runs_already_is_not_moved() -> None:
    assert put(4, starts_target=False) == Placement((), ())


@contextmanager
def process_on(cores: set[int]) -> Iterator[int]:
    """Yield the pid of a process that is held on cores."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        os.sched_setaffinity(process.pid, cores)
        try:
            yield process.pid
        finally:
            process.communicate(b"\n")


def test_one_core_is_shared_only_with_a_server_that_runs_there() -> None:
    placement = put(1, starts_target=False)
    assert placement == Placement((0,), ())
    assert put(1, starts_target=False, threads=2) == Placement((), ())
    first, *others = sorted(os.sched_getaffinity(0))
    mine = Placement((first,), ())
    with process_on({first}) as pid:
        assert "disturbs" in note_beside(mine, pid)
    for other in others[:1]:
        with process_on({other}) as pid:
            assert note_beside(mine, pid) == ""
    assert note_beside(mine, None) == note_beside(mine, pid) == ""


def test_cores_shared_by_the_plans_own_wish_are_said() -> None:
    assert "share core 1" in put(2, generator=(1,), target=(1,)).note


def test_a_target_that_holds_every_core_leaves_the_generator_free_and_says_so() -> None:
    placement = put(2, target=(0, 1))
    assert placement.generator == ()
    assert "every core" in placement.note
