"""Cost of a request over HTTP/2 and TLS 1.3, 8 connections with 8 streams each."""

from typing import Any

from bench import loads
from bench.figures import cpu_per_million, failures, ratio, verdict
from bench.lab import SERVER_CORE, Bench
from bench.modes import closed
from bench.server import nginx

CONNECTIONS, STREAMS = 8, 8
CPU_WANTED = 1.10

summarise = closed.summarise


def measure(lab: Bench) -> dict[str, Any]:
    """Every peer and the generator in turns; who carries one stream a connection gets 64 connections."""
    seconds = lab.length(5)
    runs = lab.peer_runs("h2", connections=CONNECTIONS, streams=STREAMS, seconds=seconds)
    if lab.is_asked("loadrig"):
        runs["loadrig"] = lambda server: lab.run_ours(loads.http2(server.url, CONNECTIONS, STREAMS, seconds))
    rows = lab.in_turns(runs, lambda: nginx(SERVER_CORE, speaks="h2", certificate=lab.certificate))
    return {"connections": CONNECTIONS, "streams": STREAMS, "seconds": seconds, "rows": rows}


def tables(section: dict[str, Any]) -> list[str]:
    """Cost, rate and memory of each; the goal."""
    rows = section["rows"]
    goals = [
        verdict(
            "CPU for a request, loadrig / h2load",
            ratio(rows, "loadrig", "h2load", cpu_per_million),
            CPU_WANTED,
        ),
        verdict("the same without the interpreter's start", closed.ratio_of_own(rows, "h2load"), CPU_WANTED),
    ]
    return [closed.cost_table(rows, "h2load"), "\n".join(goals), *failures(rows)]
