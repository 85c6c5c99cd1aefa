"""Many simulated experiments: how often their intervals hold the truth, and what they say of it."""

import hashlib
import inspect
import math
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

from bench.diagnosis.ledger import BenchLedger
from bench.figures import digits, markdown, shown
from bench.interventions import events, experiments, networks
from loadrig.interventions import _capacity
from loadrig.judgement.experiments import credence, outcome, results
from loadrig.proving import live, slots
from loadrig.stats import elasticity, noise, stopping
from loadrig.stats.elasticity import CLEARED, LIMITS
from loadrig.stats.intervals import wilson_share

MOST_S = 120.0
"""Seconds of slots, as a proof with three minutes has for what it changes while load runs."""

LEAST_HELD = 0.90
"""The goal: this share of the intervals holds the truth."""

ZERO, WHOLE = 0.02, 0.8
"""Elasticities up to the first are nothing, from the second on the tier is as good as alone the limit."""

CLASSES: Sequence[tuple[str, float, float]] = (
    (f"at most {ZERO}: has nothing to do with it", -np.inf, ZERO),
    (f"up to {CLEARED}: may be cleared", ZERO, CLEARED),
    (f"up to {LIMITS}: has a share", CLEARED, LIMITS),
    (f"up to {WHOLE}: limits with others", LIMITS, WHOLE),
    (f"above {WHOLE}: limits", WHOLE, np.inf),
)

CARELESS = {
    "looks": "as if looked at only once",
    "settling": "without leaving out what follows a change",
    "slots": "each tenth of a second as a value by itself",
}

SOURCES = (
    networks, events, experiments, live, slots, credence, outcome, results, _capacity, elasticity, noise,
    stopping,
)  # fmt: skip
"""Modules on which an experiment's figures depend."""

Row = dict[str, Any]


def version() -> str:
    """Changes with all that an experiment's figures depend on, so that no old one is taken for a new."""
    text = "".join(inspect.getsource(module) for module in SOURCES)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run(ledger: BenchLedger, count: int) -> list[Row]:
    """So many experiments; those that the ledger does not have are made. No turn is taken: none is timed."""
    now, rows = version(), []
    for seed in range(count):
        key = f"simulated:{now}:{MOST_S:g}:{seed}"
        if key not in ledger.rows:
            ledger.add({"key": key, **experiments.experiment(seed, MOST_S)})
            if seed % 20 == 19:
                print(f"  simulated {seed + 1}/{count}", file=sys.stderr, flush=True)
        rows.append({name: value for name, value in ledger.rows[key].items() if name != "key"})
    return rows


def summary(rows: Sequence[Row]) -> Row:
    """Count by what is true; then false verdicts, whole experiments, and what each precaution is worth."""
    estimates = [estimate for row in rows for estimate in row["found"]]
    innocent = [estimate for estimate in estimates if estimate["truth"] <= LIMITS]
    guilty = [estimate for estimate in estimates if estimate["truth"] >= CLEARED]
    classes = [
        {"truth": name, **_of_class(own)}
        for name, low, high in (*CLASSES, ("all", -np.inf, np.inf))
        if (own := [estimate for estimate in estimates if low < estimate["truth"] <= high])
    ]
    whole = [row for row in rows if row["found"]]
    took = np.quantile([row["took_s"] for row in whole], [0.1, 0.5, 0.9]).tolist() if whole else []
    ways = {"as a proof makes them": estimates}
    for way, name in CARELESS.items():
        ends = [(estimate, *estimate["careless"].get(way, (math.nan, math.nan))) for estimate in estimates]
        ways[name] = [
            {**estimate, "low": low, "high": high} for estimate, low, high in ends if math.isfinite(low)
        ]
    return {
        "classes": classes,
        "accused": [sum(estimate["standing"] == "limits" for estimate in innocent), len(innocent)],
        "cleared": [sum(estimate["standing"] == "cleared" for estimate in guilty), len(guilty)],
        "experiments": [sum(all(map(_holds, row["found"])) for row in whole), len(whole)],
        "took_s": took,
        "ways": [{"way": name, **_of_way(some)} for name, some in ways.items()],
    }


def _of_class(estimates: Sequence[Row]) -> Row:
    return {
        "intervals": len(estimates), "held": sum(map(_holds, estimates)),
        "half_width": _half_width(estimates),
        **{word: sum(estimate["standing"] == word for estimate in estimates) for word in _STANDINGS},
    }  # fmt: skip


def _of_way(estimates: Sequence[Row]) -> Row:
    moved = [estimate for estimate in estimates if estimate["truth"] > CLEARED]
    held, held_moved = (sum(map(_holds, some)) / len(some) if some else None for some in (estimates, moved))
    return {"held": held, "held_moved": held_moved, "half_width": _half_width(estimates)}


def _half_width(estimates: Sequence[Row]) -> float | None:
    return median((estimate["high"] - estimate["low"]) / 2 for estimate in estimates) if estimates else None


def _holds(estimate: Row) -> bool:
    return bool(estimate["low"] <= estimate["truth"] <= estimate["high"])


_STANDINGS = ("limits", "shares", "cleared", "unsure")


def tables(section: Row) -> list[str]:
    """Coverage by what is true, with verdicts; the goal; what each precaution is worth. found: a summary."""
    if not section["classes"]:
        return []
    (whole, every), took = section["experiments"], section["took_s"]
    of_all = section["classes"][-1]
    held = wilson_share(of_all["held"], of_all["intervals"])
    verdict = "reached" if held.value >= LEAST_HELD else "missed"
    lines = [
        f"- intervals that hold the truth: {held.value:.1%} ({held.low:.1%} – {held.high:.1%})"
        f" of {of_all['intervals']} in {every} experiments; at least {LEAST_HELD:.0%} wanted: {verdict}.",
        "- said to limit though it does not ({} or less): {} of {};".format(LIMITS, *section["accused"])
        + " cleared though it matters ({} or more): {} of {}.".format(CLEARED, *section["cleared"]),
        f"- experiments all of whose intervals hold: {whole / every:.1%};"
        f" they took {took[1]:.0f} s ({took[0]:.0f} – {took[2]:.0f} in eight of ten),"
        f" of at most {MOST_S:.0f} s of slots.",
    ]
    return [_by_truth(section["classes"]), "\n".join(lines), _careless(section["ways"])]


def _by_truth(classes: Sequence[Row]) -> str:
    lines = [
        [
            row["truth"], str(row["intervals"]), f"{row['held'] / row['intervals']:.1%}",
            digits(row["half_width"]), *(f"{row[word] / row['intervals']:.0%}" for word in _STANDINGS),
        ]
        for row in classes
    ]  # fmt: skip
    return markdown(["true elasticity", "intervals", "hold it", "half-width", *_STANDINGS], lines)


def _careless(ways: Sequence[Row]) -> str:
    lines = [
        [
            row["way"],
            *("–" if row[name] is None else f"{row[name]:.1%}" for name in ("held", "held_moved")),
            shown(row["half_width"]),
        ]
        for row in ways
    ]  # fmt: skip
    head = ["95 % intervals from the same data", "hold the truth", f"of those above {CLEARED}", "half-width"]
    return markdown(head, lines, bold="as a proof makes them")
