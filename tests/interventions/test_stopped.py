"""A component that is stopped for moments: real processes, and the program that stops them."""

import os
import signal

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import cgroups, leases, processes
from loadrig.base.component import Component
from loadrig.base.leased import CHANGE
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Step, _capacity, stopped
from tests.conftest import Deadline
from tests.interventions import busy
from tests.rigs import plain_facts

CPU = Lever("cpu", "server")


@pytest.fixture(autouse=True)
def no_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the quota: the tests themselves may run in a container that has one."""
    monkeypatch.setattr(cgroups, "of", lambda *_: {})


@pytest.fixture
def much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take so much that it shows on a machine that does other things, too."""
    monkeypatch.setattr(_capacity, "LESS", 0.2)


def step_for(component: Component, **used: float) -> Step:
    return stopped.able(CPU, busy.scene(component, **used))


@pytest.mark.integration
@pytest.mark.usefixtures("much")
def test_it_stands_still_for_a_part_of_the_time_while_it_is_changed(deadline: Deadline) -> None:
    with busy.program() as process:
        step = step_for(busy.component(process.pid))
        assert step.ratio == 0.2
        with step.held() as put:
            assert busy.share_stopped(process.pid, 50) == 0
            put(True)
            # Neighbours on its core can only make this less.
            assert busy.cores(process.pid) < 0.6
            # Who gets little of its core is seldom stopped.
            deadline.wait_for(lambda: busy.state(process.pid) == "T", "it to stand still")
            deadline.wait_for(lambda: busy.state(process.pid) != "T", "it to go on")
            put(False)
            assert busy.share_stopped(process.pid, 50) == 0
            put(True)
        assert busy.share_stopped(process.pid, 50) == 0
    assert not [lease for lease in leases.listed() if lease.rig_pid == os.getpid() and lease.is_of_change]


@pytest.mark.integration
def test_who_uses_less_than_is_left_to_it_is_not_stopped() -> None:
    # It uses a hundredth of a core, of which it keeps 0.8.
    code = "import time\nwhile True:\n    time.sleep(0.01)\n    sum(range(1000))"
    with busy.program(code) as process:
        step = step_for(busy.component(process.pid), server=0.01)
        assert step.cost == _capacity.cost(_capacity.LESS, 0.01, 1.0)
        with step.held() as put:
            put(True)
            assert busy.share_stopped(process.pid) == 0


@pytest.mark.integration
@pytest.mark.usefixtures("much")
def test_workers_are_stopped_and_their_idle_master_is_not(deadline: Deadline) -> None:
    with busy.program(busy.FORKING) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        # Its start was work, too, and it was not idle before it waits.
        deadline.wait_for(lambda: busy.state(process.pid) == "S", "the master to wait")
        with step_for(busy.component(process.pid)).held() as put:
            put(True)
            assert busy.share_stopped(process.pid) == 0
            # It stands still for a hundredth of the time, in moments that a look seldom meets.
            deadline.wait_for(lambda: busy.state(worker) == "T", "the worker to stand still")
            process.send_signal(signal.SIGUSR1)
            born = int(process.stdout.readline())
            put(False)
            # A tick of the clock may fall into the fork: it is less than a hundredth of what they use.
            busy.cores(born, 1.5)
            put(True)
            deadline.wait_for(lambda: busy.state(born) == "T", "the new worker to stand still")
            (lease,) = [
                listed
                for listed in leases.listed()
                if listed.kind == "change" and listed.rig_pid == os.getpid()
            ]
            assert [pid for pid, _ in plain_facts(lease)["stopped"]] == [worker, born]
        assert busy.share_stopped(worker, 50) == busy.share_stopped(born, 50) == 0


@pytest.mark.integration
def test_what_somebody_else_has_stopped_stays_so() -> None:
    with busy.program() as process:
        process.send_signal(signal.SIGSTOP)
        with step_for(busy.component(process.pid)).held() as put:
            put(True)
            put(False)
        assert busy.state(process.pid) == "T"


@pytest.mark.integration
@pytest.mark.usefixtures("much")
def test_a_component_that_ends_meanwhile_ends_nothing_else() -> None:
    with busy.program() as process, step_for(busy.component(process.pid)).held() as put:
        put(True)
        process.kill()
        process.wait()
        put(False)
        put(True)
    assert not [lease for lease in leases.listed() if lease.rig_pid == os.getpid() and lease.is_of_change]


@pytest.mark.integration
@pytest.mark.usefixtures("much")
def test_the_program_that_stops_it_lets_it_go_on_when_it_is_asked_to_end(deadline: Deadline) -> None:
    with busy.program() as process, step_for(busy.component(process.pid)).held() as put:
        put(True)
        (lease,) = [listed for listed in leases.listed() if plain_facts(listed).get("of") == CHANGE]
        os.kill(plain_facts(lease)["pid"], signal.SIGTERM)
        deadline.wait_for(lambda: processes.start_of(plain_facts(lease)["pid"]) is None, "the program to end")
        assert busy.share_stopped(process.pid, 50) == 0
        with pytest.raises(Unavailable) as no:
            put(True)
        assert no.value.code == "prove.refused"


def test_what_belongs_to_another_user_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    with busy.program() as process, monkeypatch.context() as patch:
        patch.setattr(os, "kill", refused)
        no = busy.refusal(stopped, CPU, busy.scene(busy.component(process.pid)))
    assert no.code == "prove.no-right"
    assert no.reason.replace(str(process.pid), "PID") == snapshot


def test_without_cores_of_its_own_it_says_so() -> None:
    with busy.program() as process, busy.program() as beside:
        scene = busy.scene(
            busy.component(process.pid), busy.component(beside.pid, "beside"), server=0.5, beside=0.5
        )
        assert busy.refusal(stopped, CPU, scene).code == "prove.shared-cores"


def test_what_is_not_here_is_said() -> None:
    assert busy.refusal(stopped, CPU, busy.scene(Component("server", "mariadb"))).code == "prove.not-here"
