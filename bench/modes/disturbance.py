"""Do trials answer while 0 to 25 % of the time is taken away? And do studies of A against A stay right.

Three things take the time: a competitor with real-time priority on each core, a generator that is stopped, a
control group of the rig that is throttled; bursts of 12 ms on average (the group: 100 ms). The server is the
same and has the same fault each time: `bench/disturbance/trials.py` says which. A trial answers if it is not
void and its account lays most of the time where it was; which cause its diagnosis puts first is told beside.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from bench.diagnosis.ledger import BenchLedger
from bench.disturbance import trials
from bench.figures import markdown
from bench.lab import Bench
from bench.results import FOLDER
from loadrig.stats.intervals import wilson_share

LEDGER = FOLDER / "local" / "disturbance"
ROUNDS = 8
ANSWERED, WRONG = 0.95, 0.05
"""Wanted: trials that answer at STEAL of the time and below; and studies of A against A that tell a
difference, at most."""

STEAL = 0.15
RIGHT = frozenset({"equal", "undecided"})
"""Verdicts that a study of A against A may give; to be undecided is no false alarm."""

Row = dict[str, Any]


def measure(lab: Bench) -> dict[str, Any]:
    """Make what the ledger does not have, and compare its trials with each other."""
    ledger = BenchLedger(Path(lab.options.get("ledger") or LEDGER))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    rounds = lab.options.get("rounds") or (1 if is_quick else ROUNDS)
    rows = trials.run(lab, ledger, rounds, lab.length(trials.MEASURED_S))
    studies = {
        trials.key_of(kind, share, 0): trials.against_itself(ledger, kind, share, rounds)
        for kind, share in trials.cells()
    }
    lab.commands = {"loadrig": "loadrig run PLAN --json; loadrig compare A,A,A,A A,A,A,A --json"}
    return {"how": f"{rounds} trials of each", "rows": rows, "studies": studies}


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Count for each cell what its trials and its studies said; single trials are left out."""
    cells = []
    for kind, share in trials.cells():
        rows = [row for row in section["rows"] if (row["kind"], row["share"]) == (kind, share)]
        if rows:
            studies = section["studies"].get(trials.key_of(kind, share, 0), ())
            cells.append(
                {
                    "kind": kind, "share": share, "trials": len(rows),
                    "verdicts": Counter(row.get("verdict", "failed") for row in rows),
                    "answered": sum(map(_is_answered, rows)),
                    "right_cause": sum(row.get("first") == trials.CAUSE for row in rows),
                    "studies": dict(Counter(studies).most_common()),
                }
            )  # fmt: skip
    shown = {name: value for name, value in section.items() if name not in ("rows", "studies")}
    return shown | {"cells": cells}


def _is_answered(row: Row) -> bool:
    return row.get("verdict") in ("valid", "disturbed") and row["longest"] == trials.STATE


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line for each disturber and share, then how many answered and how many studies were wrong."""
    lines = [
        [
            cell["kind"], f"{cell['share']:.0%}", str(cell["trials"]),
            *(str(cell["verdicts"].get(word, 0)) for word in ("valid", "disturbed", "void", "failed")),
            str(cell["answered"]), str(cell["right_cause"]),
            ", ".join(f"{count} {word}" for word, count in cell["studies"].items()) or "–",
        ]
        for cell in section["cells"]
    ]  # fmt: skip
    head = [
        "disturbed by", "of the time", "trials", "valid", "disturbed", "void", "failed", "account right",
        "cause right", "A against A",
    ]  # fmt: skip
    return [markdown(head, lines), "\n".join(_goals(section["cells"]))]


def _goals(cells: list[Row]) -> list[str]:
    lines = []
    mild = [cell for cell in cells if cell["share"] <= STEAL]
    if asked := sum(cell["trials"] for cell in mild):
        right = sum(cell["answered"] for cell in mild)
        share = wilson_share(right, asked)
        lines.append(
            f"- at most {STEAL:.0%} taken: {right} of {asked} trials answered, and rightly"
            f" ({share.low:.0%} – {share.high:.0%}); wanted: {ANSWERED:.0%}."
        )
    verdicts = sum((Counter(cell["studies"]) for cell in cells), Counter[str]())
    if verdicts:
        wrong = sum(count for word, count in verdicts.items() if word not in RIGHT)
        lines.append(
            f"- A against A: {wrong} of {verdicts.total()} studies told a difference;"
            f" stated: at most {WRONG:.0%}."
        )
    return lines
