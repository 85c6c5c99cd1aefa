"""Whether a fixed rate is kept, how late requests start, and how busy that keeps the core."""

from functools import partial
from typing import Any

from bench import loads
from bench.figures import failures, key, markdown, of_tool, shown, tools, verdict
from bench.lab import SERVER_CORE, Bench
from bench.ours import Row
from bench.results import slim
from bench.server import Server, nginx

CONNECTIONS = 64
RATES = (1_000, 5_000, 10_000)
OFF_WANTED = 0.001
LAG_WANTED_US = 100.0

summarise = slim("rate", "per_second", "cpu_s", "own_cpu_s", "wall_s", "lag_us", "latency_ms")


def measure(lab: Bench) -> dict[str, Any]:
    """Every peer that can keep a rate, and the generator, in turns, at each rate."""
    seconds = lab.length(5)
    rows = []
    for rate in RATES:
        runs = lab.peer_runs("open", connections=CONNECTIONS, rate=rate, seconds=seconds)
        if lab.is_asked("loadrig"):
            runs["loadrig"] = partial(_ours, lab, rate, seconds)
        rows += [{"rate": rate, **row} for row in lab.in_turns(runs, lambda: nginx(SERVER_CORE), seed=rate)]
    return {"connections": CONNECTIONS, "seconds": seconds, "rows": rows}


def _ours(lab: Bench, rate: float, seconds: float, server: Server) -> Row:
    return lab.run_ours(loads.fixed_rate(server.url, CONNECTIONS, rate, seconds))


def busy_share(row: dict[str, Any]) -> float:
    """Share of the generator's core that was used, of the whole run."""
    used: float = row.get("own_cpu_s", row["cpu_s"])
    return used / float(row["wall_s"])


def off_share(row: dict[str, Any]) -> float:
    """Return how far the rate was missed, as a share of it."""
    return float(abs(row["per_second"] / row["rate"] - 1))


def tables(section: dict[str, Any]) -> list[str]:
    """For each rate what was kept of it; the goals."""
    head = ["", "requests/s", "off by %", "core busy %", "lag p50 µs", "lag p99 µs", "p50 ms", "p99 ms"]
    parts = []
    for rate in dict.fromkeys(row["rate"] for row in section["rows"]):
        rows = [row for row in section["rows"] if row["rate"] == rate]
        parts.append(f"{rate:,} requests/s asked for:")
        parts.append(
            markdown(
                head,
                [
                    [
                        name,
                        shown(of_tool(rows, name, key("per_second"))),
                        shown(of_tool(rows, name, lambda row: 100 * off_share(row))),
                        shown(of_tool(rows, name, lambda row: 100 * busy_share(row))),
                        shown(of_tool(rows, name, key("lag_us", "p50"))),
                        shown(of_tool(rows, name, key("lag_us", "p99"))),
                        shown(of_tool(rows, name, key("latency_ms", "p50"))),
                        shown(of_tool(rows, name, key("latency_ms", "p99"))),
                    ]
                    for name in tools(rows, off_share)
                ],
            )
        )
        parts.append(
            "\n".join(
                [
                    verdict(
                        "loadrig off its rate",
                        of_tool(rows, "loadrig", lambda row: 100 * off_share(row)),
                        100 * OFF_WANTED,
                        " %",
                    ),
                    verdict(
                        "lag at p99", of_tool(rows, "loadrig", key("lag_us", "p99")), LAG_WANTED_US, " µs"
                    ),
                ]
            )
        )
        parts += failures(rows)
    return parts
