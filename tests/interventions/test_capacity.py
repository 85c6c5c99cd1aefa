"""Capacity of a component: how much CPU is its own, and how far it is cut; rules, on figures."""

import os
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import Component
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, _capacity
from tests.interventions.busy import FORKING, program

FOUR = (0, 1, 2, 3)


@pytest.fixture(autouse=True)
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every process run on the cores that its component says."""
    monkeypatch.setattr(_capacity, "places", lambda component, _: frozenset(component.cpus))


def tier(
    name: str, cpus: tuple[int, ...] = FOUR, kind: str = "program", runtime: str = "native"
) -> Component:
    return Component(name, kind, runtime=runtime, pid=os.getpid(), cpus=cpus)


def scene(*components: Component, cpus: tuple[int, ...] = (), **used: float) -> Scene:
    return Scene(components, used, cpus)


def test_a_quota_is_the_capacity_also_on_shared_cores() -> None:
    component, other = tier("one"), tier("other")
    assert _capacity.capacity(component, scene(component, other, one=0.4, other=2.0), [1], 0.5) == 0.5


def test_without_a_quota_it_is_the_cores() -> None:
    component, other = tier("one"), tier("other")
    assert _capacity.capacity(component, scene(component, other, one=2.0, other=0.3), [1], None) == 4.0


def test_a_quota_above_the_cores_is_none() -> None:
    component = tier("one")
    assert _capacity.capacity(component, scene(component, one=2.0), [1], 8.0) == 4.0


def test_cores_that_others_use_are_not_its_own(snapshot: SnapshotAssertion) -> None:
    component, other = tier("one"), tier("other")
    with pytest.raises(Unavailable) as no:
        _capacity.capacity(component, scene(component, other, one=2.0, other=0.5), [1], None)
    assert no.value.code == "prove.shared-cores"
    assert (no.value.reason, no.value.mend) == snapshot


def test_others_count_by_their_part_of_the_cores() -> None:
    # The other uses 0.6 of 4 cores: 0.15 of the one that is shared.
    component, other = tier("one", (3,)), tier("other")
    assert _capacity.use_of_others(
        component, scene(component, other, other=0.6), frozenset({3})
    ) == pytest.approx(0.15)
    with pytest.raises(Unavailable):
        _capacity.capacity(component, scene(component, other, one=0.8, other=0.6), [1], None)
    assert _capacity.capacity(component, scene(component, other, one=0.8, other=0.3), [1], None) == 1.0


def test_the_generator_is_one_of_the_others() -> None:
    component = tier("one", (0, 1))
    with pytest.raises(Unavailable):
        _capacity.capacity(component, scene(component, cpus=(0,), one=0.9), [1], None)
    assert _capacity.capacity(component, scene(component, cpus=(3,), one=0.9), [1], None) == 2.0
    # Where it is known to use a twentieth of its core the rest is there for others.
    looked = replace(scene(component, cpus=(0,), one=0.9), generator=0.05)
    assert _capacity.use_of_others(component, looked, frozenset((0, 1))) == pytest.approx(0.05)
    assert _capacity.capacity(component, looked, [1], None) == 2.0


def test_elsewhere_nobody_shares_its_cores() -> None:
    component, far = tier("one"), Component("far", "mariadb")
    assert _capacity.capacity(component, scene(component, far, far=3.0), [1], None) == 4.0


@pytest.mark.parametrize(
    ("kind", "runtime", "pids", "most"),
    [
        ("redis", "native", 1, 1.0),
        ("redis", "native", 2, 1.0),  # the other one writes a snapshot
        ("program", "cpython", 1, 1.0),
        ("gunicorn", "cpython", 3, 2.0),  # a master and two workers
        ("gunicorn", "cpython", 9, 4.0),
        ("program", "node", 1, 1.0),
        ("tomcat", "jvm", 1, 4.0),
    ],
)
def test_a_program_uses_so_many_cores_at_once(kind: str, runtime: str, pids: int, most: float) -> None:
    component = tier("one", kind=kind, runtime=runtime)
    assert _capacity.at_once(component, scene(component), list(range(pids))) == most


def test_what_it_uses_it_can_use() -> None:
    component = tier("one", runtime="cpython")
    assert _capacity.at_once(component, scene(component, one=1.6), [1]) == 1.6


def test_one_thread_beside_others_has_a_core_of_its_own_if_they_leave_one() -> None:
    component, other = tier("one", kind="redis"), tier("other")
    assert _capacity.capacity(component, scene(component, other, one=0.9, other=2.5), [1], None) == 1.0
    with pytest.raises(Unavailable):
        _capacity.capacity(component, scene(component, other, one=0.9, other=3.1), [1], None)


@pytest.mark.parametrize(
    ("used", "ratio"),
    [(0.0, 0.8), (0.79, 0.8), (0.8, 0.81), (0.854, 0.87), (0.899, 0.91), (0.9, 0.8), (1.0, 0.8)],
)
def test_it_is_not_cut_below_its_use_unless_at_its_limit(used: float, ratio: float) -> None:
    assert _capacity.ratio_of_less(used * 2, 2.0) == ratio


def test_what_it_costs_is_said(snapshot: SnapshotAssertion) -> None:
    changes = {
        "more": (1.25, 0.9),
        "less, unused": (0.8, 0.5),
        "less, used": (0.8, 0.95),
        "less": (0.8, None),
    }
    assert {name: _capacity.cost(ratio, used, 1.0) for name, (ratio, used) in changes.items()} == snapshot


def test_there_is_room_where_cores_are_free_and_it_can_use_them() -> None:
    component, other = tier("one", (0, 1)), tier("other", (0, 1))
    assert _capacity.has_room(component, scene(component, other, other=0.5), [1], 1.25)
    assert not _capacity.has_room(component, scene(component, other, other=0.9), [1], 1.25)
    python = tier("one", (0, 1), runtime="cpython")
    assert not _capacity.has_room(python, scene(python), [1], 1.25)


def test_what_has_ended_is_not_here(snapshot: SnapshotAssertion) -> None:
    pid = os.spawnvp(os.P_NOWAIT, "true", ["true"])
    os.waitpid(pid, 0)
    for component in (
        Component("one", "program", pid=pid),
        Component("one", "program", pid=os.getpid(), start=1),
    ):
        with pytest.raises(Unavailable) as no:
            _capacity.here(Lever("cpu", "one"), scene(component))
        assert no.value.code == "prove.not-here"
        assert no.value.reason.replace(str(component.pid), "PID") == snapshot(name="ended")
    for name in ("far", "nobody"):
        with pytest.raises(Unavailable) as no:
            _capacity.here(Lever("cpu", name), scene(Component("far", "mariadb")))
        assert no.value.code == "prove.not-here"
        assert no.value.reason == snapshot(name=name)


def test_its_tree_is_without_the_rig_and_other_components() -> None:
    ours = Component("shell", "program", pid=os.getppid())
    assert os.getpid() not in _capacity.own_tree(ours, scene(ours))
    with program(FORKING) as master:
        child_pid = int(master.stdout.readline() if master.stdout else 0)
        above, child = (
            Component(name, "program", pid=pid) for name, pid in (("a", master.pid), ("b", child_pid))
        )
        assert _capacity.own_tree(above, scene(above)) == [master.pid, child_pid]
        assert _capacity.own_tree(above, scene(above, child)) == [master.pid]
        assert _capacity.own_tree(child, scene(above, child)) == [child_pid]


def test_what_strangers_take_is_not_its_own_however_little_they_leave_it() -> None:
    component = tier("one", cpus=(3,))
    alone = scene(component, one=0.15)
    assert _capacity.capacity(component, alone, [1], None) == 1.0
    with pytest.raises(Unavailable) as no:
        _capacity.capacity(component, replace(alone, strangers={3: 0.8}), [1], None)
    assert no.value.code == "prove.shared-cores"
    # Strangers who leave room, and those on other cores, do not matter.
    assert _capacity.capacity(component, replace(alone, strangers={3: 0.3}), [1], None) == 1.0
    assert _capacity.capacity(component, replace(alone, strangers={0: 0.9}), [1], None) == 1.0
