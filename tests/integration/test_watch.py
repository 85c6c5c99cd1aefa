"""A run that is watched in the terminal: by another process, and by the command that makes it."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loadrig.base.exits import Exit
from tests import warm
from tests.conftest import Deadline
from tests.integration import servers
from tests.integration.lost import command, environment, started
from tests.integration.program import loadrig
from tests.integration.test_hangup import TERMINAL

pytestmark = pytest.mark.integration


def test_where_there_is_no_terminal_a_second_is_a_line(tmp_path: Path, deadline: Deadline) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        words = command("attack", f"http://127.0.0.1:{port}/", "-q", "40/1s", "-z", "200s", "--out", "run")
        with warm.Popen(
            words,
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as rig:
            deadline.wait_for((tmp_path / "run" / "now.json").is_file, "the run")
            with started(["watch", "run"], tmp_path, stdout=subprocess.PIPE) as watcher:
                assert watcher.stdout is not None
                # It has the lowest priority, and may come late to a run that others leave hardly any core.
                lines = [watcher.stdout.readline().decode() for _ in range(3)]
                assert loadrig("steer", "end", "--run", "run", cwd=tmp_path).code == Exit.FINE
                lines += watcher.stdout.read().decode().splitlines()
            rig.wait(deadline.left_s)
    assert watcher.returncode == Exit.FINE
    assert all(re.match(r"\d\d:\d\d:\d\d  answered [\d.]+/s of ", line) for line in lines)
    again = loadrig("watch", "run", cwd=tmp_path)
    assert (again.code, "steer.nothing-runs" in again.err) == (Exit.PLAN_WRONG, True)


def test_the_screen_is_given_back_and_the_result_follows(tmp_path: Path, deadline: Deadline) -> None:
    with servers.serving(servers.ok, keep_open=True) as port:
        words = command(
            "attack", f"http://127.0.0.1:{port}/", "-q", "40/1s", "-z", "200s", "--out", "run", "--live"
        )
        master, slave = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-c", TERMINAL, *words], cwd=tmp_path,
            env={**environment(tmp_path), "TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80"},
            stdin=slave, stdout=slave, stderr=slave,
        ) as rig:  # fmt: skip
            os.close(slave)
            written = b""
            while True:
                try:
                    piece = os.read(master, 65536)
                except OSError:  # the other side is closed
                    break
                if not piece:
                    break
                was_shown = b"answered" in written
                written += piece
                if b"answered" in written and not was_shown:
                    assert loadrig("steer", "end", "--run", "run", cwd=tmp_path).code == Exit.FINE
            rig.wait(deadline.left_s)
        os.close(master)
    text = written.decode(errors="replace")
    begin, end = text.find("\x1b[?1049h"), text.rfind("\x1b[?1049l")
    assert 0 <= begin < end
    assert "answered" in text[begin:end]
    assert "throughput" in text[end:]
    assert (tmp_path / "run" / "report.html").is_file()
