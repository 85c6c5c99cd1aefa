"""Looks at a server at random instants: the mean numbers of what is there, not of what is there each second.

Instants of a fixed period miss what has the same period, and one a second misses what lasts for 50 ms.
Gaps of exponential length see time averages of whatever happens (Poisson arrivals).
"""

import math
import random
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from loadrig.base.series import Metric
from loadrig.probes._counting import Found
from loadrig.probes._session import Lost

LOOKS_PER_S = 10.0
"""Looks a second at most, on average: the mean over a minute then has the spread of 600 looks."""

BUSY_SHARE = 0.02
"""Share of the time that looks may take, ours and the server's together, as `Paced` allows for questions."""

SELDOM_S = 5.0
"""Longest mean gap, however dear a look is."""

RECENT = 20
"""A look costs the least of so many: what one takes beyond that, it waits for a server that is busy."""

FEWEST = 3
"""Looks after which their cost counts: the first finds out who the clients are."""

MOST_AGES = 1000
"""Ages kept between two samples, by subject; of 10 looks that is a hundred sessions."""

RETRY_S = 1.0
"""Pause after a look that failed: the reading beside it says what is the matter."""

LOOKS = Metric("1", "gauge", "Looks since the sample before: what the means are of.")


def with_deviations(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return mean numbers, with the standard deviation that `Looks` gives for each of them."""
    deviations = {
        f"{name}_sd": Metric("1", "gauge", f"Standard deviation of `{name}` from look to look.")
        for name in metrics
    }
    return {**metrics, **deviations, "looks": LOOKS}


@dataclass(slots=True)
class Look:
    """What a look has seen. counts: numbers by metric and subject; ages: in s, by metric and subject."""

    counts: Found = field(default_factory=dict)
    ages: dict[tuple[str, str], list[float]] = field(default_factory=dict)


class Tally:
    """The looks since the last sample, added up. Not for several threads."""

    def __init__(self) -> None:
        self._looks = 0
        self._sums: dict[tuple[str, str], tuple[float, float]] = {}
        self._ages: dict[tuple[str, str], list[float]] = {}

    def add(self, look: Look) -> None:
        """Take one look in. What it does not name was not there: zero."""
        self._looks += 1
        for key, count in look.counts.items():
            total, squares = self._sums.get(key, (0.0, 0.0))
            self._sums[key] = (total + count, squares + count * count)
        for key, ages in look.ages.items():
            kept = self._ages.setdefault(key, [])
            kept += ages[: max(0, MOST_AGES - len(kept))]

    def take(self) -> Found:
        """Return the means with their standard deviations, median and highest age, and begin anew.

        Without a look only that is told: nothing is known then, which is not zero.
        The ages of NAME are `NAME_median_s` and `NAME_oldest_s`.
        """
        found: Found = {("looks", ""): float(self._looks)}
        for (metric, subject), (total, squares) in self._sums.items():
            mean = total / self._looks
            found[metric, subject] = mean
            if self._looks > 1:
                spread = max(0.0, squares - total * mean) / (self._looks - 1)
                found[f"{metric}_sd", subject] = math.sqrt(spread)
        for (metric, subject), ages in self._ages.items():
            found[f"{metric}_median_s", subject] = statistics.median(ages)
            found[f"{metric}_oldest_s", subject] = max(ages)
        self._looks, self._sums, self._ages = 0, {}, {}
        return found


class Looks:
    """Looks again and again, on a thread of its own that begins with the first `take`.

    look: one look; None where nothing may be seen. It may raise Lost, which is left to the reading beside it.
    """

    def __init__(self, look: Callable[[], Look | None]) -> None:
        self._look = look
        self._tally = Tally()
        self._lock = threading.Lock()
        self._leaving = threading.Event()
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._random = random.Random()
        self._thread: threading.Thread | None = None
        self.cpu_s = 0.0

    def take(self) -> Found:
        """Return what was seen since the last call."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="loadrig-looks", daemon=True)
            self._thread.start()
        with self._lock:
            return self._tally.take()

    def close(self, within_s: float) -> None:
        """End the thread after the look under way."""
        self._leaving.set()
        if self._thread is not None:
            self._thread.join(within_s)

    def mean_gap_s(self) -> float:
        """Return the mean time from one look to the next that the budget allows."""
        cost_s = min(self._recent) if len(self._recent) >= FEWEST else 0.0
        return min(SELDOM_S, max(1 / LOOKS_PER_S, cost_s / BUSY_SHARE))

    def _work(self) -> None:
        pause_s = 0.0
        while not self._leaving.wait(pause_s):
            pause_s = RETRY_S
            began = time.monotonic()
            with suppress(Lost):
                look = self._look()
                self._recent.append(time.monotonic() - began)
                if look is not None:
                    with self._lock:
                        self._tally.add(look)
                pause_s = self._random.expovariate(1 / self.mean_gap_s())
            self.cpu_s = time.thread_time()
