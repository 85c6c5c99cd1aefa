"""The servers that are searched: of kinds that are met, with round figures, none chosen for its result."""

from dataclasses import dataclass

import numpy as np

from bench.capacity import queues, users
from loadrig.study.capacity.answer import Unit
from loadrig.study.capacity.goals import Goals, ShareGoal

FAST, SLOW = (120.0, 0.03), (240.0, 0.05)
"""Simulated seconds and how near: from 500 requests a second on, and below."""

Running = queues.RunningQueue | users.RunningUsers


@dataclass(frozen=True)
class SimulatedServer:
    """name: of it in tables. law: what it does. quantile, limit_s: the goal on response times.

    errors: at most such a share. is_slow: below 500 requests a second.
    """

    name: str
    law: queues.QueueLaw | users.ClosedLaw
    quantile: float
    limit_s: float
    errors: float = 0.001
    is_slow: bool = False

    @property
    def unit(self) -> Unit:
        """Unit of its levels."""
        return "users" if isinstance(self.law, users.ClosedLaw) else "1/s"

    @property
    def goals(self) -> Goals:
        """As a search is given them."""
        late = f"p{100 * self.quantile:g} < {1000 * self.limit_s:g}ms"
        return Goals(
            (
                ShareGoal(late, round(1 - self.quantile, 9), self.limit_s),
                ShareGoal(f"errors < {self.errors:.1%}", self.errors),
            )
        )

    @property
    def budget_s(self) -> float:
        """Simulated seconds that a search has."""
        return (SLOW if self.is_slow else FAST)[0]

    @property
    def within(self) -> float:
        """Distance from the true capacity within which a search is to come, as a share."""
        return (SLOW if self.is_slow else FAST)[1]

    def started(self, rng: np.random.Generator) -> Running:
        """Running, and empty."""
        if isinstance(self.law, users.ClosedLaw):
            return users.RunningUsers(self.law, (self.limit_s,), rng)
        return queues.RunningQueue(self.law, (self.limit_s,), rng)


Law, Closed = queues.QueueLaw, users.ClosedLaw

SERVERS: tuple[SimulatedServer, ...] = (
    SimulatedServer("one core, 1 ms, exponential", Law(0.001, 1.0), 0.99, 0.05),
    SimulatedServer("eight workers, 8 ms, exponential", Law(0.008, 1.0, 8), 0.99, 0.1),
    SimulatedServer("four cores, 2 ms, steady", Law(0.002, 0.3, 4), 0.99, 0.02),
    SimulatedServer("eight workers, 10 ms, twice as varied", Law(0.010, 2.0, 8), 0.99, 0.2),
    SimulatedServer("two cores, 0.4 ms", Law(0.0004, 0.5, 2), 0.99, 0.01),
    SimulatedServer("goal close to the service time", Law(0.004, 1.0, 4), 0.99, 0.025),
    SimulatedServer("pauses of 40 ms", Law(0.002, 0.5, 4, pause_every_s=8.0, pause_s=0.04), 0.99, 0.06),
    SimulatedServer("cold caches", Law(0.0015, 0.5, 2, cold=0.5, warm_after=15_000), 0.99, 0.04),
    SimulatedServer("a machine that wanders", Law(0.003, 0.7, 4, wander=0.015, wander_s=10.0), 0.99, 0.06),
    SimulatedServer("refuses what would wait", Law(0.005, 0.5, 4, most_wait_s=0.05), 0.95, 0.1, 0.01),
    SimulatedServer("retries feed an overload", Law(0.005, 0.5, 4, timeout_s=0.15, attempts=3), 0.99, 0.12),
    SimulatedServer("one slow core, 10 ms, exponential", Law(0.010, 1.0), 0.95, 0.3, is_slow=True),
    SimulatedServer("16 workers, 100 ms", Law(0.1, 0.5, 16), 0.95, 0.3, is_slow=True),
    SimulatedServer("four connections, 12 ms, exponential", Law(0.012, 1.0, 4), 0.99, 0.2, is_slow=True),
    SimulatedServer("two cores that wander, 8 ms", Law(0.008, 0.5, 2, wander=0.01), 0.95, 0.08, is_slow=True),
    SimulatedServer("users: four cores, 5 ms", Closed(0.005, 0.7, 4, 0.1), 0.95, 0.05),
    SimulatedServer("users: what all must agree on", Closed(0.004, 0.5, 8, 0.05, agreeing=0.004), 0.95, 0.06),
)
