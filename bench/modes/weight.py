"""The rig's own weight: what all that surrounds the generator takes of a small machine.

The server (nginx, 20 processes) has core 1; all of loadrig has core 0: its generator, its control process
and the observer, with every default probe. The server fills its core, so two bursts of a profile are taken as
well, by a program of its own (perf), whose CPU time is counted too and shown apart. Within each block, in
random order: the generator alone, a whole `loadrig attack` under the same load, one that is looked at for its
memory, the time to the first request, the time to the help page, and the time that an empty Python takes,
which is the floor of both.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from bench import costs, loads
from bench.costs import Failed
from bench.figures import failures, key, markdown, of_tool, ratio, shown, verdict
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench, held
from bench.modes.cold import ANYWHERE, watching
from bench.ours import Row
from bench.results import slim
from bench.server import Server, nginx
from loadrig import __version__

WORKERS = 19
"""With their master, 20 processes."""

CONNECTIONS = 10
"""Connections that `loadrig attack URL` opens by itself."""

HEADERS = [["User-Agent", f"loadrig/{__version__}"], ["Accept", "*/*"], ["Accept-Encoding", "gzip"]]
"""Headers that an attack sends beside Host, see engine.compile."""

CPU_EVERY_S, MEMORY_EVERY_S = 0.2, 0.05
"""Between two looks at the control process's CPU time, and at the memory of all."""

WARMS_S = 2.0
"""Length of the load that has all modules compiled: those of the sensors are imported after a second."""

LOADS_FOR_MEMORY_S = 3.0
"""The peak comes after the load, when the result is worked out."""

BEGUN_S = 2.0
"""From then on all sensors are at work: before, they are imported, and look at everything for the first time,
in seconds."""

OBSERVER = ("ticks", "missed", "late_ms", "probes", "budget")
"""Fields that are kept of a recording's observer."""

VOID = 111
"""Exit code of a run that is void: here it may be, as generator and observer share a core."""

RATIO_WANTED, CPU_WANTED, MEMORY_WANTED = 0.97, 2.0, 100.0
"""Throughput, attack / generator; per cent of a core; MB."""

FIRST_WANTED_MS, HELP_WANTED_MS = 300.0, 100.0

GENERATOR, ATTACK, MEMORY = "generator alone", "loadrig attack", "its memory"
FIRST, HELP, EMPTY = "first request", "loadrig --help", "python -I -S -c pass"

summarise = slim(
    "per_second", "own_cpu_s", "around_share", "observer_share", "steady_share", "bursts_share",
    "peak_bytes", "loading_bytes", "ms",
)  # fmt: skip


def measure(lab: Bench) -> dict[str, Any]:
    """Return all of it in turns."""
    seconds = lab.length(10.0)
    lab.commands = {ATTACK: f"loadrig attack URL -z {seconds:g}s", FIRST: "loadrig attack URL -c 1 -n 1"}
    served: dict[str, Callable[[Server], Row]] = {
        GENERATOR: lambda server: lab.run_ours(_load(server.url, seconds)),
        ATTACK: partial(_attack, lab, seconds),
        MEMORY: partial(_memory, lab, min(seconds, LOADS_FOR_MEMORY_S)),
    }
    plain: dict[str, Callable[[], Row]] = {
        FIRST: partial(_first_request, lab),
        HELP: partial(_wall, lab, [lab.path_of("loadrig"), "--help"]),
        EMPTY: partial(_wall, lab, [sys.executable, "-I", "-S", "-c", "pass"]),
    }
    with _installed(lab):
        rows = _blocks(lab, served, plain)
    return {"connections": CONNECTIONS, "processes": WORKERS + 1, "seconds": seconds, "rows": rows}


@contextmanager
def _installed(lab: Bench) -> Iterator[None]:
    """Let the block's programs find their modules compiled, as where a package is installed.

    In a checkout whose owner wants no bytecode in it, each of them would compile all that it imports.
    """
    names = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    os.environ[names[1]] = str(lab.folder / "bytecode")
    try:
        # One that fails says so when it is measured.
        with lab.turn(), nginx(SERVER_CORE, WORKERS) as server, suppress(Failed):
            _attack(lab, WARMS_S, server)
        yield
    finally:
        del os.environ[names[1]]
        os.environ.update(before)


def _blocks(
    lab: Bench, served: Mapping[str, Callable[[Server], Row]], plain: Mapping[str, Callable[[], Row]]
) -> list[Row]:
    rows: list[Row] = []
    for block in range(lab.runs):
        names = [*served, *plain]
        random.Random(block).shuffle(names)
        for name in names:
            row: Row = {"tool": name, "block": block}
            with lab.turn():
                try:
                    if name in plain:
                        row |= plain[name]()
                    else:
                        with nginx(SERVER_CORE, WORKERS) as server:
                            lab.versions["nginx"] = server.version
                            row |= served[name](server)
                except Failed as failure:
                    row["failed"] = str(failure)
            rows.append(row)
            figures = {field: value for field, value in row.items() if isinstance(value, int | float)}
            print(f"  {block + 1}/{lab.runs} {name:22} {figures}", file=sys.stderr)
    return rows


def _load(url: str, seconds: float) -> loads.Config:
    """Return the load of an attack, byte for byte: the cost of a longer request is not that of watching."""
    config = loads.closed(url, CONNECTIONS, seconds)
    for route in config["routes"]:
        route["headers"] += HEADERS
    return config


def _attack(lab: Bench, seconds: float, server: Server) -> Row:
    """Run a whole attack on the generator's core: requests a second, and the CPU time of what is around it.

    The CPU time is that of the control process, in which the observer is a thread, and of the programs that
    it has waited for, from the first look at which the load runs to the last one.
    """
    looks: list[tuple[float, float, float]] = []
    manifest = _run(
        lab, seconds, server, lambda pid: looks.append((time.monotonic(), *_cpu_s(pid))), CPU_EVERY_S
    )
    began_s = manifest["start_ns"] / 1e9
    inside = [look for look in looks if began_s <= look[0] <= began_s + seconds]
    if len(inside) < 2:
        raise Failed(f"it was looked at {len(inside)} times while it loaded")
    totals = manifest["end"]["totals"]
    length_s, own_s, others_s = (inside[-1][n] - inside[0][n] for n in range(3))
    begun = next((look for look in inside if look[0] >= began_s + BEGUN_S), inside[0])
    return {
        "requests": totals["answered"],
        "errors": totals["failed"],
        "per_second": totals["answered"] / seconds,
        "own_cpu_s": manifest["generator_cpu_s"],
        "around_share": (own_s + others_s) / length_s,
        "bursts_share": others_s / length_s,
        "steady_share": (inside[-1][1] - begun[1]) / max(CPU_EVERY_S, inside[-1][0] - begun[0]),
        "observer_share": manifest["observer"]["cpu_s"] / seconds,
        "observer": {name: manifest["observer"][name] for name in OBSERVER},
    }


def _memory(lab: Bench, seconds: float, server: Server) -> Row:
    """Run an attack whose processes are asked for their memory, all at once, as often as disturbs little."""
    looks: list[tuple[float, int]] = []

    def look(pid: int) -> None:
        looks.append((time.monotonic(), sum(_pss_bytes(each) for each in _tree(pid))))

    manifest = _run(lab, seconds, server, look, MEMORY_EVERY_S)
    began_s = manifest["start_ns"] / 1e9
    loading = [size for at, size in looks if began_s <= at <= began_s + seconds]
    return {
        "peak_bytes": max(size for _, size in looks),
        "loading_bytes": max(loading, default=0),
        "looks": len(looks),
    }


def _run(
    lab: Bench, seconds: float, server: Server, look: Callable[[int], None], every_s: float
) -> dict[str, Any]:
    """Run one attack on the generator's core, looked at until it ends. Returns its trial's manifest."""
    out = lab.folder / f"weight-{time.monotonic_ns()}"
    argv = [lab.path_of("loadrig"), "attack", server.url, "-z", f"{seconds:g}s", "-o", str(out)]
    with held(CLIENT_CORE):
        attack = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert attack.stderr is not None
    with attack.stderr:
        began = time.monotonic()
        while attack.poll() is None:
            look(attack.pid)
            if time.monotonic() - began > seconds + costs.LIMIT_S:
                attack.kill()
            time.sleep(every_s)
        errors = attack.stderr.read().decode(errors="replace")
    if attack.returncode not in (0, VOID):
        raise Failed(f"exit {attack.returncode}: {errors[-300:]}")
    trial = next(out.rglob("manifest.json")).parent
    document: dict[str, Any] = json.loads((trial / "manifest.json").read_text(encoding="utf-8"))
    return {**document, "generator_cpu_s": _generator_cpu_s(trial)}


def _generator_cpu_s(trial: Path) -> float:
    """CPU seconds of the generator, as its frames say; few where others had its core while it loaded."""
    frames = (trial / "frames.jsonl").read_text(encoding="utf-8").splitlines()
    return sum(int(json.loads(frame)["process_cpu_ns"]) for frame in frames) / 1e9


def _first_request(lab: Bench) -> Row:
    """From the start of the command until its first request is seen, on any core, as it is typed."""
    with watching() as witness:
        url, out = f"http://127.0.0.1:{witness.port}/", lab.folder / f"weight-{time.monotonic_ns()}"
        argv = [lab.path_of("loadrig"), "attack", url, "-c", "1", "-n", "1", "-o", str(out)]
        began = time.monotonic()
        costs.run(lab.natives.cost, argv, ANYWHERE)
    if witness.asked_at is None:
        raise Failed("it asked for nothing")
    return {"ms": 1e3 * (witness.asked_at - began)}


def _wall(lab: Bench, argv: list[str]) -> Row:
    """From the start of a command to its end, on any core; the wrapper's own start is counted too."""
    began = time.monotonic()
    code = costs.run(lab.natives.cost, argv, ANYWHERE).cost.code
    if code:
        raise Failed(f"exit {code}")
    return {"ms": 1e3 * (time.monotonic() - began)}


def _cpu_s(pid: int) -> tuple[float, float]:
    """CPU time of a process, and of those that it has waited for, in steps of 10 ms; 0 once it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0, 0.0
    own, others = sum(map(int, fields[11:13])), sum(map(int, fields[13:15]))
    return own / os.sysconf("SC_CLK_TCK"), others / os.sysconf("SC_CLK_TCK")


def _tree(pid: int) -> Iterator[int]:
    """Yield a process and all below it."""
    yield pid
    try:
        texts = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return
    for word in " ".join(texts).split():
        yield from _tree(int(word))


def _pss_bytes(pid: int) -> int:
    """Proportional set size; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def tables(section: dict[str, Any]) -> list[str]:
    """Return what was found; the goals; what each probe used."""
    rows = section["rows"]
    ratios = ratio(rows, ATTACK, GENERATOR, key("per_second"))
    around = of_tool(rows, ATTACK, key("around_share", scale=100))
    peak = of_tool(rows, MEMORY, key("peak_bytes", scale=1e-6))
    first, page = of_tool(rows, FIRST, key("ms")), of_tool(rows, HELP, key("ms"))
    figures = [
        ["requests/s, generator alone", shown(of_tool(rows, GENERATOR, key("per_second")))],
        ["requests/s, `loadrig attack`", shown(of_tool(rows, ATTACK, key("per_second")))],
        ["the generator's own part of that core, alone, %", _of_core(section, GENERATOR)],
        ["the generator's own part of that core, in an attack, %", _of_core(section, ATTACK)],
        ["the observer's thread, % of a core",
         shown(of_tool(rows, ATTACK, key("observer_share", scale=100)))],
        [f"control process and observer from {BEGUN_S:g} s on, without those programs, % of a core",
         shown(of_tool(rows, ATTACK, key("steady_share", scale=100)))],
        ["programs that it has run, for bursts of a profile, % of a core",
         shown(of_tool(rows, ATTACK, key("bursts_share", scale=100)))],
        ["memory while it loads, MB", shown(of_tool(rows, MEMORY, key("loading_bytes", scale=1e-6)))],
        [f"`{EMPTY}`, ms", shown(of_tool(rows, EMPTY, key("ms")))],
    ]  # fmt: skip
    goals = [
        verdict("throughput, attack / generator alone", ratios, RATIO_WANTED, at_least=True),
        verdict("control process and observer", around, CPU_WANTED, " % of a core"),
        verdict("memory of all processes at its peak", peak, MEMORY_WANTED, " MB"),
        verdict("first request", first, FIRST_WANTED_MS, " ms"),
        verdict(f"`{HELP}`", page, HELP_WANTED_MS, " ms"),
    ]
    return [markdown(["", "found"], figures), "\n".join(goals), *failures(rows)]


def _of_core(section: dict[str, Any], tool: str) -> str:
    """Return the generator's share of its core: a few per cent below all of it the machine was not quiet."""
    return shown(of_tool(section["rows"], tool, key("own_cpu_s", scale=100 / section["seconds"])))
