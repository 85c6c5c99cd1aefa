"""Are causes named? Injected faults over five stacks, each beside a healthy twin, and 30 healthy servers.

Top-1: the first finding is the cause that was injected; top-3: it is among the first three. Part: it is laid
where it lies. A fault counts only if it made the server worse than its twin. The two baselines judge the same
recordings: what is nearest to its limit wins, and what moves most with throughput or p95 wins.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench.diagnosis import suite
from bench.diagnosis.judged import BASELINES, OF_NOBODY, Judged, judged
from bench.diagnosis.ledger import Ledger
from bench.figures import markdown
from bench.lab import Lab
from bench.results import FOLDER
from loadrig.stats.intervals import wilson_share

LEDGER = FOLDER / "local" / "diagnosis"
QUICK = "node-blocked_event_loop-strong,healthy-node-30*"
"""Enough to see that it runs."""
TOP_1, TOP_3, ACCUSED, WITHIN_S = 0.75, 0.90, 1, 60.0
"""Goals of watching only: shares of the faults, healthy servers accused of 30, seconds of load (median)."""


def measure(lab: Lab) -> dict[str, Any]:
    """Run what the ledger does not have, and judge all that it has."""
    ledger = Ledger(Path(lab.options.get("ledger") or LEDGER))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    wanted = suite.cases(lab.options.get("only") or (QUICK if is_quick else "*"))
    suite.run(lab, ledger, wanted, lab.options.get("rounds") or 1, lab.length)
    lab.commands = {"loadrig": "loadrig run PLAN --json"}
    found = [judged(case, row) for case, row in suite.recorded(ledger, wanted)]
    failed = [row for row in ledger.rows.values() if "failed" in row]
    return {"rows": [_row(one) for one in found], "not_run": {row["key"]: row["failed"] for row in failed}}


def _row(one: Judged) -> dict[str, Any]:
    return {
        "case": one.case.name, "stack": one.case.stack, "kind": _kind(one),
        "cause": one.case.labels[0].cause if one.case.labels else "healthy",
        "is_valid": one.is_valid, "why": one.why, "harms": list(one.harms), "sentence": one.sentence,
        "said": [
            {key: finding[key] for key in ("cause", "component", "verdict", "weight")}
            for finding in one.said[:5]
        ],
        "place": one.place, "second_place": one.second_place, "part": one.is_part_right,
        "accused": [finding["cause"] for finding in one.accused],
        "suspected": [finding["cause"] for finding in one.suspected],
        "abstained": one.is_abstention, "load_s": one.load_s, "analysis_s": one.analysis_s,
        "guesses": {name: [g.cause, g.component, g.value] for name, g in one.guesses.items()},
        "guessed": list(one.right_guesses),
    }  # fmt: skip


def _kind(one: Judged) -> str:
    if not one.case.labels:
        return "healthy"
    return "pair" if one.case.second else "strong" if one.case.name.endswith("strong") else "mild"


def tables(section: dict[str, Any]) -> list[str]:
    """The summary, the goals, a row for each cause, and what was wrong."""
    rows = section["rows"]
    sick = [row for row in rows if row["kind"] in ("strong", "mild")]
    valid = [row for row in sick if row["is_valid"]]
    healthy = [row for row in rows if row["kind"] == "healthy" and row["is_valid"]]
    parts = [_summary(valid, healthy), _goals(valid, healthy), _by_cause(valid)]
    if pairs := [row for row in rows if row["kind"] == "pair" and row["is_valid"]]:
        both = sum(1 for row in pairs if (row["place"] or 9) <= 3 and (row["second_place"] or 9) <= 3)
        either = sum(1 for row in pairs if 1 in (row["place"], row["second_place"]))
        parts.append(
            f"Two faults at once, {len(pairs)} cases: one of them first in {either}, both among the first"
            f" three in {both}."
        )
    judged_alone = [row for row in rows if row["kind"] in ("strong", "mild", "healthy")]
    out = [row for row in judged_alone if not row["is_valid"]]
    if out:
        parts.append(
            "Not counted, as the server was no worse for its fault, or not well without one"
            f" ({len(out)} of {len(judged_alone)}):\n\n"
            + "\n".join(f"- `{row['case']}`: {row['why']}" for row in out)
        )
    wrong = [row for row in valid if row["place"] != 1] + [row for row in healthy if row["accused"]]
    if wrong:
        parts.append("Wrong, and what was said instead:\n\n" + "\n".join(map(_wrong, wrong)))
    return parts


def _summary(valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> str:
    lines = [
        [
            "loadrig", _share(valid, lambda row: row["place"] == 1),
            _share(valid, lambda row: (row["place"] or 9) <= 3),
            _share(valid, lambda row: row["place"] == 1 and row["part"]),
            _share(valid, lambda row: row["abstained"]), _share(healthy, lambda row: bool(row["accused"])),
        ]
    ]  # fmt: skip
    lines += [
        [
            f"highest {name}" if name == "utilisation" else f"largest {name}",
            _share(valid, lambda row, name=name: name in row["guessed"]), "–", "–",
            _share(valid, lambda row, name=name: row["guesses"][name][0] in OF_NOBODY),
            _share(healthy, lambda row, name=name: row["guesses"][name][0] not in OF_NOBODY),
        ]
        for name in BASELINES
    ]  # fmt: skip
    head = ["", "top-1", "top-3", "top-1 with part", "abstained", "healthy accused"]
    return markdown(head, lines)


def _share(rows: Sequence[dict[str, Any]], holds: Any) -> str:
    """How many of them, with Wilson's 95 % interval."""
    if not rows:
        return "–"
    hits = sum(1 for row in rows if holds(row))
    span = wilson_share(hits, len(rows))
    return f"{hits}/{len(rows)} = {hits / len(rows):.0%} ({span.low:.0%} – {span.high:.0%})"


def _goals(valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> str:
    if not valid or not healthy:
        return "Whether the goals are reached is said once faults and healthy servers were run."
    n = len(valid)
    first = sum(1 for row in valid if row["place"] == 1) / n
    third = sum(1 for row in valid if (row["place"] or 9) <= 3) / n
    accused = sum(1 for row in healthy if row["accused"])
    only_possible = sum(1 for row in healthy if row["suspected"] and not row["accused"])
    times = [row["load_s"] + row["analysis_s"] for row in valid if row["place"] == 1]
    lines = [
        _goal("top-1", f"{first:.0%}", first >= TOP_1, f"at least {TOP_1:.0%}"),
        _goal("top-3", f"{third:.0%}", third >= TOP_3, f"at least {TOP_3:.0%}"),
        _goal(
            "healthy servers accused",
            f"{accused} of {len(healthy)} ({only_possible} more only as possible)", accused <= ACCUSED,
            f"at most {ACCUSED} of 30",
        ),
    ]  # fmt: skip
    if times:
        span = median(times)
        lines.append(
            _goal(
                "load and analysis until the right verdict, median", f"{span:.0f} s", span <= WITHIN_S,
                f"at most {WITHIN_S:.0f} s",
            )
        )  # fmt: skip
    return "\n".join(lines)


def _goal(name: str, found: str, is_met: bool, wanted: str) -> str:
    return f"- {name}: {found}; {wanted} wanted: {'reached' if is_met else 'missed'}."


def _by_cause(valid: Sequence[dict[str, Any]]) -> str:
    lines = []
    for cause in sorted({row["cause"] for row in valid}):
        rows = [row for row in valid if row["cause"] == cause]
        lines.append(
            [
                f"`{cause}`", ", ".join(dict.fromkeys(row["stack"] for row in rows)), str(len(rows)),
                *(_count(rows, ((row["place"] or 9) <= most for row in rows)) for most in (1, 3)),
                *(_count(rows, (name in row["guessed"] for row in rows)) for name in BASELINES),
            ]
        )  # fmt: skip
    return markdown(["cause", "stacks", "faults", "top-1", "top-3", *BASELINES], lines)


def _count(rows: Sequence[dict[str, Any]], hits: Iterable[bool]) -> str:
    return f"{sum(hits)}/{len(rows)}"


def _wrong(row: dict[str, Any]) -> str:
    said = "; ".join(
        f"{f['cause']} of {f['component']} ({f['verdict']}, {f['weight']:g})" for f in row["said"][:3]
    )
    harms = ", ".join(row["harms"]) or "no harm was found"
    return f"- `{row['case']}` ({row['why'] or 'healthy'}; {harms}): {said or 'nothing'}"
