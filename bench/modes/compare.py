"""Does a comparison cry wolf, and does it find what is there? A against A, and a true 5 %, simulated.

A simulated machine has days, drift, starts that settle at levels of their own, and neighbours; a trial is
thirty seconds of it. People run A and B in blocks of a study, in turns, apart, or once each; the comparison's
own code reads the trials and judges. Beside it what people do instead: a threshold, tests of single seconds.
"""

from pathlib import Path
from typing import Any

from bench.compare import pairs
from bench.diagnosis.ledger import BenchLedger
from bench.lab import Bench
from bench.results import FOLDER

LEDGER = FOLDER / "local" / "compare"
PAIRS = 40
"""Pairs of each way to run them and each machine, for each of --runs: 200 by default."""
QUICK = 2


def measure(lab: Bench) -> dict[str, Any]:
    """Make what the ledger does not have."""
    ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    count = QUICK if is_quick else PAIRS * lab.runs
    rows = pairs.run(ledger, count)
    lab.commands = {"loadrig": "loadrig compare A B"}
    return {"how": f"simulated, {count} pairs of each kind", "rows": pairs.packed(rows)}


def tables(section: dict[str, Any]) -> list[str]:
    """False alarms, power, goals, rivals."""
    return pairs.tables(section["rows"])
