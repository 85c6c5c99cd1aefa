"""Credence: how likely each claim is, what results make of that, and how much an experiment would tell.

Exactly one of the suspects is taken to be the cause, or none of them. Bayes' rule turns what each claim
foretold of a result, and the noise of the measured blocks, into the chances after it. An experiment is worth
the bits by which its result is expected to lower the doubt about which claim is true: the mutual information
of claim and result.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loadrig.interventions import Lever, Step, Variant
from loadrig.judgement.experiments.results import Result
from loadrig.judgement.experiments.suspects import Accused, Suspect
from loadrig.judgement.experiments.trial_gains import BETWEEN
from loadrig.stats.information import Floats, expected_bits, normal_density

SURE = 0.95
"""Chance of a claim, 0 to 1, from which on nothing more is asked."""

ELSEWHERE = 0.1
"""Chance before any experiment that no suspect is the cause: in the benchmark of diagnosis none of the first
three findings was right in 8 of 71 faults (docs/concepts/diagnosis.md)."""

MISSES = 0.05
"""Chance that a result is none of what a claim allows: 95 % intervals miss one time in twenty."""

STRAY = BETWEEN["throughput"]
"""Standard deviation of the logarithm of the outcome under a change that has nothing to do with the cause:
restarts move throughput as much."""

FORETOLD_OFF = 0.3
"""Standard deviation of a move over the foretold move, both as logarithms: of four mends that could be
compared with a healthy twin, three were foretold within a half (decision 0039)."""

TIED = 1 / 3
"""Chance of a claim over that of the likeliest one, from which on they are tied: evidence of less than three
to one is not worth more than a bare mention (Kass & Raftery 1995, JASA 90, 773-795)."""

LEAST_BITS = 0.08
"""Information, in bits, below which an experiment is not made: as much as a sure answer tells about a claim
that has one chance in a hundred."""

NORMAL_95 = 1.96
"""Half-widths of a 95 % interval in standard deviations of a normal distribution."""

STEP, MARGIN = 0.01, 4.0
"""Step of the grid of results, in logarithms, a fifth of STRAY; and its reach beyond the greatest foretold
move, in standard deviations."""


@dataclass(frozen=True, slots=True)
class Foretold:
    """Move that a claim foretells of one change, if it is true.

    move: logarithm of how many times better the outcome gets, below zero for worse. reach: chance that the
    move shows, 0 to 1: another limit may lie right behind.
    """

    move: float
    reach: float


@dataclass(frozen=True, slots=True)
class SuspectBelief:
    """Chance of a suspect before any experiment and after all, and the result that raised it most, if any."""

    prior: float
    posterior: float
    raised_by: Result | None = None


UNMOVED = Foretold(0.0, 0.0)
"""Foretold by a claim that has nothing to do with a change, and where no suspect is the cause."""

Foretell = Callable[[Suspect, Lever, float | None], Foretold]
"""Function that returns what a suspect foretells of a lever that changes a capacity by a ratio."""

Tells = Callable[[Sequence[Step | Variant], Sequence[Result]], Sequence[float]]
"""Function that returns the bits that each of some changes would tell after some results."""


def tell_alike(changes: Sequence[Step | Variant], _: Sequence[Result]) -> list[float]:
    """Return a bit for each of some changes, where nothing is known of what each would tell."""
    return [1.0] * len(changes)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Open question of an experiment.

    tells: bits that changes would tell. is_decided: whether results are enough although some are not sure.
    is_awaited: whether the verdict on who is likeliest after some results waits for what a lever shows.
    """

    tells: Tells = tell_alike
    is_decided: Callable[[Sequence[Result]], bool] = lambda _: False
    is_awaited: Callable[[Lever, Sequence[Result]], bool] = lambda *_: False


OPEN = Doubt()
"""Question of which nothing is known: all changes tell alike, and only sure answers are enough."""


class Credence:
    """Chances of some suspects, in their order, and last that none of them is the cause."""

    def __init__(self, suspects: Sequence[Suspect], foretell: Foretell) -> None:
        self.suspects, self._foretell = tuple(suspects), foretell
        prior = np.array([suspect.prior for suspect in suspects])
        self._prior = np.append((1 - ELSEWHERE) * prior / prior.sum(), ELSEWHERE)

    def chances(self, results: Sequence[Result]) -> Floats:
        """Return the chances after some results: float64[suspects + 1], which add up to 1."""
        chances = self._prior
        for result in results:
            gain = result.gain.better(result.measure)
            noise = math.log(gain.high / gain.low) / (2 * NORMAL_95)
            move = np.array([math.log(gain.value)])
            chances = chances * self._density(result.lever, result.ratio, move, noise)[:, 0]
            chances = chances / chances.sum()
        return chances

    def likeliest(self, results: Sequence[Result]) -> tuple[Suspect, float]:
        """Return the likeliest suspect after some results, with its chance."""
        chances = self.chances(results)[:-1]
        place = int(chances.argmax())
        return self.suspects[place], float(chances[place])

    def beliefs(self, results: Sequence[Result]) -> dict[Accused, SuspectBelief]:
        """Return what is believed of each suspect after some results."""
        before, after = self.chances(()), self.chances(results)
        alone = [self.chances([result]) for result in results]
        beliefs = {}
        for place, suspect in enumerate(self.suspects):
            raised = max(
                zip(results, alone, strict=True), key=lambda pair: float(pair[1][place]), default=None
            )
            is_raised = raised is not None and raised[1][place] > before[place]
            beliefs[suspect.key] = SuspectBelief(
                float(before[place]), float(after[place]), raised[0] if raised and is_raised else None
            )
        return beliefs

    def tied(self, results: Sequence[Result]) -> list[Suspect]:
        """Return the suspects that are about as likely as the likeliest; none where it is sure."""
        chances = self.chances(results)[:-1]
        most = chances.max(initial=0.0)
        pairs = zip(self.suspects, chances, strict=True)
        tied = [suspect for suspect, chance in pairs if most < SURE and chance >= TIED * most]
        return tied if len(tied) > 1 else []

    def bits(self, lever: Lever, ratio: float | None, results: Sequence[Result]) -> float:
        """Return the bits that pulling a lever is expected to tell after some results."""
        foretold = self._of_all(lever, ratio)
        reach = float(np.abs(foretold[0]).max()) * (1 + MARGIN * FORETOLD_OFF) + MARGIN * 2 * STRAY
        moves = np.arange(-reach, reach + STEP, STEP)
        # The noise of a result is about that of restarts, until it is measured.
        density, chances = self._density(lever, ratio, moves, STRAY), self.chances(results)
        return expected_bits(chances, density, moves)

    def _of_all(self, lever: Lever, ratio: float | None) -> tuple[Floats, Floats]:
        foretold = [*(self._foretell(suspect, lever, ratio) for suspect in self.suspects), UNMOVED]
        return np.array([each.move for each in foretold]), np.array([each.reach for each in foretold])

    def _density(self, lever: Lever, ratio: float | None, moves: Floats, noise: float) -> Floats:
        """Return the density of some moves under each claim: float64[suspects + 1, moves]."""
        foretold, reach = (column[:, None] for column in self._of_all(lever, ratio))
        still = normal_density(moves, 0.0, np.hypot(noise, STRAY))
        moved = normal_density(
            moves, foretold, np.hypot(np.hypot(noise, STRAY), FORETOLD_OFF * np.abs(foretold))
        )
        # What no claim allows is as likely under each, so a single result never rules a claim out.
        stray = normal_density(moves, 0.0, np.hypot(noise, STRAY + np.abs(foretold).max()))
        density: Floats = (1 - MISSES) * (reach * moved + (1 - reach) * still) + MISSES * stray
        return density


def most_telling(bits: Sequence[float]) -> list[int]:
    """Return the places of the experiments to be made at once, the most telling first.

    bits: what each would tell. All of them share the slots without a change, so that many are cheaper than
    each by itself; chosen is the set that tells most for each slot. Those that tell too little are left out.
    """
    places = sorted((at for at in range(len(bits)) if bits[at] >= LEAST_BITS), key=lambda at: -bits[at])
    sums = np.cumsum([bits[at] for at in places]) / np.arange(2, len(places) + 2)
    return places[: int(sums.argmax()) + 1] if places else []
