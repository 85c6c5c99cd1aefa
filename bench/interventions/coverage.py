"""Many simulated experiments: how often their intervals hold the truth, and what they say of it."""

import csv
import hashlib
import inspect
import io
import math
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

from bench.diagnosis.ledger import Ledger
from bench.figures import digits, markdown, shown
from bench.interventions import events, experiments, networks
from loadrig.interventions import _capacity
from loadrig.proving import design, live, outcome, results
from loadrig.stats import elasticity, noise, stopping
from loadrig.stats.elasticity import CLEARED, LIMITS
from loadrig.stats.intervals import wilson_share

MOST_S = 120.0
"""Of slots, as a proof with three minutes has for what it changes while load runs."""

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

COLUMNS = (
    "seed", "standing", "took_s", "truth", "low", "high",
    *(f"{way}_{end}" for way in CARELESS for end in ("low", "high")),
)  # fmt: skip
"""Of the CSV; standing is a word, the others are numbers."""

SOURCES = (
    networks, events, experiments, live, design, outcome, results, _capacity, elasticity, noise, stopping,
)  # fmt: skip
"""What an experiment's figures depend on."""

Row = dict[str, Any]


def version() -> str:
    """Changes with all that an experiment's figures depend on, so that no old one is taken for a new."""
    text = "".join(inspect.getsource(module) for module in SOURCES)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run(ledger: Ledger, count: int) -> list[Row]:
    """So many experiments; those that the ledger does not have are made. No turn is taken: none is timed."""
    now, found = version(), []
    for seed in range(count):
        key = f"simulated:{now}:{MOST_S:g}:{seed}"
        if key not in ledger.rows:
            ledger.add({"key": key, **experiments.experiment(seed, MOST_S)})
            if seed % 20 == 19:
                print(f"  simulated {seed + 1}/{count}", file=sys.stderr, flush=True)
        found.append({name: value for name, value in ledger.rows[key].items() if name != "key"})
    return found


def packed(rows: Sequence[Row]) -> list[str]:
    """A line of CSV for each interval, with a head: of thousands of numbers JSON would make as many lines."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in rows:
        for one in row["found"]:
            ends = [one["careless"].get(way, (math.nan, math.nan)) for way in CARELESS]
            values = [
                row["took_s"],
                one["truth"],
                one["low"],
                one["high"],
                *(end for two in ends for end in two),
            ]
            table.writerow([row["seed"], one["standing"], *(f"{value:.4g}" for value in values)])
    return text.getvalue().splitlines()


def tables(lines: Sequence[str]) -> list[str]:
    """Coverage by what is true, with verdicts; the goal; what each precaution is worth. lines: packed."""
    found: list[Row] = [
        {name: value if name == "standing" else float(value) for name, value in row.items()}
        for row in csv.DictReader(lines)
    ]
    if not found:
        return []
    experiments_: dict[float, list[Row]] = {}
    for one in found:
        experiments_.setdefault(one["seed"], []).append(one)
    held = wilson_share(sum(map(_holds, found)), len(found))
    said = "reached" if held.value >= LEAST_HELD else "missed"
    return [
        _by_truth(found),
        f"- intervals that hold the truth: {held.value:.1%} ({held.low:.1%} – {held.high:.1%})"
        f" of {len(found)} in {len(experiments_)} experiments; at least {LEAST_HELD:.0%} wanted: {said}.\n"
        + _wrong(found, list(experiments_.values())),
        _careless(found),
    ]


def _by_truth(found: Sequence[Row]) -> str:
    lines = []
    for name, low, high in (*CLASSES, ("all", -np.inf, np.inf)):
        own = [one for one in found if low < one["truth"] <= high]
        if own:
            shares = [sum(one["standing"] == word for one in own) / len(own) for word in _STANDINGS]
            lines.append(
                [
                    name, str(len(own)), f"{sum(map(_holds, own)) / len(own):.1%}",
                    digits(median((one["high"] - one["low"]) / 2 for one in own)),
                    *(f"{share:.0%}" for share in shares),
                ]
            )  # fmt: skip
    return markdown(["true elasticity", "intervals", "hold it", "half-width", *_STANDINGS], lines)


_STANDINGS = ("limits", "shares", "cleared", "unsure")


def _wrong(found: Sequence[Row], experiments_: Sequence[Sequence[Row]]) -> str:
    """False verdicts, and how long it took."""
    innocent = [one for one in found if one["truth"] <= LIMITS]
    accused = sum(one["standing"] == "limits" for one in innocent)
    guilty = [one for one in found if one["truth"] >= CLEARED]
    freed = sum(one["standing"] == "cleared" for one in guilty)
    took = np.quantile([own[0]["took_s"] for own in experiments_], [0.1, 0.5, 0.9])
    every = sum(all(map(_holds, own)) for own in experiments_)
    return (
        f"- said to limit though it does not ({LIMITS} or less): {accused} of {len(innocent)};"
        f" cleared though it matters ({CLEARED} or more): {freed} of {len(guilty)}.\n"
        f"- experiments all of whose intervals hold: {every / len(experiments_):.1%};"
        f" they took {took[1]:.0f} s ({took[0]:.0f} – {took[2]:.0f} in eight of ten),"
        f" of at most {MOST_S:.0f} s of slots."
    )


def _careless(found: Sequence[Row]) -> str:
    ways = {"as a proof makes them": list(found)}
    for way, name in CARELESS.items():
        ways[name] = [
            {**one, "low": one[f"{way}_low"], "high": one[f"{way}_high"]}
            for one in found
            if math.isfinite(one[f"{way}_low"])
        ]
    lines = []
    for name, some in ways.items():
        moved = [one for one in some if one["truth"] > CLEARED]
        shares = [f"{sum(map(_holds, part)) / len(part):.1%}" if part else "–" for part in (some, moved)]
        width = median((one["high"] - one["low"]) / 2 for one in some) if some else None
        lines.append([name, *shares, shown(width)])
    head = ["95 % intervals from the same data", "hold the truth", f"of those above {CLEARED}", "half-width"]
    return markdown(head, lines, bold="as a proof makes them")


def _holds(one: Row) -> bool:
    return bool(one["low"] <= one["truth"] <= one["high"])
