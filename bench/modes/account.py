"""Does the account of a request's time tell the truth? Servers of known truth in five runtimes.

Each server keeps its own book of how long its requests spend where (`bench/account/servers`); loadrig loads
and watches it from outside, and every line of its account is laid beside the book. A line is right within a
tenth of the response time or within a millisecond, whichever is more.
"""

import fnmatch
import random
import sys
from pathlib import Path
from typing import Any

from bench.account import judge, run
from bench.account.cells import CANNOT, LOADS, PLAIN, RUNTIMES, STATES, AccountCell, sweep
from bench.account.judge import Row
from bench.costs import Failed
from bench.figures import digits, markdown, verdict
from bench.lab import Bench
from bench.results import FOLDER

LEDGER = FOLDER / "local" / "account"
SECONDS, SHORTEST_S = 12.0, 3.0
"""Measured of each cell, and at the least: an account needs some steps of a second."""

QUICK = ("threads-cpu-low",)
"""Cells of a quick run."""


def measure(lab: Bench) -> dict[str, Any]:
    """Run the cells that the ledger does not have, in random order, and judge all anew."""
    seconds = lab.length(SECONDS)
    is_quick = seconds <= 1
    seconds = max(seconds, SHORTEST_S)
    ledger = Path(lab.options.get("ledger") or (lab.folder / "account" if is_quick else LEDGER))
    cells = [cell for cell in sweep() if _is_asked(cell, lab, is_quick)]
    lab.commands = {"loadrig": "loadrig run PLAN"}
    failures: dict[str, Row] = {}
    for cell in random.Random(0).sample(cells, k=len(cells)):
        folder = ledger / cell.name
        if run.is_kept(folder):
            continue
        try:
            with lab.turn():
                run.record(cell, seconds, lab.certificate, folder)
        except Failed as failure:
            failures[cell.name] = run.failed(cell, failure)
        row = failures.get(cell.name) or run.row(cell, folder)
        print(f"  {cell.name:32} {_brief(row)}", file=sys.stderr, flush=True)
    rows = [failures.get(cell.name) or run.row(cell, ledger / cell.name) for cell in cells]
    return {"how": f"a run of {seconds:g} s of each cell, in random order", "rows": rows}


def _is_asked(cell: AccountCell, lab: Bench, is_quick: bool) -> bool:
    patterns = str(lab.options.get("only") or ("," if is_quick else "*")).strip(",")
    chosen = patterns.split(",") if patterns else list(QUICK)
    return any(fnmatch.fnmatch(cell.name, pattern) for pattern in chosen)


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Keep of each cell what is judged."""
    return {**section, "rows": [judge.summary(row) for row in section["rows"]]}


def tables(section: dict[str, Any]) -> list[str]:
    """Return a line a state and runtime, the variants, what was missed by name, and the goals."""
    rows = section["rows"]
    plain = [row for row in rows if row["variant"] == PLAIN]
    parts = [_of_plain(plain)]
    if variants := [row for row in rows if row["variant"] != PLAIN]:
        parts.append(_of_variants(variants))
    if missed := _missed(rows):
        parts.append(missed)
    if cannot := _cannot(rows):
        parts.append(cannot)
    return [*parts, _goals(rows)]


def _of_plain(rows: list[Row]) -> str:
    """For each state and runtime the error of its worst line at each load, over the response time."""
    runtimes = [runtime for runtime in RUNTIMES if any(row["runtime"] == runtime for row in rows)]
    lines = []
    for state in STATES:
        of_state = {(row["runtime"], row["load"]): row for row in rows if row["state"] == state}
        if of_state:
            cells = [
                " / ".join(_cell(of_state.get((runtime, load))) for load in LOADS) for runtime in runtimes
            ]
            lines.append([state, *cells])
    return markdown(["worst line off, % of the response time, low / high load", *runtimes], lines)


def _of_variants(rows: list[Row]) -> str:
    lines = [
        [f"{row['variant']}: {row['state']}", row["runtime"], _cell(row), _rest(row)]
        for row in sorted(rows, key=lambda row: (row["variant"], row["state"]))
    ]
    return markdown(["variant, at high load", "runtime", "worst line off, %", "left, %"], lines)


def _cell(row: Row | None) -> str:
    """Return how far the worst line is off; marked where it is missed, a dash where there is no such cell."""
    if row is None:
        return "–"
    if "failed" in row:
        return "failed"
    text = digits(100 * row["off_ms"] / row["total_ms"])
    return f"{text} ✗" if row["missed"] else text


def _rest(row: Row) -> str:
    return "–" if "failed" in row else digits(100 * row["rest_ms"] / row["total_ms"])


def _missed(rows: list[Row]) -> str:
    """Return what was missed: a line each, with both times, and the remainders that are too large."""
    lines = []
    for row in rows:
        if "failed" in row:
            lines.append([row["name"], "failed", row["failed"], "", ""])
            continue
        total = digits(row["total_ms"])
        lines += [
            [row["name"], miss["state"], digits(miss["account_ms"]), digits(miss["truth_ms"]), total]
            for miss in row["missed"]
        ]
        if not row["is_whole"]:
            lines.append([row["name"], "not accounted for", digits(row["rest_ms"]), "–", total])
    return markdown(["missed", "line", "account, ms", "truth, ms", "of, ms"], lines) if lines else ""


def _cannot(rows: list[Row]) -> str:
    """Return why some cells are not there."""
    runtimes = {row["runtime"] for row in rows}
    lines = [f"- {runtime}, {what}: {why}." for (runtime, what), why in CANNOT.items() if runtime in runtimes]
    return "\n".join(lines)


def _goals(rows: list[Row]) -> str:
    measured = len(judge.measured(rows))

    def goal(name: str, share: float | None, wanted: float) -> str:
        percent = None if share is None else 100 * share
        return verdict(f"{name}, of {measured} cells", percent, 100 * wanted, " %", at_least=True)

    lines = judge.line_share(rows)
    return "\n".join(
        [
            goal("every line right", judge.right_share(rows), judge.WANTED_LINES),
            goal("little left", judge.whole_share(rows), judge.WANTED_REST),
            f"- single lines that are right: {digits(100 * lines) if lines is not None else '–'} %.",
        ]
    )


def _brief(row: Row) -> str:
    if "failed" in row:
        return f"failed: {row['failed'][:150]}"
    misses = ", ".join(f"{m.state} {m.account_ms:.2f} for {m.truth_ms:.2f}" for m in judge.misses(row))
    return f"{row['total_ms']:8.2f} ms, {row['rest_ms']:+.2f} left; {misses or 'right'}"
