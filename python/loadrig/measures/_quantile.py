"""Quantiles of times in the measured window, shared by the measures that are quantiles.

Histograms are merged and the quantile is taken of the sum; quantiles are never averaged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig._native import Histogram
from loadrig.base.estimate import Estimate
from loadrig.base.later import Later
from loadrig.measures._steps import NS, Floats, classes, is_known, no_interval, steps
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

SHARES = (0.5, 0.9, 0.95, 0.99, 0.999)
"""Quantiles counted in one go through a recording; decoding is what takes the time."""

MOST_STEPS = 600
"""A longer window's frames are joined: a bootstrap of hours of single seconds takes much memory and
tells no more, as its blocks are longer than one frame anyway."""

FRAMES_FOR_BLOCKS = 8
"""Below this blocks of frames cannot be resampled; see stats.intervals.quantile_shares."""


@dataclass(frozen=True, slots=True)
class Times:
    """One kind of times in the window, cut into steps of one frame, or of several in a long window.

    merged: all of them; counts: float64[n], how many in each step.
    below: for each of SHARES, how many of each step are at or below that quantile of all.
    sums_s: float64[n], their sum in seconds.
    """

    merged: Histogram
    counts: Floats
    below: dict[float, Floats]
    sums_s: Floats


def times(recording: Recording, kind: str, outcome: str | None, route: str | None) -> Times:
    """The times of a kind ("response", "service", "session") and outcome, step by step."""
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
    """The edges of at most MOST_STEPS steps, each of so many frames, the last of what is left."""
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
    kind: str = "response",
    outcome: str = "ok",
    of: str = "answers",
) -> Estimate | None:
    """A quantile in seconds with its 95 % interval, or None where nothing ended that way.

    share: one of SHARES. name: of the measure, for its warnings. of: what is counted.
    """
    from loadrig.stats.intervals import quantile_shares

    if not is_known(recording, route):
        return None
    found = times(recording, kind, None if kind == "session" else outcome, route)
    n = found.merged.count
    if not n:
        return None
    low, high = quantile_shares(found.counts, found.below[share], share)
    return Estimate(
        found.merged.quantile_ns(share) / NS,
        "s",
        found.merged.quantile_ns(low) / NS,
        found.merged.quantile_ns(high) / NS,
        n=n,
        of=of,
        warnings=_warnings(name, share, found, of, is_open=high >= 1),
    )


def mean(recording: Recording, *, route: str | None) -> Estimate | None:
    """The mean response time of good answers, in seconds, with its 95 % interval."""
    from loadrig.stats.intervals import rate_interval

    if not is_known(recording, route):
        return None
    found = times(recording, "response", "ok", route)
    if not found.merged.count:
        return None
    some = found.counts > 0
    value = float(found.sums_s.sum() / found.counts.sum())
    if some.sum() < 3:
        warnings = (no_interval("answers"),)
        return Estimate(value, "s", n=found.merged.count, of="answers", warnings=warnings)
    ratio = rate_interval(found.sums_s[some], found.counts[some])
    return Estimate(value, "s", ratio.low, ratio.high, n=found.merged.count, of="answers")


def enough(share: float, within: float = 0.10) -> int:
    """How many independent answers tell a quantile to within so much of its value, at 95 %.

    For times whose tail is exponential: n = p/(1-p) · (1.96 / (e·ln(1/(1-p))))². Real tails are
    heavier, and answers of a busy server resemble their neighbours: it takes this or more.
    """
    return math.ceil(share / (1 - share) * (1.96 / (within * math.log(1 / (1 - share)))) ** 2)


def _warnings(name: str, share: float, found: Times, of: str, *, is_open: bool) -> tuple[str, ...]:
    """is_open: the interval ends with the slowest, beyond which nothing was seen."""
    n, above = found.merged.count, int((found.counts - found.below[share]).sum())
    sentences = []
    if n * (1 - share) < 1:
        least = math.ceil(1 / (1 - share) - 1e-9)
        sentences.append(f"{name} of {n:,} {of} is the slowest of them; it takes at least {least:,}")
    elif n < enough(share):
        sentences.append(
            f"{name} rests on {above:,} {of} above it: to know it to ±10 % takes about "
            f"{enough(share):,} {of}, there are {n:,}"
        )
    if is_open:
        sentences.append(
            f"the upper end of {name}'s interval is the slowest seen; the true one may be higher"
        )
    if np.count_nonzero(found.counts) < FRAMES_FOR_BLOCKS:
        sentences.append(
            f"the {of} lie in fewer than {FRAMES_FOR_BLOCKS} frames: the interval of {name} takes them "
            "for independent; measure longer"
        )
    return tuple(sentences)
