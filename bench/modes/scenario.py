"""Cost of a request with holes and feeds, a check and an extraction, against the limit client.

The limit client asks for the same answer and looks at nothing.
"""

from typing import Any

from bench import loads
from bench.figures import cpu_per_million, failures, ratio, verdict
from bench.lab import SERVER_CORE, Bench
from bench.modes import closed
from bench.server import nginx

CPU_WANTED = 1.5

summarise = closed.summarise


def measure(lab: Bench) -> dict[str, Any]:
    """Return the limit client and the generator in turns."""
    seconds = lab.length(5)
    runs = lab.peer_runs("scenario", connections=closed.CONNECTIONS, seconds=seconds)
    runs["loadrig"] = lambda server: lab.run_ours(loads.scenario(server.url, closed.CONNECTIONS, seconds))
    return {
        "connections": closed.CONNECTIONS, "seconds": seconds,
        "rows": lab.in_turns(runs, lambda: nginx(SERVER_CORE)),
    }  # fmt: skip


def tables(section: dict[str, Any]) -> list[str]:
    """Cost of each; the goal."""
    rows = section["rows"]
    goals = [
        verdict(
            "CPU for a request, loadrig / limit client",
            ratio(rows, "loadrig", "limit", cpu_per_million),
            CPU_WANTED,
        ),
        verdict("the same without the interpreter's start", closed.ratio_of_own(rows, "limit"), CPU_WANTED),
    ]
    return [closed.cost_table(rows, "limit"), "\n".join(goals), *failures(rows)]
