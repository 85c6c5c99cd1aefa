"""Distance between two runs of the same thing, where that is known from elsewhere.

Two runs that did not take turns differ by what changed between them, too, and nothing in either tells by
how much. Earlier runs of the same plan do (history); the base setting run twice in every block of a study
tells how far trials lie apart that follow each other within minutes (repeats).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from loadrig.comparing.refuse import level
from loadrig.comparing.side import Measured, Side
from loadrig.stats.noise import noise_of_differences
from loadrig.stats.verdict import Scale

RUNS_NEEDED = 5
"""Fewest earlier runs: with fewer their spread is known so badly that its t would decide everything."""

LARGEST_LOG = 700.0
"""Largest logarithm whose number is still told: beyond 709 it is no float."""

SAME_PACE = 4.0
"""Factor by which A and B may lie farther apart in time than earlier runs, for those to tell the noise.
Of runs that followed each other within the hour nobody learns how far Monday is from Tuesday."""


@dataclass(frozen=True, slots=True)
class KnownNoise:
    """Standard deviation of one run on the scale of comparison, its degrees of freedom and its source.

    n: runs, or pairs of them. source: repeats, where these lay nearer to each other than A and B do.
    """

    sd: float
    df: float
    n: int
    source: Literal["history", "repeats"]


@dataclass(frozen=True)
class Noises:
    """Knowledge of the noise from elsewhere. earlier: runs of the same plan and setting except A and B.

    repeats: as of a side, of both sides together. is_hasty: the earlier runs followed each other far more
    closely than B followed A, so that they do not show what time does.
    """

    earlier: tuple[Side, ...] = ()
    repeats: tuple[tuple[str, tuple[float, ...]], ...] = ()
    is_hasty: bool = False

    def noise_of(self, measure: str, route: str | None, scale: Scale) -> KnownNoise | None:
        """Return the noise of one measure; None where it is not known."""
        values = [y for run in self.earlier if (y := mean_of(run.trials, measure, route, scale)) is not None]
        if len(values) >= RUNS_NEEDED:
            noise = of_neighbours(values)
            if noise.sd > 0:
                return replace(noise, source="repeats") if self.is_hasty else noise
        gaps = [
            gap
            for name, gaps_of_name in self.repeats
            if name == measure and route is None
            for gap in gaps_of_name
        ]
        if len(gaps) >= 2:
            estimate = noise_of_differences(gaps)
            if estimate.sd_log > 0:
                return KnownNoise(estimate.sd_log, estimate.df, estimate.n, "repeats")
        return None

    def counts(self, route: str | None) -> list[tuple[int, int]]:
        """Return failed and all requests of each earlier run; none where there are too few runs."""
        counts = [
            counted
            for run in self.earlier
            if (counted := failures([t for t in run.trials if t.is_usable], route)) is not None
        ]
        return counts if len(counts) >= RUNS_NEEDED else []


def of_neighbours(values: Sequence[float]) -> KnownNoise:
    """Estimate the noise of runs in order of time, from how much each differs from the one before.

    A change of level between two of them, which is no noise, then counts once and not in every later run.
    Source: von Neumann, Kent, Bellinson & Hart 1941, Ann. Math. Stat. 12, 153-162.
    """
    steps = np.diff(np.asarray(values, dtype=np.float64))
    n = len(values)
    # Neighbouring differences share a run: their mean square has 2 (n-1)² / (3n-4) degrees of freedom.
    return KnownNoise(math.sqrt(float((steps**2).mean()) / 2), 2 * (n - 1) ** 2 / (3 * n - 4), n, "history")


def failures(trials: Sequence[Measured], route: str | None) -> tuple[int, int] | None:
    """Return failed and all requests of some trials; None where nothing was counted."""
    shares = [share for trial in trials if (share := trial.estimate("errors", route)) is not None and share.n]
    return (
        (sum(round(share.value * share.n) for share in shares), sum(share.n for share in shares))
        if shares
        else None
    )


def scatter(counts: Sequence[tuple[int, int]]) -> float:
    """Return the factor by which shares scatter more than counts.

    It is Pearson's chi square over its degrees of freedom.

    Source: McCullagh & Nelder 1989, Generalized Linear Models, 4.5.
    """
    hits, total = sum(h for h, _ in counts), sum(n for _, n in counts)
    if len(counts) < 2 or hits in (0, total):
        return 1.0
    p = hits / total
    return sum((h - n * p) ** 2 / (n * p * (1 - p)) for h, n in counts) / (len(counts) - 1)


def noises(a: Side, b: Side, runs: Sequence[Side] = ()) -> Noises:
    """Return what runs and repeats tell of the noise of a comparison. runs: all beside the two sides."""
    own = {run.resolve() for side in (a, b) for run in side.runs}
    earlier = tuple(
        run for run in runs if run.folder.resolve() not in own and any(_is_of(run, side) for side in (a, b))
    )
    return Noises(earlier, (*a.repeats.items(), *b.repeats.items()), _is_hasty(earlier, a, b))


def _is_hasty(earlier: Sequence[Side], a: Side, b: Side) -> bool:
    """Return whether A and B lie much farther apart than the earlier runs do; True where no time is known."""
    began = [[trial.began_s for trial in trials] for trials in (a.trials, b.trials)]
    times = sorted(run.began_s for run in earlier)
    if len(times) < RUNS_NEEDED or not all((*times, *began[0], *began[1])):
        return True
    gap = min(abs(began_a - began_b) for began_a in began[0] for began_b in began[1])
    return gap > SAME_PACE * float(np.median(np.diff(times)))


def mean_of(trials: Sequence[Measured], measure: str, route: str | None, scale: Scale) -> float | None:
    """Return one number for a run on the scale of comparison: the mean of its usable trials."""
    ys = [
        on_scale(value, scale)
        for trial in trials
        if trial.is_usable
        and (value := trial.value(measure, route)) is not None
        and (scale == "difference" or value > 0)
    ]
    return sum(ys) / len(ys) if ys else None


def on_scale(value: float, scale: Scale) -> float:
    """Return a value as it is compared: its logarithm, for ratios."""
    return math.log(value) if scale == "ratio" else value


def off_scale(y: float, scale: Scale) -> float:
    """Return a value of the scale of comparison in its unit.

    Where the noise is hardly known a bound passes the largest float, so logarithms are cut at 700.
    """
    return math.exp(min(y, LARGEST_LOG)) if scale == "ratio" else y


def _is_of(run: Side, side: Side) -> bool:
    """Return whether a run asked the same of the same setting under the same load."""
    if run.plan_name != side.plan_name or dict(run.setting) != dict(side.setting):
        return False
    if not run.usable or run.model != side.model or bool(run.searched) != bool(side.searched):
        return False
    return run.goals == side.goals if side.searched else bool(level(run) == level(side))
