"""Are dips of real servers put down to their cause? Six, each with another cause that comes round.

`bench/soak/live.py` says what makes them dip; the soak runs as a user runs it.
"""

from pathlib import Path
from typing import Any

from bench.diagnosis.ledger import BenchLedger
from bench.figures import markdown
from bench.lab import Bench
from bench.results import FOLDER
from bench.soak import live
from loadrig.stats.intervals import wilson_share

LEDGER = FOLDER / "local" / "soak-live"

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
    """Make what the ledger does not have."""
    ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
    rounds = lab.options.get("rounds") or 1
    rows = live.run(lab, ledger, rounds, live.SOAK_S if lab.seconds is None else max(20.0, lab.seconds))
    lab.commands = {"loadrig": f"loadrig soak PLAN --for {live.SOAK_S:g}s --whole"}
    return {"how": f"{rounds} of each, one after the other", "rows": rows}


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line a soak, then how many were right."""
    rows = sorted(section["rows"], key=lambda row: (list(live.CASES).index(row["case"]), row["round"]))
    lines = [[_whose(row), *_cells(row)] for row in rows]
    right = sum(map(live.is_right, rows))
    share = wilson_share(right, len(rows))
    return [
        markdown(["what makes it dip", "dips", "every", "deep", "put first", "right"], lines),
        f"- the right cause first: {right} of {len(rows)} ({share.low:.0%} – {share.high:.0%}).",
    ]


def _whose(row: Row) -> str:
    return f"{row['case']} ({live.CASES[row['case']].stack})"


def _cells(row: Row) -> list[str]:
    if "failed" in row:
        return ["–", "–", "–", row["failed"], "no"]
    first = f"{row['kind']} of {row['component']}" if row["component"] else row["said"]
    if "dips" not in row:
        return ["–", "–", "–", first, "no"]
    period = f"{row['period_s']:.1f} s" if row["period_s"] else "irregular"
    return [str(row["dips"]), period, f"{row['depth']:.0%}", first, "yes" if live.is_right(row) else "no"]
