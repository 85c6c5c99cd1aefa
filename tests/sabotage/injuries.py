"""Ways to hurt a process of our own: neighbours, quotas, stops, freezing, late timers, few ports."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from loadrig.base import cgroups
from tests.sabotage.harness import Impossible


@contextlib.contextmanager
def neighbour(core: int) -> Iterator[None]:
    """Yield a process that wants the whole of a core."""
    words = f"import os; os.sched_setaffinity(0, [{core}])\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", words])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def group(controller: str, pid: int) -> Iterator[Path]:
    """Yield a control group (v1) of one controller with this process in it; it goes back at the end."""
    own = cgroups.of(pid).get(controller)
    if own is None or not os.access(own, os.W_OK):
        raise Impossible(f"a writable control group of v1 with the controller {controller}")
    folder = own / f"sabotage-{os.getpid()}-{pid}"
    folder.mkdir()
    try:
        (folder / "cgroup.procs").write_text(str(pid))
        yield folder
    finally:
        for member in cgroups.members(folder):
            with contextlib.suppress(OSError):  # it ended in this moment
                (own / "cgroup.procs").write_text(str(member))
        deadline = time.monotonic() + 60
        while not cgroups.remove(folder) and time.monotonic() < deadline:
            time.sleep(0.02)


def stop_for(pid: int, seconds: float) -> None:
    """Stop a process and let it go on."""
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)


def freeze_for(folder: Path, seconds: float) -> None:
    """Freeze a group of the controller `freezer`, as `docker pause` does, and let it go on."""
    (folder / "freezer.state").write_text("FROZEN")
    try:
        time.sleep(seconds)
    finally:
        (folder / "freezer.state").write_text("THAWED")


def give_way(pid: int) -> None:
    """Let every thread of a process come after all others (nice 19)."""
    for number in os.listdir(f"/proc/{pid}/task"):
        os.setpriority(os.PRIO_PROCESS, int(number), 19)


def make_timers_late(pid: int, seconds: float) -> None:
    """Let the kernel wake every thread of a process so late (its timer slack)."""
    for number in os.listdir(f"/proc/{pid}/task"):
        try:
            Path(f"/proc/{number}/timerslack_ns").write_text(str(int(seconds * 1e9)))
        except OSError as error:
            raise Impossible(f"to set the timer slack of a process ({error.strerror})") from error


def with_ports(low: int, high: int) -> Sequence[str]:
    """Words that run a command in a network namespace of its own with so few local ports."""
    script = (
        "ip link set lo up"
        f" && echo {low} {high} > /proc/sys/net/ipv4/ip_local_port_range"
        " && echo 0 > /proc/sys/net/ipv4/tcp_tw_reuse"
        ' && exec "$@"'
    )
    try:
        possible = subprocess.run(["unshare", "--net", "ip", "link", "set", "lo", "up"], check=False)
    except FileNotFoundError as error:
        raise Impossible("unshare and ip (apt install util-linux iproute2)") from error
    if possible.returncode:
        raise Impossible("to make a network namespace (root)")
    return ("unshare", "--net", "sh", "-c", script, "sh")


def with_descriptors(most: int) -> Sequence[str]:
    """Words that run a command with so few descriptors, and no way to more."""
    return ("prlimit", f"--nofile={most}:{most}")
