"""Ways in which people run A and B, each made of simulated trials."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.compare.worlds import TRIAL_S, Day, PairWeather
from loadrig.comparing.noise import Noises, noises
from loadrig.comparing.read import side_of
from loadrig.comparing.side import Measured, Side

EARLIER = 12
"""Runs of the same plan that were kept, one a day."""

Sides = tuple[Side, Side, Noises]
Ratio = float


@dataclass(frozen=True, slots=True)
class Design:
    """One way. make: a machine's weather, the ratio of B to A, lot and blocks, to both sides."""

    name: str
    make: Callable[[PairWeather, Ratio, np.random.Generator, int], Sides]
    blocks: int

    @property
    def seconds(self) -> float:
        """Seconds under load in all."""
        trials = 3 if self.make is in_blocks else 2
        return self.blocks * trials * float(TRIAL_S)


def in_blocks(weather: PairWeather, ratio: Ratio, rng: np.random.Generator, blocks: int) -> Sides:
    """Return one study of two settings: in each block both by lot, the base twice."""
    day = Day(weather, rng)
    trials: dict[str, list[Measured]] = {"a": [], "b": []}
    index = 0
    for block in range(blocks):
        for name in rng.permutation(["a", "a", "b"]):
            index += 1
            trials[name].append(day.trial(0, block, index, ratio=ratio if name == "b" else 1.0))
    sides = [side_of(name, [_found("study", trials[name])]) for name in ("a", "b")]
    return sides[0], sides[1], Noises()


def in_turns(weather: PairWeather, ratio: Ratio, rng: np.random.Generator, blocks: int) -> Sides:
    """Return a run of each, again and again, which of them first by lot."""
    day = Day(weather, rng)
    runs: dict[str, list[Side]] = {"a": [], "b": []}
    for block in range(blocks):
        for name in rng.permutation(["a", "b"]):
            trial = day.trial(0, 0, 1, ratio=ratio if name == "b" else 1.0)
            runs[name].append(_found(f"{name}{block}", [trial]))
    return side_of("a", runs["a"]), side_of("b", runs["b"]), Noises()


def apart(weather: PairWeather, ratio: Ratio, rng: np.random.Generator, blocks: int) -> Sides:
    """Return all blocks of A on one day, all of B on another."""
    sides = []
    for number, (name, factor) in enumerate((("a", 1.0), ("b", ratio))):
        day = Day(weather, rng, number)
        trials = [day.trial(0, block, block + 1, ratio=factor) for block in range(blocks)]
        sides.append(side_of(name, [_found(name, trials)]))
    return sides[0], sides[1], Noises()


def with_history(weather: PairWeather, ratio: Ratio, rng: np.random.Generator, blocks: int) -> Sides:
    """Runs of A on many days, then B: the nightly run of a pipeline, the newest against the one before."""
    runs = [
        _found(f"night{number}", [Day(weather, rng, number).trial(0, 0, 1)]) for number in range(EARLIER + 1)
    ]
    newest = [Day(weather, rng, EARLIER + 1 + n).trial(0, 0, 1, ratio=ratio) for n in range(blocks)]
    a, b = (
        side_of("a", runs[-1:]),
        side_of("b", [_found(f"new{n}", [trial]) for n, trial in enumerate(newest)]),
    )
    return a, b, noises(a, b, runs)


def a_run_each(weather: PairWeather, ratio: Ratio, rng: np.random.Generator, blocks: int) -> Sides:
    """Return one run of each, on two days, and nothing else is known."""
    return apart(weather, ratio, rng, min(1, blocks))


DESIGNS = (
    Design("blocks of a study", in_blocks, 8),
    Design("runs in turns", in_turns, 8),
    Design("runs apart, in blocks", apart, 8),
    Design("a run each, a history", with_history, 1),
    Design("a run each", a_run_each, 1),
)


def _found(name: str, trials: list[Measured]) -> Side:
    return Side(name, {}, tuple(trials), (Path(name),), "shop")
