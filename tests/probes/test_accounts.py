from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.processes import Stat
from loadrig.probes._accounts import CounterGrowth, TreeTime

ROOT = Stat(1, "master", "S", 0, 1, 1, 0, 0, 0, 0, 0, 1, 10, 100)


def worker(pid: int, user: int, system: int = 0) -> Stat:
    return replace(ROOT, pid=pid, parent=1, user=user, system=system, start=pid)


def test_the_time_of_a_worker_that_its_master_waited_for_is_counted_once() -> None:
    time = TreeTime()
    assert time.add([ROOT, worker(2, 500)]) == (500, 0)
    assert time.add([replace(ROOT, dead_user=520)]) == (520, 0)


def test_the_time_of_a_worker_that_nobody_waited_for_is_kept_as_last_seen() -> None:
    time = TreeTime()
    time.add([ROOT, worker(2, 500, 40)])
    assert time.add([ROOT]) == (500, 40)
    assert time.add([replace(ROOT, user=5)]) == (505, 40)


def test_a_zombie_that_is_reaped_later_is_not_counted_twice() -> None:
    time = TreeTime()
    time.add([ROOT, worker(2, 500)])
    time.add([ROOT, replace(worker(2, 510), state="Z")])
    assert time.add([replace(ROOT, dead_user=510)]) == (510, 0)


def test_a_pid_that_is_used_again_is_another_process() -> None:
    time = TreeTime()
    time.add([ROOT, worker(2, 500)])
    assert time.add([ROOT, replace(worker(2, 3), start=99)]) == (503, 0)


@st.composite
def lives(draw: st.DrawFn) -> list[list[Stat]]:
    """Return what a master and its workers look like over some ticks; the dead are waited for, or not."""
    living: dict[int, Stat] = {}
    master, ticks, next_pid = ROOT, [], 2
    for _ in range(draw(st.integers(1, 12))):
        for pid, stat in list(living.items()):
            fate = draw(st.sampled_from(["lives", "lives", "waited_for", "lost"]))
            grown = replace(stat, user=stat.user + draw(st.integers(0, 50)))
            living[pid] = grown
            if fate != "lives":
                del living[pid]
            if fate == "waited_for":
                master = replace(master, dead_user=master.dead_user + grown.user)
        if draw(st.booleans()):
            living[next_pid] = worker(next_pid, draw(st.integers(0, 50)))
            next_pid += 1
        master = replace(master, user=master.user + draw(st.integers(0, 9)))
        ticks.append([master, *living.values()])
    return ticks


@given(lives())
def test_the_time_of_a_tree_never_falls(ticks: list[list[Stat]]) -> None:
    time = TreeTime()
    totals = [sum(time.add(stats)) for stats in ticks]
    assert totals == sorted(totals)


@given(lives())
def test_the_time_of_a_tree_is_at_least_what_its_living_have_used(ticks: list[list[Stat]]) -> None:
    time = TreeTime()
    for stats in ticks:
        assert time.add(stats)[0] >= sum(stat.user + stat.dead_user for stat in stats)


def test_growth_counts_newcomers_in_full_and_keeps_what_the_gone_had() -> None:
    growth = CounterGrowth()
    assert growth.add({(1, 1, "a"): 100.0}) == 0.0
    assert growth.add({(1, 1, "a"): 107.0, (1, 1, "b"): 5.0}) == 12.0
    assert growth.add({(1, 1, "b"): 6.0}) == 13.0


@given(st.lists(st.dictionaries(st.tuples(st.integers(0, 3), st.just(1), st.just("")), st.floats(0, 1e6))))
def test_growth_never_falls(looks: list[dict[tuple[int, int, str], float]]) -> None:
    growth = CounterGrowth()
    totals = [growth.add(look) for look in looks]
    assert totals == sorted(totals)
