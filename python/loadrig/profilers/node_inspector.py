"""Node: the CPU profile of V8, taken through the inspector that every Node has.

## What it reads

Over a WebSocket to the inspector of each process of the server: Profiler.start, and after the time asked
Profiler.stop. The inspector is found by the flag --inspect, in argv or NODE_OPTIONS, else by the ports
that the process listens on. One that is closed, as it is unless asked for, is opened by the signal SIGUSR1
and closed again afterwards only where that is allowed by name, for whoever reaches it can run code in the
server: by `permit: [node-inspector]` in the plan, by --permit node-inspector, or by `open: true` of this
profiler. A server that was started with --perf-basic-prof is profiled by perf without any of that.

## How to read it

The time is that of JavaScript on its one thread, sampled every 10 ms of the clock; time in which the
event loop waits is left out. "(garbage collector)" and "(program)", native code, are V8's own. A frame's
line is where its function begins. Worker threads are not seen.

## Cost

Nothing of its own but a connection, and 80 ms beyond its time. Throughput of a server that burns CPU, in
turn with times when it was not profiled: −5 % ± 25 %.
Measured on Linux 6.18, two cores that others used too; ± is the 95 % interval of eight pairs.
"""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from loadrig.base import leases, node_inspector, processes, sockets
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect, begun, ended
from loadrig.base.leased import InspectorFacts
from loadrig.base.members import only
from loadrig.base.node_inspector import USUAL_PORT
from loadrig.base.running import Address
from loadrig.base.series import Event
from loadrig.base.shape import option
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.profilers_members import ProfilersNodeErrors
from loadrig.language.events import SENTENCES, event_words
from loadrig.profilers._formats import NotAProfile, of_cpuprofile
from loadrig.profilers._shot import (
    GRACE_S,
    LOOK_S,
    Capture,
    Shot,
    address_of,
    pid_of,
    those_that_run,
    too_late,
)  # fmt: skip
from loadrig.profilers._stacks import Profile

ERRORS = texts_of(ProfilersNodeErrors)

ONLY = {"runtime": ("node",)}

NAME = "Node inspector"

EFFECTS: tuple[ServerEffect, ...] = (
    ServerEffect(
        "opens a port", "The inspector of each process, at 127.0.0.1:9229, by SIGUSR1; closed afterwards.",
        "permit: [node-inspector]",
    ),
    ServerEffect("asks the server", "V8 to sample its own stacks, through an inspector that is open."),
)  # fmt: skip
RANK = 1

OPENS_S = 3.0
"""Seconds that a busy Node may take to open its inspector after the signal."""

_INSPECT = re.compile(r"--inspect(?:-brk|-wait)?(?:=(?P<where>\S+))?$")


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the profiler: where the inspector is, and how often V8 looks."""

    at: str | None = option(
        "HOST:PORT of the inspector; by default it is looked for.", default=None, example="127.0.0.1:9229"
    )
    open: bool = option(
        "Open the inspector by SIGUSR1 where it is closed, as `permit: [node-inspector]` allows, too.",
        default=False,
    )
    interval_ms: float = option("Time between two looks, in ms.", default=10.0, low=0.1, high=1000)


fits = only(ONLY)


def take(options: Options, component: Component, shot: Shot) -> Capture:
    """Profile every process of the component at once. Raises Unavailable."""
    with ExitStack() as stack:
        sessions = [
            stack.enter_context(_Session(address, pid))
            for address, pid in _inspectors(options, component, shot, stack)
        ]
        for session in sessions:
            session.start(options.interval_ms)
        began_ns, wall_ns = time.monotonic_ns(), time.time_ns()
        shot.stop.wait(shot.seconds)
        ended_ns = time.monotonic_ns()
        if shot.stop.is_set():
            raise too_late()
        profiles = [session.stop() for session in sessions]
    profile = Profile("cpu", profiles[0].period_ns, wall_ns, ended_ns - began_ns).take_in(profiles)
    return Capture(profile, sessions[0].pid, began_ns, ended_ns)


class _Session:
    """A conversation with an inspector. Made by `take`, used as a context manager."""

    def __init__(self, address: Address, pid: int) -> None:
        self.pid = pid
        self._talk = node_inspector.InspectorTalk(address, node_inspector.identity(address))

    def __enter__(self) -> "_Session":
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Unavailable):
            self._talk.call("Profiler.disable", GRACE_S)
        self._talk.close()

    def start(self, interval_ms: float) -> None:
        """Begin to profile."""
        self._talk.call("Profiler.enable", GRACE_S)
        self._talk.call("Profiler.setSamplingInterval", GRACE_S, interval=round(interval_ms * 1000))
        self._talk.call("Profiler.start", GRACE_S)

    def stop(self) -> Profile:
        """End the profile and return it."""
        try:
            return of_cpuprofile(self._talk.call("Profiler.stop", GRACE_S)["profile"], self.pid)
        except (KeyError, NotAProfile) as error:
            raise Unavailable.of(ERRORS.profile_unreadable(str(error)), code="probe.not-that") from None


# --- finding the inspector ------------------------------------------------------------------------


def inspector_of(argv: Sequence[str], node_options: str = "") -> Address | None:
    """Return where the inspector listens by its flags; None without such a flag or with port 0."""
    for word in [*argv[1:], *node_options.split()]:
        match = _INSPECT.match(word)
        if match is None:
            continue
        host, _, port = (match["where"] or "").rpartition(":")
        if port and not port.isdecimal():
            host, port = port, ""
        number = int(port or USUAL_PORT)
        return Address(host.strip("[]") or "127.0.0.1", number) if number else None
    return None


def _inspectors(
    options: Options, component: Component, shot: Shot, stack: ExitStack
) -> Iterator[tuple[Address, int]]:
    """Yield the address of the inspector and the pid, for each process of the component.

    stack: closes the inspectors that had to be opened.
    """
    if options.at:
        yield address_of(options.at), component.pid or 0
        return
    may_open = options.open or "node-inspector" in shot.permits
    has_inspector = False
    for pid in those_that_run(pid_of(component), lambda name: name in ("node", "nodejs")):
        address = _listening(pid)
        if address is None and may_open and processes.is_caught(pid, signal.SIGUSR1):
            address = stack.enter_context(_opened(pid, shot.tell))
        if address is not None:
            has_inspector = True
            yield address, pid
    if not has_inspector and not may_open:
        raise Unavailable.of(ERRORS.not_permitted(component.name), code="probe.not-permitted")
    if not has_inspector:
        wording = ERRORS.inspector_closed(component.name, str(component.pid))
        raise Unavailable.of(wording, code="probe.no-inspector")


def _listening(pid: int) -> Address | None:
    """Return the inspector of a process that has opened one: at the flag's port, or any other."""
    argv = processes.words(pid)
    flagged = inspector_of(argv, processes.environment(pid).get("NODE_OPTIONS", ""))
    listening = {listener.inode: listener for listener in sockets.listeners()}
    inodes = sockets.holders(listening, [pid]).get(pid, set())
    addresses = [Address(listening[inode].address, listening[inode].port) for inode in sorted(inodes)]
    # The workers of a cluster have the same flag, and ports of their own.
    by_flag = flagged.port if flagged else 0
    addresses.sort(key=lambda listened: (listened.port != by_flag, abs(listened.port - USUAL_PORT)))
    return next((address for address in addresses if _is_inspector(address)), None)


@contextmanager
def _opened(pid: int, tell: Callable[[Event], None]) -> Iterator[Address | None]:
    """Have a process open its inspector, and close it at the end; None if the process does not open it."""
    start = processes.start_of(pid) or 0
    lease = leases.take(InspectorFacts(pid=pid, start=start, port=USUAL_PORT))
    address: Address | None = None
    try:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGUSR1)
            before = time.monotonic()
            while address is None and time.monotonic() - before < OPENS_S:
                address = _listening(pid)
                time.sleep(LOOK_S if address is None else 0)
        if address is not None:
            text = event_words(SENTENCES.inspector_opened, str(pid), str(address.port), address.host)
            tell(begun(time.monotonic_ns(), "node_inspector", "inspector", "opens a port", text, pid))
        yield address
    finally:
        # A busy process may have opened it too late: it is closed all the same. The lease stays if that
        # fails.
        if node_inspector.closed(pid, start):
            lease.end()
            if address is not None:
                text = event_words(SENTENCES.inspector_closed, str(pid))
                tell(ended(time.monotonic_ns(), "node_inspector", "inspector", text, pid))


def _is_inspector(address: Address) -> bool:
    try:
        return bool(node_inspector.page(address, "/json/version").get("Browser", "").startswith("node.js"))
    except (Unavailable, AttributeError):
        return False
