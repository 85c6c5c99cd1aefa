"""Cost of a request over TLS 1.3, otherwise as in `closed`."""

from typing import Any

from bench.figures import cpu_per_million, failures, ratio, verdict
from bench.lab import Bench
from bench.modes import closed

summarise = closed.summarise


def measure(lab: Bench) -> dict[str, Any]:
    """Every peer and the generator in turns."""
    return closed.measure(lab, "tls", "tls")


def tables(section: dict[str, Any]) -> list[str]:
    """Cost, rate and memory of each; the goal."""
    rows = section["rows"]
    goals = [
        verdict("CPU for a request, loadrig / wrk", ratio(rows, "loadrig", "wrk", cpu_per_million), 1.0),
        verdict("the same without the interpreter's start", closed.ratio_of_own(rows, "wrk"), 1.0),
    ]
    return [closed.cost_table(rows, "wrk"), "\n".join(goals), *failures(rows)]
