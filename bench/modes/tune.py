"""Does a tuning find the best setting, and at what cost? On surfaces whose every point is known.

A surface is a table of all settings of a space with what is true of each: recorded once on a real server by
`python -m bench.tune.record`, or made up from facts of the cases, and then named synthetic. Tuners run on it
trial by trial, with the noise that trials have: ours through the code of the study itself, and random search,
Optuna's default sampler and grids with as many trial seconds.
"""

from pathlib import Path
from typing import Any

from bench.diagnosis.ledger import BenchLedger
from bench.lab import Bench
from bench.results import FOLDER
from bench.tune import summary, surface, synthetic
from bench.tune.record import GOALS, KNOWN

LEDGER = FOLDER / "local" / "tune"
RECORDED = Path(__file__).resolve().parent.parent / "tune" / "surfaces"
SEEDS = 10
"""For each of --runs: 50 by default."""
QUICK = 2
GUNICORN = ("flask", "flask_recycled", "cpu")


def measure(lab: Bench) -> dict[str, Any]:
    """Make what the ledger does not have."""
    ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    surfaces = [synthetic.ALL[name]() for name in (GUNICORN[:1] if is_quick else synthetic.ALL)]
    recorded_surfaces = [] if is_quick else [surface.read(path, GOALS, KNOWN) for path in recorded()]
    seeds = QUICK if is_quick else SEEDS * lab.runs
    rows = summary.run(ledger, [*recorded_surfaces, *surfaces], seeds, extra=not is_quick)
    lab.commands = {"loadrig": "loadrig tune PLAN"}
    return {"rows": summary.packed(rows), "how": f"{seeds} seeds of each surface, noise and way, replayed"}


def recorded() -> list[Path]:
    """Tables of surfaces that were recorded."""
    return sorted(path for path in RECORDED.glob("*.*") if path.suffix in (".csv", ".parquet"))


def tables(section: dict[str, Any]) -> list[str]:
    """Return a table for each surface."""
    return summary.tables(section["rows"])
