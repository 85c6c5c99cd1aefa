"""Whether latency is told as it was: 1,000/s on a server that answers in 1 ms and stalls 200 ms in every 2 s.

The truth is simulated (truth.py), not measured. Peers are asked for the same rate.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

from bench import loads, ours
from bench.figures import digits, failures, key, markdown, of_tool, shown, tools, verdict
from bench.lab import CLIENT_CORE, SERVER_CORE, Bench
from bench.results import slim
from bench.server import Server, stalling
from bench.truth import QUANTILES, Stalls, latencies_ms, quantiles_ms

RATE = 1_000
CONNECTIONS = (16, 256)
WITHIN_SHARE, WITHIN_MS = 0.02, 0.2

summarise = slim("connections", "latency_ms", "service_ms", "server", "response_curve_ms", "service_curve_ms")


def measure(lab: Bench) -> dict[str, Any]:
    """Every peer that can keep a rate, and the generator, in turns, with few and with many connections."""
    seconds = lab.length(8)
    rows = []
    for connections in CONNECTIONS:
        runs = lab.peer_runs("honest", connections=connections, rate=RATE, seconds=seconds)
        if lab.is_asked("loadrig"):
            runs["loadrig"] = partial(_ours, lab, connections, seconds)
        measured = lab.in_turns(runs, lambda: stalling(lab.natives.stalling, SERVER_CORE), seed=connections)
        rows += [{"connections": connections, **row} for row in measured]
    return {"rate": RATE, "connections": list(CONNECTIONS), "seconds": seconds, "rows": rows}


def _ours(lab: Bench, connections: int, seconds: float, server: Server) -> dict[str, Any]:
    """Return one run, with the curves of both ways to count, for the picture."""
    config = loads.fixed_rate(server.url, connections, RATE, seconds)
    row = ours.run(lab.natives.cost, config, CLIENT_CORE)
    frames = row.pop("frames")
    row["response_curve_ms"] = ours.curve_ms(ours.merged(frames, "response"))
    row["service_curve_ms"] = ours.curve_ms(ours.merged(frames, "service"))
    return row


def truth(section: dict[str, Any], rows: Sequence[dict[str, Any]]) -> list[float]:
    """Latency of every request in runs such as these, by simulation.

    What a request costs the server is taken from its own statements, at their median.
    """
    read_us, send_us = (median(row["server"][name] for row in rows) for name in ("read_us", "send_us"))
    stalls = Stalls(read_ms=read_us / 1e3, send_ms=send_us / 1e3)
    return latencies_ms(section["rate"], rows[0]["connections"], section["seconds"], stalls)


def off(reported: Mapping[str, float], true: Mapping[str, tuple[float, float]]) -> float:
    """Distance of the worst quantile from the truth, in units of what is allowed: at most 1 is right."""
    return max(
        max(low - reported[name], reported[name] - high, 0.0) / max(WITHIN_SHARE * high, WITHIN_MS)
        for name, (low, high) in true.items()
    )


def tables(section: dict[str, Any]) -> list[str]:
    """Return what each tool says beside the truth; the goal."""
    parts = []
    for connections in section["connections"]:
        rows = [row for row in section["rows"] if row["connections"] == connections]
        answered = [row for row in rows if "failed" not in row]
        if not answered:
            parts += failures(rows)
            continue
        true = quantiles_ms(truth(section, answered))
        parts.append(f"{connections} connections, milliseconds:")
        lines = [["truth, simulated", *(_range(*ends) for ends in true.values())]]
        lines += [
            [name, *(shown(of_tool(rows, name, key("latency_ms", q))) for q in QUANTILES)]
            for name in tools(rows, partial(p95_off, true["p95"][0]))
        ]
        counted = [shown(of_tool(rows, "loadrig", key("service_ms", q))) for q in QUANTILES]
        lines.append(["loadrig, the same runs counted from sending", *counted])
        parts.append(markdown(["", *QUANTILES], lines))
        worst = of_tool(
            rows, "loadrig", lambda row: off(row["latency_ms"], quantiles_ms(truth(section, [row])))
        )
        goal = verdict(
            "loadrig's worst quantile, in multiples of what is allowed (2 % or 0.2 ms)", worst, 1.0
        )
        parts += [goal, *failures(rows)]
    return parts


def p95_off(p95_ms: float, row: dict[str, Any]) -> float | None:
    """Distance of what a tool says from the true p95; of its p90 or its most where it says none."""
    latency = row["latency_ms"]
    reported_ms = next((latency[name] for name in ("p95", "p90", "max") if name in latency), None)
    return None if reported_ms is None else float(abs(reported_ms - p95_ms))


def _range(low: float, high: float) -> str:
    return digits(low) if digits(low) == digits(high) else f"{digits(low)} – {digits(high)}"
