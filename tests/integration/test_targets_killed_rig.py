"""A rig that is killed with SIGKILL: what ends with it, and what `loadrig doctor --clean` ends."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from loadrig.base import cgroups, leases, processes, sockets
from loadrig.base.running import Address
from tests.integration.started import (
    STUBBORN,
    base,
    get,
    nothing_left,
    wait_until,
)

__all__ = ["base", "nothing_left"]  # fixtures

pytestmark = pytest.mark.integration


def groups_of(rig: int) -> list[Path]:
    return [path for folder in set(cgroups.of().values()) for path in folder.glob(f"loadrig-{rig}-*")]


RIG = """\
import sys, time
from pathlib import Path
from loadrig.target import command
base = Path(sys.argv[1])
running = command.start(command.Options(tuple(sys.argv[2:])), {}, base / "run", base)
print(running.target.pid, running.target.address.port, flush=True)
time.sleep(60)
"""


def killed_rig(base: Path, *argv: str) -> tuple[int, int, int]:
    """Start a rig that starts a server, kill it with SIGKILL; returns pids of both and the port."""
    (base / "rig.py").write_text(textwrap.dedent(RIG))
    with subprocess.Popen(
        [sys.executable, "rig.py", str(base), *argv], cwd=base, stdout=subprocess.PIPE
    ) as rig:
        assert rig.stdout is not None
        pid, port = map(int, rig.stdout.readline().split())
        rig.kill()
    return rig.pid, pid, port


def test_a_killed_rig_takes_its_server_with_it(base: Path) -> None:
    rig, pid, port = killed_rig(base, sys.executable, "server.py", "{port}")
    wait_until(lambda: processes.start_of(pid) is None)
    # A process is a zombie as soon as its first thread is; the last thread to go closes its sockets.
    wait_until(lambda: sockets.listeners_at("127.0.0.1", port) == [])
    for lease in leases.stale():
        assert leases.undo(lease).left == ()
    assert groups_of(rig) == []


def test_doctor_cleans_up_what_a_killed_rig_could_not(base: Path) -> None:
    rig, pid, port = killed_rig(base, sys.executable, "-c", STUBBORN, "{port}")
    assert get(Address("127.0.0.1", port))["pid"] == pid
    assert {lease.kind for lease in leases.stale()} <= {"process", "cgroup"}
    assert leases.stale() != []
    undone = [leases.undo(lease, grace_s=0.3) for lease in leases.stale()]
    assert [remaining for entry in undone for remaining in entry.left] == []
    assert processes.start_of(pid) is None
    assert sockets.listeners_at("127.0.0.1", port) == []
    assert groups_of(rig) == []
