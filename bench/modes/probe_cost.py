"""Cost of watching: CPU time of the observer with all default probes, and throughput with and without.

A server of 20 processes (nginx) is loaded by wrk over keep-alive connections, in pairs of runs in random
order: alone, and watched at one sample a second. The observer is the trial's own, with discovery, in a
program of its own, so that its cost is what the kernel says the program used once it had begun. It is
not held on a core, as in a trial. Then the same with 50,000 sockets on the machine: most in TIME_WAIT.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from bench.costs import Failed
from bench.figures import digits, markdown, ratio, spread
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench
from bench.many_sockets import time_waits
from bench.programs import need
from bench.results import slim
from bench.server import Server, nginx

WORKERS = 19
"""With their master, 20 processes."""

CONNECTIONS = 500
"""Two sockets each, as both ends are on this machine: 1,000."""

MANY = 50_000
FEW = 2_000
WATCHER = Path(__file__).parents[1] / "scripts" / "watcher.py"
QUIET, CROWDED = "1,000 sockets", "50,000 sockets"

summarise = slim("sockets", "per_second", "cpu_s", "seconds", "ticks", "probes")


def measure(lab: Bench) -> dict[str, Any]:
    """Pairs of runs with few sockets, then with many."""
    wrk = need("wrk", "wrk")
    length_s = lab.length(15.0)
    lab.commands = {"load": f"wrk -t1 -c{CONNECTIONS} -d{length_s:g}s URL"}
    rows: list[dict[str, Any]] = []
    for sockets, n in ((QUIET, 0), (CROWDED, MANY if length_s > 1 else 1_000)):
        for block in range(lab.runs):
            pair = ["alone", "watched"]
            random.Random(block).shuffle(pair)
            if length_s > 1:
                _until_gone()
            time_waits(n)  # gone after a minute: both runs of the pair have them
            for name in pair:
                with lab.turn(), nginx(SERVER_CORE, WORKERS) as server:
                    lab.versions = {"nginx": server.version}
                    row = _run(wrk, server, length_s, is_watched=name == "watched")
                rows.append({"tool": name, "sockets": sockets, "block": block, **row})
                print(f"  {sockets} {block + 1}/{lab.runs} {name:8} {row}", file=sys.stderr)
    return {"rows": rows, "processes": WORKERS + 1, "connections": CONNECTIONS}


def tables(section: dict[str, Any]) -> list[str]:
    """Return the observer's share of a core, and the ratio of throughput; then what each probe used."""
    lines = []
    for sockets in (QUIET, CROWDED):
        rows = [row for row in section["rows"] if row["sockets"] == sockets]
        watched = [row for row in rows if row["tool"] == "watched"]
        share = spread(100 * row["cpu_s"] / row["seconds"] for row in watched)
        lines.append(
            [sockets, f"{share} %", str(ratio(rows, "watched", "alone", lambda row: row["per_second"]))]
        )
    parts = [markdown(["on the machine", "observer's share of a core", "throughput, watched / alone"], lines)]
    parts.append(markdown(["probe", f"ms a sample, {QUIET}", CROWDED], _by_probe(section["rows"])))
    return parts


def _by_probe(rows: list[dict[str, Any]]) -> list[list[str]]:
    cells_by_probe: dict[str, list[str]] = {}
    for sockets in (QUIET, CROWDED):
        watched = [row for row in rows if row["tool"] == "watched" and row["sockets"] == sockets]
        for probe in dict.fromkeys(name for row in watched for name in row["probes"]):
            each = spread(1e3 * row["probes"].get(probe, 0.0) / row["ticks"] for row in watched)
            cells_by_probe.setdefault(probe, []).append(digits(each.median) if each else "–")
    return sorted(([probe, *cells] for probe, cells in cells_by_probe.items()), key=lambda row: row[0])


def _until_gone() -> None:
    """Wait until the connections of the pair before are no longer kept."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        words = Path("/proc/net/sockstat").read_text(encoding="ascii").partition("TCP:")[2].split()
        if int(words[words.index("tw") + 1]) < FEW:
            return
        time.sleep(1.0)
    raise Failed(f"more than {FEW} connections wait on this machine: something else opens and closes them")


def _run(wrk: str, server: Server, length_s: float, *, is_watched: bool) -> dict[str, Any]:
    """Return one run: requests a second, and where it is watched what that cost."""
    with _watching(server, length_s) if is_watched else nullcontext() as watcher:
        load = subprocess.run(
            [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{length_s:g}s", server.url],
            capture_output=True, text=True, check=True, timeout=length_s + 30,
            preexec_fn=lambda: os.sched_setaffinity(0, {CLIENT_CORE}),
        )  # fmt: skip
        cost_text = watcher.communicate(timeout=30)[0] if watcher is not None else "{}"
    rate_line = next(line for line in load.stdout.splitlines() if line.startswith("Requests/sec:"))
    return {"per_second": float(rate_line.split()[1]), **json.loads(cost_text)}


@contextmanager
def _watching(server: Server, length_s: float) -> Iterator["subprocess.Popen[str]"]:
    argv = [sys.executable, str(WATCHER), str(server.pid), str(server.port), f"{length_s:g}"]
    watcher = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert watcher.stdout is not None
        if watcher.stdout.readline() != "ready\n":
            raise SystemExit(f"the watcher did not begin: {' '.join(argv)}")
        yield watcher
    finally:
        watcher.kill()
        watcher.wait(timeout=10)
