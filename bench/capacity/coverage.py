"""Many searches on each simulated server: how near they come, whether their intervals hold the truth."""

import csv
import hashlib
import io
import math
import sys
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

from bench.capacity import queues, searches, servers, truth, users
from bench.capacity.servers import SERVERS, Server
from bench.diagnosis.ledger import Ledger
from bench.figures import digits, markdown
from loadrig.stats import bisection, intervals, knee, sequential, threshold
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
"""What a search's figures depend on."""

LEAST_HELD = 0.90
"""The goal: this share of the intervals holds the truth, on each server."""

LEAST_NEAR = 0.90
"""The goal: this share of the searches comes as near as its server asks."""

STEEPEST = 300.0
"""Of d logit(share) / d ln(level): beyond it nothing is to be counted, it breaks down."""

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


def run(ledger: Ledger, count: int, seconds: float = math.inf, only: str = "") -> list[Row]:
    """So many searches of each server; those that the ledger does not have are made.

    seconds: after so long what is there is returned, to go on another time. only: servers with this in their
    name.
    """
    now, found = version(), []
    until = time.monotonic() + seconds
    for seed in range(count):
        for server in SERVERS:
            key = f"search:{now}:{server.name}:{seed}"
            if key not in ledger.rows:
                if time.monotonic() > until or only not in server.name:
                    continue
                ledger.add({"key": key, **searches.search(server, seed)})
            found.append({name: value for name, value in ledger.rows[key].items() if name != "key"})
        print(f"  seed {seed + 1}/{count}", file=sys.stderr, flush=True)
    return found


NUMBERS = ("seed", "took_s", "probes", "saturation", "capacity", "low", "high")
FLAGS = ("below", "above", "recovered")
COLUMNS = (
    "server", "why", *NUMBERS, *FLAGS, *(f"{way}_{end}" for way in CARELESS for end in ("middle", "low",
    "high")),
)  # fmt: skip


def packed(rows: Sequence[Row]) -> list[str]:
    """A line of CSV for each search, with a head: of thousands of numbers JSON would make as many lines."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in rows:
        careless = row.get("careless", {})
        ends = [careless.get(way, (math.nan, math.nan, math.nan)) for way in CARELESS]
        table.writerow(
            [
                row["server"], row["why"], *(f"{row[name]:.5g}" for name in NUMBERS),
                *("" if row[name] is None else str(row[name]) for name in FLAGS),
                *(f"{value:.5g}" for three in ends for value in three),
            ]
        )  # fmt: skip
    return text.getvalue().splitlines()


def unpacked(lines: Sequence[str]) -> list[Row]:
    """The rows again."""
    found = []
    for line in csv.DictReader(lines):
        row: Row = {"server": line["server"], "why": line["why"]}
        row |= {name: float(line[name]) for name in NUMBERS}
        row |= {name: {"True": True, "False": False}.get(line[name]) for name in FLAGS}
        row["careless"] = {
            way: tuple(float(line[f"{way}_{end}"]) for end in ("middle", "low", "high")) for way in CARELESS
        }
        found.append(row)
    return found


def truths() -> dict[str, Row]:
    """True capacities, those of servers that have since changed left out."""
    known = truth.known()
    return {
        server.name: known[server.name]
        for server in SERVERS
        if known.get(server.name, {}).get("key") == truth.key(server)
    }


def tables(rows: Sequence[Row], true: dict[str, Row]) -> list[str]:
    """A line a server, the goals, and what each precaution is worth."""
    lines, near, held, found = [], [], [], []
    for server in SERVERS:
        own = [row for row in rows if row["server"] == server.name]
        if not own or server.name not in true:
            continue
        there = [row for row in own if not math.isnan(row["capacity"])]
        capacity = true[server.name]["capacity"]
        is_near = [abs(math.log(row["capacity"] / capacity)) <= server.within for row in there]
        holds = [row["low"] <= capacity <= row["high"] for row in there]
        near += [*is_near, *([False] * (len(own) - len(there)))]
        held += holds
        found += [(server, capacity, row) for row in there]
        lines.append(_line(server, true[server.name], own, there, is_near, holds))
    if not lines:
        return []
    head = [
        "server", "true", "runs", "within", "is so near", "holds it", "bias", "sd", "counts allow",
        "half-width", "took s", "confirmed", "recovers",
    ]  # fmt: skip
    return [markdown(head, lines), _goals(near, held), _careless(found)]


def _line(
    server: Server, true: Row, own: Sequence[Row], there: Sequence[Row], is_near: Sequence[bool],
    holds: Sequence[bool],
) -> list[str]:  # fmt: skip
    n = len(there)
    errors = [math.log(row["capacity"] / true["capacity"]) for row in there]
    widths = [math.log(row["high"] / row["low"]) / 2 for row in there]
    confirmed = sum(row["below"] is True and row["above"] is True for row in there)
    asked = [row["recovered"] for row in own if row["recovered"] is not None]
    return [
        server.name, digits(true["capacity"]), str(len(own)), f"{server.within:.0%}",
        f"{sum(is_near) / len(own):.0%}", f"{sum(holds) / n:.0%}" if n else "–",
        f"{np.mean(errors):+.1%}" if n else "–", f"{np.std(errors):.1%}" if n else "–",
        _allowed(server, true), f"{median(widths):.1%}" if n else "–",
        f"{median(row['took_s'] for row in own):.0f}", f"{confirmed / n:.0%}" if n else "–",
        f"{sum(asked)} of {len(asked)}",
    ]  # fmt: skip


def _allowed(server: Server, true: Row) -> str:
    """Standard deviation of ln(capacity) if all the time were spent counting at the capacity itself.

    Of the logit of a share that is known by n / inflation requests, over the steepness of the curve. More is
    to be had only by supposing how the curve goes, above the capacity, or from more than counts. Of users and
    of errors it is not worked out: requests a second are another figure, and clusters of errors another size.
    """
    if server.unit == "users" or true["steepness"] > STEEPEST or true["inflation"] <= 1:
        return "–"
    share = next((goal.most for goal in server.goals.shares if goal.limit_s is not None), 0.01)
    n = true["capacity"] * server.budget_s / max(true["inflation"], 1.0)
    return f"{1 / math.sqrt(n * share * (1 - share)) / float(true['steepness']):.1%}"


def _goals(near: Sequence[bool], held: Sequence[bool]) -> str:
    lines = []
    for name, some, wanted in (
        ("searches as near as wanted", near, LEAST_NEAR), ("intervals that hold the truth", held, LEAST_HELD)
    ):  # fmt: skip
        share = wilson_share(sum(some), len(some))
        said = "reached" if share.value >= wanted else "missed"
        lines.append(
            f"- {name}: {share.value:.1%} ({share.low:.1%} – {share.high:.1%}) of {len(some)};"
            f" at least {wanted:.0%} wanted: {said}."
        )
    return "\n".join(lines)


def _careless(found: Sequence[tuple[Server, float, Row]]) -> str:
    ways: dict[str, list[tuple[Server, float, tuple[float, float, float]]]] = {
        "as a search makes them": [
            (server, capacity, (row["capacity"], row["low"], row["high"])) for server, capacity, row in found
        ]
    }
    for way, name in CARELESS.items():
        ways[name] = [(server, capacity, row["careless"][way]) for server, capacity, row in found]
    lines = []
    for name, some in ways.items():
        near = sum(
            abs(math.log(middle / capacity)) <= server.within for server, capacity, (middle, _, _) in some
        )
        holds = sum(low <= capacity <= high for _, capacity, (_, low, high) in some)
        widths = [math.log(high / low) / 2 for _, _, (_, low, high) in some]
        lines.append([name, f"{near / len(some):.1%}", f"{holds / len(some):.1%}", f"{median(widths):.1%}"])
    head = ["95 % intervals from the same probes", "is so near", "hold the truth", "half-width"]
    return markdown(head, lines, bold="as a search makes them")
