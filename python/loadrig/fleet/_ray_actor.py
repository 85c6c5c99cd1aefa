"""Part of a fleet over Ray that runs on the host of a generator: an actor beside it, which carries lines.

It goes to the hosts as it stands here, by value, with `fleet.reach`, and imports nothing but the standard
library and Ray: so it can say of a host without loadrig, or with another one, what that host lacks.
"""

import importlib.util
import math
import os
import platform
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from loadrig.fleet.reach import way_to

CHUNK_BYTES = 1 << 16
"""Most bytes that one look reads from a generator: as many as a pipe of Linux holds."""

LAST_BYTES = 4096
"""Bytes of a generator's messages to a person that are looked at in the end: some dozen lines."""

LOOK_S = 1.0
"""Time between two looks at the raylet, in seconds: so long may a generator load a server for nobody."""

BEAT_S = 2.0
"""Longest wait for a line before an actor answers without one, in seconds: by these answers both sides know
that the other is there."""

FORGOTTEN_AFTER_S = 8.0
"""Time without a call after which an actor ends its generator, in seconds: four beats. Its host may be cut
off, and its part go on elsewhere: both together would be more load than was asked for."""

STOPPED_AFTER_S = FORGOTTEN_AFTER_S + 2 * LOOK_S
"""Time since the last call was made after which an actor has surely ended its generator, in seconds: a call
counts from when it was made, see `LastCall`; the actor looks a second apart, and another is for the shortest
way to it."""

LEAST_OVER_S = 30.0
"""Time over which the least difference of two clocks is looked for, in seconds: several times what a way that
is blocked may take, and so short that clocks which drift by 100 µs a second stay 3 ms apart."""

LEAVES_WITHIN_S = 5.0
"""Time that a program has to end by itself where its head or a node's raylet is lost, in seconds: a node has
a server to end, and control groups to remove."""

SECRETS = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Variables by which a process may use the cluster: no generator has a use for them."""

GENERATOR, NODE = "generator", "node"
"""Programs that a host runs: a generator of a fleet, or a node of a study."""

NODE_START = (
    "import sys; sys.path.insert(0, {house!r}); from loadrig.study.node_process import main; sys.exit(main())"
)
"""Python that starts a node with the loadrig of its host, and leaves no variable to the server under test."""

ORDERS, FRAMES = "orders", "frames"
"""Groups of an actor's methods, a thread each: lines go in by one while the other waits for lines."""


def facts_of_host() -> dict[str, str]:
    """Return what a generator of a fleet has to have alike on all hosts; empty where it is not there."""
    loadrig = ""
    if importlib.util.find_spec("loadrig") is not None:
        with suppress(metadata.PackageNotFoundError):
            loadrig = metadata.version("loadrig")
    python = ".".join(platform.python_version_tuple()[:2])
    return {"loadrig": loadrig, "python": python, "machine": f"{sys.platform} {platform.machine()}"}


def machine() -> str:
    """Return a name of this machine in which a pid has a meaning: of this boot, and of its space of pids."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{boot} {os.readlink('/proc/self/ns/pid')}"


def program(kind: str) -> list[str]:
    """Return what starts a generator on this host, as engine.process.PROGRAM does there, or a node."""
    spec = importlib.util.find_spec("loadrig")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("loadrig")
    if kind == NODE:
        start = NODE_START.format(house=str(Path(spec.origin).parents[1]))
        return [sys.executable, "-P", "-c", start]
    return [sys.executable, "-I", "-S", str(Path(spec.origin).with_name("engine") / "__main__.py")]


def variables(kind: str, ours: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a host's program: a server under test gets none that Ray has set for itself.

    ours: what it has beside those of the host.
    """
    lacking = {*SECRETS}
    if kind == NODE:
        lacking |= {name for name in os.environ if name.startswith("RAY_")} | {"OMP_NUM_THREADS"}
    return {**{name: value for name, value in os.environ.items() if name not in lacking}, **ours}


class LastCall:
    """Time since a call was last made of which its callee is told by its caller.

    A call may be on its way for seconds, while its caller counts the silence from when it was made. Clocks of
    two hosts differ, so a callee takes the call that came quickest for one that took no time.
    """

    def __init__(self) -> None:
        self._made_s: float | None = None
        self._least_s = self._least_before_s = math.inf
        self._looks_since_s = -math.inf

    def note(self, made_s: float, idle_s: float) -> None:
        """Take a call. made_s: when it was made, by its caller's clock.

        idle_s: for how long nobody has called the caller itself, in seconds. A forgotten caller keeps nobody.
        """
        now_s = time.monotonic()
        if now_s - self._looks_since_s > LEAST_OVER_S:
            self._least_before_s, self._least_s = self._least_s, math.inf
            self._looks_since_s = now_s
        self._least_s = min(self._least_s, now_s - made_s)
        here_s = made_s + min(self._least_s, self._least_before_s) - idle_s
        self._made_s = here_s if self._made_s is None else max(self._made_s, here_s)

    def rest(self) -> None:
        """Take nobody for missing until the next call."""
        self._made_s = None

    @property
    def idle_s(self) -> float:
        """Time since the last call was made, in seconds; 0 before the first."""
        return 0.0 if self._made_s is None else time.monotonic() - self._made_s

    @property
    def is_forgotten(self) -> bool:
        """Whether the caller has surely given its callee up, or will before anything is heard of it."""
        return self.idle_s > FORGOTTEN_AFTER_S


class GeneratorActor:
    """Pipe to one generator: its process is started here, and ends with the actor as its input closes.

    kind: GENERATOR, or NODE for a node of a study, whose process is spoken to in the same way. ours: its
    variables beside those of the host.
    """

    def __init__(self, kind: str, ours: Mapping[str, str]) -> None:
        self._pending = b""
        self._last_lines: list[bytes] = []
        self._line_count, self._written = 0, 0
        self._call = LastCall()
        # A generator may still load somebody's server, and its part may go on elsewhere.
        self._leaves_within_s = LEAVES_WITHIN_S if kind == NODE else 0.0
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  it is open as long as the actor lives
        self._process = subprocess.Popen(
            program(kind), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
            env=variables(kind, ours), start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._look, args=(os.getppid(),), daemon=True).start()

    def _look(self, parent: int) -> None:
        """End this process with the raylet that started it, and once nobody calls it any more.

        Ray lets an actor live that waits for a pipe, and one whose host is cut off.
        """
        while os.getppid() == parent and not self._call.is_forgotten:
            time.sleep(LOOK_S)
        self.end(self._leaves_within_s)
        os._exit(1)

    def place(self) -> tuple[str, int, str]:
        """Return the id of our node, the pid of the generator, and the machine on which it has it."""
        import ray

        return ray.get_runtime_context().get_node_id(), self._process.pid, machine()

    def send(self, number: int, line: bytes) -> bool:
        """Write a line once, however often it is given; return whether it has come, and all before it.

        number: how many lines were sent before it. A generator that takes none any more is heard of by its
        end.
        """
        assert self._process.stdin is not None
        if number == self._written:
            self._written += 1
            with suppress(OSError, ValueError):  # ValueError: it was closed
                self._process.stdin.write(line)
                self._process.stdin.flush()
        return number < self._written

    def reach(self, addresses: list[str]) -> tuple[list[str], tuple[str, str] | None]:
        """Return the way from this host to these addresses, see `reach.ServerWay`."""
        way = way_to(addresses)
        return way.sources, way.lacking

    def clock(self, sent: int) -> int | None:
        """Return the monotonic clock of this host; None where not all lines that were sent have come.

        sent: how many lines those are.
        """
        return time.monotonic_ns() if self._written >= sent else None

    def lines(self, line_count: int, made_s: float, idle_s: float) -> tuple[list[bytes], bool]:
        """Wait for lines, at most a beat; return all that are there, and whether it was the last time.

        line_count: number of lines that came so far. Where our last answer did not come, it is given again.
        made_s, idle_s: see `LastCall.note`.
        """
        assert self._process.stdout is not None
        self._call.note(made_s, idle_s)
        if self._last_lines and line_count == self._line_count:
            return self._last_lines, False
        self._last_lines, self._line_count = [], line_count
        until_s = time.monotonic() + BEAT_S
        try:
            out = self._process.stdout.fileno()
            poll = select.poll()
            poll.register(out, select.POLLIN)
            while poll.poll(max(0.0, until_s - time.monotonic()) * 1e3):
                chunk = os.read(out, CHUNK_BYTES)
                if not chunk:
                    break
                *lines, self._pending = (self._pending + chunk).split(b"\n")
                if lines:
                    self._last_lines = lines
                    return lines, False
            else:
                return [], False
        except (OSError, ValueError):  # ValueError: it was closed
            pass
        # Who has ended has nothing left to end, and its host's clock is asked for later.
        self._call.rest()
        return [], True

    def last_words(self) -> list[str]:
        """Return the last of what the generator wrote for a person."""
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - LAST_BYTES))
        return self._log.read().decode(errors="replace").splitlines()[-12:]

    def leave(self) -> None:
        """End the generator, and then this process: where the head is lost Ray ends it late."""

        def end() -> None:
            self.end(LEAVES_WITHIN_S)
            os._exit(0)

        threading.Thread(target=end, daemon=True).start()

    def end(self, within_s: float) -> None:
        """Close the generator's input and wait for its end, at most so long; then it is killed."""
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        try:
            self._process.wait(timeout=within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
