"""A rig that is killed with SIGKILL in the middle of a change: what it left is found and undone.

Every live member has a scenario here: how a rig makes its change, and what then tells that it is made.
"""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from loadrig.base import cgroups, leases, members, processes
from loadrig.interventions import ROOM
from tests.conftest import Deadline
from tests.interventions import busy
from tests.lengths import length

pytestmark = pytest.mark.integration

LIVE = [name for name in members.names(ROOM) if members.load(ROOM, name).IS_LIVE]


@dataclass(frozen=True)
class InterruptedChange:
    """One change that a rig is killed in.

    step: lines of Python that make `step`; they find `pid`, `core` and `members`. is_changed: whether it can
    be seen. worst: what a rig leaves that ended, with all that it started, at the worst moment.
    """

    step: str
    is_changed: Callable[[], bool]
    worst: Callable[[], None] = lambda: None


CPU = """
from loadrig.base.component import Component
from loadrig.interventions import Lever, Scene
shop = Component("server", "program", runtime="cpython", pid=pid, cpus=(core,))
scene = Scene((shop,), {{"server": 1.0}}, strangers={{core: {strangers}}})
step = members.load("loadrig.interventions", "{}").able(Lever("{}", "{}"), scene)
"""


def cpu_quota(pid: int) -> InterruptedChange:
    group = group_of(pid)
    before = quota_of(group)
    return InterruptedChange(
        CPU.format("cpu_quota", "cpu", "server", strangers=0),
        lambda: group_of(pid) != group or quota_of(group) != before,
    )


def cpu_weight(pid: int) -> InterruptedChange:
    group = group_of(pid)
    before = weight_of(group)
    return InterruptedChange(
        CPU.format("cpu_weight", "precedence", "server", strangers=0.5),
        lambda: group_of(pid) != group or weight_of(group) != before,
    )


def stopped(pid: int) -> InterruptedChange:
    def at_the_worst_moment() -> None:
        os.kill(pid, signal.SIGSTOP)

    # On a crowded core it has less than the usual four fifths anyhow, and would never be stopped.
    less = "from loadrig.interventions import _capacity\n_capacity.LESS = 0.05\n"
    return InterruptedChange(
        less + CPU.format("stopped", "cpu", "server", strangers=0),
        lambda: busy.state(pid) == "T",
        worst=at_the_worst_moment,
    )


def cores(pid: int) -> InterruptedChange:
    del pid
    return InterruptedChange(CPU.format("cores", "cores", "host", strangers=0), lambda: runs("_burner.py"))


DELAY = """
from pathlib import Path
from loadrig.interventions import dependency_delay
from loadrig.interventions._proxy import Proxy
proxy = Proxy("127.0.0.1", 6379, Path("proxy.log")).__enter__()
step = dependency_delay.step(dependency_delay.Inserted(None, None, "redis", proxy), 0.05)
"""


def dependency_delay(pid: int) -> InterruptedChange:
    del pid
    return InterruptedChange(DELAY, lambda: runs("_proxy_process.py"))


SCENARIOS: dict[str, Callable[[int], InterruptedChange]] = {
    "cpu_quota": cpu_quota, "cpu_weight": cpu_weight, "stopped": stopped, "cores": cores,
    "dependency_delay": dependency_delay,
}  # fmt: skip


RIG = """
import sys, time
from loadrig.base import members
from loadrig.base.unavailable import Unavailable
pid, core = map(int, sys.argv[1:])
try:
{step}
except Unavailable as missing:
    sys.exit(f"{{missing.reason}}: {{missing.mend}}")
with step.held() as put:
    put(True)
    print("changed", flush=True)
    time.sleep(60)
"""


@contextmanager
def rig(scenario: InterruptedChange, pid: int, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yield a rig that has made a change and holds it."""
    code = RIG.format(step=textwrap.indent(textwrap.dedent(scenario.step), "    "))
    pipe = subprocess.PIPE
    words = [sys.executable, "-c", code, str(pid), str(busy.CORE)]
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            if process.stdout.readline() != "changed\n":
                pytest.skip(process.stderr.read().strip().splitlines()[-1])
            yield process
        finally:
            process.kill()


def runs(program: str) -> bool:
    """Return whether a rig of this test has such a program; tests beside this one have theirs."""
    own = processes.tree(os.getpid(), processes.table())
    return any(program in processes.command_line(pid) for pid in own)


def group_of(pid: int) -> Path | None:
    groups = cgroups.of(pid)
    return groups.get("cpu") or groups.get("2")


def quota_of(group: Path | None) -> dict[str, str]:
    names = ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.max")
    return {name: (group / name).read_text() for name in names if group and (group / name).exists()}


def weight_of(group: Path | None) -> dict[str, str]:
    names = ("cpu.shares", "cpu.weight")
    return {name: (group / name).read_text() for name in names if group and (group / name).exists()}


def groups_left_by(rig_pid: int) -> list[Path]:
    tops = {mount.folder for mount in cgroups.mounts()}
    return [path for top in tops for path in top.glob(f"**/loadrig-{rig_pid}-*")]


def left_by(rig_pid: int) -> list[leases.Lease]:
    return [lease for lease in leases.stale() if lease.rig_pid == rig_pid]


@pytest.mark.parametrize("name", LIVE)
@pytest.mark.parametrize("ends", length(["alone"], ["alone", "with all that it started"]))
def test_what_a_killed_rig_has_changed_is_found_and_undone(
    name: str, ends: str, deadline: Deadline, tmp_path: Path
) -> None:
    assert name in SCENARIOS, f"write a scenario for interventions/{name}.py into SCENARIOS of this file"
    with busy.program() as process:
        group = group_of(process.pid)
        quota, weight = quota_of(group), weight_of(group)
        scenario = SCENARIOS[name](process.pid)
        with rig(scenario, process.pid, tmp_path) as killed:
            deadline.wait_for(scenario.is_changed, "the change to be seen")
            assert left_by(killed.pid) == []
            started = processes.tree(killed.pid, processes.table())[1:]
            starts = {pid: processes.start_of(pid) for pid in started}
            for pid in (killed.pid, *(started if ends != "alone" else ())):
                # What it started may end by itself as soon as its rig is gone.
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed.wait(deadline.left_s)
        if ends != "alone":
            scenario.worst()
        stale = left_by(killed.pid)
        assert stale, "no lease tells of the change"
        assert all(lease.is_of_change for lease in stale)
        assert [leases.undo(lease).left for lease in stale] == [()] * len(stale)
        assert left_by(killed.pid) == []
        assert [pid for pid, start in starts.items() if start and processes.is_alive(pid, start)] == []
        assert processes.start_of(process.pid) is not None
        assert busy.state(process.pid) != "T"
        assert group_of(process.pid) == group
        assert (quota_of(group), weight_of(group)) == (quota, weight)
        assert groups_left_by(killed.pid) == []
        deadline.wait_for(lambda: busy.cores(process.pid, 0.1) > 0, "it to go on")


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_scenario_belongs_to_a_live_member(name: str) -> None:
    assert name in LIVE
