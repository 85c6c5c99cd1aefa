"""Many searches on each simulated server: how near they come, whether their intervals hold the truth."""

import hashlib
import math
import sys
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

from bench.capacity import bisection, queues, searches, servers, truth, users
from bench.capacity.servers import SERVERS, SimulatedServer
from bench.diagnosis.ledger import BenchLedger
from bench.figures import digits, markdown
from loadrig.stats import intervals, knee, sequential, threshold
from loadrig.stats.intervals import wilson_share
from loadrig.study.capacity import (
    beyond,
    clusters,
    goals,
    locate,
    probe,
    ramp,
    saturation,
    search,
    tick,
    waits,
)

SOURCES = (
    searches, servers, queues, users, bisection, intervals, knee, sequential, threshold, beyond, clusters,
    goals, locate, probe, ramp, saturation, search, tick, waits,
)  # fmt: skip
"""Modules on which a search's figures depend."""

LEAST_HELD = 0.90
"""The goal: this share of the intervals holds the truth, on each server."""

LEAST_NEAR = 0.90
"""The goal: this share of the searches comes as near as its server asks."""

STEEPEST = 300.0
"""Greatest d logit(share) / d ln(level): beyond it nothing is to be counted, it breaks down."""

CARELESS = {
    "counts": "from counts alone, without the length of the line",
    "independent": "as if every request were independent",
    "answers": "from passes and fails alone, each right in 80 %",
    "by_distance": "from passes and fails alone, by distance",
}

Row = dict[str, Any]


def version() -> str:
    """Changes with all that a search's figures depend on, so that no old one is taken for a new."""
    text = "".join(truth.meaning(module) for module in SOURCES)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run(ledger: BenchLedger, count: int, seconds: float = math.inf, only: str = "") -> list[Row]:
    """So many searches of each server; those that the ledger does not have are made.

    seconds: after so long what is there is returned, to go on another time. only: servers with this in their
    name.
    """
    now, rows = version(), []
    until = time.monotonic() + seconds
    for seed in range(count):
        for server in SERVERS:
            key = f"search:{now}:{server.name}:{seed}"
            if key not in ledger.rows:
                if time.monotonic() > until or only not in server.name:
                    continue
                ledger.add({"key": key, **searches.search(server, seed)})
            rows.append({name: value for name, value in ledger.rows[key].items() if name != "key"})
        print(f"  seed {seed + 1}/{count}", file=sys.stderr, flush=True)
    return rows


def truths() -> dict[str, Row]:
    """True capacities, those of servers that have since changed left out."""
    true_by_server = truth.recorded_truths()
    return {
        server.name: true_by_server[server.name]
        for server in SERVERS
        if true_by_server.get(server.name, {}).get("key") == truth.key(server)
    }


def summary(rows: Sequence[Row], true: dict[str, Row]) -> Row:
    """Count by server how near the searches came and what they held; then what each precaution is worth."""
    lines: list[Row] = []
    searches: list[tuple[SimulatedServer, float, Row]] = []
    for server in SERVERS:
        own = [row for row in rows if row["server"] == server.name]
        if own and server.name in true:
            there = [row for row in own if not math.isnan(row["capacity"])]
            searches += [(server, true[server.name]["capacity"], row) for row in there]
            lines.append(_of_server(server, true[server.name], own, there))
    ways = {"as a search makes them": [(row["capacity"], row["low"], row["high"]) for _, _, row in searches]}
    ways |= {name: [row["careless"][way] for _, _, row in searches] for way, name in CARELESS.items()}
    return {"servers": lines, "ways": [_of_way(name, searches, ends) for name, ends in ways.items() if ends]}


def _of_server(server: SimulatedServer, true: Row, own: Sequence[Row], there: Sequence[Row]) -> Row:
    """Sums over the searches of one server. there: those that found a capacity."""
    errors = [math.log(row["capacity"] / true["capacity"]) for row in there]
    widths = [math.log(row["high"] / row["low"]) / 2 for row in there]
    asked = [row["recovered"] for row in own if row["recovered"] is not None]
    return {
        "server": server.name, "true": true["capacity"], "within": server.within, "runs": len(own),
        "ended": len(there), "near": sum(abs(error) <= server.within for error in errors),
        "held": sum(row["low"] <= true["capacity"] <= row["high"] for row in there),
        "bias": float(np.mean(errors)) if there else None, "sd": float(np.std(errors)) if there else None,
        "allowed": _allowed(server, true), "half_width": median(widths) if there else None,
        "took_s": median(row["took_s"] for row in own),
        "confirmed": sum(row["below"] is True and row["above"] is True for row in there),
        "recovered": [sum(asked), len(asked)],
    }  # fmt: skip


def _of_way(
    name: str,
    searches: Sequence[tuple[SimulatedServer, float, Row]],
    ends: Sequence[tuple[float, float, float]],
) -> Row:
    """Return what intervals that are made in this way are worth, over the searches of all servers."""
    near = [
        abs(math.log(middle / capacity)) <= server.within
        for (server, capacity, _), (middle, _, _) in zip(searches, ends, strict=True)
    ]
    held = [low <= capacity <= high for (_, capacity, _), (_, low, high) in zip(searches, ends, strict=True)]
    return {
        "way": name, "near": sum(near) / len(ends), "held": sum(held) / len(ends),
        "half_width": median(math.log(high / low) / 2 for _, low, high in ends),
    }  # fmt: skip


def tables(of_servers: Sequence[Row], ways: Sequence[Row]) -> list[str]:
    """Return a line a server, the goals, and what each precaution is worth."""
    if not of_servers:
        return []
    head = [
        "server", "true", "runs", "within", "is so near", "holds it", "bias", "sd", "counts allow",
        "half-width", "took s", "confirmed", "recovers",
    ]  # fmt: skip
    careless = markdown(
        ["95 % intervals from the same probes", "is so near", "hold the truth", "half-width"],
        [[way["way"], *(f"{way[name]:.1%}" for name in ("near", "held", "half_width"))] for way in ways],
        bold="as a search makes them",
    )
    return [markdown(head, map(_line, of_servers)), _goals(of_servers), careless]


def _line(row: Row) -> list[str]:
    def shown(value: float | None, layout: str) -> str:
        return "–" if value is None else format(value, layout)

    n = row["ended"]
    return [
        row["server"], digits(row["true"]), str(row["runs"]), f"{row['within']:.0%}",
        f"{row['near'] / row['runs']:.0%}", shown(row["held"] / n if n else None, ".0%"),
        shown(row["bias"], "+.1%"), shown(row["sd"], ".1%"), shown(row["allowed"], ".1%"),
        shown(row["half_width"], ".1%"), f"{row['took_s']:.0f}",
        shown(row["confirmed"] / n if n else None, ".0%"), "{} of {}".format(*row["recovered"]),
    ]  # fmt: skip


def _allowed(server: SimulatedServer, true: Row) -> float | None:
    """Standard deviation of ln(capacity) if all the time were spent counting at the capacity itself.

    Of the logit of a share that is known by n / inflation requests, over the steepness of the curve. More is
    to be had only by supposing how the curve goes, above the capacity, or from more than counts. Of users and
    of errors it is not worked out: requests a second are another figure, and clusters of errors another size.
    """
    if server.unit == "users" or true["steepness"] > STEEPEST or true["inflation"] <= 1:
        return None
    share = next((goal.most for goal in server.goals.shares if goal.limit_s is not None), 0.01)
    n = true["capacity"] * server.budget_s / max(true["inflation"], 1.0)
    return 1 / math.sqrt(n * share * (1 - share)) / float(true["steepness"])


def _goals(rows: Sequence[Row]) -> str:
    lines = []
    for name, hits, total, wanted in (
        ("searches as near as wanted", "near", "runs", LEAST_NEAR),
        ("intervals that hold the truth", "held", "ended", LEAST_HELD),
    ):
        count = sum(row[total] for row in rows)
        share = wilson_share(sum(row[hits] for row in rows), count)
        verdict = "reached" if share.value >= wanted else "missed"
        lines.append(
            f"- {name}: {share.value:.1%} ({share.low:.1%} – {share.high:.1%}) of {count};"
            f" at least {wanted:.0%} wanted: {verdict}."
        )
    return "\n".join(lines)
