"""One run of our generator over its own protocol, as `loadrig attack` runs it, and what its frames say.

Two CPU times are kept apart: of the whole process, interpreter and start included, which is what the
peers are charged too; and what the frames say, which is the generator at work.
"""

import json
import time
from pathlib import Path
from typing import Any

from bench.costs import LIMIT_S, Failed, running
from bench.loads import Config
from bench.truth import QUANTILES
from loadrig._native import Histogram
from loadrig.engine.process import PROGRAM

CURVE = [n / 200 for n in range(160, 200)] + [0.996, 0.997, 0.998, 0.999, 1.0]
"""Shares of requests, from 80 % on, at which the picture of the stalling server has points."""

Row = dict[str, Any]


def run(
    wrapper: Path, config: Config, core: int, before: tuple[str, ...] = (), limit_s: int = LIMIT_S
) -> Row:
    """Return one run. before: words put before the command, such as those of valgrind.

    Raises Failed if the generator refuses, dies, or if a request failed: a failed request is cheap.
    """
    with running(wrapper, [*before, *PROGRAM], core, limit_s) as started:
        process = started.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(config).encode() + b"\n")
        process.stdin.flush()
        document = json.loads(process.stdout.readline() or b"{}")
        lines = []
        if "ready" in document:
            start = {"start_at_ns": time.monotonic_ns() + 20_000_000}
            process.stdin.write(json.dumps(start).encode() + b"\n")
            process.stdin.flush()
            # Taken apart only when all is over: to do it meanwhile would disturb the other core.
            while line := process.stdout.readline():
                lines.append(line)
                if line.startswith(b'{"end"'):
                    break
    if "ready" not in document:
        raise Failed(
            document.get("refused", {}).get("what") or f"the generator ended early: {started.errors[-300:]}"
        )
    messages = [json.loads(line) for line in lines]
    if not messages or "end" not in messages[-1]:
        raise Failed(f"the generator ended early: {started.errors[-300:]}")
    end = messages[-1]["end"]
    frames = [message["frame"] for message in messages[:-1]]
    seconds = float(config["stop"]["after_s"])
    totals = end["totals"]
    if totals["failed"] or totals["unsent"] or not totals["answered"]:
        examples = [example for frame in frames for example in frame["examples"]][:1]
        raise Failed(f"requests failed: {totals} {examples}")
    return {
        "requests": totals["answered"],
        "per_second": totals["answered"] / seconds,
        "errors": 0,
        "cpu_s": started.cost.cpu_s,
        "wall_s": started.cost.wall_s,
        "peak_bytes": max(started.cost.peak_bytes, end["max_rss_bytes"]),
        "own_cpu_s": sum(frame["process_cpu_ns"] for frame in frames) / 1e9,
        "busiest_second": max(max(row["busy_share"] for row in frame["threads"]) for frame in frames),
        "latency_ms": quantiles_ms(merged(frames, "response")),
        "service_ms": quantiles_ms(merged(frames, "service")),
        "lag_us": {name: ms * 1e3 for name, ms in quantiles_ms(merged(frames, "lag")).items()},
        "frames": frames,
    }


def merged(frames: list[dict[str, Any]], kind: str) -> Histogram:
    """Return all of one kind of time added up: lag, wait, or response and service of the good answers."""
    whole = Histogram()
    for frame in frames:
        texts = (
            [frame[kind]]
            if kind in frame
            else [row[kind] for row in frame["routes"] if row["outcome"] == "ok"]
        )
        for text in texts:
            whole.add(Histogram.decode(text))
    return whole


def quantiles_ms(histogram: Histogram) -> dict[str, float]:
    """Return the quantiles that every tool is asked for."""
    return {name: round(histogram.quantile_ns(q) / 1e6, 4) for name, q in QUANTILES.items()}


def curve_ms(histogram: Histogram) -> list[float]:
    """Values at the shares of CURVE."""
    return [round(histogram.quantile_ns(q) / 1e6, 3) for q in CURVE]
