"""A server that is a formula: the share of late answers follows the level, and what is too much piles up."""

import math
from dataclasses import dataclass

import numpy as np

from loadrig.study.capacity.goals import Goals, ShareGoal
from loadrig.study.capacity.tick import Count, Tick

LATE = ShareGoal("p99 < 100ms", 0.01, 0.1)
ERRORS = ShareGoal("errors < 0.1%", 0.001)
GOALS = Goals((LATE, ERRORS))

TICK_S = 0.25


@dataclass
class Formula:
    """capacity: where a hundredth is late. most: that it answers a second.

    held_back_from: level that the generator cannot offer. is_broken: all is late from now on. shares: goals
    that are counted, of LATE and ERRORS.
    """

    capacity: float = 800.0
    most: float = 1_000.0
    held_back_from: float = math.inf
    seed: int = 1
    shares: int = 2

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.backlog, self.is_broken = 0.0, False

    def advance(self, level: float) -> Tick:
        """Return a quarter of a second at a level."""
        due = int(self.rng.poisson(level * TICK_S))
        could = int(self.rng.poisson(self.most * TICK_S))
        self.backlog = (
            max(0.0, self.backlog + due - could) if level > 0.9 * self.most or self.backlog else 0.0
        )
        use = min(level / self.most, 0.999)
        standing = min(use / (1 - use), 50.0)
        done = due if self.backlog == 0 else min(due + int(self.backlog), could)
        steep = max(4.6 / (self.most / self.capacity - 1), 8.0)
        odds = math.log(0.01 / 0.99) + steep * math.log(level / self.capacity)
        share = 1.0 if self.backlog > 0.1 * self.most else 1 / (1 + math.exp(-min(odds, 30.0)))
        late = int(self.rng.binomial(done, 1.0 if self.is_broken else share))
        counts = (Count(late, done), Count(0, done))[: self.shares]
        return Tick(
            TICK_S, due, done, done, 0, counts, standing + self.backlog,
            level > self.held_back_from,
        )  # fmt: skip
