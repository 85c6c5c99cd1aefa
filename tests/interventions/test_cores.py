"""A part of the cores that several share is taken: by real programs, on real cores."""

import os

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import leases, processes
from loadrig.base.component import Component
from loadrig.interventions import Lever, Scene, _capacity, cores
from tests.conftest import Deadline
from tests.interventions import busy

CORES = Lever("cores", "host")


def tier(name: str, *cpus: int) -> Component:
    return Component(name, "program", pid=os.getpid(), cpus=cpus)


def title(scene: Scene, lever: Lever = CORES) -> str:
    return cores.able(lever, scene).title


def test_it_is_the_cores_that_have_most_to_do(snapshot: SnapshotAssertion) -> None:
    component, other, far = tier("one", 1), tier("other", 1), tier("far", 2, 3)
    step = cores.able(CORES, Scene((component, other, far), {"one": 0.6, "other": 0.35, "far": 1.2}))
    assert step.title == snapshot
    assert step.ratio == 0.8
    assert title(Scene((component, other, far), {"one": 0.3, "other": 0.2, "far": 1.2})) == snapshot


def test_a_component_that_is_named_says_which_cores(snapshot: SnapshotAssertion) -> None:
    component, far = tier("one", 1), tier("far", 0, 2, 3)
    scene = Scene((component, far), {"one": 0.9, "far": 1.2})
    assert title(scene, Lever("cores", "far")) == snapshot


def test_the_generators_cores_are_left_alone_unless_there_are_no_others(snapshot: SnapshotAssertion) -> None:
    component = tier("one", 0, 1)
    assert title(Scene((component,), {"one": 1.0}, (0,))) == snapshot
    step = cores.able(CORES, Scene((component,), {"one": 1.0}, (0, 1)))
    assert (step.title, step.cost) == snapshot


def test_cores_are_not_cut_below_their_use_unless_they_are_full() -> None:
    component = tier("one", 1)
    assert cores.able(CORES, Scene((component,), {"one": 0.85})).ratio == 0.86
    assert cores.able(CORES, Scene((component,), {"one": 0.95})).ratio == 0.8


def test_without_anybody_who_uses_cores_here_it_says_so() -> None:
    scene = Scene((tier("idle", 1), Component("far", "mariadb")), {"idle": 0.001, "far": 2.0})
    no = busy.refusal(cores, CORES, scene)
    assert no.code == "prove.not-here"


def test_without_the_right_to_go_first_it_says_that_it_is_rough(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    scene = Scene((tier("one", 1),), {"one": 1.0})

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refused)
    rough = cores.able(CORES, scene).cost
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: None)
    exact = cores.able(CORES, scene).cost
    assert rough != exact
    assert {"rough": rough, "exact": exact} == snapshot


@pytest.mark.integration
def test_others_have_less_of_the_core_while_it_is_changed(
    deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So much that it shows on a machine that does other things, too; the kernel grants 95 % at most.
    monkeypatch.setattr(_capacity, "LESS", 0.3)
    with busy.program() as process:
        component = busy.component(process.pid)
        step = cores.able(CORES, busy.scene(component))
        assert step.ratio == 0.3
        with step.held() as put:
            burners = family()
            assert len(burners) == 2  # one that leads, and one for the core
            for pid in burners[1:]:
                assert os.sched_getaffinity(pid) == {busy.CORE}
            before = busy.cores(burners[1], 0.5)
            put(True)
            part = busy.cores(process.pid)
            during = busy.cores(burners[1], 0.5)
            put(False)
            after = busy.cores(burners[1], 0.5)
            assert max(before, after) < 0.05 < 0.4 < during
            # What is left of the core; neighbours can only make it less.
            if "roughly" not in step.cost:
                assert part < 0.45
        deadline.wait_for(lambda: family() == [], "the burners to end")
    assert not [lease for lease in leases.listed() if lease.rig_pid == os.getpid() and lease.is_of_change]


def family() -> list[int]:
    """Return the burner's processes, the leader first."""
    everyone = processes.table()
    return [
        pid
        for pid in processes.tree(os.getpid(), everyone)
        if "_burner.py" in processes.command_line(pid) and everyone[pid].state not in "ZX"
    ]
