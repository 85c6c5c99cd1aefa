"""Do the intervals of a proof hold the truth? On simulated servers; and what an intervention leaves behind.

A simulated server is a closed queueing network of 2 to 4 tiers, event by event, from the knee to far above
it, on a machine with drift and neighbours. The proof's own code changes tiers, reads frames and stops. The
truth is exact: ln(X(r C) / X(C)) / ln(r) for the ratio r by which the capacity C of a tier was changed.
What is left behind is looked for on a real server: its throughput before and after each intervention, and
all that the kernel says of its processes.
"""

from pathlib import Path
from typing import Any

from bench.diagnosis.ledger import BenchLedger
from bench.interventions import afterwards, coverage, remains
from bench.lab import Bench
from bench.results import FOLDER, slim

LEDGER = FOLDER / "local" / "interventions"
EXPERIMENTS, ROUNDS = 100, 20
"""Simulated ones for each of --runs; rounds on the real server."""
QUICK = 8


def measure(lab: Bench) -> dict[str, Any]:
    """Make what the ledger does not have."""
    ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    simulated = coverage.run(ledger, QUICK if is_quick else EXPERIMENTS * lab.runs)
    rounds = lab.options.get("rounds") or (1 if is_quick else ROUNDS)
    remains_rows = remains.run(
        lab, ledger, rounds, lab.length(remains.LOOKED_S), 1 if is_quick else remains.TURNS
    )
    lab.commands = {"loadrig": "loadrig run PLAN --prove"}
    return {"simulated": simulated, "remains": remains_rows}


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Count what was simulated; of the real server's turns keep what the tables need."""
    turns = slim(*afterwards.FIELDS)({"rows": section["remains"]})["rows"]
    return {**section, "simulated": coverage.summary(section["simulated"]), "remains": turns}


def tables(section: dict[str, Any]) -> list[str]:
    """Coverage on simulated servers, then what was left on the real one."""
    return [*coverage.tables(section["simulated"]), *afterwards.tables(section["remains"])]
