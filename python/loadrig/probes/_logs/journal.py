"""Entries of a unit in systemd's journal, asked for every few seconds: `journalctl` from a cursor on.

It is asked again and again instead of being left to follow: so there is no process that could outlive us.
Source: journalctl(1); the fields are those of systemd.journal-fields(7).
"""

import os
import re
import selectors
import shutil
import subprocess
import time
from pathlib import Path

from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_logs import ProbesLogsErrors
from loadrig.probes._logs.follow import MOST_BYTES, Gained
from loadrig.probes._session import read

ERRORS = texts_of(ProbesLogsErrors)

WITHIN_S = 2.0
"""Seconds for an answer: shorter than a session may take to detach."""

_UNIT = re.compile(r"/([A-Za-z0-9:_.@\\-]+\.service)(?:/|$)", re.MULTILINE)
_CURSOR = re.compile(rb"\"__CURSOR\"\s*:\s*\"([^\"]{1,400})\"")


def unit_of(pid: int) -> str | None:
    """Return the systemd service of a process; None if it has none, or that of the rig.

    A service in which the rig runs too is not the server's alone, nor is a user's whole session.
    """
    unit = unit_in(read(f"/proc/{pid}/cgroup") or "")
    return unit if unit != unit_in(read("/proc/self/cgroup") or "") else None


def unit_in(membership: str) -> str | None:
    """Return the service that a text of /proc/PID/cgroup names; None for none.

    >>> unit_in("0::/system.slice/nginx.service"), unit_in("0::/user.slice/user-0.slice/session-1.scope")
    ('nginx.service', None)
    """
    units = [unit for unit in _UNIT.findall(membership) if not unit.startswith("user@")]
    return units[-1] if units else None


class Journal:
    """Journal of a unit, from now on. Raises OSError where the journal is missing or may not be read."""

    def __init__(self, unit: str, program: str | None = None) -> None:
        journalctl = program or shutil.which("journalctl")
        if journalctl is None:
            raise OSError(0, ERRORS.no_journalctl, unit)
        self.path = Path(unit)
        self._ask = [journalctl, f"--unit={unit}", "--output=json", "--no-pager", "--quiet"]
        text = self._answer("--lines=1")
        cursors = _CURSOR.findall(text)
        self._cursor = cursors[-1].decode("ascii", "replace") if cursors else ""

    def gained(self) -> Gained:
        """Return the entries since the last look; of many, the rest comes with the next. Raises OSError."""
        since = f"--after-cursor={self._cursor}" if self._cursor else "--boot"
        text = self._answer(since)
        whole = text[: text.rfind(b"\n") + 1]
        cursors = _CURSOR.findall(whole)
        if cursors:
            self._cursor = cursors[-1].decode("ascii", "replace")
        return Gained(whole.splitlines())

    def _answer(self, *options: str) -> bytes:
        process = subprocess.Popen(
            [*self._ask, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        try:
            out, errors = _read(process)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        if not out and errors:
            raise OSError(
                0, errors.decode("utf-8", "replace").strip().partition("\n")[0][:200], str(self.path)
            )
        return out

    def close(self) -> None:
        """Do nothing: nothing is open between two questions."""


def _read(process: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """Return the output, at most MOST_BYTES, and the beginning of the errors, within WITHIN_S."""
    assert process.stdout is not None
    assert process.stderr is not None
    parts: dict[int, bytes] = {process.stdout.fileno(): b"", process.stderr.fileno(): b""}
    out = process.stdout.fileno()
    end = time.monotonic() + WITHIN_S
    with selectors.DefaultSelector() as selector:
        for file in parts:
            selector.register(file, selectors.EVENT_READ)
        while selector.get_map() and len(parts[out]) < MOST_BYTES and time.monotonic() < end:
            for key, _ in selector.select(max(0.0, end - time.monotonic())):
                chunk = os.read(key.fd, 1 << 16)
                parts[key.fd] += chunk
                if not chunk:
                    selector.unregister(key.fd)
    errors = next(text for file, text in parts.items() if file != out)
    return parts[out], errors
