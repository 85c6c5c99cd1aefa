"""Results of the rounds: throughput after each intervention beside that before it, and what it took."""

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from bench.figures import digits, markdown, shown, spread
from bench.interventions.remains import LEVERS
from loadrig.stats.compare import PAIRS_NEEDED, Effect, known_noise, paired_differences
from loadrig.stats.equivalence import is_equivalent, log_margin

AT_LIMIT = 0.9
"""Cores: a server on one core that uses so much waits for it."""
MOST_OTHERS, MOST_HELD_UP = 0.3, 0.05
"""Shares of a look; beyond them it says more of the others than of the server."""
LEAST_DF = 10
"""Degrees of freedom of the noise: below it nothing is said."""
MARGIN = 0.03
"""Throughput before and after that differ by less are equal: capacity's margin in a study."""

FIELDS = ("member", "unavailable", "ratio", "left", "before", "after", "changed", "unchanged", "used",
          "asked_ms", "delay_ms")  # fmt: skip
"""Fields of a turn that the tables need."""


def tables(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """For each member what was left of it, and what it took while it lasted."""
    if not rows:
        return []
    tried = [row for row in rows if "unavailable" not in row]
    counted, effects = [row for row in tried if _is_counted(row)], differences(tried)
    lines = [
        [f"`{member}`" if LEVERS[member] else member, *_left(own, effects.get(member)), _took(own)]
        for member in LEVERS
        if (own := [row for row in tried if row["member"] == member])
    ]
    head = [
        "in between", "turns", "throughput, after / before", f"equal within {MARGIN:.0%}",
        "other things left", "what it took",
    ]  # fmt: skip
    left_out = (
        f"{len(tried) - len(counted)} of {len(tried)} turns are left out of the ratios, as others had more"
        f" than {MOST_OTHERS:.0%} of the server's core, or the generator waited for its own for more than"
        f" {MOST_HELD_UP:.0%} of the time.\nIntervals are of 90 %, of what was taken of 95 %."
    )
    absent = {row["member"]: row["unavailable"] for row in rows if "unavailable" in row}
    return [
        markdown(head, lines),
        left_out,
        *(f"- `{name}` was not tried: {why}." for name, why in absent.items()),
    ]


def _is_counted(row: Mapping[str, Any]) -> bool:
    return all(
        look["others"] <= MOST_OTHERS and look["held_up"] <= MOST_HELD_UP and look["speed"] > 0
        for look in (row["before"], row["after"])
    )


def differences(rows: Sequence[Mapping[str, Any]]) -> dict[str, Effect]:
    """Return what a turn of each member did to throughput, as ln(after/before); empty for too few turns.

    Throughput of a second of the core that others left, and as if the core had been as fast after as before:
    by how much throughput follows the core's speed is fitted to all turns. Source: Fisher 1932, Statistical
    Methods for Research Workers, 4th ed., ch. 8 (analysis of covariance).
    """
    counted = [row for row in rows if _is_counted(row)]
    members = sorted({row["member"] for row in counted})
    df = len(counted) - len(members) - 1
    if df < LEAST_DF:
        return {}
    y, speed = (
        np.array([math.log(quantity(row["after"]) / quantity(row["before"])) for row in counted])
        for quantity in (_of_what_was_left, _speed)
    )
    design = np.column_stack([[row["member"] == member for row in counted] for member in members] + [speed])
    inverse = np.linalg.inv(design.T @ design)
    fitted = inverse @ design.T @ y
    variance = float(((y - design @ fitted) ** 2).sum()) / df
    return {
        member: known_noise(
            float(fitted[place]), math.sqrt(variance * inverse[place, place]), df,
            n=sum(row["member"] == member for row in counted),
        )
        for place, member in enumerate(members)
    }  # fmt: skip


def _of_what_was_left(look: Mapping[str, float]) -> float:
    return look["per_second"] / (1 - look["others"])


def _speed(look: Mapping[str, float]) -> float:
    return look["speed"]


def _left(rows: Sequence[Mapping[str, Any]], effect: Effect | None) -> list[str]:
    changed = sum(bool(row["left"]) for row in rows)
    nothing = "nothing" if not changed else f"in {changed} of {len(rows)} turns"
    if effect is None:
        return ["–", "–", "too few turns", nothing]
    is_equal = "yes" if is_equivalent(effect, log_margin(MARGIN)) else "not shown"
    # The 90 % interval, whose place within the margin is the test.
    low, high = math.exp(effect.narrow_low), math.exp(effect.narrow_high)
    return [str(effect.n), f"{effect.ratio:.3f} ({low:.3f} – {high:.3f})", is_equal, nothing]


def _took(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the share of throughput that was taken; nobody misses what is taken of idle time."""
    if "asked_ms" in rows[0]:
        return f"{shown(spread(row['delay_ms'] for row in rows))} ms of {digits(rows[0]['asked_ms'])} asked"
    full = [row for row in rows if row.get("used", 0.0) >= AT_LIMIT and _is_counted(row)]
    if len(full) < PAIRS_NEEDED:
        return "–"
    took = paired_differences([math.log(row["changed"] / row["unchanged"]) for row in full])
    low, high = took.ratio_interval
    asked = median(row["ratio"] for row in full)
    return (
        f"{100 * (1 - took.ratio):.1f} % of throughput ({100 * (1 - high):.1f} – {100 * (1 - low):.1f})"
        f" for {100 * (1 - asked):.0f} % of CPU"
    )
