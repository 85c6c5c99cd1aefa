"""Cost of a look at many sockets: the probe's own way, by netlink, and the text of /proc/net/tcp.

The sockets are real, over loopback, in a network namespace of their own (this needs root). A look is the
probe's: every socket read and counted by role. The kernel's part of it is most, and is colder the more
else the machine does: the sockets of a look are in nobody's cache.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.figures import digits, markdown
from bench.lab import Bench
from bench.programs import need
from loadrig._native import Sockets
from loadrig.probes._tcp.text import parse_tables

CASES = (
    ("time_wait", 0), ("time_wait", 1_000), ("time_wait", 50_000),
    ("established", 1_000), ("established", 50_000),
)  # fmt: skip
LOOKS = 21
WANTED_MS = 50.0
"""For 50,000 sockets."""


def measure(lab: Bench) -> dict[str, Any]:
    """Each number and kind of sockets, with each way of looking."""
    is_quick = lab.seconds is not None and lab.seconds <= 1
    looks, cases = (3, CASES[:2]) if is_quick else (LOOKS, CASES)
    lab.commands = {"sockets": "unshare --net python -m bench.many_sockets KIND COUNT"}
    rows = []
    for kind, count in cases:
        with lab.turn(), process_with_sockets(kind, count) as home:
            sockets = Sockets(home / "ns/net")
            ways: dict[str, Callable[[], object]] = {
                "netlink": partial(_by_netlink, sockets, False),
                "netlink, tcp_info": partial(_by_netlink, sockets, True),
                "text": partial(_by_text, home / "net"),
            }
            there = sockets.look().sockets
            for way, look in ways.items():
                rows.append({"tool": way, "kind": kind, "sockets": there, "ms": _timed(look, looks)})
    return {"looks": looks, "wanted_ms": WANTED_MS, "rows": rows}


def _by_netlink(sockets: Sockets, with_info: bool) -> object:
    return sockets.look(with_info).roles


def _by_text(net: Path) -> object:
    return parse_tables((net / name).read_text() for name in ("tcp", "tcp6"))


def _timed(look: Callable[[], object], looks: int) -> list[float]:
    took_ms = []
    for _ in range(looks):
        before = time.thread_time_ns()
        look()
        took_ms.append(round((time.thread_time_ns() - before) / 1e6, 3))
    return took_ms


@contextmanager
def process_with_sockets(kind: str, count: int) -> Iterator[Path]:
    """Yield the /proc folder of a process in whose namespace there are so many sockets."""
    unshare = need("unshare", "util-linux")
    inside = f"ip link set lo up && exec {sys.executable} -m bench.many_sockets {kind} {count}"
    command = [unshare, "--net", "sh", "-c", inside]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            if child.stdout.readline() != "ready\n":
                sys.exit("many sockets need a network namespace: run this mode as root")
            yield Path(f"/proc/{child.pid}")
        finally:
            child.stdin.close()
            child.wait(timeout=30)


def tables(section: dict[str, Any]) -> list[str]:
    """Median, least and most of each, and whether 50,000 are read in time."""
    lines = [
        [
            f"{row['sockets']:,} {row['kind']}", row["tool"], digits(statistics.median(row["ms"])),
            digits(min(row["ms"])), digits(max(row["ms"])),
        ]
        for row in section["rows"]
    ]  # fmt: skip
    parts = [markdown(["sockets", "way", "ms of CPU a look", "least", "most"], lines)]
    parts += [
        f"- {row['sockets']:,} {row['kind']} by netlink in {digits(statistics.median(row['ms']))} ms:"
        f" {section['wanted_ms']:g} ms wanted."
        for row in section["rows"]
        if row["tool"] == "netlink" and row["sockets"] >= 50_000
    ]
    return parts
