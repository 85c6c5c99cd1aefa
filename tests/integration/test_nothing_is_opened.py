"""An attack listens nowhere: none of its processes has a port or a Unix socket for others to connect to."""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.servers import serving

pytestmark = pytest.mark.integration

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

TCP_LISTENS = "0A"
UNIX_LISTENS = 0x10000
"""States as /proc/net shows them. Source: tcp_states.h, SO_ACCEPTCON of net.h."""


def tree(root: int) -> set[int]:
    """Return a process and all that descend from it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def listening() -> dict[str, str]:
    """Return each socket of this machine that waits for somebody, by inode: UDP too, open to anybody."""
    sockets = {}
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/net/{kind}").read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            if kind.startswith("udp") or words[3] == TCP_LISTENS:
                sockets[words[9]] = f"{kind} {words[1]}"
    for line in Path("/proc/net/unix").read_text(encoding="utf-8", errors="replace").splitlines()[1:]:
        words = line.split()
        if int(words[3], 16) & UNIX_LISTENS:
            sockets[words[6]] = f"unix {words[-1]}"
    return sockets


def opened_by(pids: Iterable[int]) -> set[str]:
    """Return what processes have that somebody could connect to."""
    inodes = set()
    for pid in pids:
        with suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with suppress(OSError):
                    inodes.add(os.readlink(descriptor).removeprefix("socket:[").removesuffix("]"))
    return {where for inode, where in listening().items() if inode in inodes}


def test_an_attack_listens_nowhere(tmp_path: Path) -> None:
    with serving(lambda connection: connection.sendall(OK), keep_open=True) as port:
        # The look itself sees what there is: the server of this test.
        assert any(where.endswith(f":{port:04X}") for where in opened_by([os.getpid()]))
        environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
        words = ("attack", f"http://127.0.0.1:{port}/", "-c", "1", "-z", "1s", "--out", "out")
        with subprocess.Popen(
            [sys.executable, "-m", "loadrig.cli", *words],
            cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            opened, most, looks = set(), 0, 0
            while process.poll() is None:
                pids = tree(process.pid)
                opened |= opened_by(pids)
                most, looks = max(most, len(pids)), looks + 1
                time.sleep(0.02)
    assert (tmp_path / "out" / "result.json").is_file()
    assert looks > 3
    assert most >= 2, "the generator was never seen"
    assert opened == set()
