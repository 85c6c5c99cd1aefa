"""Gain of a second thread of the generator, and proof that it shares nothing with the first.

Two threads on one core must cost what one costs: whatever they shared would show. And two threads
must do what two generators do that are processes of their own and cannot share anything. Where there
are four cores the second thread has one of its own, and so has each server; on two cores, threads
and servers share them, and only these two comparisons can be made.
"""

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench import loads
from bench.figures import (
    cpu_per_million,
    failures,
    key,
    markdown,
    of_tool,
    own_cpu_per_million,
    ratio,
    shown,
    tools,
    verdict,
)
from bench.lab import SERVER_CORE, Bench
from bench.ours import Row
from bench.results import slim
from bench.server import Server, nginx

CONNECTIONS = 64
"""Connections of each thread."""
SCALE_WANTED = 1.8
ONE, TWO = "one thread on a core", "two threads on that core"
ALONE, THREADS, PROCESSES = (
    "one thread, two servers",
    "two threads, two servers",
    "two processes, two servers",
)

summarise = slim("requests", "cpu_s", "own_cpu_s", "per_second")


def measure(lab: Bench) -> dict[str, Any]:
    """Measure one and two threads on one core, two threads and two processes with two servers; in turns."""
    seconds = lab.length(5)
    cores = sorted(os.sched_getaffinity(0))
    is_alone = len(cores) >= 4
    ours, theirs = (cores[:2], cores[2:4]) if is_alone else (cores[:2], cores[:2])
    runs = {
        ONE: lambda server: _run(lab, [server], ours[:1], 1, seconds),
        TWO: lambda server: _run(lab, [server], ours[:1], 2, seconds),
    }
    rows = lab.in_turns(runs, lambda: nginx(SERVER_CORE))
    # The server that each run is given is not used: these have two of their own.
    runs = {
        THREADS: lambda _: _with_servers(theirs, lambda servers: _run(lab, servers, ours, 2, seconds)),
        PROCESSES: lambda _: _with_servers(theirs, lambda servers: _processes(lab, servers, ours, seconds)),
    }
    if is_alone:
        runs[ALONE] = lambda _: _with_servers(
            theirs, lambda servers: _run(lab, servers, ours[:1], 1, seconds)
        )
    rows += lab.in_turns(runs, lambda: nginx(None), seed=1)
    return {"seconds": seconds, "is_alone": is_alone, "cores": len(cores), "rows": rows}


def _with_servers(cores: list[int], run: Callable[[list[Server]], Row]) -> Row:
    with contextlib.ExitStack() as stack:
        return run([stack.enter_context(nginx(core)) for core in cores])


def _processes(lab: Bench, servers: list[Server], cores: list[int], seconds: float) -> Row:
    """Two generators of one thread at once, added up."""
    with ThreadPoolExecutor() as pool:
        begun = [pool.submit(_run, lab, servers, [core], 1, seconds) for core in cores]
        rows = [process.result() for process in begun]
    return {
        **rows[0],
        **{name: sum(row[name] for row in rows) for name in ("requests", "per_second", "cpu_s", "own_cpu_s")},
    }


def _run(lab: Bench, servers: list[Server], cores: list[int], threads: int, seconds: float) -> Row:
    config = loads.closed(servers[0].url, CONNECTIONS * threads, seconds)
    config["threads"], config["cpus"] = threads, cores
    config["server"]["addresses"] = [f"127.0.0.1:{server.port}" for server in servers]
    return lab.run_ours(config, cores)


def tables(section: dict[str, Any]) -> list[str]:
    """Cost and rate of each; the comparisons, and the goal where it can be measured."""
    rows = section["rows"]
    table = markdown(
        ["", "CPU s per million", "requests/s"],
        [
            [name, shown(of_tool(rows, name, cpu_per_million)), shown(of_tool(rows, name, key("per_second")))]
            for name in (ONE, TWO, ALONE, THREADS, PROCESSES)
            if name in tools(rows)
        ],
    )
    same = ratio(rows, TWO, ONE, own_cpu_per_million)
    beside = ratio(rows, THREADS, PROCESSES, key("per_second"))
    goals = [
        f"- CPU for a request, two threads on a core / one on it: {shown(same)}.",
        f"- requests/s, two threads / two processes, which share nothing: {shown(beside)}.",
    ]
    if section["is_alone"]:
        goals.append(
            verdict(
                "requests/s, two threads / one",
                ratio(rows, THREADS, ALONE, key("per_second")),
                SCALE_WANTED,
                at_least=True,
            )
        )
    else:
        goals.append(
            f"- This machine has {section['cores']} cores and a server needs one, so"
            " none is left for a second thread: that two do at least 1.8 times as much as one"
            " needs four cores and was not measured."
        )
    return [table, "\n".join(goals), *failures(rows)]
