"""Processes, threads and goroutines that were seen to wait for a lock."""

import re
from dataclasses import dataclass

from loadrig.base.units import show_number
from loadrig.judgement.evidence import SeriesSource, Source
from loadrig.judgement.facts.tier import Tier

_IN_A_LOCK = re.compile(r"Semacquire(?:RW)?Mutex|\(\*(?:RW)?Mutex\)\.R?Lock")
"""Functions in which goroutines wait for a sync.Mutex or RWMutex (Go 1.20 to 1.26)."""


@dataclass(frozen=True, slots=True)
class Waiters:
    """Threads that were seen waiting for a lock. number: their mean number."""

    number: float
    text: str
    source: Source


def waiters_of(tier: Tier) -> Waiters | None:
    """Return the threads or goroutines that wait for a lock; None where that cannot be read."""
    outside = tier.track("thread_states.threads", "state:lock")
    if outside is not None and outside.mean >= 1:
        text = (
            f"{show_number(outside.mean)} threads waited for a lock that another process had"
            " (on a file, or a semaphore)"
        )
        return Waiters(outside.mean, text, outside.source)
    standing = tier.parts("go.waiting_in")
    if standing:
        locks = {where: track for where, track in standing.items() if _IN_A_LOCK.search(where)}
        number = sum(track.mean for track in locks.values())
        name = max(locks, key=lambda where: locks[where].mean, default="")
        text = f"{show_number(number)} goroutines stood in a lock"
        return Waiters(number, text, SeriesSource(tier.name, "go.waiting_in", name))
    if tier.parts("jvm.threads"):
        number = mean_of_state(tier, "BLOCKED")
        text = f"{show_number(number)} threads were BLOCKED: they waited for a lock"
        return Waiters(number, text, SeriesSource(tier.name, "jvm.threads", "BLOCKED"))
    return None


def mean_of_state(tier: Tier, state: str) -> float:
    """Return the mean number of a JVM's threads in a state, which has no reading where no thread is in it."""
    states = tier.parts("jvm.threads")
    looks = max((track.known.size for track in states.values()), default=0)
    return float(states[state].known.sum()) / looks if state in states and looks else 0.0
