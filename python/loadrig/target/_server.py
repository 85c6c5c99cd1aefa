"""A server that the rig starts itself: from a recipe to a server that is ready, or a TargetError."""

import contextlib
import errno
import os
import random
import re
import shlex
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

from loadrig.base import processes, sockets
from loadrig.base.errors import PlanError, Problem, TargetError
from loadrig.base.masks import masked_argv
from loadrig.base.running import Address, RunningTarget
from loadrig.base.shape import option
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetServerErrors
from loadrig.target import _ready, _within
from loadrig.target._process import StartedProcess, launch
from loadrig.target._ready import Ready
from loadrig.target._running import StopReport
from loadrig.target._within import ANYWHERE, Sysctls, Within

ERRORS = texts_of(TargetServerErrors)

SHOWN_LINES = 15

PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
LEAST_PORT, TRIES = 10_000, 200
"""Lowest port that is tried, as ports below are usually in use, and number of random tries: one of them is
free unless nearly all ports are taken."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Options of how a server is stopped."""

    SHORT = "signal"
    signal: Literal["TERM", "INT", "QUIT", "HUP", "USR1", "USR2", "KILL"] = option(
        "Signal that asks its whole process group to leave.", default="TERM"
    )
    grace: Seconds = option("How long it may take; then it is killed.", default=Seconds(10.0), low=0.0)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A line of a server's output that tells what is wrong: a pattern and the problem that it means.

    problem: makes it of the server's name and the groups of the pattern. fatal: the server will not come up
    after this line, though its process may live on (a manager that starts broken workers again and again);
    other lines count only once the process has ended.
    """

    pattern: str
    problem: Callable[..., Problem]
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that is needed to start a server. name: its name, as the user calls it.

    env: additions to the rig's own environment. cwd: absolute. within: limits that its knobs set.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    cpus: tuple[int, ...]
    address: Address
    ready: Ready
    stop: Stop
    log: Path
    mistakes: tuple[Mistake, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    within: Within = ANYWHERE


class StartedServer:
    """A server that the rig started. Made by `start`; implements Running."""

    def __init__(
        self, recipe: Recipe, process: StartedProcess, target: RunningTarget, sysctls: Sysctls | None = None
    ) -> None:
        self._recipe = recipe
        self._process = process
        self._sysctls = sysctls
        self.target = target
        self.notes = tuple(process.notes)
        self.facts = recipe.facts

    def alive(self) -> bool:
        """Return whether its root process runs."""
        return self._process.alive()

    @property
    def exit_status(self) -> int | None:
        """Status with which its root process ended, negative for a signal; None while it runs."""
        return self._process.status()

    def last_lines(self, n: int) -> list[str]:
        """Return the last lines that it printed."""
        return self._process.last_lines(n)

    def stop(self) -> StopReport:
        """End the server and everything that it started; see StartedProcess.stop."""
        report = self._process.stop(signal.Signals[f"SIG{self._recipe.stop.signal}"], self._recipe.stop.grace)
        address = self._recipe.address
        if address.unix:
            # Most servers remove their socket; one that was killed does not.
            Path(address.unix).unlink(missing_ok=True)
        elif still := sockets.listeners_at(address.host, address.port):
            line = ERRORS.listened_on_still(address.url, _holders_of(still))
            report = replace(report, left=(*report.left, line))
        if self._sysctls is not None and (not_written := self._sysctls.put_back()):
            report = replace(report, left=(*report.left, *not_written))
        return report

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(recipe: Recipe) -> StartedServer:
    """Start a server and wait until it is ready.

    Raises TargetError: target.port-in-use, target.not-found, target.exited, target.never-ready, or
    what the recipe's mistakes say. Whatever was started is stopped then.
    """
    _raise_if_taken(recipe)
    started_ns = time.monotonic_ns()
    environment = {**os.environ, **recipe.env}
    cpus = _within.cpus(recipe.within, recipe.cpus)
    sysctls = _within.written(recipe.within.sysctls)
    try:
        process = launch(recipe.argv, environment, recipe.cwd, recipe.log, cpus, quota=recipe.within.quota)
    except BaseException:
        if sysctls is not None:
            sysctls.put_back()
        raise
    try:
        outcome = _ready.wait(
            recipe.ready, recipe.address, process.last_lines, lambda: _raise_if_broken(recipe, process)
        )
        if not outcome.passed:
            raise TargetError(_never_ready(recipe, process, outcome.last_try))
    except BaseException:
        process.stop(grace_s=1.0)
        if sysctls is not None:
            sysctls.put_back()
        raise
    target = RunningTarget(
        address=recipe.address, pid=process.pid, cgroup=process.group.account, log=recipe.log,
        started_ns=started_ns, ready_ns=time.monotonic_ns(), cpus=cpus, argv=recipe.argv,
    )  # fmt: skip
    return StartedServer(recipe, process, target, sysctls)


def free_port(host: str) -> int:
    """Return a TCP port that was free a moment ago, chosen by the system.

    Where the system has none left, it is another free port.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            try:
                probe.bind((host, 0))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                # All ports that the system gives out are taken, as after a run that has used them up.
                _bind_beyond(probe, host)
        except OSError as error:
            wording = ERRORS.address_not_ours(host, str(error.strerror))
            raise PlanError.of(wording, code="target.bad-address") from None
        return int(probe.getsockname()[1])


def _bind_beyond(probe: socket.socket, host: str) -> None:
    """Bind a socket to a port outside the range that the system gives out by itself.

    Raises OSError if none is free.
    """
    first, last = (int(word) for word in PORT_RANGE.read_text(encoding="ascii").split())
    others = [port for port in range(LEAST_PORT, 1 << 16) if not first <= port <= last]
    for port in random.sample(others, min(TRIES, len(others))):
        with contextlib.suppress(OSError):
            probe.bind((host, port))
            return
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def interpreter(python: str | None, base: Path) -> str:
    """Return the interpreter meant by an option: the rig's own, a path, or the folder of an environment."""
    if python is None:
        return sys.executable
    path = base / Path(python).expanduser()
    if path.is_dir():
        return str(path.absolute() / "bin" / "python")
    # No resolve(): an environment's python is a link, and following it would leave the environment.
    return str(path.absolute()) if "/" in python or path.exists() else python


def _raise_if_taken(recipe: Recipe) -> None:
    address = recipe.address
    if address.unix or not address.port:
        return
    listeners = sockets.listeners_at(address.host, address.port)
    if listeners:
        raise TargetError(_port_in_use(recipe.name, address, _holders_of(listeners)))


def _port_in_use(name: str, address: Address, holders: str) -> Problem:
    wording = ERRORS.port_taken(name, f"{address.host}:{address.port}", holders)
    return Problem.of(wording, code="target.port-in-use")


def _holders_of(listeners: Sequence[sockets.Listener]) -> str:
    held = sockets.holders(listener.inode for listener in listeners)
    if not held:
        return ERRORS.process_of_another_user(listeners[0].uid)
    pid = min(held)
    return ERRORS.process_with_command(pid, processes.command_line(pid)[:120], len(held) - 1)


def _raise_if_broken(recipe: Recipe, process: StartedProcess) -> None:
    """Give up early when the process has ended, or its output says that it will not come up."""
    ended = not process.alive()
    lines = process.last_lines(200)
    for mistake in recipe.mistakes:
        for line in lines if ended or mistake.fatal else ():
            match = re.search(mistake.pattern, line)
            if match:
                problem = mistake.problem(recipe.name, *(group or "" for group in match.groups()))
                raise TargetError(replace(problem, detail=tuple(lines[-SHOWN_LINES:])))
    if not ended:
        return
    if any(re.search(r"(?i)address already in use|EADDRINUSE", line) for line in lines):
        listeners = sockets.listeners_at(recipe.address.host, recipe.address.port)
        holders = _holders_of(listeners) if listeners else ERRORS.another_process
        raise TargetError(_port_in_use(recipe.name, recipe.address, holders))
    command = shlex.join(masked_argv(recipe.argv))
    wording = ERRORS.exited(recipe.name, process.exit_text, command, is_silent=not lines)
    raise TargetError.of(wording, code="target.exited", detail=tuple(lines[-SHOWN_LINES:]))


def _never_ready(recipe: Recipe, process: StartedProcess, last_try: str) -> Problem:
    lines = process.last_lines(SHOWN_LINES)
    inodes = {listener.inode: f"{listener.address}:{listener.port}" for listener in sockets.listeners()}
    held = sockets.holders(inodes, process.members())
    places = sorted({inodes[inode] for own_inodes in held.values() for inode in own_inodes})
    waited_for = _ready.wanted(recipe.ready, recipe.address)
    within_s = f"{recipe.ready.within:g}"
    wording = ERRORS.never_ready(recipe.name, within_s, waited_for, last_try, ", ".join(places))
    return Problem.of(wording, code="target.never-ready", detail=tuple(lines))
