"""Changes that a killed rig left: the next command undoes them, by the program as a user starts it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import leases, processes
from loadrig.base.leased import CHANGE
from tests.conftest import Deadline
from tests.integration.program import loadrig
from tests.interventions import busy
from tests.rigs import dead_rig, leased

pytestmark = pytest.mark.integration

PLAN = """\
loadrig: 1
name: left-over
target: {external: "http://127.0.0.1:1/"}
workload: {users: 1, requests: [{get: /}]}
"""

WHAT = "CPU of server: 1 to 0.8 cores"
"""The change that the killed rig had made."""

RIG = """
import os, subprocess, sys, time
from dataclasses import replace
from loadrig.base import leases, processes
from loadrig.base.leased import ChangeFacts, ProcessFacts
pid = int(sys.argv[1])
leases.take(ChangeFacts(what=sys.argv[2], stopped=((pid, processes.start_of(pid)),)))
for of in ("change", "run"):
    marker = leases.new_marker()
    facts = ProcessFacts(of=of, marker=marker, command=of)
    lease = leases.take(facts)
    environment = {**os.environ, leases.MARKER: marker}
    child = subprocess.Popen(["sleep", "60"], env=environment, start_new_session=True)
    lease.update(replace(facts, pid=child.pid, start=processes.start_of(child.pid)))
    print(child.pid, flush=True)
time.sleep(60)
"""
"""Program of a rig that has a process stopped, one that makes the change, and a server of its own."""


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the program of the tests keeps its leases."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


@pytest.fixture
def server(state: Path, deadline: Deadline) -> Iterator[tuple[int, int, int]]:
    """Yield pids: of a process that a killed rig left stopped; of what it had started for it, and else."""
    with busy.program() as process:
        words = [sys.executable, "-c", RIG, str(process.pid), WHAT]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as rig:
            assert rig.stdout is not None
            of_change, of_run = (int(rig.stdout.readline()) for _ in range(2))
            process.send_signal(signal.SIGSTOP)
            deadline.wait_for(lambda: busy.state(process.pid) == "T", "the process to be stopped")
            rig.kill()
        try:
            yield process.pid, of_change, of_run
        finally:
            for lease in leases.stale():
                assert leases.undo(lease).left == ()


def test_the_next_command_undoes_it_and_says_so(
    state: Path, server: tuple[int, int, int], snapshot: SnapshotAssertion
) -> None:
    pid, of_change, of_run = server
    first = loadrig("check", "plan.yaml", cwd=state)
    assert first.code == 0, first.err
    notes = [line for line in first.err.splitlines() if str(of_change) in line or WHAT in line]
    assert len(notes) == 2
    assert [line.replace(WHAT, "WHAT").replace(str(of_change), "PID") for line in notes] == snapshot
    assert WHAT not in first.out
    assert busy.state(pid) != "T"
    assert processes.start_of(of_change) is None
    # What harms nobody waits for doctor.
    assert processes.start_of(of_run) is not None
    assert [lease.kind for lease in leases.stale()] == ["process"]
    assert WHAT not in loadrig("check", "plan.yaml", cwd=state).err


def test_an_attack_undoes_it_before_it_begins(state: Path, server: tuple[int, int, int]) -> None:
    # Nobody listens there: it says so after it has undone what was left.
    ended = loadrig("attack", "http://127.0.0.1:1/", "-z", "300ms", cwd=state)
    assert WHAT in ended.err.splitlines()[1]
    assert busy.state(server[0]) != "T"


def test_doctor_shows_it_and_undoes_it_only_if_asked(state: Path, server: tuple[int, int, int]) -> None:
    pid, of_change, of_run = server
    shown = loadrig("doctor", cwd=state)
    assert WHAT in shown.out
    assert busy.state(pid) == "T"
    cleaned = json.loads(loadrig("doctor", "--clean", "--json", cwd=state).out)["cleaned"]
    # Rigs of other tests that run beside this one are killed on purpose; their groups may be found, too.
    cleaned = [entry for entry in cleaned if not entry["what"].startswith("cgroup ")]
    assert [entry["what"].partition(":")[0] for entry in cleaned] == [
        f"process {of_change}", "change", f"process {of_run}",
    ]  # fmt: skip
    assert len(cleaned[1]["done"]) == 1
    assert f"process {pid} " in cleaned[1]["done"][0]
    assert busy.state(pid) != "T"
    assert processes.start_of(of_run) is None
    assert leases.stale() == []


def test_what_cannot_be_undone_is_said_and_kept(state: Path, snapshot: SnapshotAssertion) -> None:
    with dead_rig():
        folder = f"/sys/{leases.new_name()}"
        lease = leased("change", what="CPU of redis", folders=[folder])
    ended = loadrig("check", "plan.yaml", cwd=state)
    assert ended.code == 0
    (line,) = [line for line in ended.err.splitlines() if folder in line]
    assert line.replace(folder, "FOLDER") == snapshot
    assert len(leases.stale()) == 1
    lease.end()


def test_a_change_of_a_rig_that_lives_is_left_alone(state: Path) -> None:
    with busy.program() as process:
        process.send_signal(signal.SIGSTOP)
        Deadline().wait_for(lambda: busy.state(process.pid) == "T", "the process to be stopped")
        stopped = [[process.pid, processes.start_of(process.pid)]]
        lease = leased("change", what=WHAT, stopped=stopped)
        assert WHAT not in loadrig("check", "plan.yaml", cwd=state).err
        assert busy.state(process.pid) == "T"
        lease.end()


@pytest.mark.parametrize("kinds", [(), ("process", "cgroup")])
def test_where_there_is_none_nothing_is_imported(state: Path, kinds: tuple[str, ...]) -> None:
    own_leases = [leased(kind, marker="m", pid=None, start=None, folders=[]) for kind in kinds]
    code = "import sys; from loadrig.cli._left_over import change_back; change_back(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True, env=os.environ
    )
    for lease in own_leases:
        lease.end()
    assert "loadrig.cli._left_over" in done.stdout.split()
    assert "loadrig.base.leases" not in done.stdout.split()


def test_leases_are_looked_for_where_they_are_kept(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from loadrig.cli import _left_over

    assert not _left_over._is_any()
    lease = leased("process", of=CHANGE, marker="m", pid=None, start=None)
    assert _left_over._is_any()
    lease.end()
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(state / "home"))
    assert not _left_over._is_any()
    lease = leased("change", what="")
    assert lease.path
    assert lease.path.is_relative_to(state / "home")
    assert _left_over._is_any()
    lease.end()
