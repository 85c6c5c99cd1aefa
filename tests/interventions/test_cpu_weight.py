"""The precedence of a component, given to real processes of this machine beside others."""

import os
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
def test_it_goes_first_while_it_is_changed_and_all_is_as_it_was_afterwards() -> None:
    with busy.program() as process, busy.program(), busy.program():
        step = step_for(busy.scene(busy.component(process.pid), server=0.33))
        assert step.ratio == cpu_weight.MOST_RATIO
        before = group_of(process.pid)
        with step.held() as put:
            shared = busy.cores(process.pid)
            put(True)
            first = busy.cores(process.pid)
            put(False)
            again = busy.cores(process.pid)
            put(True)
        # What else runs on this core may be on it at any moment, so the bounds are wide.
        assert first > 1.5 * shared
        assert first > 1.5 * again
        assert group_of(process.pid) == before
        assert not list(before.glob(f"loadrig-{os.getpid()}-*"))
    assert not [lease for lease in leases.listed() if lease.is_of_change and lease.rig_pid == os.getpid()]


@pytest.mark.integration
def test_who_has_what_others_leave_has_nothing_to_win() -> None:
    with busy.program() as process, busy.program() as beside:
        server, database = busy.component(process.pid), busy.component(beside.pid, "database")
        step_for(busy.scene(server, database, server=0.3, database=0.3))
        refused = busy.refusal(cpu_weight, FIRST, busy.scene(server, database, server=0.5, database=0.48))
        assert refused.code == "prove.not-here"
