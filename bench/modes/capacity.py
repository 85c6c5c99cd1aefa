"""Does a search find the capacity of a server, and do its intervals hold it? On simulated servers.

Each server is a queue, request by request: one or more places, service times with a law, pauses, caches that
warm up, a machine that wanders, refusals, retries, or users who wait for their answers. Its true capacity
under its goal is known by brute force: millions of requests at levels around it (`python -m
bench.capacity.truth`). The search's own code sees frames of a quarter of a second and says what to offer
next.
"""

from pathlib import Path
from typing import Any

from bench.capacity import coverage
from bench.diagnosis.ledger import BenchLedger
from bench.lab import Bench
from bench.results import FOLDER

LEDGER = FOLDER / "local" / "capacity"
SEARCHES = 40
"""Searches of each server with the usual --runs 5, eight for each."""
QUICK = 1


def measure(lab: Bench) -> dict[str, Any]:
    """Make what the ledger does not have."""
    ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    count = QUICK if is_quick else SEARCHES * lab.runs // 5
    rows = coverage.run(ledger, count)
    lab.commands = {"loadrig": "loadrig capacity URL --goal GOAL"}
    how = f"{count} searches of each server, simulated"
    return {"how": how, "rows": rows, "truth": coverage.truths()}


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Count by server and by way; single searches are left out."""
    shown = {name: value for name, value in section.items() if name not in ("rows", "truth")}
    return shown | coverage.summary(section["rows"], section["truth"])


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line a server, then the goals, then what each precaution is worth."""
    return coverage.tables(section["servers"], section["ways"])
