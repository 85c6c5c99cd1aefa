"""Memory that the generator needs: over time, for each connection, and for the program around it."""

import contextlib
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from bench import loads
from bench.costs import Failed
from bench.figures import failures, key, markdown, of_tool, shown, verdict
from bench.lab import SERVER_CORE, Bench, Run
from bench.ours import Row
from bench.results import slim
from bench.server import Server, nginx
from loadrig.engine.process import PROGRAM

FEW, MANY = 64, 20_000
LENGTHS_S = (2.0, 10.0, 30.0)
SOURCES = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"]
"""Local addresses in turn: one has about 28,000 ports towards one server."""
OPEN_IN_S, THINK_S = 4.0, 3.0
"""The many are opened over four seconds and ask once in three: the server is not to be the limit."""
OTHERS = 500
"""Descriptors for all else."""
FLAT_WANTED, EACH_WANTED = 20e6, 20e3

summarise = slim("peak_bytes", "parent_bytes", "engine_bytes")


def measure(lab: Bench) -> dict[str, Any]:
    """Runs of growing length, many connections, and a whole `loadrig attack`, in turns."""
    lengths = LENGTHS_S if lab.seconds is None else (lab.seconds,)
    many = _as_many_as_allowed()
    runs: dict[str, Run] = {
        f"{FEW} connections, {seconds:g} s": partial(_few, lab, seconds) for seconds in lengths
    }
    runs[f"{many:,} connections"] = partial(_many, lab, many, lab.length(12))
    runs["loadrig attack"] = partial(_attack, lab, lab.length(5))
    rows = lab.in_turns(runs, lambda: nginx(SERVER_CORE))
    return {"few": FEW, "many": many, "sources": SOURCES, "rows": rows}


def _as_many_as_allowed() -> int:
    """MANY, or less where a process may not have so many descriptors; raised if it may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):  # only an administrator may
        hard = max(hard, MANY + OTHERS)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return min(MANY, resource.getrlimit(resource.RLIMIT_NOFILE)[1] - OTHERS)


def _few(lab: Bench, seconds: float, server: Server) -> Row:
    return lab.run_ours(loads.closed(server.url, FEW, seconds))


def _many(lab: Bench, many: int, seconds: float, server: Server) -> Row:
    config = loads.closed(server.url, many, seconds)
    opened_in = min(OPEN_IN_S, seconds / 2)
    config["arrivals"]["users"]["line"] = [[0.0, 1.0], [opened_in, float(many)]]
    config["think"] = {"constant": THINK_S}
    config["source_addresses"] = SOURCES
    return lab.run_ours(config)


def _attack(lab: Bench, seconds: float, server: Server) -> Row:
    """Return a whole `loadrig attack`: the most that its own process and its generator held, apart."""
    argv = [
        sys.executable, "-m", "loadrig.cli", "attack", server.url, "-c", str(FEW), "-z", f"{seconds:g}s",
        "-o", str(lab.folder / f"attack-{time.monotonic_ns()}"),
    ]  # fmt: skip
    began = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most: dict[int, int] = {}
    engines: set[int] = set()
    while process.poll() is None:
        if time.monotonic() - began > seconds + 30:
            process.kill()
        for pid in [process.pid, *_children(process.pid)]:
            most[pid] = max(most.get(pid, 0), _high_water_bytes(pid))
            if PROGRAM[-1] in _words(pid):
                engines.add(pid)
        time.sleep(0.05)
    assert process.stderr is not None
    errors = process.stderr.read().decode(errors="replace")
    process.stderr.close()
    # 111: the run is void, as it may well be here: it drives the server as fast as can be.
    if process.returncode not in (0, 111) or not engines:
        raise Failed(f"exit {process.returncode}: {errors[-300:]}")
    return {
        "wall_s": time.monotonic() - began,
        "parent_bytes": most[process.pid],
        "engine_bytes": max(most[pid] for pid in engines),
    }


def _children(pid: int) -> list[int]:
    """Processes that any of its threads started."""
    try:
        texts = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []
    return [int(word) for text in texts for word in text.split()]


def _words(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def _high_water_bytes(pid: int) -> int:
    """Return the most that was resident since the program began; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def each_bytes(rows: list[dict[str, Any]], few: int, many: int) -> float | None:
    """Bytes that a connection adds: the slope between few and many."""
    at_many = of_tool(rows, f"{many:,} connections", key("peak_bytes"))
    at_few = [
        peak_bytes
        for row in rows
        if row["tool"].startswith(f"{few} ") and (peak_bytes := row.get("peak_bytes"))
    ]
    if at_many is None or not at_few:
        return None
    return float(at_many.median - max(at_few)) / (many - few)


def tables(section: dict[str, Any]) -> list[str]:
    """Peak memory of each; the goals."""
    rows = section["rows"]
    names = sorted(dict.fromkeys(row["tool"] for row in rows if row.get("peak_bytes")), key=len)
    lines = [
        [f"generator, {name}", shown(of_tool(rows, name, key("peak_bytes", scale=1e-6)))] for name in names
    ]
    for what, field in (("its generator", "engine_bytes"), ("the Python program around it", "parent_bytes")):
        lines.append(
            [f"`loadrig attack`: {what}", shown(of_tool(rows, "loadrig attack", key(field, scale=1e-6)))]
        )
    few = [
        row["peak_bytes"] / 1e6
        for row in rows
        if row["tool"].startswith(f"{section['few']} ") and "failed" not in row
    ]
    each = each_bytes(rows, section["few"], section["many"])
    goals = [
        verdict(
            f"generator at {section['few']} connections, any length",
            max(few, default=None),
            FLAT_WANTED / 1e6,
            " MB",
        ),
        verdict(
            f"a connection at {section['many']:,}",
            None if each is None else each / 1e3,
            EACH_WANTED / 1e3,
            " kB",
        ),
    ]
    return [markdown(["", "peak MB"], lines), "\n".join(goals), *failures(rows)]
