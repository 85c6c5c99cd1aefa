"""The precedence of a component, given to real processes of this machine beside others."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from loadrig.base import cgroups, leases
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Step, cpu_weight
from tests.interventions import busy

FIRST = Lever("precedence", "server")


def group_of(pid: int) -> Path:
    groups = cgroups.of(pid)
    return groups.get("cpu") or groups["2"]


def step_for(scene: Scene) -> Step:
    try:
        return cpu_weight.able(FIRST, scene)
    except Unavailable as missing:
        pytest.skip(f"{missing.reason}: {missing.mend}")


@pytest.mark.integration
@pytest.mark.quiet
def test_it_goes_first_while_it_is_changed_and_all_is_as_it_was_afterwards() -> None:
    with busy.program() as process, busy.program(), busy.program():
        scene = busy.scene(busy.component(process.pid), server=0.33)
        step = step_for(replace(scene, strangers={busy.CORE: 0.66}))
        assert step.ratio == cpu_weight.MOST_RATIO
        before = group_of(process.pid)
        with step.held() as put:
            shared = busy.cores(process.pid)
            put(True)
            first = busy.cores(process.pid)
            put(False)
            again = busy.cores(process.pid)
            put(True)
        assert first > 1.5 * shared
        assert first > 1.5 * again
        assert group_of(process.pid) == before
        assert not list(before.glob(f"loadrig-{os.getpid()}-*"))
    assert not [lease for lease in leases.listed() if lease.is_of_change and lease.rig_pid == os.getpid()]


@pytest.mark.integration
def test_where_no_stranger_takes_the_cores_nothing_is_to_be_had() -> None:
    with busy.program() as process:
        scene = busy.scene(busy.component(process.pid), server=0.5)
        assert step_for(replace(scene, strangers={busy.CORE: 0.2})).ratio == pytest.approx(1.4)
        refused = busy.refusal(cpu_weight, FIRST, replace(scene, strangers={busy.CORE: 0.04}))
        assert refused.code == "prove.not-here"


@pytest.mark.integration
def test_it_does_not_go_before_a_component_that_works_for_it_on_the_same_cores() -> None:
    with busy.program() as process, busy.program() as other:
        scene = busy.scene(busy.component(process.pid), server=0.3)
        beside = replace(busy.component(other.pid), name="database")
        for used, is_refused in ((0.2, True), (0.01, False)):
            shared = replace(
                scene,
                components=(*scene.components, beside),
                used={**scene.used, "database": used},
                strangers={busy.CORE: 0.4},
            )
            if is_refused:
                assert busy.refusal(cpu_weight, FIRST, shared).code == "prove.not-here"
            else:
                assert step_for(shared).ratio == cpu_weight.MOST_RATIO
