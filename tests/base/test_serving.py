from syrupy.assertion import SnapshotAssertion

from loadrig.base.processes import Stat
from loadrig.base.serving import root_of
from tests.wording import numbers


def proc(pid: int, parent: int, name: str = "server") -> Stat:
    return Stat(pid, name, "S", parent, pid, pid, 0, 0, 0, 0, 0, 1, pid, 1)


def everyone(*stats: Stat) -> dict[int, Stat]:
    return {process.pid: process for process in stats}


def test_the_root_is_the_master_whose_workers_hold_its_socket_too() -> None:
    processes = everyone(proc(1, 0, "init"), proc(10, 1, "sh"), proc(20, 10), proc(21, 20), proc(22, 20))
    assert root_of({20, 21, 22}, processes) == (20, "")


def test_a_single_process_is_its_own_root_and_its_shell_is_not() -> None:
    processes = everyone(proc(10, 1, "bash"), proc(20, 10))
    assert root_of({20}, processes) == (20, "")


def test_workers_with_sockets_of_their_own_lead_to_their_manager_by_the_same_name() -> None:
    processes = everyone(proc(10, 1, "bash"), proc(20, 10), proc(21, 20), proc(22, 20))
    assert root_of({21, 22}, processes) == (20, "")


def test_servers_that_only_share_a_port_are_not_one_and_that_is_said(snapshot: SnapshotAssertion) -> None:
    processes = everyone(proc(10, 1, "bash"), proc(20, 10), proc(30, 10), proc(31, 30))
    root, note = root_of({20, 30}, processes)
    assert root == 30
    assert numbers(note) == [30, 20]
    assert note == snapshot


def test_a_listener_that_has_just_ended_is_nobody() -> None:
    root, note = root_of(set(), everyone())
    assert root is None
    assert note
