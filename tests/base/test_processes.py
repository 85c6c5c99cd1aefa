import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import processes
from loadrig.base.processes import Stat, in_session, parse_stat, tree

LINE = "{pid} ({name}) S 7 8 9 0 -1 4194304 6365 0 4 0 16 3 1 2 20 0 5 0 391861 32522240 6656 184467 1 2\n"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=15))
def test_a_name_may_hold_spaces_and_brackets(name: str) -> None:
    stat = parse_stat(LINE.format(pid=42, name=name))
    assert stat == Stat(42, name, "S", 7, 8, 9, 4, 16, 3, 1, 2, 5, 391861, 6656)


def proc(pid: int, parent: int, session: int = 0, state: str = "S") -> Stat:
    return Stat(pid, "x", state, parent, 0, session, 0, 0, 0, 0, 0, 1, pid, 1)


def test_a_tree_is_the_root_and_all_below_it_parents_first() -> None:
    everyone = {
        process.pid: process
        for process in (proc(1, 0), proc(5, 1), proc(3, 5), proc(9, 5), proc(4, 3), proc(8, 1))
    }
    assert tree(5, everyone) == [5, 3, 9, 4]
    assert tree(77, everyone) == []


@given(st.lists(st.integers(0, 20), max_size=20))
def test_a_tree_holds_each_process_once_whatever_the_parents(parents: list[int]) -> None:
    everyone = {pid: proc(pid, parent if parent < pid else 0) for pid, parent in enumerate(parents, 1)}
    family = tree(1, everyone)
    assert len(family) == len(set(family))


def test_zombies_are_not_in_a_session() -> None:
    everyone = {process.pid: process for process in (proc(5, 1, 5), proc(6, 1, 5, "Z"), proc(7, 1, 8))}
    assert in_session(5, everyone) == [5]


def test_this_process_is_alive_by_pid_and_start_and_not_by_another_start() -> None:
    start = processes.start_of(os.getpid())
    assert start is not None
    assert processes.is_alive(os.getpid(), start)
    assert not processes.is_alive(os.getpid(), start + 1)


@pytest.mark.integration
def test_a_zombie_counts_as_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    stat = processes.stat(child.pid)
    assert stat is not None
    assert stat.state == "Z"
    assert processes.start_of(child.pid) is None
    child.wait()
    assert processes.stat(child.pid) is None


@pytest.mark.integration
def test_a_process_is_found_by_a_variable_in_its_environment() -> None:
    code = "import sys; print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], env={"A_MARK": "x1"}, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert processes.with_environment("A_MARK=x1", processes.pids()) == [child.pid]
        assert processes.with_environment("A_MARK=x", processes.pids()) == []
        assert code in processes.command_line(child.pid)
    assert processes.command_line(child.pid) == "?"
