"""Quantiles of times in the measured window, shared by the measures that are quantiles.

Histograms are merged and the quantile is taken of the sum; quantiles are never averaged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.base.estimate import Estimate
from loadrig.base.later import Later
from loadrig.language.choice import texts_of
from loadrig.language.en.measures import MeasuresQuantileTexts
from loadrig.language.labels import label
from loadrig.measures._steps import Floats, classes, is_known, no_interval, steps
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

TEXTS = texts_of(MeasuresQuantileTexts)

SHARES = (0.5, 0.9, 0.95, 0.99, 0.999)
"""Quantiles counted in one pass through a recording, as shares: decoding is what takes the time."""

MOST_STEPS = 600
"""Largest number of steps of a window; frames of a longer one are joined.
A bootstrap of hours of single seconds takes much memory and tells no more, as its blocks are longer than one
frame anyway."""

FRAMES_FOR_BLOCKS = 8
"""Fewest frames of which blocks can be resampled; see stats.intervals.quantile_shares."""


@dataclass(frozen=True, slots=True)
class Times:
    """Times of a kind in the window, cut into steps of one frame, or of several in a long window.

    merged: all of them; counts: float64[n], how many in each step.
    below: for each of SHARES, how many of each step are at or below that quantile of all.
    sums_s: float64[n], their sum in seconds.
    """

    merged: Histogram
    counts: Floats
    below: dict[float, Floats]
    sums_s: Floats


def times(recording: Recording, kind: str, outcome: str | None, route: str | None) -> Times:
    """Return the times of a kind ("response", "service", "session") and outcome, step by step."""
    key = ("measures.times", kind, outcome, route)
    return recording.remembered(key, lambda: _times(recording, kind, outcome, route))


def _times(recording: Recording, kind: str, outcome: str | None, route: str | None) -> Times:
    edges = _joined(steps(recording, route).edges_ns)
    merged = recording.histogram(
        route=route, outcome=outcome, kind=kind, from_ns=edges[0], to_ns=edges[-1], classes=classes(route)
    )
    limits = [merged.quantile_ns(share) for share in SHARES]
    rows = []
    for step in recording.histograms(edges, route, outcome, kind, classes(route)):
        below = [step.count_between(0, limit) for limit in limits] if step.count else [0] * len(limits)
        rows.append([step.count, step.mean_ns * step.count / NS, *below])
    table = np.array(rows, dtype=np.float64).reshape(-1, 2 + len(SHARES)).T
    return Times(merged, table[0], dict(zip(SHARES, table[2:], strict=True)), table[1])


def _joined(edges_ns: Sequence[int]) -> Sequence[int]:
    """Return the edges of at most MOST_STEPS steps, each of equally many frames; the last may have fewer."""
    several = math.ceil((len(edges_ns) - 1) / MOST_STEPS)
    if several <= 1:
        return edges_ns
    return [*edges_ns[:-1:several], edges_ns[-1]]


def quantile(
    recording: Recording,
    share: float,
    name: str,
    *,
    route: str | None,
    kind: str,
    outcome: str,
    counted: str,
) -> Estimate | None:
    """Estimate a quantile in seconds with its 95 % interval; None where nothing ended with that outcome.

    share: one of SHARES. name: of the measure, for its warnings. counted: what is counted.
    """
    from loadrig.stats.intervals import quantile_shares

    if not is_known(recording, route):
        return None
    merged_times = times(recording, kind, None if kind == "session" else outcome, route)
    n = merged_times.merged.count
    if not n:
        return None
    low, high = quantile_shares(merged_times.counts, merged_times.below[share], share)
    return Estimate(
        merged_times.merged.quantile_ns(share) / NS,
        "s",
        merged_times.merged.quantile_ns(low) / NS,
        merged_times.merged.quantile_ns(high) / NS,
        n=n,
        of=counted,
        warnings=_warnings(name, share, merged_times, counted, is_open=high >= 1),
    )


def mean(recording: Recording, *, route: str | None) -> Estimate | None:
    """Estimate the mean response time of good answers, in seconds, with its 95 % interval."""
    from loadrig.stats.intervals import rate_interval

    if not is_known(recording, route):
        return None
    merged_times = times(recording, "response", "ok", route)
    if not merged_times.merged.count:
        return None
    is_answered = merged_times.counts > 0
    value = float(merged_times.sums_s.sum() / merged_times.counts.sum())
    if is_answered.sum() < 3:
        warnings = (no_interval("answers"),)
        return Estimate(value, "s", n=merged_times.merged.count, of="answers", warnings=warnings)
    ratio = rate_interval(merged_times.sums_s[is_answered], merged_times.counts[is_answered])
    return Estimate(value, "s", ratio.low, ratio.high, n=merged_times.merged.count, of="answers")


def enough(share: float, within: float = 0.10) -> int:
    """Return how many independent answers tell a quantile to within a share of its value, at 95 %.

    For times whose tail is exponential: n = p/(1-p) · (1.96 / (e·ln(1/(1-p))))². Real tails are
    heavier, and answers of a busy server resemble their neighbours: it takes this or more.
    """
    return math.ceil(share / (1 - share) * (1.96 / (within * math.log(1 / (1 - share)))) ** 2)


def _warnings(
    name: str, share: float, merged_times: Times, counted: str, *, is_open: bool
) -> tuple[str, ...]:
    """Return what a reader must know of a quantile, as sentences.

    is_open: the interval ends with the slowest time, beyond which nothing was seen.
    """
    n, above = merged_times.merged.count, int((merged_times.counts - merged_times.below[share]).sum())
    sentences = []
    if n * (1 - share) < 1:
        least = math.ceil(1 / (1 - share) - 1e-9)
        sentences.append(TEXTS.slowest_them_takes(name, f"{n:,}", label(counted), f"{least:,}"))
    elif n < enough(share):
        sentences.append(
            TEXTS.rests_above_know(name, f"{above:,}", label(counted), f"{enough(share):,}", f"{n:,}")
        )
    if is_open:
        sentences.append(TEXTS.upper_end_interval(name))
    if np.count_nonzero(merged_times.counts) < FRAMES_FOR_BLOCKS:
        sentences.append(TEXTS.lie_fewer_than(label(counted), str(FRAMES_FOR_BLOCKS), name))
    return tuple(sentences)
