"""Many pairs: how often a comparison says that A differs from A, and how often it finds what is there."""

import hashlib
import inspect
import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.compare import designs, rivals, worlds
from bench.compare.designs import DESIGNS, Design
from bench.compare.worlds import WEATHERS, PairWeather
from bench.diagnosis.ledger import BenchLedger
from bench.figures import markdown
from loadrig.comparing import effects, judged, mix, noise, pairing, yardsticks
from loadrig.comparing.side import Side
from loadrig.stats import compare, equivalence, shares, trimmed, verdict
from loadrig.stats.intervals import wilson_share

FALSE_MOST, FALSE_LIMIT = 0.02, 0.05
"""The goal for A/A pairs, and for the upper end of its 95 % interval."""

POWER_LEAST, CHANGE, WITHIN_S = 0.90, 1.05, 600.0
"""A true change of 5 % is found so often within so much trial time."""

EQUAL_BLOCKS = 8
"""Blocks of 30 s within which what changes nothing is to be shown equal."""

WORDS = ("better", "worse", "equal", "undecided")

SOURCES = (
    worlds, designs, rivals, judged, effects, noise, pairing, mix, yardsticks, compare, trimmed, equivalence,
    shares, verdict,
)  # fmt: skip
"""Modules on which a pair's verdict depends."""

Row = dict[str, Any]


def version() -> str:
    """Changes with all that a verdict depends on, so that no old one is taken for a new."""
    text = "".join(inspect.getsource(module) for module in SOURCES)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run(ledger: BenchLedger, count: int, most: int | None = None) -> list[Row]:
    """So many pairs of each way to run them; those that the ledger does not have are made.

    most: pairs to make now; the rest is made the next time.
    """
    now, rows, pairs_made = version(), [], 0
    for weather in WEATHERS:
        for design, kind in _asked():
            for seed in range(count):
                key = f"compared:{now}:{weather.name}:{kind}:{design.name}:{design.blocks}:{seed}"
                if key not in ledger.rows:
                    if most is not None and pairs_made >= most:
                        continue
                    pairs_made += 1
                    ledger.add({"key": key, **pair_row(weather, design, kind, seed)})
                rows.append({name: value for name, value in ledger.rows[key].items() if name != "key"})
            print(f"  {weather.name}: {kind}, {design.name}, {count} pairs", file=sys.stderr, flush=True)
    return rows


def _asked() -> list[tuple[Design, str]]:
    """A/A pairs of every way; then a true change in those that can find it within ten minutes."""
    within = [
        Design(design.name, design.make, int(WITHIN_S // (design.seconds / design.blocks)))
        for design in DESIGNS[:3]
    ]
    return [*((design, "aa") for design in DESIGNS), *((design, "change") for design in within)]


def pair_row(weather: PairWeather, design: Design, kind: str, seed: int) -> Row:
    """Return one pair, and what is said of it. kind: "aa" or "change"; a change is up or down by turns."""
    rng = np.random.default_rng([seed, sum(map(ord, f"{weather.name}{design.name}{kind}"))])
    ratio = 1.0 if kind == "aa" else CHANGE if seed % 2 else 1 / CHANGE
    a, b, yardstick_noises = design.make(weather, ratio, rng, design.blocks)
    compare = judged.compare(a, b, yardsticks.asked(a, b), yardstick_noises, with_shifts=False)
    capacity = next(row for row in compare.compared if row.measure == "throughput")
    low, high = capacity.interval or (None, None)
    return {
        "weather": weather.name, "design": design.name, "kind": kind, "blocks": design.blocks, "seed": seed,
        "ratio": ratio, "word": compare.verdict,
        "throughput": capacity.verdict, "effect": capacity.effect, "low": low, "high": high,
        "sd": spread(a) if kind == "aa" else None,
        "rivals": {name: judge(a, b) for name, judge in rivals.RIVALS.items()},
    }  # fmt: skip


def spread(side: Side) -> float | None:
    """Standard deviation of the log of throughput between the trials of a side; None for one."""
    logs = np.log([trial.value("throughput") or 1.0 for trial in side.usable])
    return float(logs.std(ddof=1)) if logs.size > 1 else None


def packed(rows: Sequence[Row]) -> list[Row]:
    """Counts of what was said, for each way: thousands of single pairs tell no more."""
    row_by_kind: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = (row["weather"], row["design"], row["kind"], row["blocks"])
        at = row_by_kind.setdefault(
            key,
            {
                "weather": key[0], "design": key[1], "kind": key[2], "blocks": key[3], "pairs": 0,
                "said": dict.fromkeys(WORDS, 0), "right": 0, "wrong": 0, "held": 0, "with_interval": 0,
                "equal": 0, "sd": None, "rivals": {name: [0, 0] for name in rivals.RIVALS},
            },
        )  # fmt: skip
        is_true = row["kind"] == "change"
        right = "better" if row["ratio"] > 1 else "worse"
        at["pairs"] += 1
        if row["sd"] is not None:  # root mean square of those so far
            at["sd"] = math.sqrt(((at["sd"] or 0.0) ** 2 * (at["pairs"] - 1) + row["sd"] ** 2) / at["pairs"])
        at["said"][row["word"]] += 1
        at["right"] += is_true and row["throughput"] == right
        at["wrong"] += is_true and row["throughput"] == ("worse" if right == "better" else "better")
        at["equal"] += row["throughput"] in ("equivalent", "trivial")
        if row["low"] is not None and row["low"] < row["high"]:
            at["with_interval"] += 1
            at["held"] += row["low"] <= row["ratio"] <= row["high"]
        for name, word in row["rivals"].items():
            at["rivals"][name][0] += word in ("better", "worse") and not (is_true and word == right)
            at["rivals"][name][1] += is_true and word == right
    return list(row_by_kind.values())


def tables(rows: Sequence[Row]) -> list[str]:
    """False alarms and equal ones of A/A pairs; what of a true change is found; the goals; the rivals."""
    same = [row for row in rows if row["kind"] == "aa"]
    changed = [row for row in rows if row["kind"] == "change"]
    return [part for part in (_same(same), _changed(changed), _goals(same, changed), _rivals(same)) if part]


def _same(rows: Sequence[Row]) -> str:
    head = ["A against A", "machine", "trials vary by", "blocks", "pairs", "false better or worse",
            "throughput equal", "undecided", "intervals that hold 1"]  # fmt: skip
    lines = [
        [
            row["design"], row["weather"], f"{row['sd']:.1%}" if row["sd"] else "–", str(row["blocks"]),
            str(row["pairs"]), share(_false(row), row["pairs"]), f"{row['equal'] / row['pairs']:.0%}",
            f"{row['said']['undecided'] / row['pairs']:.0%}",
            f"{row['held'] / row['with_interval']:.0%}" if row["with_interval"] else "–",
        ]
        for row in rows
    ]  # fmt: skip
    return markdown(head, lines) if lines else ""


def _changed(rows: Sequence[Row]) -> str:
    head = [
        "a true change of 5 %",
        "machine",
        "blocks",
        "pairs",
        "found",
        "wrong way",
        "intervals that hold it",
    ]
    lines = [
        [
            row["design"], row["weather"], str(row["blocks"]), str(row["pairs"]),
            share(row["right"], row["pairs"]), str(row["wrong"]),
            f"{row['held'] / row['with_interval']:.0%}" if row["with_interval"] else "–",
        ]
        for row in rows
    ]  # fmt: skip
    return markdown(head, lines) if lines else ""


def _goals(same: Sequence[Row], changed: Sequence[Row]) -> str:
    lines = []
    for row in same:
        interval = wilson_share(_false(row), row["pairs"])
        ok = interval.value <= FALSE_MOST and interval.high <= FALSE_LIMIT
        lines.append((f"false verdicts, {row['design']}, {row['weather']}", share(_false(row), row["pairs"]),
                      f"at most {FALSE_MOST:.0%}, upper limit {FALSE_LIMIT:.0%}", ok))  # fmt: skip
    for row in changed:
        if row["design"] == "runs in turns":
            ok = row["right"] >= POWER_LEAST * row["pairs"]
            lines.append((f"5 % found within ten minutes, {row['design']}, {row['weather']}",
                          share(row["right"], row["pairs"]), f"at least {POWER_LEAST:.0%}", ok))  # fmt: skip
    for row in same:
        if row["design"] == "blocks of a study":
            ok = row["equal"] >= POWER_LEAST * row["pairs"]
            lines.append((f"what changes nothing is equal in {row['blocks']} blocks, {row['weather']}",
                          share(row["equal"], row["pairs"]), f"at least {POWER_LEAST:.0%}", ok))  # fmt: skip
    return "\n".join(
        f"- {name}: {value}; {wanted} wanted: {'reached' if ok else 'missed'}."
        for name, value, wanted, ok in lines
    )


def _rivals(rows: Sequence[Row]) -> str:
    """False alarms of what people do instead, on the same pairs."""
    if not rows:
        return ""
    head = ["A against A", "machine", "loadrig", *rivals.RIVALS]
    lines = [
        [row["design"], row["weather"], f"{_false(row) / row['pairs']:.0%}",
         *(f"{row['rivals'][name][0] / row['pairs']:.0%}" for name in rivals.RIVALS)]
        for row in rows
    ]  # fmt: skip
    return f"Said to differ though they are the same:\n\n{markdown(head, lines)}"


def _false(row: Row) -> int:
    return int(row["said"]["better"] + row["said"]["worse"])


def share(hits: int, count: int) -> str:
    """Return how many of how many, with Wilson's interval."""
    span = wilson_share(hits, count)
    return f"{hits}/{count} = {hits / count:.1%} ({span.low:.1%} – {span.high:.1%})"
