import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base import leases, processes

SLEEPER = "import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@contextmanager
def sleeper(mark: str = "", code: str = SLEEPER) -> Iterator["subprocess.Popen[bytes]"]:
    environment = {**os.environ, leases.MARKER: mark} if mark else None
    child = subprocess.Popen([sys.executable, "-c", code], env=environment, start_new_session=True)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def of_a_dead_rig(lease: leases.Lease) -> leases.Lease:
    """The same lease as if the rig that took it were dead."""
    assert lease.path
    content = json.loads(lease.path.read_text())
    content["rig_start"] += 1
    lease.path.write_text(json.dumps(content))
    (found,) = leases.stale()
    return found


def test_a_lease_is_listed_until_it_ends() -> None:
    lease = leases.take("process", marker="m", pid=None)
    assert [one.facts for one in leases.listed()] == [{"marker": "m", "pid": None}]
    lease.update(pid=7)
    assert [one.facts["pid"] for one in leases.listed()] == [7]
    lease.end()
    lease.end()
    assert leases.listed() == []


def test_a_lease_of_a_living_rig_is_not_stale() -> None:
    lease = leases.take("process", marker="m")
    assert not lease.is_stale
    assert leases.stale() == []


def test_a_change_is_undone_first_and_before_it_who_makes_it() -> None:
    leases.take("cgroup", folders=[])
    leases.take("process", marker="server")
    leases.take("change", what="CPU of redis")
    leases.take("process", marker="burner", of=leases.CHANGE)
    for lease in leases.listed():
        assert lease.path
        content = json.loads(lease.path.read_text())
        lease.path.write_text(json.dumps({**content, "rig_start": content["rig_start"] + 1}))
    found = leases.stale()
    assert [(lease.kind, lease.facts.get("marker")) for lease in found] == [
        ("process", "burner"), ("change", None), ("cgroup", None), ("process", "server"),
    ]  # fmt: skip
    assert [lease.is_of_change for lease in found] == [True, True, False, False]


def test_a_file_that_is_no_lease_is_left_out(state: Path) -> None:
    leases.take("process", marker="m")
    (leases.folder() / "torn.json").write_text('{"kind": "pro')
    (leases.folder() / "other.json").write_text("[]")
    assert len(leases.listed()) == 1


def test_where_leases_cannot_be_kept_a_note_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    lease = leases.take("process", marker="m")
    assert lease.path is None
    assert "loadrig doctor --clean" in lease.note
    lease.update(pid=1).end()


def test_markers_are_never_the_same_twice() -> None:
    assert len({leases.new_marker() for _ in range(100)}) == 100


@pytest.mark.integration
def test_a_process_that_a_dead_rig_left_is_ended_by_pid_and_start() -> None:
    with sleeper() as child:
        start = processes.start_of(child.pid)
        lease = of_a_dead_rig(leases.take("process", marker="m", pid=child.pid, start=start, command="x"))
        undone = leases.undo(lease)
        assert undone.left == ()
        assert len(undone.done) == 1
        assert child.wait(timeout=10) == -signal.SIGTERM
    assert leases.listed() == []


@pytest.mark.integration
def test_a_process_that_only_has_the_same_pid_is_left_alone() -> None:
    with sleeper() as child:
        start = processes.start_of(child.pid)
        assert start
        lease = of_a_dead_rig(leases.take("process", marker="m", pid=child.pid, start=start - 1, command="x"))
        undone = leases.undo(lease)
        assert undone.done == undone.left == ()
        assert child.poll() is None
    assert leases.listed() == []


@pytest.mark.integration
def test_an_orphan_is_found_by_its_mark_after_its_root_is_gone() -> None:
    mark = leases.new_marker()
    with sleeper(mark) as child:
        _wait_until(lambda: processes.with_environment(f"{leases.MARKER}={mark}", [child.pid]) != [])
        lease = of_a_dead_rig(leases.take("process", marker=mark, pid=1, start=1, command="x"))
        assert leases.undo(lease).left == ()
        assert child.wait(timeout=10) == -signal.SIGTERM


@pytest.mark.integration
def test_a_process_that_does_not_leave_when_asked_is_killed() -> None:
    mark = leases.new_marker()
    code = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); {SLEEPER}"
    with sleeper(mark, code) as child:
        # SigIgn tells when the child has begun to ignore SIGTERM.
        _wait_until(lambda: _ignores_term(child.pid))
        lease = of_a_dead_rig(leases.take("process", marker=mark, pid=None, start=None, command="x"))
        assert leases.undo(lease, grace_s=0.2).left == ()
        assert child.wait(timeout=10) == -signal.SIGKILL


def test_what_was_left_before_a_restart_of_the_machine_is_only_forgotten() -> None:
    lease = leases.take("process", marker="m", pid=os.getpid(), start=processes.start_of(os.getpid()))
    assert lease.path
    content = json.loads(lease.path.read_text())
    lease.path.write_text(json.dumps({**content, "boot": "another"}))
    (stale,) = leases.stale()
    assert leases.undo(stale).left == ()
    assert leases.listed() == []


def test_a_kind_that_this_version_does_not_know_is_kept_and_said() -> None:
    lease = of_a_dead_rig(leases.take("sysctl", name="x"))
    assert "does not know how" in leases.undo(lease).left[0]
    assert len(leases.listed()) == 1


def test_a_group_that_is_gone_already_is_forgotten(tmp_path: Path) -> None:
    lease = of_a_dead_rig(leases.take("cgroup", folders=[str(tmp_path / "gone")]))
    assert leases.undo(lease).left == ()
    assert leases.listed() == []


def _ignores_term(pid: int) -> bool:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigIgn:"):
            return bool(int(line.split()[1], 16) & 1 << signal.SIGTERM - 1)
    return False


def _wait_until(claim: Callable[[], bool], deadline_s: float = 10.0) -> None:
    end = time.monotonic() + deadline_s
    while not claim():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)
