"""A closed terminal: the run ends cleanly and keeps what it measured, or goes on where it was set apart."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.exits import Exit
from loadrig.testing.leftovers import nothing_left_behind
from tests.conftest import Deadline
from tests.integration.lost import command, environment
from tests.integration.servers import serving

pytestmark = pytest.mark.integration

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

TERMINAL = """\
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Runs a program as the leader of a session whose terminal is its standard input, as a login shell is."""


@pytest.fixture
def url() -> Iterator[str]:
    """Yield the address of a server that answers well."""
    with serving(lambda connection: connection.sendall(OK), keep_open=True) as port:
        yield f"http://127.0.0.1:{port}/"


class Terminal:
    """A program on a terminal of its own, which can be closed."""

    def __init__(self, words: Sequence[str], cwd: Path) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", TERMINAL, *words],
            cwd=cwd, env=environment(cwd), stdin=slave, stdout=slave, stderr=slave,
        )  # fmt: skip
        os.close(slave)

    def close(self) -> None:
        """Do what a terminal emulator does when its window is closed, and sshd when the network is gone."""
        os.close(self._master)


def begun(run: Path) -> bool:
    """Return whether the load of a run's first trial goes on."""
    frames = run / "trials" / "0001" / "frames.jsonl"
    return frames.is_file() and frames.stat().st_size > 0


def result_of(run: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((run / "result.json").read_text(encoding="utf-8"))
    return document


def test_a_closed_terminal_ends_a_run_that_keeps_what_it_measured(
    tmp_path: Path, url: str, deadline: Deadline
) -> None:
    run = tmp_path / "out"
    with nothing_left_behind():
        terminal = Terminal(command("attack", url, "-c", "1", "-z", "60s", "--out", "out"), tmp_path)
        deadline.wait_for(lambda: begun(run), "the load")
        terminal.close()
        code = terminal.process.wait(timeout=deadline.left_s)
    assert code == Exit.INTERRUPTED
    assert (run / "trials" / "0001" / "SEALED").is_file()
    assert (run / "report.html").is_file()
    result = result_of(run)
    assert result["outcomes"]["ok"] > 0
    assert "terminal" in result["measured"]["why"]


def test_a_terminal_that_is_closed_twice_disturbs_nothing(
    tmp_path: Path, url: str, deadline: Deadline
) -> None:
    """Hang up at any time: the kernel tells the foreground, and the shell its jobs; both may reach us."""
    run = tmp_path / "out"
    with (
        nothing_left_behind(),
        subprocess.Popen(
            command("attack", url, "-c", "1", "-z", "60s", "--out", "out"),
            cwd=tmp_path, env=environment(tmp_path), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        ) as rig,
    ):  # fmt: skip
        deadline.wait_for(lambda: begun(run), "the load")

        def is_over_when_told_again() -> bool:
            rig.send_signal(signal.SIGHUP)
            return rig.poll() is not None

        deadline.wait_for(is_over_when_told_again, "its end")
    assert rig.returncode == Exit.INTERRUPTED
    assert (run / "trials" / "0001" / "SEALED").is_file()
    assert (run / "report.html").is_file()


@pytest.mark.parametrize("apart", [("nohup",), ("setsid", "--wait")], ids=lambda words: words[0])
def test_a_run_that_is_set_apart_from_its_terminal_goes_on_to_its_end(
    apart: tuple[str, ...], tmp_path: Path, url: str, deadline: Deadline
) -> None:
    run = tmp_path / "out"
    words = [*apart, *command("attack", url, "-c", "1", "-z", "1s", "--out", "out")]
    with nothing_left_behind():
        terminal = Terminal(words, tmp_path)
        deadline.wait_for(lambda: begun(run), "the load")
        terminal.close()
        terminal.process.wait(timeout=deadline.left_s)
        # What setsid has begun is waited for by the run's own end: setsid itself has had its SIGHUP.
        deadline.wait_for((run / "report.html").is_file, "the report")
        deadline.wait_for(lambda: not running(tmp_path), "the end of the program")
    result = result_of(run)
    assert result["measured"]["to_s"] - result["measured"]["from_s"] >= 0.9
    assert result["validity"]["verdict"] != "failed"


def running(cwd: Path) -> list[int]:
    """Return the processes whose folder this is."""
    pids = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                if os.readlink(f"/proc/{name}/cwd") == str(cwd):
                    pids.append(int(name))
            except OSError:
                continue
    return pids
