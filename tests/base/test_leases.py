import errno
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import cgroups, leases, origins, processes
from loadrig.base.lease_facts import Purpose
from loadrig.base.leased import (
    CHANGE,
    ChangeFacts,
    Facts,
    FolderFacts,
    GroupFacts,
    InspectorFacts,
    ProcessFacts,
)
from tests.rigs import dead_rig, leased, plain_facts, taken_by

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


def of_a_dead_rig(kind: str, **facts: object) -> leases.Lease:
    """Return a lease of a dead rig. A process has a marker of that rig, unless it is given one."""
    with dead_rig():
        more = {"marker": leases.new_marker()} if kind == "process" else {}
        leased(kind, **{**more, **facts})
    (lease,) = leases.stale()
    return lease


def marker_of_a_dead_rig() -> str:
    with dead_rig():
        return leases.new_marker()


def test_a_lease_is_listed_until_it_ends() -> None:
    lease = leased("process", marker="m", pid=None)
    assert [listed.facts for listed in leases.listed()] == [ProcessFacts(marker="m")]
    lease.update(ProcessFacts(marker="m", pid=7))
    assert [plain_facts(listed)["pid"] for listed in leases.listed()] == [7]
    lease.end()
    lease.end()
    assert leases.listed() == []


def test_a_lease_that_cannot_be_written_again_still_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    lease = leased("process", marker="m", pid=None)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", full)
        updated = lease.update(ProcessFacts(marker="m", pid=7))
    assert [plain_facts(listed)["pid"] for listed in leases.listed()] == [None]
    updated.end()
    assert leases.listed() == []


def test_a_lease_of_a_living_rig_is_not_stale() -> None:
    lease = leased("process", marker="m")
    assert not lease.is_stale
    assert leases.stale() == []


def test_a_change_is_undone_first_and_before_it_who_makes_it() -> None:
    with dead_rig():
        leased("cgroup", folders=[])
        leased("process", marker="server")
        leased("change", what="CPU of redis")
        leased("process", marker="burner", of=CHANGE)
    stale = leases.stale()
    assert [(lease.kind, plain_facts(lease).get("marker")) for lease in stale] == [
        ("process", "burner"), ("change", None), ("cgroup", None), ("process", "server"),
    ]  # fmt: skip
    assert [lease.is_of_change for lease in stale] == [True, True, False, False]


OLD = {
    "kind": "process",
    "facts": {"marker": "m", "pid": 1, "start": 1},
    "boot": "x",
    "rig_pid": 1,
    "rig_start": 1,
}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"kind": "pro', "unreadable"),
        ("[]", "unreadable"),
        ("[" * 100_000, "unreadable"),
        ('{"schema": "loadrig.lease/2", "kind": 1, "facts": {}, "origin": {}}', "unreadable"),
        ('{"schema": "loadrig.lease/2", "kind": "process", "facts": [], "origin": {}}', "unreadable"),
        (
            '{"schema": "loadrig.lease/2", "kind": "process", "facts": {}, "origin": {"owner": true}}',
            "unreadable",
        ),
        ("\0" * (leases.MOST_BYTES + 1), "unreadable"),
        (json.dumps(OLD), "old-version"),
        ('{"schema": "loadrig.lease/99"}', "old-version"),
    ],
)
def test_a_file_that_is_no_lease_is_left_alone_and_told(text: str, why: str) -> None:
    leased("process", marker="m").end()
    file = leases.folder() / "hostile.json"
    file.write_text(text)
    file.chmod(0o600)
    assert leases.listed() == leases.stale() == []
    assert [(alone.path, alone.why) for alone in leases.left_alone()] == [(file, why)]
    assert file.exists()


def test_a_file_that_others_may_have_made_is_left_alone(tmp_path: Path) -> None:
    with dead_rig():
        own_leases = [leased("change", what="x") for _ in range(4)]
    writable, linked, replaced, _ = (lease.path for lease in own_leases)
    assert writable is not None
    assert linked is not None
    assert replaced is not None
    writable.chmod(0o666)
    os.link(linked, tmp_path / "second name")
    replaced.rename(tmp_path / "elsewhere")
    replaced.symlink_to(tmp_path / "elsewhere")
    assert [lease.path for lease in leases.stale()] == [own_leases[3].path]
    assert {alone.path for alone in leases.left_alone()} == {writable, linked, replaced}
    assert {alone.why for alone in leases.left_alone()} == {"not-private"}


def test_a_folder_that_others_may_write_to_is_closed_before_it_is_used(state: Path) -> None:
    leases.folder().mkdir(parents=True)
    leases.folder().chmod(0o777)
    assert [alone.why for alone in leases.left_alone()] == ["not-private"]
    lease = leased("process", marker="m")
    assert lease.path
    assert stat.S_IMODE(leases.folder().stat().st_mode) == 0o700
    assert stat.S_IMODE(lease.path.stat().st_mode) == 0o600
    assert leases.left_alone() == []


@pytest.mark.parametrize(
    ("origin", "standing"),
    [
        ({"owner": 54321}, "other-user"),
        ({"boot": "another", "machine": "another"}, "other-host"),
        ({"boot": "another", "host": "another"}, "other-host"),
        # Another machine with the same names: this one was running when it was taken.
        ({"boot": "another"}, "other-host"),
        ({"boot": ""}, "other-host"),
        ({"boot": "another", "taken_s": 0.0, "space": "pid:[4026532000] time:[4026531834]"}, "other-host"),
        ({"space": "pid:[4026532000] time:[4026531834]"}, "other-pid-namespace"),
        ({"rig_start": 0}, "unknown"),
        ({}, "living"),
    ],
)
def test_only_a_rig_that_is_known_to_be_dead_is_dead(origin: dict[str, object], standing: str) -> None:
    with taken_by(**origin):
        lease = leased("process", marker="m", pid=None, start=None)
    assert lease.standing == standing
    assert leases.stale() == []
    assert len(leases.undo(lease).left) == 1
    assert [listed.path for listed in leases.listed()] == [lease.path]
    assert [alone.why for alone in leases.left_alone()] == ([standing] if standing != "living" else [])


HOSTILE: list[tuple[str, dict[str, object]]] = [
    ("process", {"marker": "m", "pid": None, "start": None}),
    ("process", {"marker": "loadrig-1-1-1-" + "0" * 32, "pid": None, "start": None}),
    ("process", {"marker": ["m"], "pid": None, "start": None}),
    ("cgroup", {"folders": ["/"]}),
    ("cgroup", {"folders": ["{group}/.."]}),
    ("cgroup", {"folders": ["{folder}/{name}"]}),
    ("cgroup", {"folders": ["{group}/loadrig-1-1-1"]}),
    ("cgroup", {"folders": "{group}/{name}"}),
    ("cgroup", {}),
    ("change", {"folders": ["{folder}"]}),
    ("change", {"written": [["{folder}/file", "x"]]}),
    ("change", {"written": [["{folder}/cpu.max", "max"]]}),
    ("change", {"written": [["/proc/sys/kernel/core_pattern", "|/bin/sh"]], "network": 1}),
    ("change", {"written": [["/proc/sys/net/../kernel/core_pattern", "x"]], "network": 1}),
    ("change", {"written": [["/proc/sys/net/core/somaxconn", "17"]]}),
    ("change", {"written": [["{group}/release_agent", "/bin/sh"]]}),
    ("change", {"written": [["{group}/cpu.max", "max; sh"]]}),
    ("change", {"written": "cpu.max"}),
    ("change", {"moved": [["{folder}/cgroup.procs", [[1, 1]]]]}),
    ("change", {"moved": [["{group}/cgroup.event_control", [[1, 1]]]]}),
    ("change", {"stopped": [["1", 1]]}),
    ("change", {"stopped": [[-1, 1]]}),
    ("change", {"stopped": 1}),
    ("folder", {"folder": "{folder}"}),
    ("folder", {"folder": "{folder}/loadrig-1-1-lab-1"}),
    ("folder", {"folder": ["/"]}),
    ("sysctl", {"name": "x"}),
]
"""Facts that no rig writes. {group}: where control groups are mounted; {name}: one that its rig may give."""


@pytest.mark.parametrize(("kind", "facts"), HOSTILE)
def test_what_no_rig_would_write_is_not_done(kind: str, facts: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("as it was")
    group = next((str(mount.folder) for mount in cgroups.mounts()), "/sys/fs/cgroup")
    with dead_rig():
        text = json.dumps(facts).replace("{folder}", str(tmp_path)).replace("{group}", group)
        leased(kind, **json.loads(text.replace("{name}", leases.new_name())))
    (lease,) = leases.stale()
    assert len(leases.undo(lease).left) == 1
    assert leases.listed() == [lease]
    assert (tmp_path / "file").read_text() == "as it was"


@pytest.mark.parametrize("purpose", get_args(Purpose))
def test_data_is_removed_and_what_a_link_in_its_place_leads_to_is_not(purpose: str, tmp_path: Path) -> None:
    with dead_rig():
        names = [leases.new_name().rpartition("-")[::2] for _ in range(2)]
        data, link = (tmp_path / f"{start}-{purpose}-{number}" for start, number in names)
        for path in (data, link):
            leased("folder", folder=str(path))
    (data / "below").mkdir(parents=True)
    (tmp_path / "precious").mkdir()
    link.symlink_to(tmp_path / "precious")
    assert sorted(bool(leases.undo(lease).left) for lease in leases.stale()) == [False, True]
    assert not data.exists()
    assert (tmp_path / "precious").is_dir()


def test_where_leases_cannot_be_kept_a_note_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    lease = leased("process", marker="m")
    assert lease.path is None
    assert "loadrig doctor --clean" in lease.note
    lease.update(ProcessFacts(marker="m", pid=1)).end()


def test_markers_are_never_the_same_twice() -> None:
    markers = {leases.new_marker() for _ in range(100)}
    assert len(markers) == len({leases.name_of(marker) for marker in markers}) == 100


def test_nobody_can_guess_a_marker_from_the_name_that_all_may_read() -> None:
    marker = leases.new_marker()
    assert marker.startswith(leases.name_of(marker))
    assert len(marker) - len(leases.name_of(marker)) == 33


@pytest.mark.integration
def test_a_process_that_a_dead_rig_left_is_ended_by_pid_and_start() -> None:
    with sleeper() as child:
        start = processes.start_of(child.pid)
        lease = of_a_dead_rig("process", pid=child.pid, start=start, command="x")
        undone = leases.undo(lease)
        assert undone.left == ()
        assert len(undone.done) == 1
        assert child.wait(timeout=60) == -signal.SIGTERM
    assert leases.listed() == []


@pytest.mark.integration
def test_a_process_that_only_has_the_same_pid_is_left_alone() -> None:
    with sleeper() as child:
        start = processes.start_of(child.pid)
        assert start
        lease = of_a_dead_rig("process", pid=child.pid, start=start - 1, command="x")
        undone = leases.undo(lease)
        assert undone.done == undone.left == ()
        assert child.poll() is None
    assert leases.listed() == []


@pytest.mark.integration
def test_an_orphan_is_found_by_its_mark_after_its_root_is_gone() -> None:
    mark = marker_of_a_dead_rig()
    with sleeper(mark) as child:
        _wait_until(lambda: processes.with_environment(f"{leases.MARKER}={mark}", [child.pid]) != [])
        lease = of_a_dead_rig("process", marker=mark, pid=1, start=1, command="x")
        assert leases.undo(lease).left == ()
        assert child.wait(timeout=60) == -signal.SIGTERM


UNDOES = "from loadrig.base import leases; [leases.undo(lease) for lease in leases.stale()]"


@pytest.mark.integration
def test_who_undoes_a_lease_is_not_ended_though_the_dead_rig_started_it_too() -> None:
    mark = marker_of_a_dead_rig()
    with dead_rig():
        leased("process", marker=mark)
    with sleeper(mark) as other:
        _wait_until(lambda: processes.with_environment(f"{leases.MARKER}={mark}", [other.pid]) != [])
        with sleeper(mark, UNDOES) as undoing:
            assert undoing.wait(timeout=60) == 0
            assert other.wait(timeout=60) == -signal.SIGTERM
    assert leases.stale() == []


@pytest.mark.integration
def test_a_process_that_does_not_leave_when_asked_is_killed() -> None:
    mark = marker_of_a_dead_rig()
    code = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); {SLEEPER}"
    with sleeper(mark, code) as child:
        # SigIgn tells when the child has begun to ignore SIGTERM.
        _wait_until(lambda: _ignores_term(child.pid))
        lease = of_a_dead_rig("process", marker=mark, pid=None, start=None, command="x")
        assert leases.undo(lease, grace_s=0.2).left == ()
        assert child.wait(timeout=60) == -signal.SIGKILL


def test_what_was_left_before_a_restart_of_the_machine_is_only_forgotten() -> None:
    if not Path("/etc/machine-id").exists() or not processes.space().startswith(origins.FIRST_PID_NAMESPACE):
        pytest.skip("only a machine with an id of its own can tell its restart from another machine")
    with taken_by(boot="another", taken_s=0.0):
        marker = leases.new_marker()
        leased("process", marker=marker, pid=os.getpid(), start=processes.start_of(os.getpid()))
    (stale,) = leases.stale()
    assert stale.standing == "restarted"
    assert leases.undo(stale).left == ()
    assert leases.listed() == []


def test_a_kind_that_this_version_does_not_know_is_kept_and_said(snapshot: SnapshotAssertion) -> None:
    lease = of_a_dead_rig("sysctl", name="x")
    assert leases.undo(lease).left == snapshot
    assert len(leases.listed()) == 1


def cgroup_of_a_dead_rig() -> Path:
    mounts = cgroups.mounts()
    if not mounts:
        pytest.skip("no control groups are mounted here")
    with dead_rig():
        return mounts[0].folder / leases.new_name()


def test_a_group_that_is_gone_already_is_forgotten() -> None:
    lease = of_a_dead_rig("cgroup", folders=[str(cgroup_of_a_dead_rig())])
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


@pytest.mark.parametrize(
    "facts",
    [
        ProcessFacts(marker="m", pid=7, start=8, command="x", of=CHANGE),
        GroupFacts(folders=("a", "b")),
        ChangeFacts(
            what="x", stopped=((1, 2),), moved=(("f", ((3, 4),)),), written=(("f", "1"),), folders=("g",),
            network=5, wrote=(("f", "2"),),
        ),
        FolderFacts(folder="a"),
        InspectorFacts(pid=1, start=2, port=3),
    ],
    ids=lambda facts: type(facts).__name__,
)  # fmt: skip
def test_what_is_written_is_what_is_read(facts: Facts) -> None:
    lease = leases.take(facts)
    assert [(listed.facts, listed.origin) for listed in leases.listed()] == [(facts, lease.origin)]


def test_facts_that_came_later_may_be_missing() -> None:
    assert leased("process", marker="m", pid=1, start=2).facts == ProcessFacts(marker="m", pid=1, start=2)
    assert leased(CHANGE, what="x", stopped=[]).facts == ChangeFacts(what="x")
