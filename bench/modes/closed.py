"""Cost of a request over HTTP/1.1, 64 keep-alive connections, as fast as can be, beside every peer.

The limit client (native/limit.c) is what one core can do at most; ours keeps every latency by route,
second, response and service, and outcomes apart.
"""

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
from bench.results import slim
from bench.server import nginx

CONNECTIONS = 64
CPU_WANTED = 1.10
"""CPU of the whole process for each request, as a multiple of the limit client's."""

summarise = slim("requests", "cpu_s", "own_cpu_s", "per_second", "peak_bytes", "latency_ms", "server_busy")


def measure(lab: Bench, mode: str = "closed", speaks: str = "http") -> dict[str, Any]:
    """Every peer and the generator in turns."""
    seconds = lab.length(5)
    runs = lab.peer_runs(mode, connections=CONNECTIONS, seconds=seconds)
    if lab.is_asked("loadrig"):
        runs["loadrig"] = lambda server: lab.run_ours(loads.closed(server.url, CONNECTIONS, seconds))
    certificate = lab.certificate if speaks != "http" else None
    rows = lab.in_turns(runs, lambda: nginx(SERVER_CORE, speaks=speaks, certificate=certificate))
    return {"connections": CONNECTIONS, "seconds": seconds, "rows": rows}


def tables(section: dict[str, Any]) -> list[str]:
    """Cost, rate and memory of each; the goals."""
    rows = section["rows"]
    cost, own_cost = ratio(rows, "loadrig", "limit", cpu_per_million), ratio_of_own(rows, "limit")
    rate = ratio(rows, "loadrig", "wrk", key("per_second"))
    goals = [
        verdict("CPU for a request, loadrig / limit client", cost, CPU_WANTED),
        verdict("the same without the interpreter's start", own_cost, CPU_WANTED),
        verdict("requests/s, loadrig / wrk", rate, 1.0, at_least=True),
    ]
    return [cost_table(rows, "limit"), "\n".join(goals), *failures(rows)]


def cost_table(rows: list[dict[str, Any]], base: str) -> str:
    """Return a row for each tool, the cheapest first."""
    head = [
        "",
        "CPU s per million",
        f"× {base}",
        "requests/s",
        "peak MB",
        "p50 ms",
        "p99 ms",
        "server's core busy",
    ]
    return markdown(
        head,
        [
            [
                name,
                shown(of_tool(rows, name, cpu_per_million)),
                shown(ratio(rows, name, base, cpu_per_million)),
                shown(of_tool(rows, name, key("per_second"))),
                shown(of_tool(rows, name, key("peak_bytes", scale=1e-6))),
                shown(of_tool(rows, name, key("latency_ms", "p50"))),
                shown(of_tool(rows, name, key("latency_ms", "p99"))),
                shown(of_tool(rows, name, key("server_busy", scale=100))) + " %",
            ]
            for name in tools(rows, cpu_per_million)
        ],
    )


def ratio_of_own(rows: list[dict[str, Any]], base: str) -> Any:
    """Our generator's CPU as its frames say, against the whole of a peer's."""
    own = [
        {**row, "tool": "own", "cpu_s": row["own_cpu_s"]}
        if row["tool"] == "loadrig" and "own_cpu_s" in row
        else row
        for row in rows
    ]
    return ratio(own, "own", base, cpu_per_million)


def own(rows: list[dict[str, Any]]) -> Any:
    """CPU seconds of our generator for a million requests, as its frames say."""
    return of_tool(rows, "loadrig", own_cpu_per_million)
