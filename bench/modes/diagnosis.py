"""Are causes named? Injected faults over five stacks, each beside a healthy twin, and 30 healthy servers.

Top-1: the first finding is the cause that was injected; top-3: it is among the first three. Part: it is laid
where it lies. A fault counts only if it made the server worse than its twin. The two baselines judge the same
recordings: what is nearest to its limit wins, and what moves most with throughput or p95 wins.
With --prove the rig starts the servers itself, with their knobs, and proves what watching found: both answers
are judged.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.diagnosis import again, answers, suite
from bench.diagnosis.answers import OF_NOBODY
from bench.diagnosis.judged import BASELINES, Judged, judged
from bench.diagnosis.ledger import BenchLedger
from bench.figures import markdown
from bench.lab import Bench
from bench.results import FOLDER
from loadrig.stats.intervals import wilson_share

LEDGER, LEDGER_OF_PROOFS = (FOLDER / "local" / name for name in ("diagnosis", "diagnosis-prove"))
QUICK = "node-blocked_event_loop-strong,healthy-node-30*"
"""Enough to see that it runs."""
TOP_1, TOP_3, ACCUSED, WITHIN_S = 0.75, 0.90, 1, 60.0
"""Goals of watching only: shares of the faults, healthy servers accused of 30, seconds of load (median)."""
BUDGET_S, QUICK_BUDGET_S = 180.0, 20.0
PROVED_1, PROVED_3, VERIFIED, AHEAD = 0.90, 0.97, 0.80, 0.35
"""Goals of a proof: shares of the faults; of the named causes whose mend is a knob; points beyond the better
baseline."""
ANSWERED_S = {0.5: 120.0, 0.9: 300.0}
"""Quantiles of the seconds until the answer: load, analysis and proof."""


NOT_YET = "Whether the goals are reached is said once faults and healthy servers were run."


def measure(lab: Bench) -> dict[str, Any]:
    """Run what the ledger does not have, and judge all that it has."""
    is_proved = bool(lab.options.get("prove"))
    ledger = BenchLedger(Path(lab.options.get("ledger") or (LEDGER_OF_PROOFS if is_proved else LEDGER)))
    is_quick = lab.seconds is not None and lab.seconds <= 1
    wanted = suite.cases(lab.options.get("only") or (QUICK if is_quick else "*"))
    budget_s = (QUICK_BUDGET_S if is_quick else BUDGET_S) if is_proved else None
    rounds = lab.options.get("rounds") or 1
    suite.run(lab, ledger, wanted, rounds, suite.Way(lab.length, budget_s))
    lab.commands = {"loadrig": "loadrig run PLAN --json"}
    if is_proved:
        lab.commands["loadrig --prove"] = (
            f"loadrig diagnose RUN --prove --plan PLAN --budget {budget_s:g}s --json"
        )
    rulings = [judged(case, row) for case, row in suite.recorded(ledger, wanted)]
    failed = [row for row in ledger.rows.values() if "failed" in row]
    rows = [_row(ruling) for ruling in rulings]
    more = (
        {"again": again.rows(BenchLedger(Path(folder)), rows)} if (folder := lab.options.get("again")) else {}
    )
    how = f"each case {'once' if rounds == 1 else f'{rounds} times'}"
    return {"how": how, "rows": rows, "not_run": {row["key"]: row["failed"] for row in failed}, **more}


def _row(ruling: Judged) -> dict[str, Any]:
    return {
        "case": ruling.case.name, "stack": ruling.case.stack, "kind": _kind(ruling),
        "cause": ruling.case.labels[0].cause if ruling.case.labels else "healthy",
        "is_valid": ruling.is_valid, "why": ruling.why, "harms": list(ruling.harms),
        "sentence": ruling.sentence,
        "said": answers.shown(ruling.findings),
        "place": ruling.place, "second_place": ruling.second_place, "part": ruling.is_part_right,
        "accused": [finding["cause"] for finding in ruling.accused],
        "suspected": [finding["cause"] for finding in ruling.suspected],
        "abstained": ruling.is_abstention, "load_s": ruling.load_s, "analysis_s": ruling.analysis_s,
        "guesses": {name: [g.cause, g.component, g.value] for name, g in ruling.guesses.items()},
        "guessed": list(ruling.right_guesses),
        **({"proved": ruling.proved.to_json(), "mends": list(ruling.mends)} if ruling.proved else {}),
    }  # fmt: skip


def _kind(ruling: Judged) -> str:
    if not ruling.case.labels:
        return "healthy"
    return "pair" if ruling.case.second else "strong" if ruling.case.name.endswith("strong") else "mild"


def summarise(section: dict[str, Any]) -> dict[str, Any]:
    """Leave out the sentence of each diagnosis, and what its proof tried."""
    rows = [{name: value for name, value in row.items() if name != "sentence"} for row in section["rows"]]
    for row in rows:
        if "proved" in row:
            row["proved"] = {name: value for name, value in row["proved"].items() if name != "tried"}
    return {**section, "rows": rows}


def tables(section: dict[str, Any]) -> list[str]:
    """Return the summary, the goals, a row for each cause, and what was wrong."""
    rows = section["rows"]
    sick = [row for row in rows if row["kind"] in ("strong", "mild")]
    valid = [row for row in sick if row["is_valid"]]
    healthy = [row for row in rows if row["kind"] == "healthy" and row["is_valid"]]
    parts = [_summary(valid, healthy), _goals(valid, healthy), _by_cause(valid)]
    if any("proved" in row for row in rows):
        parts[1:2] = [
            f"Watching alone:\n\n{parts[1]}",
            f"With `--prove`:\n\n{_goals_of_proofs(_after(valid), _after(healthy))}",
        ]
    if pairs := [row for row in rows if row["kind"] == "pair" and row["is_valid"]]:
        parts.append(f"Two faults at once, {len(pairs)} cases: {_of_both(pairs)}.")
        if proved := _after(pairs):
            parts[-1] = f"{parts[-1][:-1]}; with `--prove`, {_of_both(proved)}."
    judged_alone = [row for row in rows if row["kind"] in ("strong", "mild", "healthy")]
    out = [row for row in judged_alone if not row["is_valid"]]
    if out:
        parts.append(
            "Not counted, as the server was no worse for its fault, or not well without one"
            f" ({len(out)} of {len(judged_alone)}):\n\n"
            + "\n".join(f"- `{row['case']}`: {row['why']}" for row in out)
        )
    if wrong := _all_wrong(valid, healthy):
        parts.append("Wrong, and what was said instead:\n\n" + "\n".join(map(_wrong, wrong)))
    if wrong := _all_wrong(_after(valid), _after(healthy)):
        parts.append("Wrong after a proof:\n\n" + "\n".join(map(_wrong, wrong)))
    if section.get("again"):
        parts.append(again.text_of(section["again"], _after(valid)))
    if lacking := [row for row in _after(valid) if _is_mendable(row) and not _is_verified(row)]:
        parts.append("Named, and its mend by a knob not verified:\n\n" + "\n".join(map(_unverified, lacking)))
    return parts


def _after(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of which there is a proof, with its answer instead of that of watching."""
    return [{**row, **row["proved"]} for row in rows if "proved" in row]


def _of_both(pairs: Sequence[dict[str, Any]]) -> str:
    both = sum(1 for row in pairs if (row["place"] or 9) <= 3 and (row["second_place"] or 9) <= 3)
    either = sum(1 for row in pairs if 1 in (row["place"], row["second_place"]))
    return f"one of them first in {either}, both among the first three in {both}"


def _all_wrong(valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in valid if row["place"] != 1] + [row for row in healthy if row["accused"]]


def _summary(valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> str:
    lines = [_answers("loadrig", valid, healthy)]
    if _after([*valid, *healthy]):
        lines.append(_answers("loadrig --prove", _after(valid), _after(healthy)))
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


def _answers(name: str, valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> list[str]:
    return [
        name, _share(valid, lambda row: row["place"] == 1),
        _share(valid, lambda row: (row["place"] or 9) <= 3),
        _share(valid, lambda row: row["place"] == 1 and row["part"]),
        _share(valid, lambda row: row["abstained"]), _share(healthy, lambda row: bool(row["accused"])),
    ]  # fmt: skip


def _share(rows: Sequence[dict[str, Any]], holds: Any) -> str:
    """Return how many of them, with Wilson's 95 % interval."""
    if not rows:
        return "–"
    hits = sum(1 for row in rows if holds(row))
    span = wilson_share(hits, len(rows))
    return f"{hits}/{len(rows)} = {hits / len(rows):.0%} ({span.low:.0%} – {span.high:.0%})"


def _counted(valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> tuple[float, float, int]:
    """Shares with the right cause first, and among the first three; healthy servers that are accused."""
    n = len(valid)
    first = sum(1 for row in valid if row["place"] == 1) / n
    third = sum(1 for row in valid if (row["place"] or 9) <= 3) / n
    return first, third, sum(1 for row in healthy if row["accused"])


def _goals(valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> str:
    if not valid or not healthy:
        return NOT_YET
    first, third, accused = _counted(valid, healthy)
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


def _goals_of_proofs(valid: Sequence[dict[str, Any]], healthy: Sequence[dict[str, Any]]) -> str:
    if not valid or not healthy:
        return NOT_YET
    n, (first, third, accused) = len(valid), _counted(valid, healthy)
    best = max(sum(1 for row in valid if name in row["guessed"]) / n for name in BASELINES)
    named = sum(1 for row in valid if row["is_named"])
    lines = [
        _goal("top-1", f"{first:.0%}, {named} of {n} named", first >= PROVED_1, f"at least {PROVED_1:.0%}"),
        _goal("top-3", f"{third:.0%}", third >= PROVED_3, f"at least {PROVED_3:.0%}"),
        _goal("healthy servers accused", f"{accused} of {len(healthy)}", accused <= ACCUSED,
              f"at most {ACCUSED} of 30"),
        _goal("top-1 beyond the better baseline", f"{100 * (first - best):.0f} points",
              first - best >= AHEAD, f"at least {100 * AHEAD:.0f} points"),
    ]  # fmt: skip
    if mendable := [row for row in valid if _is_mendable(row)]:
        verified = sum(1 for row in mendable if _is_verified(row))
        share = verified / len(mendable)
        lines.append(
            _goal("named causes whose mend is a knob, verified",
                  f"{verified} of {len(mendable)} = {share:.0%}", share >= VERIFIED,
                  f"at least {VERIFIED:.0%}")
        )  # fmt: skip
    times = [row["load_s"] + row["analysis_s"] + row["took_s"] for row in valid]
    for share, most_s in ANSWERED_S.items():
        name = "median" if share == 0.5 else f"p{100 * share:.0f}"
        quantile = _quantile(times, share)
        lines.append(
            _goal(f"load, analysis and proof until the answer, {name}", f"{quantile:.0f} s",
            quantile <= most_s,
                  f"at most {most_s:.0f} s")
        )  # fmt: skip
    return "\n".join(lines)


def _quantile(values: Sequence[float], share: float) -> float:
    if len(values) < 2:
        return values[0]
    return quantiles(values, n=100, method="inclusive")[round(100 * share) - 1]


def _is_mendable(row: dict[str, Any]) -> bool:
    """Return whether the right cause was named, and the fault lies in a knob."""
    return bool(row["is_named"] and row["mends"])


def _is_verified(row: dict[str, Any]) -> bool:
    return bool(row["fix"] and row["fix"]["is_verified"])


def _goal(name: str, value: str, is_met: bool, wanted: str) -> str:
    return f"- {name}: {value}; {wanted} wanted: {'reached' if is_met else 'missed'}."


def _by_cause(valid: Sequence[dict[str, Any]]) -> str:
    head = ["cause", "stacks", "faults", "top-1", "top-3"]
    has_proofs = bool(_after(valid))
    if has_proofs:
        head += ["proved: top-1", "top-3", "named", "mend verified"]
    lines = []
    for cause in sorted({row["cause"] for row in valid}):
        rows = [row for row in valid if row["cause"] == cause]
        line = [f"`{cause}`", ", ".join(dict.fromkeys(row["stack"] for row in rows)), str(len(rows))]
        line += [_count(rows, ((row["place"] or 9) <= most for row in rows)) for most in (1, 3)]
        if has_proofs:
            proved = _after(rows)
            mendable = [row for row in proved if _is_mendable(row)]
            line += [_count(proved, ((row["place"] or 9) <= most for row in proved)) for most in (1, 3)]
            line.append(_count(proved, (row["is_named"] for row in proved)))
            line.append(_count(mendable, map(_is_verified, mendable)) if mendable else "–")
        line += [_count(rows, (name in row["guessed"] for row in rows)) for name in BASELINES]
        lines.append(line)
    return markdown([*head, *BASELINES], lines)


def _count(rows: Sequence[dict[str, Any]], hits: Iterable[bool]) -> str:
    return f"{sum(hits)}/{len(rows)}"


def _wrong(row: dict[str, Any]) -> str:
    accusations = "; ".join(
        f"{f['cause']} of {f['component']} ({f['verdict']}, {f['weight']:g})" for f in row["said"][:3]
    )
    harms = ", ".join(row["harms"]) or "no harm was found"
    ended = f" (the proof ended: {row['ended']})" if "ended" in row else ""
    return f"- `{row['case']}` ({row['why'] or 'healthy'}; {harms}): {accusations or 'nothing'}{ended}"


def _unverified(row: dict[str, Any]) -> str:
    fix = row["fix"]
    if fix is None:
        return f"- `{row['case']}` ({', '.join(row['mends'])}): none was tried (ended: {row['ended']})"
    wanted = f", predicted ×{fix['predicted']:.2f}" if fix["predicted"] is not None else ""
    return f"- `{row['case']}` ({', '.join(row['mends'])}): {fix['title']} gave ×{fix['gain']:.2f}{wanted}"
