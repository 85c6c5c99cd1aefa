"""A server's process: started apart from the rig, watched, and stopped with everything it started.

It gets a session of its own, its cores, no input, its output in a file, none of the rig's descriptors, and
where possible a cgroup (see _group). If the rig dies it gets SIGTERM from the kernel (see _launch); a process
that outlives even that is found by `loadrig doctor --clean` through the lease.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loadrig.base import known_secrets, leases, private, processes
from loadrig.base.errors import PlanError, TargetError
from loadrig.base.leased import ProcessFacts
from loadrig.base.leases import Lease
from loadrig.base.masks import masked_argv, masked_text
from loadrig.base.refused import starting
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetProcessErrors
from loadrig.target import _group, _within
from loadrig.target._running import How, StopReport

ERRORS = texts_of(TargetProcessErrors)

KILL_WAIT_S = 5.0
"""Longest time that the kernel may take to end a killed process, in seconds: one in uninterruptible I/O takes
a while."""

LOG_TAIL_BYTES = 64 * 1024


class StartedProcess:
    """A process that the rig started, with all that it starts. Made by `launch`."""

    def __init__(
        self,
        popen: "subprocess.Popen[bytes]",
        lease: Lease,
        group: _group.OwnGroup,
        log: Path,
        notes: list[str],
    ) -> None:
        self._popen = popen
        self._start = processes.start_of(popen.pid) or 0
        assert isinstance(lease.facts, ProcessFacts)
        self._marker = lease.facts.marker
        self._lease = lease.update(replace(lease.facts, pid=popen.pid, start=self._start))
        self._report: StopReport | None = None
        self.group = group
        self.log = log
        self.notes = notes

    @property
    def pid(self) -> int:
        """Pid of the root, which is also its session and its process group."""
        return self._popen.pid

    def alive(self) -> bool:
        """Return whether the root process runs."""
        return self._report is None and self.status() is None

    def status(self) -> int | None:
        """Return the exit status of the root, negative for a signal; None while it runs. Does not reap it.

        While the zombie stays, its number cannot become another process's or group's, so a signal
        to the group cannot hit a stranger.
        """
        if self._popen.returncode is not None:
            return self._popen.returncode
        ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return None
        return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status

    @property
    def exit_text(self) -> str:
        """End of the root, in words: "with status 3", "by SIGKILL"."""
        status = self.status()
        if status is None:
            return ERRORS.not_ended
        if status >= 0:
            return ERRORS.ended_with_status(status)
        return ERRORS.ended_by_signal(signal.Signals(-status).name)

    def members(self) -> dict[int, int]:
        """Return every living process that belongs to it: pid -> start."""
        starts = leases.started_by(self._marker, self.pid, self._start)
        for pid in self.group.members():
            start = processes.start_of(pid)
            if start is not None:
                starts[pid] = start
        return starts

    def last_lines(self, n: int) -> list[str]:
        """Return the last n lines of the log that are not empty, with their secrets masked.

        The lines are for showing.
        """
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, self.log.stat().st_size - LOG_TAIL_BYTES))
                text = file.read().decode(errors="replace")
        except OSError:
            return []
        lines = [line.rstrip() for line in text.splitlines() if line.strip()][-n:]
        return [masked_text(known_secrets.hidden(line)) for line in lines]

    def stop(self, stop_signal: signal.Signals = signal.SIGTERM, grace_s: float = 10.0) -> StopReport:
        """Ask the whole group to leave, wait, kill the rest, remove the cgroup, end the leases.

        Takes at most grace_s + KILL_WAIT_S. An interrupt during the wait kills at once and goes on up.
        """
        if self._report is not None:
            return self._report
        began = time.monotonic()
        had_exited = self.status() is not None
        killed: list[str] = []
        try:
            self._signal_group(stop_signal)
            remaining = self._wait_until_gone(grace_s)
        except BaseException:
            self._kill(self.members())
            self._finish("killed", began, killed)
            raise
        if remaining:
            killed = [f"pid {pid}: {processes.command_line(pid)}" for pid in remaining]
            self._kill(remaining)
        how: How = "killed" if killed else "had_exited" if had_exited else "asked"
        return self._finish(how, began, killed)

    def _signal_group(self, number: signal.Signals) -> None:
        # All may be gone, or belong to another user by now (a program that changes its user): whatever
        # is left after the grace is in the report.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)
            # A stopped process does not see SIGTERM until it goes on.
            os.killpg(self.pid, signal.SIGCONT)

    def _kill(self, wanted: Mapping[int, int]) -> None:
        deadline = time.monotonic() + KILL_WAIT_S
        while wanted and time.monotonic() < deadline:
            leases.end_processes(wanted, signal.SIGKILL)
            time.sleep(0.01)
            wanted = self.members()  # one that was just being forked when its parent was killed

    def _wait_until_gone(self, grace_s: float) -> dict[int, int]:
        deadline = time.monotonic() + grace_s
        pause_s = 0.002
        while members := self.members():
            if time.monotonic() >= deadline:
                return members
            time.sleep(pause_s)
            pause_s = min(0.05, pause_s * 1.5)
        return {}

    def _finish(self, how: How, began: float, killed: Sequence[str]) -> StopReport:
        members = self.members()
        not_removed = [f"process {pid}: {processes.command_line(pid)}" for pid in members]
        status = None
        if self.pid not in members:
            status = self._popen.wait()
        not_removed += self.group.remove()
        if not members:
            self._lease.end()
        seconds = time.monotonic() - began
        self._report = StopReport(how, seconds, status, tuple(killed), tuple(not_removed))
        return self._report


def launch(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: Path,
    log: Path,
    cpus: Sequence[int] = (),
    *,
    quota: float | None = None,
) -> StartedProcess:
    """Start a program. env: its whole environment. log: file that gets its output, made anew.

    quota: quota of CPU, in cores; None for no quota of its own. Raises TargetError if there is no such
    program or folder, or the quota cannot be set; PlanError if the cores do not exist.
    """
    if not cwd.is_dir():
        raise TargetError.of(ERRORS.no_folder(str(cwd)), code="target.no-folder")
    marker = leases.new_marker()
    lease = leases.take(ProcessFacts(marker=marker, command=" ".join(masked_argv(argv))))
    try:
        group = _group.make(leases.group_name(leases.name_of(marker)), quota)
    except BaseException:
        lease.end()
        raise
    notes = [note for note in (lease.note, group.note) if note]
    started: subprocess.Popen[bytes] | None = None
    try:
        private.make_folder(log.parent)
        started, messages = _spawn(argv, {**env, leases.MARKER: marker}, cwd, log, cpus, group)
        not_entered = [
            ERRORS.group_not_entered(message.not_entered, message.text)
            for message in messages
            if message.not_entered
        ]
        notes += not_entered
        _raise_if_failed(messages, argv, cwd, cpus, env)
        if quota is not None and not_entered:
            raise _within.no_quota("; ".join(not_entered))
        if group.folders and notes and not group.members():
            group.remove()  # it could be made but not entered: its account would say zero
            group = _group.OwnGroup()
        return StartedProcess(started, lease, group, log, notes)
    except BaseException:
        if started is not None:
            started.kill()
            started.wait()
        group.remove()
        lease.end()
        raise


@dataclass(frozen=True, slots=True)
class LaunchMessage:
    """Message of `_launch` on what did not work. text, errno: the system's word for it.

    failed: "cpus" or "exec", where there was no exec; not_entered: a file of a control group.
    """

    text: str
    errno: int | None = None
    failed: str = ""
    not_entered: str = ""


def _spawn(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: Path,
    log: Path,
    cpus: Sequence[int],
    group: _group.OwnGroup,
) -> tuple["subprocess.Popen[bytes]", list[LaunchMessage]]:
    """Start the program and wait for its exec. Return the process and its messages on the way there."""
    reading, writing = os.pipe()
    spec = {
        "argv": list(argv), "cpus": list(cpus), "cgroups": group.entrances, "rig": os.getpid(),
        "die_with_rig": threading.current_thread() is threading.main_thread(), "status": writing,
    }  # fmt: skip
    program = Path(__file__).with_name("_launch.py")
    with os.fdopen(reading, "r") as pipe:
        try:
            with starting("server"), open(log, "wb", opener=private.opener) as output:
                popen = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(program), json.dumps(spec)],
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                    cwd=cwd, env=dict(env), close_fds=True, pass_fds=(writing,), start_new_session=True,
                )  # fmt: skip
        finally:
            os.close(writing)
        return popen, [LaunchMessage(**json.loads(line)) for line in pipe]


def _raise_if_failed(
    messages: Sequence[LaunchMessage],
    argv: Sequence[str],
    cwd: Path,
    cpus: Sequence[int],
    env: Mapping[str, str],
) -> None:
    failed = next((message for message in messages if message.failed), None)
    if failed is None:
        return
    if failed.failed == "cpus":
        allowed = ", ".join(map(str, sorted(os.sched_getaffinity(0))))
        wording = ERRORS.cores_not_allowed(str(list(cpus)), allowed)
        raise PlanError.of(wording, code="target.no-such-cpu")
    program = argv[0]
    searched = str(cwd) if "/" in program else f"PATH={env.get('PATH', '')}"
    wording = ERRORS.program_not_started(program, failed.text, searched)
    raise TargetError.of(wording, code="target.not-found")
