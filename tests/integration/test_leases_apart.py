"""Leases of other hosts, PID namespaces and users are left alone; those of dead rigs are undone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loadrig.base import leases, processes
from loadrig.base.leased import ProcessFacts
from tests.conftest import Deadline
from tests.integration.program import loadrig

pytestmark = pytest.mark.integration

STRANGER = 54321
"""Number of a user that no machine has: neither root nor the one who runs the tests."""

RIG = """
import os, sys
from pathlib import Path
from loadrig.target import _process
server = _process.launch(["sleep", "600"], dict(os.environ), Path("/"), Path(sys.argv[1]))
print("started", flush=True)
sys.stdin.read()
server.stop()
"""
"""A rig that has started a server and holds it until its input ends."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the state of a user, as the program of the tests is told it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


@contextmanager
def rig(home: Path, *before: str) -> Iterator["subprocess.Popen[str]"]:
    """Yield a living rig with a server. before: words that are put before its command."""
    words = [*before, sys.executable, "-c", RIG, str(home / "server.log")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "started\n"
            yield process
        finally:
            process.stdin.close()
            process.wait(timeout=60)


def servers_of(process: "subprocess.Popen[str]") -> dict[int, int]:
    """Return the servers below a process: pid -> start."""
    everyone = processes.table()
    return {
        pid: everyone[pid].start
        for pid in processes.tree(process.pid, everyone)
        if everyone[pid].name == "sleep"
    }


def clean(home: Path) -> dict[str, Any]:
    """Return what `loadrig doctor --clean` did, as its JSON says."""
    document: dict[str, Any] = json.loads(loadrig("doctor", "--clean", "--json", cwd=home).out)
    return by_leases(document)


def by_leases(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out groups that no lease names: rigs of other tests beside these are killed on purpose."""
    cleaned = [entry for entry in document["cleaned"] if not entry["what"].startswith("cgroup ")]
    return {**document, "cleaned": cleaned}


def files(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "state" / "loadrig" / "leases").iterdir())


def needs_root(*programs: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may become other users and make namespaces")
    for name in programs:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed: apt-get install util-linux")


UNSHARED = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


def test_a_living_rig_in_another_pid_namespace_keeps_its_server_and_its_leases(home: Path) -> None:
    needs_root("unshare")
    with rig(home, *UNSHARED) as process:
        servers, before = servers_of(process), files(home)
        assert len(servers) == 1
        cleaned = clean(home)
        assert all(processes.is_alive(pid, start) for pid, start in servers.items())
        assert files(home) == before
        assert cleaned["cleaned"] == []
        assert {lease["why"] for lease in cleaned["left_alone"]} == {"other-pid-namespace"}
    assert files(home) == []


def test_from_within_a_pid_namespace_the_rig_outside_is_left_alone(home: Path) -> None:
    needs_root("unshare")
    with rig(home) as process:
        servers, before = servers_of(process), files(home)
        words = [*UNSHARED, sys.executable, "-m", "loadrig.cli", "doctor", "--clean", "--json"]
        document = json.loads(subprocess.run(words, cwd=home, capture_output=True, check=False).stdout)
        assert all(processes.is_alive(pid, start) for pid, start in servers.items())
        assert files(home) == before
        assert {lease["why"] for lease in document["left_alone"]} == {"other-pid-namespace"}


def test_where_proc_shows_another_namespace_nobody_is_taken_for_dead(home: Path) -> None:
    needs_root("unshare")
    with rig(home) as process:
        servers, before = servers_of(process), files(home)
        words = ["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-m", "loadrig.cli"]
        done = subprocess.run(
            [*words, "doctor", "--clean", "--json"], cwd=home, capture_output=True, check=False
        )
        assert by_leases(json.loads(done.stdout))["cleaned"] == []
        assert all(processes.is_alive(pid, start) for pid, start in servers.items())
        assert files(home) == before


ANOTHER_HOST = """
mount --bind "$1/boot_id" /proc/sys/kernel/random/boot_id && mount --bind "$1/machine-id" /etc/machine-id &&
hostname another && shift && exec "$@"
"""


def on_another_host(home: Path, *words: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a program that sees another boot, another machine and another host name, and the same home."""
    (home / "boot_id").write_text("00000000-0000-4000-8000-000000000000\n")
    (home / "machine-id").write_text("0" * 32 + "\n")
    apart = ["unshare", "--mount", "--uts", "sh", "-c", ANOTHER_HOST, "sh", str(home), *words]
    return subprocess.run(apart, cwd=home, capture_output=True, check=False)


def test_leases_of_another_host_on_a_shared_home_are_left_alone(home: Path) -> None:
    needs_root("unshare")
    if not Path("/etc/machine-id").exists():
        pytest.skip("this machine has no /etc/machine-id")
    with rig(home) as process:
        servers, before = servers_of(process), files(home)
        done = on_another_host(home, sys.executable, "-m", "loadrig.cli", "doctor", "--clean", "--json")
        document = by_leases(json.loads(done.stdout))
        assert document["cleaned"] == []
        assert {lease["why"] for lease in document["left_alone"]} == {"other-host"}
        assert all(processes.is_alive(pid, start) for pid, start in servers.items())
        assert files(home) == before


FORGED = """
import json, os, sys
folder, victim = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
boot = open("/proc/sys/kernel/random/boot_id").read().strip()
facts = {"what": "a change", "written": [[victim, "taken over"]], "wrote": []}
for number, version in enumerate(({}, {"schema": "loadrig.lease/2"})):
    content = {"kind": "change", "facts": facts, "boot": boot, "rig_pid": 1, "rig_start": 1, **version}
    with open(f"{folder}/change-1-1-{number}.json", "w") as file:
        json.dump(content, file)
"""
"""A user writes leases of a rig that never was, which say that a file is to be written."""


def as_stranger(words: Sequence[str], cwd: Path) -> None:
    apart = ["setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups", *words]
    subprocess.run(apart, cwd=cwd, check=True)


@pytest.fixture
def strangers_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the home of another user, which root was told to be its own (sudo may keep HOME)."""
    needs_root("setpriv")
    home = Path(subprocess.check_output(["mktemp", "-d", "-p", "/tmp"], text=True).strip())
    os.chown(home, STRANGER, STRANGER)
    home.chmod(0o755)
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    yield home
    shutil.rmtree(home)


@pytest.mark.parametrize("command", ["doctor --clean --json", "attack http://127.0.0.1:1/ -z 300ms"])
def test_root_writes_no_file_that_a_user_has_named(
    strangers_home: Path, tmp_path: Path, command: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    folder = strangers_home / "state" / "loadrig" / "leases"
    # That user cannot run this interpreter everywhere: the script is put where they can read it.
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None:
        pytest.skip("there is no python3 that every user may run")
    as_stranger([python, "-c", FORGED, str(folder), str(victim)], strangers_home)
    loadrig(*command.split(), cwd=strangers_home)
    assert victim.read_text() == "as it was"
    assert len(list(folder.iterdir())) == 2


def test_root_leaves_no_lease_where_a_user_has_put_a_link(strangers_home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    state = strangers_home / "state" / "loadrig"
    as_stranger(["mkdir", "-p", str(state)], strangers_home)
    as_stranger(["ln", "-s", str(tmp_path / "elsewhere"), str(state / "leases")], strangers_home)
    lease = leases.take(ProcessFacts(marker="m", command="x"))
    try:
        assert list((tmp_path / "elsewhere").iterdir()) == []
    finally:
        lease.end()


def test_the_leases_of_root_are_nothing_that_another_user_can_read_or_end(home: Path) -> None:
    needs_root("setpriv")
    with rig(home):
        folder = home / "state" / "loadrig" / "leases"
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_file_that_a_lease_names_outside_of_the_kernels_trees_is_not_written(home: Path) -> None:
    victim = home / "victim"
    victim.write_text("as it was")
    code = (
        "import sys; from loadrig.base import leases; from loadrig.base.leased import ChangeFacts; "
        "leases.take(ChangeFacts(what='x', written=((sys.argv[1], 'taken over'),)))"
    )
    subprocess.run([sys.executable, "-c", code, str(victim)], check=True)
    cleaned = clean(home)["cleaned"]
    assert [bool(entry["left"]) for entry in cleaned] == [True]
    assert victim.read_text() == "as it was"


def test_a_server_of_a_rig_killed_beside_a_living_one_is_ended_and_the_others_is_not(
    home: Path, deadline: Deadline
) -> None:
    with rig(home) as living:
        spared = servers_of(living)
        with rig(home) as killed:
            orphans = servers_of(killed)
            # Neither the rig nor the kernel's signal at its death ends this server: it has to be found.
            for pid in orphans:
                os.kill(pid, 19)
            os.kill(killed.pid, 9)
            killed.wait(deadline.left_s)
            cleaned = clean(home)["cleaned"]
            assert [entry["left"] for entry in cleaned] == [[]] * len(cleaned)
            assert not any(processes.is_alive(pid, start) for pid, start in orphans.items())
            assert all(processes.is_alive(pid, start) for pid, start in spared.items())
