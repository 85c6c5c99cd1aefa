"""Tests of the speed of cores, told by work that is really done on them."""

import os
import time

import pytest

from loadrig.base.component import SERVER, THIS_HOST, Component
from loadrig.probes import Place, cpu_clock
from loadrig.probes._purse import Purse
from tests.conftest import Deadline

MINE = sorted(os.sched_getaffinity(0))


def server(*cpus: int, pid: int | None = 7) -> Component:
    return Component(SERVER, "program", pid=pid, cpus=cpus)


def test_the_work_is_done_on_the_cores_of_the_server() -> None:
    assert cpu_clock.of_server([THIS_HOST, server(3, 1)]) == [1, 3]
    # Of a server on another machine, and of one that is held nowhere, all of ours.
    assert cpu_clock.of_server([THIS_HOST, server(3, pid=None)]) == MINE
    assert cpu_clock.of_server([THIS_HOST, server()]) == MINE


def test_many_cores_take_turns_and_one_that_is_forbidden_is_left_out() -> None:
    def core_work(core: int) -> float:
        if core == 2:
            raise PermissionError("not there")
        return core * 1e-6

    work = cpu_clock.CoreWork(lambda: range(6), Purse(), core_work)
    work.end()  # once in each reading
    read = [[(sample.subject, sample.value) for sample in work.read(n).samples] for n in range(3)]
    names = [[name for name, _ in each] for each in read]
    assert names == [["cpu0", "cpu1", "cpu3"], ["cpu4", "cpu5", "cpu0", "cpu1"], ["cpu3", "cpu4", "cpu5"]]
    assert dict(read[1])["cpu5"] == pytest.approx(5e-6)


def test_a_reading_is_the_mean_of_a_second_in_which_a_neighbour_comes_and_goes() -> None:
    took = iter([1e-5, 3e-5] * (cpu_clock.LEAST_TIMES // 2))
    (sample,) = cpu_clock.CoreWork(lambda: [1], Purse(), lambda core: core * next(took)).read(5).samples
    assert (sample.t_ns, sample.subject) == (5, "cpu1")
    assert sample.value == pytest.approx(2e-5)
    # It is over before the next one is due, and that one is due when the observer asks a second later.
    assert cpu_clock.SPREAD_S < cpu_clock.WORK_EVERY_S < 0.99


@pytest.mark.parametrize(("cpu_s", "times"), [(0.0, cpu_clock.MOST_TIMES), (1e9, cpu_clock.LEAST_TIMES)])
def test_the_work_is_done_as_often_as_the_rest_of_the_rig_leaves_time_for(
    cpu_s: float, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu_clock, "SPREAD_S", 0.0)
    now = iter(range(10**6))
    purse = Purse(lambda: 100.0 * next(now), lambda: cpu_s * next(now))
    done: list[int] = []

    def core_work(core: int) -> float:
        done.append(core)
        return 1e-6

    work = cpu_clock.CoreWork(lambda: [1], purse, core_work, lambda: 0.0003 * len(done))
    work.read(1)
    assert len(done) == cpu_clock.LEAST_TIMES, "what it costs is not yet known"
    work.read(2)
    assert len(done) == cpu_clock.LEAST_TIMES + times


def test_an_observer_that_is_a_millisecond_early_leaves_no_second_out(deadline: Deadline) -> None:
    session = cpu_clock.attach(
        cpu_clock.Options(), THIS_HOST, Place(components=lambda: (THIS_HOST, server(MINE[-1])))
    )
    first, second, third = 1_000_000_000, 1_999_000_000, 2_998_000_000
    instants: list[int] = []
    try:
        session.sample(first)
        for readings, t_ns in ((1, second), (2, third)):

            def is_taken(readings: int = readings, t_ns: int = t_ns) -> bool:
                instants.extend(sample.t_ns for sample in session.sample(t_ns) if sample.metric == "work_s")
                return len(instants) == readings

            deadline.wait_for(is_taken, "the reading that was begun a second before")
    finally:
        session.detach()
    assert instants == [first, second]


def test_attached_it_tells_of_real_work_and_what_it_cost(deadline: Deadline) -> None:
    core = MINE[-1]
    place = Place(components=lambda: (THIS_HOST, server(core)))
    session = cpu_clock.attach(cpu_clock.Options(), THIS_HOST, place)
    try:
        work_s: list[float] = []

        def is_done() -> bool:
            read = session.sample(time.monotonic_ns())
            work_s.extend(
                sample.value for sample in read if (sample.metric, sample.subject) == ("work_s", f"cpu{core}")
            )
            return bool(work_s)

        deadline.wait_for(is_done, "the work on a core")
    finally:
        session.detach()
    # Sorting 2,048 numbers takes no machine less than a microsecond, and none a second.
    assert all(1e-6 < value < 1 for value in work_s)
    assert session.cpu_s >= cpu_clock.LEAST_TIMES * min(work_s)  # type: ignore[attr-defined]  # of sessions that have it
    assert sorted(os.sched_getaffinity(0)) == MINE
